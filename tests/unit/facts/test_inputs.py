"""Which inputs a program has, and which of them can matter."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.handmade import program

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.facts.influence import walk
from raceproof.facts.library.input_functions import input_kind
from raceproof.facts.library.libc import EFFECTS
from raceproof.facts.library.sync_api import SYNC_OPS
from raceproof.model import InputKind

HEADERS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int shared; pthread_t id; pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *argument) { (void)argument; shared = 1; return 0; }
"""


def inputs_of(text: str, tmp_path: Path) -> list[str]:
    file = tmp_path / "program.c"
    file.write_text(HEADERS + text, encoding="utf-8")
    cp = facts.analyse(frontend.load(frontend.from_files([file])), Budget.unlimited())
    assert cp.inputs is not None
    return [given.what for given in cp.inputs]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("getenv", InputKind.ENVIRONMENT), ("localtime", InputKind.ENVIRONMENT)),
        *(("scanf", InputKind.STREAM), ("__isoc99_scanf", InputKind.STREAM), ("fopen64", InputKind.STREAM)),
        *(("read", InputKind.STREAM), ("recv", InputKind.STREAM), ("getchar", InputKind.STREAM)),
        *(("time", InputKind.CLOCK), ("llvm.x86.rdtsc", InputKind.CLOCK)),
        *(("rand", InputKind.RANDOM), ("getrandom", InputKind.RANDOM)),
        *(("getpid", InputKind.SYSTEM), ("sysconf", InputKind.SYSTEM), ("access", InputKind.STREAM)),
        *(("getopt", InputKind.ARGUMENTS), ("llvm.returnaddress.p0", InputKind.ADDRESSES)),
        *(("nobody_knows_it", InputKind.UNKNOWN), ("deflate", InputKind.SYSTEM)),
        *(
            ("printf", None),
            ("__printf_chk", None),
            ("strtol", None),
            ("malloc", None),
            ("llvm.memcpy.p0.p0.i64", None),
        ),
        *(("pthread_mutex_lock", None), ("qsort", None), ("sqrt", None), ("__VERIFIER_nondet_int", None)),
    ],
)
def test_what_a_function_gives(name: str, kind: InputKind | None) -> None:
    assert input_kind(name, program()) is kind


def test_functions_of_the_system_are_inputs_unless_they_are_known_to_give_nothing() -> None:
    """A row that somebody adds to a table is an input until somebody says that it is none."""
    none = {name for name in EFFECTS if input_kind(name, program()) is None}
    suspicious = {
        name
        for name in none - SYNC_OPS.keys()
        for word in ("read", "recv", "getenv", "stat", "dir", "wait", "getu", "getp", "gett", "rand", "open", "time")
        if word in name
    }
    assert (
        suspicious
        == {
            *(
                "asctime",
                "asctime_r",
                "difftime",
                "gmtime",
                "gmtime_r",
                "timegm",
                "timingsafe_bcmp",
                "timingsafe_memcmp",
            ),
            *("fmemopen", "open_memstream", "open_wmemstream", "openlog", "dirname", "srand", "srandom", "srandom_r"),
            *("srand48", "srand48_r", "fegetenv", "malloc_stats", "llvm.threadlocal.address"),
            *("atomic_thread_fence", "_pthread_cleanup_push", "_pthread_cleanup_pop"),
            *(name for name in none if name.startswith(("pthread", "__pthread", "thrd", "mtx", "cnd", "sem_", "tss_"))),
        }
        & suspicious
    )


THREADS = "pthread_create(&id, 0, worker, 0); pthread_join(id, 0);"


@pytest.mark.parametrize(
    "body",
    [
        f"{THREADS} return shared;",
        # the clock is printed, whatever becomes of it on the way
        f'time_t t = time(0); {THREADS} printf("%ld\\n", (long)(time(0) - t));',
        f"struct timespec a, b; clock_gettime(0, &a); {THREADS} clock_gettime(0, &b);"
        ' double d = b.tv_sec - a.tv_sec; printf("%s: %f\\n", "took", d);',
        f'srand(time(0)); int r[3]; for (int i = 0; i < 3; i++) r[i] = rand(); {THREADS} printf("%d", r[1]);',
        f"static struct {{ pthread_mutex_t m; long took; }} s; s.took = clock(); pthread_mutex_lock(&s.m); {THREADS}",
        # addresses that stay what they are
        f'char text[8]; char *p = text; while (p < text + 8) *p++ = 0; {THREADS} printf("%p %d", p, (int)(p - text));',
        f"{THREADS} uintptr_t n = (uintptr_t)&shared; *(int *)n = 3;",
        f"{THREADS} if (pthread_self() == id || pthread_equal(id, pthread_self())) shared = 2;",
        f"{THREADS} if ((uintptr_t)&shared != 0 && (uintptr_t)&shared != (uintptr_t)&id) shared = 2;",
    ],
)
def test_a_program_without_input(body: str, tmp_path: Path) -> None:
    assert inputs_of(f"int main(void) {{ {body} }}", tmp_path) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (time(0) % 2) shared = 1;", ["time"]),
        ("int a[9]; a[rand() % 9] = 1;", ["rand"]),
        ("static long kept; kept = clock(); if (kept) shared = 1;", ["clock"]),
        ("struct timespec t; clock_gettime(0, &t); long n = t.tv_nsec; while (n-- > 0) shared++;", ["clock_gettime"]),
        ("void *p = malloc(getpid());  free(p);", ["getpid"]),
        ('printf("%.*s", (int)time(0), "text");', ["time"]),
        ("switch (sysconf(1)) { case 1: shared = 1; }", ["sysconf"]),
        ("struct timespec t; clock_gettime(0, &t); pthread_mutex_timedlock(&mutex, &t);", ["clock_gettime"]),
        ("if ((uintptr_t)&shared & 64) shared = 1;", ["an address as a number"]),
        ("static uintptr_t kept; kept = (uintptr_t)&shared; if (kept % 3) shared = 1;", ["an address as a number"]),
        ("int *p = malloc(4); if ((uintptr_t)p % 32) shared = 1; free(p);", ["an address as a number"]),
        ("if ((char *)&shared < (char *)&id) shared = 1;", ["the order of two addresses"]),
        ("if (((unsigned long)pthread_self() >> 4) & 1) shared = 1;", ["the id of a thread as a number"]),
        ("if (((unsigned long)id >> 12) & 1) shared = 1;", ["the id of a thread as a number"]),
        ('if (getenv("MODE")) shared = 1;', ["getenv"]),
        ('scanf("%d", &shared);', ["__isoc99_scanf"]),
        ("extern char **environ; if (environ[0]) shared = 1;", ["environ"]),
        ("extern int other(void); other();", ["other"]),
        ('FILE *f = fopen("x", "r"); if (f) shared = 1;', ["fopen"]),
    ],
)
def test_an_input_that_can_matter(body: str, expected: list[str], tmp_path: Path) -> None:
    found = inputs_of(f"int main(void) {{ {THREADS} {body} }}", tmp_path)
    assert sorted(set(found)) == expected


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        ("int main(int argc, char **argv) { return 0; }", []),
        ("int main(int argc, char **argv) { (void)argc; (void)argv; return 0; }", []),
        ("int main(int argc, char **argv) { if (argc > 1) shared = 1; return 0; }", ["argc"]),
        ("int main(int argc, char **argv) { puts(argv[0]); return 0; }", ["argv"]),
        (
            "int begin(int n, char **v) { return n; } int main(int argc, char **argv) { return begin(argc, argv); }",
            ["n"],
        ),
        ("int begin(int n) { return 0; } int main(int argc, char **argv) { return begin(argc); }", []),
        ("__attribute__((constructor)) void c(void) { shared = 1; } int main(int argc, char **argv) { return 0; }", []),
        ("int unused(void) { return getpid() ? 1 : 2; } int main(void) { return 0; }", []),
    ],
)
def test_arguments_and_code_that_is_not_reached(main: str, expected: list[str], tmp_path: Path) -> None:
    assert inputs_of(main, tmp_path) == expected


def test_in_a_program_that_is_too_large_every_value_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_DEFINITIONS", 2)
    found = inputs_of(f'int main(void) {{ {THREADS} printf("%ld", (long)time(0)); }}', tmp_path)
    assert sorted(found) == [walk.TOO_LARGE, "time"]
