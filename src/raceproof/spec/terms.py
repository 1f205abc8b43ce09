"""The vocabulary of the specification: results, edges, effects, outcomes, rules.

A rule is one cell of the table "state of the object as the calling thread sees it x operation". It lists every outcome
that the standard or glibc knows for that cell, with the clause that says so:

    rule(MUTEX, "lock", Seen.OTHERS, waits(), "XSH pthread_mutex_lock: blocks until the mutex becomes available")

Data only: `interpreter` gives the effects their meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final


@unique
class ObjectType(Enum):
    MUTEX = "mutex"
    RWLOCK = "rwlock"
    SPIN = "spin lock"
    COND = "condition"
    BARRIER = "barrier"
    SEM = "semaphore"
    ONCE = "once control"
    THREAD = "thread"
    KEY = "key"
    SECTION = "atomic section"


@unique
class Kind(Enum):
    """Types of mutexes. PLAIN is C11's `mtx_plain` (and `mtx_timed`); C11's recursive ones are RECURSIVE."""

    NORMAL = "normal"
    DEFAULT = "default"
    RECURSIVE = "recursive"
    ERRORCHECK = "errorcheck"
    PLAIN = "plain"


@unique
class Seen(Enum):
    """The state of an object as the thread that is about to operate on it sees it."""

    UNINITIALISED = "uninitialised"
    DESTROYED = "destroyed"
    FREE = "free"
    MINE = "held by caller"
    MINE_AGAIN = "held by caller more than once"
    OTHERS = "held by another thread"
    # robust mutexes
    OWNER_DIED = "owner died"
    MINE_INCONSISTENT = "held by caller, inconsistent"
    UNRECOVERABLE = "not recoverable"
    # read-write locks
    READING = "read by caller only"
    READING_TOO = "read by caller and others"
    READ_BY_OTHERS = "read by others"
    # conditions
    NO_WAITERS = "nobody waits"
    WAITERS = "somebody waits"
    WAITING = "caller waits"
    WOKEN = "caller was woken"
    # barriers
    INCOMPLETE = "more threads have to arrive"
    LAST = "caller is the last to arrive"
    ROUND_OPEN = "caller's round is not complete"
    ROUND_OVER = "caller's round is complete"
    # semaphores
    ZERO = "value 0"
    POSITIVE = "value positive"
    FULL = "value SEM_VALUE_MAX"
    # once controls
    NEW = "not run yet"
    RUNNING_ROUTINE = "caller runs the routine"
    OTHERS_ROUTINE = "another thread runs the routine"
    DONE = "routine has run"
    # threads
    ABSENT = "does not exist"
    RUNNING = "runs"
    ENDED = "has ended"
    GONE = "was joined"
    DETACHED = "is detached and runs"
    DETACHED_ENDED = "is detached and has ended"
    SELF = "is the caller"
    JOINS_CALLER = "waits in a join for the caller"
    # keys
    VALID = "valid"


@unique
class Result(Enum):
    """What a call returns, apart from how its family of functions spells it; the value is Linux's errno."""

    SUCCESS = 0
    EPERM = 1
    ESRCH = 3
    EINTR = 4
    EAGAIN = 11
    ENOMEM = 12
    EBUSY = 16
    EINVAL = 22
    EDEADLK = 35
    EOVERFLOW = 75
    ETIMEDOUT = 110
    EOWNERDEAD = 130
    ENOTRECOVERABLE = 131
    SERIAL_THREAD = -1  # PTHREAD_BARRIER_SERIAL_THREAD


@unique
class Clock(Enum):
    """The clocks of an object to which threads release what they did, and from which others acquire it."""

    WRITTEN = "unlocks"  # of a lock; of the write side of a rwlock
    READ = "read unlocks"
    POSTS = "posts"
    ROUND = "arrivals of the round"
    ROUTINE = "return of the routine"
    CREATION = "creation"
    END = "end"


@dataclass(frozen=True, slots=True)
class Edge:
    """One half of a happens-before edge: what a thread did before a release happens before what others do after an
    acquire of the same clock."""

    clock: Clock
    releases: bool


def acquire(*clocks: Clock) -> tuple[Edge, ...]:
    return tuple(Edge(clock, releases=False) for clock in clocks)


def release(*clocks: Clock) -> tuple[Edge, ...]:
    return tuple(Edge(clock, releases=True) for clock in clocks)


@unique
class Effect(Enum):
    """What becomes of the object; `interpreter` says it in code."""

    NONE = "unchanged"
    INITIALISE = "initialised"
    DESTROY = "destroyed"
    TAKE = "held by caller"
    COUNT_UP = "count + 1"
    COUNT_DOWN = "count - 1"
    FREE = "free"
    SPOIL = "not recoverable"  # unlocked while inconsistent
    MAKE_CONSISTENT = "consistent"
    ABANDON = "owner died"
    READ = "caller reads"
    UNREAD = "caller reads once less"
    ENQUEUE = "caller waits"
    WAKE_ONE = "one waiter woken"
    WAKE_ALL = "all waiters woken"
    LEAVE = "caller waits no longer"
    ARRIVE = "one more has arrived"
    COMPLETE = "round complete"
    DECREMENT = "value - 1"
    INCREMENT = "value + 1"
    RUN = "caller runs the routine"
    FINISH = "routine has run"
    RETRY = "not run yet"
    CREATE = "runs"
    END = "has ended"
    JOIN = "was joined"
    DETACH = "detached"


@unique
class Basis(Enum):
    """Why an outcome is possible."""

    REQUIRED = "required"  # the standard demands it (together with the other required outcomes of the cell)
    ALLOWED = "allowed"  # the standard permits it
    UNDEFINED = "undefined"  # the standard says nothing any more; what is listed is what glibc does


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that may happen. `result` None: the thread waits, and the cell is looked up again when the object
    changes.

    `glibc`: glibc can do this. `explored`: the runtime of `explore` does it, so that its searches cover it. What glibc
    can do and is not explored needs a reason in `note`.
    """

    result: Result | None
    effect: Effect = Effect.NONE
    edges: tuple[Edge, ...] = ()
    basis: Basis = Basis.REQUIRED
    glibc: bool = True
    explored: bool = True
    note: str = ""

    @property
    def waits(self) -> bool:
        return self.result is None

    @property
    def is_undefined(self) -> bool:
        return self.basis is Basis.UNDEFINED


def gives(result: Result, effect: Effect = Effect.NONE, *edges: tuple[Edge, ...]) -> Outcome:
    return Outcome(result, effect, tuple(edge for group in edges for edge in group))


def succeeds(effect: Effect = Effect.NONE, *edges: tuple[Edge, ...]) -> Outcome:
    return gives(Result.SUCCESS, effect, *edges)


def waits() -> Outcome:
    return Outcome(None)


def may(outcome: Outcome, *, glibc: bool = True, explored: bool = True, note: str = "") -> Outcome:
    """Permitted, not demanded."""
    return replace(outcome, basis=Basis.ALLOWED, glibc=glibc, explored=explored, note=note)


def undefined(outcome: Outcome, *, glibc: bool = True, explored: bool = True, note: str = "") -> Outcome:
    """Undefined by the standard; `outcome` is what happens with glibc."""
    return replace(outcome, basis=Basis.UNDEFINED, glibc=glibc, explored=explored, note=note)


ANY_KIND: Final = frozenset(Kind)


@dataclass(frozen=True, slots=True)
class Rule:
    """The outcomes of `operation` in one state; `kinds` and `robust` apply to mutexes (`robust` None: either)."""

    object: ObjectType
    operation: str
    seen: Seen
    outcomes: tuple[Outcome, ...]
    clause: str
    kinds: frozenset[Kind] = ANY_KIND
    robust: bool | None = None


Rows = tuple[Rule, ...]


def rows(
    object_: ObjectType,
    operations: str,
    seen: Seen | tuple[Seen, ...],
    outcomes: Outcome | tuple[Outcome, ...],
    clause: str,
    *,
    kinds: frozenset[Kind] = ANY_KIND,
    robust: bool | None = None,
) -> Rows:
    """One rule for each of the operations and states."""
    all_seen = seen if isinstance(seen, tuple) else (seen,)
    all_outcomes = outcomes if isinstance(outcomes, tuple) else (outcomes,)
    return tuple(
        Rule(object_, operation, one, all_outcomes, clause, kinds, robust)
        for operation in operations.split()
        for one in all_seen
    )
