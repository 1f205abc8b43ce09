"""Convex polyhedra: linear constraints with any coefficients over a small pack, through the Parma Polyhedra Library.

Follows [CH78]. A polyhedron holds constraints of two or more variables; bounds of single ones stand in the box beside
it, because the corners of a plain box alone are 2^n. What can be decided by linear programming (inclusion, emptiness,
bounds) is decided so, in the box; projection eliminates variables from the constraints. Only hull and widening need
corners: they are done if neither the constraints can have more than `Limits.corners` corners nor these can span more
faces than that [McM70], and otherwise in a coarse form that needs none. So time is limited by size, and the same
program gives the same result on every machine. The domain keeps octagons of the same packs: what is lost here falls
back to these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from raceproof.domains.expressions import Variable
from raceproof.domains.linear import LinearExpr, LinearForm
from raceproof.domains.parma import Program, constraint_of, ppl, program_of, rows_of, vector_of
from raceproof.domains.relation import Bounds, Box, within_pack
from raceproof.domains.rows import Row, bounds_of, eliminated, most_corners, rank


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """How large polyhedra may become before they are coarsened: work grows with all three."""

    variables: int = 8
    constraints: int = 24
    corners: int = 600
    boxed: int = 4
    """Up to so many variables that are not constant, their bounds take part in hulls."""
    numbers: int = 1 << 20
    """Bounds above that take no part, and coefficients above that are dropped: they come from the types' ends."""


@final
@dataclass(frozen=True, slots=True)
class Polyhedron:
    """The points that satisfy all rows."""

    pack: tuple[Variable, ...]
    limits: Limits
    rows: tuple[Row, ...] = ()

    @staticmethod
    def top(pack: Sequence[Variable], limits: Limits) -> Polyhedron:
        ppl()
        return Polyhedron(tuple(pack), limits)

    def leq(self, other: Polyhedron, box: Box) -> bool:
        if not other.rows or self.rows == other.rows:
            return True
        program = self._program(box)
        return all(program.implies(row) for row in other.rows)

    def join(self, other: Polyhedron, box: Box, other_box: Box) -> Polyhedron:
        if not self.rows and not other.rows and self._free(box) > self.limits.boxed:
            return self
        left, right = self._boxed(box), other._boxed(other_box)
        hull = left._hull(right)
        if hull is None:
            return self._with_rows(self._common(other, box, other_box))
        largest = self.limits.numbers
        return self._limited(row for row in rows_of(hull, self.size) if max(map(abs, row.coefficients)) <= largest)

    def meet(self, other: Polyhedron) -> Polyhedron:
        return self._with_rows([*self.rows, *other.rows])

    def widen(self, new: Polyhedron, box: Box, new_box: Box, limits: Sequence[int]) -> Polyhedron:
        """[CH78]'s, as PPL does it: constraints of the left that hold on the right, in a good choice of them.

        Of the left box only constants take part: a widening of the box loses each for ever, so that the chain ends.
        """
        left, right = self._with_constants(box), new._boxed(new_box)
        program = new._program(new_box)
        if all(program.implies(row) for row in left.rows):
            return self
        hull = left._hull(right)
        if hull is not None:
            hull.H79_widening_assign(left._shape())
            return self._with_rows(rows_of(hull, self.size))
        return self._with_rows(half for row in left.rows for half in row.halves() if program.implies(half))

    def narrow(self, new: Polyhedron) -> Polyhedron:
        return self if self.rows else new

    def constrain(self, constraints: Iterable[LinearExpr], box: Box) -> Polyhedron | None:
        result = self
        for expr in constraints:
            mine, (low, _) = within_pack(expr, self.pack, box)
            program = result._program(box)
            if not program.feasible:
                return None
            row = self._row(mine.shifted(low))
            if len(mine.terms) > 1 and not program.implies(row):
                result = result._limited([*result.rows, row])
        return result if not result.rows or result._program(box).feasible else None

    def assign(self, variable: Variable, form: LinearForm, box: Box) -> Polyhedron:
        expr, (low, high) = within_pack(form.expr, self.pack, box)
        low, high = low + form.low, high + form.high
        if abs(expr.coefficient(variable)) == 1 and low == high:
            return self._substituted(variable, expr.shifted(low))
        if variable not in expr.variables:
            return self.forget([variable], box)._defined(LinearExpr.variable(variable).plus(expr, -1), low, high)
        new = len(self.pack)  # a column more, for the new value
        rows = [Row((*row.coefficients, 0), row.constant, row.equal) for row in self.rows]
        source = self._row(expr)
        rows.append(Row((*source.coefficients, -1), low))
        rows.append(Row((*(-k for k in source.coefficients), 1), -high))
        x = self.pack.index(variable)
        left = eliminated([*rows, *self._known_bounds(x, new + 1, box)], x, self.limits.constraints)
        moved = ((row.coefficients[:x] + row.coefficients[new:] + row.coefficients[x + 1 : new], row) for row in left)
        return self._limited(Row(coefficients, row.constant, row.equal) for coefficients, row in moved)

    def forget(self, variables: Iterable[Variable], box: Box) -> Polyhedron:
        rows: Sequence[Row] = self.rows
        for x in sorted({self.pack.index(v) for v in variables if v in self.pack}):
            if any(row.coefficients[x] for row in rows):
                bounded = [*rows, *self._known_bounds(x, self.size, box)]
                rows = eliminated(bounded, x, self.limits.constraints)
        return self if rows is self.rows else self._limited(rows)

    def within(self, variables: Iterable[Variable], box: Box) -> Polyhedron:
        return self

    def bounds(self, expr: LinearExpr, box: Box) -> Bounds | None:
        mine, (low, high) = within_pack(expr, self.pack, box)
        program = self._program(box)
        if not program.feasible:
            return None
        row = self._row(mine)
        return program.least(row) + low, program.largest(row) + high

    def variable_bounds(self, box: Box) -> Mapping[Variable, Bounds] | None:
        program = self._program(box)
        if not program.feasible:
            return None
        result = {variable: box(variable) for variable in self.pack}
        for x, variable in enumerate(self.pack):
            if any(row.coefficients[x] for row in self.rows):
                row = self._row(LinearExpr.variable(variable))
                result[variable] = (program.least(row), program.largest(row))
        return result

    def constraints(self, box: Box) -> Iterator[LinearExpr]:
        for row in self.rows:
            for half in row.halves():
                yield LinearExpr.of(zip(self.pack, half.coefficients, strict=True), half.constant)

    @property
    def size(self) -> int:
        return len(self.pack)

    def _program(self, box: Box) -> Program:
        return program_of(self.rows, tuple(map(box, self.pack)))

    def _row(self, expr: LinearExpr, equal: bool = False) -> Row:
        return Row(tuple(expr.coefficient(v) for v in self.pack), expr.constant, equal)

    def _known_bounds(self, x: int, size: int, box: Box) -> list[Row]:
        """What the box says of a variable beyond its type, which would only give constraints that nobody needs."""
        variable = self.pack[x]
        low, high = box(variable)
        above, below = bounds_of(x, size, (low, high))
        return [above] * (high < variable.type.high) + [below] * (low > variable.type.low)

    def _free(self, box: Box) -> int:
        return sum(1 for low, high in map(box, self.pack) if low != high)

    def _boxed(self, box: Box) -> Polyhedron:
        """With what the box says, as far as hulls can bear it: constants always, bounds for few variables."""
        result, rows = self._with_constants(box), []
        for variable in self.pack if self._free(box) <= self.limits.boxed else ():
            low, high = box(variable)
            term = LinearExpr.variable(variable)
            if low < high <= self.limits.numbers:
                rows.append(self._row(term.shifted(-high)))
            if high > low >= -self.limits.numbers:
                rows.append(self._row(term.scaled(-1).shifted(low)))
        return Polyhedron(self.pack, self.limits, (*result.rows, *rows))

    def _with_constants(self, box: Box) -> Polyhedron:
        fixed = [(variable, low) for variable in self.pack for low, high in [box(variable)] if low == high]
        rows = [self._row(LinearExpr.variable(v).shifted(-value), equal=True) for v, value in fixed]
        return Polyhedron(self.pack, self.limits, (*self.rows, *rows))

    def _common(self, other: Polyhedron, box: Box, other_box: Box) -> Iterator[Row]:
        """Rows of each that hold in the other: an upper bound that needs no corners."""
        for rows, program in ((self.rows, other._program(other_box)), (other.rows, self._program(box))):
            yield from (half for row in rows for half in row.halves() if program.implies(half))

    def _defined(self, expr: LinearExpr, low: int, high: int) -> Polyhedron:
        """With low <= expr <= high, if that relates variables."""
        if len(expr.terms) < 2:
            return self
        if low == high:
            return self._limited([*self.rows, self._row(expr.shifted(-low), equal=True)])
        return self._limited([*self.rows, self._row(expr.shifted(-high)), self._row(expr.scaled(-1).shifted(low))])

    def _substituted(self, variable: Variable, expr: LinearExpr) -> Polyhedron:
        """`variable := expr`, which can be solved for its old value: old = k * (new - rest)."""
        x, k = self.pack.index(variable), expr.coefficient(variable)
        rest = self._row(expr.without(variable))
        rows = []
        for row in self.rows:
            times = row.coefficients[x] * k
            coefficients = [a - times * b for a, b in zip(row.coefficients, rest.coefficients, strict=True)]
            coefficients[x] = times
            rows.append(Row(tuple(coefficients), row.constant - times * rest.constant, row.equal))
        return self._with_rows(rows)

    def _hull(self, other: Polyhedron) -> Any | None:
        """The PPL polyhedron around both; None if it may take too long."""
        if self._is_large() or other._is_large():
            return None
        hull = self._shape()
        hull.poly_hull_assign(other._shape())
        lines: list[list[int]] = []
        others: list[list[int]] = []
        for generator in hull.generators():
            (lines if generator.is_line() else others).append(vector_of(generator, self.size))
        dimensions = rank([*lines, *others]) - 1 - rank(lines)
        return hull if most_corners(dimensions, len(others)) <= self.limits.corners else None

    def _is_large(self) -> bool:
        equalities = sum(row.equal for row in self.rows)
        return most_corners(self.size - equalities, len(self.rows) - equalities) > self.limits.corners

    def _limited(self, rows: Iterable[Row]) -> Polyhedron:
        """At most so many constraints as the limits allow; equalities are kept first."""
        kept = sorted(rows, key=lambda row: not row.equal)
        return self._with_rows(kept[: self.limits.constraints])

    def _with_rows(self, rows: Iterable[Row]) -> Polyhedron:
        """Without rows of a single variable, which the box has."""
        kept = {row for row in rows if sum(k != 0 for k in row.coefficients) > 1}
        return Polyhedron(self.pack, self.limits, tuple(sorted(kept)))

    def _shape(self) -> Any:
        """A PPL polyhedron of its own, to be changed."""
        shape = ppl().C_Polyhedron(self.size, "universe")
        for row in self.rows:
            shape.add_constraint(constraint_of(row))
        return shape
