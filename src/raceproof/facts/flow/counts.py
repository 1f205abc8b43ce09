"""What a state says about counters that threads count down: the part of `State` that `counting` works on.

Main keeps, per counter, lower bounds of the counter less the counted threads that have not counted down yet. When it
reads a value that is no greater than such a bound, none is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from raceproof.model import Atom, Linear, ObjectId

LIMIT = 8
MAX_STEP = 256  # in greater steps a counter could soon wrap around
MAX_START = 1 << 24


@dataclass(frozen=True, slots=True)
class Tally:
    """Lower bounds of the counter less the threads that have yet to count down; None: nothing is known.

    `balance`: now; it sinks with each creation. `floor`: now and later, however many are created.
    """

    balance: int | None = None
    floor: int | None = None

    def shifted(self, amount: int) -> Tally:
        if amount > MAX_STEP:
            return UNKNOWN
        return Tally(_shift(self.balance, amount), _shift(self.floor, amount))

    def after_creation(self) -> Tally:
        return Tally(_shift(self.balance, -1), self.floor)

    def at_least(self, floor: int) -> Tally:
        if floor > MAX_START:
            return self
        return Tally(self.balance, floor if self.floor is None else max(self.floor, floor))

    def is_at_least(self, value: int) -> bool:
        return any(bound is not None and bound >= value for bound in (self.balance, self.floor))


UNKNOWN = Tally()


def _shift(bound: int | None, amount: int) -> int | None:
    """A bound stays small: less is always right, and far below nothing follows from it."""
    if bound is None or bound + amount < -LIMIT:
        return None
    return min(bound + amount, LIMIT)


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


@dataclass(frozen=True, slots=True)
class CounterRead:
    """A value that main has read from a counter, and what it knew at that moment."""

    address: Linear
    tally: Tally


@dataclass(frozen=True, slots=True)
class Counts:
    """`tallies` and `reads` are main's. `may_counted`: counters that this thread may have counted down already;
    `must_drained`: counters that main has found with no thread left that has yet to count down.
    `must_joined`: what the last thread that this one has joined may be, and `may_spent`: the counters that it may have
    counted down since.
    """

    tallies: Mapping[Linear, Tally] = field(default_factory=dict)
    reads: Mapping[Atom, CounterRead] = field(default_factory=dict)
    may_counted: frozenset[Linear] = frozenset()
    must_drained: frozenset[Linear] = frozenset()
    must_joined: frozenset[ObjectId] | None = None
    may_spent: frozenset[Linear] = frozenset()

    def key(self) -> tuple[object, ...]:
        return (
            frozenset(self.tallies.items()),
            frozenset(self.reads.items()),
            self.may_counted,
            self.must_drained,
            self.must_joined,
            self.may_spent,
        )

    def tally(self, counter: Linear) -> Tally:
        return self.tallies.get(counter, UNKNOWN)

    def changed(self, counter: Linear, tally: Tally) -> Counts:
        """The counter was written, or a thread created: what was read before is about another moment."""
        reads = {atom: read for atom, read in self.reads.items() if read.address != counter}
        return replace(self, tallies={**self.tallies, counter: tally}, reads=reads)

    def learned(self, counter: Linear, tally: Tally) -> Counts:
        return replace(self, tallies={**self.tallies, counter: tally})

    def with_read(self, atom: Atom, counter: Linear) -> Counts:
        return replace(self, reads={**self.reads, atom: CounterRead(counter, self.tally(counter))})

    def with_reads(self, reads: Mapping[Atom, CounterRead]) -> Counts:
        return replace(self, reads=reads) if reads or self.reads else self

    def unless_changed(self, before: Counts) -> Counts:
        """Something was done any number of times, of which one and two were looked at."""
        same = {c: tally if before.tally(c) == tally else UNKNOWN for c, tally in self.tallies.items()}
        return replace(self, tallies=same) if same != self.tallies else self

    def without_read(self, atom: Atom) -> Counts:
        if atom not in self.reads:
            return self
        return replace(self, reads={a: read for a, read in self.reads.items() if a != atom})

    def counted(self, counter: Linear) -> Counts:
        return replace(self, may_counted=self.may_counted | {counter})

    def after_join(self, joined: frozenset[ObjectId]) -> Counts:
        return replace(self, must_joined=joined, may_spent=frozenset())

    def to_count_for(self, counter: Linear) -> frozenset[ObjectId] | None:
        """The thread that was joined, if the counter was certainly not counted down for it; None: there may be none."""
        return None if counter in self.may_spent else self.must_joined

    def spent(self, counter: Linear) -> Counts:
        return self if self.must_joined is None else replace(self, may_spent=self.may_spent | {counter})

    def drained(self, counter: Linear) -> Counts:
        return replace(self, must_drained=self.must_drained | {counter})

    def refilled(self, counter: Linear) -> Counts:
        return replace(self, must_drained=self.must_drained - {counter})


NOTHING_COUNTED = Counts()


def join_counts(a: Counts, b: Counts) -> Counts:
    """What holds on both paths."""
    if a is b:
        return a
    tallies = {
        counter: Tally(
            _least(tally.balance, b.tallies[counter].balance),
            _least(tally.floor, b.tallies[counter].floor),
        )
        for counter, tally in a.tallies.items()
        if counter in b.tallies
    }
    return Counts(
        tallies=tallies,
        reads={atom: read for atom, read in a.reads.items() if b.reads.get(atom) == read},
        may_counted=a.may_counted | b.may_counted,
        must_drained=a.must_drained & b.must_drained,
        must_joined=a.must_joined | b.must_joined if a.must_joined is not None and b.must_joined is not None else None,
        may_spent=a.may_spent | b.may_spent,
    )
