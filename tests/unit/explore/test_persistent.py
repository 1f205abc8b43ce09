"""Algorithm `states` tries persistent sets of threads only, and misses nothing by that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from exploring import Subject, host_run, load_text, search

from raceproof.explore.protocol import OtherRecord, RaceRecord, of_kind

Load = Callable[..., Subject]

HEAD = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, o = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int x, y, seen, turn;
#define SECTION(lock, body) do { pthread_mutex_lock(&lock); body; pthread_mutex_unlock(&lock); } while (0)
"""

# `RACY` is 1 or 0. What the rules of docs/algorithms/states.md are for.
PROGRAMS = {
    "put off for ever": """
static void *spins(void *unused) { for (;;) SECTION(o, turn = !turn); }
static void *first(void *unused) { SECTION(n, y++); x = 1; return 0; }
static void *second(void *unused) { SECTION(m, seen++); if (RACY) x = 2; return 0; }
int main(void) { RUN(spins, first, second); }""",
    "put off by two for ever": """
static atomic_int word;
static void *spins(void *unused) { for (;;) SECTION(o, turn = !turn); }
static void *toggles(void *unused) { for (;;) atomic_fetch_xor(&word, 1); }
static void *first(void *unused) { SECTION(n, y++); x = 1; return 0; }
static void *second(void *unused) { SECTION(m, seen++); if (RACY) x = 2; return 0; }
int main(void) { RUN(spins, toggles, first, second); }""",
    "the program ends": """
static void *ends(void *unused) { SECTION(o, turn++); SECTION(o, turn++); abort(); }
static void *first(void *unused) { SECTION(n, y++); x = 1; return 0; }
static void *second(void *unused) { SECTION(m, seen++); if (RACY) x = 2; return 0; }
int main(void) { RUN(ends, first, second); }""",
    "a use that is seen late": """
static void *first(void *unused) {
    for (int i = 0; i < 3; i++) SECTION(n, y++);
    SECTION(m, turn = y == 3 && !seen);
    return 0;
}
static void *second(void *unused) {
    int mine;
    for (int i = 0; i < 3; i++) SECTION(o, (void)0);
    SECTION(m, mine = turn);
    if (mine && RACY) x = 1;
    return 0;
}
static void *third(void *unused) { SECTION(m, seen = !turn); SECTION(m, seen = 0); x = 2; return 0; }
int main(void) { RUN(first, second, third); }""",
    "a thread that is created late": """
static void *late(void *unused) { if (RACY) x = 1; SECTION(n, y++); return 0; }
static void *creates(void *unused) {
    pthread_t id;
    SECTION(o, turn++);
    SECTION(m, turn = seen);
    if (turn) { pthread_create(&id, 0, late, 0); pthread_join(id, 0); }
    return 0;
}
static void *other(void *unused) { SECTION(m, seen = 1); SECTION(n, y++); x = 2; return 0; }
int main(void) { RUN(creates, other); }""",
    "a wait": """
static void *waits(void *unused) {
    SECTION(m, while (!turn) pthread_cond_wait(&c, &m));
    x = 1;
    return 0;
}
static void *wakes(void *unused) {
    SECTION(o, y++);
    SECTION(m, turn = 1; pthread_cond_signal(&c); pthread_mutex_lock(&n); seen++; pthread_mutex_unlock(&n));
    if (RACY) x = 2;
    return 0;
}
static void *other(void *unused) { SECTION(n, seen++); SECTION(o, y++); return 0; }
int main(void) { RUN(waits, wakes, other); }""",
    "a semaphore": """
static sem_t s;
static void *waits(void *unused) { SECTION(o, y++); sem_wait(&s); x = 1; return 0; }
static void *posts(void *unused) { SECTION(n, seen++); sem_post(&s); if (RACY) x = 2; return 0; }
static void *other(void *unused) { SECTION(m, turn++); SECTION(m, turn++); return 0; }
int main(void) { sem_init(&s, 0, 0); RUN(waits, posts, other); }""",
    "joined": """
static void *works(void *unused) { SECTION(n, y++); if (RACY) x = 1; return 0; }
static void *other(void *unused) { SECTION(o, turn++); x = 2; SECTION(o, turn++); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, works, 0);
    pthread_join(a, 0);
    pthread_create(&a, 0, other, 0); pthread_create(&b, 0, works, 0);
    SECTION(m, seen++);
    pthread_join(a, 0); pthread_join(b, 0);
}""",
    "an input": """
static void *asks(void *unused) { SECTION(o, turn++); if (__VERIFIER_nondet_bool()) x = 1; return 0; }
static void *other(void *unused) { SECTION(n, y++); SECTION(n, y++); if (RACY) x = 2; return 0; }
int main(void) { RUN(asks, other); }""",
    "an atomic section": """
static void *first(void *unused) {
    SECTION(o, turn++);
    __VERIFIER_atomic_begin(); y = 1; seen = 1; __VERIFIER_atomic_end();
    return 0;
}
static void *second(void *unused) {
    SECTION(n, (void)0);
    __VERIFIER_atomic_begin(); int mine = y && !seen; __VERIFIER_atomic_end();
    if (mine || RACY) x = 1;
    return 0;
}
static void *third(void *unused) { SECTION(m, (void)0); x = 2; return 0; }
int main(void) { RUN(first, second, third); }""",
}


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return lambda text, *flags: load_text(text, tmp_path, *flags)


def _races(subject: Subject, learning: int) -> set[tuple[int, ...]]:
    found = host_run(subject, "states", find_all=True, persistent=learning)
    assert found.end == "complete"
    return {tuple(sorted(map(int, race.accesses))) for race in of_kind(found.records, RaceRecord)}


QUICK = ("put off for ever",)


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in PROGRAMS])
def test_no_race_is_missed(load: Load, name: str) -> None:
    for racy in (1, 0):
        subject = load(HEAD + PROGRAMS[name], f"-DRACY={racy}")
        every = _races(subject, 0)
        assert bool(every) == bool(racy)
        for learning in (1, 5, 30):
            assert _races(subject, learning) == every, learning


OWN = """
#define N 4
static pthread_mutex_t locks[N + 1];
static int data[N + 1];
static void *works(void *at) {
    int me = (int)(intptr_t)at;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[me + NEXT]);
        data[me + NEXT]++;
        pthread_mutex_unlock(&locks[me + NEXT]);
    }
    return 0;
}
int main(void) {
    for (int i = 0; i <= N; i++) pthread_mutex_init(&locks[i], 0);
    RUN(works, works, works, works);
}
"""


def test_threads_with_data_of_their_own_are_tried_one_by_one(load: Load) -> None:
    """All combinations of where four threads stand, or one thread behind the other."""
    subject = load(OWN, "-DNEXT=0")
    every, few = (host_run(subject, "states", persistent=on, symmetry=False).stats() for on in (0, 40))
    assert every["states"] > 5**4
    assert few["states"] < 60
    assert few["reduced"] > 0


DEADLOCK = """
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER, own[2] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x;
#define BUSY(me) for (int i = 0; i < 3; i++) { pthread_mutex_lock(&own[me]); pthread_mutex_unlock(&own[me]); }
static void both(pthread_mutex_t *p, pthread_mutex_t *q) {
    pthread_mutex_lock(p); pthread_mutex_lock(q); x++; pthread_mutex_unlock(q); pthread_mutex_unlock(p);
}
static void *first(void *unused) { BUSY(0) both(&left, &right); BUSY(0) return 0; }
static void *second(void *unused) {
    BUSY(1)
    if (CROSSED) both(&right, &left); else both(&left, &right);
    BUSY(1)
    return 0;
}
int main(void) { RUN(first, second); }
"""


@pytest.mark.parametrize("crossed", [0, 1])
def test_deadlocks_stay(load: Load, crossed: int) -> None:
    subject = load(DEADLOCK, f"-DCROSSED={crossed}")
    runs = [host_run(subject, "states", deadlocks=True, find_all=True, persistent=on) for on in (0, 5)]
    kinds = [{record.kind for record in of_kind(run.records, OtherRecord)} for run in runs]
    assert kinds[0] == kinds[1] == ({"deadlock"} if crossed else set())
    assert runs[1].stats()["states"] < runs[0].stats()["states"]


def test_programs_that_go_round_are_searched_whole_for_deadlocks(load: Load) -> None:
    """Who waits for ever while others go on shows only where all ways out are known."""
    subject = load(HEAD + PROGRAMS["put off for ever"], "-DRACY=0")
    whole, reduced = (search(subject, "states", deadlocks=True, persistent=on).result for on in (0, 3))
    assert whole.deadlock is not None
    assert reduced.deadlock is not None
    assert whole.deadlock.verdict is reduced.deadlock.verdict
    assert whole.stats["states"] == reduced.stats["states"]
