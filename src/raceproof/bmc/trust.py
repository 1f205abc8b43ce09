"""Which reads a proof may believe: those that no race can feed.

That two threads never stand before two accesses at the same time does not make them ordered: one may have learnt, by
a racy read or a relaxed atomic, that the other is past its access, and C11 still calls it a race. So in a proof what
a read sees binds it only if everything that it may see happens before it: every pair of it with a write is proved, or
is a release with an acquire. All other reads return whatever they like.

What an atomic read does not see is another matter. That it has missed a write puts it before that write only in an
order of all atomics that C11 promises to those that are sequentially consistent; two threads that release one flag each
and then acquire the other's may both find it clear. So a weaker read sees any write before it, as far as its own thread
and its creators have not overwritten that, nor seen a newer one; and only one update comes next to each write. If all
atomics are one word, its order is enough.

Why that is enough. Take an execution with a race on a pair that is called proved, the first such race in it, and of
that execution what happens before one of the two accesses. It is an execution up to a moment by itself, in the order
that it had: locks, creation, join, barriers and the like are happens-before; a read that is believed sees a write
that happens before it, because its pairs have not raced so far; all others may see what they saw. After it both
threads stand before their accesses, which is what the formula excludes. So pairs may be proved together, each with
the help of the others.
"""

from __future__ import annotations

from collections.abc import Collection

from raceproof.bmc.conflicts import Conflicts, Key
from raceproof.bmc.events import Event
from raceproof.facts import is_one_atomic_word
from raceproof.ir import MemoryOrder


class Trust:
    """Of one program."""

    def __init__(self, conflicts: Conflicts) -> None:
        self._conflicts = conflicts
        self._accesses = conflicts.cp.accesses
        self._writers = conflicts.writers
        self._is_one_word = is_one_atomic_word(conflicts.cp)

    def needs(self, event: Event) -> frozenset[Key] | None:
        """Pairs that must be proved for the read to be believed; None: nothing helps."""
        needed = set()
        if self._conflicts.may_be_written_outside(event.accesses):
            return None
        for own in event.accesses:
            for writer, key in self._writers.get(own, ()):
                order = self._accesses[writer].order
                if event.order is None or order is None:
                    needed.add(key)
                elif not (event.order.acquires and order.releases):
                    return None
        return frozenset(needed)

    def is_trusted(self, event: Event, proved: Collection[Key]) -> bool:
        needed = self.needs(event)
        return needed is not None and all(key in proved for key in needed)

    def sees_last(self, event: Event) -> bool:
        """Does a read that is believed see the last write before it?"""
        if event.order is None or self._is_one_word:
            return True
        writers = (writer for own in event.accesses for writer, _ in self._writers.get(own, ()))
        orders = {event.order, *(self._accesses[writer].order for writer in writers)}
        return orders <= {MemoryOrder.SEQ_CST, None}
