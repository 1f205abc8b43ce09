"""The abstract state of one thread at one point: what it holds, who runs beside it, what it knows.

Must-parts (locks, received signals, known memory, facts) shrink when paths meet, may-parts (running threads,
sent signals) grow. Values are symbolic (`model.Linear`); a register without an entry in `values` is just itself.

A state is changed in place while a block is walked and copied where paths part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from raceproof.facts.flow.counts import NOTHING_COUNTED, Counts, join_counts
from raceproof.facts.flow.membership import Members, drop_stale, join_members
from raceproof.facts.flow.sights import NO_SIGHTS, Sights, join_sights
from raceproof.model import (
    Atom,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    Moment,
    ObjectId,
    Signal,
    StartArg,
    ThreadId,
    of_atom,
)

K = TypeVar("K")
V = TypeVar("V")

MANY = 2  # in State.may_run: more than one instance
PHASE_LIMIT = 8
ATOMIC_SECTION = HeldLock(Linear(-1), LockMode.EXCLUSIVE, LockKind.ATOMIC_SECTION)


@dataclass(frozen=True, slots=True)
class Condition:
    """`difference == 0` (eq), `difference < 0` (slt, ult): a truth about values, whatever happens to memory."""

    kind: str
    difference: Linear


@dataclass(frozen=True, slots=True)
class Known:
    """The content of a location; `objects` are those the location may lie in. `in_section`: others write there, but
    not before the atomic section ends. `is_seen`: only this thread writes there, but others may look meanwhile: so no
    thread that it creates inherits what is there now."""

    value: Linear
    objects: frozenset[ObjectId]
    in_section: bool = False
    is_seen: bool = False


@dataclass(slots=True)
class State:
    """See the module. `fresh` maps an object that only this thread can reach to the fresh objects stored in it.

    `hidden`: fresh objects whose address is also stored in objects that never leave this thread, and in which.
    `drawn`: values that were drawn from a counter, and from which.
    `turns`: values that were read from a word that says whose turn it is, from which, and under which locks.
    `objects`: what a pointer may point to, where that is narrower than what points-to says for all contexts.
    `observed`: a value that was read from a flag, and the signals that a changed value would mean.
    `regions`: which structure the nodes belong to that pointers point to; see `membership`.
    """

    locks: dict[HeldLock, int] = field(default_factory=dict)
    may_run: dict[ThreadId, int] = field(default_factory=dict)
    must_done: frozenset[Linear] = frozenset()
    in_once: frozenset[Linear] = frozenset()
    phases: dict[Linear, tuple[int, int | None]] = field(default_factory=dict)
    may_sent: frozenset[Linear] = frozenset()
    must_received: frozenset[Signal] = frozenset()
    may_handed: frozenset[ThreadId] = frozenset()
    must_returned: frozenset[tuple[ThreadId, Linear]] = frozenset()
    fresh: dict[Atom, frozenset[Atom]] = field(default_factory=dict)
    objects: dict[Atom, frozenset[ObjectId]] = field(default_factory=dict)
    memory: dict[tuple[Linear, int], Known] = field(default_factory=dict)
    values: dict[str, Linear] = field(default_factory=dict)
    facts: dict[Condition, bool] = field(default_factory=dict)
    observed: dict[Atom, frozenset[Signal]] = field(default_factory=dict)
    counts: Counts = NOTHING_COUNTED
    hidden: dict[Atom, frozenset[ObjectId]] = field(default_factory=dict)
    drawn: frozenset[tuple[Atom, Linear]] = frozenset()
    turns: Mapping[Atom, tuple[Linear, frozenset[Linear | None]]] = field(default_factory=dict)
    regions: Members = field(default_factory=dict)
    sights: Sights = NO_SIGHTS

    def copy(self) -> State:
        return State(
            self.locks.copy(),
            self.may_run.copy(),
            self.must_done,
            self.in_once,
            self.phases.copy(),
            self.may_sent,
            self.must_received,
            self.may_handed,
            self.must_returned,
            self.fresh.copy(),
            self.objects.copy(),
            self.memory.copy(),
            self.values.copy(),
            self.facts.copy(),
            self.observed.copy(),
            self.counts,
            self.hidden.copy(),
            self.drawn,
            self.turns,
            self.regions.copy(),
            self.sights,
        )

    def property_key(self) -> tuple[object, ...]:
        """States that differ here are worth keeping apart."""
        return (
            frozenset(self.locks.items()),
            frozenset(self.may_run.items()),
            self.must_done,
            self.in_once,
            self.must_received,
            self.counts.must_drained,
            self.drawn,
        )

    def full_key(self) -> tuple[object, ...]:
        """States are equal if these are; to compare two of them is much cheaper."""
        return (
            *self.property_key(),
            frozenset(self.phases.items()),
            self.may_sent,
            self.may_handed,
            self.must_returned,
            frozenset(self.fresh.items()),
            frozenset(self.objects.items()),
            frozenset(self.memory.items()),
            frozenset(self.values.items()),
            frozenset(self.facts.items()),
            frozenset(self.observed.items()),
            self.counts.key(),
            frozenset(self.hidden.items()),
            frozenset(self.turns.items()),
            frozenset(self.regions.items()),
            self.sights.key(),
        )

    def moment(self) -> Moment:
        return Moment(
            may_run=frozenset(self.may_run),
            must_done=self.must_done,
            in_once=self.in_once,
            phases=tuple((b, low, high) for b, (low, high) in sorted(self.phases.items(), key=lambda p: str(p[0]))),
            may_sent=self.may_sent,
            must_received=self.must_received,
            may_handed=self.may_handed,
            must_returned=self.must_returned,
            may_counted=self.counts.may_counted,
            must_drained=self.counts.must_drained,
            must_drawn=self.drawn,
            must_numbers=frozenset(self._numbers()),
            must_seen=self.sights.must_seen,
            must_have=self.sights.must_have(),
            may_paid=self.sights.may_paid,
        )

    def _numbers(self) -> Iterator[tuple[Linear, int]]:
        """Numbers that were drawn, and the thread's argument, where a branch has told which number that is."""
        for condition, holds in self.facts.items():
            match condition.kind, condition.difference.terms:
                case "eq", ((atom, 1),) if holds:
                    sources = [of_atom(atom)] if isinstance(atom, StartArg) else [c for a, c in self.drawn if a == atom]
                    yield from ((source, -condition.difference.constant) for source in sources)

    def forget(self, *atoms: Atom) -> None:
        """Drop what is known in terms of `atoms`, whose names now stand for other values."""
        names = frozenset(atoms)
        self.drop_where(lambda linear: linear.mentions(names), names)
        for atom in atoms:
            if self.fresh:
                self.publish(of_atom(atom))  # what is stored in it may be found through it, by whatever name
            self.objects.pop(atom, None)
            self.observed.pop(atom, None)
            if self.counts.reads:
                self.counts = self.counts.without_read(atom)
            if self.sights.reads:
                self.sights = self.sights.without_read(atom)
            if self.drawn:
                self.drawn = frozenset(item for item in self.drawn if item[0] != atom)
            if atom in self.turns:
                self.turns = {a: read for a, read in self.turns.items() if a != atom}

    def drop_where(self, stale: Callable[[Linear], bool], names: frozenset[Atom] | None = None) -> None:
        """Drop every entry that mentions a stale value: sound, because all of them are must-knowledge.

        With `names`, what mentions one of them is stale.
        """
        for lock in [h for h in self.locks if stale(h.address)]:
            del self.locks[lock]
        for key in [k for k, known in self.memory.items() if stale(k[0]) or stale(known.value)]:
            del self.memory[key]
        if names is None:
            gone = [r for r, value in self.values.items() if stale(value)]
        else:  # most of all entries: without a call for each
            gone = [r for r, v in self.values.items() if v.terms and not names.isdisjoint(v.leaf_set or v.all_leaves())]
        for reg in gone:
            self.publish(self.values.pop(reg))  # the register still has the value, under a name of its own now
        if self.must_returned:
            self.must_returned = frozenset(item for item in self.must_returned if not stale(item[1]))
        for condition in [c for c in self.facts if stale(c.difference)]:
            del self.facts[condition]
        if self.regions:
            drop_stale(self.regions, stale)
        self.sights = self.sights.without(stale)

    def publish(self, value: Linear) -> None:
        """Objects that `value` points to are no longer this thread's alone, nor what is stored in them.

        Their contents were known because nobody else could change them: that is over.
        """
        work = [leaf for leaf in value.leaves() if leaf in self.fresh]
        published = set(work)
        while work:
            atom = work.pop()
            inner = self.fresh.pop(atom, frozenset())
            self.hidden.pop(atom, None)
            work.extend(a for a in inner if a in self.fresh)
            published |= inner
        if published:
            for key in [k for k in self.memory if any(atom in published for atom in k[0].atoms())]:
                del self.memory[key]

    def stored_in(self, atom: Atom) -> set[Atom]:
        """Fresh objects that can be found through this one."""
        found: set[Atom] = set()
        work = [atom]
        while work:
            new = self.fresh.get(work.pop(), frozenset()) - found
            found |= new
            work.extend(new)
        return found

    def hide(self, atoms: frozenset[Atom], objects: frozenset[ObjectId]) -> None:
        """Addresses of fresh objects are stored in `objects`, which only this thread will ever look into."""
        for atom in atoms if objects else ():
            self.hidden[atom] = self.hidden.get(atom, frozenset()) | objects

    def find(self, objects: frozenset[ObjectId]) -> None:
        """Something is read out of `objects`: a fresh object that is hidden there has another name from now on."""
        for atom in [a for a, places in self.hidden.items() if places & objects]:
            self.publish(Linear(0, ((atom, 1),)))

    def forget_memory(self, objects: frozenset[ObjectId] | None) -> None:
        """Drop what is known about the content of `objects` (None: of everything)."""
        if objects is None:
            self.memory.clear()
        else:
            for key in [k for k, known in self.memory.items() if not known.objects.isdisjoint(objects)]:
                del self.memory[key]

    def forget_values(self) -> None:
        """Drop all that is known of values and memory, and take no object for this thread's alone any more."""
        for table in (self.memory, self.facts, self.values, self.fresh, self.hidden, self.objects, self.observed):
            table.clear()
        self.regions.clear()
        self.drawn, self.turns = frozenset(), {}
        self.sights = self.sights.without(lambda _: True)

    def leave_section(self) -> None:
        """An atomic section ends: what it has read may change from now on."""
        for key in [k for k, known in self.memory.items() if known.in_section]:
            del self.memory[key]

    def take(self, lock: HeldLock) -> None:
        self.locks[lock] = min(self.locks.get(lock, 0) + 1, 3)

    def release(self, lock: HeldLock, may_alias: Callable[[Linear], bool]) -> bool:
        """Give a lock back; True if it was certainly held.

        If exactly this lock is in the set, one count of it goes: another entry that is the same lock means
        that it was taken twice, so it is still held. Otherwise every lock that may be the same one goes.
        """
        if lock in self.locks:
            if self.locks[lock] > 1:
                self.locks[lock] -= 1
            else:
                del self.locks[lock]
            return True
        for held in [h for h in self.locks if h.kind is lock.kind and may_alias(h.address)]:
            del self.locks[held]
        return False


def join(a: State, b: State) -> State:
    """The least state that both imply."""
    result = State(
        locks={h: min(n, b.locks[h]) for h, n in a.locks.items() if h in b.locks},
        may_run={t: max(a.may_run.get(t, 0), b.may_run.get(t, 0)) for t in a.may_run.keys() | b.may_run.keys()},
        must_done=a.must_done & b.must_done,
        in_once=a.in_once & b.in_once,
        phases=_join_phases(a.phases, b.phases),
        may_sent=a.may_sent | b.may_sent,
        must_received=a.must_received & b.must_received,
        may_handed=a.may_handed | b.may_handed,
        must_returned=a.must_returned & b.must_returned,
        fresh={atom: inner | b.fresh[atom] for atom, inner in a.fresh.items() if atom in b.fresh},
        objects={atom: o | b.objects[atom] for atom, o in a.objects.items() if atom in b.objects},
        memory=_common(a.memory, b.memory),
        values=_common(a.values, b.values),
        facts=_common(a.facts, b.facts),
        observed={atom: s & b.observed[atom] for atom, s in a.observed.items() if atom in b.observed},
        counts=join_counts(a.counts, b.counts),
        drawn=a.drawn & b.drawn,
        turns={
            atom: (word, vias & b.turns[atom][1])
            for atom, (word, vias) in a.turns.items()
            if atom in b.turns and b.turns[atom][0] == word
        },
        regions=join_members(a.regions, b.regions),
        sights=join_sights(a.sights, b.sights),
    )
    result.hidden = {
        atom: a.hidden.get(atom, frozenset()) | b.hidden.get(atom, frozenset())
        for atom in a.hidden.keys() | b.hidden.keys()
        if atom in result.fresh
    }
    if result.fresh:
        for side in (a, b):
            for reg, value in side.values.items():
                if reg not in result.values:
                    result.publish(value)  # reachable through a register whose value is not tracked any more
            for atom in side.fresh.keys() - result.fresh.keys():
                for inner in side.fresh[atom]:
                    result.publish(Linear(0, ((inner, 1),)))  # reachable through an object that is not
    return result


def _common(a: Mapping[K, V], b: Mapping[K, V]) -> dict[K, V]:
    if a == b:  # without a step in Python for each entry
        return dict(a)
    return {k: v for k, v in a.items() if k in b and ((other := b[k]) is v or other == v)}


def _join_phases(
    a: Mapping[Linear, tuple[int, int | None]], b: Mapping[Linear, tuple[int, int | None]]
) -> dict[Linear, tuple[int, int | None]]:
    result = {}
    for barrier in a.keys() | b.keys():
        low_a, high_a = a.get(barrier, (0, 0))
        low_b, high_b = b.get(barrier, (0, 0))
        high = None if high_a is None or high_b is None else max(high_a, high_b)
        if high is not None and high > PHASE_LIMIT:
            high = None
        result[barrier] = (min(low_a, low_b), high)
    return result


def merge(states: Iterable[State], limit: int) -> list[State]:
    """Join states with the same property; then, beyond `limit`, all of them."""
    states = list(states)
    if len(states) < 2:
        return states
    by_key: dict[tuple[object, ...], State] = {}
    for state in states:
        key = state.property_key()
        by_key[key] = join(by_key[key], state) if key in by_key else state
    merged = list(by_key.values())
    if len(merged) > limit:
        result = merged[0]
        for state in merged[1:]:
            result = join(result, state)
        return [result]
    return merged
