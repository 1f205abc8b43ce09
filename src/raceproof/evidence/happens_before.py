"""Happens-before of a recorded run: program order, and what atomics of each memory order add (C11 5.1.2.4).

Locks, creation, joins and the like are the specification's (`raceproof.spec`). The value in each byte of an atomic
object carries the clocks of the releases whose release sequences it belongs to, one for each thread that heads one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from raceproof.ir import MemoryOrder
from raceproof.spec import VectorClocks

Clock = dict[int, int]
Place = tuple[str, int]
"""A byte: what it belongs to, and which one it is."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes from `low` up to `high` of an object, or of a thread's stack."""

    base: str
    low: int
    high: int

    def overlaps(self, other: Span) -> bool:
        return self.base == other.base and self.low < other.high and other.low < self.high

    def places(self) -> Iterator[Place]:
        return ((self.base, at) for at in range(self.low, self.high))

    def has(self, place: Place) -> bool:
        return place[0] == self.base and self.low <= place[1] < self.high


ORDERS: Final = {
    1: MemoryOrder.RELAXED,
    2: MemoryOrder.ACQUIRE,
    3: MemoryOrder.RELEASE,
    4: MemoryOrder.ACQ_REL,
    5: MemoryOrder.SEQ_CST,
}


def join(into: Clock, other: Clock) -> None:
    for thread, time in other.items():
        into[thread] = max(into.get(thread, 0), time)


@dataclass(slots=True)
class AtomicOrder:
    """`heads`: for each byte the clocks that a read of it gets, by the thread that heads the release sequence.

    `seen`: what the thread has read and an acquire fence would make it know; `fenced`: what its release fence gave.
    """

    clocks: VectorClocks
    heads: dict[Place, dict[int, Clock]] = field(default_factory=dict)
    seen: dict[int, Clock] = field(default_factory=dict)
    fenced: dict[int, Clock] = field(default_factory=dict)

    def read(self, thread: int, span: Span, order: MemoryOrder) -> None:
        into = self.clocks.of(thread) if order.acquires else self.seen.setdefault(thread, {})
        for place in span.places():
            for head in self.heads.get(place, {}).values():
                join(into, head)

    def write(self, thread: int, span: Span, order: MemoryOrder, *, is_update: bool) -> None:
        """An update goes on with all release sequences, a store only with the thread's own (C11 5.1.2.4p10)."""
        given = self._publish(thread) if order.releases else self.fenced.get(thread)
        for place in span.places():
            heads = self.heads.setdefault(place, {})
            if not is_update:
                for other in [other for other in heads if other != thread]:
                    del heads[other]
            if given is not None:
                join(heads.setdefault(thread, {}), given)

    def overwrite(self, span: Span) -> None:
        """A write that is not atomic: who reads it learns nothing."""
        for place in [place for place in self.heads if span.has(place)]:
            del self.heads[place]

    def fence(self, thread: int, order: MemoryOrder) -> None:
        if order.acquires:
            join(self.clocks.of(thread), self.seen.get(thread, {}))
        if order.releases:
            self.fenced[thread] = self._publish(thread)

    def _publish(self, thread: int) -> Clock:
        mine = self.clocks.of(thread)
        given = dict(mine)
        mine[thread] += 1
        return given
