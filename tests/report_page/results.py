"""Results made by hand for the HTML report: a program with a race, its run step by step, and pairs of every kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from unit.handmade import PAIRS, RUN, access_result, check_result, pair_result, race_result

from raceproof.core import SourcePos
from raceproof.model import (
    AccessKind,
    AccessResult,
    Assumption,
    CheckResult,
    EngineReport,
    IncidentResult,
    MemLoc,
    ObjectId,
    PairResult,
    RacePair,
    RaceResult,
    Schedule,
    ThreadResult,
    Trace,
    TraceStep,
    Verdict,
)

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">'\"&lt;\u2028"

SOURCE = """\
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter; /* protected by mutex,
                       most of the time */

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter = counter + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    printf("%d\\n", counter);
    return 0;
}
"""


def step(
    file: str, thread: int, number: int, operation: str, line: int, address: str = "", value: str = "", held: str = ""
) -> TraceStep:
    function = "main" if thread == 0 else "worker"
    pos = SourcePos(file, line, 5)
    return TraceStep(thread, number, operation, address, value, tuple(held.split()), pos, function, ())


def threads(file: str) -> tuple[ThreadResult, ...]:
    created = SourcePos(file, 20, 9)
    return (
        ThreadResult(0, 0, "main", None),
        ThreadResult(1, 0, "worker", created),
        ThreadResult(2, 0, "worker", created),
    )


def racing(file: str) -> tuple[tuple[int, AccessResult], tuple[int, AccessResult]]:
    write = AccessResult(SourcePos(file, 11, 13), "worker", AccessKind.WRITE, "thread 2 `worker`", False, ("mutex",))
    read = AccessResult(SourcePos(file, 21, 20), "main", AccessKind.READ, "main thread", False, ())
    return (2, write), (0, read)


def trace(file: str = "demo.c") -> Trace:
    """Both workers add to the counter under the lock; the second one stands before its write, main before its read."""
    return Trace(
        threads=threads(file),
        steps=(
            step(file, 0, 1, "pthread_create", 20),
            step(file, 0, 2, "pthread_create", 20),
            step(file, 1, 1, "pthread_mutex_lock", 10, "mutex", held="mutex"),
            step(file, 1, 2, "read", 11, "counter", "0", "mutex"),
            step(file, 1, 3, "write", 11, "counter", "1", "mutex"),
            step(file, 1, 4, "pthread_mutex_unlock", 12, "mutex"),
            step(file, 2, 1, "pthread_mutex_lock", 10, "mutex", held="mutex"),
            step(file, 2, 2, "read", 11, "counter", "1", "mutex"),
        ),
        racing=racing(file),
        together=True,
        target="counter",
        ended=(),
        repeated=True,
        digest="0123abcd",
    )


def race(number: int, run: Trace | None, file: str = "demo.c", target: str = "counter") -> PairResult:
    first, second = (access for _, access in racing(file))
    pair = pair_result(number, Verdict.RACE, first, second, target)
    schedule = Schedule(RUN, (PAIRS[0].first, PAIRS[0].second), (2, 0), run is None or run.together)
    return replace(pair, race=RaceResult(schedule, threads(file), run), engine="explore", evidence=())


def at(pair: PairResult, object_id: int) -> PairResult:
    """The same pair at another location."""
    return replace(pair, pair=RacePair(pair.pair.first, pair.pair.second, MemLoc(ObjectId(object_id), 0, 4)))


def rich(directory: Path) -> CheckResult:
    """Two races (with steps and without), a suppressed and a known pair, a proof, and a deadlock; with its source."""
    source = directory / "demo.c"
    source.write_text(SOURCE, encoding="utf-8")
    file = str(source)
    proof = pair_result(5, Verdict.RACE_FREE, target="total", evidence=("common-lock mutex",))
    suppressed = replace(pair_result(3, target="statistics"), suppressed="may be off by a few")
    pairs = (
        race(1, trace(file), file),
        race(2, None, file),
        at(suppressed, 3),
        at(replace(pair_result(4, target="statistics"), is_known=True, fingerprint="ab12"), 3),
        at(proof, 4),
    )
    deadlock = IncidentResult(
        1, "deadlock", "thread 1 waits for a lock", SourcePos(file, 10, 5), "worker", 1, RUN, race_result().threads
    )
    engines = (
        EngineReport("lockset", 0.25, 1, 0, 4, {"pairs": 5}),
        EngineReport("explore", 1.5, 0, 2, 2, {"executions": 12, "algorithm": "race"}, notes=("empty standard input",)),
    )
    assumption = Assumption("`log_it` touches no shared memory", SourcePos(file, 3))
    notes = ("a suppression fits nothing",)
    return replace(check_result(*pairs), engines=engines, other=(deadlock,), assumptions=(assumption,), notes=notes)


def hostile() -> CheckResult:
    """Names that would do harm if any of them were taken for markup."""
    access = replace(
        access_result(file=HOSTILE),
        function=HOSTILE,
        thread=HOSTILE,
        held=(HOSTILE,),
        call_stack=(SourcePos(HOSTILE, 1),),
    )
    steps = tuple(
        replace(s, operation=HOSTILE, address=HOSTILE, value=HOSTILE, held=(HOSTILE,), function=HOSTILE)
        for s in trace(HOSTILE).steps
    )
    named = tuple(replace(t, function=HOSTILE) for t in threads(HOSTILE))
    run = replace(
        trace(HOSTILE), steps=steps, threads=named, racing=((2, access), (0, access)), target=HOSTILE, ended=(HOSTILE,)
    )
    pairs = (
        race(1, run, HOSTILE, HOSTILE),
        replace(pair_result(2, first=access, target=HOSTILE, evidence=(HOSTILE,)), suppressed=HOSTILE, engine=HOSTILE),
        pair_result(3, Verdict.RACE_FREE, access, access, HOSTILE, (HOSTILE,)),
    )
    incident = IncidentResult(1, HOSTILE, HOSTILE, SourcePos(HOSTILE, 1), HOSTILE, 1, RUN, named)
    return replace(
        check_result(*pairs),
        reason=HOSTILE,
        notes=(HOSTILE,),
        files=(HOSTILE,),
        version=HOSTILE,
        engines=(EngineReport(HOSTILE, 1.0, 1, 1, 1, {HOSTILE: HOSTILE}, HOSTILE, (HOSTILE,)),),
        assumptions=(Assumption(HOSTILE),),
        other=(incident,),
    )


def many(count: int) -> CheckResult:
    """So many pairs at a tenth as many locations, one of them a race."""
    pairs = [
        at(pair_result(i, Verdict.RACE_FREE, target=f"cell_{i // 10}", evidence=("common-lock mutex",)), i // 10)
        for i in range(2, count + 1)
    ]
    return check_result(race(1, trace()), *pairs)


def long_run(turns: int, length: int) -> CheckResult:
    """A race after `turns` turns of `length` steps; the two threads hand a lock over each time."""
    steps = [step("demo.c", 0, 1, "pthread_create", 20), step("demo.c", 0, 2, "pthread_create", 20)]
    for turn in range(turns):
        thread, done = 1 + turn % 2, turn // 2 * length
        steps.append(step("demo.c", thread, done + 1, "pthread_mutex_lock", 10, "mutex", held="mutex"))
        for i in range(1, length - 1):
            steps.append(step("demo.c", thread, done + 1 + i, "write", 11, "counter", str(turn * length + i), "mutex"))
        steps.append(step("demo.c", thread, done + length, "pthread_mutex_unlock", 12, "mutex"))
    return check_result(race(1, replace(trace(), steps=tuple(steps))))
