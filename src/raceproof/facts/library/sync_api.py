"""Which functions of the thread libraries order threads, and how: POSIX threads and semaphores, C11, SV-COMP.

    sync_op("pthread_create")  ->  SyncOp(CREATE, arg=0, start=2, start_arg=3)

What the specification knows (`raceproof.spec`) is derived from it: what kind of operation a function is, whether it may
return empty-handed, which side of a lock it takes. Only what the specification leaves out is written down here.

A function here has an `Effect` too (`libc.effect_of`): the plain memory it touches, such as the thread id that
pthread_create writes. The synchronisation object itself stands only here.

The tables err on the side of less order: what is not certain to take a lock is a TRYLOCK, what is not certain to wait
for a thread is a join that may fail. Read and write side of a lock are told apart by `shared` when it is taken; the
release is the same call for both.

A wait is taken to hold the lock again when it returns, also after a timeout, as POSIX demands; that it failed because
the program did not hold the lock before is not considered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from raceproof.core import InternalError
from raceproof.facts.library.effects import Bytes, Sync, SyncOp
from raceproof.facts.library.symbol_names import names_of
from raceproof.model import CallTargets
from raceproof.spec import (
    ALIASES,
    FUNCTIONS,
    ApiFunction,
    Effect,
    Kind,
    ObjectType,
    Operation,
    Outcome,
    Result,
    Seen,
    rule_for,
)

SET_SPECIFIC: Final = frozenset({"pthread_setspecific", "__pthread_setspecific", "tss_set"})
GET_SPECIFIC: Final = frozenset({"pthread_getspecific", "__pthread_getspecific", "tss_get"})

# -- what the specification says


_LOCK_KINDS: Final = {"unlock": Sync.UNLOCK, "init": Sync.LOCK_INIT, "destroy": Sync.LOCK_DESTROY}
_KINDS: Final[Mapping[ObjectType, Mapping[str, Sync]]] = {
    ObjectType.MUTEX: {**_LOCK_KINDS, "unlock-to-wait": Sync.WAIT},
    ObjectType.RWLOCK: _LOCK_KINDS,
    ObjectType.SPIN: _LOCK_KINDS,
    ObjectType.SECTION: {"begin": Sync.ATOMIC_BEGIN, "end": Sync.ATOMIC_END},
    ObjectType.COND: {"signal": Sync.SIGNAL, "broadcast": Sync.BROADCAST, "init": Sync.CONDITION_INIT},
    ObjectType.BARRIER: {"init": Sync.BARRIER_INIT, "arrive": Sync.BARRIER_WAIT},
    ObjectType.SEM: {"init": Sync.SEM_INIT, "post": Sync.SEM_POST},
    ObjectType.ONCE: {"enter": Sync.ONCE},
    ObjectType.THREAD: {"create": Sync.CREATE, "detach": Sync.DETACH, "end": Sync.EXIT},
    ObjectType.KEY: {},
}
"""Operations by their names. Those that take something (a lock, a unit of a semaphore, the end of a thread) are told by
what they do, see `_taking`; the others order nothing: NONE."""
_TAKING: Final = {
    Effect.TAKE: (Sync.LOCK, Sync.TRYLOCK),
    Effect.READ: (Sync.LOCK, Sync.TRYLOCK),
    Effect.DECREMENT: (Sync.SEM_WAIT, Sync.SEM_TRYWAIT),
    Effect.JOIN: (Sync.JOIN, Sync.JOIN),
}
"""The kinds of what certainly takes, and of what may return empty-handed."""
_AVAILABLE: Final = (Seen.FREE, Seen.POSITIVE, Seen.ENDED)
_TAKEN: Final = (Seen.OTHERS, Seen.READ_BY_OTHERS, Seen.ZERO, Seen.RUNNING)


def _outcomes(operation: Operation, *states: Seen) -> Iterator[Outcome]:
    """What the operation may come to in these states, where the explorer has it: a signal that interrupts is none."""
    for seen in states:
        rule = rule_for(operation.object, operation.name, seen, Kind.NORMAL, robust=False)
        if rule is not None:
            yield from (outcome for outcome in rule.outcomes if outcome.explored)


def _taking(operation: Operation) -> SyncOp | None:
    """An operation that takes its object if that is there; `may_fail` if it does not wait until it is."""
    effects = {outcome.effect for outcome in _outcomes(operation, *_AVAILABLE)} & _TAKING.keys()
    if not effects:
        return None
    [effect] = effects
    may_fail = any(outcome.result not in (None, Result.SUCCESS) for outcome in _outcomes(operation, *_TAKEN))
    return SyncOp(
        _TAKING[effect][may_fail],
        arg=operation.arg,
        result=1 if effect is Effect.JOIN else None,
        shared=effect is Effect.READ,
        may_fail=may_fail,
        is_timed=operation.name.startswith("timed"),
        refuses_owner=not may_fail and _refuses_owner(operation),
    )


def _refuses_owner(operation: Operation) -> bool:
    return any(outcome.result is Result.EDEADLK for outcome in _outcomes(operation, Seen.MINE))


def _derived(function: ApiFunction) -> SyncOp:
    operation = function.phases[0][0]
    taking = _taking(operation) if operation.object is not ObjectType.SECTION else None
    if taking is not None:
        return taking
    match _KINDS[operation.object].get(operation.name, Sync.NONE):
        case Sync.NONE:
            return SyncOp(Sync.NONE, tells=operation.name == "getvalue")
        case Sync.CREATE:
            start = 2 if function.name.startswith("pthread_") else 1
            return SyncOp(Sync.CREATE, arg=0, start=start, start_arg=start + 1)
        case Sync.EXIT:
            return SyncOp(Sync.EXIT, result=0)
        case Sync.ONCE:
            return SyncOp(Sync.ONCE, arg=0, start=1)
        case Sync.WAIT:
            return SyncOp(Sync.WAIT, arg=0, lock_arg=operation.arg, is_timed=function.time_arg is not None)
        case (Sync.ATOMIC_BEGIN | Sync.ATOMIC_END) as kind:
            return SyncOp(kind)
        case Sync.UNLOCK:
            return SyncOp(Sync.UNLOCK, arg=0, refuses_owner=operation.object is ObjectType.RWLOCK)
        case kind:
            return SyncOp(kind, arg=0, count=function.value_arg)


# -- what it leaves out


def _ops(*rows: tuple[str, SyncOp]) -> dict[str, SyncOp]:
    """Make a table of rows (names, what each of them does). A name stands in one row only."""
    table: dict[str, SyncOp] = {}
    for names, op in rows:
        for name in names.split():
            if name in table or name in FUNCTIONS:
                raise InternalError(f"the operation of {name} is given twice")
            table[name] = op
    return table


OF_NO_OBJECT: Final = frozenset({Sync.CREATE, Sync.JOIN, Sync.DETACH, Sync.ATTRIBUTE})
"""Operations whose argument is the id of a thread, or plain memory."""

_NONE: Final = SyncOp(Sync.NONE)
_ATTRIBUTE: Final = SyncOp(Sync.ATTRIBUTE, arg=0)
_YIELD: Final = SyncOp(Sync.YIELD)

_OTHERS: Final = _ops(
    ("pthread_self thrd_current", SyncOp(Sync.SELF)),
    ("pthread_equal thrd_equal", _NONE),
    ("pthread_cancel pthread_kill pthread_sigqueue", _NONE),
    ("pthread_testcancel pthread_setcancelstate pthread_setcanceltype", _NONE),
    ("pthread_atfork __register_atfork", _NONE),
    ("pthread_setname_np pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np", _NONE),
    ("pthread_setschedparam pthread_getschedparam pthread_setschedprio pthread_getcpuclockid", _NONE),
    ("pthread_setconcurrency pthread_getconcurrency pthread_getattr_np pthread_getattr_default_np", _NONE),
    ("pthread_setattr_default_np pthread_sigmask pthread_gettid_np pthread_getthreadid_np", _NONE),
    ("pthread_mutex_getprioceiling pthread_mutex_setprioceiling", _NONE),
    # a named semaphore is known by the pointer that sem_open returned
    ("sem_open sem_close sem_unlink", _NONE),
    # time passes
    ("sched_yield pthread_yield thrd_yield sleep usleep nanosleep clock_nanosleep thrd_sleep", _YIELD),
)

_ATTRIBUTES: Final = """
    attr: init destroy
    attr/: detachstate guardsize inheritsched schedparam schedpolicy scope stack stackaddr stacksize affinity_np
           sigmask_np
    mutexattr: init destroy
    mutexattr/: type pshared protocol prioceiling robust robust_np kind_np
    condattr: init destroy
    condattr/: clock pshared
    rwlockattr: init destroy
    rwlockattr/: pshared kind_np
    barrierattr: init destroy
    barrierattr/: pshared
"""


def _attributes() -> dict[str, SyncOp]:
    """Spell out `_ATTRIBUTES`: a name with a slash has a getter and a setter for each word."""
    table: dict[str, SyncOp] = {}
    words = _ATTRIBUTES.split()
    stem = ""
    for word in words:
        if word.endswith(":"):
            stem = word[:-1]
        elif stem.endswith("/"):
            table[f"pthread_{stem[:-1]}_get{word}"] = _ATTRIBUTE
            table[f"pthread_{stem[:-1]}_set{word}"] = _ATTRIBUTE
        else:
            table[f"pthread_{stem}_{word}"] = _ATTRIBUTE
    return table


_SPECIFIED: Final = {name: _derived(function) for name, function in FUNCTIONS.items()}
_RENAMED: Final = {alias: _SPECIFIED[name] for alias, name in ALIASES.items()}
SYNC_OPS: Final[Mapping[str, SyncOp]] = _SPECIFIED | _RENAMED | _OTHERS | _attributes()


def sync_op(name: str) -> SyncOp | None:
    """Say how the library function `name` orders threads; None if it is not of a thread library.

    Only for functions that the program does not define itself: a `mutex_lock` with a body is what its body does.
    """
    return next((SYNC_OPS[known] for known in names_of(name) if known in SYNC_OPS), None)


def thread_operations(targets: CallTargets) -> list[SyncOp]:
    """The operations on threads that a call may be."""
    return [op for op in map(sync_op, targets.externals) if op is not None]


def is_atomic_function(name: str) -> bool:
    """Whether a function of this name, defined in the program, runs as one atomic step (SV-COMP's convention)."""
    return name.startswith("__VERIFIER_atomic_") and SYNC_OPS.get(name) is None


_SIZES: Final = {
    "mutex": (40, 24),
    "mtx": (40, 24),
    "rwlock": (56, 32),
    "cond": (48, 48),
    "cnd": (48, 48),
    "sem": (32, 16),
    "barrier": (32, 20),
    "once": (4, 4),
    "spin": (4, 4),
}
"""Bytes of what such functions are about, in programs of 64 and of 32 bits, as glibc for x86 has them."""
_LARGEST: Final = 64
_WORDS: Final = {
    ObjectType.MUTEX: "mutex",
    ObjectType.RWLOCK: "rwlock",
    ObjectType.SPIN: "spin",
    ObjectType.COND: "cond",
    ObjectType.BARRIER: "barrier",
    ObjectType.SEM: "sem",
    ObjectType.ONCE: "once",
}
"""The objects that lie in memory of the program, as `_SIZES` knows them."""
_OF_STREAMS: Final = frozenset({"flockfile", "ftrylockfile", "funlockfile"})


@dataclass(frozen=True, slots=True)
class ObjectUse:
    """A synchronisation object that a function is given as argument `arg`. All uses are safe beside one another but
    making and destroying it (`is_exclusive`), which nobody may meet [POSIX, XSH 2.9.9 and pthread_mutex_destroy].
    `is_behind`: when everything else is done; a wait takes its mutex again."""

    arg: int
    size: Bytes
    is_exclusive: bool
    is_behind: bool


def object_uses(name: str) -> tuple[ObjectUse, ...]:
    """What a function of the thread library does to the memory of synchronisation objects."""
    function = next((FUNCTIONS[known] for known in names_of(name) if known in FUNCTIONS), None)
    if function is None or function.name in _OF_STREAMS:
        return ()
    used: dict[ObjectUse, None] = {}
    for operation in (operation for phase in function.phases for operation in phase):
        word = _WORDS.get(operation.object)
        if word is not None:
            is_exclusive, is_behind = operation.name in ("init", "destroy"), operation.name == "lock-after-wait"
            used[ObjectUse(operation.arg, Bytes(*_SIZES[word]), is_exclusive, is_behind)] = None
    return tuple(used)


def sync_object_size(name: str, pointer_size: int) -> int:
    """How many bytes the object has that a function of the thread library is about; of several, or of an object that
    is not known, the most."""
    of_64_bits = pointer_size == 8
    return max((sizes[0 if of_64_bits else 1] for word, sizes in _SIZES.items() if word in name), default=_LARGEST)
