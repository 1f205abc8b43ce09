"""What locks protect on the heap, as evidence: plain data for a checker to confirm step by step.

Objects are numbered as the facts number them when the program is read again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from raceproof.model.concurrency import AccessId

PlaceData = tuple[int, int]
"""An object that exists once, and an offset in it."""

ValueData = tuple[str, int | None, int | None]
""""at" a node, from 1, and an offset; "place", with an object and an offset; "number"; "not zero"; "anything"."""


@dataclass(frozen=True, slots=True)
class CellData:
    """A node: the objects that it may be, pointers by offset; the rest is zero or not known, `spoilt` words are not."""

    objects: tuple[int, ...]
    fields: tuple[tuple[int, ValueData], ...]
    is_zeroed: bool
    spoilt: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ListData:
    """A list of one node or more: what they may be, where each has the next one, and the last one `end`. `owned`:
    fields in which each has an object of its own, and what that may be."""

    objects: tuple[int, ...]
    link: int
    end: ValueData
    owned: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class HeapData:
    """What the roots of a lock may hold, and what that leads to: nodes and lists, numbered from 1."""

    values: tuple[ValueData, ...]
    parts: tuple[CellData | ListData, ...]


@dataclass(frozen=True, slots=True)
class LockHeaps:
    """A lock, the places that only its holder touches, and all that may be there when nobody holds it."""

    lock: PlaceData
    roots: tuple[PlaceData, ...]
    heaps: tuple[HeapData, ...]


@dataclass(frozen=True, slots=True)
class HeapMap:
    """Why the accesses of `pairs` always go to objects that their threads own: what each lock protects. `link`: where
    the nodes of lists have the next one, None: anywhere. `hosts`: objects that exist once, and are no nodes."""

    pairs: tuple[tuple[AccessId, AccessId], ...]
    link: int | None
    hosts: tuple[int, ...]
    locks: tuple[LockHeaps, ...]

    @property
    def count(self) -> int:
        return sum(len(lock.heaps) for lock in self.locks)


@final
@dataclass(frozen=True, slots=True)
class OwnedHeaps:
    """The evidence for one pair: `text` for people, `map` is what a checker needs, the same for all pairs of a run."""

    text: str
    map: HeapMap = field(repr=False)

    def __str__(self) -> str:
        return self.text
