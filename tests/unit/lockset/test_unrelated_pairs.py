"""A construct that is not understood takes nothing from what it cannot reach: a counter under a lock stays proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import lockset
from raceproof.core import Budget
from raceproof.facts import analyse, describe_location, race_pairs
from raceproof.frontend import Cache, from_files, load
from raceproof.model import Verdict

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int unrelated, x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void bump(void) {{ pthread_mutex_lock(&m); unrelated++; pthread_mutex_unlock(&m); }}
{before}
static void *worker(void *arg) {{ bump(); {inside}; bump(); return arg; }}
int main(void) {{
    pthread_t a, b;
    {first};
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    bump();
    {meanwhile};
    bump();
    return 0;
}}
"""
CONSTRUCTS = {
    "assembly": ("", "", "", '__asm__ volatile("frob %0" : "+m"(x) : : "memory")'),
    "assembly in a thread": ("", '__asm__ volatile("incl x(%%rip); frob" : : : "memory")', "", "x = 1"),
    "setjmp": ("static jmp_buf j;", "", "", "if (!setjmp(j)) longjmp(j, 1)"),
    "cancellation": ("", "pause()", "", "pthread_cancel(a)"),
    "a thread that ends itself": ("", "if (x) pthread_exit(0)", "", "x = 1"),
    "recursion": ("static int f(int n) { bump(); return n < 2 ? n : f(n - 1) + f(n - 2); }", "f(5)", "", "f(3)"),
    "a constructor": ("__attribute__((constructor)) static void c(void) { x = 3; }", "", "", "x++"),
    "a destructor": ("__attribute__((destructor)) static void d(void) { x = 3; }", "x = 2", "", ""),
    "a signal handler": ("static void h(int s) { x++; }", "", "signal(SIGINT, h)", "x = 2"),
    "a handler that is defined nowhere": ("void handler(int);", "", "", "signal(SIGINT, handler)"),
    "an unknown callback": ("void each(void (*)(int)); static void c(int n) { x += n; }", "each(c)", "", "each(c)"),
    "an unknown callback at any time": (
        "void on_timer(void (*)(int)); static void c(int n) { x += n; }", "", "", "on_timer(c)",
    ),
    "variadic functions": (
        "static int sum(int n, ...) { va_list v; va_start(v, n); int s = 0; while (n--) s += va_arg(v, int);"
        "va_end(v); return s; }", "x = sum(2, 1, 2)", "", "x = sum(0)",
    ),
    "a thread that is defined nowhere": (
        "void *outside(void *);", "", "", "pthread_t c; pthread_create(&c, 0, outside, &x); x = 2",
    ),
    "a destructor of the library": (
        "static pthread_key_t k;", "pthread_setspecific(k, malloc(3))", "pthread_key_create(&k, free)", "",
    ),
    "two names of a variable": ("extern char **environ, **__environ;", "x = environ != 0", "", "x = __environ != 0"),
    "an unknown function with another lock": (
        "void outside(pthread_mutex_t *); static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n)", "", "outside(&n)",
    ),
    "a mutex with a ceiling": (
        "", "", "",
        "pthread_mutexattr_t t; pthread_mutexattr_init(&t); pthread_mutexattr_setprotocol(&t, PTHREAD_PRIO_PROTECT);"
        "pthread_mutex_t n; pthread_mutex_init(&n, &t); pthread_mutex_lock(&n); x = 1; pthread_mutex_unlock(&n)",
    ),
    "the lock of a stream in a variable": (
        "static FILE *f;", "flockfile(f); putc_unlocked(1, f); funlockfile(f)", "f = stdout", "",
    ),
    "functions of an array that nobody sets": (
        "static void (*f[4])(void);", "if (f[x]) f[x]()", "", "memset(f, 0, sizeof f)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_an_unrelated_pair_is_proved(name: str, tmp_path: Path) -> None:
    before, inside, first, meanwhile = CONSTRUCTS[name]
    file = tmp_path / "program.c"
    file.write_text(PROGRAM.format(before=before, inside=inside, first=first, meanwhile=meanwhile))
    cp = analyse(load(from_files([file], ("-w",)), cache=Cache(None)), Budget.unlimited())
    pairs = [pair for pair in race_pairs(cp) if describe_location(cp, pair.target) == "unrelated"]
    assert pairs
    found = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    assert all(finding.verdict is Verdict.RACE_FREE for finding in found)
