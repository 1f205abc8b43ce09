"""Pointer arithmetic as constraints: from the values in one node to those in another.

An operation maps one pointer value to a set of them and remembers the answer, since the same `p->field` is applied
to the same objects all over a program. Termination: each object has finitely many values (`objects.MAX_OFFSETS`);
an addition that feeds itself (`p = p + 8` in a loop) is found and becomes `p + 8*k`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.facts.objects import PointerValues
from raceproof.facts.propagation import ConstraintGraph, members

Term = tuple[int, int | None]
"""Scale and number of values of an index that is not known."""

SUSPICIOUS: Final = 16
"""Offsets that one addition may make in one object before it is asked whether it feeds itself."""


@dataclass(frozen=True, slots=True)
class Add:
    """Add constant bytes and terms."""

    distance: int
    terms: tuple[Term, ...] = ()


Operation = Add | str
"""`Add`, or one of the names below."""

ANYWHERE: Final = "anywhere"  # integer arithmetic: same objects, offset lost
INTO: Final = "into"  # a pointer into the string or buffer
ELEMENT: Final = "element"  # a pointer to an element of the array
MASKS: Final = tuple(f"mask{n}" for n in range(16))  # clear the lowest bits that n says
TAGS: Final = tuple(f"tag{n}" for n in range(16))  # set them


class Arithmetic:
    def __init__(self, values: PointerValues, graph: ConstraintGraph) -> None:
        self._values = values
        self._graph = graph
        self._known: dict[Operation, dict[int, int]] = {}

    def apply(self, operation: Operation, value: int) -> int:
        """The set of values that `operation` makes of `value`."""
        known = self._known.get(operation)
        if known is None:
            known = self._known[operation] = {}
        result = known.get(value)
        if result is None:
            result = 0
            for new in self._compute(operation, value):
                result |= 1 << new
            known[value] = result
        return result

    def apply_all(self, operation: Operation, bits: list[int]) -> int:
        result = 0
        for value in bits:
            result |= self.apply(operation, value)
        return result

    def _compute(self, operation: Operation, value: int) -> tuple[int, ...]:
        values = self._values
        if isinstance(operation, Add):
            result = values.shift(value, operation.distance)
            for scale, count in operation.terms:
                result = tuple(dict.fromkeys(values.add_term(v, scale, count) for v in result))
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

    def constrain(self, source: int, operation: Operation, target: int) -> None:
        """`target` has what the operation makes of the values in `source`."""
        graph = self._graph
        if operation == Add(0):
            graph.copy(source, target)
            return
        if isinstance(operation, Add) and not operation.terms:
            graph.watch(source, _Addition(self, graph, self._values, source, operation, target), flow_to=target)
            return
        known = self._known.setdefault(operation, {})

        def forward(value: int) -> None:
            bits = known.get(value)
            graph.add(target, self.apply(operation, value) if bits is None else bits)

        graph.watch(source, forward, flow_to=target)


class _Addition:
    """A constant addition, which becomes a variable one when it turns out to feed itself."""

    __slots__ = ("_arithmetic", "_graph", "_made", "_operation", "_source", "_target", "_values")

    def __init__(
        self,
        arithmetic: Arithmetic,
        graph: ConstraintGraph,
        values: PointerValues,
        source: int,
        operation: Add,
        target: int,
    ) -> None:
        self._arithmetic = arithmetic
        self._graph = graph
        self._values = values
        self._source = source
        self._operation = operation
        self._target = target
        self._made: dict[int, int] = {}

    def __call__(self, value: int) -> None:
        operation = self._operation
        bits = self._arithmetic.apply(operation, value)
        offset = self._values.offset_of[value]
        if offset is not None and not operation.terms and self._may_feed_itself(value, offset):
            operation = self._operation = Add(0, ((operation.distance, None),))
            bits = self._arithmetic.apply(operation, value)
            known = self._graph.done[self._graph.parent[self._source]]
            bits |= self._arithmetic.apply_all(operation, members(known))
        self._graph.add(self._target, bits)

    def _may_feed_itself(self, value: int, offset: int) -> bool:
        """Ask the graph when this addition makes many offsets in an object, or leaves it."""
        obj = self._values.object_of[value]
        count = self._made[obj.number] = self._made.get(obj.number, 0) + 1
        leaves = offset + self._operation.distance < 0 or (
            obj.size is not None and offset + self._operation.distance > obj.size
        )
        if leaves or (count >= SUSPICIOUS and count & (count - 1) == 0):
            return self._graph.reaches(self._target, self._source)
        return False
