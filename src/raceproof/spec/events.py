"""The rules of conditions, barriers, semaphores, once controls, threads and keys. Clauses as in `locks`."""

from __future__ import annotations

from typing import Final

from raceproof.spec.locks import life
from raceproof.spec.terms import (
    Clock,
    Effect,
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

_COND: Final = ObjectType.COND
_BARRIER: Final = ObjectType.BARRIER
_SEM: Final = ObjectType.SEM
_ONCE: Final = ObjectType.ONCE
_THREAD: Final = ObjectType.THREAD
_KEY: Final = ObjectType.KEY
_INVALID: Final = gives(Result.EINVAL)

CONDITION_RULES: Final[Rows] = (
    *life(_COND, (Seen.NO_WAITERS,), (), "enqueue wake timed-wake signal broadcast", "pthread_cond"),
    *rows(
        _COND,
        "init",
        Seen.WAITERS,
        undefined(succeeds(Effect.INITIALISE)),
        "XSH pthread_cond_init: initialising a condition that is initialised is undefined",
    ),
    *rows(
        _COND,
        "destroy",
        Seen.WAITERS,
        undefined(
            waits(), explored=False, note="glibc waits until they have left; the runtime returns at once, and says so"
        ),
        "XSH pthread_cond_destroy: undefined if threads are blocked on it",
    ),
    *rows(
        _COND,
        "enqueue",
        (Seen.NO_WAITERS, Seen.WAITERS),
        succeeds(Effect.ENQUEUE),
        "XSH pthread_cond_wait: releases the mutex and blocks, atomically with respect to signals",
    ),
    *rows(
        _COND,
        "wake timed-wake",
        Seen.WOKEN,
        succeeds(Effect.LEAVE),
        "XSH pthread_cond_signal: unblocks; no order follows, the mutex makes it",
    ),
    *rows(
        _COND,
        "wake",
        Seen.WAITING,
        (waits(), may(succeeds(Effect.LEAVE), note="unless the program only tests again and waits again")),
        "XSH pthread_cond_wait: spurious wakeups may occur; C11 7.26.3.6",
    ),
    *rows(
        _COND,
        "timed-wake",
        Seen.WAITING,
        (
            gives(Result.ETIMEDOUT, Effect.LEAVE),
            may(succeeds(Effect.LEAVE), explored=False, note="covered by the time-out but for the result"),
        ),
        "XSH pthread_cond_timedwait: [ETIMEDOUT]; spurious wakeups may occur",
    ),
    *rows(
        _COND,
        "signal",
        Seen.NO_WAITERS,
        succeeds(),
        "XSH pthread_cond_signal: no effect if no threads are blocked",
    ),
    *rows(_COND, "broadcast", Seen.NO_WAITERS, succeeds(), "XSH pthread_cond_broadcast: no effect"),
    *rows(
        _COND,
        "signal",
        Seen.WAITERS,
        succeeds(Effect.WAKE_ONE),
        "XSH pthread_cond_signal: unblocks at least one; more are spurious wakeups",
    ),
    *rows(_COND, "broadcast", Seen.WAITERS, succeeds(Effect.WAKE_ALL), "XSH pthread_cond_broadcast: unblocks all"),
)

BARRIER_RULES: Final[Rows] = (
    *life(_BARRIER, (Seen.INCOMPLETE, Seen.LAST), (), "arrive leave", "pthread_barrier"),
    *rows(
        _BARRIER,
        "arrive",
        Seen.INCOMPLETE,
        succeeds(Effect.ARRIVE, release(Clock.ROUND)),
        "XSH pthread_barrier_wait: blocks until the required number of threads have called it; XBD 4.12",
    ),
    *rows(
        _BARRIER,
        "arrive",
        Seen.LAST,
        (
            gives(Result.SERIAL_THREAD, Effect.COMPLETE, release(Clock.ROUND), acquire(Clock.ROUND)),
            may(
                succeeds(Effect.COMPLETE, release(Clock.ROUND), acquire(Clock.ROUND)),
                glibc=False,
                explored=False,
                note="another thread of the round gets the constant; glibc: the last",
            ),
        ),
        "XSH pthread_barrier_wait: PTHREAD_BARRIER_SERIAL_THREAD to one unspecified thread; the barrier is reset",
    ),
    *rows(_BARRIER, "leave", Seen.ROUND_OPEN, waits(), "XSH pthread_barrier_wait: blocks"),
    *rows(
        _BARRIER,
        "leave",
        Seen.ROUND_OVER,
        succeeds(Effect.NONE, acquire(Clock.ROUND)),
        "XSH pthread_barrier_wait: 0 to each of the remaining threads; XBD 4.12",
    ),
)

_TAKEN: Final = succeeds(Effect.DECREMENT, acquire(Clock.POSTS))
_POSTED: Final = succeeds(Effect.INCREMENT, release(Clock.POSTS))
_INTERRUPTED: Final = may(gives(Result.EINTR), explored=False, note="only where a signal handler ran")
_VALUED: Final = (Seen.ZERO, Seen.POSITIVE, Seen.FULL)

SEMAPHORE_RULES: Final[Rows] = (
    *life(_SEM, _VALUED, (), "wait trywait timedwait post getvalue", "sem"),
    *rows(
        _SEM,
        "wait trywait timedwait",
        (Seen.POSITIVE, Seen.FULL),
        _TAKEN,
        "XSH sem_wait: decremented by 1; XBD 4.12",
    ),
    *rows(_SEM, "wait", Seen.ZERO, (waits(), _INTERRUPTED), "XSH sem_wait: blocks; may fail: [EINTR]"),
    *rows(_SEM, "trywait", Seen.ZERO, gives(Result.EAGAIN), "XSH sem_trywait: [EAGAIN]"),
    *rows(
        _SEM, "timedwait", Seen.ZERO, (gives(Result.ETIMEDOUT), _INTERRUPTED), "XSH sem_timedwait: [ETIMEDOUT], [EINTR]"
    ),
    *rows(_SEM, "post", (Seen.ZERO, Seen.POSITIVE), _POSTED, "XSH sem_post: value + 1, or a waiter goes on; XBD 4.12"),
    *rows(_SEM, "post", Seen.FULL, gives(Result.EOVERFLOW), "XSH sem_post: [EOVERFLOW] would exceed SEM_VALUE_MAX"),
    *rows(_SEM, "getvalue", _VALUED, succeeds(), "XSH sem_getvalue: some value during the call; glibc: not negative"),
)

ONCE_RULES: Final[Rows] = (
    *rows(
        _ONCE,
        "enter finish leave",
        Seen.UNINITIALISED,
        undefined(succeeds()),
        "XSH pthread_once: undefined unless initialised by PTHREAD_ONCE_INIT",
    ),
    *rows(_ONCE, "enter", Seen.NEW, succeeds(Effect.RUN), "XSH pthread_once: the first call calls the routine"),
    *rows(
        _ONCE,
        "enter",
        Seen.OTHERS_ROUTINE,
        waits(),
        "XSH pthread_once: on return the routine has completed; C11 7.26.2.1",
    ),
    *rows(
        _ONCE,
        "enter",
        Seen.RUNNING_ROUTINE,
        undefined(waits()),
        "XSH pthread_once: nothing is said of a call in the routine itself; glibc: deadlock",
    ),
    *rows(
        _ONCE,
        "enter",
        Seen.DONE,
        succeeds(Effect.NONE, acquire(Clock.ROUTINE)),
        "C11 7.26.2.1p2: completion of the effective call synchronises with all others",
    ),
    *rows(
        _ONCE,
        "finish",
        Seen.RUNNING_ROUTINE,
        succeeds(Effect.FINISH, release(Clock.ROUTINE)),
        "XSH pthread_once: the routine has completed",
    ),
    *rows(
        _ONCE,
        "leave",
        Seen.RUNNING_ROUTINE,
        succeeds(Effect.RETRY),
        "XSH pthread_once: if the routine is cancelled, as if pthread_once() was never called",
    ),
)

_LIVE: Final = (Seen.RUNNING, Seen.SELF, Seen.JOINS_CALLER)
_NO_THREAD: Final = (Seen.GONE, Seen.DETACHED_ENDED)
_JOINED: Final = succeeds(Effect.JOIN, acquire(Clock.END))
_DEADLOCK: Final = gives(Result.EDEADLK)

THREAD_RULES: Final[Rows] = (
    *rows(
        _THREAD,
        "create",
        Seen.ABSENT,
        (
            succeeds(Effect.CREATE, release(Clock.CREATION)),
            may(gives(Result.EAGAIN), explored=False, note="resources are taken to suffice: docs/soundness.md"),
        ),
        "XSH pthread_create; XBD 4.12; C11 7.26.5.1p3: the call synchronises with the beginning of the thread",
    ),
    *rows(_THREAD, "begin", Seen.SELF, succeeds(Effect.NONE, acquire(Clock.CREATION)), "C11 7.26.5.1p3"),
    *rows(
        _THREAD,
        "end",
        (Seen.SELF, Seen.DETACHED),
        succeeds(Effect.END, release(Clock.END)),
        "XSH pthread_exit, pthread_join; C11 7.26.5.5",
    ),
    *rows(_THREAD, "join", Seen.RUNNING, waits(), "XSH pthread_join: suspends until the target ends"),
    *rows(
        _THREAD,
        "join tryjoin timedjoin",
        Seen.ENDED,
        _JOINED,
        "XSH pthread_join; XBD 4.12; C11 7.26.5.6p2: the end synchronises with the return of the join",
    ),
    *rows(
        _THREAD,
        "join timedjoin",
        (Seen.SELF, Seen.JOINS_CALLER),
        (_DEADLOCK, may(waits(), glibc=False, explored=False)),
        "XSH pthread_join, rationale: [EDEADLK] recommended where a deadlock was detected; glibc: the caller itself, "
        "and a thread that joins the caller",
    ),
    *rows(_THREAD, "tryjoin", _LIVE, gives(Result.EBUSY), "glibc pthread_tryjoin_np: EBUSY, has not ended yet"),
    *rows(_THREAD, "timedjoin", Seen.RUNNING, gives(Result.ETIMEDOUT), "glibc pthread_timedjoin_np: ETIMEDOUT"),
    *rows(
        _THREAD,
        "join tryjoin timedjoin detach",
        Seen.DETACHED,
        undefined(_INVALID),
        "XSH pthread_join, pthread_detach: undefined if the thread is not joinable; glibc: EINVAL",
    ),
    *rows(
        _THREAD,
        "join tryjoin timedjoin detach",
        (*_NO_THREAD, Seen.ABSENT),
        undefined(_INVALID, note="the id may be of another thread by then; the runtime never uses one twice"),
        "XSH 2.9.2: use of a thread id whose lifetime has ended is undefined",
    ),
    *rows(
        _THREAD,
        "detach",
        (*_LIVE, Seen.ENDED),
        succeeds(Effect.DETACH),
        "XSH pthread_detach: storage is reclaimed when the thread ends",
    ),
)

KEY_RULES: Final[Rows] = (
    *rows(
        _KEY,
        "create",
        (Seen.UNINITIALISED, Seen.DESTROYED, Seen.VALID),
        (succeeds(Effect.INITIALISE), may(gives(Result.EAGAIN), note="PTHREAD_KEYS_MAX keys exist")),
        "XSH pthread_key_create: NULL is associated with the key in all threads",
    ),
    *rows(_KEY, "delete", Seen.VALID, succeeds(Effect.DESTROY), "XSH pthread_key_delete: calls no destructors"),
    *rows(_KEY, "set get", Seen.VALID, succeeds(), "XSH pthread_getspecific"),
    *rows(
        _KEY,
        "delete set",
        (Seen.UNINITIALISED, Seen.DESTROYED),
        undefined(_INVALID),
        "XSH pthread_getspecific: undefined for a key that was deleted or not created",
    ),
    *rows(
        _KEY,
        "get",
        (Seen.UNINITIALISED, Seen.DESTROYED),
        undefined(succeeds()),
        "XSH pthread_getspecific: undefined for a key that was deleted or not created",
    ),
)
