"""What is known of pointers and numbers, and whether two places overlap."""

from __future__ import annotations

import pytest

from raceproof.model import MemLoc, ObjectId
from raceproof.shapes.surroundings import overlaps
from raceproof.shapes.symbolic_heap import ANYTHING, NULL, At, Local, NotZero, Number, Place, Value
from raceproof.shapes.values import FIRST_PAGE, compared, may_overlap, moved, truth

ONE, OTHER = ObjectId(1), ObjectId(2)
TRUE, FALSE = Number(1), Number(0)


@pytest.mark.parametrize(
    ("left", "right", "is_equal"),
    [
        (NULL, NULL, TRUE),
        (At(1), NULL, FALSE),
        (NULL, Place(ONE, 0), FALSE),
        (Local(1, "x"), NULL, FALSE),
        (NotZero(), NULL, FALSE),
        (At(1), At(1), TRUE),
        (At(1), At(1, 8), FALSE),
        (At(1), At(2), FALSE),
        (At(1, 8), At(2), ANYTHING),  # one behind the end of a node may be the next one
        (At(1, None), At(1), ANYTHING),
        (Place(ONE, 8), Place(ONE, 8), TRUE),
        (Place(ONE, 8), Place(ONE, 0), FALSE),
        (Place(ONE, 0), Place(OTHER, 0), ANYTHING),
        (At(1), ANYTHING, ANYTHING),
        (NotZero(), Number(3), ANYTHING),
        (Number(3), Number(4), FALSE),
    ],
)
def test_pointers_are_compared(left: Value, right: Value, is_equal: Value) -> None:
    opposite = ANYTHING if is_equal is ANYTHING else Number(1 - is_equal.value)  # type: ignore[union-attr]
    for a, b in ((left, right), (right, left)):
        assert compared("eq", a, b) == is_equal
        assert compared("ne", a, b) == opposite


@pytest.mark.parametrize(
    ("predicate", "result"),
    [("slt", TRUE), ("sle", TRUE), ("sgt", FALSE), ("sge", FALSE), ("ult", ANYTHING)],
)
def test_numbers_are_compared(predicate: str, result: Value) -> None:
    assert compared(predicate, Number(-1), Number(2)) == result
    assert compared(predicate, At(1), Number(2)) == ANYTHING


def test_what_a_branch_takes() -> None:
    assert [truth(value) for value in (NULL, Number(2), NotZero(), At(1), Place(ONE, 0), Local(1, "x"))] == [
        False,
        *[True] * 5,
    ]
    assert truth(ANYTHING) is None


def test_pointers_are_moved() -> None:
    assert moved(At(1, 8), 4) == At(1, 12)
    assert moved(At(1, 8), None) == moved(At(1, None), 4) == At(1, None)
    assert moved(Place(ONE, 8), 4) == Place(ONE, 12)
    assert moved(Place(ONE, None), 4) == Place(ONE, None)
    assert moved(NULL, 8) == Number(8)
    assert moved(NULL, None) == moved(NULL, FIRST_PAGE) == moved(ANYTHING, 0) == ANYTHING


@pytest.mark.parametrize(
    ("target", "result"),
    [
        (MemLoc(ONE, 8, 8), True),
        (MemLoc(ONE, 12, 1), True),
        (MemLoc(ONE, 15, 4), True),
        (MemLoc(ONE, 16, 8), False),
        (MemLoc(ONE, 0, 8), False),
        (MemLoc(ONE, 0, 9), True),
        (MemLoc(ONE, 0, None), True),
        (MemLoc(ONE, 16, None), False),
        (MemLoc(ONE, None, 1), True),
        (MemLoc(ONE, 0, 1, stride=3), True),
        (MemLoc(OTHER, 8, 8), False),
    ],
)
def test_an_access_may_touch_a_place(target: MemLoc, result: bool) -> None:
    assert overlaps(target, Place(ONE, 8), 8) is result
    if target.object == ONE and target.stride is None:
        assert may_overlap(Place(ONE, 8), Place(ONE, target.offset), target.size, 8) is result


def test_a_place_without_an_offset_may_be_anywhere() -> None:
    assert overlaps(MemLoc(ONE, 0, 1), Place(ONE, None), 8)
    assert may_overlap(Place(ONE, None), Place(ONE, 0), 1, 8)
