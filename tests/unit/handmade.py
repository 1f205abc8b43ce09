"""Programs, facts and results made by hand, for tests that need no compiler.

The program: main creates two `worker`s at demo.c:20, each adds to `counter`; main reads it at demo.c:22.
"""

from __future__ import annotations

from dataclasses import replace

from raceproof.core import SourcePos
from raceproof.ir import Block, Function, Origin, Program, Return, SiteId, VoidType
from raceproof.model import (
    MAIN,
    Access,
    AccessId,
    AccessKind,
    AccessResult,
    AnyArgument,
    Base,
    CheckResult,
    ConcurrentProgram,
    EngineReport,
    Finding,
    HeldLock,
    LockKind,
    LockMode,
    MemLoc,
    MemObject,
    Moment,
    ObjectId,
    ObjectKind,
    PairResult,
    RacePair,
    RaceResult,
    Reason,
    Rule,
    Run,
    RunThread,
    Schedule,
    Scope,
    StaticReason,
    Thread,
    ThreadId,
    ThreadResult,
    Verdict,
    View,
    of_atom,
)

WORKER = ThreadId(1)
COUNTER = MemLoc(ObjectId(1), 0, 4)
MUTEX = of_atom(Base(ObjectId(2)))
READ, WRITE, MAIN_READ = AccessId(1), AccessId(2), AccessId(3)
LOCKED = frozenset({HeldLock(MUTEX, LockMode.EXCLUSIVE, LockKind.MUTEX)})


def function(name: str) -> Function:
    block = Block("entry", (), Return(SiteId(0), None, None))
    return Function(name, name.partition(".")[0], (), VoidType(), False, (block,), {}, None)


def program() -> Program:
    return Program(
        functions={"main": function("main"), "worker.1": function("worker.1")},
        externals={},
        globals={},
        source_types={},
        entry="main",
        pointer_size=8,
        origin=Origin(("demo.c",), (("clang", "demo.c"),), "LP64"),
    )


def access(number: AccessId, kind: AccessKind, line: int, thread: ThreadId, held: frozenset[HeldLock]) -> Access:
    return Access(
        id=number,
        site=SiteId(number),
        function="main" if thread == MAIN else "worker.1",
        kind=kind,
        size=4,
        targets=(COUNTER,),
        order=None,
        views=(View(thread, None, held, Moment(), False),),
        pos=SourcePos("demo.c", line, 5),
    )


def concurrent_program(many: bool = True) -> ConcurrentProgram:
    accesses = (
        access(READ, AccessKind.READ, 10, WORKER, LOCKED),
        access(WRITE, AccessKind.WRITE, 10, WORKER, LOCKED),
        access(MAIN_READ, AccessKind.READ, 22, MAIN, frozenset()),
    )
    return ConcurrentProgram(
        program=program(),
        threads={
            MAIN: Thread(MAIN, "main", None, None, None, False, 1, AnyArgument()),
            WORKER: Thread(WORKER, "worker.1", MAIN, SiteId(9), SourcePos("demo.c", 20, 9), many, None, AnyArgument()),
        },
        objects={
            ObjectId(1): MemObject(ObjectId(1), ObjectKind.GLOBAL, "counter", None, 4, True, None),
            ObjectId(2): MemObject(ObjectId(2), ObjectKind.GLOBAL, "mutex", None, 40, True, None),
        },
        accesses={a.id: a for a in accesses},
        private_accesses=0,
        states=(),
        exclusive=frozenset(),
        barriers=(),
        senders={},
        sent_after={},
        assumptions=(),
        may_hold={},
    )


PAIRS = (
    RacePair(READ, WRITE, COUNTER),
    RacePair(WRITE, WRITE, COUNTER),
    RacePair(WRITE, MAIN_READ, COUNTER),
)


def proof(pair: RacePair, scope: Scope = Scope.ALL_INPUTS, engine: str = "lockset") -> Finding:
    return Finding(pair, Verdict.RACE_FREE, (StaticReason(Rule.COMMON_LOCK, "mutex"),), engine, scope)


def unknown(pair: RacePair, text: str = "no common lock", engine: str = "lockset") -> Finding:
    return Finding(pair, Verdict.UNKNOWN, Reason(text), engine)


RUN = Run(((0, 4), (1, 2), (2, 1)), (), (RunThread(0, 0, None), RunThread(1, 0, SiteId(9)), RunThread(2, 0, SiteId(9))))


def schedule(pair: RacePair, racers: tuple[int, int] = (1, 2), together: bool = True) -> Schedule:
    return Schedule(RUN, (pair.first, pair.second), racers, together)


def witness(pair: RacePair, engine: str = "explore") -> Finding:
    return Finding(pair, Verdict.RACE, schedule(pair), engine)


def race_result(pair: RacePair = PAIRS[0], together: bool = True) -> RaceResult:
    created = SourcePos("demo.c", 20, 9)
    threads = (
        ThreadResult(0, 0, "main", None),
        ThreadResult(1, 0, "worker", created),
        ThreadResult(2, 0, "worker", created),
    )
    return RaceResult(schedule(pair, together=together), threads)


def access_result(
    line: int = 10,
    kind: AccessKind = AccessKind.WRITE,
    thread: str = "thread `worker`, created at demo.c:20 (several at once)",
    held: tuple[str, ...] = (),
    column: int = 5,
    file: str = "demo.c",
) -> AccessResult:
    return AccessResult(SourcePos(file, line, column), "worker", kind, thread, False, held)


def pair_result(
    number: int = 1,
    verdict: Verdict = Verdict.UNKNOWN,
    first: AccessResult | None = None,
    second: AccessResult | None = None,
    target: str = "counter",
    evidence: tuple[str, ...] = ("no common lock, and nothing orders the two",),
) -> PairResult:
    return PairResult(
        id=number,
        pair=PAIRS[0],
        verdict=verdict,
        scope=Scope.ALL_INPUTS if verdict is Verdict.RACE_FREE else None,
        engine="lockset",
        target=target,
        accesses=(first or access_result(), second or access_result(22, AccessKind.READ, "main thread")),
        evidence=evidence,
        race=race_result() if verdict is Verdict.RACE else None,
    )


def check_result(*pairs: PairResult) -> CheckResult:
    """The result with these pairs and the verdict that follows from them."""
    result = CheckResult(
        verdict=Verdict.UNKNOWN,
        scope=None,
        reason=f"{sum(p.verdict is Verdict.UNKNOWN for p in pairs)} of {len(pairs)} pairs of accesses not decided",
        files=("demo.c",),
        pairs=pairs,
        engines=(EngineReport("lockset", 0.25, 0, 0, len(pairs), {"pairs": len(pairs)}),),
        assumptions=(),
        seconds=1.5,
        version="0.1.0",
    )
    if any(p.verdict is Verdict.RACE for p in pairs):
        return replace(result, verdict=Verdict.RACE, reason=None)
    if all(p.verdict is Verdict.RACE_FREE for p in pairs):
        return replace(result, verdict=Verdict.RACE_FREE, scope=Scope.ALL_INPUTS, reason=None)
    return result
