"""Which functions of the thread libraries order threads, and how: POSIX threads and semaphores, C11, SV-COMP.

    sync_op("pthread_create")  ->  SyncOp(CREATE, arg=0, start=2, start_arg=3)

A function here has an `Effect` too (`libc.effect_of`): the plain memory it touches, such as the thread id that
pthread_create writes. The synchronisation object itself stands only here.

The tables err on the side of less order: what is not certain to take a lock is a TRYLOCK, what is not certain to wait
for a thread is a join that may fail. Read and write side of a lock are told apart by `shared` when it is taken; the
release is the same call for both.

A wait is taken to hold the lock again when it returns, also after a timeout, as POSIX demands; that it failed because
the program did not hold the lock before is not considered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from raceproof.core import InternalError
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.symbol_names import names_of


def _ops(*rows: tuple[str, SyncOp]) -> dict[str, SyncOp]:
    """Make a table of rows (names, what each of them does). A name stands in one row only."""
    table: dict[str, SyncOp] = {}
    for names, op in rows:
        for name in names.split():
            if name in table:
                raise InternalError(f"the operation of {name} is given twice")
            table[name] = op
    return table


def _on(kind: Sync, *, shared: bool = False, refuses_owner: bool = False) -> SyncOp:
    """Do `kind` to the object that argument 0 points to."""
    return SyncOp(kind, arg=0, shared=shared, refuses_owner=refuses_owner)


SET_SPECIFIC: Final = frozenset({"pthread_setspecific", "__pthread_setspecific", "tss_set"})
GET_SPECIFIC: Final = frozenset({"pthread_getspecific", "__pthread_getspecific", "tss_get"})

_NONE: Final = SyncOp(Sync.NONE)
_ATTRIBUTE: Final = SyncOp(Sync.ATTRIBUTE, arg=0)
_TRY: Final = SyncOp(Sync.TRYLOCK, arg=0, may_fail=True)
_TRY_SHARED: Final = SyncOp(Sync.TRYLOCK, arg=0, shared=True, may_fail=True)
_WAIT: Final = SyncOp(Sync.WAIT, arg=0, lock_arg=1)
_JOIN: Final = SyncOp(Sync.JOIN, arg=0, result=1)
_TRY_JOIN: Final = SyncOp(Sync.JOIN, arg=0, result=1, may_fail=True)

_POSIX: Final = _ops(
    # threads
    ("pthread_create __pthread_create", SyncOp(Sync.CREATE, arg=0, start=2, start_arg=3)),
    ("pthread_join __pthread_join", _JOIN),
    ("pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np", _TRY_JOIN),
    ("pthread_detach", _on(Sync.DETACH)),
    ("pthread_exit __pthread_exit", SyncOp(Sync.EXIT, result=0)),
    ("pthread_self", SyncOp(Sync.SELF)),
    ("pthread_equal __pthread_equal", _NONE),
    ("pthread_once __pthread_once", SyncOp(Sync.ONCE, arg=0, start=1)),
    ("pthread_cancel pthread_kill pthread_sigqueue", _NONE),
    ("pthread_testcancel pthread_setcancelstate pthread_setcanceltype", _NONE),
    ("pthread_atfork __register_atfork", _NONE),
    ("pthread_yield", SyncOp(Sync.YIELD)),
    ("pthread_setname_np pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np", _NONE),
    ("pthread_setschedparam pthread_getschedparam pthread_setschedprio pthread_getcpuclockid", _NONE),
    ("pthread_setconcurrency pthread_getconcurrency pthread_getattr_np pthread_getattr_default_np", _NONE),
    ("pthread_setattr_default_np pthread_sigmask pthread_gettid_np pthread_getthreadid_np", _NONE),
    # thread-specific data: order no threads; what goes where is in libc_threads
    ("pthread_key_create __pthread_key_create pthread_key_delete", _NONE),
    ("pthread_setspecific __pthread_setspecific pthread_getspecific __pthread_getspecific", _NONE),
    # mutexes
    ("pthread_mutex_lock __pthread_mutex_lock", _on(Sync.LOCK)),
    ("pthread_mutex_trylock __pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock", _TRY),
    ("pthread_mutex_unlock __pthread_mutex_unlock", _on(Sync.UNLOCK)),
    ("pthread_mutex_init __pthread_mutex_init", _on(Sync.LOCK_INIT)),
    ("pthread_mutex_destroy __pthread_mutex_destroy", _on(Sync.LOCK_DESTROY)),
    ("pthread_mutex_consistent pthread_mutex_consistent_np", _NONE),
    ("pthread_mutex_getprioceiling pthread_mutex_setprioceiling", _NONE),
    # conditions
    ("pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait __pthread_cond_wait", _WAIT),
    ("pthread_cond_timedwait_relative_np pthread_cond_reltimedwait_np", _WAIT),
    ("pthread_cond_signal __pthread_cond_signal", _on(Sync.SIGNAL)),
    ("pthread_cond_broadcast __pthread_cond_broadcast", _on(Sync.BROADCAST)),
    ("pthread_cond_init __pthread_cond_init", _on(Sync.CONDITION_INIT)),
    ("pthread_cond_destroy __pthread_cond_destroy", _NONE),
    # read-write locks
    ("pthread_rwlock_rdlock __pthread_rwlock_rdlock", _on(Sync.LOCK, shared=True, refuses_owner=True)),
    ("pthread_rwlock_wrlock __pthread_rwlock_wrlock", _on(Sync.LOCK, refuses_owner=True)),
    ("pthread_rwlock_tryrdlock __pthread_rwlock_tryrdlock", _TRY_SHARED),
    ("pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock", _TRY_SHARED),
    ("pthread_rwlock_trywrlock __pthread_rwlock_trywrlock", _TRY),
    ("pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock", _TRY),
    ("pthread_rwlock_unlock __pthread_rwlock_unlock", _on(Sync.UNLOCK, refuses_owner=True)),
    ("pthread_rwlock_init __pthread_rwlock_init", _on(Sync.LOCK_INIT)),
    ("pthread_rwlock_destroy __pthread_rwlock_destroy", _on(Sync.LOCK_DESTROY)),
    # spin locks
    ("pthread_spin_lock", _on(Sync.LOCK)),
    ("pthread_spin_trylock", _TRY),
    ("pthread_spin_unlock", _on(Sync.UNLOCK)),
    ("pthread_spin_init", _on(Sync.LOCK_INIT)),
    ("pthread_spin_destroy", _on(Sync.LOCK_DESTROY)),
    # barriers
    ("pthread_barrier_init", SyncOp(Sync.BARRIER_INIT, arg=0, count=2)),
    ("pthread_barrier_wait", _on(Sync.BARRIER_WAIT)),
    ("pthread_barrier_destroy", _NONE),
    # the lock inside a stream
    ("flockfile", _on(Sync.LOCK)),
    ("ftrylockfile", _TRY),
    ("funlockfile", _on(Sync.UNLOCK)),
    # semaphores: a named one is known by the pointer that sem_open returned
    ("sem_init", SyncOp(Sync.SEM_INIT, arg=0, count=2)),
    ("sem_wait", _on(Sync.SEM_WAIT)),
    ("sem_trywait sem_timedwait sem_clockwait", SyncOp(Sync.SEM_TRYWAIT, arg=0, may_fail=True)),
    ("sem_post", _on(Sync.SEM_POST)),
    ("sem_destroy sem_getvalue sem_open sem_close sem_unlink", _NONE),
    # time passes
    ("sched_yield", SyncOp(Sync.YIELD)),
    ("sleep usleep nanosleep clock_nanosleep", SyncOp(Sync.YIELD)),
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

_C11: Final = _ops(
    ("thrd_create", SyncOp(Sync.CREATE, arg=0, start=1, start_arg=2)),
    ("thrd_join", _JOIN),
    ("thrd_detach", _on(Sync.DETACH)),
    ("thrd_exit", SyncOp(Sync.EXIT, result=0)),
    ("thrd_current", SyncOp(Sync.SELF)),
    ("thrd_equal", _NONE),
    ("thrd_sleep thrd_yield", SyncOp(Sync.YIELD)),
    ("mtx_init", _on(Sync.LOCK_INIT)),
    ("mtx_lock", _on(Sync.LOCK)),
    ("mtx_trylock mtx_timedlock", _TRY),
    ("mtx_unlock", _on(Sync.UNLOCK)),
    ("mtx_destroy", _on(Sync.LOCK_DESTROY)),
    ("cnd_init", _on(Sync.CONDITION_INIT)),
    ("cnd_wait cnd_timedwait", _WAIT),
    ("cnd_signal", _on(Sync.SIGNAL)),
    ("cnd_broadcast", _on(Sync.BROADCAST)),
    ("cnd_destroy", _NONE),
    ("call_once", SyncOp(Sync.ONCE, arg=0, start=1)),
    ("tss_create tss_delete tss_get tss_set", _NONE),
)

_SV_COMP: Final = _ops(
    ("__VERIFIER_atomic_begin", SyncOp(Sync.ATOMIC_BEGIN)),
    ("__VERIFIER_atomic_end", SyncOp(Sync.ATOMIC_END)),
)


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


SYNC_OPS: Final[Mapping[str, SyncOp]] = _POSIX | _attributes() | _C11 | _SV_COMP


def sync_op(name: str) -> SyncOp | None:
    """Say how the library function `name` orders threads; None if it is not of a thread library.

    Only for functions that the program does not define itself: a `mutex_lock` with a body is what its body does.
    """
    return next((SYNC_OPS[known] for known in names_of(name) if known in SYNC_OPS), None)


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


def sync_object_size(name: str, pointer_size: int) -> int:
    """How many bytes the object has that a function of the thread library is about; of several, or of an object that
    is not known, the most."""
    of_64_bits = pointer_size == 8
    return max((sizes[0 if of_64_bits else 1] for word, sizes in _SIZES.items() if word in name), default=_LARGEST)
