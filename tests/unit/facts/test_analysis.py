"""Merging views and overlap of locations: what is lost must be lost on the safe side."""

from __future__ import annotations

import pytest

from raceproof.facts.analysis import MAX_VIEWS, _limited
from raceproof.facts.flow.locations import overlap
from raceproof.model import HeldLock, Linear, LockKind, LockMode, MemLoc, Moment, ObjectId, ThreadId, View

LOCK = HeldLock(Linear(8), LockMode.EXCLUSIVE, LockKind.MUTEX)
BARRIER = Linear(16)
WORKER = ThreadId(1)


def view(number: int, held: frozenset[HeldLock], moment: Moment) -> View:
    return View(WORKER, Linear(number), held, moment, private=number % 2 == 0)


def test_views_within_the_limit_stay() -> None:
    views = tuple(view(n, frozenset(), Moment()) for n in range(MAX_VIEWS))
    assert _limited(views) == views


def test_too_many_views_become_one_that_knows_only_what_all_know() -> None:
    passed = Moment(may_run=frozenset({ThreadId(2)}), phases=((BARRIER, 2, 2),), must_done=frozenset({BARRIER}))
    views = [view(n, frozenset({LOCK}), passed) for n in range(MAX_VIEWS)]
    views.append(view(99, frozenset(), Moment(may_run=frozenset({ThreadId(3)}))))
    (weakest,) = _limited(tuple(views))
    assert weakest.held == frozenset()
    assert weakest.address is None
    assert not weakest.private
    assert weakest.moment.may_run == {ThreadId(2), ThreadId(3)}
    assert weakest.moment.must_done == frozenset()
    assert weakest.moment.phases == ((BARRIER, 0, 2),)  # not "never passed"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((0, 4, None), (4, 4, None), False),
        ((0, 4, None), (3, 1, None), True),
        ((0, None, None), (100, 4, None), True),
        ((100, 4, None), (0, None, None), True),
        ((None, 4, None), (100, 4, None), True),
        ((0, 4, 16), (4, 4, 16), False),
        ((0, 4, 16), (36, 4, None), False),
        ((0, 4, 16), (32, 4, None), True),
        ((0, 8, 16), (20, 4, None), True),
        ((0, 4, 12), (4, 4, 8), True),
    ],
)
def test_overlap(a: tuple[int | None, ...], b: tuple[int | None, ...], expected: bool) -> None:
    one, two = (MemLoc(ObjectId(1), offset, size, stride) for offset, size, stride in (a, b))
    assert overlap(one, two) is expected
    assert overlap(two, one) is expected
    assert not overlap(one, MemLoc(ObjectId(2), 0, None))
