"""Programs of `tests/programs` on targets, compared with this machine: the same verdict, races, traces and steps.

A target is compared with the machine of its data model here: x86-64, or 32-bit x86 (`-m32`). `targets_left_out.toml`
has the programs that cannot be compared on a target, with the reason and with what `compare` says of them instead.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from exploring import Searched, load, search
from programs_truth import program_name, read_truth

from raceproof.core import InputError, Unsupported
from raceproof.explore.build import why_not_32_bits
from raceproof.explore.target import Target

QEMU: Final = {"aarch64": "qemu-aarch64 {}", "arm": "qemu-arm {}", "riscv64": "qemu-riscv64 {}"}
HERE: Final = {"x86": "{}", "x86_64": "{}"}
MACHINES: Final = (*QEMU, *HERE)
NARROW: Final = ("arm", "x86")
LEFT_OUT: Final = Path(__file__).with_name("targets_left_out.toml")
_MAX_EXECUTIONS: Final = 300
_MAX_STEPS: Final = 5_000
_SECONDS: Final = 240.0
"""Far more than 300 executions take under qemu: the time decides nothing."""


def target(machine: str) -> Target:
    """One that can be used here; else the test is skipped, or fails."""
    if machine == "x86" and why_not_32_bits() is not None:
        pytest.skip(str(why_not_32_bits()))
    via = (QEMU | HERE)[machine]
    if machine in QEMU and shutil.which(via.split()[0]) is None:
        if os.environ.get("RACEPROOF_REQUIRE_QEMU"):
            pytest.fail(f"{via.split()[0]} is not installed")
        pytest.skip(f"{via.split()[0]} is not installed")
    return Target(machine, (via,))


@dataclass(frozen=True, slots=True)
class Seen:
    """What must be the same wherever the program runs. Executions without any operation count as none: how often a
    program is tried that ends at once depends on the time that it takes."""

    verdict: str
    races: frozenset[tuple[int | None, int | None]]
    executions: int
    blocked: int
    transitions: int
    others: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """The program was not run."""

    why: str


def compare(path: Path, machine: str) -> str | None:
    """What differs between the target and this machine; None if nothing does, as where both refuse to run the program.
    The truth on the lines holds anyway."""
    where = target(machine)
    there = _run(path, where, machine)
    if machine in NARROW and why_not_32_bits() is not None:
        return f"not on {machine}: {there.why}" if isinstance(there, Refused) else None
    here = _run_here(path, machine in NARROW)
    if isinstance(there, Refused) and isinstance(here, Refused):
        return None
    if isinstance(there, Refused):
        return f"not on {machine}: {there.why}"
    if isinstance(here, Refused):
        return f"not here: {here.why}"
    differing = [name for name in Seen.__slots__ if getattr(there, name) != getattr(here, name)]
    return "; ".join(f"{name}: {getattr(there, name)}, here {getattr(here, name)}" for name in differing) or None


@functools.lru_cache(maxsize=4)
def _run_here(path: Path, is_narrow: bool) -> Seen | Refused:
    """Several targets are compared with it, one after the other."""
    return _run(path, None, None, *(["-m32"] if is_narrow else []))


def _run(path: Path, where: Target | None, machine: str | None, *flags: str) -> Seen | Refused:
    try:
        subject = load(path, *flags, machine=machine)
        found = search(
            subject,
            seconds=_SECONDS,
            find_all=True,
            max_executions=_MAX_EXECUTIONS,
            max_steps=_MAX_STEPS,
            target=where,
        )
    except (Unsupported, InputError) as reason:
        return Refused(str(reason))
    _check_truth(path, found)
    transitions = int(found.result.stats["transitions"])
    return Seen(
        verdict=found.verdict,
        races=frozenset((min(pair, key=str), max(pair, key=str)) for pair in found.races),
        executions=found.executions if transitions else 0,
        blocked=found.blocked,
        transitions=transitions,
        others=tuple(sorted(found.others, key=str)),
    )


def _check_truth(path: Path, found: Searched) -> None:
    truth = read_truth(path)
    false = [lines for lines in found.races if not set(lines) <= truth.race_lines]
    assert not false, f"{path}: no races: {false}"
    is_findable = any(mark.race and "explore" not in mark.missed for mark in truth.lines.values())
    assert not (is_findable and found.verdict == "race-free"), f"{path}: {found.why()}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why a program is not compared on a target, and what `compare` says of it (a pattern)."""

    why: str
    says: re.Pattern[str]


def left_out() -> Mapping[tuple[str, str], LeftOut]:
    """By program and machine; a program and machine named twice is an error."""
    found: dict[tuple[str, str], LeftOut] = {}
    for row in tomllib.loads(LEFT_OUT.read_text(encoding="utf-8"))["left_out"]:
        reason = LeftOut(row["why"], re.compile(row["says"]))
        for name in row["programs"]:
            for machine in row["machines"]:
                assert (name, machine) not in found, f"{LEFT_OUT.name}: {name} twice on {machine}"
                found[name, machine] = reason
    return found


def check(path: Path, machine: str) -> None:
    """The target does as this machine, or differs as the list says: an entry that is not needed any more must go."""
    reason = left_out().get((program_name(path), machine))
    found = compare(path, machine)
    if reason is None:
        assert found is None, f"{program_name(path)} on {machine}: {found}"
    else:
        assert found is not None, f"{program_name(path)} on {machine} can be compared: drop it from {LEFT_OUT.name}"
        assert reason.says.search(found), f"{program_name(path)} on {machine}: {found}, not {reason.says.pattern}"
