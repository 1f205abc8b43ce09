"""What a relational domain must do for one pack of variables; `NumericDomain` does the rest.

A relation stands beside a *box*, the interval of every variable, and may use it: its states are those that satisfy
the relation and lie in the box. `constrain` and the others take linear expressions over any variables; those
outside the pack are replaced by what the box says of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, Self

from raceproof.domains.expressions import Variable
from raceproof.domains.linear import LinearExpr, LinearForm

Bounds = tuple[int, int]


class Box(Protocol):
    """The interval of every variable."""

    def __call__(self, variable: Variable) -> Bounds: ...


class Relation(Protocol):
    """Immutable. None stands for the empty relation wherever a result may be that."""

    @property
    def pack(self) -> tuple[Variable, ...]: ...

    def leq(self, other: Self, box: Box) -> bool:
        """Do all states of `self` in the box satisfy `other`?"""

    def join(self, other: Self, box: Box, other_box: Box) -> Self: ...

    def meet(self, other: Self) -> Self | None: ...

    def widen(self, new: Self, box: Box, new_box: Box, limits: Sequence[int]) -> Self: ...

    def narrow(self, new: Self) -> Self | None: ...

    def constrain(self, constraints: Iterable[LinearExpr], box: Box) -> Self | None:
        """The states in which every expression is at most 0."""

    def assign(self, variable: Variable, form: LinearForm, box: Box) -> Self | None:
        """`variable := form`; the box is that before the assignment."""

    def forget(self, variables: Iterable[Variable], box: Box) -> Self: ...

    def within(self, variables: Iterable[Variable], box: Box) -> Self | None:
        """The same states, or fewer of those outside the box: what is known of these variables from elsewhere."""

    def bounds(self, expr: LinearExpr, box: Box) -> Bounds | None:
        """Of the expression, in the states within the box; None: there are none."""

    def variable_bounds(self, box: Box) -> Mapping[Variable, Bounds] | None:
        """Of all variables of the pack."""

    def constraints(self, box: Box) -> Iterable[LinearExpr]:
        """Expressions that are at most 0; with the box they say all that the relation says."""


def interval_of(expr: LinearExpr, box: Box) -> Bounds:
    """The smallest and the largest value of the expression in the box."""
    low = high = expr.constant
    for variable, factor in expr.terms:
        first, second = box(variable)
        low += factor * (first if factor > 0 else second)
        high += factor * (second if factor > 0 else first)
    return low, high


def within_pack(expr: LinearExpr, pack: Iterable[Variable], box: Box) -> tuple[LinearExpr, Bounds]:
    """The part of the expression that is over the pack, and the interval of the rest, constant included."""
    inside = frozenset(pack)
    mine = LinearExpr(tuple((v, k) for v, k in expr.terms if v in inside))
    rest = LinearExpr(tuple((v, k) for v, k in expr.terms if v not in inside), expr.constant)
    return mine, interval_of(rest, box)
