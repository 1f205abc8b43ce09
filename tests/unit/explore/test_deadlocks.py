"""Searches for deadlocks: what counts as one, when there is a proof, and that each is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import Searched, host_run, load_text, search

from raceproof.core import InternalError
from raceproof.model import DeadlockVerdict, Reason, Scope

ALGORITHMS = ("optimal", "dfs")
OPPOSITE = """
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b);
                            pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return p; }
static void *two(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a);
                            pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return p; }
int main(void) { RUN(one, two); return 0; }
"""
# Nobody signals; a wait that ends without a signal, which POSIX allows, is nothing to rely on.
UNSIGNALLED = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;
static void *waiter(void *p) { pthread_mutex_lock(&m); if (!ready) pthread_cond_wait(&c, &m);
                               pthread_mutex_unlock(&m); return p; }
static void *setter(void *p) { pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m); return p; }
int main(void) { RUN(waiter, setter); return 0; }
"""
SIGNALLED_ONCE = UNSIGNALLED.replace("ready = 1;", "ready = 1; pthread_cond_signal(&c);")
LOOPING = SIGNALLED_ONCE.replace("if (!ready)", "while (!ready)")


def looked(text: str, directory: Path, algorithm: str = "optimal", **options: object) -> Searched:
    return search(load_text(text, directory), algorithm, deadlocks=True, **options)


def verdict(searched: Searched) -> tuple[DeadlockVerdict, Scope | None]:
    found = searched.result.deadlock
    assert found is not None
    return found.verdict, found.scope


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_locks_taken_in_opposite_order(algorithm: str, tmp_path: Path) -> None:
    searched = looked(OPPOSITE, tmp_path, algorithm)
    assert verdict(searched) == (DeadlockVerdict.DEADLOCK, None)
    [deadlock] = searched.result.deadlocks
    waits = {step.thread: (step.operation, step.address, step.held) for step in deadlock.blocked}
    assert waits == {
        0: ("pthread_join", "", ()),
        1: ("pthread_mutex_lock", "b", ("a",)),
        2: ("pthread_mutex_lock", "a", ("b",)),
    }


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_order_is_proved(algorithm: str, tmp_path: Path) -> None:
    same = OPPOSITE.replace("lock(&b); pthread_mutex_lock(&a);", "lock(&a); pthread_mutex_lock(&b);")
    assert verdict(looked(same, tmp_path, algorithm)) == (DeadlockVerdict.DEADLOCK_FREE, Scope.THIS_INPUT)


def test_the_search_ends_with_the_first_one_unless_all_are_wanted(tmp_path: Path) -> None:
    subject = load_text(OPPOSITE, tmp_path)
    assert host_run(subject, "dfs", deadlocks=True).end == "deadlock"
    assert host_run(subject, "dfs", deadlocks=True, find_all=True).end == "complete"


def test_each_set_of_places_is_told_once(tmp_path: Path) -> None:
    """Main waits for the first thread in both: that is not what tells them apart."""
    text = """
    pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
    static void *one(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&a); return p; }
    static void *two(void *p) { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return p; }
    int main(void) { RUN(one, two); return 0; }
    """
    searched = looked(text, tmp_path, find_all=True)
    assert sorted(len(deadlock.blocked) for deadlock in searched.result.deadlocks) == [2, 3]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("spurious", [True, False])
def test_a_wakeup_without_a_signal_is_nothing_to_rely_on(algorithm: str, spurious: bool, tmp_path: Path) -> None:
    searched = looked(UNSIGNALLED, tmp_path, algorithm, spurious=spurious)
    assert verdict(searched) == (DeadlockVerdict.DEADLOCK, None)
    [deadlock] = searched.result.deadlocks
    assert [step.operation for step in deadlock.blocked if step.thread == 1] == ["pthread_cond_wait"]


def test_waits_that_are_not_repeated_are_proved_up_to_such_wakeups(tmp_path: Path) -> None:
    assert verdict(looked(SIGNALLED_ONCE, tmp_path)) == (DeadlockVerdict.DEADLOCK_FREE, Scope.BOUNDED)
    assert verdict(looked(LOOPING, tmp_path)) == (DeadlockVerdict.DEADLOCK_FREE, Scope.THIS_INPUT)


def test_a_process_that_ends_leaves_nobody_waiting(tmp_path: Path) -> None:
    """Threads that wait for ever are ended by the return of main, which does not wait for them."""
    ended = OPPOSITE.replace(
        "RUN(one, two);", "pthread_t t; pthread_create(&t, 0, one, 0); pthread_create(&t, 0, two, 0);"
    )
    assert verdict(looked(ended, tmp_path)) == (DeadlockVerdict.DEADLOCK_FREE, Scope.THIS_INPUT)
    stays = ended.replace("return 0; }", "pthread_exit(0); }")
    assert verdict(looked(stays, tmp_path)) == (DeadlockVerdict.DEADLOCK, None)


def test_a_data_race_takes_the_proof_away(tmp_path: Path) -> None:
    text = """
    int x;
    static void *one(void *p) { x = 1; return p; }
    int main(void) { RUN(one, one); return 0; }
    """
    found = looked(text, tmp_path).result.deadlock
    assert found is not None
    assert isinstance(found.evidence, Reason)
    assert "data race" in found.evidence.text


def test_algorithms_that_leave_out_deadlocks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="leaves out deadlocks"):
        looked(OPPOSITE, tmp_path, "race")


def test_one_that_is_met_on_the_way_is_told_where_nobody_asked(tmp_path: Path) -> None:
    result = search(load_text(OPPOSITE, tmp_path), "dfs").result
    assert result.deadlock is None
    assert len(result.deadlocks) == 1


def test_processes_that_share_the_search_find_it(tmp_path: Path) -> None:
    assert verdict(looked(OPPOSITE, tmp_path, jobs=2)) == (DeadlockVerdict.DEADLOCK, None)
    assert verdict(looked(LOOPING, tmp_path, jobs=2)) == (DeadlockVerdict.DEADLOCK_FREE, Scope.THIS_INPUT)
