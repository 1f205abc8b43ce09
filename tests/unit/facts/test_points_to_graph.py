"""propagation: random constraint systems, grown while they are solved, against a naive fixpoint."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raceproof.core import Budget, InternalError, LimitReached
from raceproof.facts.pointers.propagation import ConstraintGraph, members

VALUES = 4
NODES = 4
CYCLE = {v: (v + 1) % VALUES for v in range(VALUES)}


class CellPerValue:
    """Value v points to cell v; the last value is a function, which has no cell."""

    def __init__(self, graph: ConstraintGraph) -> None:
        self._nodes = [graph.new_node() for _ in range(VALUES - 1)]

    def read_of(self, value: int) -> int | None:
        return self._nodes[value] if value < VALUES - 1 else None

    write_of = read_of


@dataclass
class NextValue:
    """The operation of these tests: value v becomes the next one."""

    target: int
    distance: int | None = 1

    def apply(self, bits: int) -> int:
        return sum(1 << CYCLE[v] for v in members(bits))


nodes = st.integers(0, NODES - 1)
values = st.integers(0, VALUES - 1)
constraints = st.one_of(
    st.tuples(st.just("add"), nodes, values),
    st.tuples(st.just("copy"), nodes, nodes),
    st.tuples(st.just("load"), nodes, nodes),
    st.tuples(st.just("store"), nodes, nodes),
    st.tuples(st.just("shift"), nodes, nodes),
    st.tuples(st.just("copy of fixed"), nodes, values),
    st.tuples(st.just("watch"), nodes, nodes),
    st.tuples(st.just("solve"), nodes, nodes),
    st.tuples(st.just("merge"), nodes, nodes),
)
systems = st.lists(constraints, min_size=5, max_size=40)


def fast(system: list[tuple[str, int, int]]) -> list[set[int]]:
    graph = ConstraintGraph()
    graph.cells = CellPerValue(graph)
    node = [graph.new_node() for _ in range(NODES)]
    for kind, a, b in system:
        match kind:
            case "add":
                graph.add(node[a], 1 << b)
            case "copy":
                graph.copy(node[a], node[b])
            case "load":
                graph.copy(graph.load(node[a]), node[b])
            case "store":
                graph.store(node[a], node[b])
            case "shift":
                graph.copy(graph.shift(node[a], "next", NextValue), node[b])
            case "copy of fixed":
                graph.copy(graph.fixed(1 << b), node[a])
            case "watch":
                graph.watch(node[a], lambda value, to=node[b]: graph.add(to, 1 << value))  # type: ignore[misc]
            case "solve":
                graph.solve(Budget.unlimited())
            case "merge":
                graph.merge_cycles()
    graph.solve(Budget.unlimited())
    return [set(members(graph.pts[graph.parent[n]])) for n in node]


def naive(system: list[tuple[str, int, int]]) -> list[set[int]]:
    sets: list[set[int]] = [set() for _ in range(NODES)]
    cells: list[set[int]] = [set() for _ in range(VALUES)]
    for _ in range(NODES * VALUES * 4):
        for kind, a, b in system:
            match kind:
                case "add":
                    sets[a].add(b)
                case "copy" | "watch":
                    sets[b] |= sets[a]
                case "load":
                    sets[b] |= {v for p in sets[a] if p < VALUES - 1 for v in cells[p]}
                case "store":
                    for p in sets[b]:
                        cells[p] |= sets[a]
                case "shift":
                    sets[b] |= {CYCLE[v] for v in sets[a]}
                case "copy of fixed":
                    sets[a].add(b)
    return sets


@settings(max_examples=1000)
@given(systems)
def test_agrees_with_the_naive_fixpoint(system: list[tuple[str, int, int]]) -> None:
    assert fast(system) == naive(system)


@given(st.sets(st.integers(0, 500)))
def test_members_lists_a_set_in_order(numbers: set[int]) -> None:
    assert members(sum(1 << n for n in numbers)) == sorted(numbers)


def test_nodes_of_a_cycle_are_merged() -> None:
    graph = ConstraintGraph()
    graph.cells = CellPerValue(graph)
    a, b, c = graph.new_node(), graph.new_node(), graph.new_node()
    for source, target in ((a, b), (b, a), (b, c)):
        graph.copy(source, target)
    graph.solve(Budget.unlimited())
    assert graph.parent[a] == graph.parent[b] != graph.parent[c]


def test_what_equal_pointers_load_is_merged() -> None:
    graph = ConstraintGraph()
    graph.cells = CellPerValue(graph)
    a, b = graph.new_node(), graph.new_node()
    first, second = graph.load(a), graph.load(b)
    graph.copy(a, b)
    graph.copy(b, a)
    graph.merge_cycles()
    assert graph.parent[first] == graph.parent[second]


def test_a_fixed_node_does_not_change() -> None:
    graph = ConstraintGraph()
    node = graph.fixed(0b1)
    with pytest.raises(InternalError):
        graph.add(node, 0b10)


def test_the_budget_stops_it() -> None:
    graph = ConstraintGraph()
    graph.add(graph.new_node(), 1)
    with pytest.raises(LimitReached):
        graph.solve(Budget.seconds(-1))
