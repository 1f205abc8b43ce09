"""Happens-before by vector clocks, and races as pairs of accesses that it does not order (C11 5.1.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from raceproof.interpreter.memory import MemoryObject, NotSupported

MAX_THREADS = 10
Clock = list[int]

End = tuple[int, str]
"""One end of a race: site and kind of access ("read", "write", "update", "free")."""
RaceKey = tuple[End, End]


def new_clock() -> Clock:
    return [0] * MAX_THREADS


def join_into(clock: Clock, other: Clock) -> None:
    for index, value in enumerate(other):
        if value > clock[index]:
            clock[index] = value


@dataclass(slots=True)
class Race:
    """`is_first`: no other race came before it in some execution. `schedule` leads to it."""

    object: str
    is_first: bool
    threads: tuple[str, str]
    schedule: tuple[str, ...] = ()


@dataclass(slots=True)
class Detector:
    """Finds the races of one execution. `racy` collects the bytes that they are about."""

    races: dict[RaceKey, Race] = field(default_factory=dict)
    racy: set[tuple[tuple[object, ...], int]] = field(default_factory=set)
    names: list[str] = field(default_factory=list)

    def access(
        self,
        thread: int,
        clock: Clock,
        target: MemoryObject,
        first: int,
        end: int,
        kind: str,
        site: int,
        writes: bool,
        atomic: bool,
    ) -> None:
        """Compare the access with all earlier ones, then remember it."""
        for (u, s, k, low, high, w, a), at in target.shadow.items():
            if u != thread and (w or writes) and not (a and atomic) and low < end and first < high and at > clock[u]:
                self._note(target, (max(low, first), min(high, end)), (s, k), (site, kind), (u, thread))
        target.shadow[(thread, site, kind, first, end, writes, atomic)] = clock[thread]

    def _note(self, target: MemoryObject, span: tuple[int, int], a: End, b: End, threads: tuple[int, int]) -> None:
        self.racy.update((target.name, byte) for byte in range(*span))
        key = (a, b) if a <= b else (b, a)
        if key not in self.races:
            names = (self.names[threads[0]], self.names[threads[1]])
            self.races[key] = Race(f"{target.name}+{span[0]}", not self.races, names)


@dataclass(slots=True)
class AtomicClock:
    """What the value in an atomic object carries: the clock of the release that heads each release sequence."""

    heads: dict[int, Clock] = field(default_factory=dict)


@dataclass(slots=True)
class ThreadClock:
    """`now`: what happened before; `seen`: what an acquire fence would add; `fenced`: what a release fence gave."""

    index: int
    now: Clock = field(default_factory=new_clock)
    seen: Clock = field(default_factory=new_clock)
    fenced: Clock | None = None

    def tick(self) -> None:
        self.now[self.index] += 1

    def publish(self) -> Clock:
        """The clock that a release gives away."""
        result = list(self.now)
        self.tick()
        return result

    def read_atomic(self, source: AtomicClock, acquires: bool) -> None:
        for head in source.heads.values():
            join_into(self.now if acquires else self.seen, head)

    def write_atomic(self, target: AtomicClock, releases: bool, is_update: bool) -> None:
        """A store ends the release sequences of other threads (C11 5.1.2.4p10), an update goes on with all."""
        if not is_update:
            target.heads = {index: head for index, head in target.heads.items() if index == self.index}
        given = self.publish() if releases else self.fenced
        if given is not None:
            head = list(given)
            if self.index in target.heads:
                join_into(head, target.heads[self.index])
            target.heads[self.index] = head

    def fence(self, acquires: bool, releases: bool) -> None:
        if acquires:
            join_into(self.now, self.seen)
        if releases:
            self.fenced = self.publish()


def fork(parent: ThreadClock, index: int) -> ThreadClock:
    """The clock of a new thread."""
    if index >= MAX_THREADS:
        raise NotSupported("too many threads")
    child = ThreadClock(index, now=parent.publish())
    child.now[index] = 1
    return child
