"""Copying memory: what memcpy, struct assignment and realloc do to the cells behind two pointers.

All sources of one call flow into a buffer, and the buffer into all targets, so that m sources and n targets cost
m + n links. A cell of a source becomes a *segment* of the buffer: a distance from the pointer, and the arrays over
which its cell ranges. What cannot be placed (an unknown offset) becomes the buffer's `anywhere` segment.

Follows no paper; the effect is that of all-to-all copying restricted to equal distances.
"""

from __future__ import annotations

from math import gcd
from typing import Final

from raceproof.facts.pointers.cells import Memory
from raceproof.facts.pointers.layout import Level
from raceproof.facts.pointers.objects import AbstractObject, Dims, PointerValues
from raceproof.facts.pointers.propagation import ConstraintGraph

Segment = tuple[int | None, tuple[tuple[int, int | None], ...]]
"""Distance from the pointer (None: anywhere) and (stride, count) of the arrays that it ranges over."""

ANYWHERE: Segment = (None, ())
MAX_POINTERS: Final = 16
"""Pointers into one object of which the offsets are heeded; beyond, the object is copied from or to as a whole."""
MAX_SEGMENTS: Final = 64


class CopyBuffer:
    """One copying call; `size` bytes are copied, None if that is not constant."""

    def __init__(self, values: PointerValues, memory: Memory, graph: ConstraintGraph, size: int | None) -> None:
        self._values = values
        self._memory = memory
        self._graph = graph
        self._size = size
        self._segments: dict[Segment, int] = {}
        self._sources: dict[int, set[int]] = {}
        self._targets: dict[int, dict[int, None]] = {}

    def add_source(self, value: int) -> None:
        obj = self._values.object_of[value]
        known = self._sources.setdefault(obj.number, set())
        if value in known or not obj.has_contents or len(known) > MAX_POINTERS:
            return
        known.add(value)
        if obj.flat or self._values.offset_of[value] is None or len(known) > MAX_POINTERS:
            self._graph.copy(self._memory.whole(obj)[0], self._node(ANYWHERE))
            return

        def hook(canonical: int | None, node: int) -> None:
            segment = self._segment(obj, value, canonical)
            if segment is not None:
                self._graph.copy(node, self._node(segment))

        self._memory.on_cells(obj, hook)

    def add_target(self, value: int) -> None:
        obj = self._values.object_of[value]
        known = self._targets.setdefault(obj.number, {})
        if value in known or not obj.has_contents or obj.is_constant or len(known) > MAX_POINTERS:
            return
        if len(known) == MAX_POINTERS:
            value = self._values.anywhere(obj)
        known[value] = None
        for segment, node in list(self._segments.items()):
            self._link(segment, node, value)

    def _node(self, segment: Segment) -> int:
        if len(self._segments) >= MAX_SEGMENTS and segment not in self._segments:
            segment = ANYWHERE
        node = self._segments.get(segment)
        if node is None:
            node = self._segments[segment] = self._graph.new_node()
            for value in [v for known in self._targets.values() for v in known]:
                self._link(segment, node, value)
        return node

    def _link(self, segment: Segment, node: int, target: int) -> None:
        distance, dims = segment
        values = self._values
        obj, offset = values.object_of[target], values.offset_of[target]
        if distance is None or offset is None:
            written = self._memory.write_of(values.window(target, self._size))
            if written is not None:
                self._graph.copy(node, written)
            return
        if not values.dims_of[target] and obj.size is not None and offset + distance >= obj.size:
            return
        reached = self._moved(target, offset, distance)
        for stride, count in dims:
            reached = tuple(new for value in reached for new in values.add_term(value, stride, count, True))
        for value in reached:
            cell = self._memory.write_of(value)
            if cell is not None:
                self._graph.copy(node, cell)

    def _moved(self, target: int, offset: int, distance: int) -> tuple[int, ...]:
        """The target, so much further on; who copies more than an array of characters copies what is behind it too."""
        values = self._values
        obj = values.object_of[target]
        array = None if values.dims_of[target] or self._size is None else values.plain_array(obj, offset)
        if array is not None and array[2] is not None and offset + (self._size or 0) > array[0] + array[2]:
            return (values.exact(obj, offset + distance),)
        return values.shift(target, distance)

    def _segment(self, obj: AbstractObject, value: int, canonical: int | None) -> Segment | None:
        """Where in the buffer the cell at `canonical` goes; None if it is not copied."""
        offset, dims = self._values.offset_of[value], self._values.dims_of[value]
        if canonical is None or offset is None:
            return ANYWHERE
        start, around, fixed = self._window(obj, offset)
        levels = obj.shape.smashed(canonical) if obj.shape is not None else ()
        if levels[: len(around)] != around:
            return None
        inner = levels[len(around) :]
        distance = canonical - start
        step = gcd(*(stride for dim in dims if dim not in fixed for stride in dim[1:2]))
        if step:  # the index of the pointer is not known: only the place within an element is
            if self._size is None or self._size > step or any(stride >= step for _, stride, _ in inner):
                return ANYWHERE
            distance %= step
        return self._place(distance, inner)

    def _place(self, distance: int, inner: Dims) -> Segment | None:
        """Cut a cell at `distance`, which ranges over the arrays `inner`, to the bytes that are copied."""
        size = self._size
        if not inner:
            return None if distance < 0 or (size is not None and distance >= size) else (distance, ())
        _, stride, extent = inner[0]
        skipped = max(0, -(distance // stride))
        distance += skipped * stride
        if skipped and _reach(inner[1:], stride - distance):
            return ANYWHERE  # the copy begins within the arrays of an element
        if size is not None and distance >= size:
            return None
        count = None if extent is None else extent // stride - skipped
        if size is not None:
            fitting = -(-(size - distance) // stride)
            count = fitting if count is None else min(count, fitting)
        if count is not None and count <= 0:
            return None
        counts = [(stride, count)] + [(s, None if e is None else e // s) for _, s, e in inner[1:]]
        return distance, tuple((s, n) for s, n in counts if n != 1)

    def _window(self, obj: AbstractObject, offset: int) -> tuple[int, Dims, Dims]:
        """The canonical start of what is copied, and the smashed arrays of which it lies within one element.

        The arrays are given twice: as they stand around canonical offsets, and around `offset`.
        """
        if obj.shape is None or self._size is None:
            return offset, (), ()
        around: list[Level] = []
        fixed: list[Level] = []
        moved = 0
        for first, stride, extent in obj.shape.smashed(offset):
            if (offset - first) % stride + self._size > stride:
                break
            around.append((first - moved, stride, extent))
            fixed.append((first, stride, extent))
            moved += (offset - first) // stride * stride
        return offset - moved, tuple(around), tuple(fixed)


def _reach(dims: Dims, distance: int) -> bool:
    """Whether stepping over the arrays may lead so far."""
    return any(extent is None for _, _, extent in dims) or (
        sum((extent - 1) // stride * stride for _, stride, extent in dims if extent is not None) >= distance
    )
