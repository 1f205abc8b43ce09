"""A construct that an engine does not understand takes nothing from what it cannot reach: a counter under a lock, or
the nodes of a list, stay proved by each engine alone.

Not listed for an engine is what it leaves open by design: `bmc` proves up to where such a construct begins, and
`shapes` relies on no lock where threads may end at any point.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import lockset, petri, shapes, transactions
from raceproof.core import Budget
from raceproof.facts import analyse, describe_location, race_pairs
from raceproof.frontend import Cache, from_files, load
from raceproof.model import ConcurrentProgram, EngineResult, ObjectKind, RacePair, Verdict

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
    "a recursion beside the list": ("static int f(int n) { if (n) f(n - 1); return x; }", "f(5)", "", ""),
    "sorting": (
        "static int by(const void *a, const void *b) { x++; return *(int *)a - *(int *)b; }", "",
        "int v[] = {2, 1}; qsort(v, 2, sizeof *v, by)", "x = 3",
    ),
    "a jump beside the list": (
        "static void f(jmp_buf j) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); longjmp(j, 1); }",
        "jmp_buf j; if (!setjmp(j)) f(j)", "", "",
    ),
}  # fmt: skip


LIST = """
struct node {{ struct node *next; int n; }} *head;
static void put(void) {{
    struct node *n = malloc(sizeof *n);
    if (!n) return;
    n->n = 1;
    pthread_mutex_lock(&m); n->next = head; head = n; pthread_mutex_unlock(&m);
}}
static void bump_list(void) {{
    pthread_mutex_lock(&m);
    struct node *n = head;
    if (n) head = n->next;
    pthread_mutex_unlock(&m);
    if (n) {{ n->n++; free(n); }}
}}
"""


def _lockset(cp: ConcurrentProgram, pairs: list[RacePair]) -> EngineResult:
    return lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited())


def _petri(cp: ConcurrentProgram, pairs: list[RacePair]) -> EngineResult:
    return petri.run(cp, pairs, petri.PetriOptions(), Budget.unlimited())


def _transactions(cp: ConcurrentProgram, pairs: list[RacePair]) -> EngineResult:
    return transactions.run(cp, pairs, transactions.TransactionsOptions(), Budget.unlimited())


def _facts(name: str, program: str, tmp_path: Path) -> ConcurrentProgram:
    before, inside, first, meanwhile = CONSTRUCTS[name]
    file = tmp_path / "program.c"
    file.write_text(program.format(before=before, inside=inside, first=first, meanwhile=meanwhile))
    return analyse(load(from_files([file], ("-w",)), cache=Cache(None)), Budget.unlimited())


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_an_unrelated_pair_is_proved(name: str, tmp_path: Path) -> None:
    cp = _facts(name, PROGRAM, tmp_path)
    pairs = [pair for pair in race_pairs(cp) if describe_location(cp, pair.target) == "unrelated"]
    assert pairs
    for engine in (_lockset, _petri, _transactions):
        if name == "recursion" and engine is _transactions:
            continue  # takes half a minute
        found = engine(cp, pairs)
        assert all(finding.verdict is Verdict.RACE_FREE for finding in found.findings), engine.__name__


@pytest.mark.parametrize(
    "name",
    [
        "setjmp",
        "recursion",
        "a signal handler",
        "an unknown callback",
        "a mutex with a ceiling",
        "an unknown function with another lock",
        "a recursion beside the list",
        "sorting",
        "a jump beside the list",
    ],
)
def test_the_nodes_of_an_unrelated_list_are_proved(name: str, tmp_path: Path) -> None:
    program = PROGRAM.replace("static void bump(void)", LIST + "static void bump(void)")
    program = program.replace("bump(); {inside}; bump();", "put(); {inside}; bump_list();")
    cp = _facts(name, program.replace("    bump();\n", "    put();\n    bump_list();\n", 1), tmp_path)
    pairs = [pair for pair in race_pairs(cp) if cp.objects[pair.target.object].kind is ObjectKind.HEAP]
    found = shapes.run(cp, pairs, shapes.ShapesOptions(), Budget.unlimited())
    assert found.findings
    assert all(finding.verdict is Verdict.RACE_FREE for finding in found.findings)
