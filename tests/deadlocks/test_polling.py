"""Loops that only another thread can end: no static proof, whatever else the loop does; counted ones are no loss."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadlocks.test_programs import checked
from raceproof.model import CheckResult, DeadlockVerdict

HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
static atomic_int flag, flags[2];
static int plain;
static struct state { int ready, rest[4]; } state;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void get(int *value) { *value = flag; }
static int ask(void) { return flag; }
static void leave(void) { if (flag) pthread_exit(NULL); }
static void until_set(void) { if (!flag) until_set(); }
"""
MAIN = """
static void *waiter(void *arg) { long i = 0; (void)i; BODY return arg; }
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, argv);
    pthread_join(t, NULL);
    return argc > 9;
}
"""
POLLING = {
    "counts": "while (!flag) i++;",
    "counts down": "for (i = 100; !flag; i--) ;",
    "wraps": "for (unsigned char k = 0; !flag; k++) if (k > 200) k = 0;",
    "short counter": "for (unsigned char k = 0; k < 300; k++) if (flag) break;",
    "alternates": "while (!flags[i]) i ^= 1;",
    "stores": "int v; do get(&v); while (!v);",
    "asks": "while (!ask()) ;",
    "sleeps": "while (!flag) { struct timespec t = {0, 1000}; nanosleep(&t, NULL); }",
    "locks": "for (;;) { pthread_mutex_lock(&m); struct state s = state; pthread_mutex_unlock(&m); "
    "if (s.ready) break; }",
    "tries": "while (pthread_mutex_trylock(&n)) i++; pthread_mutex_unlock(&n);",
    "exchanges": "while (atomic_exchange(&flag, 1)) for (volatile int k = 0; k < 9; k++) ; flag = 0;",
    "times out": "pthread_mutex_lock(&m); while (!plain) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); "
    "pthread_cond_timedwait(&c, &m, &t); } pthread_mutex_unlock(&m);",
    "goto": "if (arg) goto middle; top: if (flags[0]) return arg; middle: if (flags[1]) return arg; goto top;",
    "recursion": "until_set();",
    "decides by way": "for (;;) { int done = 0; if (flag) done = 1; if (done) break; }",
    "has no end": "for (;;) plain++;",
    "sleeps for ever": "pthread_mutex_lock(&m); for (;;) nanosleep(&(struct timespec){1, 0}, NULL);",
    "ends in a function": "for (;;) leave();",
    "jumps by address": "void *to[] = {&&again, &&out}; again: goto *to[flag != 0]; out: ;",
    "tests its count at times": "while (!flag) { i++; if (plain && i > 10) break; }",
}
COUNTED = {
    "for": "for (int k = 0; k < 10; k++) if (flag) break;",
    "do": "int k = 0; do { if (flag) break; } while (++k < 10);",
    "down": "for (int k = 10; k > 0; k--) plain += flag;",
    "gives up": "int tries = 0; while (!flag) { if (++tries == 5) return NULL; }",
    "own": "for (unsigned long s = (unsigned long)arg; s != 1; s = s % 2 ? 3 * s + 1 : s / 2) ;",
}


def _checked(body: str, directory: Path) -> CheckResult:
    path = directory / "program.c"
    path.write_text(HEAD + MAIN.replace("BODY", body), encoding="utf-8")
    return checked(path, "lockset")


@pytest.mark.parametrize("name", POLLING)
def test_nothing_is_proved_of_a_loop_that_polls(name: str, tmp_path: Path) -> None:
    answer = _checked(POLLING[name], tmp_path).deadlock
    assert answer is not None
    assert answer.verdict is DeadlockVerdict.UNKNOWN


@pytest.mark.parametrize("name", COUNTED)
def test_a_loop_that_ends_by_itself_is_no_obstacle(name: str, tmp_path: Path) -> None:
    answer = _checked(COUNTED[name], tmp_path).deadlock
    assert answer is not None
    assert answer.verdict is DeadlockVerdict.DEADLOCK_FREE, answer.reason


RWLOCK = """
#define _GNU_SOURCE
#include <pthread.h>
static pthread_rwlock_t r;
static void *reader(void *arg) {
    pthread_rwlock_rdlock(&r); pthread_rwlock_rdlock(&r); pthread_rwlock_unlock(&r); pthread_rwlock_unlock(&r);
    return arg;
}
static void *writer(void *arg) { pthread_rwlock_wrlock(&r); pthread_rwlock_unlock(&r); return arg; }
int main(void) {
    pthread_rwlockattr_t kind;
    pthread_t t, u;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&r, &kind);
    pthread_create(&t, NULL, reader, NULL); pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL); pthread_join(u, NULL);
    return 0;
}
"""


DAEMON = """
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static int x;
static void *worker(void *arg) { x = 1; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    for (;;) WAIT
}
"""
STREAM = """
#include <pthread.h>
#include <stdio.h>
static void *worker(void *arg) { flockfile(stdout); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    puts("waits for ever");
    return 0;
}
"""


@pytest.mark.parametrize("wait", [";", "sleep(1);", "sched_yield();"])
def test_a_loop_that_reads_nothing_waits_for_nobody(wait: str, tmp_path: Path) -> None:
    """No deadlock, but no end either; for races all is said."""
    path = tmp_path / "program.c"
    path.write_text(DAEMON.replace("WAIT", wait), encoding="utf-8")
    for engines in (("explore",), ("lockset", "explore")):
        result = checked(path, *engines)
        assert result.deadlock is not None
        assert (result.deadlock.verdict, result.deadlocks) == (DeadlockVerdict.UNKNOWN, ())


@pytest.mark.parametrize("engine", ["lockset", "explore"])
def test_a_stream_may_be_locked(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(STREAM, encoding="utf-8")
    answer = checked(path, engine).deadlock
    assert answer is not None
    assert answer.verdict is DeadlockVerdict.UNKNOWN


@pytest.mark.parametrize("engine", ["lockset", "explore"])
def test_readers_may_wait_for_a_writer_that_waits(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(RWLOCK, encoding="utf-8")
    answer = checked(path, engine).deadlock
    assert answer is not None
    assert answer.verdict is DeadlockVerdict.UNKNOWN
