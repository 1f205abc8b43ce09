"""Pruning in the native search, by programs in which a wrong answer about what may still come shows.

Each race hides behind the order in which two threads first take `m`: the first execution does not show it, and a search
that goes back to too few states proves its absence. The first access is behind a hint that is there only between two
steps of a third thread, so that no hunt for a race comes to it. What is protected all along needs one execution.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import Subject, load, search

PRELUDE = """#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
#define read_lock pthread_rwlock_rdlock
#define write_lock pthread_rwlock_wrlock
#define rw_unlock pthread_rwlock_unlock
#define meet() (lock(&m), unlock(&m))
#define MUTEX PTHREAD_MUTEX_INITIALIZER
static pthread_mutex_t a = MUTEX, b = MUTEX, m = MUTEX, n = MUTEX;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int x, y, told, chosen;
static void inside(void) { lock(&b); unlock(&b); }
static void leave(void) { lock(&b); unlock(&b); unlock(&a); }
static void leave_shared(void) { lock(&b); unlock(&b); rw_unlock(&r); }
static void enter(void) { lock(&b); unlock(&b); lock(&a); }
static void deep(int n) { if (n > 0) deep(n - 1); else inside(); }
static void inner(void) { inside(); }
static void outer(void) { inner(); }
static pthread_mutex_t many[300];
static void take_many(void) { for (int i = 0; i < 300; i++) lock(&many[i]); inside(); }
static atomic_int flag;
static void tell(void) { lock(&n); told = 1; unlock(&n); }
static void hint(void) { tell(); lock(&n); told = 0; unlock(&n); }
static int is_told(void) { lock(&n); int now = told; unlock(&n); return now; }
static pthread_t started(void *(*f)(void *)) { pthread_t id; pthread_create(&id, 0, f, 0); return id; }
"""
THREADS = """
static void *f(void *p) { %s return p; }
static void *g(void *p) { %s return p; }
static void *h(void *p) { %s return p; }
int main(void) {
    pthread_t ids[3];
    pthread_create(&ids[0], 0, f, 0);
    pthread_create(&ids[1], 0, g, 0);
    pthread_create(&ids[2], 0, h, 0);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], 0);
    return 0;
}
"""
RACES = {
    "nothing is held": ("x = 1;", "x = 2;"),
    "both only read-lock": ("read_lock(&r); x = 1; rw_unlock(&r);", "read_lock(&r); x = 2; rw_unlock(&r);"),
    "two locks": ("lock(&a); x = 1; unlock(&a);", "lock(&b); x = 2; unlock(&b);"),
    "a lock that was given back": ("lock(&a); inside(); unlock(&a); x = 1;", "lock(&a); x = 2; unlock(&a);"),
    "a lock that a callee gives back": ("lock(&a); leave(); x = 1;", "lock(&a); x = 2; unlock(&a);"),
    "a shared lock that was given back": (
        "read_lock(&r); inside(); rw_unlock(&r); x = 1;",
        "write_lock(&r); x = 2; rw_unlock(&r);",
    ),
    "a shared lock that a callee gives back": (
        "read_lock(&r); leave_shared(); x = 1;",
        "write_lock(&r); x = 2; rw_unlock(&r);",
    ),
    "only one of the two holds the lock that it holds now": (
        "lock(&a); inside(); x = 1; unlock(&a);",
        "inside(); x = 2;",
    ),
    "behind calls within calls": ("deep(5); outer(); x = 1;", "x = 2;"),
    "below more calls than are kept": ("deep(300); x = 1;", "x = 2;"),
    "with more locks than are kept": ("take_many(); x = 1;", "x = 2;"),
}
OTHERS = {
    "behind a loop that waits": (
        "if (is_told()) { while (!flag) ; x = 1; } meet();",
        "flag = 1; meet(); x = 2;",
        "hint();",
    ),
    "in both orders that are not taken at first": (
        "meet(); if (is_told()) x = 1;",
        "if (is_told()) x = 2; meet();",
        "hint();",
    ),
    "the lock decides what comes behind it": (
        "lock(&m); chosen = 1; unlock(&m); x = 1;",
        "lock(&m); int now = chosen; unlock(&m); if (!now) { tell(); inside(); x = 2; }",
        "if (is_told()) inside();",
    ),
}
CREATED = {
    "with a thread that is created later": """
static void *g(void *p) { x = 2; return p; }
static void *f(void *p) { if (is_told()) x = 1; meet(); return p; }
static void *h(void *p) { hint(); return p; }
int main(void) {
    pthread_t s = started(f), t = started(h);
    meet();
    pthread_t u = started(g);
    pthread_join(s, 0), pthread_join(t, 0), pthread_join(u, 0);
    return 0;
}
""",
    "between two threads of one function, created later by others": """
static void *g(void *p) { x++; return p; }
static void *f(void *p) { meet(); pthread_t t = started(g); meet(); pthread_join(t, 0); return p; }
static void *h(void *p) { meet(); pthread_t t = started(g); pthread_join(t, 0); return p; }
int main(void) {
    pthread_t s = started(f), t = started(h);
    pthread_join(s, 0), pthread_join(t, 0);
    return 0;
}
""",
    "of the creator with what it creates": """
static void *g(void *p) { meet(); x = 2; return p; }
int main(void) {
    pthread_t t = started(g);
    x = 1;
    meet();
    pthread_join(t, 0);
    return 0;
}
""",
}
WITHOUT = {
    "the same lock": ("lock(&a); x = 1; unlock(&a); meet();", "meet(); lock(&a); x = 2; unlock(&a);"),
    "readers and a writer": (
        "write_lock(&r); x = 1; rw_unlock(&r); meet();",
        "meet(); read_lock(&r); y = x; rw_unlock(&r);",
    ),
    "a reader and writers": (
        "read_lock(&r); y = x; rw_unlock(&r); meet();",
        "meet(); write_lock(&r); x = 2; rw_unlock(&r);",
    ),
    "a lock that a callee takes": ("enter(); x = 1; leave(); meet();", "meet(); enter(); x = 2; leave();"),
    "an atomic section": (
        "__VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end(); meet();",
        "meet(); __VERIFIER_atomic_begin(); x = 2; __VERIFIER_atomic_end();",
    ),
    "the last of a hundred locks": (
        "".join(f"lock(&many[{i}]);" for i in range(100)) + "x = 1; unlock(&many[99]); meet();",
        "meet(); lock(&many[99]); x = 2; unlock(&many[99]);",
    ),
    "a wait": (
        "lock(&a); while (!y) pthread_cond_wait(&c, &a); x = 1; unlock(&a);",
        "lock(&a); y = 1; x = 2; pthread_cond_signal(&c); unlock(&a);",
    ),
}

LATER = """
static void *f(void *p) { lock(&a); x++; unlock(&a); return p; }
int main(void) {
    meet();
    pthread_t s = started(f), t = started(f);
    pthread_join(s, 0), pthread_join(t, 0);
    return 0;
}
"""
TEXTS = {
    **{
        name: THREADS % (f"if (is_told()) {{ {first} }} meet();", f"meet(); {second}", "hint();")
        for name, (first, second) in RACES.items()
    },
    **{name: THREADS % parts for name, parts in OTHERS.items()},
    **CREATED,
}


def built(text: str, directory: Path) -> Subject:
    path = directory / "program.c"
    path.write_text(PRELUDE + text, encoding="utf-8")
    return load(path)


@pytest.mark.parametrize("name", TEXTS)
def test_no_race_is_pruned_away(name: str, tmp_path: Path) -> None:
    subject = built(TEXTS[name], tmp_path)
    for algorithm in ("race", "pdp"):
        found = search(subject, algorithm, max_executions=20_000)
        assert found.verdict == "race", (algorithm, found.why())


@pytest.mark.parametrize("name", [*WITHOUT, "in threads that are created later"])
def test_what_is_protected_needs_one_execution(name: str, tmp_path: Path) -> None:
    subject = built(THREADS % (*WITHOUT[name], "") if name in WITHOUT else LATER, tmp_path)
    for algorithm in ("race", "pdp"):
        found = search(subject, algorithm)
        assert (found.verdict, found.executions) == ("race-free", 1), (algorithm, found.why())


NODES = """
struct node { pthread_mutex_t lock; int v; };
static struct node *nodes[3];
static void *worker(void *p) {
    for (int i = 0; i < 3; i++) { struct node *n = nodes[i]; lock(&n->lock); n->v++; UNLOCK }
    return p;
}
int main(void) {
    for (int i = 0; i < 3; i++) nodes[i] = calloc(1, sizeof(struct node)), pthread_mutex_init(&nodes[i]->lock, 0);
    pthread_t s = started(worker), t = started(worker);
    pthread_join(s, 0), pthread_join(t, 0);
    return 0;
}
"""


def test_locks_on_the_heap_protect_what_they_stand_beside(tmp_path: Path) -> None:
    """An array of nodes, each with its lock."""
    header = "#include <stdlib.h>\n"
    subject = built(header + NODES.replace("UNLOCK", "unlock(&n->lock);"), tmp_path)
    for algorithm in ("race", "pdp", "dhtc"):
        found = search(subject, algorithm)
        assert (found.verdict, found.executions) == ("race-free", 1), (algorithm, found.why())
    racy = built(header + NODES.replace("UNLOCK", "unlock(&n->lock); n->v++;"), tmp_path)
    for algorithm in ("race", "pdp", "dhtc"):
        assert search(racy, algorithm).verdict == "race"


GIVEN = """
struct shared { pthread_mutex_t lock; pthread_rwlock_t rw; struct shared *other; int *sum; };
static struct shared *made(struct shared *other) {
    struct shared *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, 0), pthread_rwlock_init(&s->rw, 0);
    s->other = other, s->sum = &x;
    return s;
}
static void add(struct shared *s, int *sum) { lock(&s->lock); *sum += 1; unlock(&s->lock); }
static void swap(struct shared **s) { *s = (*s)->other; }
static void *f(void *p) { struct shared *k = p; %s return p; }
static void *g(void *p) { struct shared *k = p; %s return p; }
static void *h(void *p) { %s return p; }
int main(void) {
    struct shared *two[2];
    two[0] = made(0), two[1] = made(two[0]);
    void *(*start[])(void *) = {f, g, h};
    pthread_t ids[3];
    for (int i = 0; i < 3; i++) pthread_create(&ids[i], 0, start[i], two[%s]);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], 0);
    return 0;
}
"""
TOLD = "if (is_told()) {{ {} }} meet();"
HIDDEN = {
    "two objects": (TOLD.format("add(k, k->sum);"), "meet(); add(k, k->sum);", "hint();", "i % 2"),
    "another object where the thread was told": (
        TOLD.format("k = k->other; add(k, &x);"),
        "meet(); add(k, &x);",
        "hint();",
        "1",
    ),
    "one function for both objects": (
        "add(k, &y); " + TOLD.format("add(k->other, &x);"),
        "meet(); add(k, &x);",
        "hint();",
        "1",
    ),
    "through a local variable that changed": (
        TOLD.format("swap(&k); lock(&k->lock); x++; unlock(&k->lock);"),
        "meet(); add(k, &x);",
        "hint();",
        "1",
    ),
    "given back on one path": (
        "lock(&k->lock); int t = is_told(); if (t) unlock(&k->lock); x++; if (!t) unlock(&k->lock); meet();",
        "meet(); add(k, &x);",
        "hint();",
        "0",
    ),
    "both only read-lock": (
        TOLD.format("read_lock(&k->rw); x++; rw_unlock(&k->rw);"),
        "meet(); read_lock(&k->rw); x++; rw_unlock(&k->rw);",
        "hint();",
        "0",
    ),
}
OF_ARGUMENT = {
    "a mutex in what threads were given": (
        "add(k, k->sum); add(k, k->sum);",
        "add(k, k->sum); add(k, k->sum);",
        "",
        "0",
    ),
    "a reader and a writer": (
        "read_lock(&k->rw); y = x; rw_unlock(&k->rw); read_lock(&k->rw); rw_unlock(&k->rw);",
        "write_lock(&k->rw); x++; rw_unlock(&k->rw); write_lock(&k->rw); x++; rw_unlock(&k->rw);",
        "",
        "0",
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_may_be_another_lock_on_the_heap_does_not_count(name: str, tmp_path: Path) -> None:
    subject = built("#include <stdlib.h>\n" + GIVEN % HIDDEN[name], tmp_path)
    for algorithm in ("race", "pdp", "dhtc"):
        found = search(subject, algorithm, max_executions=20_000)
        assert found.verdict == "race", (algorithm, found.why())


@pytest.mark.parametrize("name", OF_ARGUMENT)
def test_locks_to_come_are_known_by_the_argument(name: str, tmp_path: Path) -> None:
    """Which object each thread is given only the run knows: no static proof, and no name in the tables."""
    subject = built("#include <stdlib.h>\n" + GIVEN % OF_ARGUMENT[name], tmp_path)
    assert set(subject.pairs) - subject.ordered
    for algorithm in ("race", "pdp", "dhtc"):
        found = search(subject, algorithm)
        assert (found.verdict, found.executions) == ("race-free", 1), (algorithm, found.why())


def test_one_lock_on_the_heap(tmp_path: Path) -> None:
    """In an object that exists once, by whatever pointer: the static proof is enough."""
    text = """
static pthread_mutex_t *heap;
static void *f(void *p) { lock(heap); x++; unlock(heap); lock(heap); x++; unlock(heap); return p; }
int main(void) {
    heap = malloc(sizeof *heap);
    pthread_mutex_init(heap, 0);
    pthread_t s = started(f), t = started(f);
    pthread_join(s, 0), pthread_join(t, 0);
    return 0;
}
"""
    for algorithm in ("race", "pdp", "dhtc"):
        found = search(built("#include <stdlib.h>\n" + text, tmp_path), algorithm)
        assert (found.verdict, found.executions) == ("race-free", 1), (algorithm, found.why())
