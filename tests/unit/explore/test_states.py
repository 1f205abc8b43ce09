"""Algorithm `states`: what is part of a state, what is not, what it refuses; that it ends where schedules do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from exploring import Searched, Subject, host_run, load_text, search

from raceproof.core import Unsupported
from raceproof.explore.protocol import BoundedRecord, of_kind
from raceproof.model import DeadlockVerdict, Scope

Load = Callable[..., Subject]

POOL = """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], head, tail, done, results[JOBS];
static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (head == tail && !done) pthread_cond_wait(&filled, &lock);
        if (head == tail) { pthread_mutex_unlock(&lock); return 0; }
        int job = queue[head++];
        pthread_mutex_unlock(&lock);
        results[SLOT] = job;
    }
}
int main(void) {
    pthread_t ids[2];
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], 0, worker, 0);
    for (int job = 0; job < JOBS; job++) {
        pthread_mutex_lock(&lock);
        queue[tail++] = job;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) pthread_join(ids[i], 0);
}
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return lambda text, *flags: load_text(text, tmp_path, *flags)


def pool(load: Load, jobs: int, slot: str = "job") -> Subject:
    return load(POOL, f"-DJOBS={jobs}", f"-DSLOT={slot}")


def states_of(found: Searched) -> int:
    return int(found.result.stats["states"])


def test_states_of_a_pool_are_few(load: Load) -> None:
    """The schedules of 8 jobs are more than any search could run; the states grow as a power of the jobs."""
    counts = []
    for jobs in (4, 8):
        found = search(pool(load, jobs), "states")
        assert found.is_proved, found.why()
        counts.append(states_of(found))
    assert counts[0] < 6000
    assert counts[1] < 2**3 * counts[0]


def test_race_of_a_pool_is_executed(load: Load) -> None:
    found = search(pool(load, 4, "job / 2 * 2"), "states")
    assert found.races, found.why()
    assert found.result.findings
    assert not found.result.stats["complete"]


def test_states_kept_whole_are_as_many(load: Load) -> None:
    subject = pool(load, 3)
    hashed, whole = (host_run(subject, "states", exact_states=exact).stats() for exact in (False, True))
    assert whole["clashes"] == 0
    assert whole["states"] == hashed["states"] > 100


def test_forgetting_states_costs_time_only(load: Load) -> None:
    subject = pool(load, 2)
    all_of_them = host_run(subject, "states").stats()
    few = host_run(subject, "states", max_states=20)
    assert few.end == "complete"
    assert few.stats()["transitions"] > all_of_them["transitions"]
    assert few.stats()["forgetting"] == 1
    racy = search(pool(load, 3, "0"), "states", max_states=20)
    assert racy.races, racy.why()


# -- one piece of state each: the way with 0 is gone first, and comes to the same scheduling point as the way with 1

PIECE = """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void stop(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
%s
static void *other(void *unused) { x = 1; return 0; }
int main(void) {
    pthread_t id;
    run();
    stop();
    pthread_create(&id, 0, other, 0);
    if (is_set()) x = 2;
    pthread_join(id, 0);
}
"""

PIECES = {
    "global": """static int g; static void run(void) { g = __VERIFIER_nondet_bool(); }
        static int is_set(void) { return g; }""",
    "byte of an array": """static char g[9]; static void run(void) { if (__VERIFIER_nondet_bool()) g[7] = 1; }
        static int is_set(void) { return g[7]; }""",
    "thread-local variable": """static __thread int g; static void run(void) { g = __VERIFIER_nondet_bool(); }
        static int is_set(void) { return g; }""",
    "heap": """static int *g; static void run(void) { g = calloc(1, sizeof *g); *g = __VERIFIER_nondet_bool(); }
        static int is_set(void) { return *g; }""",
    "which block": """static int *a, *b; static void run(void) { a = calloc(1, 4); b = calloc(1, 4); *b = 1;
        if (__VERIFIER_nondet_bool()) a = b; stop(); }  static int is_set(void) { return *a; }""",
    "errno": """static void run(void) { errno = __VERIFIER_nondet_bool() ? 5 : 0; }
        static int is_set(void) { return errno == 5; }""",
    "result of a thread": """static pthread_t g; static void *f(void *p) { return p; }
        static void run(void) { pthread_create(&g, 0, f, __VERIFIER_nondet_bool() ? &x : 0); stop(); }
        static int is_set(void) { void *r; pthread_join(g, &r); return r != 0; }""",
    "once": """static pthread_once_t g = PTHREAD_ONCE_INIT; static int n; static void f(void) { if (++n == 1) n = 0; }
        static int m; static void h(void) { m = 1; }
        static void run(void) { if (__VERIFIER_nondet_bool()) pthread_once(&g, f); }
        static int is_set(void) { pthread_once(&g, h); return !m; }""",
    "semaphore": """static sem_t g, done; static int m;
        static void *f(void *p) { sem_wait(&g); m = 1; sem_post(&done); return 0; }
        static void *e(void *p) { stop(); sem_post(&done); return 0; }
        static void run(void) { sem_init(&g, 0, 0); sem_init(&done, 0, 0); if (__VERIFIER_nondet_bool()) sem_post(&g); }
        static int is_set(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, e, 0);
          sem_wait(&done); sem_wait(&done); return m; }""",
}


@pytest.mark.parametrize(
    "piece", [n if n != "byte of an array" else pytest.param(n, marks=pytest.mark.slow) for n in PIECES]
)
def test_a_piece_of_state_tells(load: Load, piece: str) -> None:
    found = search(load(PIECE % PIECES[piece]), "states")
    assert found.races, found.why()


CHOSEN = "int v = __VERIFIER_nondet_bool();"
LOCALS = {
    "register": (f"{CHOSEN} stop(); if (v) x = 2;", ""),
    "array": ("char v[3] = {0}; v[1] = __VERIFIER_nondet_bool(); touch(v); stop(); if (v[1]) x = 2;", ""),
    "value of a loop": (
        f"{CHOSEN} for (int i = v; i < 2; i++) {{ stop(); if (i == 0) v = 7; }} if (v == 1) x = 2;",
        "",
    ),
    "caller": ("if (__VERIFIER_nondet_bool()) { stop(); x = 2; } else stop();", ""),
    "argument": ("with(__VERIFIER_nondet_bool());", "static void with(int v) { stop(); if (v) x = 2; }"),
    "depth of calls": (
        "deep(__VERIFIER_nondet_bool() ? 2 : 1, 0);",
        "static void deep(int n, int by) { if (n > 0) { deep(n - 1, by + 1); if (by == 1) x = 2; } else stop(); }",
    ),
    "two values": (
        "long v = __VERIFIER_nondet_bool(), w = __VERIFIER_nondet_bool(); stop(); stop(); if (v && !w) x = 2;",
        "",
    ),
    "result of a call": (
        "int v = chosen(); stop(); if (v) x = 2;",
        f"static int chosen(void) {{ {CHOSEN} stop(); return v; }}",
    ),
    "floating point": ("double v = __VERIFIER_nondet_bool() ? 1.5 : 0; stop(); if (v > 1) x = 2;", ""),
    "branch that meets": (f"{CHOSEN} stop(); int w = v ? 3 : 4; stop(); if (w == 3) x = 2;", ""),
    "stored sum": (f"static int kept; {CHOSEN} v += v; stop(); kept = v; stop(); if (kept == 2) x = 2;", ""),
    "pointer": (
        "int z = 0, o = 1, *v = __VERIFIER_nondet_bool() ? &o : &z; touch(&z); touch(&o); stop(); if (*v) x = 2;",
        "",
    ),
}


QUICK = ("register", "branch that meets", "depth of calls", "array")


@pytest.mark.parametrize("local", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in LOCALS])
def test_a_local_value_tells(load: Load, local: str) -> None:
    body, functions = LOCALS[local]
    text = f"""
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void touch(void *p) {{ __asm__ volatile("" : : "r"(p) : "memory"); }}
static void stop(void) {{ pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }}
{functions}
static void *one(void *unused) {{ {body} return 0; }}
static void *other(void *unused) {{ x = 1; return 0; }}
int main(void) {{ RUN(one, other); }}
"""
    found = search(load(text), "states")
    assert found.races, found.why()
    assert not search(load(text.replace("x = 2", "(void)0")), "states").races


IDLE = """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, seen_by_main;
static void *adds(void *unused) {
    int sum = 0;
    for (int i = 0; i < 3; i++) { pthread_mutex_lock(&lock); sum += x; pthread_mutex_unlock(&lock); }
    return sum > 2 ? &x : 0;
}
static void *writes(void *unused) {
    for (int i = 0; i < 3; i++) { pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock); }
    return 0;
}
int main(void) {
    pthread_t a, b;
    void *result = 0;
    pthread_create(&a, 0, adds, 0); pthread_create(&b, 0, writes, 0);
    pthread_join(b, 0);
    pthread_join(a, RESULT);
    seen_by_main = result != 0;
}
"""


def test_values_on_which_nothing_depends_do_not_tell(load: Load) -> None:
    """Unless they are asked for: by main, or by the user."""

    def count(result: str, **options: bool) -> int:
        found = host_run(load(IDLE, f"-DRESULT={result}"), "states", **options)
        assert found.end == "complete"
        return int(found.stats()["states"])

    few = count("0")
    assert few < count("0", idle_values=True)
    assert few < count("&result")


# -- programs without an end: `LOOP` is for (;;), or a few rounds

ENDLESS = {
    "ping-pong": """static int turn, data;
static void *player(void *me) {
    LOOP {
        pthread_mutex_lock(&m);
        while (turn != (int)(intptr_t)me) pthread_cond_wait(&c, &m);
        UNLOCK
        data = !data;
        LOCK
        turn = !turn;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) { RUN(player, player); }""",
    "slot": """static sem_t empty, full; static int slot, data;
static void *producer(void *unused) { LOOP { sem_wait(&empty); slot = 1; sem_post(&full); } return 0; }
static void *consumer(void *unused) { LOOP { sem_wait(&full); data = slot; sem_post(&empty); } return 0; }
int main(void) { sem_init(&empty, 0, START); sem_init(&full, 0, 0); RUN(producer, consumer); }""",
    "spinning": """static atomic_int word; static int data;
static void *f(void *unused) { LOOP { while (atomic_exchange(&word, 1)) ; data = !data; GIVE } return 0; }
int main(void) { RUN(f, f); }""",
    "nodes": """static int *box;
static void *f(void *unused) {
    LOOP { int *mine = malloc(sizeof *mine); *mine = 1; LOCK2 int *old = box; box = mine; UNLOCK2 free(old); }
    return 0;
}
int main(void) { RUN(f, f); }""",
    "rounds": """static pthread_barrier_t b; static int data[2];
static void *f(void *me) {
    LOOP { data[(int)(intptr_t)me] = 1; pthread_barrier_wait(&b); int z = data[!me]; BETWEEN (void)z; }
    return 0;
}
int main(void) { pthread_barrier_init(&b, 0, 2); RUN(f, f); }""",
}
TWINS = {
    "ping-pong": (("UNLOCK", "pthread_mutex_unlock(&m);", ""), ("LOCK", "pthread_mutex_lock(&m);", "")),
    "slot": (("START", "1", "2"),),
    "spinning": (("GIVE", "atomic_store(&word, 0);", "atomic_store(&word, 0); data = 0;"),),
    "nodes": (("LOCK2", "pthread_mutex_lock(&m);", ""), ("UNLOCK2", "pthread_mutex_unlock(&m);", "")),
    "rounds": (("BETWEEN", "pthread_barrier_wait(&b);", ""),),
}


@pytest.mark.parametrize(
    ("name", "racy"),
    [(name, False) for name in ENDLESS] + [pytest.param(name, True, marks=pytest.mark.slow) for name in ENDLESS],
)
def test_endless_as_bounded(load: Load, name: str, racy: bool) -> None:
    """The same verdict as after a few rounds, without a bound."""
    head = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
    text = head + ENDLESS[name]
    for word, right, wrong in TWINS[name]:
        text = re.sub(rf"\b{word}\b", wrong if racy else right, text)
    is_racy = racy and name != "ping-pong"  # there, both forms hold the lock or the turn
    for loop in ("for (;;)", "for (int i = 0; i < 2; i++)"):
        found = search(load(text.replace("LOOP", loop)), "states", find_all=True)
        assert bool(found.races) == is_racy, found.why()
        assert is_racy or found.is_proved, found.why()


# -- what is refused

REFUSED = {
    "try": ("", "if (!pthread_mutex_trylock(&m)) x = 1;", "may fail"),
    "weaker": ("atomic_int a;", "atomic_store_explicit(&a, 1, memory_order_relaxed); x = 1;", "weaker memory orders"),
    "keys": ("pthread_key_t k;", "x = pthread_getspecific(k) != 0;", "not part of"),
    "random": ("", "x = rand();", "`rand`"),
    "files": ("", 'FILE *g = fopen("/dev/null", "r"); x = g != 0;', "process for each"),
    "strtok": ('char t[] = "a b";', 'x = strtok(t, " ") != 0;', "`strtok`"),
    "jumps": ("jmp_buf j;", "if (!setjmp(j)) longjmp(j, 1); x = 1;", "setjmp"),
    "any size": ("", "int n = x + 2, a[n]; a[0] = x = n; hold(a); x = a[0];", "any size"),
    "before main": ("__attribute__((constructor)) void b(void) { x = 3; }", "x = 1;", "before its main"),
    "behind main": ("__attribute__((destructor)) void b(void) { x = 3; }", "x = 1;", "behind its main"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(load: Load, name: str) -> None:
    before, body, reason = REFUSED[name]
    subject = load(f"""
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
void hold(int *a) {{ pthread_mutex_lock(&m); a[0]++; pthread_mutex_unlock(&m); }}
{before}
static void *f(void *u) {{ {body} return 0; }}
int main(void) {{ RUN(f, f); }}
""")
    with pytest.raises(Unsupported, match=reason):
        search(subject, "states")


def test_a_lock_made_beside_others_bounds(load: Load) -> None:
    subject = load("""
static pthread_mutex_t m;
static int x;
static void *f(void *u) { if (u == 0) pthread_mutex_init(&m, 0); x = 1; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, &x); pthread_join(a, 0); }
""")
    reasons = [record.reason for record in of_kind(host_run(subject, "states", find_all=True).records, BoundedRecord)]
    assert any("initialised while other threads run" in reason for reason in reasons)


# -- deadlocks

CROSSED = """
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *m, pthread_mutex_t *n) {
    pthread_mutex_lock(m); pthread_mutex_lock(n); pthread_mutex_unlock(n); pthread_mutex_unlock(m);
}
static void *one(void *unused) { both(&a, &b); return 0; }
static void *two(void *unused) { both(SECOND); return 0; }
static int x;
static void *server(void *unused) { LOOP { pthread_mutex_lock(&c); x = !x; pthread_mutex_unlock(&c); } return 0; }
int main(void) { RUN(server, one, two); }
"""


@pytest.mark.parametrize(
    ("second", "loop", "verdict"),
    [
        ("&a, &b", "for (;;)", DeadlockVerdict.DEADLOCK_FREE),
        ("&b, &a", "for (int i = 0; i < 2; i++)", DeadlockVerdict.DEADLOCK),
        ("&b, &a", "for (;;)", DeadlockVerdict.UNKNOWN),  # two threads wait for ever, the third goes on
    ],
)
def test_deadlocks_beside_a_server(load: Load, second: str, loop: str, verdict: DeadlockVerdict) -> None:
    subject = load(CROSSED.replace("SECOND", second).replace("LOOP", loop))
    found = search(subject, "states", deadlocks=True).result.deadlock
    assert found is not None
    is_bounded = found.scope is Scope.BOUNDED
    assert (DeadlockVerdict.UNKNOWN if is_bounded else found.verdict) is verdict


# -- livelocks

IN_VAIN = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int ready, rounds;
static void *waiter(void *unused) {
    for (int odd = 0;; odd = !odd) {
        pthread_mutex_lock(&m); int now = ready; pthread_mutex_unlock(&m);
        WAY_OUT
        if (odd) { pthread_mutex_lock(&n); WORK pthread_mutex_unlock(&n); }
    }
}
static void *setter(void *unused) { SET return 0; }
int main(void) { RUN(waiter, setter); }
"""
USUAL = {"WAY_OUT": "if (now) return 0;"}
SET = "pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);"


@pytest.mark.parametrize(
    ("words", "is_livelock"),
    [
        ({}, True),
        ({"SET": SET}, False),  # some schedule ends
        ({"SET": "if (__VERIFIER_nondet_bool()) { " + SET + " }"}, True),  # not with that input
        ({"WORK": "rounds = !rounds;"}, False),  # it goes on for ever, but does something
        ({"WAY_OUT": ""}, False),  # it is meant to go on for ever
        ({"WAY_OUT": "if (now || __VERIFIER_nondet_bool()) return 0;"}, False),  # it waits for what comes from outside
    ],
)
def test_livelock_is_executed(load: Load, words: dict[str, str], is_livelock: bool) -> None:
    text = re.sub(r"\b(WAY_OUT|WORK|SET)\b", lambda found: words.get(found[1], USUAL.get(found[1], "")), IN_VAIN)
    result = search(load(text), "states", deadlocks=True).result
    found = [incident for incident in result.incidents if incident.kind == "livelock"]
    assert bool(found) == is_livelock
    assert all(incident.run.turns for incident in found)
    assert result.deadlock is not None
    if is_livelock:
        assert result.deadlock.verdict is DeadlockVerdict.UNKNOWN
        assert "livelock" in str(result.deadlock.evidence)
    else:
        assert result.deadlock.verdict is DeadlockVerdict.DEADLOCK_FREE
