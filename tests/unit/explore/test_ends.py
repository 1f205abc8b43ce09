"""An execution counts only if the program chose its end: everything else bounds the search, by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import Searched, load_text, search

from raceproof.core import Unsupported

# The statement in the middle decides whether main comes to the second thread, and to the race with it.
PROGRAM = """
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int x;
volatile int zero;
void *none(void *p) { return p; }
void *one(void *p) { x = 1; return p; }
%s
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, none, 0);
    pthread_join(t, 0);
    %s
    pthread_create(&t, 0, one, 0);
    x = 2;
    pthread_join(t, 0);
    return 0;
}
"""


def searched(tmp_path: Path, statement: str, declaration: str = "", isolation: str = "auto") -> Searched:
    subject = load_text(PROGRAM % (declaration, statement), tmp_path)
    return search(subject, "race", isolation=isolation)


@pytest.mark.parametrize("isolation", ["memory", "fork"])
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("*(volatile int *)0 = 1;", "segmentation fault"),
        ("volatile int *p = (int *)(uintptr_t)zero; x = *p;", "segmentation fault"),
        ("raise(SIGFPE);", "the program sent itself signal"),
        ("raise(SIGTERM);", "the program sent itself signal"),
        ("char *p = malloc((size_t)5 << 30); if (p == 0) return 1;", "no memory for a block of 5368709120 bytes"),
        ("char *p = calloc(1 << 20, 1 << 16); if (p == 0) exit(1);", "no memory for a block"),
        ("int *p = malloc(4); free(p); free(p);", "was freed before"),
        ("free(&x);", "not a block of the heap"),
    ],
)
def test_an_end_that_the_program_did_not_choose_bounds_the_search(
    tmp_path: Path, statement: str, reason: str, isolation: str
) -> None:
    found = searched(tmp_path, statement, isolation=isolation)
    assert found.verdict == "unknown", found.why()
    assert any(note.startswith("bounded: ") and reason in note for note in found.result.notes), found.why()


@pytest.mark.parametrize(
    "statement",
    [
        "return 0;",
        "exit(1);",
        "_exit(1);",
        "quick_exit(1);",
        "pthread_exit(0);",
        "abort();",
        "assert(zero);",
        "raise(SIGABRT);",
        "if (malloc(SIZE_MAX) == 0) return 1;",  # no machine has that much
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
    ],
)
def test_an_end_of_its_own_is_an_execution(tmp_path: Path, statement: str) -> None:
    found = searched(tmp_path, statement)
    assert found.verdict == "race-free", found.why()


def test_a_mapping_beyond_the_limit_is_not_the_programs_failure(tmp_path: Path) -> None:
    flags = "PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE"
    found = searched(tmp_path, f"if (mmap(0, (size_t)1 << 40, {flags}, -1, 0) == MAP_FAILED) return 1;")
    assert found.verdict == "unknown", found.why()
    assert any("no memory for a mapping" in note for note in found.result.notes), found.why()


def test_a_function_without_a_body_is_not_called(tmp_path: Path) -> None:
    found = searched(tmp_path, "missing(1);", "__attribute__((weak)) int missing(int);")
    assert found.verdict == "unknown", found.why()


@pytest.mark.parametrize("name", ["wake", "block", "reserve", "report_other"])
def test_names_of_the_runtime_are_no_definitions(tmp_path: Path, name: str) -> None:
    """The program does not define it: that the host happens to have a function of that name is none of its business."""
    with pytest.raises(Unsupported, match=name):
        searched(tmp_path, f"{name}(1);", f"int {name}(int);")


def test_a_variable_of_the_runtime_is_no_definition(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="live"):
        searched(tmp_path, "if (live) return 1;", "extern int live;")


def test_functions_under_the_lock_of_a_stream_are_not_run(tmp_path: Path) -> None:
    """All threads of the program are one to the real library: it would let two into the functions of one stream."""
    text = """
    static ssize_t count(void *c, const char *t, size_t n) { (void)c, (void)t; x++; return (ssize_t)n; }
    static void *f(void *s) { fputs("x", s); fflush(s); return NULL; }
    int main(void) {
        pthread_t t;
        FILE *s = fopencookie(NULL, "w", (cookie_io_functions_t){.write = count});
        pthread_create(&t, NULL, f, s); f(s); pthread_join(t, NULL);
        return 0;
    }
    """
    with pytest.raises(Unsupported, match="fopencookie"):
        search(load_text("static int x;\n" + text, tmp_path), "race")
