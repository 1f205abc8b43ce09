"""Which library functions make each execution a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.explore.build import NATIVE, replaced_functions
from raceproof.explore.library_state import is_placed
from raceproof.explore.outside import allocating_scans, may_see_fp_environment, needs_fork, unseen_order
from raceproof.facts import names_of
from raceproof.model import ConcurrentProgram

OUTSIDE = """
    fopen fopen64 open openat socket connect fork vfork system popen setenv putenv unsetenv opendir mmap mkdir
    unlink rename signal sigaction pipe dup dup2 freopen freopen64 tmpfile mkstemp fmemopen
    open_memstream execve waitpid chdir umask dlopen regcomp iconv_open hcreate tsearch syslog syscall
    initstate setstate shmat a_function_of_another_library
"""


@pytest.mark.parametrize(
    "names",
    [
        "memcpy strlen strtok_r __strcpy_chk wcslen isalpha __ctype_b_loc",
        "qsort bsearch strtol __isoc23_strtol snprintf __snprintf_chk sscanf __isoc99_sscanf getenv rand_r",
        "sin sinf sinl lgamma_r __log_finite csqrt __divti3 __udivmodti4 __fixunsdfti __muldc3 __popcountdi2 __divdc3",
        "malloc free realloc strdup getline asprintf __asprintf_chk rand srand drand48 time clock_gettime usleep",
        "printf puts fprintf fwrite fflush __printf_chk scanf __isoc99_scanf __isoc23_fscanf fgets getchar",
        "exit abort __assert_fail atexit raise __VERIFIER_nondet_int __VERIFIER_assume reach_error strtok",
        "localtime strftime gettimeofday sysconf getpid read write close select poll",
        "llvm.memcpy.p0.p0.i64 llvm.va_start __atomic_load_8 __atomic_fetch_add_4 __errno_location",
        "rp_read rp_cas_done rp_lib_malloc rp_lib_printf",
    ],
)
def test_memory_is_enough(names: str) -> None:
    assert needs_fork(names.split()) == ()


@pytest.mark.parametrize(
    "name",
    OUTSIDE.split(),
)
def test_a_process_for_each_execution(name: str) -> None:
    assert needs_fork([name, "malloc", "printf"]) == (name,)


def test_a_fortified_function_is_replaced_under_its_own_name_only() -> None:
    assert "realpath" in replaced_functions()
    assert needs_fork(["__realpath_chk"]) == ("__realpath_chk",)


def test_the_result_is_sorted_and_names_the_programs_functions() -> None:
    assert needs_fork(["socket", "rp_lib_freopen", "fopen", "strlen"]) == ("fopen", "freopen", "socket")


def test_each_replacement_is_found() -> None:
    """The instrumenter looks for the name in the first line of a definition; no line may have two."""
    lines = [
        line
        for file in sorted(NATIVE.glob("libc_*.c"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.startswith("RP_LIB ")
    ]
    assert len(lines) > 250
    assert all(line.count("rp_lib_") == 1 for line in lines)


TWO_THREADS = """#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
FILE *file; int fd; char c; time_t now; struct tm tm; pthread_t me; jmp_buf back;
void bye(void) { c = 1; }
void *h(void *p) { return p; }
void start(void *(*s)(void *)) { pthread_create(&me, 0, s, 0); }
void *f(void *p) { ONE; return 0; }
void *g(void *p) { OTHER; return 0; }
int main(void) {
  pthread_t a, b; START;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("start", "one", "other", "expected"),
    [
        ("", 'open("x", O_CREAT | O_EXCL)', 'unlink("x")', ("open", "unlink")),
        ('fd = open("x", O_RDONLY)', "read(fd, &c, 1)", "read(fd, &c, 1)", ("read",)),
        ("", 'access("x", 0)', 'mkdir("x", 0700)', ("access", "mkdir")),
        ("", 'getenv("x")', 'setenv("x", "", 1)', ("getenv", "setenv")),
        ("file = tmpfile()", "ftell(file)", "fputc(1, file)", ("fputc", "ftell")),
        ("file = tmpfile()", "fputc(2, file)", "fputc(1, file)", ()),
        ("", 'sem_open("x", O_CREAT)', 'sem_unlink("x")', ("sem_open", "sem_unlink")),
        ('sem_open("x", O_CREAT, 0600, 1)', "", "", ()),
        ("", 'printf("x")', "read(0, &c, 1)", ()),
        ("", 'access("x", 0)', 'access("x", 0)', ()),
        ('setenv("x", "", 1)', 'getenv("x")', 'getenv("x")', ()),
        ("", "getchar()", "getchar()", ("getchar",)),
        ("getchar()", "getchar()", "", ()),
        ("ungetc('a', stdin)", "getchar()", 'printf("x")', ()),
        ("", "getchar()", "feof(stdin)", ("feof", "getchar")),
        ("", 'printf("x")', "ftell(stdout)", ("ftell", "printf")),
        ("", 'printf("x")', 'puts("x")', ()),
        ("", 'printf("x")', 'wprintf(L"x")', ("printf", "wprintf")),
        ("", "write(1, &c, 1)", "close(1)", ("close", "write")),
        ("", 'setlocale(LC_ALL, "")', 'sscanf("x", "%c", &c)', ("setlocale", "sscanf")),
        ('setlocale(LC_ALL, "")', 'sscanf("x", "%c", &c)', 'printf("x")', ()),
        ("srand(1)", "rand()", "rand()", ("rand",)),
        ("srand(1)", "rand()", "", ()),
        ("", "rand()", "srand(2)", ("rand", "srand")),
        ("", "alarm(1)", "alarm(0)", ("alarm",)),
        ("", "localtime_r(&now, &tm)", "tzset()", ()),
        ("", "localtime_r(&now, &tm)", 'setenv("TZ", "x", 1)', ("localtime_r", "setenv")),
        ("", "getcwd(&c, 1)", 'chdir("/")', ("chdir", "getcwd")),
        ("", "atexit(bye)", "exit(1)", ("atexit", "exit")),
        (
            "",
            "pthread_setname_np(me, &c)",
            "pthread_getname_np(me, &c, 1)",
            ("pthread_getname_np", "pthread_setname_np"),
        ),
        ("", "time(0)", "time(0)", ()),
        ("start(h)", "rand()", "", ()),
        ("start(h); rand()", "rand()", "", ("rand",)),
        ("srand(1); start(h); if (c) start(h)", "rand()", "", ()),
        ("for (int i = 0; i < 2; i++) { srand(1); start(h); }", "rand()", "", ("rand", "srand")),
        ("setjmp(back); srand(1)", "rand()", "", ("rand", "srand")),
    ],
)
def test_what_threads_may_tell_by_the_order_of_calls(
    start: str, one: str, other: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    assert unseen_order(_analysed(start, one, other, tmp_path)) == expected


def _analysed(start: str, one: str, other: str, directory: Path) -> ConcurrentProgram:
    path = directory / "program.c"
    path.write_text(TWO_THREADS.replace("START", start).replace("ONE", one).replace("OTHER", other), encoding="utf-8")
    return facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())


@pytest.mark.parametrize(
    ("scan", "allocates"),
    [
        ('int n; char w[9]; sscanf("3 x", "%d %8s", &n, w)', False),
        ('char *w; sscanf("x", "%ms", &w)', True),
        ('char *w; scanf("%m[a-z]", &w)', True),
        ('int n; sscanf("3", getenv("x"), &n)', True),
    ],
)
def test_strings_from_the_real_heap_are_not_put_back(scan: str, allocates: bool, tmp_path: Path) -> None:
    """Else they are elsewhere in each execution, and no two accesses to them are the same."""
    assert bool(allocating_scans(_analysed(scan, "", "", tmp_path))) is allocates


def test_each_replacement_is_placed() -> None:
    """Nobody can tell that it was called, or it is known who can: others count as reaching outside."""
    unplaced = {name for name in replaced_functions() if not any(is_placed(known) for known in names_of(name))}
    assert set(needs_fork(unplaced)) == unplaced


@pytest.mark.parametrize(
    "name", ["fesetround", "feupdateenv", "llvm.get.rounding", "llvm.x86.sse.ldmxcsr", "dlsym", "nobody_knows_it"]
)
def test_programs_that_may_see_their_floating_point_environment(name: str) -> None:
    assert may_see_fp_environment(("pthread_create", name))


def test_most_programs_cannot_see_their_floating_point_environment() -> None:
    plain = ("pthread_create", "sqrt", "malloc", "printf", "llvm.memcpy.p0.p0.i64", "llvm.fma.f64")
    assert not may_see_fp_environment(plain)
