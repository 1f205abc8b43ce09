"""A race of the program of `unit.handmade` with its run step by step.

main creates threads 1 and 2 (demo.c:20); thread 1 takes and gives up `mutex` (demo.c:9, 11), thread 2 takes it, and
stands at demo.c:10 when thread 1 is at demo.c:12, which touches `counter` without the lock.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from unit.handmade import access_result, pair_result, race_result

from raceproof import frontend, portfolio
from raceproof.core import Budget, SourcePos
from raceproof.model import AccessKind, AccessResult, CheckResult, PairResult, RaceResult, Trace, TraceStep, Verdict

BANK = Path(__file__).parents[3] / "examples" / "bank_race.c"

CREATE = SourcePos("demo.c", 20, 9)
FIRST = access_result(12, AccessKind.READ, "thread 1 `worker`, created at demo.c:20")
SECOND = access_result(10, AccessKind.WRITE, "thread 2 `worker`, created at demo.c:20", held=("mutex",))


def step(
    thread: int, number: int, operation: str, line: int, address: str = "", *held: str, file: str = "demo.c"
) -> TraceStep:
    value = "1" if operation in ("read", "write") else ""
    return TraceStep(thread, number, operation, address, value, held, SourcePos(file, line, 5), "worker", ())


STEPS = (
    replace(step(0, 1, "pthread_create", 20), pos=CREATE, function="main"),
    replace(step(0, 2, "pthread_create", 20), pos=CREATE, function="main"),
    step(1, 1, "pthread_mutex_lock", 9, "mutex", "mutex"),
    step(1, 2, "write", 10, "counter", "mutex"),
    step(1, 3, "pthread_mutex_unlock", 11, "mutex"),
    step(2, 1, "pthread_mutex_lock", 9, "mutex", "mutex"),
)


def trace(
    steps: tuple[TraceStep, ...] = STEPS,
    racing: tuple[AccessResult, AccessResult] = (FIRST, SECOND),
    together: bool = True,
) -> Trace:
    return Trace(
        threads=race_result().threads,
        steps=steps,
        racing=((1, racing[0]), (2, racing[1])),
        together=together,
        target="counter",
        ended=(),
        repeated=True,
        digest="abc",
    )


def race(number: int = 1, traced: Trace | None = None, together: bool = True) -> PairResult:
    run: RaceResult = replace(race_result(together=together), trace=traced)
    pair = pair_result(number, Verdict.RACE, FIRST, SECOND)
    return replace(pair, race=run, fingerprint=f"{number:016x}")


@cache
def real() -> CheckResult:
    """What raceproof finds in examples/bank_race.c: one race, with its trace."""
    request = frontend.from_files([BANK])
    program = frontend.load(request, Budget.seconds(100))
    settings = portfolio.Settings(request=request)
    return portfolio.check(program, ("lockset", "explore"), Budget.seconds(100), settings)
