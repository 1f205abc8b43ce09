"""Twin programs with and without a deadlock: `check --property deadlock` says what is true of each.

The first line of a program ends with the truth: `deadlock`, or `no-deadlock, proved by ENGINE`. Lines at which a thread
may stand in a deadlock are marked `// deadlock`; their twins `// no-deadlock`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from raceproof import portfolio
from raceproof.core import Budget
from raceproof.frontend import from_files, load
from raceproof.model import CheckResult, DeadlockVerdict, Property, Scope

PROGRAMS = Path(__file__).parent / "programs"
_TRUTH = re.compile(r"// .+: (deadlock|no-deadlock, proved by (lockset|explore))")
_MARK = re.compile(r"// (no-)?deadlock$")


@dataclass(frozen=True, slots=True)
class Truth:
    """`prover`: of a program without a deadlock."""

    has_deadlock: bool
    prover: str | None
    lines: frozenset[int]


def truth_of(path: Path) -> Truth:
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    found = _TRUTH.fullmatch(first)
    assert found is not None, path
    has_deadlock = found[1] == "deadlock"
    marks = {number: mark for number, line in enumerate(rest, start=2) if (mark := _MARK.search(line)) is not None}
    assert marks, path
    assert all((mark[1] is None) == has_deadlock for mark in marks.values()), path
    return Truth(has_deadlock, found[2], frozenset(marks))


def checked(path: Path, *engines: str) -> CheckResult:
    request = from_files([path])
    settings = portfolio.Settings(request=request, properties=(Property.DEADLOCK,))
    return portfolio.check(load(request), engines, Budget.seconds(60), settings)


def names() -> list[str]:
    return sorted(path.stem for path in PROGRAMS.glob("*.c"))


def test_programs_are_twins() -> None:
    programs = set(names())
    good = {name for name in programs if not name.endswith("_deadlock")}
    assert {f"{name}_deadlock" for name in good} == programs - good
    assert len(good) >= 30
    assert all(truth_of(PROGRAMS / f"{name}.c").has_deadlock == name.endswith("_deadlock") for name in programs)


@pytest.mark.parametrize("name", names())
def test_the_truth_is_found(name: str) -> None:
    path = PROGRAMS / f"{name}.c"
    truth, result = truth_of(path), checked(path, "lockset", "explore")
    answer = result.deadlock
    assert answer is not None
    if not truth.has_deadlock:
        assert (answer.verdict, answer.engine) == (DeadlockVerdict.DEADLOCK_FREE, truth.prover), answer.reason
        assert answer.scope is (Scope.ALL_INPUTS if truth.prover == "lockset" else Scope.THIS_INPUT)
        return
    assert answer.verdict is DeadlockVerdict.DEADLOCK, answer.reason
    [deadlock] = result.deadlocks
    waiting = [blocked for blocked in deadlock.blocked if blocked.pos is not None and blocked.pos.line in truth.lines]
    assert waiting, deadlock.blocked
    others = [blocked for blocked in deadlock.blocked if blocked not in waiting]
    assert all("join" in blocked.operation for blocked in others), others


@pytest.mark.parametrize("name", [name for name in names() if name.endswith("_deadlock")])
def test_the_static_engine_proves_nothing_false(name: str) -> None:
    answer = checked(PROGRAMS / f"{name}.c", "lockset").deadlock
    assert answer is not None
    assert answer.verdict is DeadlockVerdict.UNKNOWN
