"""What the unwound program consists of: points with their guards, events of threads, the threads themselves.

A `Point` is a copy of a place in the program: `guard` says when a thread comes there. Points of one thread form a
tree of dominators. `mass` is how the paths are shared out: one half to each side of a branch. Where as much comes
together as its dominator had, everything comes, so that the guard is the dominator's: guards stay short.

The events of one thread are a list in which each event stands behind everything that may precede it in the thread;
those of branches that exclude one another stand in some order, which says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from fractions import Fraction

from raceproof.bmc.terms import Truth, Value
from raceproof.core import SourcePos
from raceproof.ir import MemoryOrder, SiteId
from raceproof.model import AccessId


@dataclass(slots=True, eq=False)
class Point:
    guard: Truth
    above: Point | None
    mass: Fraction
    depth: int = 0

    def below(self, guard: Truth, mass: Fraction) -> Point:
        return Point(guard, self, mass, self.depth + 1)

    def dominates(self, other: Point) -> bool:
        place: Point | None = other
        while place is not None and place.depth > self.depth:
            place = place.above
        return place is self


def meeting(points: list[Point]) -> Point:
    """The lowest point that dominates all of them."""
    found = points[0]
    for other in points[1:]:
        while found is not other:
            if found.depth >= other.depth:
                assert found.above is not None
                found = found.above
            else:
                assert other.above is not None
                other = other.above
    return found


@unique
class Kind(Enum):
    START = "start"
    INIT = "init"  # of a semaphore or a barrier
    END = "end"
    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    LOCK = "lock"
    UNLOCK = "unlock"
    CREATE = "create"
    JOIN = "join"
    WAIT = "wait"  # has been put among those that wait; the unlock comes behind
    WAKE = "wake"  # no longer waits; the lock comes behind
    SIGNAL = "signal"
    POST = "post"
    TAKE = "take"  # of a semaphore
    ARRIVE = "arrive"  # at a barrier
    LEAVE = "leave"
    ONCE = "once"  # before the initialiser
    ONCE_END = "once done"  # behind it, in the thread that ran it
    ONCE_PASS = "once passed"
    SECTION = "section"  # an atomic section begins
    SECTION_END = "section end"
    TRY = "try"  # a lock, without waiting
    STOP = "stop"  # the program is aborted: never happens
    CUT = "cut"  # what comes next was not unwound


MEMORY = frozenset({Kind.READ, Kind.WRITE, Kind.UPDATE})
READING = frozenset({Kind.READ, Kind.UPDATE})
WRITING = frozenset({Kind.WRITE, Kind.UPDATE})


@dataclass(slots=True, eq=False)
class Event:
    """`thread` and `index` are its place. `address` of what it is about, `size` in bytes.

    Memory: `result` is what it reads, in bytes of memory; `is_resolved`: that is known already, from this thread and
    its ancestors alone. `value` is what it writes; an update writes what was there unless its `condition` holds.
    `is_free`: the end of an object. `is_block`: bytes that may begin anywhere, not one number.
    INIT: `value` is what the semaphore or barrier is made with. JOIN: `value` is the id, `result` what the thread
    returned. `condition`: LOCK, TRY: whether it takes anything; UNLOCK: gives it back; CREATE, JOIN, WAKE: whether it
    is that at all; ARRIVE: last to come; ONCE: the first. `shared`: the read side of a lock, a signal to all.
    `nests`: LOCK, TRY: of a mutex that its holder may take again. `refuses`: LOCK: of a rwlock, which refuses only the
    thread that writes it already. `partner`: WAKE: its WAIT; LEAVE: its ARRIVE; ONCE_END, ONCE_PASS: their ONCE.
    `is_final`: CUT: whatever the bound.
    """

    thread: Instance
    index: int
    kind: Kind
    point: Point
    site: SiteId
    pos: SourcePos | None
    accesses: tuple[AccessId, ...] = ()
    address: Value = 0
    size: int = 0
    result: Value = 0
    value: Value = 0
    condition: Truth = True
    order: MemoryOrder | None = None
    is_resolved: bool = False
    is_free: bool = False
    is_final: bool = False
    is_block: bool = False
    shared: bool = False
    nests: bool = False
    refuses: bool = False
    partner: Event | None = None
    child: Instance | None = None
    what: str = ""

    @property
    def guard(self) -> Truth:
        return self.point.guard

    def __repr__(self) -> str:
        return f"T{self.thread.number}.{self.index} {self.kind.value} #{self.site}"


@dataclass(slots=True, eq=False)
class Input:
    """A value that the program takes from outside, before event number `index` of its thread."""

    thread: Instance
    index: int
    point: Point
    site: SiteId
    pos: SourcePos | None
    name: str
    width: int
    is_signed: bool
    value: Value


@dataclass(slots=True, eq=False)
class Instance:
    """One thread that may run. `handle` is its id, as a number that in a proof is not known; `created` the event that
    creates it, None for main."""

    number: int
    function: str
    parent: Instance | None
    created: Event | None
    root: Point
    handle: Value
    argument: Value = 0
    events: list[Event] = field(default_factory=list)
    by_site: dict[SiteId, list[Event]] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    result: Value = 0
    end: Event | None = None
    is_finished: bool = False

    def at_site(self, site: SiteId) -> list[Event]:
        return self.by_site.get(site, [])

    def __repr__(self) -> str:
        return f"T{self.number} {self.function}"


def must_precede(a: Event, b: Event) -> bool:
    """Whenever both happen, a comes first: in one thread, or before the thread was created (or an ancestor of it)."""
    if a.thread is b.thread:
        return a.index < b.index
    created = b.thread.created
    return created is not None and (a is created or must_precede(a, created))


def always_before(a: Event, b: Event) -> bool:
    """Whenever b happens, a has happened before it."""
    if a.thread is b.thread:
        return a.index < b.index and a.point.dominates(b.point)
    created = b.thread.created
    return created is not None and (a is created or always_before(a, created))
