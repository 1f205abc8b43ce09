"""The states of objects that a call may find: all that the specification tells apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from raceproof.spec import (
    SEM_VALUE_MAX,
    BarrierState,
    CondState,
    Health,
    KeyState,
    Kind,
    Life,
    MutexState,
    ObjectState,
    ObjectType,
    OnceState,
    RwlockState,
    SemState,
)

ME, OTHER = 1, 2


def mutexes() -> Iterator[MutexState]:
    for kind, robust in product(Kind, (False, True)):
        for life in (Life.UNINITIALISED, Life.DESTROYED):
            yield MutexState(kind, robust, life=life)
        yield MutexState(kind, robust)
        for owner in (ME, OTHER):
            yield MutexState(kind, robust, owner, 1)
            if kind is Kind.RECURSIVE:
                yield MutexState(kind, robust, owner, 2)
            if robust:
                yield MutexState(kind, robust, owner, 1, Health.INCONSISTENT)
        if robust:
            yield MutexState(kind, robust, health=Health.INCONSISTENT)
            yield MutexState(kind, robust, health=Health.UNRECOVERABLE)


def rwlocks() -> Iterator[RwlockState]:
    yield RwlockState(life=Life.UNINITIALISED)
    yield RwlockState(life=Life.DESTROYED)
    yield RwlockState()
    for writer in (ME, OTHER):
        yield RwlockState(writer)
    for mine, theirs in product(range(3), range(3)):
        yield RwlockState(readers=tuple((tid, n) for tid, n in ((ME, mine), (OTHER, theirs)) if n))


STATES: dict[ObjectType, list[ObjectState]] = {
    ObjectType.MUTEX: list(mutexes()),
    ObjectType.RWLOCK: list(rwlocks()),
    ObjectType.SPIN: [s for s in mutexes() if s.kind is Kind.NORMAL and not s.robust],
    ObjectType.COND: [CondState(), CondState(frozenset({OTHER})), CondState(woken=frozenset({OTHER}))],
    ObjectType.BARRIER: [BarrierState(1), BarrierState(2), BarrierState(2, frozenset({OTHER}))],
    ObjectType.SEM: [SemState(0), SemState(1), SemState(SEM_VALUE_MAX)],
    ObjectType.ONCE: [OnceState(), OnceState(ME), OnceState(OTHER), OnceState(is_done=True)],
    ObjectType.KEY: [KeyState(), KeyState(Life.DESTROYED)],
    ObjectType.SECTION: [MutexState(Kind.RECURSIVE, owner=o, count=n) for o, n in ((None, 0), (ME, 1), (OTHER, 1))],
}
