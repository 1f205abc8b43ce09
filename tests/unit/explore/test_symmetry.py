"""Algorithm `states` takes threads that nobody can tell apart for one another, and only those."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from exploring import Subject, host_run, load_text

from raceproof.explore.protocol import OtherRecord, RaceRecord, of_kind

Load = Callable[..., Subject]

ALIKE = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, turn;
static void *worker(void *unused) {
    for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); turn++; pthread_mutex_unlock(&m); }
    return 0;
}
int main(void) {
    pthread_t ids[3];
    for (int i = 0; i < 3; i++) pthread_create(&ids[i], 0, worker, 0);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], 0);
    x = turn;
}
"""

# Each has a race that shows only if the threads are told apart, and a twin without one: `RACY` is 1 or 0.
TOLD_APART = {
    "joined one by one": """
static void *worker(void *unused) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    if (RACY) x = 7;
    pthread_join(b, 0);
}""",
    "one never ends": """
static sem_t never; static int first;
static void *worker(void *unused) {
    pthread_mutex_lock(&m); int mine = first++; pthread_mutex_unlock(&m);
    if (mine) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); sem_wait(&never); }
    return 0;
}
int main(void) {
    pthread_t a, b;
    sem_init(&never, 0, 0);
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    pthread_join(b, 0);
    if (RACY) x = 7;
    pthread_join(a, 0);
}""",
    "lock given back between joins": """
static int first;
static void *worker(void *unused) {
    pthread_mutex_lock(&n); int mine = first++; pthread_mutex_unlock(&n);
    if (mine) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); if (RACY) x = 1; }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_mutex_unlock(&m);
    x = 2;
    pthread_join(b, 0);
}""",
    "own handle": """
static pthread_t chosen;
static void *worker(void *unused) {
    pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
    if (pthread_equal(pthread_self(), chosen) && RACY) x = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    chosen = b;
    pthread_mutex_unlock(&m);
    x = 2;
    pthread_join(a, 0); pthread_join(b, 0);
}""",
    "results": """
static int first;
static void *worker(void *unused) {
    pthread_mutex_lock(&m); int mine = first++; pthread_mutex_unlock(&m);
    return mine ? &x : 0;
}
static void *other(void *unused) { x = 1; return 0; }
int main(void) {
    pthread_t a, b, c;
    void *result, *last;
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    pthread_join(a, &result); pthread_join(b, &last);
    pthread_create(&c, 0, other, 0);
    if (result != 0 && RACY) x = 2;
    pthread_join(c, 0);
}""",
    "created later": """
static int late;
static void *worker(void *unused) {
    pthread_mutex_lock(&m); int seen = late; pthread_mutex_unlock(&m);
    if (!seen && RACY) x++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_mutex_lock(&m); late = 1; pthread_mutex_unlock(&m);
    pthread_create(&b, 0, worker, 0);
    x = 2;
    pthread_join(b, 0); pthread_join(a, 0);
}""",
    "variable on the stack": """
static int *published; static int rounds;
static void hold(int *mine) {
    pthread_mutex_lock(&m);
    int *other = published;
    published = mine;
    rounds++;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    if (other == mine || RACY) x = 1;
    pthread_mutex_unlock(&n);
}
static void *worker(void *unused) { int mine = 0; hold(&mine); hold(&mine); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    pthread_mutex_lock(&m); int seen = rounds; pthread_mutex_unlock(&m);
    if (seen == 4 || RACY) { pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); }
    pthread_join(a, 0); pthread_join(b, 0);
}""",
    "part of an address": """
static unsigned owner; static int done;
static void *worker(void *unused) {
    int local;
    __asm__ volatile("" : : "r"(&local) : "memory");
    pthread_mutex_lock(&m);
    if (!owner) owner = (unsigned)(uintptr_t)&local;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n); pthread_mutex_unlock(&n);
    pthread_mutex_lock(&m);
    int is_last = done++, is_mine = owner == (unsigned)(uintptr_t)&local;
    pthread_mutex_unlock(&m);
    if (is_last && is_mine && RACY) x = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    x = 2;
    pthread_join(a, 0); pthread_join(b, 0);
}""",
    "address shifted, beside another input": """
static uintptr_t owner; static int done;
static __thread int local;
static void *worker(void *unused) {
    pthread_mutex_lock(&m); if (!owner) owner = (uintptr_t)&local >> 4; pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n); pthread_mutex_unlock(&n);
    pthread_mutex_lock(&m); int is_last = done++, is_mine = owner == (uintptr_t)&local >> 4; pthread_mutex_unlock(&m);
    if (is_last && is_mine && RACY) x = 1;
    return 0;
}
int main(int argc, char **argv) {
    pthread_t a, b;
    if (argc > 5) return 1;
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    x = 2;
    pthread_join(a, 0); pthread_join(b, 0);
}""",
    "detached and joined": """
static void *worker(void *unused) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0);
    pthread_detach(b);
    pthread_join(a, 0);
    if (RACY) x = 7;
    pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
}""",
}


NEEDED_BETWEEN = """
static sem_t go;
static void *worker(void *waits) { if (waits) sem_wait(&go); return 0; }
int main(void) {
    pthread_t a, b;
    sem_init(&go, 0, 0);
    pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, &x);
    pthread_join(a, 0);
    sem_post(&go);
    pthread_join(b, 0);
}"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return lambda text, *flags: load_text(text, tmp_path, *flags)


HEAD = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x;
"""


@pytest.mark.parametrize("name", TOLD_APART)
def test_races_that_tell_threads_apart(load: Load, name: str) -> None:
    for racy in (1, 0):
        subject = load(HEAD + TOLD_APART[name], f"-DRACY={racy}")
        for symmetry in (True, False):
            found = host_run(subject, "states", find_all=True, symmetry=symmetry)
            races = of_kind(found.records, RaceRecord)
            oracle = of_kind(host_run(subject, "optimal", find_all=True).records, RaceRecord)
            assert bool(races) == bool(oracle), (racy, symmetry)
            assert {frozenset(r.accesses) for r in races} <= {frozenset(r.accesses) for r in oracle}
            assert found.end == "complete"
        if racy:
            assert oracle, "it has no race"


def test_threads_that_are_alike_are_one_state(load: Load) -> None:
    """Where one of three threads stands is one of six orders, at most."""
    subject = load(ALIKE)
    with_, without = (int(host_run(subject, "states", symmetry=on).stats()["states"]) for on in (True, False))
    assert with_ < without / 2
    whole = host_run(subject, "states", exact_states=True).stats()
    assert whole["clashes"] == 0
    assert whole["states"] == with_


def test_what_is_done_between_joins_may_be_needed(load: Load) -> None:
    """No deadlock: the second thread goes on once the first one was joined."""
    found = host_run(load(HEAD + NEEDED_BETWEEN), "states", find_all=True)
    assert not of_kind(found.records, OtherRecord)
    assert found.end == "complete"
