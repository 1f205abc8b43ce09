"""Graph algorithms against brute force: definitions, spelled out over reachability."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from raceproof.core import dominators, natural_loops, reverse_postorder, strongly_connected

Graph = dict[int, list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(1, 8))
    node = st.integers(0, size - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=3 * size, unique=True))
    return {n: [b for a, b in edges if a == n] for n in range(size)}


def reachable(graph: Graph, start: int, without: Iterable[int] = ()) -> set[int]:
    seen: set[int] = set()
    work = [start] if start not in without else []
    while work:
        node = work.pop()
        if node not in seen:
            seen.add(node)
            work += [n for n in graph[node] if n not in without]
    return seen


def predecessors(graph: Graph) -> dict[int, list[int]]:
    return {n: [a for a in graph if n in graph[a]] for n in graph}


def idoms(graph: Graph) -> tuple[list[int], dict[int, int]]:
    order = reverse_postorder(0, graph.__getitem__)
    return order, dominators(order, predecessors(graph))


@given(graphs())
def test_strongly_connected_are_the_classes_of_mutual_reachability(graph: Graph) -> None:
    components = strongly_connected(graph, graph.__getitem__)
    assert sorted(n for c in components for n in c) == sorted(graph)
    reach = {n: reachable(graph, n) for n in graph}
    for component in components:
        for node in component:
            assert set(component) == {n for n in graph if n in reach[node] and node in reach[n]}


@given(graphs())
def test_strongly_connected_comes_callees_first(graph: Graph) -> None:
    components = strongly_connected(graph, graph.__getitem__)
    place = {n: i for i, c in enumerate(components) for n in c}
    for node, successors in graph.items():
        assert all(place[s] <= place[node] for s in successors)


@given(graphs())
def test_reverse_postorder_has_what_is_reachable_and_respects_forward_edges(graph: Graph) -> None:
    order = reverse_postorder(0, graph.__getitem__)
    assert order[0] == 0
    assert sorted(order) == sorted(reachable(graph, 0))
    place = {n: i for i, n in enumerate(order)}
    for node in order:
        for successor in graph[node]:
            # An edge that goes back in the order closes a cycle.
            assert place[node] < place[successor] or node in reachable(graph, successor)


@given(graphs())
def test_dominators_are_the_nodes_that_cut_from_the_entry(graph: Graph) -> None:
    order, idom = idoms(graph)
    assert idom[0] == 0
    assert sorted(idom) == sorted(order)

    def strict(node: int) -> set[int]:
        return {d for d in order if d != node and node not in reachable(graph, 0, without=(d,))}

    for node in order[1:]:
        assert idom[node] in strict(node)
        assert strict(node) == strict(idom[node]) | {idom[node]}


@given(graphs())
def test_natural_loops_are_what_reaches_a_latch_without_the_header(graph: Graph) -> None:
    order, idom = idoms(graph)
    expected: dict[int, set[int]] = {}
    for latch in order:
        for header in graph[latch]:
            dominated = header == latch or latch not in reachable(graph, 0, without=(header,))
            if dominated:
                body = {n for n in order if n != header and latch in reachable(graph, n, without=(header,))}
                expected.setdefault(header, {header}).update(body)
    assert natural_loops(order, predecessors(graph), idom) == expected


def test_deep_graphs_do_not_exhaust_the_stack() -> None:
    size = 50_000
    graph = {n: [n + 1] for n in range(size)} | {size: []}
    assert len(strongly_connected(graph, graph.__getitem__)) == size + 1
    assert reverse_postorder(0, graph.__getitem__) == list(range(size + 1))
