"""The engine `shapes`: a pair is race-free if both accesses always go to objects that their threads own.

Nodes of lists belong to a lock while they are in a list, and to the thread that has made them or taken them out; see
`execution`. All proofs hold for all inputs. What was found is believed only if it is confirmed (`checking`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raceproof.core import Budget, LimitReached
from raceproof.facts import describe_location, describe_lock
from raceproof.model import (
    Base,
    ConcurrentProgram,
    EngineResult,
    Finding,
    HeapMap,
    Linear,
    MemLoc,
    ObjectId,
    ObjectKind,
    OwnedHeaps,
    RacePair,
    Reason,
    Scope,
    Verdict,
)
from raceproof.shapes.certificates import encoded
from raceproof.shapes.checking import ownership, problem_with
from raceproof.shapes.execution import Execution
from raceproof.shapes.surroundings import Protected, Surroundings
from raceproof.shapes.symbolic_heap import Layout, Place

log = logging.getLogger(__name__)

NAME = "shapes"
_NOT_OWNED = "an object that is not known to belong to one thread at a time"


@dataclass(frozen=True, slots=True)
class ShapesOptions:
    """Nothing to set yet."""


def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: ShapesOptions, budget: Budget) -> EngineResult:
    """Decide pairs of accesses to what is allocated.

    Raises `Unsupported` if the program has something that cannot be followed.
    """
    start = time.monotonic()
    wanted = [pair for pair in pairs if _is_about_heap(cp, pair)]
    proved: dict[RacePair, OwnedHeaps] = {}
    stopped: str | None = None
    stats: dict[str, int | float | str] = {"pairs": len(pairs), "about the heap": len(wanted)}
    if wanted:
        around = Surroundings(cp)
        try:
            execution = best(around, wanted, budget)
            stats["states"] = execution.count
            proved = _proofs(around, execution, wanted, budget)
        except LimitReached as limit:
            stopped = limit.message
    why = Reason(stopped or _NOT_OWNED)
    findings = [
        Finding(pair, Verdict.RACE_FREE, proved[pair], NAME, Scope.ALL_INPUTS)
        if pair in proved
        else Finding(pair, Verdict.UNKNOWN, why, NAME)
        for pair in wanted
    ]
    return EngineResult(NAME, tuple(findings), time.monotonic() - start, stats, stopped)


def best(around: Surroundings, wanted: Sequence[RacePair], budget: Budget) -> Execution:
    """Follow the threads with lists told by any link, or by one that serves better."""
    protected, hosts, links = _scouted(around, budget)
    found: Execution | None = None
    most = -1
    why = ""
    for link in (None, *links) if len(links) > 1 else (None,):
        try:
            execution = _follow(around, replace(around.layout, link=link), protected, hosts, budget)
        except LimitReached as limit:
            budget.check()
            why = limit.message
            continue
        count = len(_owned_pairs(execution, wanted))
        if count > most:
            found, most = execution, count
        if most == len(wanted):
            break
    if found is None:
        raise LimitReached(why)
    return found


def _follow(
    around: Surroundings, layout: Layout, protected: Sequence[Protected], hosts: frozenset[ObjectId], budget: Budget
) -> Execution:
    """All threads, with those roots that nobody writes without owning them."""
    while True:
        execution = Execution(around, layout, protected, hosts, budget)
        execution.run()
        spoilt = execution.seen.spoilt
        if not spoilt:
            return execution
        kept = [replace(group, roots=tuple(root for root in group.roots if root not in spoilt)) for group in protected]
        protected = [group for group in kept if group.roots]


def _owned_pairs(execution: Execution, wanted: Sequence[RacePair]) -> list[RacePair]:
    is_owned = ownership(execution.seen, execution.layout.width)
    return [pair for pair in wanted if is_owned(pair.first, pair.second)]


def _scouted(around: Surroundings, budget: Budget) -> tuple[list[Protected], frozenset[ObjectId], list[int]]:
    """Locks, with the places that are used only by who holds them, or by main alone; objects that are no nodes; and
    where nodes have pointers."""
    single = frozenset(number for number in around.cp.objects if around.may_host(number))
    first = Execution(around, around.layout, None, single, budget)
    first.run()
    variables = {number for number in single if around.cp.objects[number].kind is not ObjectKind.HEAP}
    hosts = frozenset(variables | {place.object for place in (*first.seen.locks, *first.seen.settled)})
    found: dict[Place, list[Place]] = {}
    for root, held in first.seen.used.items():
        if held and root.object in hosts:
            common = sorted(frozenset.intersection(*held), key=lambda lock: (lock.object, lock.offset or 0))
            lock = next((lock for lock in common if around.may_protect(Protected(lock, (root,)))), None)
            if lock is not None:
                found.setdefault(lock, []).append(root)
    return [Protected(lock, tuple(roots)) for lock, roots in found.items()], hosts, sorted(first.seen.links)


def _proofs(
    around: Surroundings, execution: Execution, wanted: Sequence[RacePair], budget: Budget
) -> dict[RacePair, OwnedHeaps]:
    proved = _owned_pairs(execution, wanted)
    if not proved:
        return {}
    locks = [
        encoded(group.lock, group.roots, tuple(pieces.values()))
        for group, pieces in zip(execution.protected, execution.invariants, strict=True)
    ]
    hosts = tuple(sorted(execution.hosts))
    found = HeapMap(tuple((pair.first, pair.second) for pair in proved), execution.layout.link, hosts, tuple(locks))
    problem = problem_with(around.cp, found, budget)
    if problem is not None:
        log.warning("proofs of %d pairs are refused: %s", len(proved), problem)
        return {}
    evidence = OwnedHeaps(_description(around, execution), found)
    return dict.fromkeys(proved, evidence)


def _is_about_heap(cp: ConcurrentProgram, pair: RacePair) -> bool:
    targets = (*cp.accesses[pair.first].targets, *cp.accesses[pair.second].targets)
    return any(cp.objects[target.object].kind is ObjectKind.HEAP for target in targets)


def _description(around: Surroundings, execution: Execution) -> str:
    """Which locks protect what, for people."""
    parts = [
        _of_lock(around, group)
        for group, pieces in zip(execution.protected, execution.invariants, strict=True)
        if any(heap.parts for heap, _ in pieces.values())
    ]
    return "owned by one thread at a time" + ("; " + "; ".join(parts) if parts else "")


def _of_lock(around: Surroundings, group: Protected) -> str:
    lock = describe_lock(around.cp, Linear(group.lock.offset or 0, ((Base(group.lock.object), 1),)))
    size = around.program.pointer_size
    roots = (describe_location(around.cp, MemLoc(root.object, root.offset, size)) for root in group.roots)
    return f"{lock} protects what hangs on {', '.join(roots)}"
