"""Pointers that are put together from numbers may point anywhere; others keep what they point to."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import Budget
from raceproof.facts.flow.rebuilt_pointers import rebuilt_pointers
from raceproof.facts.flow.world import World
from raceproof.facts.pointers.points_to import solve

COMMON = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int x, other, *cell; uint32_t high, low; char text[40];
static void copy(void *to, const void *from, size_t n) { char *d = to; const char *s = from; while (n--) *d++ = *s++; }
static int put(uint32_t h, uint32_t l) { int *p = (int *)((uintptr_t)h << 32 | l); return p ? *p : other; }
static unsigned hash(void *p) { return (unsigned)((uintptr_t)p >> 4) % 8; }
"""
REBUILT = {
    "halves": "high = (uintptr_t)&x >> 32; low = (uintptr_t)&x; int *p = (int *)((uintptr_t)high << 32 | low);"
    "if (argc > 1) p = &other; return *p;",
    "halves as arguments": "return put((uintptr_t)&x >> 32, (uintptr_t)&x);",
    "halves over another pointer": "union { int *p; uint32_t h[2]; } u, v; u.p = &x; v.p = &other;"
    "v.h[0] = u.h[0]; v.h[1] = u.h[1]; return *v.p;",
    "bytes": "int *from = &x, *to = &other; copy(&to, &from, sizeof to); return *to;",
    "a number that is no integer": "double d; int *p = &x, *q = &other; memcpy(&d, &p, 8); double e = d;"
    "memcpy(&q, &e, 8); return *q;",
    "text": 'void *p = &other; sprintf(text, "%p", (void *)&x); sscanf(text, "%p", &p); return *(int *)p;',
    "text of a number": 'sprintf(text, "%lu", (unsigned long)&x); int *p = (int *)strtoul(text, 0, 10);'
    "return *(p ? p : &other);",
}
WHOLE = {
    "a hash": "int table[8]; cell = &x; return table[hash(cell)] + *cell;",
    "a print": 'printf("%p", (void *)&x); long n = strtol(text, 0, 10); cell = &x; return *cell + (int)n;',
    "a union of a number and a pointer": "union { int *p; int n; } u; u.n = argc; u.p = &x; return *u.p;",
    "a tag": "uintptr_t n = (uintptr_t)&x | 1; return *(int *)(n & ~(uintptr_t)1);",
    "bytes that are no pointer": "char to[8]; copy(to, text, 8); cell = &x; return *cell + to[0];",
    "a structure": "struct s { int *p; int n; } a = {&x, 1}, b; b = a; return *b.p + b.n;",
}


def _rebuilt(body: str, directory: Path) -> frozenset[object]:
    path = directory / "program.c"
    path.write_text(f"{COMMON}int main(int argc, char **argv) {{ {body} }}\n", encoding="utf-8")
    program = frontend.load(frontend.from_files([path], ("-w",)))
    world = World(program, solve(program, Budget.unlimited()), Budget.unlimited())
    found = rebuilt_pointers(world)
    names = {world.points_to.objects[number].name for number in found.sources}
    assert not found.registers or {"x"} <= names  # in all programs that is what is taken apart
    assert not {"copy", "put", "hash"} & names  # nobody takes the address of a function apart
    return frozenset(found.registers)


@pytest.mark.parametrize("name", REBUILT)
def test_what_is_made_of_parts_is_found(name: str, tmp_path: Path) -> None:
    assert _rebuilt(REBUILT[name], tmp_path)


@pytest.mark.parametrize("name", WHOLE)
def test_what_stays_whole_is_left_alone(name: str, tmp_path: Path) -> None:
    assert not _rebuilt(WHOLE[name], tmp_path)
