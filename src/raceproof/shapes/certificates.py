"""What was found about locks, written down as evidence, and read again."""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.core import InputError
from raceproof.model import CellData, HeapData, ListData, LockHeaps, ObjectId, ValueData
from raceproof.shapes.surroundings import Surroundings
from raceproof.shapes.symbolic_heap import (
    ANYTHING,
    Anything,
    At,
    Cell,
    Heap,
    Layout,
    Local,
    NotZero,
    Number,
    Origin,
    Place,
    Segment,
    Value,
)

Piece = tuple[Heap, list[Value]]
"""What hangs on the roots of a lock, in their order; nodes are numbered from 1, as they are met."""


def encoded(lock: Place, roots: Sequence[Place], pieces: Sequence[Piece]) -> LockHeaps:
    return LockHeaps(_place(lock), tuple(map(_place, roots)), tuple(_heap(*piece) for piece in pieces))


def decoded(around: Surroundings, layout: Layout, found: LockHeaps) -> tuple[Place, tuple[Place, ...], list[Piece]]:
    """Raises `InputError` if it makes no sense."""
    lock, *roots = (Place(ObjectId(number), offset) for number, offset in (found.lock, *found.roots))
    pieces = [_piece(around, layout, heap) for heap in found.heaps]
    if any(len(values) != len(roots) for _, values in pieces):
        raise InputError("a heap has other roots than its lock")
    return lock, tuple(roots), pieces


def _place(place: Place) -> tuple[int, int]:
    return place.object, place.offset or 0


def _heap(heap: Heap, values: Sequence[Value]) -> HeapData:
    return HeapData(tuple(map(_value, values)), tuple(map(_part, heap.parts.values())))


def _part(part: Cell | Segment) -> CellData | ListData:
    origin = tuple(sorted(part.origin))
    if isinstance(part, Segment):
        owned = tuple((offset, tuple(sorted(made))) for offset, made in part.owned)
        return ListData(origin, part.link, _value(part.end), owned)
    fields = tuple((offset, _value(value)) for offset, value in sorted(part.fields.items()))
    return CellData(origin, fields, part.is_zeroed, tuple(sorted(part.spoilt)))


def _value(value: Value) -> ValueData:
    match value:
        case At(node=node, offset=offset):
            return "at", node, offset
        case Place(object=number, offset=offset):
            return "place", number, offset
        case Number(value=number):
            return "number", number, None
        case NotZero():
            return "not zero", None, None
        case Anything() | Local():
            return "anything", None, None


def _origin(around: Surroundings, objects: Sequence[int]) -> Origin:
    origin = frozenset(map(ObjectId, objects))
    if not origin <= around.shared:
        raise InputError("a heap has objects that threads do not share")
    return origin


def _piece(around: Surroundings, layout: Layout, data: HeapData) -> Piece:
    nodes = range(1, len(data.parts) + 1)

    def value_of(told: ValueData) -> Value:
        match told:
            case ("at", int(node), offset) if node in nodes:
                return At(node, offset)
            case ("place", int(number), offset):
                return Place(ObjectId(number), offset)
            case ("number", int(number), None):
                return Number(number)
            case ("not zero", None, None):
                return NotZero()
            case ("anything", None, None):
                return ANYTHING
        raise InputError(f"{told} is no value")

    parts: dict[int, Cell | Segment] = {}
    for node, part in zip(nodes, data.parts, strict=True):
        origin = _origin(around, part.objects)
        if isinstance(part, CellData):
            fields = {offset: value_of(value) for offset, value in part.fields}
            parts[node] = Cell(origin, fields, part.is_zeroed, frozenset(part.spoilt))
        else:
            owned = tuple((offset, _origin(around, made)) for offset, made in part.owned)
            parts[node] = Segment(origin, part.link, value_of(part.end), owned)
    return Heap(layout, parts, len(parts)), [value_of(told) for told in data.values]
