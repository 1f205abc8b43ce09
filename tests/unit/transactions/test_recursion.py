"""Recursive functions: each point of them is reached with the locks and values that it can have, at any depth."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from unit.transactions.c_programs import of_text

from raceproof import interpreter

PROGRAM = """pthread_mutex_t m = MUTEX; atomic_int c; int x;
BODY
void *f(void *p) { DO_F return 0; }
void *g(void *p) { DO_G return 0; }
int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); join(t); return 0; }
"""


def proved(directory: Path, body: str, first: str, second: str) -> set[tuple[int, int]]:
    """Without what the lockset engine knows; functions are on line 2, `f` is on 3 and `g` on 4."""
    text = PROGRAM.replace("BODY", body).replace("DO_F", first).replace("DO_G", second)
    program = of_text(text, directory)
    return replace(program, open_pairs=program.pairs).proved("intervals")


DOWN = "void down(int n) { if (n > 0) { ENTER x++; LEAVE down(n - 1); } }"
LOCKED = "lock(&m); x = 2; unlock(&m);"


@pytest.mark.parametrize(
    ("enter", "leave", "is_proved"),
    [
        ("lock(&m);", "unlock(&m);", True),
        ("", "", False),
        ("if (n == 7) { lock(&m); unlock(&m); }", "", False),
        ("if (n != 1) lock(&m);", "if (n != 1) unlock(&m);", False),
    ],
)
def test_locks_within_a_recursion(enter: str, leave: str, is_proved: bool, tmp_path: Path) -> None:
    body = DOWN.replace("ENTER", enter).replace("LEAVE", leave)
    assert ((2, 4) in proved(tmp_path, body, "down(ANY);", LOCKED)) is is_proved


@pytest.mark.parametrize(
    ("inside", "before", "is_proved"),
    [
        ("", "lock(&m);", True),  # held at every depth
        ("if (n == 0) unlock(&m);", "lock(&m);", False),  # given back at the bottom: the outer calls go on without
        ("if (n == 0) unlock(&m);", "", False),
    ],
)
def test_a_lock_around_a_recursion(inside: str, before: str, is_proved: bool, tmp_path: Path) -> None:
    """The access stands behind the recursive call: what that did to the lock counts."""
    body = "void down(int n) { " + inside + " if (n > 0) { down(n - 1); x++; } }"
    assert ((2, 4) in proved(tmp_path, body, before + " down(3);", LOCKED)) is is_proved


def test_the_same_function_with_a_lock_and_without(tmp_path: Path) -> None:
    """Each call returns to where it came from, as far as locks tell."""
    body = "void down(int n) { if (n > 0) down(n - 1); }"
    assert (3, 4) in proved(tmp_path, body, "down(2); lock(&m); down(2); x++; unlock(&m);", LOCKED)
    assert (3, 4) not in proved(tmp_path, body, "lock(&m); down(2); unlock(&m); down(2); x++;", LOCKED)


@pytest.mark.parametrize(("last", "is_proved"), [("even(n - 1)", True), ("2", False)])
def test_mutual_recursion_and_results(last: str, is_proved: bool, tmp_path: Path) -> None:
    """The state is 1 only while `g` uses x: what a recursive function finds in it decides."""
    body = (
        "int even(int n); int odd(int n) { if (n <= 0) return c; return "
        + last
        + "; } int even(int n) { if (n <= 0) return c; return odd(n - 1); }"
    )
    found = proved(tmp_path, body, "if (even(ANY) == 2) x++;", "x = 2; c = 2;")
    assert ((3, 4) in found) is is_proved


def test_arguments_are_passed_all_at_once(tmp_path: Path) -> None:
    """`swap` gives its parameters to itself crosswise: after one call `a` is 0, after two it is 1 again."""
    body = "void swap(int a, int b, int n) { if (n == 0 && a == 0) { x++; } else if (n > 0) swap(b, a, n - 1); }"
    assert (2, 4) not in proved(tmp_path, body, "swap(1, 0, 1);", "x = 2;")


def test_values_of_an_outer_call_are_not_those_of_an_inner_one(tmp_path: Path) -> None:
    body = "void down(int n) { int mine = n; if (n > 0) down(n - 1); if (mine == 2) x++; }"
    assert (2, 4) not in proved(tmp_path, body, "down(2);", "x = 2;")


STATEMENTS = (
    "x++;",
    "lock(&m); x++; unlock(&m);",
    "lock(&m); rec(n - 1); unlock(&m);",
    "rec(n - 1);",
    "if (n == 1) x++;",
    "if (n == 1) lock(&m);",
    "if (n == 1) unlock(&m);",
    "if (c == n) x++;",
    "c = n;",
    "if (rec(n - 1) == 1) x++;",
)


def generated(seed: int) -> str:
    draw = random.Random(seed)
    lines = "".join(line + "\n" for line in draw.choices(STATEMENTS, k=3))
    body = "int rec(int n) { if (n <= 0) return c; " + lines + " return n; }"
    first = draw.choice(["rec(2);", "lock(&m); rec(2); unlock(&m);", "lock(&m); rec(1);", "rec(1); x++;"])
    second = draw.choice([LOCKED, "x = 2;", "c = 1; x = 2;", "rec(1);", "lock(&m); rec(2); unlock(&m);"])
    return PROGRAM.replace("BODY", body).replace("DO_F", first).replace("DO_G", second)


@pytest.mark.parametrize("seed", range(16))
def test_what_is_proved_never_races(seed: int, tmp_path: Path) -> None:
    """Against every schedule, run by the interpreter."""
    program = of_text(generated(seed), tmp_path)
    program = replace(program, open_pairs=program.pairs)
    found = interpreter.explore(program.cp.program, seconds=10)
    sites = program.cp.program.instructions_by_site()
    racy = set()
    for (first, second), race in found.races.items():
        ends = [sites[site][1].pos for site, _ in (first, second)]  # type: ignore[index]
        if race.is_first and all(ends):
            racy.add(tuple(sorted(pos.line for pos in ends if pos is not None)))
    assert racy.isdisjoint(program.proved("intervals"))
