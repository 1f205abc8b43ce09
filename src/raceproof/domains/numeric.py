"""The numeric domains: intervals with small sets and congruences, and beside them octagons and polyhedra in packs.

    domain = octagons([[i, n]])
    state = domain.assume(domain.top(), Binary(Op.LT, i, n))
    domain.bounds(state, LinearExpr.difference(i, n))          (..., -1)

Signed overflow is undefined, as in C, unless the domain was made with `SignedOverflow.WRAPS`; unsigned arithmetic and
conversions wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from raceproof.core import InternalError
from raceproof.domains import backward
from raceproof.domains.description import describe
from raceproof.domains.evaluation import evaluate, range_of
from raceproof.domains.expressions import Binary, Expr, MachineType, Op, SignedOverflow, Variable, variables_of
from raceproof.domains.linear import LinearExpr, LinearForm
from raceproof.domains.octagon import Octagon
from raceproof.domains.polyhedron import Limits, Polyhedron
from raceproof.domains.relation import Bounds, Relation
from raceproof.domains.state import BOTTOM, Draft, State, top_value
from raceproof.domains.values import Value, between, clipped

Packs = Iterable[Sequence[Variable]]
_USUAL_LIMITS = (-1, 0, 1)


@final
@dataclass(frozen=True)
class NumericDomain:
    """`tops`: for each pack, the relation that holds always. `limits`: where widening stops first, sorted."""

    name: str
    tops: tuple[Relation, ...]
    overflow: SignedOverflow
    limits: tuple[int, ...]

    def bottom(self) -> State:
        return BOTTOM

    def top(self) -> State:
        return State({}, self.tops)

    def is_bottom(self, element: State) -> bool:
        return element.is_bottom

    def leq(self, a: State, b: State) -> bool:
        if a.is_bottom or b.is_bottom:
            return a.is_bottom
        if not all(a.value(variable).leq(value) for variable, value in b.values.items()):
            return False
        return all(mine.leq(yours, a.box) for mine, yours in zip(a.relations, b.relations, strict=True))

    def join(self, a: State, b: State) -> State:
        if a.is_bottom or b.is_bottom:
            return b if a.is_bottom else a
        values = _both(a, b, lambda variable, one, two: one.join(two))
        pairs = zip(a.relations, b.relations, strict=True)
        return State(values, tuple(one.join(two, a.box, b.box) for one, two in pairs))

    def meet(self, a: State, b: State) -> State:
        if a.is_bottom or b.is_bottom:
            return BOTTOM
        relations = []
        for one, two in zip(a.relations, b.relations, strict=True):
            met = one.meet(two)
            if met is None:
                return BOTTOM
            relations.append(met)
        draft = Draft(a.values, relations, self.overflow)
        for variable, value in b.values.items():
            draft.refine(variable, value)
        draft.reduce(self._packed())
        return draft.finish()

    def widen(self, old: State, new: State) -> State:
        if old.is_bottom or new.is_bottom:
            return new if old.is_bottom else old
        values = _both(old, new, lambda variable, one, two: one.widen(two, self._limits_of(variable.type)))
        pairs = zip(old.relations, new.relations, strict=True)
        return State(values, tuple(one.widen(two, old.box, new.box, self.limits) for one, two in pairs))

    def narrow(self, old: State, new: State) -> State:
        """Requires leq(new, old)."""
        if old.is_bottom or new.is_bottom:
            return BOTTOM
        relations = []
        for one, two in zip(old.relations, new.relations, strict=True):
            narrowed = one.narrow(two)
            if narrowed is None:
                return BOTTOM
            relations.append(narrowed)
        values = {v: old.value(v).narrow(new.value(v), top_value(v.type)) for v in (*old.values, *new.values)}
        return Draft(values, relations, self.overflow).finish()

    def assign(self, element: State, variable: Variable, expr: Expr) -> State:
        if variable.type != expr.type:
            raise InternalError(f"an assignment of {expr.type} to {variable}, which is {variable.type}")
        if element.is_bottom:
            return BOTTOM
        draft = self._draft(element)
        result = evaluate(expr, draft)
        if result.value.is_empty:
            return BOTTOM
        draft.assign(variable, result.value, result.form)
        return draft.finish()

    def assume(self, element: State, condition: Expr, truth: bool = True) -> State:
        condition, truth = backward.as_condition(condition, truth)
        match condition:
            case Binary(op=Op.LOGICAL_AND | Op.LOGICAL_OR as op, left=left, right=right):
                if truth == (op is Op.LOGICAL_AND):  # both as they are, or both not
                    return self.assume(self.assume(element, left, truth), right, truth)
                return self.join(self.assume(element, left, truth), self.assume(element, right, truth))
            case _:
                return self._assume_comparison(element, *backward.comparison(condition, truth))

    def _assume_comparison(self, element: State, op: Op, left: Expr, right: Expr) -> State:
        if element.is_bottom:
            return BOTTOM
        draft = self._draft(element)
        for variable, value in backward.members_that_hold(op, left, right, draft).items():
            draft.refine(variable, value)
        first, second = evaluate(left, draft), evaluate(right, draft)
        if first.value.is_empty or second.value.is_empty:
            return BOTTOM
        sides = backward.sides_that_hold(op, first.value, second.value)
        constraints = tuple(backward.constraints_of(op, first, second, draft))
        for expr, target in zip((left, right), sides, strict=True):
            if target.is_empty:
                return BOTTOM
            for variable, value in tuple(backward.carried_back(expr, target, draft)):
                draft.refine(variable, value)
        draft.constrain(constraints)
        draft.reduce((*variables_of(left), *variables_of(right)))
        return draft.finish()

    def forget(self, element: State, variables: Iterable[Variable]) -> State:
        if element.is_bottom:
            return BOTTOM
        gone = frozenset(variables)
        values = {v: value for v, value in element.values.items() if v not in gone}
        return State(values, tuple(relation.forget(gone, element.box) for relation in element.relations))

    def project(self, element: State, variables: Iterable[Variable]) -> State:
        known = {*element.values, *self._packed()}
        return self.forget(element, known.difference(variables))

    def meld(
        self, of_mover: State, of_other: State, shared: Iterable[Variable], changed: Iterable[Variable] | None = None
    ) -> State:
        shared = tuple(shared)
        stale = shared if changed is None else changed
        return self.meet(self.project(of_mover, shared), self.forget(of_other, stale))

    def change(self, element: State, variable: Variable, expr: Expr) -> Bounds | None:
        """How much larger than the variable the expression is, at least and at most; None if the element is bottom."""
        if element.is_bottom:
            return None
        draft = self._draft(element)
        result = evaluate(expr, draft)
        if result.value.is_empty:
            return None
        return range_of(result.form.minus(LinearForm(LinearExpr.variable(variable), 0, 0)), draft)

    def shift(self, element: State, variable: Variable, by: Bounds) -> State:
        """After the variable has grown by some number within the bounds, without leaving its type."""
        if element.is_bottom:
            return BOTTOM
        draft, value = self._draft(element), element.value(variable)
        grown = clipped(between(value.low + by[0], value.high + by[1]), variable.type)
        if grown.is_empty:
            return BOTTOM
        draft.assign(variable, grown, LinearForm(LinearExpr.variable(variable), *by))
        return draft.finish()

    def rename(self, element: State, names: Mapping[Variable, Variable]) -> State:
        if element.is_bottom:
            return BOTTOM
        if any(old.type != new.type for old, new in names.items()) or len(set(names.values())) < len(names):
            raise InternalError("renaming joins variables or changes their types")
        lost = [new for new in names.values() if new not in names]
        source = self.forget(element, lost)
        values = {names.get(v, v): value for v, value in source.values.items()}
        return self.build(values, [expr.renamed(names) for expr in self.constraints(source)])

    def lift(self, element: State) -> State:
        """An element of another domain as one of this, as far as this domain's packs can say it."""
        return BOTTOM if element.is_bottom else self.build(element.values, self.constraints(element))

    def value(self, element: State, variable: Variable) -> Value:
        """The set that the variable is in."""
        return element.value(variable)

    def bounds(self, element: State, expr: LinearExpr) -> Bounds | None:
        return None if element.is_bottom else self._draft(element).range_of(expr)

    def constraints(self, element: State) -> list[LinearExpr]:
        """What the element says beside `element.values`: each of them is at most 0."""
        return [expr for relation in element.relations for expr in relation.constraints(element.box)]

    def describe(self, element: State) -> tuple[str, ...]:
        return describe(element)

    def _draft(self, element: State) -> Draft:
        return Draft(element.values, element.relations, self.overflow)

    def _packed(self) -> tuple[Variable, ...]:
        return tuple(dict.fromkeys(variable for relation in self.tops for variable in relation.pack))

    def build(self, values: Mapping[Variable, Value], constraints: Iterable[LinearExpr]) -> State:
        """The element of these sets, with every expression at most 0, as far as this domain's packs can say it."""
        draft = Draft(values, self.tops, self.overflow)
        draft.reduce(self._packed())
        draft.constrain([expr for expr in constraints if any(self._holds(top, expr) for top in self.tops)])
        draft.reduce(self._packed())
        return draft.finish()

    @staticmethod
    def _holds(relation: Relation, expr: LinearExpr) -> bool:
        return frozenset(expr.variables) <= frozenset(relation.pack)

    def _limits_of(self, of_type: MachineType) -> tuple[int, ...]:
        inside = (number for number in self.limits if of_type.low < number < of_type.high)
        return (of_type.low, *inside, of_type.high)


def intervals(thresholds: Iterable[int] = (), overflow: SignedOverflow = SignedOverflow.UNDEFINED) -> NumericDomain:
    """Sets for single variables only. `thresholds`: where widening should stop, such as the program's constants."""
    return NumericDomain("intervals", (), overflow, _limits(thresholds))


def octagons(
    packs: Packs, thresholds: Iterable[int] = (), overflow: SignedOverflow = SignedOverflow.UNDEFINED
) -> NumericDomain:
    tops = tuple(Octagon.top(tuple(pack)) for pack in packs)
    return NumericDomain("octagons", tops, overflow, _limits(thresholds))


def polyhedra(
    packs: Packs,
    thresholds: Iterable[int] = (),
    overflow: SignedOverflow = SignedOverflow.UNDEFINED,
    limits: Limits | None = None,
) -> NumericDomain:
    """Octagons for all packs, and polyhedra for those that are small enough.

    Raises `ToolMissing` if the extra `polyhedra` is not installed; `has_polyhedra()` asks.
    """
    limits = limits or Limits()
    packs = [tuple(pack) for pack in packs]
    small = [pack for pack in packs if len(pack) <= limits.variables]
    tops: list[Relation] = [Octagon.top(pack) for pack in packs]
    tops += [Polyhedron.top(pack, limits) for pack in small]
    return NumericDomain("polyhedra", tuple(tops), overflow, _limits(thresholds))


def _limits(thresholds: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({*thresholds, *_USUAL_LIMITS}))


def _both(a: State, b: State, combine: Callable[[Variable, Value, Value], Value]) -> dict[Variable, Value]:
    """Sets of the variables that both know something of; what becomes top is left out."""
    result = {}
    for variable, value in a.values.items():
        if variable in b.values:
            combined = combine(variable, value, b.values[variable])
            if combined != top_value(variable.type):
                result[variable] = combined
    return result
