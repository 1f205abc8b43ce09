"""What a state says about tokens in cells: the part of `State` that `tokens` works on.

A thread that reads a cell under a lock and finds that it is not zero has a token in sight, until it gives the lock
back. Then it may take the token: count down once, and write zero into the cell before the lock is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from raceproof.model import Atom, Linear, ObjectId, TokenSeen

Debt = tuple[ObjectId, Linear | None, frozenset[Linear]]
"""A cell that has to be emptied before one of the locks is given back; None: nobody knows any more which cell."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A value from a cell of `object`, and the locks that were held when it was read and ever since."""

    object: ObjectId
    cell: Linear
    locks: frozenset[Linear]

    def under(self, held: frozenset[Linear]) -> Sight | None:
        locks = self.locks & held
        return self if locks == self.locks else Sight(self.object, self.cell, locks) if locks else None

    def without(self, stale: Callable[[Linear], bool]) -> Sight | None:
        return None if stale(self.cell) else self.under(frozenset(lock for lock in self.locks if not stale(lock)))

    def all_seen(self) -> frozenset[TokenSeen]:
        return frozenset((self.object, self.cell, lock) for lock in self.locks)


@dataclass(frozen=True, slots=True)
class Sights:
    """`reads`: values that were read from cells and not looked at yet. `in_sight`: a token that was seen and still is
    there, or was taken by this thread, which still has the lock; `is_emptied`: its cell was set to zero since;
    `may_paid`: counters that this thread may have counted down since. `may_owe`: tokens for which it has counted down,
    and whose cells it may not have set to zero yet. `may_set`: cells, told by its argument, in which this thread may
    have put a token. `must_seen`: all tokens that it has ever seen, and the locks under which it did.
    """

    reads: Mapping[Atom, Sight] = field(default_factory=dict)
    in_sight: Sight | None = None
    is_emptied: bool = False
    may_paid: frozenset[Linear] = frozenset()
    may_owe: frozenset[Debt] = frozenset()
    may_set: frozenset[Linear] = frozenset()
    must_seen: frozenset[TokenSeen] = frozenset()

    def key(self) -> tuple[object, ...]:
        return (
            frozenset(self.reads.items()),
            self.in_sight,
            self.is_emptied,
            self.may_paid,
            self.may_owe,
            self.may_set,
            self.must_seen,
        )

    def must_have(self) -> frozenset[TokenSeen]:
        return self.in_sight.all_seen() if self.in_sight is not None else frozenset()

    def with_read(self, atom: Atom, sight: Sight) -> Sights:
        """While a cell may have to be emptied, what is read may be the same token again."""
        return self if self.may_owe else replace(self, reads={**self.reads, atom: sight})

    def without_read(self, atom: Atom) -> Sights:
        return replace(self, reads={a: s for a, s in self.reads.items() if a != atom}) if atom in self.reads else self

    def seen(self, atom: Atom) -> Sights:
        """The value is not zero."""
        sight = self.reads[atom]
        return replace(
            self.without_read(atom),
            in_sight=sight,
            is_emptied=False,
            may_paid=frozenset(),
            must_seen=self.must_seen | sight.all_seen(),
        )

    def paid(self, counter: Linear) -> tuple[Sights, frozenset[TokenSeen]]:
        """The counter is counted down; by which token, if it was not counted down for that one before."""
        by = frozenset() if counter in self.may_paid else self.must_have()
        owe = self.may_owe
        if self.in_sight is not None and not self.is_emptied:
            owe |= {(self.in_sight.object, self.in_sight.cell, self.in_sight.locks)}
        may_paid = self.may_paid | {counter} if self.in_sight is not None else self.may_paid
        return replace(self, reads={}, may_paid=may_paid, may_owe=owe), by

    def emptied(self, cell: Linear) -> Sights:
        return replace(
            self,
            is_emptied=self.is_emptied or (self.in_sight is not None and self.in_sight.cell == cell),
            may_owe=frozenset(debt for debt in self.may_owe if debt[1] != cell),
        )

    def written(self, target: ObjectId) -> Sights:
        """What was read there is old."""
        return replace(self, reads={a: s for a, s in self.reads.items() if s.object != target})

    def under(self, held: frozenset[Linear]) -> tuple[Sights, frozenset[Debt]]:
        """Only these locks were held all the time; and what should have been emptied before others were given back."""
        if self.in_sight is None and not self.reads and not self.may_owe:
            return self, frozenset()
        reads = {a: sight for a, s in self.reads.items() if (sight := s.under(held)) is not None}
        in_sight = self.in_sight.under(held) if self.in_sight is not None else None
        late = frozenset((o, cell, locks - held) for o, cell, locks in self.may_owe if cell is None or locks - held)
        owe = frozenset((o, cell, locks & held) for o, cell, locks in self.may_owe if cell is not None and locks & held)
        return replace(self, reads=reads, in_sight=in_sight, may_owe=owe), late

    def without(self, stale: Callable[[Linear], bool]) -> Sights:
        """Some names mean something else now."""
        if self is NO_SIGHTS or self == NO_SIGHTS:
            return self
        owe = frozenset(
            (o, None, frozenset[Linear]())
            if cell is None or stale(cell) or any(map(stale, locks))
            else (o, cell, locks)
            for o, cell, locks in self.may_owe
        )
        return replace(
            self,
            reads={a: sight for a, s in self.reads.items() if (sight := s.without(stale)) is not None},
            in_sight=self.in_sight.without(stale) if self.in_sight is not None else None,
            may_owe=owe,
            must_seen=frozenset(seen for seen in self.must_seen if not stale(seen[1]) and not stale(seen[2])),
        )


NO_SIGHTS = Sights()


def join_sights(a: Sights, b: Sights) -> Sights:
    """What holds on both paths."""
    if a is b:
        return a
    in_sight = None
    if a.in_sight is not None and b.in_sight is not None and a.in_sight.cell == b.in_sight.cell:
        in_sight = a.in_sight.under(b.in_sight.locks)
    return Sights(
        reads={atom: sight for atom, sight in a.reads.items() if b.reads.get(atom) == sight},
        in_sight=in_sight,
        is_emptied=a.is_emptied and b.is_emptied,
        may_paid=a.may_paid | b.may_paid,
        may_owe=a.may_owe | b.may_owe,
        may_set=a.may_set | b.may_set,
        must_seen=a.must_seen & b.must_seen,
    )
