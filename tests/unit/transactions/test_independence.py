"""Which steps commute, and how far a transaction goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import Analysed, everything, of_text

from raceproof.core import Budget
from raceproof.transactions.independence import Independence, Reduction, updates_of
from raceproof.transactions.invariants import Solution, solve
from raceproof.transactions.products import Product, Setting, Workshop
from raceproof.transactions.program import Surroundings
from raceproof.transactions.slicing import Slice
from raceproof.transactions.thread_graph import ThreadGraph

TWO = "int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); join(t); return 0; }\n"


def code_of(text: str, directory: Path) -> tuple[Analysed, ThreadGraph, ThreadGraph]:
    """The program, and the graphs of its threads `f` and `g`."""
    found = of_text(text + TWO, directory)
    workshop = Workshop(Surroundings(found.cp), Budget.unlimited())
    return found, workshop.graph(found.cp.threads[1].id), workshop.graph(found.cp.threads[2].id)  # type: ignore[index]


def touching(graph: ThreadGraph, line: int) -> int:
    return next(
        n for n, node in enumerate(graph.nodes) if node.touch and node.pos is not None and node.pos.line == line
    )


def is_apart(text: str, directory: Path, reduction: Reduction) -> bool:
    """Whether line 2, of `f`, commutes with all that `g` may do."""
    found, f, g = code_of(text, directory)
    independence = Independence(found.cp, frozenset(), reduction)
    number = touching(f, 2)
    return independence.is_apart(f, number, frozenset(f.nodes[number].held), g, g.entry)


def pair_of(one: str, other: str, before: str = "atomic_int c; int x;") -> str:
    return f"{before} void *f(void *p) {{\n{one}\nreturn 0; }}\nvoid *g(void *p) {{ {other} return 0; }}\n"


def test_example_1_two_decrements_commute(tmp_path: Path) -> None:
    text = pair_of("atomic_fetch_sub(&c, 1);", "c--;")
    assert is_apart(text, tmp_path, Reduction())
    assert not is_apart(text, tmp_path, Reduction(semantics=False))


@pytest.mark.parametrize(
    ("one", "other"),
    [("c += 2;", "atomic_fetch_sub(&c, 1);"), ("c |= 2;", "c |= 1;"), ("c ^= 2;", "c ^= 3;"), ("c = 4;", "c = 4;")],
)
def test_updates_of_one_kind_commute(one: str, other: str, tmp_path: Path) -> None:
    assert is_apart(pair_of(one, other), tmp_path, Reduction())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c++;", "c |= 1;"),
        ("c++;", "c = 4;"),
        ("c = 3;", "c = 4;"),
        ("c++;", "if (c == 1) x = 1;"),
        ("c++;", "if (c++ == 1) x = 1;"),
        ("if (c++ == 1) x = 2;", "c++;"),
        ("c = 1 - c;", "c++;"),
        ("x++;", "x++;"),
        ("atomic_exchange(&c, 2);", "c++;"),
    ],
)
def test_these_do_not(one: str, other: str, tmp_path: Path) -> None:
    assert not is_apart(pair_of(one, other), tmp_path, Reduction())


def test_who_asks_about_an_update_gets_it_exactly(tmp_path: Path) -> None:
    """Both are atomic and do not race; but that they never meet would be wrong."""
    found, f, g = code_of(pair_of("c++;", "c++;"), tmp_path)
    asked = frozenset(found.cp.accesses)
    independence = Independence(found.cp, asked, Reduction())
    assert not independence.is_apart(f, touching(f, 2), frozenset(), g, g.entry)


def test_what_is_no_update_of_its_cells_alone(tmp_path: Path) -> None:
    _, f, _ = code_of(pair_of("c++; x = c;", "c = 5; x = 5;"), tmp_path)
    kinds = [updates_of(f, number) for number, node in enumerate(f.nodes) if node.touch]
    assert [found is not None for found in kinds] == [
        True,
        False,
        False,
    ]  # c++, the read of c, and x, which gets any value


LOCKED = "pthread_mutex_t m = MUTEX; int x, y, z;"


@pytest.mark.parametrize("more", ["", "x = 3;", "lock(&m); x = 3; unlock(&m);"])
def test_a_conflict_behind_a_lock_that_is_held_does_not_count(more: str, tmp_path: Path) -> None:
    """Whatever comes behind the first lock, be it without a lock, cannot come before."""
    text = f"{LOCKED} void *f(void *p) {{ lock(&m);\nx = 1; unlock(&m); return 0; }}\n"
    text += f"void *g(void *p) {{ lock(&m); x = 2; unlock(&m); {more} return 0; }}\n"
    assert is_apart(text, tmp_path, Reduction())
    assert not is_apart(text, tmp_path, Reduction(locks=False))


@pytest.mark.parametrize(
    "other",
    [
        "x = 2;",
        "if (ANY) lock(&m); x = 2;",
        "lock(&n); x = 2; unlock(&n);",
    ],
)
def test_one_before_it_or_without_it_does(other: str, tmp_path: Path) -> None:
    text = f"pthread_mutex_t n = MUTEX; {LOCKED} void *f(void *p) {{ lock(&m);\nx = 1; unlock(&m); return 0; }}\n"
    text += f"void *g(void *p) {{ {other} return 0; }}\n"
    assert not is_apart(text, tmp_path, Reduction())


def solved(text: str, directory: Path, reduction: Reduction) -> Solution:
    """The whole product, where nothing is asked about."""
    found = of_text(text + TWO, directory)
    workshop = Workshop(Surroundings(found.cp), Budget.unlimited(), reduction)
    whole = everything(workshop, *sorted(found.cp.threads))
    product = Product(whole.threads, Slice(frozenset(), whole.part.cells, whole.part.locks, is_full=True))
    followed = frozenset(workshop.around.cells.variables.values())
    return solve(workshop.propagation(product, Setting("intervals", True, followed, {})), Budget.unlimited())


def test_a_critical_section_is_one_transaction(tmp_path: Path) -> None:
    """Nodes are where a thread has not started, before its lock, or at its end: no point within the section."""
    body = "lock(&m); x++; y = x; z = y; unlock(&m); return 0; }\n"
    text = f"{LOCKED} void *f(void *p) {{ {body} void *g(void *p) {{ {body}"
    compact, full = (solved(text, tmp_path, r) for r in (Reduction(), Reduction(compacts=False, locks=False)))
    for slot in (1, 2):
        assert len({where.at[slot] for where in compact.states}) <= 4
        assert len({where.at[slot] for where in full.states}) >= 8
    assert 3 * len(compact.states) < len(full.states)
