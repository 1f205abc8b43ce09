"""A value that was never written may be any: a run that reads one proves nothing, and says where; others do.

Each statement ends with a value in `v` that decides whether main writes `x` beside its thread. In all executions that
the explorer makes it does not, whatever lies in memory.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import Searched, load_text, search

PROGRAM = """
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <alloca.h>
int x;
volatile int zero;
struct pair { char a; int b; };
struct bits { unsigned a : 3, b : 5, c : 9; };
struct node { struct node *next; int value; };
union number { float f; int i; };
void *one(void *p) { x = 1; return p; }
%s
int main(void) {
    pthread_t t;
    int v = 0;
    %s
    pthread_create(&t, 0, one, 0);
    if (v == 1234567)
        x = 2;
    pthread_join(t, 0);
    return 0;
}
"""


def searched(tmp_path: Path, statements: str, declarations: str = "", isolation: str = "auto") -> Searched:
    return search(load_text(PROGRAM % (declarations, statements), tmp_path), "race", isolation=isolation)


@pytest.mark.parametrize(
    ("declarations", "statements"),
    [
        ("", "int u; v = u;"),
        ("", "int u; if (zero) u = 1; v = u;"),
        ("", "int u; for (int i = 0; i < zero; i++) u = i; v = u + 1;"),
        ("", "int u; v = u & 1;"),
        ("", "int u; int w = u; if (w == 3) v = 1234567;"),
        ("", "int u; switch (u) { case 7: v = 1234567; }"),
        ("void set(int *p) { if (zero) *p = 1; }", "int u; set(&u); v = u;"),
        ("int set(int *p) { if (zero) *p = 1; return *p; }", "int u; v = set(&u);"),
        ("int get(int c) { if (c) return 1; }", "v = get(zero);"),
        ("", "int a[10]; for (int i = 0; i < 9; i++) a[i] = 0; v = a[9 + zero];"),
        ("", "int *p = malloc(40); p[0] = 0; v = p[1 + zero];"),
        ("", "int *p = calloc(4, 4); p = realloc(p, 4000); v = p[99];"),
        ("", "int *p = aligned_alloc(64, 64); v = *p;"),
        ("", "void *q; if (posix_memalign(&q, 64, 64)) return 1; v = *(int *)q;"),
        ("", "int *p = malloc(4); *p = 0; free(p); v = *p;"),
        ("", "int *p = malloc(4); *p = 0; free(p); p = malloc(4); v = *p;"),
        ("", "int n = 5 + zero; int a[n]; v = a[2];"),
        ("", "int *p = alloca(8); v = p[1];"),
        ("", "struct pair p; p.a = 1; struct pair q = p; v = q.b;"),
        ("struct pair g;", "struct pair p; p.a = 1; memcpy(&g, &p, sizeof g); v = g.b;"),
        ("struct pair g;", "struct pair p; p.a = 1; g = p; v = g.b;"),
        ("int of(struct pair p) { return p.b; }", "struct pair p; p.a = 1; v = of(p);"),
        ("struct big { int a[20]; }; int of(struct big b) { return b.a[9]; }", "struct big b; b.a[0] = 1; v = of(b);"),
        ("struct pair made(void) { struct pair p; p.a = 1; return p; }", "v = made().b;"),
        ("", "struct bits b; b.a = 1; v = b.b;"),
        ("", "struct bits *b = malloc(sizeof *b); b->a = 1; b->b = 2; v = b->c;"),
        ("", "struct node *n = malloc(sizeof *n); n->next = 0; v = n->value;"),
        ("", "union number u; v = u.i;"),
        ("", "int u; scanf(\"%%d\", &u); v = u;".replace("%%", "%")),
        ("", "int u; sscanf(\"none\", \"%d\", &u); v = u;"),
        ("", "char s[8]; v = (int)strlen(s);"),
        ("", "char s[8], r[8] = {0}; v = memcmp(s, r, 8);"),
        ("", "char s[8]; s[1] = 0; v = atoi(s);"),
        ("", "_Atomic int a; v = a;"),
        ("", "_Atomic int a; v = a++;"),
        ("static _Thread_local int *p;", "int u; p = &u; v = *p;"),
        ("int deep(int *p, int n) { return n ? deep(p, n - 1) : *p; }", "int u; v = deep(&u, 3);"),
        ("int big(void) { int a[64]; memset(a, 0, sizeof a); return a[zero]; }"
         "int after(void) { int a[64]; return a[zero]; }", "v = big(); v = after();"),
    ],
)  # fmt: skip
def test_a_read_of_what_was_never_written_proves_nothing(tmp_path: Path, declarations: str, statements: str) -> None:
    found = searched(tmp_path, statements, declarations)
    assert found.verdict != "race-free", found.why()
    if found.verdict == "unknown":
        assert any("uninitialised value" in note and "program.c:" in note for note in found.result.notes), found.why()
        assert "uninitialised" in [kind for kind, _ in found.others], found.why()


@pytest.mark.parametrize(
    ("declarations", "statements"),
    [
        ("", "int u; u = 0; v = u;"),
        ("", "int u; if (!zero) u = 1; if (!zero) v = u;"),
        ("", "int u; for (int i = 0; i < 3; i++) u = i; v = u;"),
        ("", "int u; (void)u;"),
        ("void set(int *p) { *p = 1; }", "int u; set(&u); v = u;"),
        ("void *two(void *p) { x++; }", "pthread_create(&t, 0, two, 0); pthread_join(t, 0);"),
        ("int get(int c) { if (c) return 1; }", "get(zero);"),
        ("", "int a[10]; for (int i = 0; i < 10; i++) a[i] = 0; v = a[9 + zero];"),
        ("", "int a[10] = {1}; v = a[9 + zero];"),
        ("", "int *p = malloc(40); memset(p, 0, 40); v = p[1 + zero];"),
        ("", "int *p = calloc(4, 4); v = p[2]; p = realloc(p, 400); v = p[3];"),
        ("", "int *p = malloc(8); p[0] = p[1] = 0; p = realloc(p, 4000); v = p[1];"),
        ("", "int *p = malloc(4); *p = 0; free(p); p = calloc(1, 4); v = *p;"),
        ("", "int n = 5 + zero; int a[n]; for (int i = 0; i < n; i++) a[i] = i; v = a[2];"),
        ("", "struct pair p; p.a = 1; p.b = 2; struct pair q = p; v = q.b + q.a;"),
        ("struct pair g;", "struct pair p; p.a = 1; p.b = 0; g = p; v = g.b;"),
        ("struct pair g;", "struct pair p; p.b = 1; g = p; v = g.b;"),
        ("struct big { int a[20]; }; int of(struct big b) { return b.a[9]; }", "struct big b = {{1}}; v = of(b);"),
        ("struct pair made(void) { struct pair p; p.a = 1; p.b = 2; return p; }", "struct pair q = made(); v = q.b;"),
        ("", "struct bits b; b.a = 1; b.b = 2; b.c = 3; v = b.a + b.b + b.c;"),
        ("", "struct bits *b = malloc(sizeof *b); b->a = 1; b->b = 2; v = b->b; b->b++; v = b->a;"),
        ("struct node *list;",
         "for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->next = list; n->value = i; list = n; }"
         "for (struct node *n = list; n; n = n->next) v += n->value;"),
        ("", "union number u; u.f = 1; v = u.i & 1;"),
        ("", "int u = 0; scanf(\"%d\", &u); v = u;"),
        ("", "int u; if (sscanf(\"12\", \"%d\", &u) == 1) v = u;"),
        ("", "char s[8]; strcpy(s, \"a\"); v = (int)strlen(s) + s[0];"),
        ("", "char s[20]; snprintf(s, sizeof s, \"%d\", 5); v = atoi(s); puts(s);"),
        ("", "char *s = strdup(\"a\"); v = s[0];"),
        ("", "char *s; if (asprintf(&s, \"%d\", 7) < 0) return 1; v = s[0];"),
        ("", "char *e; v = (int)strtol(\"12a\", &e, 10) + *e;"),
        ("", "struct timespec s; clock_gettime(CLOCK_REALTIME, &s); v = s.tv_nsec == 5;"),
        ("", "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_destroy(&a);"),
        ("", "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"),
        ("", "pthread_t all[2]; for (int i = 0; i < 2; i++) pthread_create(&all[i], 0, (void *(*)(void *))one, 0);"
             "for (int i = 0; i < 2; i++) pthread_join(all[i], 0);"),
        ("int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l);"
         "return s; }", "v = sum(3, 1, 2, 3);"),
        ("", "_Atomic int a = 0; v = a++;"),
        ("", "jmp_buf b; if (setjmp(b) == 0) v = 1; else v = 2;"),
        ("int small(void) { int a[64]; a[0] = 1; return a[zero]; } int after(int *p) { return *p; }",
         "v = small(); int k = 5; v = after(&k);"),
        ("void *sq(void *p) { int *i = p; *i = *i * *i; return p; }",
         "int a[3]; pthread_t s[3]; for (int i = 0; i < 3; i++) { a[i] = i; pthread_create(&s[i], 0, sq, &a[i]); }"
         "for (int i = 0; i < 3; i++) { pthread_join(s[i], 0); v += a[i]; }"),
        ("void *give(void *p) { int *i = malloc(4); *i = 5; return i; }",
         "void *r; pthread_create(&t, 0, give, 0); pthread_join(t, &r); v = *(int *)r; free(r);"),
        ("int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
         "int a[5]; for (int i = 0; i < 5; i++) a[i] = 5 - i; qsort(a, 5, 4, cmp); v = a[2];"),
    ],
)  # fmt: skip
def test_a_program_that_writes_first_is_proved(tmp_path: Path, declarations: str, statements: str) -> None:
    found = searched(tmp_path, statements, declarations)
    assert not any("uninitialised" in note for note in found.result.notes), found.why()
    if "one, 0" not in statements and "scanf" not in statements:
        assert found.verdict in ("race-free", "race"), found.why()
