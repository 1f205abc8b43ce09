"""Expressions in an abstract state: the set of values that they can have, and a linear form where they are linear.

The form is over all integers. It is kept only where the machine cannot differ from that: the result fits the type, or
always wraps around the same number of times (which is then subtracted), or overflow is undefined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, assert_never, final

from raceproof.domains import arithmetic
from raceproof.domains.expressions import (
    NEGATED,
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
from raceproof.domains.linear import LinearExpr, LinearForm
from raceproof.domains.relation import Bounds
from raceproof.domains.values import EMPTY, Value, between, clipped, hull, top_of, wrapped


class View(Protocol):
    """What an abstract state knows."""

    @property
    def overflow(self) -> SignedOverflow: ...

    def value(self, variable: Variable) -> Value: ...

    def range_of(self, expr: LinearExpr) -> Bounds | None:
        """The least and the largest value of the expression, relations considered; None: the state is empty."""


@final
@dataclass(frozen=True, slots=True)
class Evaluated:
    """Both hold: the value is in the set, and equal to the form if there is one."""

    value: Value
    linear: LinearForm | None = None

    @property
    def form(self) -> LinearForm:
        """A form in any case: the bounds of the value if nothing better is known."""
        return self.linear or LinearForm.constant(self.value.low, self.value.high)


def evaluate(expr: Expr, view: View) -> Evaluated:
    """An empty value says that the expression is undefined in every state."""
    match expr:
        case Variable():
            return Evaluated(view.value(expr), LinearForm(LinearExpr.variable(expr), 0, 0))
        case Const(value=value):
            return Evaluated(hull([value]), LinearForm.constant(value, value))
        case AnyValue(type=of_type):
            return Evaluated(top_of(of_type))
        case Cast(type=to, operand=operand):
            inner = evaluate(operand, view)
            return _fitted(inner.value, inner.linear, to, view, wraps=True)
        case Unary(op=op, operand=operand):
            return _unary(op, evaluate(operand, view), expr.operand.type, view)
        case Binary(op=op, left=left, right=right):
            first, second = evaluate(left, view), evaluate(right, view)
            if first.value.is_empty or second.value.is_empty:
                return Evaluated(EMPTY)
            return _binary(op, first, second, left.type, view)
        case _:
            assert_never(expr)


def _unary(op: UnaryOp, inner: Evaluated, of_type: MachineType, view: View) -> Evaluated:
    value = arithmetic.unary(op, inner.value, of_type, view.overflow)
    if op is UnaryOp.NOT or inner.value.is_empty:
        return Evaluated(value)
    form = inner.form.scaled(-1)
    if op is UnaryOp.INVERT:  # ~x is -x - 1, modulo 2^bits
        raw = arithmetic.exact(Op.SUB, hull([-1]), inner.value)
        return _fitted(raw, form.shifted(-1), of_type, view, wraps=True)
    return _fitted(arithmetic.negated(inner.value), form, of_type, view, _wraps(of_type, view))


def _binary(op: Op, left: Evaluated, right: Evaluated, of_type: MachineType, view: View) -> Evaluated:
    if op in NEGATED:
        return Evaluated(_compared(op, left, right, view))
    value = arithmetic.binary(op, left.value, right.value, of_type, view.overflow)
    form = _form(op, left, right, of_type)
    if form is None:
        return Evaluated(value)
    raw_op, raw_right = (Op.MUL, hull([1 << right.value.low])) if op is Op.SHL else (op, right.value)
    raw = arithmetic.exact(raw_op, left.value, raw_right)
    fitted = _fitted(raw, form, of_type, view, op is Op.SHL or _wraps(of_type, view))
    return Evaluated(fitted.value.meet(value), fitted.linear)


def _form(op: Op, left: Evaluated, right: Evaluated, of_type: MachineType) -> LinearForm | None:
    match op:
        case Op.ADD:
            return left.form.plus(right.form)
        case Op.SUB:
            return left.form.minus(right.form)
        case Op.MUL if right.value.is_constant:
            return left.form.scaled(right.value.low)
        case Op.MUL if left.value.is_constant:
            return right.form.scaled(left.value.low)
        case Op.SHL if right.value.is_constant and 0 <= right.value.low < of_type.bits:
            return left.form.scaled(1 << right.value.low)
        case _:
            return None


def _wraps(of_type: MachineType, view: View) -> bool:
    return not of_type.signed or view.overflow is SignedOverflow.WRAPS


def _fitted(raw: Value, form: LinearForm | None, to: MachineType, view: View, wraps: bool) -> Evaluated:
    """What the type makes of `raw`, the values among all integers of `form`."""
    if form is not None and not raw.is_empty:
        bounds = range_of(form, view)
        raw = EMPTY if bounds is None else raw.meet(between(*bounds))
    if raw.is_empty:
        return Evaluated(EMPTY)
    if not wraps:
        return Evaluated(clipped(raw, to), form)
    value = wrapped(raw, to)
    turns = (raw.low - to.low) // to.size
    if form is None or turns != (raw.high - to.low) // to.size:
        return Evaluated(value)
    return Evaluated(value, form.shifted(-turns * to.size))


def range_of(form: LinearForm, view: View) -> Bounds | None:
    bounds = view.range_of(form.expr)
    return None if bounds is None else (bounds[0] + form.low, bounds[1] + form.high)


def _compared(op: Op, left: Evaluated, right: Evaluated, view: View) -> Value:
    """0 and 1 as far as they are possible: by the sets, and by the bounds of the difference."""
    bounds = range_of(left.form.minus(right.form), view)
    if bounds is None:
        return EMPTY
    difference, zero = between(*bounds), hull([0])
    return hull(
        number
        for number, relation in ((1, op), (0, NEGATED[op]))
        if arithmetic.may_hold(relation, left.value, right.value) and arithmetic.may_hold(relation, difference, zero)
    )
