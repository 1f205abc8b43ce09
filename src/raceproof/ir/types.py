"""Types: `IrType` is what the machine sees (sizes, offsets), `SourceType` what the programmer wrote.

Machine types form finite trees because pointers are opaque. Source types may be recursive through
pointers, so they refer to one another by `TypeId` and live in `Program.source_types`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique
from typing import NewType, final

TypeId = NewType("TypeId", int)


@final
@dataclass(frozen=True, slots=True)
class IntType:
    bits: int
    size: int

    def __str__(self) -> str:
        return f"i{self.bits}"


@final
@dataclass(frozen=True, slots=True)
class FloatType:
    name: str
    size: int

    def __str__(self) -> str:
        return self.name


@final
@dataclass(frozen=True, slots=True)
class PtrType:
    size: int

    def __str__(self) -> str:
        return "ptr"


@final
@dataclass(frozen=True, slots=True)
class VoidType:
    size: int = 0

    def __str__(self) -> str:
        return "void"


@final
@dataclass(frozen=True, slots=True)
class ArrayType:
    count: int
    element: IrType
    size: int

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@final
@dataclass(frozen=True, slots=True)
class VectorType:
    count: int
    element: IrType
    size: int

    def __str__(self) -> str:
        return f"<{self.count} x {self.element}>"


@final
@dataclass(frozen=True, slots=True)
class StructType:
    """`name` is empty for literal structs; `offsets[i]` is the byte offset of `fields[i]`."""

    name: str
    fields: tuple[IrType, ...]
    offsets: tuple[int, ...]
    size: int

    def __str__(self) -> str:
        return f"%{self.name}" if self.name else "{" + ", ".join(map(str, self.fields)) + "}"


IrType = IntType | FloatType | PtrType | VoidType | ArrayType | VectorType | StructType

_X87_BYTES = 10  # of an x86_fp80, whose `size` has the padding, too


def value_bytes(kind: IrType) -> tuple[tuple[int, int], ...]:
    """(offset, size) of the bytes that a store of such a value writes: all but its padding."""
    match kind:
        case FloatType(name="x86_fp80"):
            return ((0, _X87_BYTES),)
        case StructType():
            pairs = zip(kind.offsets, kind.fields, strict=True)
            return _joined((at + inner, size) for at, field in pairs for inner, size in value_bytes(field))
        case ArrayType(element=element, count=count) if count and value_bytes(element) != ((0, element.size),):
            step = kind.size // count
            return _joined((n * step + at, size) for n in range(count) for at, size in value_bytes(element))
    return ((0, kind.size),)


def _joined(parts: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for at, size in parts:
        if found and sum(found[-1]) == at:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((at, size))
    return tuple(found)


@unique
class SourceKind(Enum):
    BASE = "base"
    POINTER = "pointer"
    STRUCT = "struct"
    UNION = "union"
    ARRAY = "array"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct or union; `bit_size` and `bit_offset` (from the struct's start) for bit-fields."""

    name: str
    offset: int
    type: TypeId
    bit_size: int | None = None
    bit_offset: int | None = None


@dataclass(frozen=True, slots=True)
class SourceType:
    """A type as declared; `target` is the pointee or the array's element; typedefs are looked through.

    `name` is what to print (`struct node`, `int`, `pthread_mutex_t`); `size` is in bytes, 0 if unknown.
    """

    kind: SourceKind
    name: str
    size: int
    members: tuple[Member, ...] = ()
    target: TypeId | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as the programmer knows it."""

    name: str
    type: TypeId | None
