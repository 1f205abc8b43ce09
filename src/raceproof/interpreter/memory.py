"""Concrete memory of the interpreter: objects of bytes, values that are numbers or pointers.

A number is a non-negative int below 2 to the number of its bits. A pointer is an object and an offset, so that no
arithmetic can lead from one object into another. What was never written is `UNDEFINED`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

ObjectName = tuple[object, ...]
"""Where an object comes from, the same in every schedule: ("global", "x"), ("heap", thread, 0)."""


class NotSupported(Exception):
    """The interpreter does not know what the program does here; nothing is said about the program."""


class UndefinedBehaviour(Exception):
    """The program does what C leaves undefined, other than a race: the thread goes no further."""


class Undefined:
    """The one value that nobody wrote."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = Undefined()


class Pointer(NamedTuple):
    object: MemoryObject
    offset: int

    def __repr__(self) -> str:
        return f"{self.object.name}+{self.offset}"


class Fragment(NamedTuple):
    """One byte of a pointer."""

    pointer: Pointer
    number: int


Value = int | Pointer | Fragment | Undefined | tuple["Value", ...]

ShadowKey = tuple[int, int, str, int, int, bool, bool]
"""Thread, site, kind, first byte, end, whether it writes, whether it is atomic."""


@dataclass(eq=False, slots=True)
class MemoryObject:
    """`cells` maps an offset to a size and a value; cells never overlap, a byte in no cell has the value `default`.

    `shadow` holds the clock of the last access of each kind; `version` counts writes; `freed` at which site.
    """

    name: ObjectName
    size: int
    default: int | Undefined
    cells: dict[int, tuple[int, Value]] = field(default_factory=dict)
    shadow: dict[ShadowKey, int] = field(default_factory=dict)
    version: int = 0
    is_freed: bool = False
    is_function: bool = False

    def check(self, offset: int, size: int) -> None:
        if self.is_freed or self.is_function or offset < 0 or offset + size > self.size:
            raise UndefinedBehaviour(f"bytes {offset} to {offset + size} of {self.name}")

    def load(self, offset: int, size: int) -> Value:
        self.check(offset, size)
        cell = self.cells.get(offset)
        if cell is not None and cell[0] == size:
            return cell[1]
        return _assemble([self._byte(at) for at in range(offset, offset + size)])

    def store(self, offset: int, size: int, value: Value) -> None:
        self.check(offset, size)
        self.version += 1
        cell = self.cells.get(offset)
        if cell is None or cell[0] != size:
            self._clear(offset, size)
        self.cells[offset] = (size, value)

    def bytes(self, offset: int, size: int) -> list[Value]:
        self.check(offset, size)
        return [self._byte(at) for at in range(offset, offset + size)]

    def _byte(self, at: int) -> Value:
        for start in range(at, max(at - 16, -1), -1):
            cell = self.cells.get(start)
            if cell is not None:
                size, value = cell
                return _byte_of(value, size, at - start) if at < start + size else self.default
        return self.default

    def _clear(self, offset: int, size: int) -> None:
        """Make room for a cell: split those that overlap it into bytes, and drop the bytes inside."""
        for start in range(offset - 15, offset + size):
            cell = self.cells.get(start)
            if cell is not None and start + cell[0] > offset:
                del self.cells[start]
                for at in range(start, start + cell[0]):
                    if not offset <= at < offset + size:
                        self.cells[at] = (1, _byte_of(cell[1], cell[0], at - start))


def _byte_of(value: Value, size: int, index: int) -> Value:
    if isinstance(value, int):
        return (value >> (8 * index)) & 0xFF
    if isinstance(value, Pointer):
        return Fragment(value, index)
    return value


def _assemble(content: list[Value]) -> Value:
    """The value of some bytes, least significant first."""
    if len(content) == 1:
        return content[0]
    if any(byte is UNDEFINED for byte in content):
        return UNDEFINED
    if all(isinstance(byte, int) for byte in content):
        return sum(byte << (8 * at) for at, byte in enumerate(content) if isinstance(byte, int))
    first = content[0]
    if (
        isinstance(first, Fragment)
        and len(content) == 8
        and all(isinstance(byte, Fragment) and byte == Fragment(first.pointer, at) for at, byte in enumerate(content))
    ):
        return first.pointer
    raise NotSupported("a part of a pointer")
