"""Memory: which graph node holds what a pointer value points to.

Every canonical offset of an object has a *cell*, one node for what is stored there. A pointer value that ranges
over more than one cell (anywhere in the object, or an array that the layout does not know) has an *overlay*: a
node to write through, with an edge to each cell that it covers, and a node to read through, with an edge from each.
So an unknown index costs precision only where it is used, and never merges the cells themselves.

A pointer is taken to stand in one cell: one that is stored in parts is lost here, and found again by
`flow/rebuilt_pointers.py`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Final

from raceproof.facts.pointers.objects import AbstractObject, Dims, PointerValues
from raceproof.facts.pointers.propagation import ConstraintGraph

_UNLIMITED: Final = 1 << 48
CellHook = Callable[[int | None, int], None]
"""Called with the canonical offset (None: any) and the node of each cell or overlay that can be read."""


@dataclass(slots=True, eq=False)
class Overlay:
    """A range of cells: `offset` None is the whole object."""

    offset: int | None
    dims: Dims
    read: int
    write: int


class Memory:
    """Cells and overlays of all objects, made when they are first used."""

    def __init__(self, values: PointerValues, graph: ConstraintGraph, pointer_size: int) -> None:
        self._values = values
        self._pointer_size = pointer_size
        self._graph = graph
        self._overlays: dict[int, dict[tuple[int | None, Dims], Overlay]] = {}
        self._hooks: dict[int, list[CellHook]] = {}
        self._news: deque[tuple[CellHook, int | None, int]] = deque()
        self._is_telling = False
        self._read: dict[int, int | None] = {}
        self._write: dict[int, int | None] = {}
        graph.cells = self
        graph.covered = values.covered

    def read_of(self, value: int) -> int | None:
        """The node that holds what the value may point to; None for functions and threads."""
        if value not in self._read:
            self._resolve(value)
        return self._read[value]

    def write_of(self, value: int) -> int | None:
        """The node through which a store to the value goes."""
        if value not in self._write:
            self._resolve(value)
        return self._write[value]

    def _resolve(self, value: int) -> None:
        values = self._values
        obj, offset, dims = values.object_of[value], values.offset_of[value], values.dims_of[value]
        if not obj.has_contents or not self._has_room(obj, offset):
            self._read[value] = self._write[value] = None
        elif obj.flat:
            self._read[value] = self._write[value] = self.cell(obj, 0)
        elif offset is None or (dims and not values.is_smashed(value)):
            overlay = self.overlay(obj, offset, dims)
            self._read[value], self._write[value] = overlay.read, overlay.write
        else:
            self._read[value] = self._write[value] = self.cell(obj, offset)
        if obj.is_constant:
            self._write[value] = None

    def _has_room(self, obj: AbstractObject, offset: int | None) -> bool:
        """Whether a pointer can stand at `offset` (None: anywhere) of the object."""
        at = 0 if offset is None else offset
        return at >= 0 and (obj.size is None or at + self._pointer_size <= obj.size)

    def cell(self, obj: AbstractObject, offset: int) -> int:
        """The node for what is stored at `offset`."""
        canonical = obj.shape.canonical(offset) if obj.shape is not None else offset
        node = obj.cells.get(canonical)
        if node is None:
            node = obj.cells[canonical] = self._graph.new_node()
            for overlay in self._overlays.get(obj.number, {}).values():
                self._connect(obj, overlay, canonical, node)
            self._tell(obj, canonical, node)
        return node

    def overlay(self, obj: AbstractObject, offset: int | None, dims: Dims) -> Overlay:
        overlays = self._overlays.setdefault(obj.number, {})
        found = overlays.get((offset, dims))
        if found is not None:
            return found
        made = Overlay(offset, dims, self._graph.new_node(), self._graph.new_node())
        self._graph.copy(made.write, made.read)
        for other in overlays.values():
            if _may_meet(made.offset, made.dims, other.offset, other.dims):
                self._graph.copy(made.write, other.read)
                self._graph.copy(other.write, made.read)
        overlays[offset, dims] = made
        for canonical, node in list(obj.cells.items()):
            self._connect(obj, made, canonical, node)
        self._tell(obj, None, made.write)
        return made

    def _tell(self, obj: AbstractObject, canonical: int | None, node: int) -> None:
        """Call the hooks of an object; those that they cause follow one after the other, not inside."""
        self._news.extend((hook, canonical, node) for hook in self._hooks.get(obj.number, ()))
        if not self._is_telling:
            self._is_telling = True
            while self._news:
                hook, at, cell = self._news.popleft()
                hook(at, cell)
            self._is_telling = False

    def whole(self, obj: AbstractObject) -> tuple[int, int]:
        """The nodes to read and to write the whole object through."""
        if obj.flat:
            node = self.cell(obj, 0)
            return node, node
        overlay = self.overlay(obj, None, ())
        return overlay.read, overlay.write

    def _connect(self, obj: AbstractObject, overlay: Overlay, canonical: int, node: int) -> None:
        dims = obj.shape.smashed(canonical) if obj.shape is not None else ()
        if _may_meet(overlay.offset, overlay.dims, canonical, dims):
            self._graph.copy(overlay.write, node)
            self._graph.copy(node, overlay.read)

    def on_cells(self, obj: AbstractObject, hook: CellHook) -> None:
        """Call `hook` for every cell and overlay that the object has or gets."""
        self._hooks.setdefault(obj.number, []).append(hook)
        for canonical, node in list(obj.cells.items()):
            hook(canonical, node)
        for overlay in list(self._overlays.get(obj.number, {}).values()):
            hook(None, overlay.write)

    def nodes_at(self, obj: AbstractObject, offset: int | None, size: int | None, stride: int | None) -> list[int]:
        """Nodes with all that may be stored in a range, to the end of the object if `size` is None.

        Makes no new ones, for use after solving.
        """
        overlays = list(self._overlays.get(obj.number, {}).values())
        if obj.flat or offset is None:
            return [*obj.cells.values(), *(o.write for o in overlays)]
        dims: Dims = () if stride is None else ((offset % stride, stride, None),)
        if stride is not None:
            offset %= stride
        last = offset + (_UNLIMITED if size is None else max(size, 1)) - 1
        nodes = []
        for canonical, node in obj.cells.items():
            levels = obj.shape.smashed(canonical) if obj.shape is not None else ()
            if _may_meet(offset, dims, canonical, levels) or (
                last > offset and _may_overlap(offset, last, dims, canonical, levels)
            ):
                nodes.append(node)
        nodes.extend(o.write for o in overlays if last > offset or _may_meet(offset, dims, o.offset, o.dims))
        return nodes


def _may_overlap(first: int, last: int, dims: Dims, at: int, levels: Dims) -> bool:
    """Whether `at`, moved along its arrays, may lie in [first, last] moved along `dims`."""
    step = gcd(*(stride for _, stride, _ in dims + levels))
    end = _last(at, levels)
    if step == 0:
        return first <= at <= last
    meets = (at - first) % step <= last - first
    return meets and (bool(dims) or ((end is None or first <= end) and at <= last))


def _may_meet(a: int | None, a_dims: Dims, b: int | None, b_dims: Dims) -> bool:
    """Whether two ranges may have an offset in common."""
    if a is None or b is None:
        return True
    step = gcd(*(stride for _, stride, _ in a_dims + b_dims))
    if a != b and (step == 0 or (a - b) % step != 0):
        return False
    a_last, b_last = _last(a, a_dims), _last(b, b_dims)
    return (a_last is None or b <= a_last) and (b_last is None or a <= b_last)


def _last(offset: int, dims: Dims) -> int | None:
    for _, stride, extent in dims:
        if extent is None:
            return None
        offset += (extent - 1) // stride * stride
    return offset
