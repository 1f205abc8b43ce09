"""Is a marking reachable that covers a target? Answered by the native kernel, with evidence.

The kernel (native/petri; rp_cover.h is the contract) runs as a process of its own, so that neither a crash nor a lack
of memory can take raceproof with it. What it says is not believed but checked, by `checking`, where it is used.
"""

from __future__ import annotations

import contextlib
import logging
import math
import subprocess
import time
from functools import cache as remember
from pathlib import Path

from raceproof.core import Budget, InputError, InternalError, ToolMissing
from raceproof.native import NATIVE, build_cxx
from raceproof.petri.net import Marking, Net, NetCertificate, Safe, Solution, Undecided, Unsafe

log = logging.getLogger(__name__)

MEMORY = 4000
"""Megabytes that the kernel may use."""
LARGEST = 2**63 - 2
"""More tokens than this are refused: the kernel counts in 64 bits."""
GRACE = 5.0
"""Seconds that the kernel may take to end after its time limit."""


@remember
def kernel() -> Path:
    """The kernel as a program, built when it is first used."""
    return build_cxx("rp_cover", NATIVE / "petri")


def solve(net: Net, budget: Budget, *, memory: int = MEMORY, program: Path | None = None) -> Solution:
    """`memory`: megabytes; `program`: another build of the kernel. Raises `InputError` for a malformed net."""
    check_net(net)
    program = program or kernel()
    start = time.monotonic()
    seconds = budget.remaining()
    if seconds <= 0:
        return Undecided("time limit reached before the search began", {"seconds": 0.0})
    output, problem = _run(program, _task(net, max(seconds, 0.001), memory), seconds + GRACE)
    return _solution(output, problem, round(time.monotonic() - start, 3))


def check_net(net: Net) -> None:
    """Raise `InputError` if it names places that it does not have, or numbers that are not in range."""
    where = [("the initial marking", net.initial)]
    where += [(f"transition {t.name}", side) for t in net.transitions for side in (t.pre, t.post)]
    where += [(f"target number {number}", target) for number, target in enumerate(net.targets)]
    for what, marking in where:
        previous = -1
        for place, count in marking:
            if not 0 <= place < len(net.places):
                raise InputError(f"{what}: there is no place {place}")
            if place <= previous:
                raise InputError(f"{what}: places are not in order, or one stands twice")
            if not 0 < count <= LARGEST:
                raise InputError(f"{what}: place {net.places[place]}: {count} is not between 1 and 2^63 - 2")
            previous = place
    for place in net.unbounded:
        if not 0 <= place < len(net.places):
            raise InputError(f"places with any number of tokens: there is no place {place}")


def _task(net: Net, seconds: float, memory: int) -> str:
    lines = [f"net {len(net.places)}", f"initial {_words(net.initial)}"]
    lines.append(" ".join(map(str, ("unbounded", len(net.unbounded), *sorted(net.unbounded)))))
    lines += [f"transition {_words(t.pre)} {_words(t.post)}" for t in net.transitions]
    lines += [f"target {_words(target)}" for target in net.targets]
    lines += [f"time {0 if math.isinf(seconds) else seconds:.3f}", f"memory {memory}", "end", ""]
    return "\n".join(lines)


def _words(marking: Marking) -> str:
    return " ".join([str(len(marking)), *(f"{place} {count}" for place, count in marking)])


def _run(program: Path, text: str, seconds: float) -> tuple[str, str]:
    """What the kernel wrote, and what went wrong with it."""
    try:
        # A session of its own: Ctrl-C reaches it only through us.
        process = subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolMissing(f"cannot run the coverability kernel {program}: {error.strerror}") from None
    try:
        output, errors = process.communicate(text, None if math.isinf(seconds) else seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        return output, "it did not end in time"
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
    if process.returncode in (2, 3):
        raise InternalError(f"the coverability kernel: {errors.strip()[:2000]}")
    return output, f"it ended with status {process.returncode}" if process.returncode else ""


def _solution(output: str, problem: str, seconds: float) -> Solution:
    stats: dict[str, int | float] = {"kept": 0, "subsumed": 0, "iterations": 0}
    basis: list[Marking] = []
    invariants: list[tuple[Marking, int]] = []
    start: Marking = ()
    firing: list[int] = []
    progress = end = ""
    for line in output.splitlines():
        match line.split():
            case ["progress", *words]:
                progress = _learned(words)
            case ["stat", name, value]:
                stats[name] = float(value) if "." in value else int(value)
            case ["invariant", bound, *words]:
                invariants.append((_marking(words), int(bound)))
            case ["basis", *words]:
                basis.append(_marking(words))
            case ["start", *words]:
                start = _marking(words)
            case ["fire", *words]:
                firing += map(int, words)
            case ["end", *words]:
                end = " ".join(words)
    stats["seconds"] = seconds
    match end.split(" ", 1):
        case ["safe"]:
            return Safe(NetCertificate(tuple(sorted(basis)), tuple(invariants)), stats)
        case ["unsafe"]:
            return Unsafe(start, tuple(firing), stats)
        case ["unknown", reason]:
            return Undecided(reason + progress, stats)
    log.debug("the kernel: %s", problem)
    return Undecided(f"the coverability kernel failed: {problem or 'it said nothing'}{progress}", stats)


def _learned(words: list[str]) -> str:
    _, kept, queued, invariants, forward = words
    return f"; {kept} markings kept, {queued} to look at, {invariants} invariants, {forward} markings reached forwards"


def _marking(words: list[str]) -> Marking:
    numbers = list(map(int, words))
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
