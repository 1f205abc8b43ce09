"""Elements of the numeric domains, and the drafts in which transfer functions work on them.

An element is a set of integers for each variable, and one relation for each pack of the domain. Its states are those
that satisfy all of them. What relations know of single variables goes into the sets and back, in `Draft.reduce`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import final

from raceproof.domains.expressions import MachineType, SignedOverflow, Variable
from raceproof.domains.linear import LinearExpr, LinearForm
from raceproof.domains.relation import Bounds, Relation, interval_of
from raceproof.domains.values import EMPTY, Value, between, top_of

_ROUNDS = 2


@cache
def top_value(of_type: MachineType) -> Value:
    return top_of(of_type)


@final
@dataclass(frozen=True, slots=True)
class State:
    """Invariants: no set in `values` is empty or all of its type; bottom has neither sets nor relations.

    Two elements may have the same states and not be equal: ask `leq` for stability.
    """

    values: Mapping[Variable, Value] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    is_bottom: bool = False

    def value(self, variable: Variable) -> Value:
        if self.is_bottom:
            return EMPTY
        return self.values.get(variable) or top_value(variable.type)

    def box(self, variable: Variable) -> Bounds:
        value = self.value(variable)
        return value.low, value.high


BOTTOM = State(is_bottom=True)


class Draft:
    """A state while it is being changed; `None` for its sets as soon as it is found to be empty."""

    def __init__(
        self, values: Mapping[Variable, Value], relations: Sequence[Relation], overflow: SignedOverflow
    ) -> None:
        self.overflow = overflow
        self._values: dict[Variable, Value] | None = dict(values)
        self._relations = list(relations)

    def finish(self) -> State:
        if self._values is None:
            return BOTTOM
        kept = {v: value for v, value in self._values.items() if value != top_value(v.type)}
        return State(kept, tuple(self._relations))

    @property
    def is_empty(self) -> bool:
        return self._values is None

    def value(self, variable: Variable) -> Value:
        if self._values is None:
            return EMPTY
        return self._values.get(variable) or top_value(variable.type)

    def box(self, variable: Variable) -> Bounds:
        value = self.value(variable)
        return value.low, value.high

    def range_of(self, expr: LinearExpr) -> Bounds | None:
        if self._values is None:
            return None
        low, high = interval_of(expr, self.box)
        variables = frozenset(expr.variables)
        for relation in self._relations:
            if len(variables.intersection(relation.pack)) > 1:
                bounds = relation.bounds(expr, self.box)
                if bounds is None:
                    return None
                low, high = max(low, bounds[0]), min(high, bounds[1])
        return (low, high) if low <= high else None

    def fail(self) -> None:
        """There is no state."""
        self._values = None

    def refine(self, variable: Variable, value: Value) -> None:
        """The variable is in this set, too."""
        if self._values is not None:
            met = self.value(variable).meet(value)
            self._values[variable] = met
            if met.is_empty:
                self.fail()

    def assign(self, variable: Variable, value: Value, form: LinearForm) -> None:
        """`variable` gets a value of the set that is equal to the form, in the state as it was."""
        for position, relation in enumerate(self._relations):
            if variable in relation.pack:
                self._replace(position, relation.assign(variable, form, self.box))
        if self._values is not None:
            self._values[variable] = value
        self.reduce([variable])

    def constrain(self, constraints: Sequence[LinearExpr]) -> None:
        """Every expression is at most 0."""
        for expr in constraints:
            self._bound_each(expr)
        for position, relation in enumerate(self._relations):
            pack = frozenset(relation.pack)
            mine = [expr for expr in constraints if not pack.isdisjoint(expr.variables)]
            if mine and not self.is_empty:
                self._replace(position, relation.constrain(mine, self.box))

    def reduce(self, variables: Iterable[Variable]) -> None:
        """Carry bounds between sets and relations, for relations that know one of the variables."""
        touched = frozenset(variables)
        for _ in range(_ROUNDS):
            before = dict(self._values or {})
            for position, relation in enumerate(self._relations):
                if self.is_empty:
                    return
                if not touched.isdisjoint(relation.pack):
                    self._exchange(position, relation)
            if self._values == before:
                return

    def _exchange(self, position: int, relation: Relation) -> None:
        self._replace(position, within := relation.within(relation.pack, self.box))
        bounds = within.variable_bounds(self.box) if within is not None else None
        if bounds is None:
            self.fail()
            return
        for variable, (low, high) in bounds.items():
            if (low, high) != self.box(variable):
                self.refine(variable, between(low, high))

    def _replace(self, position: int, relation: Relation | None) -> None:
        if relation is None:
            self.fail()
        else:
            self._relations[position] = relation

    def _bound_each(self, expr: LinearExpr) -> None:
        """What `expr <= 0` says of each variable alone."""
        whole = self.range_of(expr)
        if whole is None or whole[0] > 0:
            self.fail()
            return
        for variable, factor in expr.terms:
            rest = self.range_of(expr.without(variable))
            if rest is None:
                self.fail()
                return
            low, high = self.box(variable)
            if factor > 0:
                self.refine(variable, between(low, -rest[0] // factor))
            else:
                self.refine(variable, between(-(-rest[0] // -factor), high))
