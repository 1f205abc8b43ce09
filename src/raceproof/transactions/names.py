"""Names of the variables that invariants speak of: shared cells, registers, and the arguments of threads."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shared:
    """A cell that threads share; `text` is what the programmer calls it."""

    text: str
    cell: Hashable = field(compare=True)

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
