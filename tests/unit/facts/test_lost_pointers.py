"""Pointers that lead nowhere: null for a reason, or taken to lead anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import Budget
from raceproof.facts.flow.lost_pointers import lost_pointers
from raceproof.facts.flow.world import World
from raceproof.facts.pointers.addressed_functions import addressed_functions
from raceproof.facts.pointers.points_to import solve

COMMON = """
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
int x; int *cell; double box; struct s { int *p; } pair;
static int *through(double d) { int *p; d = -d; memcpy(&p, &d, sizeof p); return p; }
struct large { int *p; long more[4]; } large;
static int by_value(struct large l) { return *l.p; }
struct hooks { void *(*make)(void *); void (*drop)(void *); void *rest; };
static const struct hooks no_hooks = { NULL, NULL, NULL };
struct keeper { long number; struct hooks hooks; };
static void *by_hooks(struct hooks h) { if (h.make) return h.make(h.rest); return malloc(1); }
static struct hooks given_back(struct hooks h) { h.rest = 0; return h; }
static int variadic(int n, ...) { va_list a; va_start(a, n); int *p = va_arg(a, int *); va_end(a); return *p; }
static int *none(void) { return 0; }
static int get(int *p) { return p ? *p : 0; }
static void *start(void *p) { return p ? (void *)(long)*(int *)p : 0; }
static void taken(void) {} void (*hook)(void) = taken;
"""
NULL = {
    "a constant": "return *(volatile int *)0;",
    "a cell that nobody fills": "return *cell;",
    "a cell that is cleared": "memset(&pair, 0, sizeof pair); cell = 0; return *pair.p + *cell;",
    "what a function gives": "return *none();",
    "a choice": "int *p = argc > 1 ? none() : cell; return p[argc];",
    "an argument": "return get(0) + get(none());",
    "a round": "int *p = 0; for (int i = 0; i < argc; i++) p = p + *p; return *p;",
    "a thread's argument": "pthread_t t; pthread_create(&t, 0, start, 0); return 0;",
    "nothing to free": "free(cell); return 0;",
    "a struct by value": "return by_value(large);",
    "a block that is freed": "struct large *p = malloc(sizeof *p); *p = large; int n = *p->p; free(p); return n;",
    "a copy": "struct large copy; memcpy(&copy, &large, sizeof copy); return *copy.p;",
    "a copy on the heap": "struct large *copy = malloc(sizeof *copy); *copy = large; return *copy->p;",
    "a cleared copy": "struct large a, b; memset(&a, 0, sizeof a); a.more[0] = argc; b = a; return *b.p;",
    "unset functions by value": "return by_hooks(no_hooks) != 0;",
    "unset functions passed on": "struct hooks h = no_hooks; return by_hooks(given_back(h)) != 0;",
    "unset functions kept": "struct keeper *k = calloc(1, sizeof *k); k->hooks = no_hooks; return !by_hooks(k->hooks);",
    "unset functions of a literal": "return by_hooks((struct hooks){NULL, NULL, &x}) != 0;",
    "unset functions on the heap": "struct keeper *k = malloc(sizeof *k); memset(k, 0, sizeof *k);"
    "memmove(&k->hooks, &no_hooks, sizeof no_hooks); return by_hooks(k->hooks) != 0;",
}
LOST = {
    "a result": "return *through(box);",
    "a cell": "cell = through(box); return *cell;",
    "a cell of a structure": "pair.p = through(box); struct s copy = pair; return *copy.p;",
    "a choice": "int *p = argc > 1 ? none() : through(box); return p[argc];",
    "an argument": "return get(0) + get(through(box));",
    "a thread's argument": "pthread_t t; pthread_create(&t, 0, start, through(box)); return 0;",
    "a round": "int *p = 0; for (int i = 0; i < argc; i++) p = i > 2 ? through(box) : p + *p; return 0;",
    "an argument of the library": "return strlen((char *)through(box));",
    "an index": "char *none = (char *)cell; none += (unsigned long)&x; return *none;",
    "a lock": "pthread_mutex_unlock((pthread_mutex_t *)through(box)); return 0;",
    "a struct by value": "large.p = through(box); return by_value(large);",
    "a longer block": "int **p = malloc(8); *p = through(box); p = realloc(p, 80); return **p;",
    "a copy of bytes": "struct large copy; pair.p = through(box); memcpy(&copy, &pair, sizeof pair); return *copy.p;",
    "a struct passed on": "struct large copy; large.p = through(box); copy = large; return by_value(copy);",
    "functions by value": "struct hooks h = no_hooks; h.make = (void *(*)(void *))through(box); return !by_hooks(h);",
    "functions kept": "struct keeper *k = calloc(1, sizeof *k); k->hooks.make = (void *(*)(void *))through(box);"
    "struct hooks h = k->hooks; return !by_hooks(given_back(h));",
    "functions at another place": "union { struct keeper k; void *p[4]; } u = {0}; u.p[1] = through(box);"
    "return !by_hooks(u.k.hooks);",
    "a variadic argument": "return variadic(1, through(box));",
    "a function": "void (*f)(void) = (void (*)(void))through(box); f(); return 0;",
}
LOOKED_UP = "void *dlsym(void *, const char *); ((void (*)(void))dlsym(0, argv[1]))(); return *through(box);"


def _world(body: str, directory: Path) -> World:
    path = directory / "program.c"
    path.write_text(f"{COMMON}int main(int argc, char **argv) {{ {body} }}\n", encoding="utf-8")
    program = frontend.load(frontend.from_files([path], ("-w",)))
    return World(program, solve(program, Budget.unlimited()), Budget.unlimited())


@pytest.mark.parametrize("name", NULL)
def test_null_is_explained(name: str, tmp_path: Path) -> None:
    assert not lost_pointers(_world(NULL[name], tmp_path))


def test_a_lost_pointer_leads_to_variables_of_functions(tmp_path: Path) -> None:
    world = _world("int local = argc; cell = &local; int *p = through(box); return *p + *cell;", tmp_path)
    lost = lost_pointers(world)
    found = solve(world.program, Budget.unlimited(), anywhere=lost.code, into_data=lost.data)
    for function, register in lost.data | lost.code:
        assert "local" in {found.objects[place.object].name for place in found.targets(function, register)}


def test_who_looks_functions_up_by_name_has_the_addresses_of_all(tmp_path: Path) -> None:
    assert "main" not in addressed_functions(_world("hook(); return 0;", tmp_path).program)
    found = addressed_functions(_world(LOOKED_UP, tmp_path).program)
    assert {"main", "taken", "through"} <= found


@pytest.mark.parametrize("name", LOST)
def test_what_is_not_explained_may_point_anywhere(name: str, tmp_path: Path) -> None:
    world = _world(LOST[name], tmp_path)
    lost = lost_pointers(world)
    assert lost
    found = solve(world.program, Budget.unlimited(), anywhere=lost.code, into_data=lost.data)
    for function, register in lost.data | lost.code:
        reached = {found.objects[place.object].name for place in found.targets(function, register)}
        assert {"x", "cell", "memory outside the program"} <= reached
        assert "main" not in reached  # nobody has its address
        assert ("taken" in reached) == ((function, register) in lost.code)
    while more := lost_pointers(World(world.program, found, Budget.unlimited())):  # what they lead to may be lost, too
        assert not more & lost
        lost |= more
        found = solve(world.program, Budget.unlimited(), anywhere=lost.code, into_data=lost.data)
