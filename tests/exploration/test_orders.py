"""Orders that only a reversal finds, whoever is created first: each program has one race, which all searches must
execute, and `optimal` needs as many executions as there are classes of equivalent ones."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from differential.preamble import as_source

from exploration.families import Specimen
from exploration.judging import Plan, judge
from exploration.plans import classes_of, searches_of, without_hunts
from exploration.searches import Limits

LIMITS = Limits(executions=60_000, seconds=20.0)

PROGRAMS = {
    "an exchange that fails does not hide the store before it": """
static atomic_int a;
static int x;
static void *t1(void *arg) { if (atomic_load(&a) == 0) x = 1; return arg; }
static void *t2(void *arg) {
  int expected = 0;
  atomic_store(&a, 1);
  atomic_compare_exchange_strong(&a, &expected, 2);
  return arg;
}
""",
    "an exchange that fails would not fail earlier": """
static atomic_int a, first, second;
static int x;
static void exchange(atomic_int *result, int from, int to) {
  int seen = from;
  atomic_compare_exchange_strong(&a, &seen, to);
  atomic_store_explicit(result, seen, memory_order_relaxed);
}
static void *t1(void *arg) { exchange(&first, 2, 1); return arg; }
static void *t2(void *arg) {
  int seen = 1;
  if (atomic_compare_exchange_strong(&a, &seen, 2)) return arg;
  seen = 0;
  if (!atomic_compare_exchange_strong(&a, &seen, 3) && seen == 1) x = 1;
  return arg;
}
static void *t3(void *arg) { exchange(&second, 0, 2); return arg; }
""",
    "a try to write that a reader makes fail": """
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static void *t1(void *arg) {
  pthread_rwlock_rdlock(&w);
  pthread_rwlock_unlock(&w);
  if (pthread_rwlock_trywrlock(&w) != 0) x = 1;
  return arg;
}
static void *t2(void *arg) { pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w); return arg; }
""",
    "a writer before readers that never let go": """
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static void *t1(void *arg) { pthread_rwlock_rdlock(&w); return arg; }
static void *t2(void *arg) { pthread_rwlock_rdlock(&w); return arg; }
static void *t3(void *arg) { pthread_rwlock_wrlock(&w); x = 1; return arg; }
""",
    "a signal for either of two that wait": """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, go, done, x;
static void *t1(void *arg) {
  pthread_mutex_lock(&m);
  waiting++;
  while (!go) pthread_cond_wait(&c, &m);
  done = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return arg;
}
static void *t2(void *arg) {
  int late;
  pthread_mutex_lock(&m);
  waiting++;
  while (!go) pthread_cond_wait(&c, &m);
  late = done;
  pthread_mutex_unlock(&m);
  if (!late) x = 1;
  return arg;
}
static void *t3(void *arg) {
  pthread_mutex_lock(&m);
  if (waiting == 2) {
    go = 1;
    pthread_cond_signal(&c);
  }
  pthread_mutex_unlock(&m);
  return arg;
}
""",
    "an atomic section behind a store": """
static atomic_int a;
static int x;
static void *t1(void *arg) {
  int seen;
  __VERIFIER_atomic_begin();
  seen = atomic_load(&a);
  __VERIFIER_atomic_end();
  if (seen) x = 1;
  return arg;
}
static void *t2(void *arg) { atomic_store(&a, 1); return arg; }
""",
    "an initialiser that somebody else runs": """
static pthread_once_t o = PTHREAD_ONCE_INIT;
static atomic_int a;
static int x;
static void init(void) { atomic_store(&a, 1); }
static void *t1(void *arg) { pthread_once(&o, init); return arg; }
static void *t2(void *arg) {
  int before = atomic_load(&a);
  pthread_once(&o, init);
  if (before) x = 1;
  return arg;
}
""",
    "a thread that the one to be tried needs": """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int f, g, x;
static void *t1(void *arg) {
  pthread_mutex_lock(&m);
  f = 1;
  pthread_mutex_unlock(&m);
  return arg;
}
static void *t2(void *arg) {
  pthread_mutex_lock(&m);
  int seen = f;
  pthread_mutex_unlock(&m);
  if (seen) {
    pthread_mutex_lock(&n);
    g = 1;
    pthread_mutex_unlock(&n);
  }
  return arg;
}
static void *t3(void *arg) {
  pthread_mutex_lock(&n);
  int seen = g;
  pthread_mutex_unlock(&n);
  if (seen) x = 1;
  return arg;
}
""",
    "the same with atomics": """
static atomic_int f, g;
static int x;
static void *t1(void *arg) { atomic_store(&f, 1); return arg; }
static void *t2(void *arg) { if (atomic_load(&f)) atomic_store(&g, 1); return arg; }
static void *t3(void *arg) { if (atomic_load(&g)) x = 1; return arg; }
""",
    "a try that its own lock makes fail": """
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int a;
static int x;
static void *t1(void *arg) {
  pthread_rwlock_tryrdlock(&w);
  pthread_rwlock_trywrlock(&w);
  return arg;
}
static void *t2(void *arg) { if (pthread_rwlock_trywrlock(&w) != 0) atomic_store(&a, 2); return arg; }
static void *t3(void *arg) { atomic_load(&a); atomic_store(&a, 1); x = 1; return arg; }
""",
}


def _orders() -> list[tuple[str, tuple[int, ...]]]:
    return [
        (name, order)
        for name, text in PROGRAMS.items()
        for order in itertools.permutations(range(1, text.count("static void *t") + 1))
    ]


@pytest.mark.parametrize(("name", "order"), _orders())
def test_the_race_is_executed(name: str, order: tuple[int, ...], tmp_path: Path) -> None:
    creations = "\n".join(f"  pthread_create(&id, 0, t{number}, 0);" for number in order)
    main = f"int main(void) {{\n  pthread_t id;\n{creations}\n  x = 2;\n  return 0;\n}}\n"
    whole = Specimen("loose", 0, as_source(PROGRAMS[name] + main))
    searches = searches_of(whole)
    plan = Plan((*searches, *classes_of(whole), *without_hunts(searches)), narrowed=True)
    found = judge(whole, plan, tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert found.is_complete
    assert len(found.races) == 1


ALIKE = {
    "a mutex that its owner takes again": """
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *t1(void *arg) { pthread_mutex_trylock(&m); pthread_mutex_unlock(&m); return arg; }
static void *t2(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_mutex_trylock(&m);
  pthread_mutex_unlock(&m);
  return arg;
}
""",
    "a mutex that is not given to whoever unlocks it": """
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static void *t1(void *arg) { pthread_mutex_unlock(&m); return arg; }
static void *t2(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_trylock(&m);
  pthread_mutex_unlock(&m);
  return arg;
}
""",
    "an array that is sorted": """
static int numbers[6] = {5, 2, 8, 1, 9, 3};
static int compare(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }
static void *t1(void *arg) { qsort(numbers, 6, sizeof numbers[0], compare); return arg; }
static void *t2(void *arg) { numbers[0] = 0; return arg; }
""",
    "a string that the library makes, in a process for each execution": """
extern int sscanf(const char *, const char *, ...);
static char *word;
__attribute__((constructor)) static void make(void) { sscanf("hello", "%ms", &word); }
static void *t1(void *arg) { word[0] = 'a'; return arg; }
static void *t2(void *arg) { word[0] = 'b'; return arg; }
""",
}


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
@pytest.mark.parametrize("name", list(ALIKE))
def test_what_others_do_not_see_makes_no_class(name: str, order: tuple[int, ...], tmp_path: Path) -> None:
    creations = "\n".join(f"  pthread_create(&id, 0, t{number}, 0);" for number in order)
    whole = Specimen("loose", 0, as_source(ALIKE[name] + f"int main(void) {{\n  pthread_t id;\n{creations}\n}}\n"))
    found = judge(whole, Plan((*searches_of(whole), *classes_of(whole))), tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert found.is_complete
    assert found.outcomes["optimal"].executions == found.outcomes["classes"].classes
