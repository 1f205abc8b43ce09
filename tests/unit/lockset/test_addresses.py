"""Addresses and locks of two thread instances: what must be disjoint, what must be the same lock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import WORKER, concurrent_program

from raceproof.ir import SiteId
from raceproof.lockset.addresses import common_lock, why_disjoint
from raceproof.model import (
    Access,
    AccessId,
    AccessKind,
    Base,
    ConcurrentProgram,
    Derived,
    DistinctArgument,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    Moment,
    ObjectId,
    Opaque,
    StartArg,
    View,
    of_atom,
)

TABLE, LOCKS = of_atom(Base(ObjectId(1))), of_atom(Base(ObjectId(2)))
INDEX, POINTER = of_atom(Opaque("f:%i")), of_atom(Opaque("f:%p"))
ARG = of_atom(StartArg(WORKER))


def access(size: int, offset: int | None = 0, stride: int | None = None) -> Access:
    target = MemLoc(ObjectId(1), offset, size, stride)
    return Access(AccessId(0), SiteId(1), "f", AccessKind.WRITE, size, (target,), None, (), None)


def view(address: Linear, *locks: Linear, mode: LockMode = LockMode.EXCLUSIVE) -> View:
    held = frozenset(HeldLock(lock, mode, LockKind.MUTEX) for lock in locks)
    return View(WORKER, address, held, Moment(), private=False)


def program(argument: DistinctArgument | None = None) -> ConcurrentProgram:
    cp = concurrent_program(many=True)
    if argument is None:
        return cp
    return replace(cp, threads={**cp.threads, WORKER: replace(cp.threads[WORKER], argument=argument)})


@pytest.mark.parametrize(
    ("address", "lock", "offset", "stride", "expected"),
    [
        (TABLE, LOCKS, 0, None, True),  # one lock for all
        (POINTER.shifted(40), POINTER, 40, 48, True),  # p->lock protects p->data
        (POINTER.shifted(40), POINTER, 40, None, True),
        (POINTER.shifted(40), POINTER, None, None, False),  # the pointers could be anywhere
        (POINTER.shifted(40), INDEX, 40, 48, False),  # another object's lock
        (TABLE.plus(INDEX, 4), LOCKS.plus(INDEX, 40), 0, 4, True),  # locks[i] protects table[i]
        (TABLE.plus(INDEX, 2), LOCKS.plus(INDEX, 40), 0, 2, False),  # table[i] of half the size overlaps its neighbour
        (
            TABLE.plus(INDEX, 4),
            LOCKS.plus(of_atom(Derived("srem32", (INDEX, Linear(8)))), 40),
            0,
            4,
            True,
        ),  # locks[i % 8]
        (TABLE, POINTER, 0, None, False),  # any lock protects nothing
    ],
)
def test_a_lock_is_common_if_equal_bytes_mean_equal_locks(
    address: Linear, lock: Linear, offset: int | None, stride: int | None, expected: bool
) -> None:
    a = access(4, offset, stride)
    held = view(address, lock)
    assert (common_lock(program(), a, held, a, held) is not None) is expected


def test_two_readers_of_a_lock_do_not_exclude_each_other() -> None:
    a, reader, writer = access(4), view(TABLE, LOCKS, mode=LockMode.SHARED), view(TABLE, LOCKS)
    assert common_lock(program(), a, reader, a, reader) is None
    assert common_lock(program(), a, reader, a, writer) is not None


def test_a_semaphore_is_a_lock_only_if_it_is_known_to_exclude() -> None:
    held = frozenset({HeldLock(LOCKS, LockMode.EXCLUSIVE, LockKind.SEMAPHORE)})
    taken = replace(view(TABLE), held=held)
    assert common_lock(program(), access(4), taken, access(4), taken) is None
    trusted = replace(program(), exclusive=frozenset({LOCKS}))
    assert common_lock(trusted, access(4), taken, access(4), taken) is not None


@pytest.mark.parametrize(
    ("stride", "first", "second", "expected"),
    [(4, ARG, ARG, True), (4, ARG, ARG.shifted(1), False), (8, ARG, ARG.shifted(4), True), (2, ARG, ARG, False)],
)
def test_elements_of_instances(stride: int, first: Linear, second: Linear, expected: bool) -> None:
    argument = DistinctArgument(TABLE.plus(INDEX, stride), stride, fresh=False)
    found = why_disjoint(program(argument), access(4), view(first), access(4), view(second))
    assert (found is not None) is expected


def test_an_index_of_ones_own_is_not_another_instances() -> None:
    a = access(4, 0, 4)
    assert why_disjoint(program(), a, view(TABLE.plus(INDEX, 4)), a, view(TABLE.plus(INDEX, 4))) is None


def test_fields_of_elements() -> None:
    a, b = access(4, 0, 8), access(4, 4, 8)
    assert (
        why_disjoint(program(), a, view(TABLE.plus(INDEX, 8)), b, view(TABLE.plus(POINTER, 8).shifted(4))) is not None
    )
    assert why_disjoint(program(), access(8, 0, 8), view(TABLE.plus(INDEX, 8)), b, view(TABLE.plus(POINTER, 8))) is None
