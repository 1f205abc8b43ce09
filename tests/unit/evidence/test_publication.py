"""Privacy rests on how the pointer travels: what carries it must be confirmed, and atomics must synchronise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.evidence.cases import KEYS, claim, subject, with_views
from unit.handmade import MAIN_READ, READ, WORKER, WRITE

from raceproof.evidence import Answer
from raceproof.evidence.ownership import check_owned
from raceproof.ir import MemoryOrder
from raceproof.model import MAIN, AccessKind, MemLoc, Moment, ObjectId, ThreadId, View

CARRIER = KEYS[2]  # main's access and the worker's
RELAXED, ACQUIRE, RELEASE = MemoryOrder.RELAXED, MemoryOrder.ACQUIRE, MemoryOrder.RELEASE


def view(private: bool, thread: ThreadId = WORKER) -> View:
    return View(thread, None, frozenset(), Moment(), private)


def judged(
    orders: tuple[MemoryOrder | None, MemoryOrder | None],
    kinds: tuple[AccessKind, AccessKind] = (AccessKind.WRITE, AccessKind.READ),
    private: tuple[bool, bool] = (True, False),
    assumed: bool = True,
) -> Answer:
    """A worker stores the pointer with the first order, main finds it with the second."""
    cp = with_views({READ: (view(private[0]),), WRITE: (view(private[1]),), MAIN_READ: (view(False, MAIN),)})
    carriers = {
        WRITE: replace(cp.accesses[WRITE], order=orders[0], kind=kinds[0]),
        MAIN_READ: replace(cp.accesses[MAIN_READ], order=orders[1], kind=kinds[1]),
    }
    cp = replace(cp, accesses={**cp.accesses, **carriers}, may_hold={ObjectId(1): frozenset({MAIN_READ})})
    case = subject(claim(3, "both-atomic"), cp=cp)
    first, second = ((cp.accesses[number], cp.accesses[number].views[0]) for number in (READ, WRITE))
    return check_owned(case, first, second, {CARRIER} if assumed else set()).answer


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ((RELEASE, ACQUIRE), Answer.ACCEPTED),
        ((MemoryOrder.SEQ_CST, MemoryOrder.SEQ_CST), Answer.ACCEPTED),
        ((RELEASE, RELAXED), Answer.NOT_CHECKED),
        ((RELAXED, ACQUIRE), Answer.NOT_CHECKED),
        ((ACQUIRE, ACQUIRE), Answer.NOT_CHECKED),
        ((RELEASE, RELEASE), Answer.NOT_CHECKED),
        ((None, None), Answer.ACCEPTED),  # what confirmed the pair orders it
        ((None, RELAXED), Answer.ACCEPTED),
    ],
)
def test_a_pointer_that_is_published_by_atomics(
    orders: tuple[MemoryOrder | None, MemoryOrder | None], expected: Answer
) -> None:
    assert judged(orders) is expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (MemoryOrder.ACQ_REL, Answer.ACCEPTED),
        (ACQUIRE, Answer.NOT_CHECKED),
        (RELEASE, Answer.NOT_CHECKED),
        (RELAXED, Answer.NOT_CHECKED),
    ],
)
def test_an_exchange_both_publishes_and_finds(order: MemoryOrder, expected: Answer) -> None:
    assert judged((order, ACQUIRE), (AccessKind.UPDATE, AccessKind.READ)) is expected


def test_what_carries_the_pointer_must_be_confirmed() -> None:
    assert judged((RELEASE, ACQUIRE), assumed=False) is Answer.NOT_CHECKED


def test_one_of_the_two_must_be_private() -> None:
    assert judged((RELEASE, ACQUIRE), private=(False, False)) is Answer.REJECTED
    assert judged((RELEASE, ACQUIRE), private=(False, True)) is Answer.ACCEPTED


def test_it_is_the_private_object_that_must_not_leak() -> None:
    """The other access may be to an object that everybody knows."""
    cp = with_views({READ: (view(True),), WRITE: (view(False),), MAIN_READ: (view(False, MAIN),)})
    elsewhere = replace(cp.accesses[READ], targets=(MemLoc(ObjectId(2), 0, 4),))
    cp = replace(cp, accesses={**cp.accesses, READ: elsewhere}, may_hold={ObjectId(2): frozenset({MAIN_READ})})
    case = subject(cp=cp)  # nothing is claimed about what carries the pointer
    first, second = ((cp.accesses[number], cp.accesses[number].views[0]) for number in (READ, WRITE))
    assert check_owned(case, first, second, set(KEYS)).answer is Answer.REJECTED
