"""layout: arrays around offsets, canonical offsets, where pointers stand in a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raceproof.facts.pointers.layout import (
    ArrayPart,
    Shape,
    part_of_ir_type,
    part_of_source_type,
    pointer_slots,
    repeated,
)
from raceproof.ir import (
    ArrayType,
    FloatType,
    IntType,
    IrType,
    Member,
    PtrType,
    SourceKind,
    SourceType,
    StructType,
    TypeId,
    VectorType,
)

PTR, INT, LONG, CHAR = PtrType(8), IntType(32, 4), IntType(64, 8), IntType(8, 1)


def array(count: int, element: IrType) -> ArrayType:
    return ArrayType(count, element, count * element.size)


SLOTS = StructType("struct.slots", (INT, array(4, PTR)), (0, 8), 40)
TABLE = Shape(part_of_ir_type(array(10, SLOTS)))


def test_levels_are_the_arrays_around_an_offset() -> None:
    assert TABLE.levels(0) == ((0, 40, 400),)
    assert TABLE.levels(56) == ((0, 40, 400), (48, 8, 32))
    assert TABLE.levels(400) == ()  # one past the end
    assert TABLE.levels(-8) == ()


def test_canonical_is_the_same_byte_of_the_first_element() -> None:
    assert Shape(part_of_ir_type(array(100, SLOTS))).canonical(83) == 3
    assert TABLE.canonical(56) == 48  # 40 slots in all: the outer array keeps its elements apart, the inner cannot
    assert Shape(part_of_ir_type(array(4, SLOTS))).canonical(56) == 56  # 16 slots


def test_a_small_array_is_not_smashed() -> None:
    shape = Shape(part_of_ir_type(array(16, PTR)))
    assert [shape.canonical(o) for o in (0, 8, 120)] == [0, 8, 120]
    assert shape.smashed(8) == ()
    assert Shape(part_of_ir_type(array(17, PTR))).smashed(8) == ((0, 8, 136),)


@given(st.integers(0, 399), st.integers(0, 9))
def test_canonical_is_idempotent_and_forgets_smashed_indices(offset: int, index: int) -> None:
    shape = Shape(part_of_ir_type(array(100, SLOTS)))
    canonical = shape.canonical(offset)
    assert shape.canonical(canonical) == canonical
    assert shape.canonical(offset % 40 + 40 * index) == canonical


def test_a_matrix_has_two_levels() -> None:
    assert Shape(part_of_ir_type(array(3, array(5, INT)))).levels(24) == ((0, 20, 60), (20, 4, 20))


@pytest.mark.parametrize("count", [0, 1])
def test_a_flexible_array_member_is_open(count: int) -> None:
    shape = Shape(part_of_ir_type(StructType("struct.text", (LONG, array(count, CHAR)), (0, 8), 16)))
    assert shape.levels(1000) == ((8, 1, None),)


def test_an_array_of_one_in_the_middle_is_its_element() -> None:
    assert part_of_ir_type(StructType("s", (array(1, INT), PTR), (0, 8), 16)) is None


def test_the_first_member_of_a_struct_is_leading() -> None:
    shape = Shape(part_of_ir_type(StructType("s", (array(8, CHAR), array(2, INT)), (0, 8), 16)))
    assert shape.leading(0) == {0}
    assert shape.leading(8) == frozenset()


def test_a_heap_object_repeats_its_type() -> None:
    part = part_of_ir_type(SLOTS)
    assert repeated(part, 40, 40) == part
    assert repeated(part, 40, 120) == ArrayPart(40, 3, part)
    assert repeated(part, 40, None) == ArrayPart(40, None, part)
    assert repeated(part, 40, 50) == part  # something follows, but not another of it
    text = part_of_ir_type(StructType("struct.text", (LONG, array(0, CHAR)), (0, 8), 8))
    assert repeated(text, 8, None) == text


def test_source_types_have_the_same_arrays() -> None:
    types = {
        TypeId(1): SourceType(SourceKind.BASE, "int", 4),
        TypeId(2): SourceType(SourceKind.POINTER, "int *", 8, target=TypeId(1)),
        TypeId(3): SourceType(SourceKind.ARRAY, "int *[4]", 32, target=TypeId(2), count=4),
        TypeId(4): SourceType(
            SourceKind.STRUCT, "struct slots", 40, (Member("n", 0, TypeId(1)), Member("slot", 8, TypeId(3)))
        ),
        TypeId(5): SourceType(SourceKind.UNION, "union u", 40, (Member("slot", 0, TypeId(3)),)),
    }
    assert part_of_source_type(types, TypeId(4)) == part_of_ir_type(SLOTS)
    assert part_of_source_type(types, TypeId(5)) is None
    assert part_of_source_type(types, TypeId(9)) is None


@pytest.mark.parametrize(
    ("type_", "slots"),
    [
        (PTR, (0,)),
        (LONG, (0,)),
        (INT, ()),
        (IntType(128, 16), (0, 8)),
        (FloatType("double", 8), ()),
        (StructType("", (PTR, INT, PTR), (0, 8, 16), 24), (0, 16)),
        (array(2, PTR), (0, 8)),
        (VectorType(2, PTR, 16), (0, 8)),
    ],
)
def test_pointer_slots(type_: IrType, slots: tuple[int, ...]) -> None:
    assert pointer_slots(type_, 8) == slots
