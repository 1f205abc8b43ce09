"""Critical sections as transactions: of two that exclude one another, one comes first as a whole.

Follows [TX, Section 6]: context switches only at transaction boundaries. Paper -> here: transaction -> what a thread
does while it certainly holds a lock; transaction boundary -> the LOCK event.
Differs: an order encoding has no context switches, only orders of two events. Between accesses of two sections of one
lock the order is that of the sections. So these need neither an order of their own nor the constraints on clocks that
come with it. Other threads may still come in between: a transaction is one step only for those who take the same lock,
and a race with somebody who does not is found as before.

Why that changes nothing. Let the accesses a and b lie in sections that begin with the LOCK events l and m. If a and b
have both happened, so have l and m. Say l comes first; then the exclusion of the two lets a thread take the lock at m
only if it was given back before. That was behind a, since it is not given back between l and a. So a comes before b. If
b has not happened, it comes behind a whatever is said about the two, since its clock is not below 0; and so does m, or
else the lock was given back, and a is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raceproof.bmc.events import MEMORY, Event, Kind, always_before
from raceproof.bmc.memory import Memory


class CriticalSections:
    """`chains`: the events of each thread that take part, in order; locks and what gives them back are among them."""

    def __init__(self, chains: Iterable[Sequence[Event]], memory: Memory) -> None:
        self._memory = memory
        self._within: dict[Event, dict[int, Event]] = {}
        for chain in chains:
            self._add(chain)

    def _add(self, chain: Sequence[Event]) -> None:
        """A lock that is taken without fail, by a thread that cannot hold it already, and not yet given back."""
        held: list[Event] = []
        for event in chain:
            if event.kind is Kind.UNLOCK and event.condition is not False:
                held = [lock for lock in held if self._memory.same(lock.address, event.address) is False]
            elif event.kind in MEMORY:
                mine = (lock for lock in held if always_before(lock, event))
                self._within[event] = {lock.address: lock for lock in mine if isinstance(lock.address, int)}
            elif event.kind is Kind.LOCK and isinstance(event.address, int):
                is_plain = event.condition is True and not (event.shared or event.nests or event.refuses)
                held = [lock for lock in held if lock.address != event.address]
                held += [event] if is_plain else []

    def order(self, a: Event, b: Event) -> tuple[Event, Event] | None:
        """The beginnings of sections whose order is that of the two accesses."""
        mine, yours = self._within.get(a), self._within.get(b)
        if not mine or not yours or a.thread is b.thread:
            return None
        common = [address for address in mine if address in yours]
        return (mine[common[0]], yours[common[0]]) if common else None
