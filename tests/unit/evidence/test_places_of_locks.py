"""Locks by their addresses: which are one place for all threads, and which lie beside the data."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import MUTEX, READ, WORKER, concurrent_program

from raceproof.evidence import Answer
from raceproof.evidence.locks import check_common_lock, is_one_place
from raceproof.facts import describe_lock
from raceproof.model import (
    Access,
    Base,
    Derived,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    Moment,
    ObjectId,
    Opaque,
    Self,
    Stable,
    StartArg,
    View,
    of_atom,
)

P, Q, I, J = (of_atom(Opaque(name)) for name in "pqij")  # noqa: E741  pointers and indices
FOUR = Linear(4)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (MUTEX, True),
        (MUTEX.shifted(8), True),
        (of_atom(Base(ObjectId(99))), False),  # nobody knows that object
        (of_atom(Stable(MUTEX, 8)), True),
        (of_atom(Stable(P, 8)), False),
        (MUTEX.plus(of_atom(Derived("urem", (of_atom(Stable(MUTEX, 8)), FOUR))), 40), True),
        (MUTEX.plus(of_atom(Derived("urem", (P, FOUR))), 40), False),
        (MUTEX.plus(of_atom(Derived("urem", (FOUR, P))), 40), False),
        (P, False),
        (of_atom(StartArg(WORKER)), False),
        (MUTEX.plus(of_atom(Self(WORKER)), 40), False),
    ],
)
def test_an_address_that_is_one_number_for_all(address: Linear, expected: bool) -> None:
    assert is_one_place(concurrent_program(), address) is expected


def doing(address: Linear | None, *locks: Linear, mode: LockMode = LockMode.EXCLUSIVE) -> tuple[Access, View]:
    access = replace(concurrent_program().accesses[READ], targets=(MemLoc(ObjectId(1), 40, 4, 48),))
    held = frozenset(HeldLock(lock, mode, LockKind.MUTEX) for lock in locks)
    return access, View(WORKER, address, held, Moment(), False)


def answer(a: tuple[Access, View], b: tuple[Access, View]) -> Answer:
    """The best that is said about any of the locks."""
    cp = concurrent_program()
    names = {describe_lock(cp, held.address) for _, view in (a, b) for held in view.held}
    answers = {check_common_lock(cp, name, *both).answer for name in names for both in ((a, b), (b, a))}
    order = (Answer.ACCEPTED, Answer.NOT_CHECKED, Answer.REJECTED)
    return min(answers, key=order.index)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (
            doing(P.plus(I, 48).shifted(40), P.plus(I, 48)),
            doing(Q.plus(J, 48).shifted(40), Q.plus(J, 48)),
            Answer.ACCEPTED,
        ),
        (doing(P.plus(I, 48).shifted(40), P.plus(I, 48)), doing(Q.shifted(40), Q), Answer.ACCEPTED),
        (doing(P.shifted(40), P), doing(Q.shifted(48), Q), Answer.NOT_CHECKED),
        (doing(P.shifted(40), P), doing(Q.shifted(40), I), Answer.NOT_CHECKED),
        (doing(P.plus(I).shifted(40), P), doing(Q.plus(J).shifted(40), Q), Answer.NOT_CHECKED),
        (doing(None, P), doing(Q.shifted(40), Q), Answer.NOT_CHECKED),
        (doing(None, P), doing(None, P), Answer.NOT_CHECKED),
        (doing(P.shifted(40), P), doing(None, Q), Answer.NOT_CHECKED),
        (doing(None, MUTEX), doing(None, MUTEX), Answer.ACCEPTED),
        (doing(None, MUTEX), doing(None, MUTEX.shifted(40)), Answer.REJECTED),
        (doing(None, MUTEX, mode=LockMode.SHARED), doing(None, MUTEX), Answer.ACCEPTED),
        (doing(None, MUTEX, mode=LockMode.SHARED), doing(None, MUTEX, mode=LockMode.SHARED), Answer.REJECTED),
        (doing(None, MUTEX, P), doing(None, MUTEX.shifted(8), P), Answer.NOT_CHECKED),
    ],
)
def test_locks_beside_the_data(a: tuple[Access, View], b: tuple[Access, View], expected: Answer) -> None:
    assert answer(a, b) is expected
