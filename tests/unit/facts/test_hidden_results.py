"""Values from outside that come back to a program by other ways than a result: what a call leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.facts.test_inputs import THREADS, inputs_of

MORE = """
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <wchar.h>
static char text[64]; static volatile double number;
struct entry { int key, value; };
static struct entry entries[3] = {{1, 1}, {1, 2}, {0, 3}}; static int numbers[3] = {3, 1, 2}; static int comparisons;
static int by_key(const void *a, const void *b) {
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}
static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x < y) return -1;
    return x > y;
}
static int counted(const void *a, const void *b) { comparisons++; return by_number(a, b); }
static void at_end(int status, void *argument) { if (status) shared = 1; }
static void print(const char *format, ...) {
    va_list list; va_start(list, format); vsnprintf(text, sizeof text, format, list); va_end(list);
}
"""
ADDRESS = "an address as a number"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # streams that end in the program's memory
        ('fprintf(fmemopen(text, 64, "w"), "%d", (int)time(0)); if (text[3] == 51) shared = 1;', ["time"]),
        ('fputc((int)time(0), fmemopen(text, 64, "w")); if (text[0]) shared = 1;', ["time"]),
        (
            'char *b; size_t n; FILE *f = open_memstream(&b, &n); fprintf(f, "%ld", clock()); if (n) shared = 1;',
            ["clock"],
        ),
        ('setvbuf(stdout, text, _IOFBF, 64); printf("%d", (int)time(0)); if (text[1]) shared = 1;', ["time"]),
        ('fprintf(fmemopen(text, 64, "w"), "%p", (void *)&shared); if (text[3]) shared = 1;', [ADDRESS]),
        # how long a text is
        ('if (printf("%d", (int)time(0)) == 2) shared = 1;', ["time"]),
        ('if (dprintf(2, "%d", (int)time(0)) == 2) shared = 1;', ["time"]),
        ('if (printf("%p", (void *)&shared) == 9) shared = 1;', [ADDRESS]),
        # bytes and texts of addresses
        ('snprintf(text, 64, "%p", (void *)&shared); if (text[3] == 51) shared = 1;', [ADDRESS]),
        ('if (snprintf(text, 64, "%p", malloc(4)) == 10) shared = 1;', [ADDRESS]),
        ('print("%p", (void *)&shared); if (text[3] == 51) shared = 1;', [ADDRESS]),
        ('wchar_t b[30]; swprintf(b, 30, L"%p", (void *)&shared); if (b[3] == 51) shared = 1;', [ADDRESS]),
        ("int *p = &shared, *q = malloc(4); if (memcmp(&p, &q, sizeof p) < 0) shared = 1;", [ADDRESS]),
        ("int *p = &shared; if (memchr(&p, 3, sizeof p)) shared = 1;", [ADDRESS]),
        ("int *p = &shared; char b[8]; swab(&p, b, 8); if (b[2]) shared = 1;", [ADDRESS]),
        ("static union { int *p; long n; } u; u.p = &shared; if (u.n & 4096) shared = 1;", [ADDRESS]),
        # what is left in the process
        ("on_exit(at_end, 0); exit((int)time(0) & 1);", ["time"]),
        ("on_exit(at_end, 0); return (int)time(0) & 1;", ["time"]),
        ("fesetround((int)time(0) & 1 ? FE_UPWARD : 0);", ["time"]),
        ("feraiseexcept((int)time(0) & FE_INVALID);", ["time"]),
        ("number = 1 - (time(0) & 1); number = 1 / number; if (fetestexcept(FE_DIVBYZERO)) shared = 1;", ["time"]),
        ("number = log(time(0) & 1); if (errno) shared = 1;", ["time"]),
        ("number = lgamma(-0.5 - (time(0) & 1)); if (signgam < 0) shared = 1;", ["time"]),
        # sleeping
        ("struct timespec t = {0, time(0)}; if (nanosleep(&t, 0)) shared = 1;", ["time"]),
        ("if (usleep((unsigned)time(0))) shared = 1;", ["time"]),
        ("struct timespec t = {0, time(0)}; if (clock_nanosleep(0, 0, &t, 0) == EINVAL) shared = 1;", ["time"]),
        # what the standard leaves open
        ("qsort(entries, 3, sizeof entries[0], by_key); if (entries[1].value == 2) shared = 1;", ["qsort"]),
        ("qsort(numbers, 3, sizeof numbers[0], counted);", ["qsort"]),
        # padding
        (
            "long double d = 1; char b[16]; memcpy(b, &d, sizeof d); if (b[14] == 3) shared = 1;",
            ["bytes that nothing has written"],
        ),
    ],
)
def test_a_value_that_comes_back(body: str, expected: list[str], tmp_path: Path) -> None:
    found = inputs_of(f"{MORE} int main(void) {{ {THREADS} {body} }}", tmp_path)
    assert sorted(set(found)) == expected


@pytest.mark.parametrize(
    "body",
    [
        'setvbuf(stdout, NULL, _IONBF, 0); printf("%ld", (long)time(0));',
        'FILE *f = fmemopen(text, 64, "w"); fprintf(f, "%d", 7); fclose(f); if (text[0] == 55) shared = 1;',
        'printf("%p\\n", (void *)&shared); fprintf(stderr, "%s %p\\n", "at", malloc(4));',
        'if (printf("%s", "text") < 0) shared = 1;',
        'print("%s: %d", "text", 7); if (text[0] == 51) shared = 1;',
        "int *p = &shared, *q; memcpy(&q, &p, sizeof p); *q = 1;",
        'static struct { int *p; char name[8]; } e = {&shared, "x"}; if (strlen(e.name) == 1) *e.p = 1;',
        'printf("%f", sqrt((double)clock()));',
        "exit((int)time(0) & 1);",
        "struct timespec t = {0, time(0) % 1000}; nanosleep(&t, &t); usleep((unsigned)clock() % 10);",
        'qsort(numbers, 3, sizeof numbers[0], by_number); for (int i = 0; i < 3; i++) printf("%d", numbers[i]);',
        'struct timespec t[2]; clock_gettime(0, t); qsort(t, 2, sizeof t[0], by_key); printf("%ld", (long)t->tv_sec);',
    ],
)
def test_what_does_not_come_back(body: str, tmp_path: Path) -> None:
    assert inputs_of(f"{MORE} int main(void) {{ {THREADS} {body} }}", tmp_path) == []


@pytest.mark.parametrize("section", [".init_array", ".preinit_array"])
def test_what_the_loader_gives_to_functions_before_main(section: str, tmp_path: Path) -> None:
    entry = f'__attribute__((section("{section}"), used)) static void (*entry)(int, char **) = first;'
    taken = f"static void first(int count, char **v) {{ if (count > 3) shared = 1; }} {entry} int main(void) {{ }}"
    assert inputs_of(taken, tmp_path) == ["count"]
    ignored = f"static void first(int count, char **v) {{ shared = 1; }} {entry} int main(void) {{ }}"
    assert inputs_of(ignored, tmp_path) == []
