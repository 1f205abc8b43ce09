"""A second opinion on proofs: the interpreter runs every schedule of a small program.

It shares no code with the explorer and its runtime, and none with the static engines. A race that it finds refutes any
proof of that pair; where it has run all executions, it confirms what the explorer claims about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from raceproof import interpreter
from raceproof.core import Budget
from raceproof.evidence.claims import Key, Subject
from raceproof.ir import CompareExchange, Fence, Load, MemoryOrder, Program, Rmw, SiteId, Store
from raceproof.model import NO_SPURIOUS_WAKEUPS, AccessId

SECONDS = 20.0
EXECUTIONS = 20_000


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """`races`: pairs that raced in some execution, with no race before; `unknown` are places of races that are no pair.

    `gaps` says why it does not cover all executions; empty if it does. `deadlocks`: what threads wait for in some
    execution in which none can go on; `deadlock_gaps`: why there may be others all the same.
    """

    races: Mapping[Key, str]
    unknown: tuple[str, ...]
    gaps: tuple[str, ...]
    executions: int = 0
    deadlocks: tuple[str, ...] = ()
    deadlock_gaps: tuple[str, ...] = ()


def interpret(subject: Subject, budget: Budget) -> SecondOpinion:
    """Run every schedule, within limits. What the interpreter does not know is a gap."""
    if subject.is_vouched:
        return SecondOpinion({}, (), ("the proofs rest on what the user says about functions",))
    program = subject.cp.program
    blind = tuple(_beyond_interleavings(program))
    arguments = subject.setup.arguments if subject.setup is not None else ()
    limit = max(1.0, min(SECONDS, budget.remaining() / 3))
    spurious = NO_SPURIOUS_WAKEUPS not in subject.report.assumptions
    try:
        found = interpreter.explore(program, EXECUTIONS, limit, spurious=spurious, arguments=arguments)
    except interpreter.NotSupported as unknown:
        return SecondOpinion({}, (), (f"not interpreted: {unknown}",))
    races, strangers = _by_pair(subject, found)
    gaps = ("it has a data race",) if found.races else ()
    if found.is_doubtful:
        gaps = (*gaps, "a thread waits in an atomic section")
    return SecondOpinion(
        races, strangers, (*blind, *found.gaps()), found.executions, tuple(sorted(found.deadlocks)), gaps
    )


def _beyond_interleavings(program: Program) -> Iterator[str]:
    """Atomics by which a program may do what no order of its steps shows."""
    weaker = weak = False
    for function in program.functions.values():
        for block in function.blocks:
            for instr in block.body:
                match instr:
                    case CompareExchange(order=order, failure_order=failure, weak=is_weak):
                        weak = weak or is_weak
                        weaker = weaker or order is not MemoryOrder.SEQ_CST or failure is not MemoryOrder.SEQ_CST
                    case Load(order=order) | Store(order=order) | Rmw(order=order) | Fence(order=order):
                        weaker = weaker or order not in (None, MemoryOrder.SEQ_CST)
    if weaker:
        yield "it has atomics that are weaker than sequentially consistent"
    if weak:
        yield "it has weak compare-exchanges, which may fail at any time"


def _by_pair(subject: Subject, found: interpreter.Exploration) -> tuple[dict[Key, str], tuple[str, ...]]:
    """Races by the numbers of their accesses; what comes after another race is no statement about C."""
    numbers: dict[tuple[int, str], list[AccessId]] = {}
    for number, access in subject.cp.accesses.items():
        numbers.setdefault((int(access.site), access.kind.value), []).append(number)
    races: dict[Key, str] = {}
    strangers = []
    sites = subject.cp.program.instructions_by_site()
    for (first, second), race in sorted(found.races.items()):
        if not race.is_first:
            continue
        keys = [(min(a, b), max(a, b)) for a in numbers.get(first, ()) for b in numbers.get(second, ())]
        known = [key for key in keys if key in subject.pairs]
        for key in known:
            races[key] = f"{race.threads[0]} and {race.threads[1]} on {race.object}"
        if not known:
            where = " and ".join(str(sites[SiteId(site)][1].pos or f"site {site}") for site, _ in (first, second))
            strangers.append(f"{where}, {race.threads[0]} and {race.threads[1]}")
    return races, tuple(strangers)
