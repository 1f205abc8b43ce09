"""What an expression means: its value in one state. The domains are sound if they agree with this module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from raceproof.domains.expressions import (
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    MachineType,
    Op,
    SignedOverflow,
    Unary,
    UnaryOp,
    Variable,
)


class Undefined(Exception):
    """The expression has no value in this state: the execution has no successor that a proof must speak of."""


class Unspecified(Exception):
    """The expression may have any value of its type: a shift by its width or more, which machines do differently."""


def evaluate(
    expr: Expr,
    state: Mapping[Variable, int],
    overflow: SignedOverflow = SignedOverflow.UNDEFINED,
    choose: Callable[[AnyValue], int] = lambda expr: 0,
) -> int:
    """The value of `expr`; `choose` gives the values of `AnyValue`.

    Raises `Undefined` for division by zero, for the quotient that does not fit, and for signed overflow if that is
    undefined; `Unspecified` for shifts out of range.
    """
    match expr:
        case Variable():
            return state[expr]
        case Const(value=value):
            return value
        case AnyValue():
            return choose(expr)
        case Cast(type=to, operand=operand):
            return to.wrap(evaluate(operand, state, overflow, choose))
        case Unary(op=op, operand=operand):
            return apply_unary(op, evaluate(operand, state, overflow, choose), operand.type, overflow)
        case Binary(op=op, left=left, right=right):
            first = evaluate(left, state, overflow, choose)
            second = evaluate(right, state, overflow, choose)
            return apply_binary(op, first, second, left.type, overflow)
        case _:
            assert_never(expr)


def apply_unary(op: UnaryOp, value: int, of_type: MachineType, overflow: SignedOverflow) -> int:
    match op:
        case UnaryOp.NEGATE:
            return fit(-value, of_type, overflow)
        case UnaryOp.INVERT:
            return of_type.wrap(~value)
        case UnaryOp.NOT:
            return int(value == 0)


def apply_binary(op: Op, left: int, right: int, of_type: MachineType, overflow: SignedOverflow) -> int:
    """`of_type`: the type of the left operand."""
    match op:
        case Op.ADD:
            return fit(left + right, of_type, overflow)
        case Op.SUB:
            return fit(left - right, of_type, overflow)
        case Op.MUL:
            return fit(left * right, of_type, overflow)
        case Op.DIV | Op.REM:
            return _divided(op, left, right, of_type)
        case Op.SHL | Op.SHR:
            if not 0 <= right < of_type.bits:
                raise Unspecified
            return of_type.wrap(left << right) if op is Op.SHL else left >> right
        case Op.AND:
            return left & right
        case Op.OR:
            return left | right
        case Op.XOR:
            return left ^ right
        case Op.LOGICAL_AND:
            return int(left != 0 and right != 0)
        case Op.LOGICAL_OR:
            return int(left != 0 or right != 0)
        case _:
            return int(compare(op, left, right))


def compare(op: Op, left: int, right: int) -> bool:
    match op:
        case Op.EQ:
            return left == right
        case Op.NE:
            return left != right
        case Op.LT:
            return left < right
        case Op.LE:
            return left <= right
        case Op.GT:
            return left > right
        case _:
            return left >= right


def fit(value: int, of_type: MachineType, overflow: SignedOverflow) -> int:
    """The value of the type that an arithmetic operator gives whose result among all integers is `value`."""
    if not of_type.holds(value) and of_type.signed and overflow is SignedOverflow.UNDEFINED:
        raise Undefined
    return of_type.wrap(value)


def quotient(left: int, right: int) -> int:
    """C's division, towards zero; `right` is not 0."""
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


def _divided(op: Op, left: int, right: int, of_type: MachineType) -> int:
    if right == 0:
        raise Undefined
    result = quotient(left, right)
    if not of_type.holds(result):  # the smallest value by -1: machines trap, for the remainder too
        raise Undefined
    return result if op is Op.DIV else left - right * result
