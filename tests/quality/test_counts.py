"""How many executions the searches need: numbers from formulas, so that a lost and a doubled execution both fail."""

from __future__ import annotations

import random
from functools import cache
from math import comb, factorial
from pathlib import Path

import pytest
from exploring import Searched, Subject, load, load_text, search
from quality.traces import PROGRAM, count_traces

from raceproof.explore.protocol import BY_SCHEDULES

BENCH = Path(__file__).parents[2] / "bench" / "explore"
FIRST_SEED, CASES = 1, 60


@cache
def bench(name: str, *flags: str) -> Subject:
    return load(BENCH / name, *flags)


def explored(name: str, *flags: str, algorithm: str = "optimal") -> Searched:
    found = search(bench(name, *flags), algorithm, find_all=True)
    assert found.is_complete, found.why()
    return found


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return load_text(PROGRAM, tmp_path_factory.mktemp("traces"))


def needed(interpreter: Subject, threads: tuple[str, ...], algorithm: str = "optimal") -> Searched:
    found = search(interpreter, algorithm, arguments=threads)
    assert found.is_complete, found.why()
    assert not found.others, found.why()
    return found


# -- one execution for each trace

SECTIONS = [(1, 3), (2, 1), (2, 2), (2, 5), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (5, 1), (6, 1)]


@pytest.mark.parametrize(("threads", "sections"), SECTIONS)
def test_locked_sections(threads: int, sections: int, interpreter: Subject) -> None:
    found = needed(interpreter, ("s0" * sections,) * threads)
    traces = factorial(threads * sections) // factorial(sections) ** threads
    assert (found.executions, found.blocked) == (traces, 0)


@pytest.mark.parametrize("writers", range(1, 6))
def test_writers_and_a_reader(writers: int, interpreter: Subject) -> None:
    """Each on its own variable: any of them may come before or behind the reader's look at it."""
    reader = "".join(f"r{k}" for k in range(min(writers, 4)))
    found = needed(interpreter, (*(f"w{k}" for k in range(min(writers, 4))), reader))
    assert (found.executions, found.blocked) == (2 ** min(writers, 4), 0)
    same = needed(interpreter, ("w0",) * writers + ("r0",))
    assert (same.executions, same.blocked) == (factorial(writers + 1), 0)


@pytest.mark.parametrize("readers", range(1, 7))
def test_a_writer_and_readers(readers: int, interpreter: Subject) -> None:
    found = needed(interpreter, ("w0", *("r0",) * readers))
    assert (found.executions, found.blocked) == (2**readers, 0)


@pytest.mark.parametrize("reads", range(1, 6))
def test_one_write_among_reads(reads: int, interpreter: Subject) -> None:
    """n writes of one thread and one reader's look: n + 1 places for it; the same for one write among n looks."""
    for threads in (("w0" * reads, "r0"), ("w0", "r0" * reads)):
        found = needed(interpreter, threads)
        assert (found.executions, found.blocked) == (reads + 1, 0)


def test_independent_threads_need_one_execution(interpreter: Subject) -> None:
    for threads in (("w0", "w1", "w2", "s0"), ("r0",) * 5, ("w0r0w0",)):
        for algorithm in BY_SCHEDULES[1:]:
            assert needed(interpreter, threads, algorithm).executions == 1


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + CASES))
def test_random_programs_without_branches(seed: int, interpreter: Subject) -> None:
    choose = random.Random(seed)
    count = choose.choice((2, 3, 3, 4))
    kinds = [f"{what}{k}" for what in "rrwws" for k in range(choose.choice((1, 2, 3)))]
    threads = tuple("".join(choose.choices(kinds, k=choose.randint(1, 9 // count))) for _ in range(count))
    traces = count_traces(threads)
    optimal = needed(interpreter, threads)
    assert (optimal.executions, optimal.blocked) == (traces, 0), threads
    assert needed(interpreter, threads, "dfs").executions >= traces, threads
    assert needed(interpreter, threads, "dpor").executions >= traces, threads


def test_the_counter_of_traces_counts() -> None:
    assert count_traces(("s0s0", "s0s0")) == 6
    assert count_traces(("w0", "r0r0r0")) == 4
    assert count_traces(("w0w1", "r1r0")) == 3
    assert count_traces(("w0", "s0")) == 1


# -- programs of the benchmark

KNOWN = {
    "sections.c -DT=2 -DI=4": comb(8, 4),
    "sections.c -DT=3 -DI=2": 90,
    "queue.c -DN=2": factorial(4),
    "stack.c -DSIZE=5": comb(10, 5),
    "circular_buffer.c -DSIZE=5": comb(10, 5),
    "indexer.c -DN=12": 8,
    "filesystem.c -DN=16": 2**3,
    "fib_bench.c -DN=1": count_traces(("r1w0", "r0w1", "r0r1")),
    "fib_bench.c -DN=2": count_traces(("r1w0" * 2, "r0w1" * 2, "r0r1")),
    "fib_bench.c -DN=4": 19_605,
    "lastzero.c -DN=5": 8 * 2**3,
    "lastzero.c -DN=7": 10 * 2**5,
    "readers.c -DN=8": 2**8,
    "local_operations.c -DN=100": comb(4, 2),
}


@pytest.mark.parametrize("case", KNOWN)
def test_known_numbers_of_traces(case: str) -> None:
    found = explored(*case.split())
    assert (found.executions, found.blocked) == (KNOWN[case], 0)
    assert found.is_proved, found.why()


# -- the default algorithm looks for races only


@pytest.mark.parametrize(("threads", "sections"), [(2, 4), (3, 2), (7, 1), (4, 4)])
def test_locked_sections_are_proved_in_one_execution(threads: int, sections: int) -> None:
    found = explored("sections.c", f"-DT={threads}", f"-DI={sections}", algorithm="race")
    assert (found.verdict, found.executions) == ("race-free", 1)


@pytest.mark.parametrize("sections", [2, 6])
def test_a_rare_race_is_found_at_once(sections: int) -> None:
    found = search(bench("rare_race.c", f"-DN={sections}"))
    assert found.verdict == "race"
    assert found.executions <= 10


# -- pruning

PRUNED = ["sections.c -DT=2 -DI=3", "sections.c -DT=3 -DI=2", "queue.c -DN=2", "stack.c -DSIZE=3", "rare_race.c -DN=2"]


@pytest.mark.parametrize("case", PRUNED)
def test_pruning_needs_no_more_executions(case: str) -> None:
    dpor, pdp, dhtc = (explored(*case.split(), algorithm=name) for name in ("dpor", "pdp", "dhtc"))
    assert pdp.executions <= dpor.executions
    assert dhtc.executions <= dpor.executions
    assert dpor.verdict == ("race" if case.startswith("rare_race") else "race-free")
    assert {pdp.verdict, dhtc.verdict} == {dpor.verdict}


def test_pruning_prunes() -> None:
    """Sections that protect everything: nothing in them has to be tried in another order."""
    dpor, pdp, dhtc = (explored("sections.c", "-DT=3", "-DI=2", algorithm=name) for name in ("dpor", "pdp", "dhtc"))
    assert dpor.executions >= 90
    assert pdp.executions < dpor.executions
    assert dhtc.executions < dpor.executions
