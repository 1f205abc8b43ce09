"""Sets of integers and C's operators on them: against all members, for types of four bits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raceproof.domains import MachineType, Op, SignedOverflow, UnaryOp, Undefined, Unspecified, arithmetic
from raceproof.domains.concrete import apply_binary, apply_unary
from raceproof.domains.expressions import INT32, UINT8, UINT32
from raceproof.domains.values import EMPTY, FEW, Value, between, clipped, hull, top_of, wrapped

SMALL = (MachineType(5, False), MachineType(5, True))
types = st.sampled_from(SMALL)
overflows = st.sampled_from(SignedOverflow)


def numbers_of(value: Value) -> set[int]:
    return {number for number in range(value.low - 1, value.high + 2) if number in value}


@st.composite
def values(draw: st.DrawFn, of_type: MachineType) -> Value:
    numbers = st.integers(of_type.low, of_type.high)
    if draw(st.booleans()):
        return hull(draw(st.lists(numbers, min_size=1, max_size=12)))
    low, high = sorted((draw(numbers), draw(numbers)))
    return between(low, high, draw(st.integers(1, 4)), draw(st.integers(0, 3)))


integer_sets = values(MachineType(6, True))


@given(integer_sets, integer_sets)
def test_order_join_and_meet_are_those_of_sets(a: Value, b: Value) -> None:
    assert a.leq(b) == (numbers_of(a) <= numbers_of(b))
    assert numbers_of(a.meet(b)) == numbers_of(a) & numbers_of(b)
    assert a.join(b) == hull(numbers_of(a) | numbers_of(b))


@given(integer_sets, integer_sets)
def test_widening_and_narrowing(a: Value, b: Value) -> None:
    top = top_of(MachineType(6, True))
    widened = a.widen(b, [top.low, -1, 0, 1, top.high])
    assert a.leq(widened)
    assert b.leq(widened)
    new = widened.meet(b.join(a))
    narrowed = widened.narrow(new, top)
    assert new.leq(narrowed)
    assert narrowed.leq(widened)


@given(st.data(), types, types)
def test_wrapping_and_clipping(data: st.DataObject, of_type: MachineType, to: MachineType) -> None:
    value = data.draw(values(MachineType(7, True)))
    assert {to.wrap(number) for number in numbers_of(value)} <= numbers_of(wrapped(value, to))
    assert numbers_of(clipped(value, to)) == {number for number in numbers_of(value) if to.holds(number)}


@given(st.data(), types, st.sampled_from(Op), overflows)
def test_binary_operators_hold_every_result(
    data: st.DataObject, of_type: MachineType, op: Op, overflow: SignedOverflow
) -> None:
    left, right = data.draw(values(of_type)), data.draw(values(of_type))
    result = arithmetic.binary(op, left, right, of_type, overflow)
    for a in numbers_of(left):
        for b in numbers_of(right):
            try:
                assert apply_binary(op, a, b, of_type, overflow) in result
            except Undefined:
                continue
            except Unspecified:
                assert result == top_of(of_type)


@given(st.data(), types, st.sampled_from(UnaryOp), overflows)
def test_unary_operators_hold_every_result(
    data: st.DataObject, of_type: MachineType, op: UnaryOp, overflow: SignedOverflow
) -> None:
    value = data.draw(values(of_type))
    result = arithmetic.unary(op, value, of_type, overflow)
    for number in numbers_of(value):
        try:
            assert apply_unary(op, number, of_type, overflow) in result
        except Undefined:
            continue


def binary(op: Op, left: Value, right: Value, of_type: MachineType = UINT32) -> Value:
    return arithmetic.binary(op, left, right, of_type, SignedOverflow.UNDEFINED)


def test_masks_and_flags_are_small_sets() -> None:
    anything = top_of(UINT32)
    assert binary(Op.AND, anything, hull([7])) == hull(range(8))
    assert binary(Op.AND, anything, hull([4])).leq(between(0, 4, 4, 0))
    assert binary(Op.REM, anything, hull([5])) == hull(range(5))
    assert binary(Op.XOR, hull([0, 1]), hull([1])) == hull([0, 1])
    assert binary(Op.OR, hull([0, 2]), hull([1])) == hull([1, 3])


def test_alignment_is_kept() -> None:
    aligned = binary(Op.SHL, between(0, 1000), hull([3]))
    assert (aligned.modulus, aligned.residue, aligned.high) == (8, 0, 8000)
    assert binary(Op.AND, binary(Op.ADD, aligned, hull([2])), hull([7])) == hull([2])


def test_overflow() -> None:
    assert binary(Op.ADD, hull([255]), hull([1]), UINT8) == hull([0])
    assert binary(Op.SUB, hull([0]), hull([1]), UINT8) == hull([255])
    assert binary(Op.ADD, between(0, INT32.high), hull([1]), INT32) == between(1, INT32.high)
    assert binary(Op.ADD, hull([INT32.high]), hull([1]), INT32) == EMPTY
    wraps = arithmetic.binary(Op.ADD, hull([INT32.high]), hull([1]), INT32, SignedOverflow.WRAPS)
    assert wraps == hull([INT32.low])


def test_division_by_zero_has_no_result() -> None:
    assert binary(Op.DIV, between(0, 100), hull([0])) == EMPTY
    assert binary(Op.REM, between(0, 100), hull([0])) == EMPTY
    assert binary(Op.DIV, between(-100, 100), between(-2, 2), INT32) == between(-100, 100)


def test_small_sets_are_exact_and_large_ones_intervals() -> None:
    assert hull(range(FEW)).members == tuple(range(FEW))
    assert hull(range(FEW + 1)).members is None
    assert str(hull([3, 1])) == "{1, 3}"
    assert str(between(0, 80, 8, 0)) == "[0, 80], 0 modulo 8"
