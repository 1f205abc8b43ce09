"""What a condition says of the variables in it: values that cannot be are taken out.

Three ways, each sound alone: for few combinations of members, every one is tried; the sets that a comparison leaves of
its sides are carried back into them; and the linear form of the difference gives constraints for the relations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from raceproof.domains import concrete
from raceproof.domains.evaluation import Evaluated, View, evaluate
from raceproof.domains.expressions import (
    LOGICAL,
    NEGATED,
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    Op,
    Unary,
    UnaryOp,
    Variable,
    variables_of,
)
from raceproof.domains.linear import LinearExpr
from raceproof.domains.values import EMPTY, Value, between, hull

_COMBINATIONS = 64


def as_condition(expr: Expr, truth: bool) -> tuple[Expr, bool]:
    """The same condition without `!`, comparisons with 0 and casts around what is 0 or 1 anyway."""
    match expr:
        case Unary(op=UnaryOp.NOT, operand=operand):
            return as_condition(operand, not truth)
        case Cast(type=to, operand=operand) if _is_truth(operand) and (to.bits > 1 or not to.signed):
            return as_condition(operand, truth)
        case Binary(op=Op.EQ | Op.NE as op, left=left, right=Const(value=0)) if _is_truth(left):
            return as_condition(left, truth == (op is Op.NE))
        case _:
            return expr, truth


def _is_truth(expr: Expr) -> bool:
    """Is it 0 or 1 by its form?"""
    match expr:
        case Binary(op=op):
            return op in NEGATED or op in LOGICAL
        case Unary(op=op):
            return op is UnaryOp.NOT
        case Cast(type=to, operand=operand):
            return _is_truth(operand) and (to.bits > 1 or not to.signed)
        case _:
            return False


def comparison(expr: Expr, truth: bool) -> tuple[Op, Expr, Expr]:
    """A condition that is not logical, as a comparison."""
    match expr:
        case Binary(op=op, left=left, right=right) if op in NEGATED:
            return op if truth else NEGATED[op], left, right
        case _:
            return Op.NE if truth else Op.EQ, expr, Const(0, expr.type)


def members_that_hold(op: Op, left: Expr, right: Expr, view: View) -> Mapping[Variable, Value]:
    """The members of the variables for which the comparison holds, if there are few combinations."""
    variables = tuple(dict.fromkeys(itertools.chain(variables_of(left), variables_of(right))))
    sets = [view.value(v).members for v in variables]
    if not _is_determined(left) or not _is_determined(right):
        return {}
    if any(s is None for s in sets) or math.prod(len(s) for s in sets if s is not None) > _COMBINATIONS:
        return {}
    left_over: dict[Variable, set[int]] = {v: set() for v in variables}
    for numbers in itertools.product(*(s for s in sets if s is not None)):
        state = dict(zip(variables, numbers, strict=True))
        if _may_hold(op, left, right, state, view):
            for variable, number in state.items():
                left_over[variable].add(number)
    return {v: hull(numbers) for v, numbers in left_over.items()}


def _may_hold(op: Op, left: Expr, right: Expr, state: Mapping[Variable, int], view: View) -> bool:
    try:
        first, second = (concrete.evaluate(side, state, view.overflow) for side in (left, right))
    except concrete.Undefined:
        return False
    except concrete.Unspecified:
        return True
    return concrete.compare(op, first, second)


def _is_determined(expr: Expr) -> bool:
    match expr:
        case AnyValue():
            return False
        case Cast(operand=operand) | Unary(operand=operand):
            return _is_determined(operand)
        case Binary(left=left, right=right):
            return _is_determined(left) and _is_determined(right)
        case _:
            return True


def sides_that_hold(op: Op, left: Value, right: Value) -> tuple[Value, Value]:
    """What is left of both sides where `left op right` holds."""
    match op:
        case Op.EQ:
            both = left.meet(right)
            return both, both
        case Op.NE:
            return _without(left, right), _without(right, left)
        case Op.LT | Op.LE:
            step = int(op is Op.LT)
            return left.meet(between(left.low, right.high - step)), right.meet(between(left.low + step, right.high))
        case _:
            second, first = sides_that_hold(Op.LT if op is Op.GT else Op.LE, right, left)
            return first, second


def _without(value: Value, other: Value) -> Value:
    if not other.is_constant or other.low not in value:
        return value
    if value.members is not None:
        return hull(number for number in value.members if number != other.low)
    low = value.low + value.modulus * (value.low == other.low)
    return between(low, value.high - value.modulus * (value.high == other.low), value.modulus, value.residue)


def carried_back(expr: Expr, target: Value, view: View) -> Iterator[tuple[Variable, Value]]:
    """Variables with sets that hold all their values for which `expr` is in `target`."""
    match expr:
        case Variable():
            yield expr, target
        case Cast(type=to, operand=operand):
            inner = evaluate(operand, view).value
            if to.low <= inner.low and inner.high <= to.high:
                yield from carried_back(operand, target, view)
            elif to.bits == operand.type.bits and not target.is_empty:  # one to one: x < 4u says 0 <= x, too
                low, high = operand.type.wrap(target.low), operand.type.wrap(target.high)
                if high - low == target.high - target.low:
                    yield from carried_back(operand, between(low, high), view)
        case Binary(op=Op.ADD | Op.SUB as op, left=left, right=Const(value=offset)):
            shift = -offset if op is Op.ADD else offset
            inner = evaluate(left, view).value
            if expr.type.holds(inner.low - shift) and expr.type.holds(inner.high - shift):
                yield from carried_back(left, _shifted(target, shift), view)
        case Binary(op=Op.AND, left=left, right=Const(value=mask)) if mask > 0 and mask & (mask + 1) == 0:
            yield from carried_back(left, _congruent(target, mask + 1, evaluate(left, view).value), view)
        case Binary(op=Op.REM, left=left, right=Const(value=divisor)) if divisor > 0:
            yield from carried_back(left, _congruent(target, divisor, evaluate(left, view).value), view)
        case _:
            return


def _shifted(value: Value, offset: int) -> Value:
    if value.members is not None:
        return hull(number + offset for number in value.members)
    return between(value.low + offset, value.high + offset, value.modulus, value.residue + offset)


def _congruent(target: Value, modulus: int, inner: Value) -> Value:
    """The members of `inner` whose remainder is in `target`, if its members are equal modulo `modulus`.

    In C a remainder has the sign of the dividend, and is equal to it modulo the divisor all the same.
    """
    if target.is_empty:
        return EMPTY
    residues = {number % modulus for number in target.members or (0, 1)}
    return inner.meet(between(inner.low, inner.high, modulus, target.low)) if len(residues) == 1 else inner


def constraints_of(op: Op, left: Evaluated, right: Evaluated, view: View) -> Iterator[LinearExpr]:
    """Linear expressions that are at most 0 where `left op right` holds."""
    form = left.form.minus(right.form)
    above, below = form.expr.shifted(form.low), form.expr.scaled(-1).shifted(-form.high)
    match op:
        case Op.LT | Op.LE:
            yield above.shifted(int(op is Op.LT))
        case Op.GT | Op.GE:
            yield below.shifted(int(op is Op.GT))
        case Op.EQ:
            yield above
            yield below
        case _:
            bounds = view.range_of(form.expr)
            if bounds is not None and form.low == form.high:  # 0 is an end of what is possible: one further in
                if bounds[1] + form.high == 0:
                    yield above.shifted(1)
                if bounds[0] + form.low == 0:
                    yield below.shifted(1)
