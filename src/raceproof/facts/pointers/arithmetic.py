"""Pointer arithmetic as constraints: from the values in one node to those in another.

An operation maps one pointer value to a set of them and remembers the answer, since the same `p->field` is applied
to the same objects all over a program. Termination: each object has finitely many values (`objects.MAX_OFFSETS`);
an addition that feeds itself (`p = p + 8` in a loop) is found and becomes `p + 8*k`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.facts.pointers.objects import PointerValues
from raceproof.facts.pointers.propagation import ConstraintGraph, members

Term = tuple[int, int | None, bool]
"""Scale and number of values of an index that is not known, and whether it is known not to be negative."""

MAX_SEARCHED: Final = 5000
LARGE_SET: Final = 8
MAX_KNOWN_SETS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Add:
    """Add constant bytes and terms; `is_member`: the constant is the offset of a struct's member."""

    distance: int
    terms: tuple[Term, ...] = ()
    is_member: bool = False


Operation = Add | str
"""`Add`, or one of the names below."""

ANYWHERE: Final = "anywhere"  # integer arithmetic: same objects, offset lost
INTO: Final = "into"  # a pointer into the string or buffer
ELEMENT: Final = "element"  # a pointer to an element of the array
MASKS: Final = tuple(f"mask{n}" for n in range(16))  # clear the lowest bits that n says
TAGS: Final = tuple(f"tag{n}" for n in range(16))  # set them


class Arithmetic:
    """Applies operations to pointer values and sets of them, and remembers the answers."""

    def __init__(self, values: PointerValues, graph: ConstraintGraph) -> None:
        self._values = values
        self._graph = graph
        self._known: dict[Operation, dict[int, int]] = {}
        self._known_sets: dict[tuple[Operation, int], int] = {}

    def apply(self, operation: Operation, bits: int) -> int:
        """The set of values that `operation` makes of a set of values."""
        is_large = bits.bit_count() >= LARGE_SET
        if is_large:
            result = self._known_sets.get((operation, bits))
            if result is not None:
                return result
        known = self._known.get(operation)
        if known is None:
            known = self._known[operation] = {}
        result = 0
        for value in members(bits):
            made = known.get(value)
            if made is None:
                made = 0
                for new in self._compute(operation, value):
                    made |= 1 << new
                known[value] = made
            result |= made
        if is_large:
            if len(self._known_sets) >= MAX_KNOWN_SETS:
                self._known_sets.clear()
            self._known_sets[operation, bits] = result
        return result

    def _compute(self, operation: Operation, value: int) -> tuple[int, ...]:
        values = self._values
        if isinstance(operation, Add):
            if operation.is_member:
                return values.member(value, operation.distance)
            result = values.shift(value, operation.distance)
            for term in operation.terms:
                result = tuple(dict.fromkeys(new for v in result for new in values.add_term(v, *term)))
            return result
        if operation == ANYWHERE:
            return (values.anywhere(values.object_of[value]),)
        if operation == INTO:
            return (values.into(value),)
        if operation == ELEMENT:
            return values.element(value)
        if operation in TAGS:
            return (values.masked(value, -1, TAGS.index(operation)),)
        return (values.masked(value, ~MASKS.index(operation)),)

    def moved(self, node: int, operation: Operation) -> int:
        """The node for what the operation makes of the values in `node`."""
        graph = self._graph
        if operation == Add(0):
            return node
        if graph.is_fixed[node]:
            return graph.fixed(self.apply(operation, graph.pts[node]))
        return graph.shift(node, operation, lambda target: _Movement(self, graph, node, operation, target))


class _Movement:
    """An operation between two nodes; a constant addition becomes a variable one when it feeds itself.

    That is asked when values arrive that this addition has made. Adding and taking away the same (a pointer to a
    member and back to its container) is no growth.
    """

    __slots__ = ("_arithmetic", "_asked", "_graph", "_made", "_operation", "_source", "target")

    def __init__(
        self, arithmetic: Arithmetic, graph: ConstraintGraph, source: int, operation: Operation, target: int
    ) -> None:
        self._arithmetic = arithmetic
        self._graph = graph
        self._source = source
        self._operation = operation
        self._made = 0
        self._asked = 0
        self.target = target

    @property
    def distance(self) -> int | None:
        return self._operation.distance if isinstance(self._operation, Add) and not self._operation.terms else None

    def apply(self, bits: int) -> int:
        operation = self._operation
        if not isinstance(operation, Add) or operation.distance == 0:
            return self._arithmetic.apply(operation, bits)
        if bits & self._made and self._feeds_itself(operation.distance):
            step = (abs(operation.distance), None, operation.distance > 0)
            self._operation = operation = Add(0, (step, *operation.terms))
            bits |= self._graph.pts[self._graph.parent[self._source]]
        result = self._arithmetic.apply(operation, bits)
        self._made |= result
        return result

    def _feeds_itself(self, distance: int) -> bool:
        self._asked += 1
        if self._asked & (self._asked - 1):
            return False
        way_back = self._graph.way(self.target, self._source, MAX_SEARCHED)
        return way_back is not None and way_back + distance != 0
