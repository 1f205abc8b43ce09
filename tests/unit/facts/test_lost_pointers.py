"""Pointers that lead nowhere: null for a reason, or taken to lead anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import Budget
from raceproof.facts.flow.lost_pointers import lost_pointers
from raceproof.facts.flow.world import World
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
static int variadic(int n, ...) { va_list a; va_start(a, n); int *p = va_arg(a, int *); va_end(a); return *p; }
static int *none(void) { return 0; }
static int get(int *p) { return p ? *p : 0; }
static void *start(void *p) { return p ? (void *)(long)*(int *)p : 0; }
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
    "a variadic argument": "return variadic(1, through(box));",
    "a function": "void (*f)(void) = (void (*)(void))through(box); f(); return 0;",
}


def _world(body: str, directory: Path) -> World:
    path = directory / "program.c"
    path.write_text(f"{COMMON}int main(int argc, char **argv) {{ {body} }}\n", encoding="utf-8")
    program = frontend.load(frontend.from_files([path], ("-w",)))
    return World(program, solve(program, Budget.unlimited()), Budget.unlimited())


@pytest.mark.parametrize("name", NULL)
def test_null_is_explained(name: str, tmp_path: Path) -> None:
    assert not lost_pointers(_world(NULL[name], tmp_path))


@pytest.mark.parametrize("name", LOST)
def test_what_is_not_explained_may_point_anywhere(name: str, tmp_path: Path) -> None:
    world = _world(LOST[name], tmp_path)
    lost = lost_pointers(world)
    assert lost
    found = solve(world.program, Budget.unlimited(), anywhere=lost)
    for function, register in lost:
        reached = {found.objects[place.object].name for place in found.targets(function, register)}
        assert {"x", "cell", "main", "memory outside the program"} <= reached
    assert not lost_pointers(World(world.program, found, Budget.unlimited()))
