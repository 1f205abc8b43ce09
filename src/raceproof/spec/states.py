"""The states of the objects of the thread APIs, how a thread sees one, and what effects make of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final

from raceproof.core import InternalError
from raceproof.spec.terms import Effect, Kind, ObjectType, Seen

Tid = int
SEM_VALUE_MAX: Final = 2**31 - 1


@unique
class Life(Enum):
    UNINITIALISED = Seen.UNINITIALISED
    INITIALISED = "initialised"
    DESTROYED = Seen.DESTROYED


@unique
class Health(Enum):
    """Of a robust mutex."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    UNRECOVERABLE = "not recoverable"


@dataclass(frozen=True, slots=True)
class MutexState:
    """Also a spin lock or an atomic section (kind NORMAL, RECURSIVE). `count` is 0 unless it has an owner."""

    kind: Kind = Kind.DEFAULT
    robust: bool = False
    owner: Tid | None = None
    count: int = 0
    health: Health = Health.CONSISTENT
    life: Life = Life.INITIALISED


@dataclass(frozen=True, slots=True)
class RwlockState:
    """`readers`: each thread that reads, with how often, in the order of ids."""

    writer: Tid | None = None
    readers: tuple[tuple[Tid, int], ...] = ()
    life: Life = Life.INITIALISED

    def reads(self, thread: Tid) -> int:
        return dict(self.readers).get(thread, 0)


@dataclass(frozen=True, slots=True)
class CondState:
    """`woken`: threads that were signalled and have not left yet."""

    waiters: frozenset[Tid] = frozenset()
    woken: frozenset[Tid] = frozenset()
    life: Life = Life.INITIALISED


@dataclass(frozen=True, slots=True)
class BarrierState:
    """`round` counts complete rounds; `arrived`: who waits in the round that is open."""

    count: int
    arrived: frozenset[Tid] = frozenset()
    round: int = 0
    life: Life = Life.INITIALISED


@dataclass(frozen=True, slots=True)
class SemState:
    value: int
    life: Life = Life.INITIALISED


@dataclass(frozen=True, slots=True)
class OnceState:
    """`runner`: who runs the routine."""

    runner: Tid | None = None
    is_done: bool = False
    life: Life = Life.INITIALISED


@dataclass(frozen=True, slots=True)
class ThreadState:
    """`joins`: for which thread it waits in a join."""

    id: Tid
    exists: bool = False
    has_ended: bool = False
    is_joined: bool = False
    is_detached: bool = False
    joins: Tid | None = None


@dataclass(frozen=True, slots=True)
class KeyState:
    life: Life = Life.INITIALISED


ObjectState = MutexState | RwlockState | CondState | BarrierState | SemState | OnceState | ThreadState | KeyState


def seen(state: ObjectState, thread: Tid) -> Seen:
    """The state as `thread` sees it: the column of the rules."""
    if isinstance(state, ThreadState):
        return _seen_thread(state, thread)
    if state.life is Life.UNINITIALISED:
        return Seen.UNINITIALISED
    if state.life is Life.DESTROYED:
        return Seen.DESTROYED
    match state:
        case MutexState():
            return _seen_mutex(state, thread)
        case RwlockState():
            return _seen_rwlock(state, thread)
        case CondState():
            if thread in state.woken:
                return Seen.WOKEN
            if thread in state.waiters:
                return Seen.WAITING
            return Seen.WAITERS if state.waiters else Seen.NO_WAITERS
        case BarrierState():
            if thread in state.arrived:
                return Seen.ROUND_OPEN
            return Seen.LAST if len(state.arrived) + 1 >= state.count else Seen.INCOMPLETE
        case SemState():
            return Seen.ZERO if state.value == 0 else Seen.FULL if state.value >= SEM_VALUE_MAX else Seen.POSITIVE
        case OnceState():
            if state.is_done:
                return Seen.DONE
            if state.runner is None:
                return Seen.NEW
            return Seen.RUNNING_ROUTINE if state.runner == thread else Seen.OTHERS_ROUTINE
        case KeyState():
            return Seen.VALID


def _seen_mutex(state: MutexState, thread: Tid) -> Seen:
    if state.health is Health.UNRECOVERABLE:
        return Seen.UNRECOVERABLE
    if state.owner is None:
        return Seen.OWNER_DIED if state.health is Health.INCONSISTENT else Seen.FREE
    if state.owner != thread:
        return Seen.OTHERS
    if state.count > 1:
        return Seen.MINE_AGAIN
    return Seen.MINE_INCONSISTENT if state.health is Health.INCONSISTENT else Seen.MINE


def _seen_rwlock(state: RwlockState, thread: Tid) -> Seen:
    if state.writer is not None:
        return Seen.MINE if state.writer == thread else Seen.OTHERS
    if not state.readers:
        return Seen.FREE
    if not state.reads(thread):
        return Seen.READ_BY_OTHERS
    return Seen.READING if len(state.readers) == 1 else Seen.READING_TOO


def _seen_thread(state: ThreadState, thread: Tid) -> Seen:
    if not state.exists:
        return Seen.ABSENT
    if state.is_joined:
        return Seen.GONE
    if state.is_detached:
        return Seen.DETACHED_ENDED if state.has_ended else Seen.DETACHED
    if state.has_ended:
        return Seen.ENDED
    if state.id == thread:
        return Seen.SELF
    return Seen.JOINS_CALLER if state.joins == thread else Seen.RUNNING


def after(state: ObjectState, effect: Effect, thread: Tid, woken: Tid | None = None) -> ObjectState:
    """The state after an effect; `woken` is the waiter that WAKE_ONE chose."""
    if effect is Effect.NONE:
        return state
    match state, effect:
        case MutexState(), Effect.INITIALISE:
            return MutexState(state.kind, state.robust)
        case RwlockState(), Effect.INITIALISE:
            return RwlockState()
        case CondState(), Effect.INITIALISE:
            return CondState()
        case BarrierState(), Effect.INITIALISE:
            return BarrierState(state.count)
        case SemState(), Effect.INITIALISE:
            return SemState(state.value)
        case KeyState(), Effect.INITIALISE:
            return KeyState()
        case ((MutexState() | RwlockState() | CondState() | BarrierState() | SemState() | KeyState()), Effect.DESTROY):
            return replace(state, life=Life.DESTROYED)
        case MutexState(), _:
            return _mutex_after(state, effect, thread)
        case RwlockState(), _:
            return _rwlock_after(state, effect, thread)
        case CondState(), _:
            return _condition_after(state, effect, thread, woken)
        case BarrierState(), Effect.ARRIVE:
            return replace(state, arrived=state.arrived | {thread})
        case BarrierState(), Effect.COMPLETE:
            return replace(state, arrived=frozenset(), round=state.round + 1)
        case SemState(), Effect.DECREMENT:
            return replace(state, value=state.value - 1)
        case SemState(), Effect.INCREMENT:
            return replace(state, value=state.value + 1)
        case OnceState(), Effect.RUN:
            return replace(state, runner=thread)
        case OnceState(), Effect.FINISH:
            return replace(state, runner=None, is_done=True)
        case OnceState(), Effect.RETRY:
            return replace(state, runner=None)
        case ThreadState(), Effect.CREATE:
            return replace(state, exists=True)
        case ThreadState(), Effect.END:
            return replace(state, has_ended=True)
        case ThreadState(), Effect.JOIN:
            return replace(state, is_joined=True)
        case ThreadState(), Effect.DETACH:
            return replace(state, is_detached=True)
    raise InternalError(f"no effect {effect.name} on {state}")


def _mutex_after(state: MutexState, effect: Effect, thread: Tid) -> MutexState:
    match effect:
        case Effect.TAKE:
            return replace(state, owner=thread, count=1)
        case Effect.COUNT_UP:
            return replace(state, count=state.count + 1)
        case Effect.COUNT_DOWN:
            return replace(state, count=state.count - 1)
        case Effect.FREE:
            return replace(state, owner=None, count=0)
        case Effect.SPOIL:
            return replace(state, owner=None, count=0, health=Health.UNRECOVERABLE)
        case Effect.MAKE_CONSISTENT:
            return replace(state, health=Health.CONSISTENT)
        case Effect.ABANDON:
            return replace(state, owner=None, count=0, health=Health.INCONSISTENT)
        case _:
            raise InternalError(f"no effect {effect.name} on {state}")


def _rwlock_after(state: RwlockState, effect: Effect, thread: Tid) -> RwlockState:
    readers = dict(state.readers)
    match effect:
        case Effect.TAKE:
            return replace(state, writer=thread)
        case Effect.FREE:
            return replace(state, writer=None)
        case Effect.READ:
            readers[thread] = readers.get(thread, 0) + 1
        case Effect.UNREAD:
            readers[thread] -= 1
        case _:
            raise InternalError(f"no effect {effect.name} on {state}")
    return replace(state, readers=tuple(sorted((reader, times) for reader, times in readers.items() if times)))


def _condition_after(state: CondState, effect: Effect, thread: Tid, woken: Tid | None) -> CondState:
    match effect:
        case Effect.ENQUEUE:
            return replace(state, waiters=state.waiters | {thread})
        case Effect.LEAVE:
            return replace(state, waiters=state.waiters - {thread}, woken=state.woken - {thread})
        case Effect.WAKE_ONE if woken is not None:
            return replace(state, waiters=state.waiters - {woken}, woken=state.woken | {woken})
        case Effect.WAKE_ALL:
            return replace(state, waiters=frozenset(), woken=state.woken | state.waiters)
        case _:
            raise InternalError(f"no effect {effect.name} on {state}")


def object_type(state: ObjectState) -> ObjectType:
    """The table that a state belongs to; spin locks and sections, which are kept as mutexes, are told by the call."""
    match state:
        case MutexState():
            return ObjectType.MUTEX
        case RwlockState():
            return ObjectType.RWLOCK
        case CondState():
            return ObjectType.COND
        case BarrierState():
            return ObjectType.BARRIER
        case SemState():
            return ObjectType.SEM
        case OnceState():
            return ObjectType.ONCE
        case ThreadState():
            return ObjectType.THREAD
        case KeyState():
            return ObjectType.KEY
