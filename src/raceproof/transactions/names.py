"""Names of the variables that invariants speak of: cells of memory, registers, and the arguments of threads."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from raceproof.model import MemLoc, ObjectId


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """`size` bytes from `offset` in `object`. What does not touch it as a whole makes its value unknown.

    `part`: not 0 for the state of a semaphore, barrier or condition there, which no access touches (`rendezvous`).
    """

    object: ObjectId
    offset: int
    size: int
    part: int = 0

    def overlaps(self, location: MemLoc) -> bool:
        """Whether an access to the location may touch the cell."""
        if location.object != self.object or self.part:
            return False
        if location.offset is None or location.size is None:
            return location.offset is None or location.stride is not None or location.offset < self.offset + self.size
        if location.stride is not None:
            distance = (self.offset - location.offset) % location.stride
            return distance < location.size or distance + self.size > location.stride
        return location.offset < self.offset + self.size and self.offset < location.offset + location.size


@dataclass(frozen=True, slots=True)
class Shared:
    """A cell that threads share; `text` is what the programmer calls it."""

    text: str
    cell: Cell

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Register:
    """A register of a function that runs in a thread, in a calling context that `frame` numbers.

    `part` tells the parts of a pair apart. `text`: the source variable whose value it is, or else its own name.
    """

    thread: int
    frame: int
    name: str
    part: int = 0
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.text or f"%{self.name}"


@dataclass(frozen=True, slots=True)
class Argument:
    """What the thread in a slot was given at its creation: it never changes, so all threads may speak of it."""

    slot: int

    def __str__(self) -> str:
        return f"argument of thread {self.slot}"


@dataclass(frozen=True, slots=True)
class Primed:
    """The same name in another thread, where two threads are compared that run the same code."""

    name: Hashable

    def __str__(self) -> str:
        return f"{self.name}'"
