"""Each rule by which two accesses are disjoint, just before it ceases to hold and just after; in both orders.

That what is called disjoint never meets is tested by brute force; here, that the engine sees it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from unit.handmade import WORKER, concurrent_program

from raceproof.ir import SiteId
from raceproof.lockset.addresses import common_lock, why_disjoint
from raceproof.model import (
    MAIN,
    Access,
    AccessId,
    AccessKind,
    AnyArgument,
    Argument,
    Base,
    ConcurrentProgram,
    DistinctArgument,
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
    ThreadId,
    View,
    of_atom,
)

SECOND = ThreadId(2)
TABLE, OTHER = of_atom(Base(ObjectId(1))), of_atom(Base(ObjectId(2)))
ROUND = Opaque("round")
INDEX, INDEX_2 = of_atom(Opaque("i")), of_atom(Opaque("j"))
ARG, ARG_2, SELF = of_atom(StartArg(WORKER)), of_atom(StartArg(SECOND)), of_atom(Self(WORKER))
PATTERN = TABLE.plus(of_atom(ROUND), 8)
ELEMENT = DistinctArgument(PATTERN, 8, False, counter=ROUND, values=(0, 1))
NEXT = replace(ELEMENT, values=(2, 3))
UNLISTED = replace(ELEMENT, values=None)
FRESH = DistinctArgument(of_atom(Opaque("new")), 0, True)
ANY = AnyArgument()
NEW = of_atom(Opaque("new"))

OBJECTS = "different objects"
PARTS = "different parts of one object"
FIELDS = "different fields"
OWN_OBJECT = "every thread has an object of its own"
OWN_ELEMENT = "every thread has an element of its own"
GIVEN = "different threads were given different elements"
NOT_YET = "an element that no thread has been given yet"
JOINED = "an element whose thread has been joined"
OBJECT_JOINED = "an object whose thread has been joined"


@dataclass(frozen=True, slots=True)
class Doing:
    """What one of the two does: `size` bytes at `address`, by an instance of `thread`."""

    address: Linear | None
    thread: ThreadId = WORKER
    size: int | None = 4
    objects: tuple[int, ...] | None = None
    moment: Moment = Moment()  # noqa: RUF009  frozen

    def parts(self) -> tuple[Access, View]:
        targets = (MemLoc(ObjectId(1), None, None),)
        access = Access(AccessId(1), SiteId(1), "f", AccessKind.WRITE, self.size, targets, None, (), None)
        objects = frozenset(map(ObjectId, self.objects)) if self.objects is not None else None
        return access, View(self.thread, self.address, frozenset(), self.moment, False, objects)


def main(address: Linear, *, size: int | None = 4, handed: bool = True, joined: Linear | None = None) -> Doing:
    """Main, to which nothing is known of what it has given away unless it says so."""
    returned = frozenset({(WORKER, joined)}) if joined is not None else frozenset()
    given = frozenset({WORKER} if handed else ())
    return Doing(address, MAIN, size, None, Moment(may_handed=given, must_returned=returned))


def program(argument: Argument = ANY, second: Argument = ANY, **changes: object) -> ConcurrentProgram:
    """With these arguments of the two threads; `changes` of the first."""
    cp = concurrent_program(many=True)
    worker = replace(cp.threads[WORKER], argument=argument, **changes)  # type: ignore[arg-type]
    other = replace(cp.threads[WORKER], id=SECOND, argument=second)
    return replace(cp, threads={MAIN: cp.threads[MAIN], WORKER: worker, SECOND: other}, drawn_from=frozenset({OTHER}))


def reason(a: Doing, b: Doing, argument: Argument = ANY, second: Argument = ANY, **changes: object) -> str | None:
    cp = program(argument, second, **changes)
    found = {why_disjoint(cp, *a.parts(), *b.parts()), why_disjoint(cp, *b.parts(), *a.parts())}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Doing(None, objects=(1,)), Doing(None, objects=(2,)), OBJECTS),
        (Doing(None, objects=(1, 2)), Doing(None, objects=(2,)), None),
        (Doing(None, objects=(1,)), Doing(None), None),
        (Doing(None), Doing(TABLE), None),
        (Doing(TABLE), Doing(OTHER), OBJECTS),
        (Doing(TABLE.plus(INDEX, 4)), Doing(OTHER.plus(INDEX, 4), size=None), OBJECTS),
        (Doing(TABLE.plus(INDEX, 4)), Doing(INDEX_2), None),
        (Doing(TABLE.plus(OTHER)), Doing(OTHER), None),  # not an address in one object
        (Doing(OTHER.plus(TABLE, 2)), Doing(TABLE.plus(OTHER, 2)), OBJECTS),
        (Doing(TABLE), Doing(TABLE.shifted(4)), PARTS),
        (Doing(TABLE), Doing(TABLE.shifted(3)), None),
        (Doing(TABLE, size=8), Doing(TABLE.shifted(7), size=1), None),
        (Doing(TABLE, size=8), Doing(TABLE.shifted(8), size=1), PARTS),
        (Doing(TABLE, size=None), Doing(TABLE.shifted(100)), None),
        (Doing(TABLE.plus(of_atom(Stable(OTHER, 8)))), Doing(TABLE.plus(of_atom(Stable(OTHER, 8))).shifted(4)), PARTS),
        (Doing(TABLE.plus(of_atom(Stable(OTHER, 8)))), Doing(TABLE.shifted(4)), None),
        (Doing(TABLE.plus(INDEX, 8)), Doing(TABLE.plus(INDEX_2, 8).shifted(4)), FIELDS),
        (Doing(TABLE.plus(INDEX, 8)), Doing(TABLE.plus(INDEX_2, 8).shifted(5)), None),
        (Doing(TABLE.plus(INDEX, 8)), Doing(TABLE.plus(INDEX_2, 8).shifted(3)), None),
        (Doing(TABLE.plus(INDEX, 8)), Doing(TABLE.shifted(4)), FIELDS),
        (
            Doing(TABLE.plus(INDEX, 12)),
            Doing(TABLE.plus(INDEX_2, 8).shifted(2), size=2),
            None,
        ),  # they share the 4th byte
        (Doing(TABLE.plus(INDEX, 12), size=2), Doing(TABLE.plus(INDEX_2, 8).shifted(2), size=2), FIELDS),
        (Doing(TABLE.plus(INDEX)), Doing(TABLE.plus(INDEX_2).shifted(4), size=1), None),
        (Doing(TABLE.plus(SELF, 4)), Doing(TABLE.plus(SELF, 4)), OWN_ELEMENT),
        (Doing(TABLE.plus(SELF, 4)), Doing(TABLE.plus(SELF, 4), size=5), None),
        (Doing(TABLE.plus(SELF, 8)), Doing(TABLE.plus(SELF, 4)), None),
    ],
)
def test_without_arguments(a: Doing, b: Doing, expected: str | None) -> None:
    assert reason(a, b) == expected


@pytest.mark.parametrize(
    ("argument", "a", "b", "expected"),
    [
        (FRESH, Doing(ARG), Doing(ARG), OWN_OBJECT),
        (FRESH, Doing(ARG, size=None), Doing(ARG.shifted(8).plus(INDEX, 4), size=None), OWN_OBJECT),
        (FRESH, Doing(ARG), Doing(INDEX), None),
        (FRESH, Doing(ARG), Doing(ARG.plus(TABLE)), None),
        (FRESH, Doing(ARG), Doing(ARG.plus(ARG)), None),
        (ELEMENT, Doing(ARG, size=None), Doing(ARG), None),
        (ELEMENT, Doing(ARG), Doing(ARG.shifted(4)), OWN_ELEMENT),
        (ELEMENT, Doing(ARG, size=8), Doing(ARG, size=8), OWN_ELEMENT),
        (ELEMENT, Doing(ARG), Doing(ARG.shifted(5)), None),
        (UNLISTED, Doing(ARG), Doing(ARG.shifted(4)), OWN_ELEMENT),
        (UNLISTED, Doing(OTHER.plus(ARG, 2)), Doing(OTHER.plus(ARG, 2), size=16), OWN_ELEMENT),
        (UNLISTED, Doing(OTHER.plus(ARG, 2)), Doing(OTHER.plus(ARG)), None),
        (ANY, Doing(ARG), Doing(ARG), None),
    ],
)
def test_two_instances_with_arguments(argument: Argument, a: Doing, b: Doing, expected: str | None) -> None:
    assert reason(a, b, argument) == expected


@pytest.mark.parametrize(
    ("first", "second", "shift", "expected"),
    [
        (ELEMENT, NEXT, 4, GIVEN),
        (ELEMENT, NEXT, 5, None),  # the last of the one reaches into the first of the other
        (ELEMENT, ELEMENT, 0, None),
        (ELEMENT, UNLISTED, 0, None),
        (FRESH, FRESH, 0, OWN_OBJECT),
        (FRESH, ELEMENT, 0, None),
        (ELEMENT, replace(NEXT, pattern=OTHER.plus(of_atom(ROUND), 8)), 0, None),  # nothing is known of where OTHER is
        (replace(ELEMENT, counter=None), NEXT, 4, None),
        (replace(ELEMENT, pattern=PATTERN.plus(INDEX)), NEXT, 4, None),
    ],
)
def test_instances_of_two_threads(first: Argument, second: Argument, shift: int, expected: str | None) -> None:
    assert reason(Doing(ARG.shifted(shift)), Doing(ARG_2, SECOND), first, second) == expected


def test_elements_with_an_index_are_not_listed() -> None:
    """The two indices have one name, but each thread has its own."""
    assert reason(Doing(ARG), Doing(ARG_2, SECOND), ELEMENT, NEXT) == GIVEN
    assert reason(Doing(ARG.plus(INDEX)), Doing(ARG_2.plus(INDEX), SECOND), ELEMENT, NEXT) is None


def test_elements_that_are_listed_against_a_place() -> None:
    listed = Doing(ARG, size=4)
    assert reason(listed, main(TABLE.shifted(16)), ELEMENT) == GIVEN
    assert reason(listed, main(TABLE.shifted(11)), ELEMENT) is None
    assert reason(listed, main(TABLE.shifted(12)), ELEMENT) == GIVEN
    assert reason(listed, Doing(TABLE.shifted(16), SECOND), ELEMENT) is None  # one of many: nobody has listed those
    assert reason(Doing(OTHER.plus(ARG, 2)), main(OTHER.plus(TABLE, 2).shifted(32)), ELEMENT) == GIVEN


@pytest.mark.parametrize(
    ("a", "argument", "expected"),
    [
        (main(PATTERN, handed=False), UNLISTED, NOT_YET),
        (main(PATTERN.shifted(4), handed=False), UNLISTED, NOT_YET),
        (main(PATTERN.shifted(5), handed=False), UNLISTED, None),
        (main(PATTERN.shifted(-4), handed=False), UNLISTED, NOT_YET),
        (main(PATTERN), UNLISTED, None),
        (main(PATTERN, handed=False, size=None), UNLISTED, None),
        (main(PATTERN.plus(INDEX), handed=False), UNLISTED, None),
        (main(PATTERN, handed=False), ANY, None),
        (main(NEW, handed=False), FRESH, None),
        (main(PATTERN, joined=PATTERN), UNLISTED, JOINED),
        (main(PATTERN.shifted(4), joined=PATTERN), UNLISTED, JOINED),
        (main(PATTERN.shifted(5), joined=PATTERN), UNLISTED, None),
        (main(PATTERN, joined=PATTERN.plus(INDEX)), UNLISTED, None),
        (main(PATTERN, joined=PATTERN, size=None), UNLISTED, None),
        (main(NEW, joined=NEW), FRESH, OBJECT_JOINED),
        (main(NEW.shifted(40), joined=NEW, size=None), FRESH, OBJECT_JOINED),
        (main(NEW.plus(INDEX), joined=NEW), FRESH, None),
        (main(NEW), FRESH, None),
        (main(NEW, joined=NEW), ANY, None),
    ],
)
def test_between_creator_and_thread(a: Doing, argument: Argument, expected: str | None) -> None:
    assert reason(a, Doing(ARG), argument) == expected


def test_only_the_creator_knows_what_it_has_given() -> None:
    for address, argument, joined in ((PATTERN, UNLISTED, PATTERN), (NEW, FRESH, NEW), (PATTERN, UNLISTED, None)):
        knowing = main(address, handed=False, joined=joined)
        assert reason(knowing, Doing(ARG), argument) is not None
        assert reason(knowing, Doing(ARG), argument, parent=SECOND) is None
        other = replace(knowing.moment, must_returned=frozenset({(SECOND, address)}), may_handed=frozenset({WORKER}))
        assert reason(replace(knowing, moment=other), Doing(ARG), argument) is None
        assert reason(knowing, Doing(ARG.plus(INDEX)), argument) is None


@pytest.mark.parametrize(
    ("mine", "objects", "expected"),
    [
        (ARG, {1}, OBJECTS),
        (ARG.plus(INDEX, 4), {1}, OBJECTS),
        (ARG, {1, 2}, None),
        (ARG, set(), None),  # nothing is known
        (ARG.plus(ARG), {1}, None),  # not an address in what it points to
        (ARG.plus(OTHER), {1}, None),
    ],
)
def test_what_an_argument_may_point_to(mine: Linear, objects: set[int], expected: str | None) -> None:
    known = frozenset(map(ObjectId, objects))
    assert reason(Doing(mine), Doing(OTHER), argument_objects=known) == expected


def drawing(address: Linear, counter: Linear | None, size: int = 4, thread: ThreadId = WORKER) -> Doing:
    """With a number that was drawn from the counter, if there is one."""
    drawn = frozenset({(Opaque("i"), counter)}) if counter is not None else frozenset()
    return Doing(address, thread, size, None, Moment(must_drawn=drawn))


DRAWN = "no two threads draw the same element"
MINE = TABLE.plus(INDEX, 8)
DRAWINGS = (
    (drawing(MINE, OTHER), drawing(MINE, OTHER), DRAWN),
    (drawing(MINE, OTHER), drawing(MINE.shifted(4), OTHER, thread=SECOND), DRAWN),
    (drawing(MINE, OTHER), drawing(MINE.shifted(5), OTHER), None),
    (drawing(MINE, OTHER), drawing(MINE, None), None),
    (drawing(MINE, OTHER), drawing(MINE, OTHER.shifted(8)), None),
    (drawing(MINE, OTHER.shifted(8)), drawing(MINE, OTHER.shifted(8)), None),  # which is not known to give new ones
    (drawing(TABLE.plus(INDEX, 16), OTHER), drawing(MINE, OTHER, 8), None),
    (drawing(MINE, OTHER), drawing(TABLE.plus(INDEX_2, 8), OTHER), None),  # another number than the drawn one
    (drawing(MINE.plus(INDEX_2), OTHER), drawing(MINE.plus(INDEX_2), OTHER), None),
    (drawing(MINE, OTHER), drawing(OTHER.plus(INDEX, 8), OTHER), OBJECTS),
)


@pytest.mark.parametrize(("a", "b", "expected"), DRAWINGS)
def test_numbers_that_are_drawn_from_a_counter(a: Doing, b: Doing, expected: str | None) -> None:
    assert reason(a, b) == expected


# -- locks


def locked(address: Linear, lock: Linear, size: int = 4, kind: LockKind = LockKind.MUTEX) -> tuple[Access, View]:
    access, view = Doing(address, size=size).parts()
    return access, replace(view, held=frozenset({HeldLock(lock, LockMode.EXCLUSIVE, kind)}))


ROW = OTHER.shifted(16)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (locked(TABLE, OTHER), locked(TABLE, OTHER), True),
        (locked(TABLE, OTHER), locked(TABLE, OTHER.shifted(40)), False),
        (locked(TABLE, OTHER), locked(TABLE, OTHER, kind=LockKind.ATOMIC_SECTION), False),
        (locked(TABLE, OTHER, kind=LockKind.SPIN), locked(TABLE, OTHER, kind=LockKind.SPIN), False),
        # data[i] with locks[i], data[i + 1] with locks[i + 1]
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(TABLE.plus(INDEX_2, 4), ROW.plus(INDEX_2, 40)),
            True,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(TABLE.plus(INDEX_2, 4).shifted(4), ROW.plus(INDEX_2, 40).shifted(40)),
            True,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(TABLE.plus(INDEX_2, 4).shifted(4), ROW.plus(INDEX_2, 40)),
            False,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(TABLE.plus(INDEX_2, 4).shifted(2), ROW.plus(INDEX_2, 40)),
            False,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40), 8),
            locked(TABLE.plus(INDEX_2, 4), ROW.plus(INDEX_2, 40)),
            False,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(TABLE.plus(INDEX_2, 8), ROW.plus(INDEX_2, 40)),
            False,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(TABLE.plus(INDEX_2, 4), ROW.plus(INDEX_2, 80)),
            False,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40)),
            locked(OTHER.plus(INDEX_2, 4), ROW.plus(INDEX_2, 40)),
            False,
        ),
        (
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX_2, 40)),
            locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX_2, 40)),
            False,
        ),
    ],
)
def test_locks_of_elements(a: tuple[Access, View], b: tuple[Access, View], expected: bool) -> None:
    cp = concurrent_program(many=True)
    assert (common_lock(cp, *a, *b) is not None) is expected
    assert (common_lock(cp, *b, *a) is not None) is expected


def test_the_lock_of_another_index_than_that_of_the_data() -> None:
    cp, other = concurrent_program(many=True), of_atom(Opaque("k"))
    a = locked(TABLE.plus(INDEX, 4), ROW.plus(INDEX, 40))
    for index, expected in ((INDEX_2, True), (other, False)):
        b = locked(TABLE.plus(INDEX_2, 4).shifted(4), ROW.plus(index, 40).shifted(40))
        assert (common_lock(cp, *a, *b) is not None) is expected
        assert (common_lock(cp, *b, *a) is not None) is expected


@pytest.mark.parametrize(
    ("offset", "stride", "size", "distance", "expected"),
    [
        (0, 48, 4, 40, True),
        (0, None, 4, 40, True),
        (None, None, 4, 40, False),
        (0, 2, 4, 40, False),
        (0, 48, 4, 48, False),
    ],
)
def test_a_lock_beside_data_at_a_known_place(
    offset: int | None, stride: int | None, size: int, distance: int, expected: bool
) -> None:
    """One thread knows the place, the other has a pointer: if they meet, the pointer is to that place."""
    cp = concurrent_program(many=True)
    targets = (MemLoc(ObjectId(1), offset, size, stride),)
    known, pointing = locked(TABLE, TABLE.shifted(40)), locked(INDEX, INDEX.shifted(distance))
    a, b = ((replace(access, targets=targets), view) for access, view in (known, pointing))
    assert (common_lock(cp, *a, *b) is not None) is expected
    assert (common_lock(cp, *b, *a) is not None) is expected


@pytest.mark.parametrize(
    ("first", "second", "size", "expected"),
    [
        ((0, 8), (4, 8), 4, True),  # two fields of one element: they never overlap
        ((0, 8), (2, 8), 4, False),
        ((0, 8), (6, 8), 4, False),
        ((0, 8), (8, 8), 8, True),
        ((0, 8), (8, 8), 9, False),
        ((0, None), (0, None), 4, True),
        ((0, None), (4, None), 4, True),
        ((0, None), (3, None), 4, False),
        ((4, None), (1, None), 4, False),
        ((0, 12), (4, 8), 4, True),
        ((0, 12), (4, 8), 5, False),
    ],
)
def test_overlaps_seen_from_the_targets(
    first: tuple[int, int | None], second: tuple[int, int | None], size: int, expected: bool
) -> None:
    cp = concurrent_program(many=True)
    pointing = locked(INDEX, INDEX.shifted(40), size)
    a, b = (
        (replace(pointing[0], targets=(MemLoc(ObjectId(1), offset, size, stride),)), pointing[1])
        for offset, stride in (first, second)
    )
    assert (common_lock(cp, *a, *b) is not None) is expected
    assert (common_lock(cp, *b, *a) is not None) is expected
