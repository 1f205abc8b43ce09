"""Sequences of calls through the specification, each known from the standard's text."""

from __future__ import annotations

from raceproof.spec import (
    FUNCTIONS,
    SEM_VALUE_MAX,
    ApiFunction,
    BarrierState,
    CondState,
    Family,
    Kind,
    MutexState,
    ObjectState,
    ObjectType,
    OnceState,
    Operation,
    Result,
    RwlockState,
    SemState,
    ThreadState,
    World,
    returned,
)

A, B, C = 1, 2, 3


def world(**objects: ObjectState) -> World:
    made = World()
    for thread in (A, B, C):
        made.add_thread(thread)
    for name, state in objects.items():
        made.add(name, state)
    return made


def explored(w: World, thread: int, name: str, *names: object) -> list[Result | None]:
    """The results that the explorer may see next; empty: it waits."""
    return [step.result for step in w.steps(thread, FUNCTIONS[name], names) if step.is_explored]


def call(w: World, thread: int, name: str, *names: object) -> Result | None:
    """Take the only step that the explorer may take; the result, None if the call goes on."""
    [step] = [step for step in w.steps(thread, FUNCTIONS[name], names) if step.is_explored]
    w.take(step)
    return step.result


def test_relock_by_kind() -> None:
    for kind, result in ((Kind.ERRORCHECK, Result.EDEADLK), (Kind.RECURSIVE, Result.SUCCESS)):
        w = world(m=MutexState(kind))
        assert call(w, A, "pthread_mutex_lock", "m") is Result.SUCCESS
        assert call(w, A, "pthread_mutex_lock", "m") is result
    w = world(m=MutexState(Kind.NORMAL))
    call(w, A, "pthread_mutex_lock", "m")
    assert explored(w, A, "pthread_mutex_lock", "m") == []
    assert explored(w, A, "pthread_mutex_trylock", "m") == [Result.EBUSY]


def test_robust_mutex_whose_owner_died() -> None:
    w = world(m=MutexState(Kind.DEFAULT, robust=True))
    call(w, A, "pthread_mutex_lock", "m")
    w.end_thread(A)
    assert call(w, B, "pthread_mutex_lock", "m") is Result.EOWNERDEAD
    assert w.clocks.ordered(A, 1, B)
    assert call(w, B, "pthread_mutex_consistent", "m") is Result.SUCCESS
    assert call(w, B, "pthread_mutex_unlock", "m") is Result.SUCCESS
    assert call(w, C, "pthread_mutex_lock", "m") is Result.SUCCESS


def test_robust_mutex_not_made_consistent() -> None:
    w = world(m=MutexState(Kind.DEFAULT, robust=True))
    call(w, A, "pthread_mutex_lock", "m")
    w.end_thread(A)
    call(w, B, "pthread_mutex_lock", "m")
    assert call(w, B, "pthread_mutex_unlock", "m") is Result.SUCCESS
    assert call(w, C, "pthread_mutex_lock", "m") is Result.ENOTRECOVERABLE


def test_readers_and_writers() -> None:
    w = world(l=RwlockState())
    call(w, A, "pthread_rwlock_rdlock", "l")
    call(w, A, "pthread_rwlock_rdlock", "l")
    call(w, B, "pthread_rwlock_rdlock", "l")
    assert explored(w, C, "pthread_rwlock_wrlock", "l") == []
    assert explored(w, A, "pthread_rwlock_wrlock", "l") == []
    for thread in (A, A, B):
        assert explored(w, C, "pthread_rwlock_trywrlock", "l") == [Result.EBUSY]
        call(w, thread, "pthread_rwlock_unlock", "l")
    call(w, C, "pthread_rwlock_wrlock", "l")
    assert w.clocks.ordered(A, 2, C)
    assert w.clocks.ordered(B, 1, C)
    assert not w.clocks.ordered(A, 1, B)
    assert call(w, C, "pthread_rwlock_rdlock", "l") is Result.EDEADLK


def test_wait_signal_and_relock() -> None:
    w = world(c=CondState(), m=MutexState())
    call(w, A, "pthread_mutex_lock", "m")
    assert call(w, A, "pthread_cond_wait", "c", "m") is None
    call(w, B, "pthread_mutex_lock", "m")
    call(w, B, "pthread_cond_signal", "c")
    assert call(w, A, "pthread_cond_wait", "c", "m") is None
    assert explored(w, A, "pthread_cond_wait", "c", "m") == []
    assert not w.clocks.ordered(B, 1, A)
    call(w, B, "pthread_mutex_unlock", "m")
    assert call(w, A, "pthread_cond_wait", "c", "m") is Result.SUCCESS
    assert w.clocks.ordered(B, 1, A)


def test_wait_with_a_mutex_that_is_held_twice_does_not_release_it() -> None:
    w = world(c=CondState(), m=MutexState(Kind.RECURSIVE))
    call(w, A, "pthread_mutex_lock", "m")
    call(w, A, "pthread_mutex_lock", "m")
    assert call(w, A, "pthread_cond_timedwait", "c", "m") is None
    assert explored(w, B, "pthread_mutex_trylock", "m") == [Result.EBUSY]
    assert call(w, A, "pthread_cond_timedwait", "c", "m") is None
    assert call(w, A, "pthread_cond_timedwait", "c", "m") is Result.ETIMEDOUT
    assert w.objects["m"] == MutexState(Kind.RECURSIVE, owner=A, count=2)


def test_wait_without_the_mutex_is_refused_or_undefined() -> None:
    w = world(c=CondState(), m=MutexState(Kind.ERRORCHECK))
    assert call(w, A, "pthread_cond_wait", "c", "m") is Result.EPERM
    w = world(c=CondState(), m=MutexState())
    [step] = w.steps(A, FUNCTIONS["pthread_cond_wait"], ("c", "m"))
    assert step.is_undefined


def test_an_error_in_relocking_wins_over_the_timeout() -> None:
    w = world(c=CondState(), m=MutexState(Kind.DEFAULT, robust=True))
    call(w, A, "pthread_mutex_lock", "m")
    call(w, A, "pthread_cond_timedwait", "c", "m")
    call(w, B, "pthread_mutex_lock", "m")
    w.end_thread(B)
    call(w, A, "pthread_cond_timedwait", "c", "m")
    assert call(w, A, "pthread_cond_timedwait", "c", "m") is Result.EOWNERDEAD


def test_one_signal_wakes_one_of_two() -> None:
    w = world(c=CondState(frozenset({A, B})))
    woken = {step.changes[0].woken for step in w.steps(C, FUNCTIONS["pthread_cond_signal"], ("c",))}
    assert woken == {A, B}


def test_barrier_orders_its_round_only() -> None:
    w = world(b=BarrierState(2))
    assert call(w, A, "pthread_barrier_wait", "b") is None
    assert explored(w, A, "pthread_barrier_wait", "b") == []
    assert call(w, B, "pthread_barrier_wait", "b") is Result.SERIAL_THREAD
    assert call(w, C, "pthread_barrier_wait", "b") is None
    assert call(w, A, "pthread_barrier_wait", "b") is Result.SUCCESS
    assert w.clocks.ordered(B, 1, A)
    assert w.clocks.ordered(A, 1, B)
    assert not w.clocks.ordered(C, 1, A)


def test_semaphore_that_is_full() -> None:
    w = world(s=SemState(SEM_VALUE_MAX))
    assert call(w, A, "sem_post", "s") is Result.EOVERFLOW
    assert returned(FUNCTIONS["sem_post"], Result.EOVERFLOW) == -1
    assert call(w, A, "sem_wait", "s") is Result.SUCCESS
    assert call(w, A, "sem_post", "s") is Result.SUCCESS


def test_once() -> None:
    w = world(o=OnceState())
    assert call(w, A, "pthread_once", "o") is None
    assert explored(w, B, "pthread_once", "o") == []
    assert call(w, A, "pthread_once", "o") is Result.SUCCESS
    assert call(w, B, "pthread_once", "o") is Result.SUCCESS
    assert w.clocks.ordered(A, 1, B)


def test_once_is_run_again_if_its_thread_ends_in_the_routine() -> None:
    w = world(o=OnceState())
    assert call(w, A, "pthread_once", "o") is None
    enter, leave = (Operation(ObjectType.ONCE, name) for name in ("enter", "leave"))
    [left] = w.steps(A, ApiFunction("pthread_once", Family.VOID, ((enter,), (leave,))), ("o",))
    w.take(left)
    assert call(w, B, "pthread_once", "o") is None
    assert not w.clocks.ordered(A, 1, B)


def test_joins() -> None:
    w = world()
    assert explored(w, A, "pthread_join", B) == []
    w.wait(A, FUNCTIONS["pthread_join"], (B,))
    assert explored(w, B, "pthread_join", A) == [Result.EDEADLK]
    assert explored(w, B, "pthread_join", B) == [Result.EDEADLK]
    assert explored(w, B, "pthread_tryjoin_np", B) == [Result.EBUSY]
    w.end_thread(B)
    assert call(w, A, "pthread_join", B) is Result.SUCCESS
    assert w.clocks.ordered(B, 1, A)
    [step] = w.steps(A, FUNCTIONS["pthread_join"], (B,))
    assert step.is_undefined
    assert isinstance(w.objects[A], ThreadState)


def test_results_in_c11() -> None:
    assert [returned(FUNCTIONS["mtx_trylock"], r) for r in (Result.SUCCESS, Result.EBUSY, Result.EINVAL)] == [0, 1, 2]
    assert returned(FUNCTIONS["cnd_timedwait"], Result.ETIMEDOUT) == 4
