"""Deadlock freedom from the order of locks; or what stands in its way.

It is proved if every place at which a thread may wait is known, waits for a resource that another thread holds, and no
cycle of the lock-order graph could be a deadlock. docs/soundness.md says why that is enough.
"""

from __future__ import annotations

import time

from raceproof.core import Budget
from raceproof.facts import describe_lock
from raceproof.lockset.lock_order import Cycle, Edge, LockOrderGraph
from raceproof.model import (
    Base,
    ConcurrentProgram,
    DeadlockFinding,
    DeadlockVerdict,
    EngineResult,
    Linear,
    LockOrder,
    Reason,
    Resource,
    ResourceKind,
    Scope,
)

NAME = "lockset"
MOST_SHOWN = 3


def prove_deadlock_free(cp: ConcurrentProgram, budget: Budget) -> EngineResult:
    """Requires facts with waits."""
    start = time.monotonic()
    finding = _judge(cp, budget)
    return EngineResult(NAME, (), time.monotonic() - start, deadlock=finding)


def _judge(cp: ConcurrentProgram, budget: Budget) -> DeadlockFinding:
    waiting = cp.waiting
    if waiting is None:
        return _unknown("nobody has looked where threads may wait")
    if waiting.unaccounted:
        more = len(waiting.unaccounted) - MOST_SHOWN
        texts = [*map(str, waiting.unaccounted[:MOST_SHOWN]), *([f"{more} more"] if more > 0 else [])]
        return _unknown(f"the order of locks is not enough: {'; '.join(texts)}")
    found = LockOrderGraph(cp, waiting, budget).judge()
    if found.cycles:
        more = len(found.cycles) - MOST_SHOWN
        texts = [_described(cp, c) for c in found.cycles[:MOST_SHOWN]]
        return _unknown("possible deadlock: " + "; or ".join([*texts, *([f"{more} more"] if more > 0 else [])]))
    if found.is_cut:
        return _unknown("there are too many cycles in the order of locks")
    names = tuple(describe_resource(cp, r) for r in found.order if r.kind is not ResourceKind.THREAD_END)
    proof = LockOrder(names, len(waiting.waits), found.ruled_out)
    return DeadlockFinding(DeadlockVerdict.DEADLOCK_FREE, proof, NAME, Scope.ALL_INPUTS)


def _unknown(text: str) -> DeadlockFinding:
    return DeadlockFinding(DeadlockVerdict.UNKNOWN, Reason(text), NAME)


def describe_resource(cp: ConcurrentProgram, resource: Resource) -> str:
    match resource.kind:
        case ResourceKind.LOCK if resource.object is not None:
            if resource.offset is None:
                return f"a lock in {cp.objects[resource.object].name}"
            return describe_lock(cp, Linear(resource.offset, ((Base(resource.object), 1),)))
        case ResourceKind.THREAD_END if resource.thread is not None:
            return f"the end of `{cp.threads[resource.thread].start}`"
        case ResourceKind.ATOMIC_SECTION:
            return "the atomic section"
    return resource.name


def _described(cp: ConcurrentProgram, cycle: Cycle) -> str:
    return ", ".join(_described_edge(cp, edge) for edge in cycle)


def _described_edge(cp: ConcurrentProgram, edge: Edge) -> str:
    pos = cp.program.instructions_by_site()[edge.label.site][1].pos
    where = f" ({pos.file}:{pos.line})" if pos is not None else ""
    thread = cp.threads[edge.label.thread]
    holds = "" if edge.source.kind is ResourceKind.THREAD_END else f"holds {describe_resource(cp, edge.source)} and "
    return f"`{thread.start}` {holds}waits for {describe_resource(cp, edge.target)}{where}"
