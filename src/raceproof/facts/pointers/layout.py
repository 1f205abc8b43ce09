"""Layout: which arrays lie where in an object, and so which bytes share a cell.

The elements of an array share the cells that hold their contents (array smashing): `a[0].next` and `a[7].next`
are one cell. A `Shape` tells, for a byte offset, the arrays around it and the *canonical* offset, that of the
same byte in the first element of each array.

    struct { int n; struct node *slot[4]; } t[10];      # 40 bytes each
    shape.levels(56)     ->  ((0, 40, 400), (48, 8, 32))        # t, and slot within t[1]
    shape.canonical(56)  ->  8                                  # if t had more than 16 slots

A small array is not smashed: its elements keep cells of their own, so that `id[0]` and `id[1]` can hold different
threads. `smashed` gives the arrays around an offset that are.

The canonical offset is a function of the offset alone, so a wrong guess of a heap object's type can only merge
cells that need not share. Where pointer arithmetic stays is another matter: there, only declared types count, and
guesses that the size of the allocation confirms (`AbstractObject.is_declared`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from raceproof.ir import (
    ArrayType,
    FloatType,
    IntType,
    IrType,
    PtrType,
    SourceKind,
    SourceType,
    StructType,
    TypeId,
    VectorType,
    VoidType,
)

MAX_APART: Final = 16
"""Elements of an array (all its dimensions together) that keep cells of their own."""

_UNION: Final = "union."
"""How LLVM's names of unions begin."""

Level = tuple[int, int, int | None]
"""An array: its first byte, the size of an element, its extent in bytes (None: open)."""


@dataclass(frozen=True, slots=True)
class ArrayPart:
    """`count` elements of `stride` bytes; `count` is None for an array without a known end."""

    stride: int
    count: int | None
    element: Part


@dataclass(frozen=True, slots=True)
class RecordPart:
    """The members that contain arrays: offsets, ends (None: open) and parts, in order of offset."""

    offsets: tuple[int, ...]
    ends: tuple[int | None, ...]
    parts: tuple[ArrayPart | RecordPart, ...]


Part = ArrayPart | RecordPart | None
"""The arrays of a type; None where it has none."""


class Shape:
    """The arrays of one object. Answers are remembered: programs ask for few offsets, but often."""

    __slots__ = ("_canonical", "_leading", "_levels", "_records", "_smashed", "root")

    def __init__(self, root: Part) -> None:
        self.root = root
        self._levels: dict[int, tuple[Level, ...]] = {}
        self._smashed: dict[int, tuple[Level, ...]] = {}
        self._canonical: dict[int, int] = {}
        self._leading: dict[int, frozenset[int]] = {}
        self._records: dict[int, frozenset[int]] = {}

    def levels(self, offset: int) -> tuple[Level, ...]:
        """The arrays that contain the byte at `offset`, outermost first."""
        found = self._levels.get(offset)
        if found is None:
            self._descend(offset)
            found = self._levels[offset]
        return found

    def smashed(self, offset: int) -> tuple[Level, ...]:
        """Those of `levels` whose elements share cells."""
        if offset not in self._smashed:
            self._descend(offset)
        return self._smashed[offset]

    def canonical(self, offset: int) -> int:
        """The offset of the same byte in the first element of every smashed array around it."""
        found = self._canonical.get(offset)
        if found is None:
            self._descend(offset)
            found = self._canonical[offset]
        return found

    def leading(self, offset: int) -> frozenset[int]:
        """Which of `levels`, by index, are the first member of a struct, whose address is that of the struct."""
        if offset not in self._leading:
            self._descend(offset)
        return self._leading[offset]

    def records(self, offset: int) -> frozenset[int]:
        """Where the structs start that contain the arrays around `offset`."""
        if offset not in self._records:
            self._descend(offset)
        return self._records[offset]

    def _descend(self, offset: int) -> None:
        levels: list[Level] = []
        smashed: list[Level] = []
        leading: set[int] = set()
        records: set[int] = set()
        is_first = False
        base, skipped, apart = 0, 0, 1
        part = self.root
        while part is not None:
            inside = offset - base
            if isinstance(part, ArrayPart):
                extent = None if part.count is None else part.stride * part.count
                if inside < 0 or (extent is not None and inside >= extent):
                    break
                if is_first:
                    leading.add(len(levels))
                levels.append((base, part.stride, extent))
                is_first = False
                skip = inside // part.stride * part.stride
                if part.count is None or apart * part.count > MAX_APART:
                    smashed.append((base, part.stride, extent))
                    skipped += skip
                else:
                    apart *= part.count
                base += skip
                part = part.element
            else:
                records.add(base)
                at = bisect_right(part.offsets, inside) - 1
                end = part.ends[at]
                if at < 0 or (end is not None and inside >= end):
                    break
                base += part.offsets[at]
                is_first = part.offsets[at] == 0
                part = part.parts[at]
        self._levels[offset] = tuple(levels)
        self._smashed[offset] = tuple(smashed)
        self._leading[offset] = frozenset(leading)
        self._records[offset] = frozenset(records)
        self._canonical[offset] = offset - skipped


def part_of_ir_type(type_: IrType, last: bool = True) -> Part:
    """The arrays of a machine type; a union's is that of one member and padding, which is left out.

    `last`: nothing follows in the object, so that an array of at most one element at the end may have more
    (a flexible array member, or its old spelling `[1]`).
    """
    match type_:
        case ArrayType(count=count, element=element):
            if element.size <= 0:
                return None
            is_open = last and count <= 1
            inner = part_of_ir_type(element, last=False)
            if count <= 1 and not is_open:
                return inner if count == 1 else None
            return ArrayPart(element.size, None if is_open else count, inner)
        case StructType(name=name) if name.startswith(_UNION):
            return None
        case StructType(fields=fields, offsets=offsets):
            members = [
                (offset, field.size, part_of_ir_type(field, last and i == len(fields) - 1 and i > 0))
                for i, (offset, field) in enumerate(zip(offsets, fields, strict=True))
            ]
            return _record(members)
        case IntType() | FloatType() | PtrType() | VoidType() | VectorType():
            return None


def is_literal(type_: IrType) -> bool:
    """A struct without a name, or an array of such: made for an initial value."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return isinstance(type_, StructType) and not type_.name


def part_of_source_type(types: Mapping[TypeId, SourceType], type_: TypeId, last: bool = True) -> Part:
    """The arrays of a declared type; those inside a union overlap other members and are left out."""
    source = types.get(type_)
    if source is None:
        return None
    if source.kind is SourceKind.ARRAY and source.target is not None:
        element = types.get(source.target)
        if element is None or element.size <= 0:
            return None
        count = source.count or 0
        is_open = last and count <= 1
        inner = part_of_source_type(types, source.target, last=False)
        if count <= 1 and not is_open:
            return inner if count == 1 else None
        return ArrayPart(element.size, None if is_open else count, inner)
    if source.kind is SourceKind.STRUCT:
        plain = sorted((m for m in source.members if m.bit_size is None), key=lambda m: m.offset)
        members = []
        for i, member in enumerate(plain):
            size = types[member.type].size if member.type in types else 0
            at_end = last and i == len(plain) - 1 and i > 0
            members.append((member.offset, size, part_of_source_type(types, member.type, at_end)))
        return _record(members)
    return None


def may_hold_pointers(types: Mapping[TypeId, SourceType], type_: TypeId, pointer_size: int) -> bool:
    """Whether C lets a pointer be stored in an object of a declared type: as one, as a large number, or as bytes."""
    source = types.get(type_)
    if source is None or source.size <= 0:
        return True
    match source.kind:
        case SourceKind.BASE:
            return source.size >= pointer_size and not source.name.endswith(("float", "double"))
        case SourceKind.POINTER | SourceKind.FUNCTION:
            return True
        case SourceKind.ARRAY:
            element = types.get(source.target) if source.target is not None else None
            is_bytes = element is not None and element.size == 1 and source.size >= pointer_size
            return element is None or is_bytes or may_hold_pointers(types, source.target or type_, pointer_size)
        case SourceKind.STRUCT | SourceKind.UNION:
            return any(may_hold_pointers(types, member.type, pointer_size) for member in source.members)


def _record(members: list[tuple[int, int, Part]]) -> Part:
    kept = [(offset, _is_open(part), offset + size, part) for offset, size, part in members if part is not None]
    if not kept:
        return None
    return RecordPart(
        tuple(offset for offset, _, _, _ in kept),
        tuple(None if is_open else end for _, is_open, end, _ in kept),
        tuple(part for _, _, _, part in kept),
    )


def _is_open(part: Part) -> bool:
    if isinstance(part, ArrayPart):
        return part.count is None
    return part is not None and part.ends[-1] is None


def repeated(part: Part, size: int, total: int | None) -> Part:
    """The arrays of a heap object that was made for values of a type with arrays `part` and `size` bytes.

    `total` is the number of bytes allocated, if constant. A type with a flexible array member is not repeated.
    """
    if size <= 0 or _is_open(part) or total == size:
        return part
    if total is None:
        return ArrayPart(size, None, part)
    if total % size == 0:
        return ArrayPart(size, total // size, part)
    return part


def pointer_slots(type_: IrType, pointer_size: int) -> tuple[int, ...]:
    """Offsets in a value of the type where a pointer may stand; integers of pointer size count."""
    if isinstance(type_, PtrType):
        return (0,)
    if isinstance(type_, IntType):
        return tuple(range(0, type_.size - pointer_size + 1, pointer_size)) if type_.bits >= 8 * pointer_size else ()
    if isinstance(type_, VectorType):  # whatever its elements are: it may be a copy of other memory
        return tuple(range(0, type_.size - pointer_size + 1, pointer_size))
    if isinstance(type_, ArrayType):
        inner = pointer_slots(type_.element, pointer_size)
        count = min(type_.count, MAX_SLOTS) if inner else 0
        return tuple(i * type_.element.size + slot for i in range(count) for slot in inner)
    if isinstance(type_, StructType):
        fields = zip(type_.offsets, type_.fields, strict=True)
        return tuple(offset + slot for offset, field in fields for slot in pointer_slots(field, pointer_size))
    return ()


MAX_SLOTS = 4096
