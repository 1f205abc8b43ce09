"""The functions of the thread APIs: which operations of the rules each one performs, and how it spells results.

    function("pthread_cond_timedwait").phases
      ((unlock-to-wait on argument 1, enqueue on argument 0), (timed-wake on 0), (lock-after-wait on 1))

A phase is one atomic step; between two phases of a call other threads may run. A phase ends at the first of its
operations that does not return SUCCESS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from raceproof.spec.terms import ObjectType, Result


@unique
class Family(Enum):
    """How results are spelt."""

    POSIX = "returns the error"
    SEMAPHORE = "returns -1 and sets errno"
    C11 = "returns thrd_success, thrd_busy, ..."
    VOID = "returns nothing"
    STREAM = "returns nonzero if not taken; glibc: the error"


@dataclass(frozen=True, slots=True)
class Operation:
    """`name` is a column of the rules for `object`; it is done to what argument `arg` designates."""

    object: ObjectType
    name: str
    arg: int = 0


Phase = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class ApiFunction:
    """`time_arg`: the absolute time of a timed form; if it is not a valid time the result is EINVAL, for mutexes only
    where the call would have to wait. `clock_arg`: likewise, refused first. `value_arg`: count or initial value."""

    name: str
    family: Family
    phases: tuple[Phase, ...]
    is_cancellation_point: bool = False
    time_arg: int | None = None
    clock_arg: int | None = None
    value_arg: int | None = None

    @property
    def object(self) -> ObjectType:
        """What the function is about: for a wait the condition."""
        return next(op.object for phase in self.phases for op in phase if op.arg == 0)


_C11_RESULTS: Final[Mapping[Result, int]] = {
    Result.SUCCESS: 0,
    Result.EBUSY: 1,
    Result.ENOMEM: 3,
    Result.ETIMEDOUT: 4,
}
_THRD_ERROR: Final = 2


def returned(function: ApiFunction, result: Result) -> int | None:
    """The number that the C function returns for a result; None if it returns nothing."""
    match function.family:
        case Family.POSIX | Family.STREAM:
            return result.value
        case Family.SEMAPHORE:
            return 0 if result is Result.SUCCESS else -1
        case Family.C11:
            return _C11_RESULTS.get(result, _THRD_ERROR)
        case Family.VOID:
            return None


def _on(object_: ObjectType, name: str) -> tuple[Phase, ...]:
    return ((Operation(object_, name),),)


def _waiting(wake: str) -> tuple[Phase, ...]:
    return (
        (Operation(ObjectType.MUTEX, "unlock-to-wait", 1), Operation(ObjectType.COND, "enqueue")),
        (Operation(ObjectType.COND, wake),),
        (Operation(ObjectType.MUTEX, "lock-after-wait", 1),),
    )


_BARRIER_WAIT: Final = (
    (Operation(ObjectType.BARRIER, "arrive"),),
    (Operation(ObjectType.BARRIER, "leave"),),
)
_ONCE: Final = ((Operation(ObjectType.ONCE, "enter"),), (Operation(ObjectType.ONCE, "finish"),))
"""Between the two phases the caller runs the routine; only if `enter` made it RUN is there a second one."""


def _mutexes() -> Iterator[ApiFunction]:
    for name in ("lock", "trylock", "unlock", "destroy", "consistent", "init"):
        yield ApiFunction(f"pthread_mutex_{name}", Family.POSIX, _on(ObjectType.MUTEX, name))
    timed = _on(ObjectType.MUTEX, "timedlock")
    yield ApiFunction("pthread_mutex_timedlock", Family.POSIX, timed, time_arg=1)
    yield ApiFunction("pthread_mutex_clocklock", Family.POSIX, timed, time_arg=2, clock_arg=1)
    for name in ("lock", "trylock", "unlock", "init"):
        yield ApiFunction(f"mtx_{name}", Family.C11, _on(ObjectType.MUTEX, name))
    yield ApiFunction("mtx_timedlock", Family.C11, timed, time_arg=1)
    yield ApiFunction("mtx_destroy", Family.VOID, _on(ObjectType.MUTEX, "destroy"))
    yield ApiFunction("flockfile", Family.VOID, _on(ObjectType.MUTEX, "lock"))
    yield ApiFunction("ftrylockfile", Family.STREAM, _on(ObjectType.MUTEX, "trylock"))
    yield ApiFunction("funlockfile", Family.VOID, _on(ObjectType.MUTEX, "unlock"))


def _other_locks() -> Iterator[ApiFunction]:
    for name in ("rdlock", "wrlock", "tryrdlock", "trywrlock", "unlock", "init", "destroy"):
        yield ApiFunction(f"pthread_rwlock_{name}", Family.POSIX, _on(ObjectType.RWLOCK, name))
    for side in ("rd", "wr"):
        timed = _on(ObjectType.RWLOCK, f"timed{side}lock")
        yield ApiFunction(f"pthread_rwlock_timed{side}lock", Family.POSIX, timed, time_arg=1)
        yield ApiFunction(f"pthread_rwlock_clock{side}lock", Family.POSIX, timed, time_arg=2, clock_arg=1)
    for name in ("lock", "trylock", "unlock", "init", "destroy"):
        yield ApiFunction(f"pthread_spin_{name}", Family.POSIX, _on(ObjectType.SPIN, name))
    yield ApiFunction("__VERIFIER_atomic_begin", Family.VOID, _on(ObjectType.SECTION, "begin"))
    yield ApiFunction("__VERIFIER_atomic_end", Family.VOID, _on(ObjectType.SECTION, "end"))


def _conditions() -> Iterator[ApiFunction]:
    for stem, family in (("pthread_cond", Family.POSIX), ("cnd", Family.C11)):
        for name in ("signal", "broadcast", "init"):
            yield ApiFunction(f"{stem}_{name}", family, _on(ObjectType.COND, name))
        destroyed = Family.VOID if family is Family.C11 else family
        yield ApiFunction(f"{stem}_destroy", destroyed, _on(ObjectType.COND, "destroy"))
        yield ApiFunction(f"{stem}_wait", family, _waiting("wake"), is_cancellation_point=True)
        timed = _waiting("timed-wake")
        yield ApiFunction(f"{stem}_timedwait", family, timed, is_cancellation_point=True, time_arg=2)
    clocked = _waiting("timed-wake")
    yield ApiFunction(
        "pthread_cond_clockwait", Family.POSIX, clocked, is_cancellation_point=True, time_arg=3, clock_arg=2
    )


def _events() -> Iterator[ApiFunction]:
    yield ApiFunction("pthread_barrier_wait", Family.POSIX, _BARRIER_WAIT)
    yield ApiFunction("pthread_barrier_init", Family.POSIX, _on(ObjectType.BARRIER, "init"), value_arg=2)
    yield ApiFunction("pthread_barrier_destroy", Family.POSIX, _on(ObjectType.BARRIER, "destroy"))
    for name in ("trywait", "post", "getvalue", "destroy"):
        yield ApiFunction(f"sem_{name}", Family.SEMAPHORE, _on(ObjectType.SEM, name))
    yield ApiFunction("sem_init", Family.SEMAPHORE, _on(ObjectType.SEM, "init"), value_arg=2)
    yield ApiFunction("sem_wait", Family.SEMAPHORE, _on(ObjectType.SEM, "wait"), is_cancellation_point=True)
    timed = _on(ObjectType.SEM, "timedwait")
    yield ApiFunction("sem_timedwait", Family.SEMAPHORE, timed, is_cancellation_point=True, time_arg=1)
    yield ApiFunction("sem_clockwait", Family.SEMAPHORE, timed, is_cancellation_point=True, time_arg=2, clock_arg=1)
    yield ApiFunction("pthread_once", Family.POSIX, _ONCE)
    yield ApiFunction("call_once", Family.VOID, _ONCE)


def _threads() -> Iterator[ApiFunction]:
    for stem, family in (("pthread", Family.POSIX), ("thrd", Family.C11)):
        yield ApiFunction(f"{stem}_create", family, _on(ObjectType.THREAD, "create"))
        yield ApiFunction(f"{stem}_exit", Family.VOID, _on(ObjectType.THREAD, "end"))
        yield ApiFunction(f"{stem}_detach", family, _on(ObjectType.THREAD, "detach"))
        yield ApiFunction(f"{stem}_join", family, _on(ObjectType.THREAD, "join"), is_cancellation_point=True)
    yield ApiFunction("pthread_tryjoin_np", Family.POSIX, _on(ObjectType.THREAD, "tryjoin"))
    timed = _on(ObjectType.THREAD, "timedjoin")
    yield ApiFunction("pthread_timedjoin_np", Family.POSIX, timed, is_cancellation_point=True, time_arg=2)
    yield ApiFunction("pthread_clockjoin_np", Family.POSIX, timed, is_cancellation_point=True, time_arg=3, clock_arg=2)
    for stem, names, family in (
        ("pthread_key", "create delete", Family.POSIX),
        ("tss", "create set", Family.C11),
        ("tss", "delete get", Family.VOID),
    ):
        for name in names.split():
            yield ApiFunction(f"{stem}_{name}", family, _on(ObjectType.KEY, name))
    yield ApiFunction("pthread_setspecific", Family.POSIX, _on(ObjectType.KEY, "set"))
    yield ApiFunction("pthread_getspecific", Family.VOID, _on(ObjectType.KEY, "get"))


FUNCTIONS: Final[Mapping[str, ApiFunction]] = {
    function.name: function
    for group in (_mutexes(), _other_locks(), _conditions(), _events(), _threads())
    for function in group
}
ALIASES: Final[Mapping[str, str]] = {
    "pthread_mutex_consistent_np": "pthread_mutex_consistent",
    "pthread_cond_timedwait_relative_np": "pthread_cond_timedwait",
    "pthread_cond_reltimedwait_np": "pthread_cond_timedwait",
}


def function(name: str) -> ApiFunction | None:
    """The function of that name; None if the specification has none. `__pthread_f` is glibc's name of `pthread_f`."""
    known = ALIASES.get(name, name)
    return FUNCTIONS.get(known) or FUNCTIONS.get(known.removeprefix("__"))
