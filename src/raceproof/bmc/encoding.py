"""The unwound program as a formula: which executions, up to one moment, there are.

Every event has a clock, an integer; the moment is 0. An event with a clock below 0 is done, one behind it is still to
come, so that each thread has executed a prefix, and nothing is said about the rest. An event that is done and whose
guard holds has happened. Two accesses race if both threads stand right before them, at that moment.

What has happened must be possible, one kind of event after the other: a read sees the last write before it, two
threads do not hold one lock, a join comes behind the end of the thread, and so on. Executions are sequentially
consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import gcd

import z3

from raceproof.bmc.events import MEMORY, READING, WRITING, Event, Kind, always_before, must_precede
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.memory import MAX_TABLE
from raceproof.bmc.sections import CriticalSections
from raceproof.bmc.terms import (
    Term,
    Truth,
    Value,
    both,
    compare,
    either,
    equal,
    implies,
    is_known,
    mask,
    negate,
    part,
    term,
)
from raceproof.bmc.unwound import Unwound
from raceproof.model import AccessId, RacePair, ReadRange


class Encoding:
    """`is_included`: which events take part (all that can block or are read do). `is_trusted`: whether what a read
    sees is bound to a write; otherwise it may be anything. `sees_last`: whether that is the last one before it;
    otherwise it may be any before it, as far as coherence allows. `has_sections`: what two threads do while they hold
    one lock is ordered as the sections are (`sections`). `ranges`: what is known of what accesses read."""

    def __init__(
        self,
        unwound: Unwound,
        watch: Watch,
        is_included: Callable[[Event], bool] = lambda event: True,
        is_trusted: Callable[[Event], bool] = lambda event: True,
        sees_last: Callable[[Event], bool] = lambda event: True,
        has_sections: bool = False,
        ranges: Mapping[AccessId, ReadRange] | None = None,
    ) -> None:
        self.unwound = unwound
        self._watch = watch
        self.constraints: list[Term] = []
        self.signalled: Term = z3.Bool("every wait ends by a signal")
        self._memory = unwound.memory
        self._exact = not unwound.mode.is_proof
        self._trusted = is_trusted
        self._sees_last = sees_last
        self._seen: dict[Event, dict[Event | None, Truth]] = {}
        self._before: dict[tuple[Event, Event], Truth] = {}
        self._chains = [[e for e in thread.events if is_included(e)] for thread in unwound.threads]
        self._previous: dict[Event, Event | None] = {}
        for chain in self._chains:
            for i, event in enumerate(chain):
                self._previous[event] = chain[i - 1] if i else None
        self.events = [event for chain in self._chains for event in chain]
        self._by_kind: dict[Kind, list[Event]] = {kind: [] for kind in Kind}
        for event in self.events:
            self._by_kind[event.kind].append(event)
        self._has_sections = has_sections
        self._ends: dict[tuple[Event, Event], Truth] = {}
        self._sections_of = CriticalSections(self._chains if has_sections else (), self._memory)
        self._clocks = {event: z3.Int(f"t{event.thread.number}.{event.index}") for event in self.events}
        self._ranges = ranges or {}
        self._encode()

    # -- what others ask

    def clock(self, event: Event) -> Term:
        return self._clocks[event]

    def happened(self, event: Event) -> Truth:
        return both(event.guard, self._clocks[event] < 0)

    def stands_before(self, event: Event) -> Truth:
        """Its thread has done everything that comes before, and not this."""
        previous = self._previous[event]
        reached = True if previous is None else self._clocks[previous] < 0
        return both(event.guard, reached, self._clocks[event] >= 0)

    def races(self, pair: RacePair) -> list[tuple[Event, Event, Truth]]:
        """Each two events that may be the pair, and when they meet."""
        found = []
        for a in self._accesses(pair.first):
            self._watch.check()
            for b in self._accesses(pair.second):
                if a.thread is b.thread or must_precede(a, b) or must_precede(b, a):
                    continue
                if a.order is not None and b.order is not None:
                    continue  # two atomics do not race
                if pair.first == pair.second and a.thread.number > b.thread.number:
                    continue
                overlap = self._memory.overlap(a.address, a.size, b.address, b.size)
                meets = both(overlap, self.stands_before(a), self.stands_before(b))
                if meets is not False:
                    found.append((a, b, meets))
        return found

    def _accesses(self, access: AccessId) -> Iterable[Event]:
        return (e for kind in MEMORY for e in self._by_kind[kind] if access in e.accesses)

    def cuts(self) -> list[tuple[Event, Truth]]:
        """Where an execution goes further than it was unwound."""
        written = [
            (e, both(self.stands_before(e), there)) for e, there in self.unwound.overwriting if e in self._clocks
        ]
        return [(e, self.stands_before(e)) for e in self._by_kind[Kind.CUT]] + written

    def before(self, a: Event, b: Event) -> Truth:
        """A total order of the two."""
        self._watch.check()
        if must_precede(a, b):
            return True
        if must_precede(b, a):
            return False
        sections = self._sections_of.order(a, b)
        if sections is not None:
            return self.before(*sections)
        known = self._before.get((a, b))
        if known is None:
            known = z3.Bool(f"{a.thread.number}.{a.index}<{b.thread.number}.{b.index}")
            self._before[a, b], self._before[b, a] = known, z3.Not(known)
            self._add(z3.Implies(known, self._clocks[a] < self._clocks[b]))
            self._add(z3.Implies(z3.Not(known), self._clocks[b] < self._clocks[a]))
        return known

    def _ends_before(self, end: Event, other: Event) -> Truth:
        """That what ends a section comes before the other event; not the opposite of that, if it does not hold."""
        known = must_precede(end, other) or must_precede(other, end) or (end, other) in self._before
        if known or not self._has_sections:
            return self.before(end, other)
        found = self._ends.get((end, other))
        if found is None:
            found = self._ends[end, other] = self._clocks[end] < self._clocks[other]
        return found

    @property
    def has_waits(self) -> bool:
        return bool(self._by_kind[Kind.WAKE])

    @property
    def orders(self) -> int:
        """How many pairs of events may come in either order, as far as the formula asks."""
        return len(self._before) // 2

    def ordered(self) -> Iterable[tuple[tuple[Event, Event], Truth]]:
        """Events that have to do with each other, and when the first comes first."""
        return (*self._before.items(), *self._ends.items())

    # -- the formula

    def _add(self, constraint: Truth) -> None:
        self._watch.check()
        if constraint is not True:
            self.constraints.append(term(constraint, 1))

    def _encode(self) -> None:
        for chain in self._chains:
            for a, b in pairwise(chain):
                self._add(self._clocks[a] < self._clocks[b])
        for thread in self.unwound.threads:
            if thread.created is not None:
                self._add(self._clocks[thread.created] < self._clocks[thread.events[0]])
        for event in self._by_kind[Kind.STOP]:
            self._add(negate(self.happened(event)))
        for kind in READING:
            for event in self._by_kind[kind]:
                if not event.is_resolved and self._trusted(event):
                    self._read(event)
        self._bounds()
        self._coherence()
        if self._exact:
            self._inputs()
        self._locks()
        self._sections()
        self._ids()
        self._joins()
        self._waits()
        self._semaphores()
        self._barriers()
        self._once()

    def _inputs(self) -> None:
        """A thread takes its inputs right behind its last step, not before the next one: so they must not end it."""
        for thread, chain in zip(self.unwound.threads, self._chains, strict=True):
            for taken in thread.inputs if thread.created is not None else ():
                before = [e for e in chain if e.index < taken.index]
                behind = [e.guard for e in thread.events[taken.index :] if e.kind is not Kind.STOP]
                if before:
                    self._add(implies(both(self._clocks[before[-1]] < 0, taken.point.guard), either(*behind)))

    def _same(self, a: Event, b: Event) -> Truth:
        """The same object."""
        return self._memory.same(a.address, b.address)

    def _read(self, read: Event) -> None:
        """Each part of it sees the last write before it, or what was there at first."""
        writes = [
            w
            for kind in WRITING
            for w in self._by_kind[kind]
            if w is not read and not w.is_free and not must_precede(read, w) and self._may_overlap(w, read)
        ]
        ends = self._ends_of_parts(read, writes)
        for start, end in pairwise(ends):
            self._add(implies(self.happened(read), self._sees(read, writes, start, end - start)))

    def _bounds(self) -> None:
        """What others know of the values that reads find [TX, Section 6]."""
        for event in (event for kind in READING for event in self._by_kind[kind] if self._ranges):
            known = self._ranges.get(event.accesses[0]) if len(event.accesses) == 1 else None
            if known is None or event.is_block or is_known(event.result):
                continue
            width, suffix = 8 * event.size, "s" if known.low < 0 else "u"
            least = compare(f"{suffix}ge", event.result, known.low & mask(width), width)
            most = compare(f"{suffix}le", event.result, known.high & mask(width), width)
            self._add(implies(self.happened(event), both(least, most)))

    def _may_overlap(self, a: Event, b: Event) -> bool:
        return self._memory.may_overlap(a.address, a.size, b.address, b.size)

    def _ends_of_parts(self, read: Event, writes: Sequence[Event]) -> list[int]:
        """Where to divide what is read so that each write covers all of a part or nothing of it, as far as that is
        known."""
        ends = {0, read.size}
        step = read.size
        for write in writes:
            self._watch.check()
            if isinstance(read.address, int) and isinstance(write.address, int):
                start = write.address - read.address
                ends |= {end for end in (start, start + write.size) if 0 < end < read.size}
            elif read.is_block or write.is_block:
                step = gcd(step, self._memory.common_part(write.address, write.size, read.address, step, False))
            else:
                step = gcd(step, write.size)
        if read.size // step <= MAX_TABLE:
            ends |= set(range(0, read.size, step))
        return sorted(ends)

    def _sees(self, read: Event, writes: Sequence[Event], offset: int, size: int) -> Truth:
        """A part of it: what it may see."""
        address = self._memory.at(read.address, offset)
        result = part(read.result, read.size, offset, size)
        found: list[tuple[Event, Truth, Value]] = []
        for write in writes:
            are_numbers = not (write.is_block or read.is_block)
            condition, value = self._memory.seen(write.address, write.size, write.value, address, size, are_numbers)
            if condition is not False:
                found.append((write, condition, value))
        sure = [w for w, condition, _ in found if condition is True and always_before(w, read)]
        found = [(w, c, v) for w, c, v in found if not any(must_precede(w, s) for s in sure)]
        ways: list[Truth] = []
        is_old = not self._sees_last(read)
        for write, condition, value in found if is_old else ():
            is_there = both(write.guard, write.condition, condition, self.before(write, read))
            ways.append(self._noted(read, write, both(is_there, equal(result, value, 8 * size)), size))
        if is_old and not sure:
            sees = equal(result, self._memory.initial(address, size), 8 * size)
            ways.append(self._noted(read, None, sees, size))
        if is_old:
            return either(*ways)
        for write, condition, value in found:
            nothing_between = [
                negate(both(other.guard, meets, self.before(write, other), self.before(other, read)))
                for other, meets, _ in found
                if other is not write
            ]
            sees = equal(result, value, 8 * size)
            ways.append(both(write.guard, condition, self.before(write, read), sees, *nothing_between))
        if not sure:
            first = equal(result, self._memory.initial(address, size), 8 * size)
            nothing = [negate(both(w.guard, condition, self.before(w, read))) for w, condition, _ in found]
            ways.append(both(first, *nothing))
        return either(*ways)

    def _noted(self, read: Event, write: Event | None, sees: Truth, size: int) -> Truth:
        """That a read sees all of the write, None being what was there at first."""
        if size != read.size:
            return sees
        source = "at first" if write is None else f"{write.thread.number}.{write.index}"
        name = z3.Bool(f"{read.thread.number}.{read.index} sees {source}")
        self._seen.setdefault(read, {})[write] = name
        return both(name, sees)

    def _coherence(self) -> None:
        """What the order of one word demands, whatever there is beside it: an update takes the place right behind the
        write that it sees, so that no other one does; and who has seen a write sees nothing older afterwards."""
        reads = list(self._seen)
        for i, a in enumerate(reads):
            for b in reads[:i]:
                self._watch.check()
                same = self._same(a, b)
                if same is False or a.size != b.size:
                    continue
                happened = both(same, self.happened(a), self.happened(b))
                if a.kind is b.kind is Kind.UPDATE:
                    for write in (write for write in self._seen[a] if write in self._seen[b]):
                        is_same = both(self._seen[a][write], self._seen[b][write], a.condition, b.condition)
                        self._add(negate(both(happened, is_same)))
                if must_precede(a, b) or must_precede(b, a):
                    self._sees_nothing_older(*((a, b) if must_precede(a, b) else (b, a)), happened)

    def _sees_nothing_older(self, first: Event, then: Event, happened: Truth) -> None:
        for old, is_old in self._seen[then].items():
            newer = [
                is_new
                for new, is_new in self._seen[first].items()
                if new is not None and (old is None or (old is not new and must_precede(old, new)))
            ]
            self._add(negate(both(happened, is_old, either(*newer))))

    # -- locks

    def _excludes(self, taken: Event, is_taken: Truth, gone: list[Event], other: Event, is_other: Truth) -> None:
        """If the other one comes behind, what was taken has been given back before."""
        same = self._same(taken, other)
        if same is False:
            return
        released = [both(u.guard, u.condition, self._same(u, taken), self._ends_before(u, other)) for u in gone]
        self._add(implies(both(is_taken, is_other, same, self.before(taken, other)), either(*released)))

    def _taking(self) -> list[tuple[Event, Truth]]:
        tries = [e for e in self._by_kind[Kind.TRY] if e.what == "lock"]
        return [(e, both(self.happened(e), e.condition)) for e in (*self._by_kind[Kind.LOCK], *tries)]

    def _given_back(self, taken: Event) -> list[Event]:
        behind = [u for u in self._by_kind[Kind.UNLOCK] if u.thread is taken.thread and u.index > taken.index]
        return [u for u in behind if u.condition is not False and self._same(u, taken) is not False]

    def _locks(self) -> None:
        taking = self._taking()
        for a, is_a in taking:
            gone = self._given_back(a)
            for b, is_b in taking:
                if a.shared and b.shared:
                    continue
                if a.thread is not b.thread:
                    self._excludes(a, is_a, gone, b, is_b)
                elif self._exact and a.index < b.index and not b.nests:  # its holder waits for ever, or does not get it
                    between = [u for u in gone if u.index < b.index]
                    self._excludes(a, is_a, between, b, is_b)
        for b in (e for e in self._by_kind[Kind.LOCK] if e.refuses):
            own = [(a, is_a) for a, is_a in taking if a.thread is b.thread and a.index < b.index and not a.shared]
            self._add(implies(both(self.happened(b), negate(b.condition)), either(*self._holds(own, b))))
        if not self._exact:
            return
        for tried in (e for e in self._by_kind[Kind.TRY] if e.what == "lock"):
            others = [(a, is_a) for a, is_a in taking if a is not tried and not (a.shared and tried.shared)]
            holds = self._holds(others, tried)
            self._add(implies(both(self.happened(tried), negate(tried.condition)), either(*holds)))

    def _holds(self, taking: Iterable[tuple[Event, Truth]], found: Event) -> list[Truth]:
        """For each of those that take locks: whether it is the one that is found, and still held."""
        return [
            both(
                is_a,
                self._same(a, found),
                self.before(a, found),
                *(
                    negate(both(u.guard, u.condition, self._same(u, a), self.before(u, found)))
                    for u in self._given_back(a)
                ),
            )
            for a, is_a in taking
        ]

    def _sections(self) -> None:
        """Nothing comes between the steps of an atomic section; for a proof, no other section does."""
        sections = self._by_kind[Kind.SECTION]
        for a in sections:
            gone = [e for e in self._by_kind[Kind.SECTION_END] if e.thread is a.thread and e.index > a.index]
            for b in self.events if self._exact else sections:
                if b.thread is a.thread or must_precede(a, b) or must_precede(b, a):
                    continue
                released = [both(u.guard, self.before(u, b)) for u in gone]
                self._add(implies(both(self.happened(a), self.happened(b), self.before(a, b)), either(*released)))

    # -- threads

    def _ids(self) -> None:
        """Two threads have two ids, which are not zero."""
        handles = [thread.handle for thread in self.unwound.threads if not is_known(thread.handle)]
        if handles:
            self._add(z3.Distinct(z3.BitVecVal(0, self._memory.width), *handles))

    def _joins(self) -> None:
        for join in self._by_kind[Kind.JOIN]:
            for thread in self.unwound.threads:
                if thread.created is None:
                    continue
                is_it = equal(join.value, thread.handle, self._memory.width)
                if is_it is False:
                    continue
                end = thread.end
                if end is None or end not in self._clocks:
                    over: Truth = False
                else:
                    result = True if is_known(join.result) else equal(join.result, thread.result, self._memory.width)
                    over = both(end.guard, self.before(end, join), result)
                self._add(implies(both(self.happened(join), join.condition, is_it), over))

    def _waits(self) -> None:
        """A wait may end without a signal, unless it is asked for one."""
        if not self._exact:
            return
        for wake in self._by_kind[Kind.WAKE]:
            assert wake.partner is not None
            wait = wake.partner
            signals = [
                both(s.guard, self._same(s, wake), self.before(wait, s), self.before(s, wake))
                for s in self._by_kind[Kind.SIGNAL]
            ]
            self._add(implies(both(self.happened(wake), self.signalled, wake.condition), either(*signals)))

    # -- counting

    def _count(self, truths: Iterable[Truth]) -> Term:
        parts = [z3.If(term(truth, 1), 1, 0) for truth in truths if truth is not False]
        return z3.Sum(*parts) if parts else z3.IntVal(0)

    def _made_by(self, event: Event) -> Event | None:
        """The initialisation of a semaphore or barrier that the event finds, if it is certain which."""
        found = [e for e in self._by_kind[Kind.INIT] if self._same(e, event) is not False]
        sure = [e for e in found if self._same(e, event) is True and always_before(e, event)]
        if not sure:
            return None
        last = sure[-1]
        return last if all(e is last or must_precede(e, last) or must_precede(event, e) for e in found) else None

    def _counted(self, made: Event, event: Event, until: Event, is_counted: Truth) -> Truth:
        """It is about what was made there, and came before."""
        return both(is_counted, self._same(event, made), self.before(made, event), self.before(event, until))

    def _semaphores(self) -> None:
        tries = [e for e in self._by_kind[Kind.TRY] if e.what == "semaphore"]
        takes = [(e, e.guard) for e in self._by_kind[Kind.TAKE]] + [(e, both(e.guard, e.condition)) for e in tries]
        posts = [(e, e.guard) for e in self._by_kind[Kind.POST]]
        for take, _ in takes:
            made = self._made_by(take)
            if made is None:
                continue
            given = self._count(self._counted(made, p, take, is_it) for p, is_it in posts)
            gone = self._count(self._counted(made, t, take, is_it) for t, is_it in takes if t is not take)
            start = made.value if is_known(made.value) else z3.BV2Int(made.value)
            left = start + given - gone
            taken = both(self.happened(take), take.condition) if take.kind is Kind.TRY else self.happened(take)
            self._add(implies(taken, left > 0))
            if take.kind is Kind.TRY and self._exact:
                self._add(implies(both(self.happened(take), negate(take.condition)), left <= 0))

    def _barriers(self) -> None:
        arrivals = self._by_kind[Kind.ARRIVE]
        for leave in self._by_kind[Kind.LEAVE]:
            assert leave.partner is not None
            arrive = leave.partner
            made = self._made_by(arrive)
            count = made.value if made is not None else 0
            if made is None or not isinstance(count, int) or count == 0:
                continue
            earlier = self._count(self._counted(made, a, arrive, a.guard) for a in arrivals if a is not arrive)
            there = self._count(self._counted(made, a, leave, a.guard) for a in arrivals)
            self._add(implies(self.happened(leave), there >= (earlier / count + 1) * count))
            if self._exact:
                is_last = earlier % count == count - 1
                self._add(implies(self.happened(arrive), equal(arrive.condition, is_last, 1)))

    def _once(self) -> None:
        begun = self._by_kind[Kind.ONCE]
        for one in begun:
            earlier = [
                both(other.guard, self._same(other, one), self.before(other, one))
                for other in begun
                if other is not one
            ]
            self._add(implies(self.happened(one), equal(one.condition, negate(either(*earlier)), 1)))
        for passed in self._by_kind[Kind.ONCE_PASS]:
            done = [
                both(end.guard, self._same(end, passed), self.before(end, passed))
                for end in self._by_kind[Kind.ONCE_END]
                if end is not passed
            ]
            self._add(implies(self.happened(passed), either(*done)))
