"""C's operators on sets of integers: each holds at least every result of its operands' members."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce

from raceproof.domains.concrete import Undefined, Unspecified, apply_binary, apply_unary, quotient
from raceproof.domains.expressions import NEGATED, MachineType, Op, SignedOverflow, UnaryOp
from raceproof.domains.values import EMPTY, Value, between, clipped, hull, parts_by_sign, top_of, wrapped

_BOTH = hull([0, 1])
_PRODUCTS = 64
_BITWISE: dict[Op, Callable[[int, int], int]] = {Op.AND: operator.and_, Op.OR: operator.or_, Op.XOR: operator.xor}


def unary(op: UnaryOp, value: Value, of_type: MachineType, overflow: SignedOverflow) -> Value:
    if value.members is not None:
        return _each(lambda number, _: apply_unary(op, number, of_type, overflow), value, hull([0]))
    match op:
        case UnaryOp.NEGATE:
            return fitted(negated(value), of_type, overflow)
        case UnaryOp.INVERT:  # ~x is -x - 1
            return wrapped(between(-value.high - 1, -value.low - 1, value.modulus, -value.residue - 1), of_type)
        case UnaryOp.NOT:
            return _BOTH if 0 in value else hull([0])


def binary(op: Op, left: Value, right: Value, of_type: MachineType, overflow: SignedOverflow) -> Value:
    """`of_type`: the type of the left operand."""
    if left.is_empty or right.is_empty:
        return EMPTY
    if op in (Op.SHL, Op.SHR) and not (right.low >= 0 and right.high < of_type.bits):
        return top_of(of_type)
    if left.members is not None and right.members is not None and len(left.members) * len(right.members) <= _PRODUCTS:
        return _each(lambda a, b: apply_binary(op, a, b, of_type, overflow), left, right)
    match op:
        case Op.ADD | Op.SUB | Op.MUL:
            return fitted(exact(op, left, right), of_type, overflow)
        case Op.DIV:
            return clipped(_quotients(left, right), of_type)
        case Op.REM:
            return _remainders(left, right)
        case Op.AND | Op.OR | Op.XOR:
            return clipped(_bitwise(op, left, right), of_type)
        case Op.SHL | Op.SHR:
            return reduce(Value.join, (_shifted(op, left, by, of_type) for by in range(right.low, right.high + 1)))
        case Op.LOGICAL_AND | Op.LOGICAL_OR:
            return _logical(op, left, right)
        case _:
            return _compared(op, left, right)


def exact(op: Op, left: Value, right: Value) -> Value:
    """`+ - *` among all integers, for sets that are not empty."""
    match op:
        case Op.ADD:
            modulus = math.gcd(left.modulus_or_zero, right.modulus_or_zero)
            return between(left.low + right.low, left.high + right.high, modulus, left.low + right.low)
        case Op.SUB:
            return exact(Op.ADD, left, negated(right))
        case _:
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            m, n = left.modulus_or_zero, right.modulus_or_zero
            modulus = math.gcd(m * n, m * right.low, n * left.low)
            return between(min(corners), max(corners), modulus, left.low * right.low)


def negated(value: Value) -> Value:
    if value.members is not None:
        return hull(-number for number in value.members)
    return between(-value.high, -value.low, value.modulus, -value.residue)


def fitted(value: Value, of_type: MachineType, overflow: SignedOverflow) -> Value:
    """What the type makes of results among all integers; see `SignedOverflow`."""
    undefined = of_type.signed and overflow is SignedOverflow.UNDEFINED
    return clipped(value, of_type) if undefined else wrapped(value, of_type)


def _each(compute: Callable[[int, int], int], left: Value, right: Value) -> Value:
    """The operator on all members; where it is undefined there is no result. Shifts out of range do not come here."""
    results = set()
    for a in left.members or ():
        for b in right.members or ():
            try:
                results.add(compute(a, b))
            except (Undefined, Unspecified):
                continue
    return hull(results)


def _quotients(left: Value, right: Value) -> Value:
    """Towards zero, by divisors other than 0: extreme at the corners of each sign of the divisor."""
    result = EMPTY
    for divisor in parts_by_sign(right):
        corners = [quotient(a, b) for a in (left.low, left.high) for b in (divisor.low, divisor.high)]
        result = result.join(between(min(corners), max(corners)))
    return result


def _remainders(left: Value, right: Value) -> Value:
    """The sign is the dividend's; the size is below the divisor's; equal to the dividend modulo gcd of the divisors."""
    largest = max((max(abs(part.low), abs(part.high)) for part in parts_by_sign(right)), default=0)
    if largest == 0:
        return EMPTY
    smallest = min(min(abs(part.low), abs(part.high)) for part in parts_by_sign(right))
    if -smallest < left.low and left.high < smallest:
        return left
    low = max(left.low, 1 - largest) if left.low < 0 else 0
    high = min(left.high, largest - 1) if left.high > 0 else 0
    modulus = math.gcd(left.modulus_or_zero, right.modulus_or_zero, right.low)
    return between(low, high, modulus, left.low)


def _bitwise(op: Op, left: Value, right: Value) -> Value:
    """Low bits that are known in both are known in the result; the bounds come from the highest bit that can be set."""
    known = math.gcd(_known_bits(left), _known_bits(right))
    residue = _BITWISE[op](left.low, right.low) % known
    bits = max(number.bit_length() for number in (left.low, left.high, right.low, right.high))
    low, high = -(1 << bits), (1 << bits) - 1
    if op is Op.AND:
        zeros = max(_trailing_zeros(left), _trailing_zeros(right))
        if zeros > known:
            known, residue = zeros, 0
        if left.low >= 0 or right.low >= 0:
            low, high = 0, min(value.high for value in (left, right) if value.low >= 0)
    elif left.low >= 0 and right.low >= 0:
        low = max(left.low, right.low) if op is Op.OR else 0
    return between(low, high, known, residue)


def _known_bits(value: Value) -> int:
    """The largest power of two modulo which all members are equal."""
    modulus = value.modulus_or_zero or 1 << (abs(value.low).bit_length() + 64)
    return modulus & -modulus


def _trailing_zeros(value: Value) -> int:
    """The largest power of two that divides all members."""
    divisor = math.gcd(value.modulus_or_zero, value.low) or 1 << 64
    return divisor & -divisor


def _shifted(op: Op, left: Value, by: int, of_type: MachineType) -> Value:
    power = 1 << by
    if op is Op.SHL:
        return wrapped(exact(Op.MUL, left, hull([power])), of_type)
    if left.members is not None:
        return hull(number >> by for number in left.members)
    if left.modulus % power == 0:
        return between(left.low >> by, left.high >> by, left.modulus >> by, left.low >> by)
    return between(left.low >> by, left.high >> by)


def _logical(op: Op, left: Value, right: Value) -> Value:
    truths = [(hull([0]).leq(side), side != hull([0])) for side in (left, right)]  # may be false, may be true
    (left_false, left_true), (right_false, right_true) = truths
    if op is Op.LOGICAL_AND:
        may_be = {0: left_false or right_false, 1: left_true and right_true}
    else:
        may_be = {0: left_false and right_false, 1: left_true or right_true}
    return hull(number for number, possible in may_be.items() if possible)


def _compared(op: Op, left: Value, right: Value) -> Value:
    return hull([1] * may_hold(op, left, right) + [0] * may_hold(NEGATED[op], left, right))


def may_hold(op: Op, left: Value, right: Value) -> bool:
    """Can the comparison hold for some members? Exact for sets that are not empty."""
    match op:
        case Op.EQ:
            return not left.meet(right).is_empty
        case Op.NE:
            return not (left.is_constant and left == right)
        case Op.LT:
            return left.low < right.high
        case Op.LE:
            return left.low <= right.high
        case Op.GT:
            return left.high > right.low
        case _:
            return left.high >= right.low
