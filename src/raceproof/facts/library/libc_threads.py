"""The plain memory that functions of pthread.h, threads.h and semaphore.h touch.

What they do to the order of threads, to locks and conditions is in `sync_api.py`; the object itself (the mutex, the
semaphore) and the function that a thread or a once-control runs are left to that table. Here are the rest: where the
thread id and the result of a join are written, timeouts, attributes, and thread-specific data, which is one hidden
thread-local object for all keys: `pthread_getspecific` may return whatever was ever set.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    LONG,
    NORETURN,
    POINTER,
    SIGSET,
    TIMESPEC,
    calls,
    copy,
    effects,
    keeps,
    loaded,
    n,
    rd,
    rw,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect, Returns

_ATTR: Final = Bytes(64, ilp32=36, sure=56)  # pthread_attr_t: aarch64 has 64, x86-64 56
_SMALL_ATTR: Final = Bytes(8, sure=4)  # pthread_mutexattr_t, condattr, rwlockattr, barrierattr
_PARAM: Final = Bytes(48, sure=4)
_SPECIFIC: Final = Effect(static_object="thread-specific data", static_is_thread_local=True)
_STACKS: Final = Effect(static_object="attributes of threads")  # which may have stacks of the program's
_SET_SPECIFIC: Final = Effect(
    static_object="thread-specific data", static_is_thread_local=True, stores=((1, STATIC_ARG),)
)

POSIX_THREADS: Final = effects(
    ("pthread_create", wr(0, LONG), rd(1, _ATTR), _STACKS, copy(STATIC_ARG, 1)),
    ("pthread_join pthread_tryjoin_np", wr(1, POINTER)),
    ("pthread_timedjoin_np", wr(1, POINTER), rd(2, TIMESPEC)),
    ("pthread_clockjoin_np", wr(1, POINTER), rd(3, TIMESPEC)),
    ("pthread_exit", NORETURN),
    ("pthread_detach pthread_self pthread_equal pthread_once",),
    ("pthread_cancel pthread_testcancel pthread_yield pthread_setschedprio pthread_setconcurrency",),
    ("pthread_getconcurrency pthread_gettid_np pthread_getthreadid_np",),
    ("pthread_setcancelstate pthread_setcanceltype", wr(1, INT)),
    ("pthread_atfork", calls(0, later=True), calls(1, later=True), calls(2, later=True)),
    ("__register_atfork", calls(0, later=True), calls(1, later=True), calls(2, later=True)),
    ("pthread_setname_np", rd(1)),
    ("pthread_getname_np", wr(1, n(2))),
    ("pthread_setaffinity_np", rd(2, n(1))),
    ("pthread_getaffinity_np", wr(2, n(1))),
    ("pthread_setschedparam", rd(2, _PARAM)),
    ("pthread_getschedparam", wr(1, INT), wr(2, _PARAM)),
    ("pthread_getcpuclockid", wr(1, INT)),
    ("pthread_getattr_np", wr(1, _ATTR), _STACKS, copy(1, STATIC_ARG)),
    ("pthread_getattr_default_np", wr(0, _ATTR)),
    ("pthread_setattr_default_np", rd(0, _ATTR)),
    # cleanup handlers: glibc's macros call the routine in the program itself, musl's let the library call it
    ("__pthread_register_cancel __pthread_unregister_cancel", wr(0, ALL)),
    ("__pthread_register_cancel_defer __pthread_unregister_cancel_restore", wr(0, ALL)),
    ("__pthread_unwind_next", NORETURN),
    ("_pthread_cleanup_push", wr(0, ALL), store(1, 0), store(2, 0), keeps(0), calls(1, 2, later=True)),
    ("_pthread_cleanup_pop", rw(0, ALL)),
    # thread-specific data
    (
        "pthread_key_create tss_create",
        *(wr(0, INT), _SPECIFIC, calls(1, STATIC_ARG, loads=True, later=True)),
    ),
    ("pthread_key_delete tss_delete",),
    ("pthread_setspecific tss_set", _SET_SPECIFIC),
    ("pthread_getspecific tss_get", _SPECIFIC, loaded(STATIC_ARG)),
    # mutexes
    ("pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock",),
    ("pthread_mutex_destroy",),
    ("pthread_mutex_consistent pthread_mutex_consistent_np",),
    ("pthread_mutex_timedlock", rd(1, TIMESPEC)),
    ("pthread_mutex_clocklock", rd(2, TIMESPEC)),
    ("pthread_mutex_init", rd(1, _SMALL_ATTR)),
    ("pthread_mutex_getprioceiling", wr(1, INT)),
    ("pthread_mutex_setprioceiling", wr(2, INT)),
    # conditions
    ("pthread_cond_wait pthread_cond_signal",),
    ("pthread_cond_broadcast pthread_cond_destroy",),
    ("pthread_cond_timedwait", rd(2, TIMESPEC)),
    ("pthread_cond_timedwait_relative_np pthread_cond_reltimedwait_np", rd(2, TIMESPEC)),
    ("pthread_cond_clockwait", rd(3, TIMESPEC)),
    ("pthread_cond_init", rd(1, _SMALL_ATTR)),
    # read-write locks
    ("pthread_rwlock_rdlock pthread_rwlock_wrlock",),
    ("pthread_rwlock_tryrdlock pthread_rwlock_trywrlock",),
    ("pthread_rwlock_unlock pthread_rwlock_destroy",),
    ("pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock", rd(1, TIMESPEC)),
    ("pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock", rd(2, TIMESPEC)),
    ("pthread_rwlock_init", rd(1, _SMALL_ATTR)),
    # spin locks and barriers
    ("pthread_spin_init pthread_spin_lock pthread_spin_trylock pthread_spin_unlock pthread_spin_destroy",),
    ("pthread_barrier_init", rd(1, _SMALL_ATTR)),
    ("pthread_barrier_wait pthread_barrier_destroy",),
    # semaphores
    ("sem_init sem_wait sem_trywait sem_post sem_destroy sem_close",),
    ("sem_timedwait", rd(1, TIMESPEC)),
    ("sem_clockwait", rd(2, TIMESPEC)),
    ("sem_getvalue", wr(1, INT)),
    ("sem_open", rd(0), Effect(returns=Returns.OPAQUE)),
    ("sem_unlink", rd(0)),
)

ATTRIBUTES: Final = effects(
    ("pthread_attr_init", wr(0, _ATTR)),
    ("pthread_attr_destroy", wr(0, _ATTR)),
    (
        "pthread_attr_getdetachstate pthread_attr_getinheritsched pthread_attr_getschedpolicy pthread_attr_getscope",
        *(rd(0, _ATTR), wr(1, INT)),
    ),
    ("pthread_attr_getguardsize pthread_attr_getstacksize", rd(0, _ATTR), wr(1, LONG)),
    ("pthread_attr_getstackaddr", rd(0, _ATTR), wr(1, POINTER), copy(1, 0)),
    ("pthread_attr_getstack", rd(0, _ATTR), wr(1, POINTER), wr(2, LONG), copy(1, 0)),
    ("pthread_attr_getschedparam", rd(0, _ATTR), wr(1, _PARAM)),
    ("pthread_attr_getaffinity_np", rd(0, _ATTR), wr(2, n(1))),
    ("pthread_attr_getsigmask_np", rd(0, _ATTR), wr(1, SIGSET)),
    (
        "pthread_attr_setdetachstate pthread_attr_setinheritsched pthread_attr_setschedpolicy pthread_attr_setscope",
        rw(0, _ATTR),
    ),
    ("pthread_attr_setguardsize pthread_attr_setstacksize", rw(0, _ATTR)),
    ("pthread_attr_setstackaddr pthread_attr_setstack", rw(0, _ATTR), store(1, 0), keeps(1)),
    ("pthread_attr_setschedparam", rw(0, _ATTR), rd(1, _PARAM)),
    ("pthread_attr_setaffinity_np", rw(0, _ATTR), rd(2, n(1))),
    ("pthread_attr_setsigmask_np", rw(0, _ATTR), rd(1, SIGSET)),
    *(
        (f"pthread_{kind}attr_init pthread_{kind}attr_destroy", wr(0, _SMALL_ATTR))
        for kind in ("mutex", "cond", "rwlock", "barrier")
    ),
    *(
        row
        for kind, words in (
            ("mutex", "type pshared protocol prioceiling robust robust_np kind_np"),
            ("cond", "clock pshared"),
            ("rwlock", "pshared kind_np"),
            ("barrier", "pshared"),
        )
        for word in words.split()
        for row in (
            (f"pthread_{kind}attr_get{word}", rd(0, _SMALL_ATTR), wr(1, INT)),
            (f"pthread_{kind}attr_set{word}", rw(0, _SMALL_ATTR)),
        )
    ),
)

C11_THREADS: Final = effects(
    ("thrd_create", wr(0, LONG)),
    ("thrd_join", wr(1, INT)),
    ("thrd_exit", NORETURN),
    ("thrd_detach thrd_current thrd_equal thrd_yield call_once",),
    ("thrd_sleep", rd(0, TIMESPEC), wr(1, TIMESPEC)),
    ("mtx_init mtx_lock mtx_trylock mtx_unlock mtx_destroy",),
    ("mtx_timedlock", rd(1, TIMESPEC)),
    ("cnd_init cnd_wait cnd_signal cnd_broadcast cnd_destroy",),
    ("cnd_timedwait", rd(2, TIMESPEC)),
)

THREADS: Final = POSIX_THREADS | ATTRIBUTES | C11_THREADS
