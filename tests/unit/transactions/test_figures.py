"""The running example of [TX], as C: what its figures and examples say."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import PROGRAMS, Analysed, everything, of_file

from raceproof.core import Budget
from raceproof.model import Invariants, Scope, ThreadId, Verdict
from raceproof.transactions.graph import TransactionGraph
from raceproof.transactions.invariants import solve
from raceproof.transactions.lowering import Touch
from raceproof.transactions.products import Setting, Workshop
from raceproof.transactions.program import Surroundings

FIGURE = PROGRAMS / "values" / "fig1_below.c"
ALLOC, DEALLOC = ThreadId(1), ThreadId(2)


def line_of(text: str, path: Path = FIGURE, number: int = 0) -> int:
    lines = [n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1) if text in line]
    return lines[number]


A12, B3, B12 = line_of("sh = 5;"), line_of("sh = 2;"), line_of("sh = 4;")


@pytest.fixture(scope="module")
def figure() -> Analysed:
    return of_file(FIGURE)


@pytest.fixture(scope="module")
def graph(figure: Analysed) -> TransactionGraph:
    workshop = Workshop(Surroundings(figure.cp), Budget.unlimited())
    setting = Setting("intervals", False, frozenset(), {})
    return workshop.propagation(everything(workshop, 0, ALLOC, DEALLOC), setting).graph


def touch_at(graph: TransactionGraph, slot: int, line: int) -> Touch:
    nodes = graph.slots[slot].graph.nodes
    return next(n.touch for n in nodes if n.pos is not None and n.pos.line == line and n.touch is not None)


def conflict(one: Touch, other: Touch) -> bool:
    return not one.writes.isdisjoint(other.reads | other.writes) or not one.reads.isdisjoint(other.writes)


def test_lockset_warns_and_intervals_remove_the_warning(figure: Analysed) -> None:
    assert (A12, B3) in {figure.lines(pair) for pair in figure.open_pairs}
    assert (A12, B3) in figure.proved("intervals")


def test_the_invariants_of_the_paper_are_told(figure: Analysed) -> None:
    """With LIMIT 3: psi_3 says that the count is LIMIT at b3, phi_12 that it is below at a12."""
    finding = figure.finding((A12, B3))
    assert finding.scope is Scope.ALL_INPUTS
    assert isinstance(finding.evidence, Invariants)
    sides = {finding.evidence.first, finding.evidence.second}
    below = next(text for text in sides if f"line {A12}" in text)
    limit = next(text for text in sides if f"line {B3}" in text)
    assert "pg_count = 3" in limit
    assert "pg_count" in below
    assert "pg_count = 3" not in below


def test_example_1_dependence(graph: TransactionGraph) -> None:
    a14, b5 = line_of("pg_count++;", number=1), line_of("sh1 = sh;", number=1)
    assert conflict(touch_at(graph, 1, A12), touch_at(graph, 2, B12))
    assert not conflict(touch_at(graph, 1, a14), touch_at(graph, 2, b5))


def test_figure_2_no_node_where_locks_exclude_each_other(figure: Analysed) -> None:
    """(a5, b4), (a6, b3), (a3, b2): both threads would hold plk."""
    workshop = Workshop(Surroundings(figure.cp), Budget.unlimited())
    followed = frozenset(workshop.around.cells.variables.values())
    product = everything(workshop, 0, ALLOC, DEALLOC)
    propagation = workshop.propagation(product, Setting("intervals", False, followed, {}))
    solution = solve(propagation, Budget.unlimited())
    for where in solution.states:
        nodes = [propagation.graph.node(where, slot) for slot in (1, 2)]
        held = [{hold.lock for hold in node.held} for node in nodes if node is not None]
        assert len(held) < 2 or held[0].isdisjoint(held[1])


@pytest.mark.parametrize("name", ["fig1_below", "fig1_far_below", "fig1_loop_at_limit"])
def test_one_thread_of_each_kind(name: str) -> None:
    program = of_file(PROGRAMS / "values" / f"{name}.c")
    assert {finding.verdict for finding in program.run("intervals").findings} == {Verdict.RACE_FREE}


@pytest.mark.parametrize(
    "name",
    [
        "fig1_plain_below_race",
        pytest.param("fig1_two_below_race", marks=pytest.mark.slow),
        pytest.param("fig1_many_below_race", marks=pytest.mark.slow),
    ],
)
def test_with_more_threads_or_a_plain_counter_it_is_a_race(name: str) -> None:
    path = PROGRAMS / "values" / f"{name}.c"
    pair = tuple(sorted((line_of("sh = 5;", path), line_of("sh = 2;", path))))
    assert pair not in of_file(path).proved("intervals")
