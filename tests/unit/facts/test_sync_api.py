"""sync_api: every operation has the arguments that its kind needs, and the functions are what POSIX and C11 say."""

from __future__ import annotations

import pytest

from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.libc import known_effect
from raceproof.facts.library.sync_api import SYNC_OPS, is_atomic_function, sync_op

NO_OBJECT = {Sync.EXIT, Sync.SELF, Sync.ATOMIC_BEGIN, Sync.ATOMIC_END, Sync.YIELD, Sync.NONE}


@pytest.mark.parametrize("name", sorted(SYNC_OPS))
def test_operation_has_the_arguments_of_its_kind(name: str) -> None:
    op = SYNC_OPS[name]
    indices = (op.arg, op.start, op.start_arg, op.lock_arg, op.count, op.result)
    assert all(i is None or 0 <= i <= 5 for i in indices)
    given = [i for i in indices if i is not None]
    assert len(set(given)) == len(given)
    assert (op.arg is None) == (op.kind in NO_OBJECT)
    assert (op.start is not None) == (op.kind in {Sync.CREATE, Sync.ONCE})
    assert (op.start_arg is not None) == (op.kind is Sync.CREATE)
    assert (op.lock_arg is not None) == (op.kind is Sync.WAIT)
    assert (op.count is not None) == (op.kind in {Sync.BARRIER_INIT, Sync.SEM_INIT})
    assert (op.result is not None) == (op.kind in {Sync.JOIN, Sync.EXIT})
    assert not op.shared or op.kind in {Sync.LOCK, Sync.TRYLOCK}
    assert op.may_fail == (op.kind in {Sync.TRYLOCK, Sync.SEM_TRYWAIT} or "join_np" in name)


@pytest.mark.parametrize("name", sorted(SYNC_OPS))
def test_the_object_itself_is_no_plain_access(name: str) -> None:
    op, effect = SYNC_OPS[name], known_effect(name)
    assert effect is not None
    locks = {op.arg, op.lock_arg} - {None}
    if op.kind not in {Sync.CREATE, Sync.ATTRIBUTE}:  # there the argument is a plain object
        assert not locks & {touch.arg for touch in effect.reads + effect.writes}
    assert effect.noreturn == (op.kind is Sync.EXIT)


@pytest.mark.parametrize(
    ("name", "op"),
    [
        ("pthread_create", SyncOp(Sync.CREATE, arg=0, start=2, start_arg=3)),
        ("thrd_create", SyncOp(Sync.CREATE, arg=0, start=1, start_arg=2)),
        ("pthread_join", SyncOp(Sync.JOIN, arg=0, result=1)),
        ("pthread_timedjoin_np", SyncOp(Sync.JOIN, arg=0, result=1, may_fail=True, is_timed=True)),
        ("pthread_exit", SyncOp(Sync.EXIT, result=0)),
        ("pthread_once", SyncOp(Sync.ONCE, arg=0, start=1)),
        ("pthread_mutex_lock", SyncOp(Sync.LOCK, arg=0)),
        ("pthread_mutex_timedlock", SyncOp(Sync.TRYLOCK, arg=0, may_fail=True, is_timed=True)),
        ("mtx_trylock", SyncOp(Sync.TRYLOCK, arg=0, may_fail=True)),
        ("pthread_rwlock_rdlock", SyncOp(Sync.LOCK, arg=0, shared=True, refuses_owner=True)),
        ("pthread_rwlock_wrlock", SyncOp(Sync.LOCK, arg=0, refuses_owner=True)),
        ("pthread_rwlock_tryrdlock", SyncOp(Sync.TRYLOCK, arg=0, shared=True, may_fail=True)),
        ("pthread_cond_timedwait", SyncOp(Sync.WAIT, arg=0, lock_arg=1, is_timed=True)),
        ("pthread_cond_wait", SyncOp(Sync.WAIT, arg=0, lock_arg=1)),
        ("sem_getvalue", SyncOp(Sync.NONE, tells=True)),
        ("cnd_broadcast", SyncOp(Sync.BROADCAST, arg=0)),
        ("pthread_barrier_init", SyncOp(Sync.BARRIER_INIT, arg=0, count=2)),
        ("sem_init", SyncOp(Sync.SEM_INIT, arg=0, count=2)),
        ("sem_timedwait", SyncOp(Sync.SEM_TRYWAIT, arg=0, may_fail=True, is_timed=True)),
        ("pthread_attr_setdetachstate", SyncOp(Sync.ATTRIBUTE, arg=0)),
        ("pthread_mutexattr_settype", SyncOp(Sync.ATTRIBUTE, arg=0)),
        ("__VERIFIER_atomic_begin", SyncOp(Sync.ATOMIC_BEGIN)),
    ],
)
def test_spot_checks(name: str, op: SyncOp) -> None:
    assert sync_op(name) == op


def test_names_that_glibc_has_for_itself() -> None:
    assert sync_op("__pthread_once") == sync_op("pthread_once")
    assert sync_op("__pthread_mutex_lock") == sync_op("pthread_mutex_lock")
    assert sync_op("__pthread_register_cancel") is None


def test_names_of_64_bit_time() -> None:
    """What the headers of musl and glibc make of a timed function on a 32-bit machine."""
    assert sync_op("__pthread_cond_timedwait_time64") == sync_op("pthread_cond_timedwait")
    assert sync_op("__pthread_mutex_timedlock64") == sync_op("pthread_mutex_timedlock")
    assert sync_op("__thrd_sleep_time64") == sync_op("thrd_sleep")


def test_what_is_no_sync_operation() -> None:
    assert sync_op("mutex_lock") is None  # programs that call it define it
    assert sync_op("printf") is None


def test_atomic_functions() -> None:
    assert is_atomic_function("__VERIFIER_atomic_increment")
    assert not is_atomic_function("__VERIFIER_atomic_begin")
    assert not is_atomic_function("__VERIFIER_atomic_end")
    assert not is_atomic_function("increment")
