"""Threads, locks, accesses: what the facts say about the program, for every engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import TYPE_CHECKING, Final, NewType, final

from raceproof.core import SourcePos
from raceproof.ir import MemoryOrder, Program, SiteId
from raceproof.model.inputs import ProgramInput
from raceproof.model.memory import MemLoc, MemObject
from raceproof.model.regions import NO_REGIONS, Region, Regions
from raceproof.model.symbolic import Atom, Linear, ObjectId, StartArg, ThreadId
from raceproof.model.uninitialised import NOTHING_UNINITIALISED, UninitialisedMemory

if TYPE_CHECKING:
    from raceproof.model.waiting import Waiting

AccessId = NewType("AccessId", int)
MAIN = ThreadId(0)
UNKNOWN_START: Final = "?"
"""In the place of the function that a thread runs."""
_MAX_NAMES = 3  # of functions, in one sentence


@final
@dataclass(frozen=True, slots=True)
class SameArgument:
    """Every instance gets this value, or the thread has one instance only and gets it."""

    value: Linear


@final
@dataclass(frozen=True, slots=True)
class DistinctArgument:
    """Instances get different values.

    `fresh`: each a newly allocated object. Otherwise `pattern` over the creator's own values, different by a
    multiple of `stride` each time, because `counter` in it is different; `values` are those of
    the counter, if known. `bits`: the value is a number
    sign-extended from that many bits.
    """

    pattern: Linear
    stride: int
    fresh: bool
    bits: int | None = None
    counter: Atom | None = None
    values: tuple[int, ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class AnyArgument:
    """Nothing is known."""


Argument = SameArgument | DistinctArgument | AnyArgument


@dataclass(frozen=True, slots=True)
class GivenNumber:
    """What instances find at a place in what they were given: `pattern` over the creator's own values, in which
    `counter` is different each time, by a multiple of `growth`."""

    pattern: Linear
    counter: Atom
    growth: int


@dataclass(frozen=True, slots=True)
class Thread:
    """An abstract thread: all instances that `parent` creates at `created_at` to run `start`.

    `many`: more than one instance may run at the same time. `instances` bounds how many there are in a
    whole run, if known. `may_run_at_creation`: what may be running when an instance is created.
    `argument_objects`: what its argument may point to.
    `is_callback`: no thread, but a function that code outside the program may run at any time once `parent` has given
    it away at `created_at`, or from the start if that is None: a signal handler, a function that a library was given.
    `is_nested`: a callback that unknown code runs only while the thread `parent` calls such code, in that thread.
    Main has no parent and no creation site.
    """

    id: ThreadId
    start: str
    parent: ThreadId | None
    created_at: SiteId | None
    pos: SourcePos | None
    many: bool
    instances: int | None
    argument: Argument
    may_run_at_creation: frozenset[ThreadId] = frozenset()
    argument_objects: frozenset[ObjectId] = frozenset()
    is_callback: bool = False
    is_nested: bool = False


@unique
class Strength(Enum):
    """How much was known when the facts had to be ready; each is sound in itself, a later one proves more."""

    COARSE = "coarse"
    FIRST_FLOW = "first-flow"
    FULL = "full"

    @property
    def meaning(self) -> str:
        """What the facts say, for a reader."""
        match self:
            case Strength.COARSE:
                return "only locks at fixed places, and that main is alone until it creates the first thread"
            case Strength.FIRST_FLOW:
                return "locks and order along all paths, but not what follows from memory that nobody changes any more"
            case Strength.FULL:
                return "all that raceproof knows how to find out"


@unique
class LockMode(Enum):
    EXCLUSIVE = "exclusive"
    SHARED = "shared"  # read side of a rwlock: excludes EXCLUSIVE only


@unique
class LockKind(Enum):
    MUTEX = "mutex"
    SEMAPHORE = "semaphore"
    SPIN = "atomic spin lock"
    ATOMIC_SECTION = "atomic section"


SHARED_MARK = " (shared)"
"""Behind the name of a lock that is held for reading only."""


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock that is certainly held, by its symbolic address; `pos` is where it was taken.

    `kind` tells locks that need a condition to exclude at all: a semaphore must be used as a mutex, a spin lock
    made of atomics must be set and cleared as one; `ConcurrentProgram.exclusive` lists those that are.
    """

    address: Linear
    mode: LockMode
    kind: LockKind
    pos: SourcePos | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return str(self.address) + (SHARED_MARK if self.mode is LockMode.SHARED else "")


@dataclass(frozen=True, slots=True)
class Signal:
    """A semaphore posted, or a flag found set: `via` is the lock under which the flag was read, None if atomic."""

    address: Linear
    via: Linear | None = None


@dataclass(frozen=True, slots=True)
class CountDown:
    """A counter that threads count down, each once at most; main makes them all, and sees when all have done so.

    `via`: locks under which all writes happen (but for what main does while it is alone), None if they are atomic
    updates. `threads`: those that count down, and those for which `joiners` do (`joined`), once they have joined them.
    `most`: how many of these threads there are in a run at most, if known.
    """

    address: Linear
    via: frozenset[Linear] | None
    threads: frozenset[ThreadId]
    most: int | None
    joiners: frozenset[ThreadId] = frozenset()
    joined: frozenset[ThreadId] = frozenset()


TokenSeen = tuple[ObjectId, Linear, Linear]
"""The object with the cells, the address of the cell, and a lock that was held."""


@dataclass(frozen=True, slots=True)
class TokenCells:
    """Cells of `object` that are zero at first, and into which only instances of `thread` write anything else.

    An instance writes `cell`, while it has `locks`, all told in terms of its argument. `counters`: who counts down for
    another thread there does so for such a token, once for each, and an instance makes one token at most.
    `is_made_once`: no two instances ever get the same argument.
    """

    object: ObjectId
    thread: ThreadId
    cell: Linear
    locks: frozenset[Linear]
    counters: frozenset[Linear]
    is_made_once: bool

    def argument(self, seen: TokenSeen) -> Linear | None:
        """Of the instance that put the token there; None unless the lock is that of the cell."""
        target, cell, lock = seen
        start: Atom = StartArg(self.thread)
        factor = dict(self.cell.terms).get(start, 0)
        multiple = cell.plus(self.cell, -1).plus(Linear(0, ((start, 1),)), factor)
        if target != self.object or factor == 0 or any(k % factor for k in (multiple.constant, *multiple.factors())):
            return None
        found = Linear(multiple.constant // factor, tuple((atom, k // factor) for atom, k in multiple.terms))
        for known in self.locks:
            times = dict(known.terms).get(start, 0)
            if known.plus(Linear(0, ((start, 1),)), -times).plus(found, times) == lock:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Moment:
    """What is ordered before and after a point of a thread, by creation, join, once, barriers, signals.

    `may_run`: threads created by this thread (or its ancestors before its start, or its descendants) that
      may be running now: a thread that is absent has ended before or starts after, seen from the ancestor
      that creates it.
    `must_done`: once-objects whose initialiser has returned (address of the control).
    `in_once`: once-objects whose initialiser is running.
    `phases`: per barrier the least and greatest number of waits this thread has behind it (None: unbounded).
    `may_sent`: semaphores and flags through which this thread may already have signalled.
    `must_received`: signals that this thread has certainly received.
    `may_handed`: threads to which the creator may have given the argument of the current round of its loop.
    `must_returned`: thread instances that were joined, by the argument they were given.
    `may_counted`: counters that this thread may have counted down already.
    `must_drained`: counters at which main has seen that every thread it has created, of those that count down
      there, has done so.
    `must_drawn`: values, with the counters that they were drawn from.
    `must_numbers`: which numbers these are, where that is known; under its own name, the argument of the thread.
    `must_seen`: tokens that this thread has found in cells. `must_have`: those whose cells only this thread can have
      emptied since. `may_paid`: counters that it may have counted down since it found the last one.
    """

    may_run: frozenset[ThreadId] = frozenset()
    must_done: frozenset[Linear] = frozenset()
    in_once: frozenset[Linear] = frozenset()
    phases: tuple[tuple[Linear, int, int | None], ...] = ()
    may_sent: frozenset[Linear] = frozenset()
    must_received: frozenset[Signal] = frozenset()
    may_handed: frozenset[ThreadId] = frozenset()
    must_returned: frozenset[tuple[ThreadId, Linear]] = frozenset()
    may_counted: frozenset[Linear] = frozenset()
    must_drained: frozenset[Linear] = frozenset()
    must_drawn: frozenset[tuple[Atom, Linear]] = frozenset()
    must_numbers: frozenset[tuple[Linear, int]] = frozenset()
    must_seen: frozenset[TokenSeen] = frozenset()
    must_have: frozenset[TokenSeen] = frozenset()
    may_paid: frozenset[Linear] = frozenset()


@unique
class AccessKind(Enum):
    READ = "read"
    WRITE = "write"
    UPDATE = "update"  # atomic read-modify-write: one step, counts as a write
    FREE = "free"  # the end of an object: a write to all of it

    @property
    def writes(self) -> bool:
        return self is not AccessKind.READ


@dataclass(frozen=True, slots=True)
class View:
    """An access as it happens in one thread and one calling context.

    `held` is a must-lockset: a lock held on only some paths is absent. `private`: the object is reachable by
    this thread only, at this point. `objects`: those of the access's targets that it may touch in this context
    (None: all). `region`: the structure on the heap that it is in, if it is in a node (`ConcurrentProgram.regions`).
    `ranges`: values that the address is made of, and the numbers between which they are: the first one, and the one
    behind the last. All may be used to rule a race out, never to claim one.
    """

    thread: ThreadId
    address: Linear | None
    held: frozenset[HeldLock]
    moment: Moment
    private: bool
    objects: frozenset[ObjectId] | None = None
    call_stack: tuple[SourcePos, ...] = ()
    region: Region | None = None
    ranges: tuple[tuple[Atom, Linear, Linear], ...] = ()


@dataclass(frozen=True, slots=True)
class UnknownCode:
    """Functions that nothing describes, and that may make an access. `kept`: to memory that they are not given by this
    call, but that they, or other unknown functions, may have kept: `kept_by`, as far as calls tell."""

    functions: tuple[str, ...]
    kept: bool = False
    kept_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        names = _listed(self.functions)
        verb = "is" if len(self.functions) == 1 else "are"
        if not self.kept:
            return f"{names} {verb} not known, and may touch all that can be reached from the arguments"
        whose = f"what {_listed(self.kept_by)} may have kept" if self.kept_by else "memory that unknown code has"
        return f"{names} {verb} not known, and may touch {whose}"


def _listed(names: tuple[str, ...]) -> str:
    shown = [f"`{name}`" for name in names[:_MAX_NAMES]]
    if len(names) > _MAX_NAMES:
        shown.append(f"{len(names) - _MAX_NAMES} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


@dataclass(frozen=True, slots=True)
class Access:
    """One memory access of one instruction, as every engine sees it: where it may go and how it may happen.

    `size` is None for a range of unknown length. `targets` are may-targets, of those that threads share; `has_others`:
    it may go to objects that they do not share as well. `touch` counts the accesses of one instruction (a library call
    may have several). `unknown`: code that nothing describes makes it, if anybody does. `operation`: it is one of the
    thread library's, on an object of that (`facts.object_uses`).
    """

    id: AccessId
    site: SiteId
    function: str
    kind: AccessKind
    size: int | None
    targets: tuple[MemLoc, ...]
    order: MemoryOrder | None
    views: tuple[View, ...]
    pos: SourcePos | None
    touch: int = 0
    has_others: bool = False
    unknown: UnknownCode | None = None
    operation: str | None = None

    @property
    def is_atomic(self) -> bool:
        return self.order is not None


@dataclass(frozen=True, slots=True)
class RacePair:
    """Two accesses that may touch the same bytes, one of them writing; `first.id <= second.id`."""

    first: AccessId
    second: AccessId
    target: MemLoc

    def __hash__(self) -> int:
        """The accesses say which pair it is; hashing the location would be most of the time of large tables."""
        return hash((self.first, self.second))


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Of a local variable that threads share: `ends` are views, without an address, of the moments at which `function`
    returns; `threads` are those that may be created before that, in it or in what it calls. `may_wait`: it may wait for
    something, whatever that is."""

    function: str
    may_wait: bool
    ends: tuple[View, ...]
    threads: frozenset[ThreadId]


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that was taken for granted, to be named in the report."""

    text: str
    pos: SourcePos | None = None


@dataclass(frozen=True, slots=True)
class SharedLocation:
    """Thread state of an object in the sense of [DHTC, Table 1]; see `facts.analysis`."""

    object: ObjectId
    state: str  # own | read-shared | racy


@dataclass(frozen=True, slots=True)
class BarrierFact:
    """A barrier whose rounds order its users: no more than `count` threads ever wait at it."""

    barrier: Linear
    count: int
    users: tuple[ThreadId, ...]


@dataclass(frozen=True, slots=True)
class CallTargets:
    """What a call may run, over-approximated. All names are of functions.

    `functions` of the program, `externals` of the library. `callbacks`: functions of the program that the library
    runs before the call returns, `starts`: that it runs as threads (None: not known which), `at_end`: that it will run
    when a thread or the program ends, `any_time`: that it may run whenever it likes (signal handlers).
    `may_return` is about the externals. `is_unknown`: it may be a call of code that nothing describes;
    `may_release_any`: which is given pointers through which it could find locks.
    `may_lock_in`: global variables that may hold the lock which a thread operation is about; None: any.
    `may_signal_in`: the same of a semaphore, barrier or condition.
    """

    functions: tuple[str, ...] = ()
    externals: tuple[str, ...] = ()
    callbacks: tuple[str, ...] = ()
    starts: tuple[str, ...] | None = ()
    at_end: tuple[str, ...] = ()
    any_time: tuple[str, ...] = ()
    may_return: bool = True
    is_unknown: bool = False
    may_release_any: bool = False
    may_lock_in: frozenset[str] | None = frozenset()
    may_signal_in: frozenset[str] | None = frozenset()


@dataclass(frozen=True, slots=True)
class CallGraph:
    """The targets of each call in the functions that may be reached; `from_outside`: what unknown code may call;
    `joins_detached`: a join may be of a thread that is detached, and so be refused."""

    targets: Mapping[SiteId, CallTargets]
    from_outside: frozenset[str]
    joins_detached: bool = False


@dataclass(frozen=True, slots=True)
class ConcurrentProgram:
    """The program with its threads, locks and accesses.

    `accesses` holds those to objects that more than one thread may touch while one writes; `private_accesses`
    counts the others. `exclusive` are the semaphores and atomic spin locks that may be relied on as mutexes.
    `senders` gives, for each signal that orders, the one thread that sends it; `sent_after` what it has always
    received itself before sending through that address. `countdowns`: counters that threads count down;
    `drawn_from`: from which they draw numbers, a different one each time; `given_numbers`: those of them that are
    places in what threads were given, and what is there; `tokens`: cells in which they leave something for others.
    `doubtful_mutexes`: global variables whose lock calls may be refused; `doubtful_objects`: all such objects.
    `may_hold`: for an object that is private somewhere, the accesses through which a pointer to it may be stored and
    found. `calls` is None where the facts were not made by `facts.analyse`. `made_at`: the objects that an instruction
    makes, each with the calls through which the function was entered that makes it, the last ones. `lifetimes`: of
    local variables, but for main's, that threads share and that one created meanwhile could outlive. `overwriting`:
    instructions that may write, as plain memory, into what threads synchronise by; `overwriting_late`: those of them
    that may do so to a lock while threads run that may hold it; `overwritten`: the objects that such locks are in.
    `pointer_numbers`: reads of numbers where a pointer may be. `inputs`: where the program may be given something from
    outside that can matter; None if that is not known. `uninitialised`: where to ask whether a value was ever written.
    `waiting`: where threads may wait for what others hold; None unless it was asked for. `strength`: how much was known
    when the facts had to be ready.
    """

    program: Program
    threads: Mapping[ThreadId, Thread]
    objects: Mapping[ObjectId, MemObject]
    accesses: Mapping[AccessId, Access]
    private_accesses: int
    states: tuple[SharedLocation, ...]
    exclusive: frozenset[Linear]
    barriers: tuple[BarrierFact, ...]
    senders: Mapping[Signal, ThreadId]
    sent_after: Mapping[Linear, frozenset[Signal]]
    assumptions: tuple[Assumption, ...]
    may_hold: Mapping[ObjectId, frozenset[AccessId]]
    calls: CallGraph | None = None
    countdowns: tuple[CountDown, ...] = ()
    drawn_from: frozenset[Linear] = frozenset()
    given_numbers: Mapping[Linear, GivenNumber] = field(default_factory=dict)
    tokens: tuple[TokenCells, ...] = ()
    regions: Regions = NO_REGIONS
    doubtful_mutexes: frozenset[str] = frozenset()
    doubtful_objects: frozenset[ObjectId] = frozenset()
    made_at: Mapping[SiteId, tuple[tuple[ObjectId, tuple[SiteId, ...]], ...]] = field(default_factory=dict)
    lifetimes: Mapping[ObjectId, Lifetime] = field(default_factory=dict)
    overwriting: frozenset[SiteId] = frozenset()
    overwriting_late: frozenset[SiteId] = frozenset()
    overwritten: frozenset[ObjectId] = frozenset()
    pointer_numbers: frozenset[SiteId] = frozenset()
    inputs: tuple[ProgramInput, ...] | None = None
    uninitialised: UninitialisedMemory = NOTHING_UNINITIALISED
    waiting: Waiting | None = None
    strength: Strength = Strength.FULL
