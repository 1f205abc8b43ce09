"""Which cells a proof may rely on: those whose readers come after what they read, whichever way it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import Analysed, of_text

from raceproof.model import RacePair
from raceproof.transactions.names import Shared
from raceproof.transactions.program import Surroundings
from raceproof.transactions.trust import touched_by, trusted_cells

TAIL = "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }\n"
FLAG = "atomic_int flag; int x; void *f(void *p) { x = 1; WRITE; return 0; }\n"
FLAG += "void *g(void *p) { if (READ) x = 2; return 0; }\n" + TAIL
STORE = "atomic_store_explicit(&flag, 1, memory_order_{})"
LOAD = "atomic_load_explicit(&flag, memory_order_{})"
ADD = "atomic_fetch_add_explicit(&flag, 1, memory_order_{})"


def names(program: Analysed, harmless: tuple[RacePair, ...] | None = None) -> set[str]:
    """The variables that are trusted, if these pairs do not race; all of them by default."""
    around = Surroundings(program.cp)
    kept = program.pairs if harmless is None else harmless
    cells = trusted_cells(around, program.pairs, kept)
    return {program.cp.objects[c.name.cell.object].name for c in cells if isinstance(c.name, Shared)}


def is_trusted(write: str, read: str, directory: Path) -> bool:
    return "flag" in names(of_text(FLAG.replace("WRITE", write).replace("READ", read), directory))


@pytest.mark.parametrize(
    ("write", "read", "expected"),
    [
        (STORE.format("release"), LOAD.format("acquire"), True),
        (STORE.format("seq_cst"), LOAD.format("seq_cst"), True),
        (STORE.format("relaxed"), LOAD.format("acquire"), False),
        (STORE.format("release"), LOAD.format("relaxed"), False),
        (ADD.format("acq_rel"), LOAD.format("acquire"), True),
        (ADD.format("release"), LOAD.format("acquire"), False),
        (ADD.format("acquire"), LOAD.format("acquire"), False),
        (ADD.format("relaxed"), LOAD.format("acquire"), False),
    ],
)
def test_atomics_synchronise_as_their_order_says(tmp_path: Path, write: str, read: str, expected: bool) -> None:
    assert is_trusted(write, read, tmp_path) is expected


@pytest.mark.parametrize(("failure", "expected"), [("acquire", True), ("seq_cst", True), ("relaxed", False)])
def test_an_exchange_that_fails_reads_all_the_same(tmp_path: Path, failure: str, expected: bool) -> None:
    exchange = "({ int old = 1; atomic_compare_exchange_strong_explicit(&flag, &old, 2, memory_order_seq_cst, "
    exchange += f"memory_order_{failure}); }})"
    assert is_trusted(STORE.format("release"), exchange, tmp_path) is expected


PLAIN_WRITE, PLAIN_READ = "flag = 1", "flag"
ATOMIC_WRITE, ATOMIC_READ = "__atomic_store_n(&flag, 1, __ATOMIC_RELEASE)", "__atomic_load_n(&flag, __ATOMIC_ACQUIRE)"


@pytest.mark.parametrize(
    ("write", "read", "is_race"),
    [
        (PLAIN_WRITE, PLAIN_READ, True),
        (PLAIN_WRITE, ATOMIC_READ, True),  # an atomic access and a plain one race, too
        (ATOMIC_WRITE, PLAIN_READ, True),
        (ATOMIC_WRITE, ATOMIC_READ, False),
    ],
)
def test_a_cell_with_a_race_tells_nothing(tmp_path: Path, write: str, read: str, is_race: bool) -> None:
    text = f"int x, flag; void *f(void *p) {{ x = 1; {write}; return 0; }}\n"
    text += f"void *g(void *p) {{ if ({read}) x = 2; return 0; }}\n" + TAIL
    program = of_text(text, tmp_path)
    flags = [pair for pair in program.pairs if program.cp.objects[pair.target.object].name == "flag"]
    others = tuple(pair for pair in program.pairs if pair not in flags)
    assert len(flags) == 1
    assert "flag" in names(program)
    assert ("flag" not in names(program, others)) is is_race
    assert bool(touched_by(Surroundings(program.cp), flags[0])) is is_race


def test_a_pair_is_about_what_both_may_touch(tmp_path: Path) -> None:
    text = "int a, b, x; int *at; void *f(void *p) { *at = 1; return 0; }\n"
    text += "void *g(void *p) { a = 2; x = b; return 0; }\n"
    text += TAIL.replace("{", "{ at = ANY ? &a : &b;", 1)
    program = of_text(text, tmp_path)
    pairs = [pair for pair in program.pairs if program.cp.objects[pair.target.object].name == "a"]
    assert pairs
    harmless = tuple(pair for pair in program.pairs if pair not in pairs)
    assert "a" not in names(program, harmless)
    assert "b" in names(program, harmless)
