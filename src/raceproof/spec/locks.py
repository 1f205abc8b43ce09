"""The rules of mutexes, read-write locks, spin locks and atomic sections.

Clauses: `XSH f` is the page of f in POSIX.1-2017, `XBD 4.12` memory synchronisation, `C11 n` a section of ISO C11.
A timed operation that has to wait may time out at once: how long an execution takes is not part of the model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from raceproof.spec.terms import (
    Clock,
    Effect,
    Kind,
    ObjectType,
    Result,
    Rows,
    Seen,
    acquire,
    gives,
    may,
    release,
    rows,
    succeeds,
    undefined,
    waits,
)

_MUTEX: Final = ObjectType.MUTEX
_RWLOCK: Final = ObjectType.RWLOCK
_SPIN: Final = ObjectType.SPIN
_BUSY: Final = gives(Result.EBUSY)
_TIMED_OUT: Final = gives(Result.ETIMEDOUT)
_DEADLOCK: Final = gives(Result.EDEADLK)
_NOT_OWNER: Final = gives(Result.EPERM)
_TAKEN: Final = succeeds(Effect.TAKE, acquire(Clock.WRITTEN))
_AGAIN: Final = succeeds(Effect.COUNT_UP)
_RELEASED: Final = succeeds(Effect.FREE, release(Clock.WRITTEN))
_NEVER: Final = "only after more locks than a thread of this size can take"

_PLAIN_KINDS: Final = frozenset({Kind.NORMAL, Kind.DEFAULT, Kind.PLAIN})
_RECURSIVE: Final = frozenset({Kind.RECURSIVE})
_ERRORCHECK: Final = frozenset({Kind.ERRORCHECK})
_HELD: Final = (Seen.MINE, Seen.MINE_AGAIN, Seen.OTHERS, Seen.MINE_INCONSISTENT)
_OWN: Final = (Seen.MINE, Seen.MINE_AGAIN, Seen.MINE_INCONSISTENT)


def life(object_: ObjectType, usable: tuple[Seen, ...], held: tuple[Seen, ...], uses: str, page: str) -> Rows:
    """Initialising and destroying: the same for all objects but threads. `uses`: all other operations."""
    return (
        *rows(
            object_,
            "init",
            (Seen.UNINITIALISED, Seen.DESTROYED),
            succeeds(Effect.INITIALISE),
            f"XSH {page}_init: upon success the object is initialised (and unlocked)",
        ),
        *rows(
            object_,
            "init",
            usable + held,
            undefined(succeeds(Effect.INITIALISE)),
            f"XSH {page}_init: initialising an object that is initialised is undefined",
        ),
        *rows(
            object_,
            "destroy",
            usable,
            succeeds(Effect.DESTROY),
            f"XSH {page}_destroy: the object becomes uninitialised",
        ),
        *rows(
            object_,
            f"destroy {uses}",
            (Seen.UNINITIALISED, Seen.DESTROYED),
            undefined(succeeds(), note="zeroed memory is a static initialiser with glibc"),
            f"XSH {page}_destroy: use of an object that is not initialised is undefined",
        ),
    )


MUTEX_RULES: Final[Rows] = (
    *life(
        _MUTEX,
        (Seen.FREE, Seen.OWNER_DIED, Seen.UNRECOVERABLE),
        _HELD,
        "lock trylock timedlock unlock consistent unlock-to-wait lock-after-wait",
        "pthread_mutex",
    ),
    *rows(
        _MUTEX,
        "destroy",
        _HELD,
        undefined(_BUSY),
        "XSH pthread_mutex_destroy: destroying a locked mutex is undefined; glibc: EBUSY",
    ),
    # taking
    *rows(
        _MUTEX,
        "lock trylock timedlock lock-after-wait",
        Seen.FREE,
        _TAKEN,
        "XSH pthread_mutex_lock: the mutex is locked, the caller is its owner; XBD 4.12; C11 7.26.4p1",
        kinds=frozenset(Kind) - {Kind.PLAIN, Kind.RECURSIVE},
    ),
    *rows(
        _MUTEX,
        "lock timedlock lock-after-wait",
        Seen.FREE,
        _TAKEN,
        "XSH pthread_mutex_lock; C11 7.26.4.3, 7.26.4.4",
        kinds=frozenset({Kind.PLAIN, Kind.RECURSIVE}),
    ),
    *rows(
        _MUTEX,
        "trylock",
        Seen.FREE,
        (_TAKEN, may(_BUSY, glibc=False, explored=False, note="mtx_trylock only; glibc takes a free mutex")),
        "C11 7.26.4.5p3 (as amended by DR 470): may fail spuriously",
        kinds=frozenset({Kind.PLAIN, Kind.RECURSIVE}),
    ),
    *rows(
        _MUTEX,
        "lock lock-after-wait",
        Seen.OTHERS,
        waits(),
        "XSH pthread_mutex_lock: blocks until the mutex becomes available",
    ),
    *rows(_MUTEX, "trylock", Seen.OTHERS, _BUSY, "XSH pthread_mutex_trylock: [EBUSY] already locked"),
    *rows(_MUTEX, "timedlock", Seen.OTHERS, _TIMED_OUT, "XSH pthread_mutex_timedlock: [ETIMEDOUT]"),
    # taking what the caller holds
    *rows(
        _MUTEX,
        "lock",
        (Seen.MINE, Seen.MINE_INCONSISTENT),
        waits(),
        "XSH pthread_mutex_lock, table: relock of a normal mutex is a deadlock",
        kinds=frozenset({Kind.NORMAL}),
    ),
    *rows(
        _MUTEX,
        "lock",
        (Seen.MINE, Seen.MINE_INCONSISTENT),
        undefined(waits()),
        "XSH pthread_mutex_lock, table: relock of a default mutex is undefined; C11 7.26.4.3p2; glibc: deadlock",
        kinds=frozenset({Kind.DEFAULT, Kind.PLAIN}),
    ),
    *rows(
        _MUTEX,
        "lock timedlock",
        _OWN,
        _DEADLOCK,
        "XSH pthread_mutex_lock, table: relock of an error-checking mutex returns an error",
        kinds=_ERRORCHECK,
    ),
    *rows(
        _MUTEX,
        "lock trylock timedlock",
        _OWN,
        (_AGAIN, may(gives(Result.EAGAIN), explored=False, note=_NEVER)),
        "XSH pthread_mutex_lock, table: relock of a recursive mutex counts; XBD 4.12: need not synchronise memory",
        kinds=_RECURSIVE,
    ),
    *rows(
        _MUTEX,
        "trylock",
        _OWN,
        _BUSY,
        "XSH pthread_mutex_trylock: fails if locked by any thread, including the current one",
        kinds=_PLAIN_KINDS,
    ),
    *rows(
        _MUTEX,
        "trylock",
        _OWN,
        _BUSY,
        "XSH pthread_mutex_trylock: fails if locked by any thread, including the current one",
        kinds=_ERRORCHECK,
        robust=False,
    ),
    *rows(
        _MUTEX,
        "trylock",
        _OWN,
        (replace(_BUSY, glibc=False, explored=False), may(_DEADLOCK)),
        "XSH pthread_mutex_trylock: [EBUSY]; glibc: EDEADLK if the mutex is robust and error-checking",
        kinds=_ERRORCHECK,
        robust=True,
    ),
    *rows(
        _MUTEX,
        "timedlock",
        (Seen.MINE, Seen.MINE_INCONSISTENT),
        (_TIMED_OUT, may(_DEADLOCK, glibc=False, explored=False)),
        "XSH pthread_mutex_timedlock: [ETIMEDOUT]; may fail: [EDEADLK]",
        kinds=_PLAIN_KINDS,
    ),
    # giving back
    *rows(
        _MUTEX,
        "unlock unlock-to-wait",
        Seen.MINE,
        _RELEASED,
        "XSH pthread_mutex_unlock: releases the mutex; XBD 4.12; C11 7.26.4.6",
    ),
    *rows(
        _MUTEX,
        "unlock",
        Seen.MINE_AGAIN,
        succeeds(Effect.COUNT_DOWN),
        "XSH pthread_mutex_lock: a recursive mutex is available when its count is 0",
    ),
    *rows(
        _MUTEX,
        "unlock-to-wait",
        Seen.MINE_AGAIN,
        (
            succeeds(Effect.COUNT_DOWN),
            may(
                _RELEASED,
                glibc=False,
                explored=False,
                note="some implementations release it wholly; glibc and musl count down",
            ),
        ),
        "XSH pthread_cond_wait, application usage: may not release a mutex that was locked more than once",
    ),
    *rows(
        _MUTEX,
        "lock-after-wait",
        (Seen.MINE, Seen.MINE_AGAIN),
        _AGAIN,
        "XSH pthread_cond_wait: on return the mutex is locked, as often as before",
    ),
    *rows(
        _MUTEX,
        "unlock unlock-to-wait",
        Seen.MINE_INCONSISTENT,
        succeeds(Effect.SPOIL, release(Clock.WRITTEN)),
        "XSH pthread_mutex_unlock: unlocking an inconsistent mutex makes it not recoverable",
    ),
    *rows(
        _MUTEX,
        "unlock unlock-to-wait",
        (Seen.FREE, Seen.OTHERS, Seen.OWNER_DIED, Seen.UNRECOVERABLE),
        _NOT_OWNER,
        "XSH pthread_mutex_unlock, table: [EPERM] for error-checking, recursive (glibc too) and robust mutexes",
        kinds=_ERRORCHECK | _RECURSIVE,
    ),
    *rows(
        _MUTEX,
        "unlock unlock-to-wait",
        (Seen.FREE, Seen.OTHERS, Seen.OWNER_DIED, Seen.UNRECOVERABLE),
        _NOT_OWNER,
        "XSH pthread_mutex_unlock: [EPERM] the mutex is robust and the caller does not own it",
        kinds=_PLAIN_KINDS,
        robust=True,
    ),
    *rows(
        _MUTEX,
        "unlock unlock-to-wait",
        Seen.OTHERS,
        undefined(_RELEASED),
        "XSH pthread_mutex_unlock, table: unlock by a thread that is not the owner is undefined; C11 7.26.4.6p2",
        kinds=_PLAIN_KINDS,
        robust=False,
    ),
    *rows(
        _MUTEX,
        "unlock unlock-to-wait",
        Seen.FREE,
        undefined(succeeds()),
        "XSH pthread_mutex_unlock, table: unlock of a mutex that is not locked is undefined; C11 7.26.4.6p2",
        kinds=_PLAIN_KINDS,
        robust=False,
    ),
    # robust mutexes
    *rows(
        _MUTEX,
        "lock trylock timedlock lock-after-wait",
        Seen.OWNER_DIED,
        gives(Result.EOWNERDEAD, Effect.TAKE, acquire(Clock.WRITTEN)),
        "XSH pthread_mutex_lock: [EOWNERDEAD] locked, the state it protects is inconsistent",
    ),
    *rows(
        _MUTEX,
        "lock trylock timedlock lock-after-wait",
        Seen.UNRECOVERABLE,
        gives(Result.ENOTRECOVERABLE),
        "XSH pthread_mutex_lock: [ENOTRECOVERABLE] not locked",
    ),
    *rows(
        _MUTEX,
        "consistent",
        Seen.MINE_INCONSISTENT,
        succeeds(Effect.MAKE_CONSISTENT),
        "XSH pthread_mutex_consistent",
    ),
    *rows(
        _MUTEX,
        "consistent",
        (Seen.FREE, Seen.MINE, Seen.MINE_AGAIN, Seen.OTHERS, Seen.OWNER_DIED, Seen.UNRECOVERABLE),
        gives(Result.EINVAL),
        "XSH pthread_mutex_consistent: [EINVAL] not robust, or does not protect an inconsistent state",
    ),
    *rows(
        _MUTEX,
        "owner-ends",
        _OWN,
        gives(Result.SUCCESS, Effect.ABANDON, release(Clock.WRITTEN)),
        "XSH pthread_mutexattr_getrobust: the next owner is notified",
        robust=True,
    ),
    *rows(
        _MUTEX,
        "owner-ends",
        (Seen.MINE, Seen.MINE_AGAIN),
        succeeds(),
        "XSH pthread_mutexattr_getrobust: PTHREAD_MUTEX_STALLED, the mutex stays locked",
        robust=False,
    ),
)

_READERS: Final = (Seen.READING, Seen.READING_TOO, Seen.READ_BY_OTHERS)
_READ: Final = succeeds(Effect.READ, acquire(Clock.WRITTEN))
_TOO_MANY: Final = may(gives(Result.EAGAIN), explored=False, note=_NEVER)
_WRITE: Final = succeeds(Effect.TAKE, acquire(Clock.WRITTEN, Clock.READ))

RWLOCK_RULES: Final[Rows] = (
    *life(
        _RWLOCK,
        (Seen.FREE,),
        (*_READERS, Seen.MINE, Seen.OTHERS),
        "rdlock wrlock tryrdlock trywrlock timedrdlock timedwrlock unlock",
        "pthread_rwlock",
    ),
    *rows(
        _RWLOCK,
        "destroy",
        (*_READERS, Seen.MINE, Seen.OTHERS),
        undefined(succeeds(Effect.DESTROY)),
        "XSH pthread_rwlock_destroy: undefined if any thread holds the lock",
    ),
    *rows(
        _RWLOCK,
        "rdlock tryrdlock timedrdlock",
        (Seen.FREE, *_READERS),
        (_READ, _TOO_MANY),
        "XSH pthread_rwlock_rdlock: a thread may hold several read locks; whether waiting writers block it is "
        "implementation-defined (glibc: by default they do not)",
    ),
    *rows(_RWLOCK, "rdlock wrlock", Seen.OTHERS, waits(), "XSH pthread_rwlock_rdlock, _wrlock: blocks"),
    *rows(_RWLOCK, "wrlock", Seen.READ_BY_OTHERS, waits(), "XSH pthread_rwlock_wrlock: blocks"),
    *rows(
        _RWLOCK,
        "wrlock",
        (Seen.READING, Seen.READING_TOO),
        (waits(), may(_DEADLOCK, glibc=False, explored=False)),
        "XSH pthread_rwlock_wrlock: may deadlock, or fail with [EDEADLK], if the caller holds a read lock",
    ),
    *rows(
        _RWLOCK,
        "rdlock wrlock timedrdlock timedwrlock",
        Seen.MINE,
        (_DEADLOCK, may(waits(), glibc=False, explored=False)),
        "XSH pthread_rwlock_rdlock, _wrlock: may deadlock, or fail with [EDEADLK], if the caller holds the write lock",
    ),
    *rows(
        _RWLOCK,
        "wrlock trywrlock timedwrlock",
        Seen.FREE,
        _WRITE,
        "XSH pthread_rwlock_wrlock: acquires if no thread holds the lock; XBD 4.12",
    ),
    *rows(
        _RWLOCK,
        "tryrdlock",
        (Seen.MINE, Seen.OTHERS),
        _BUSY,
        "XSH pthread_rwlock_tryrdlock: [EBUSY] a writer holds the lock",
    ),
    *rows(
        _RWLOCK,
        "trywrlock",
        (Seen.MINE, Seen.OTHERS, *_READERS),
        _BUSY,
        "XSH pthread_rwlock_trywrlock: [EBUSY] held for reading or writing",
    ),
    *rows(_RWLOCK, "timedrdlock timedwrlock", Seen.OTHERS, _TIMED_OUT, "XSH pthread_rwlock_timedrdlock: [ETIMEDOUT]"),
    *rows(
        _RWLOCK,
        "timedwrlock",
        _READERS,
        _TIMED_OUT,
        "XSH pthread_rwlock_timedwrlock: [ETIMEDOUT]; the caller's own read lock counts",
    ),
    *rows(_RWLOCK, "unlock", Seen.MINE, _RELEASED, "XSH pthread_rwlock_unlock: the lock is unlocked"),
    *rows(
        _RWLOCK,
        "unlock",
        (Seen.READING, Seen.READING_TOO),
        succeeds(Effect.UNREAD, release(Clock.READ)),
        "XSH pthread_rwlock_unlock: other read locks remain; free with the last one",
    ),
    *rows(
        _RWLOCK,
        "unlock",
        (Seen.FREE, Seen.OTHERS, Seen.READ_BY_OTHERS),
        undefined(succeeds(), note="glibc takes it for the unlock of a reader and corrupts its counters"),
        "XSH pthread_rwlock_unlock: undefined if the caller does not hold the lock",
    ),
)

SPIN_RULES: Final[Rows] = (
    *life(_SPIN, (Seen.FREE,), (Seen.MINE, Seen.OTHERS), "lock trylock unlock", "pthread_spin"),
    *rows(
        _SPIN,
        "destroy",
        (Seen.MINE, Seen.OTHERS),
        undefined(succeeds(Effect.DESTROY)),
        "XSH pthread_spin_destroy: undefined if a thread holds the lock",
    ),
    *rows(_SPIN, "lock trylock", Seen.FREE, _TAKEN, "XSH pthread_spin_lock; XBD 4.12"),
    *rows(_SPIN, "lock", Seen.OTHERS, waits(), "XSH pthread_spin_lock: spins until it is available"),
    *rows(
        _SPIN,
        "lock",
        Seen.MINE,
        undefined(waits()),
        "XSH pthread_spin_lock: undefined if the caller holds the lock ([EDEADLK] recommended); glibc: spins for ever",
    ),
    *rows(_SPIN, "trylock", (Seen.MINE, Seen.OTHERS), _BUSY, "XSH pthread_spin_trylock: [EBUSY]"),
    *rows(_SPIN, "unlock", Seen.MINE, _RELEASED, "XSH pthread_spin_unlock; XBD 4.12"),
    *rows(
        _SPIN,
        "unlock",
        Seen.FREE,
        undefined(succeeds()),
        "XSH pthread_spin_unlock: undefined if the caller does not hold the lock",
    ),
    *rows(
        _SPIN,
        "unlock",
        Seen.OTHERS,
        undefined(_RELEASED),
        "XSH pthread_spin_unlock: undefined if the caller does not hold the lock",
    ),
)

SECTION_RULES: Final[Rows] = (
    *rows(ObjectType.SECTION, "begin", Seen.FREE, _TAKEN, "SV-COMP: the section is executed without interruption"),
    *rows(ObjectType.SECTION, "begin", Seen.OTHERS, waits(), "SV-COMP: no other thread runs during the section"),
    *rows(
        ObjectType.SECTION,
        "begin",
        (Seen.MINE, Seen.MINE_AGAIN),
        undefined(_AGAIN),
        "SV-COMP: nested sections are not described; they count here",
    ),
    *rows(ObjectType.SECTION, "end", Seen.MINE, _RELEASED, "SV-COMP"),
    *rows(ObjectType.SECTION, "end", Seen.MINE_AGAIN, undefined(succeeds(Effect.COUNT_DOWN)), "SV-COMP"),
    *rows(
        ObjectType.SECTION,
        "end",
        (Seen.FREE, Seen.OTHERS),
        undefined(succeeds()),
        "SV-COMP: the end of no section is not described",
    ),
)
