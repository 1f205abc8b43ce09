"""Octagons: bounds of x, x - y and x + y for the variables of a pack, over the integers.

Follows [Mine06] for the domain, [BHZ09] for its closure over integers. Paper -> here: V_2k, V_2k+1 -> the two
indices of a variable, `_index`; m_ij -> `octagon_kernel.entry`.
Differs: every variable has the bounds of its machine type, so that "no bound" is that of the type; bounds above
2^50 are left to the intervals beside the octagon.

Invariant: `matrix` is tightly closed and has at least the types' bounds. `widened` is what the next widening must
start from: closing between two widenings could make them endless ([Mine06]).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import final

from raceproof.core import InternalError
from raceproof.domains import octagon_kernel as kernel
from raceproof.domains.expressions import Variable
from raceproof.domains.linear import LinearExpr, LinearForm
from raceproof.domains.octagon_kernel import Edge
from raceproof.domains.relation import Bounds, Box, interval_of, within_pack

_FEW_EDGES = 6  # up to here one at a time is cheaper than a full closure


@final
@dataclass(frozen=True, slots=True)
class Octagon:
    """The states of the pack that satisfy the matrix; never empty."""

    pack: tuple[Variable, ...]
    matrix: bytes = field(repr=False)
    widened: bytes | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def top(pack: Sequence[Variable]) -> Octagon:
        if len(pack) > kernel.MAX_VARIABLES:
            raise InternalError(f"a pack of {len(pack)} variables; at most {kernel.MAX_VARIABLES} are possible")
        return Octagon(tuple(pack), _top(tuple(pack)))

    @property
    def size(self) -> int:
        return len(self.pack)

    def leq(self, other: Octagon, box: Box) -> bool:
        if kernel.leq(self.matrix, other.matrix, self.size):
            return True
        inside = self.within(self.pack, box)
        return inside is None or kernel.leq(inside.matrix, other.matrix, self.size)

    def join(self, other: Octagon, box: Box, other_box: Box) -> Octagon:
        return Octagon(self.pack, kernel.join(self.matrix, other.matrix, self.size))

    def meet(self, other: Octagon) -> Octagon | None:
        return self._of(kernel.meet(self.matrix, other.matrix, self.size))

    def widen(self, new: Octagon, box: Box, new_box: Box, limits: Sequence[int]) -> Octagon:
        start = self.widened or self.matrix
        doubled = _doubled(tuple(limits))
        widened = kernel.widen(start, new.matrix, self.size, doubled)
        closed = kernel.meet(widened, _top(self.pack), self.size)
        if closed is None:
            raise InternalError("a widening of octagons is empty")
        return Octagon(self.pack, closed, widened)

    def narrow(self, new: Octagon) -> Octagon | None:
        return self._of(kernel.narrow(self.matrix, new.matrix, _top(self.pack), self.size))

    def constrain(self, constraints: Iterable[LinearExpr], box: Box) -> Octagon | None:
        edges = [edge for expr in constraints for edge in self._edges(expr, box)]
        return self._with(edges)

    def assign(self, variable: Variable, form: LinearForm, box: Box) -> Octagon | None:
        expr, (low, high) = within_pack(form.expr, self.pack, box)
        low, high = low + form.low, high + form.high
        x = self._position(variable)
        fits = max(abs(low), abs(high)) <= kernel.LIMIT // 4
        if len(expr.terms) == 1 and abs(expr.terms[0][1]) == 1 and fits:
            source, factor = expr.terms[0]
            y = self._position(source)
            result = self._of(kernel.assign(self.matrix, self.size, x, y, factor < 0, low, high))
        else:
            edges = list(self._assigned_edges(x, LinearForm(expr, low, high), box))
            result = self.forget([variable], box)._with(edges)
        return result and result.within([variable], _type_bounds)

    def forget(self, variables: Iterable[Variable], box: Box) -> Octagon:
        gone = frozenset(variables)
        mine = [v for v in self.pack if v in gone]
        if not mine:
            return self
        matrix = self.matrix
        for variable in mine:
            matrix = kernel.forget(matrix, self.size, self._position(variable))
        result = Octagon(self.pack, matrix).within(mine, _type_bounds)
        if result is None:
            raise InternalError("forgetting made an octagon empty")
        return result

    def within(self, variables: Iterable[Variable], box: Box) -> Octagon | None:
        known = kernel.bounds(self.matrix, self.size)
        edges = []
        wanted = frozenset(variables) if variables is not self.pack else None
        for x in range(self.size) if wanted is None else [x for x, v in enumerate(self.pack) if v in wanted]:
            low, high = box(self.pack[x])
            edges += [(2 * x + 1, 2 * x, 2 * high)] if 2 * high < known[2 * x] else []
            edges += [(2 * x, 2 * x + 1, -2 * low)] if -2 * low < known[2 * x + 1] else []
        return self._with(edges)

    def bounds(self, expr: LinearExpr, box: Box) -> Bounds:
        return -self._above(expr.scaled(-1), box), self._above(expr, box)

    def variable_bounds(self, box: Box) -> Mapping[Variable, Bounds]:
        known = kernel.bounds(self.matrix, self.size)
        result = {}
        for x, variable in enumerate(self.pack):
            low, high = box(variable)
            above, below = known[2 * x], known[2 * x + 1]
            result[variable] = (max(low, -(below // 2)), min(high, above // 2))
        return result

    def constraints(self, box: Box) -> Iterator[LinearExpr]:
        """Those that say more than the box does."""
        for variable, (low, high) in self.variable_bounds(box).items():
            term = LinearExpr.variable(variable)
            if high < box(variable)[1]:
                yield term.shifted(-high)
            if low > box(variable)[0]:
                yield term.scaled(-1).shifted(low)
        boxes = [box(variable) for variable in self.pack]
        for x, first in enumerate(self.pack):
            for y in range(x + 1, self.size):
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                    bound = kernel.entry(self.matrix, 2 * y + int(b > 0), 2 * x + int(a < 0))
                    if bound < _highest(a, boxes[x]) + _highest(b, boxes[y]):
                        yield LinearExpr(((first, a), (self.pack[y], b)), -bound)

    def _above(self, expr: LinearExpr, box: Box) -> int:
        """An upper bound: intervals for each term, or an entry of the matrix for two of them."""
        _, plain = interval_of(expr, box)
        best = plain
        mine = [(v, k) for v, k in expr.terms if v in self.pack]
        for position, (first, a) in enumerate(mine):
            for second, b in mine[position + 1 :]:
                times = min(abs(a), abs(b))
                bound = kernel.entry(self.matrix, self._index(second, -b), self._index(first, a))
                pair = LinearExpr(((first, 1 if a > 0 else -1), (second, 1 if b > 0 else -1)))
                best = min(best, plain - times * (interval_of(pair, box)[1] - bound))
        return best

    def _edges(self, expr: LinearExpr, box: Box) -> Iterator[Edge]:
        """Octagonal consequences of `expr <= 0`: for each variable and each two, with bounds for the rest."""
        mine = [(v, k) for v, k in expr.terms if v in self.pack]
        for position, (first, a) in enumerate(mine):
            rest = self.bounds(expr.without(first), box)[0]
            yield self._index(first, -a), self._index(first, a), 2 * (-rest // abs(a))
            for second, b in mine[position + 1 :]:
                times = min(abs(a), abs(b))
                pair = LinearExpr(((first, times if a > 0 else -times), (second, times if b > 0 else -times)))
                rest = self.bounds(expr.plus(pair, -1), box)[0]
                yield self._index(second, -b), self._index(first, a), -rest // times

    def _assigned_edges(self, x: int, form: LinearForm, box: Box) -> Iterator[Edge]:
        """Bounds of x, x - v and x + v after `x := form`, from bounds of the form before it."""
        low, high = self.bounds(form.expr, box)
        yield 2 * x + 1, 2 * x, 2 * (high + form.high)
        yield 2 * x, 2 * x + 1, -2 * (low + form.low)
        if not form.expr.terms:
            return
        for y, other in enumerate(self.pack):
            if y == x:
                continue
            for factor in (1, -1):  # x + factor * other
                low, high = self.bounds(form.expr.plus(LinearExpr.variable(other), factor), box)
                end = self._index(other, -factor)
                yield end, 2 * x, high + form.high
                yield end ^ 1, 2 * x + 1, -(low + form.low)

    def _position(self, variable: Variable) -> int:
        return _positions(self.pack)[variable]

    def _index(self, variable: Variable, sign: int) -> int:
        return 2 * self._position(variable) + int(sign < 0)

    def _with(self, edges: Sequence[Edge]) -> Octagon | None:
        if not edges:
            return self
        add = kernel.add if len(edges) <= _FEW_EDGES else kernel.add_all
        return self._of(add(self.matrix, self.size, edges))

    def _of(self, matrix: bytes | None) -> Octagon | None:
        return None if matrix is None else Octagon(self.pack, matrix)


def _highest(sign: int, bounds: Bounds) -> int:
    """Of a variable, or of what it is with the other sign."""
    return bounds[1] if sign > 0 else -bounds[0]


def _type_bounds(variable: Variable) -> Bounds:
    return variable.type.low, variable.type.high


@cache
def _doubled(limits: tuple[int, ...]) -> Sequence[int]:
    """Where widening stops: entries of the matrix are bounds of a variable, or twice that."""
    return sorted({k * number for number in limits for k in (1, 2) if abs(number) < kernel.LIMIT // 2})


@cache
def _positions(pack: tuple[Variable, ...]) -> Mapping[Variable, int]:
    return {variable: position for position, variable in enumerate(pack)}


@cache
def _top(pack: tuple[Variable, ...]) -> bytes:
    """The bounds of the types, closed."""
    edges: list[Edge] = []
    for x, variable in enumerate(pack):
        edges += [(2 * x + 1, 2 * x, 2 * variable.type.high), (2 * x, 2 * x + 1, -2 * variable.type.low)]
    matrix = kernel.add_all(kernel.top(len(pack)), len(pack), edges)
    if matrix is None:
        raise InternalError("a machine type without values")
    return matrix
