"""Makes control graphs small without changing what can be covered.

What nobody takes need not be given; what cannot come to a step that matters need not be followed; points between which
a thread moves freely are one; a point that is only passed through is left out; points with the same future are one.
Each of these keeps exactly the sets of accesses at which threads can stand at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from raceproof.core import Budget, strongly_connected
from raceproof.petri.program_code import ANY_SEMAPHORE
from raceproof.petri.program_edges import At, Edge, Graph, Lock, Resource, Semaphore, Start, Tokens


def reduced(graph: Graph, budget: Budget, keeps_lock: Callable[[Lock], bool]) -> list[Edge]:
    """The edges that are left; locks that are not kept protect nothing."""
    pinned = frozenset(graph.entries.values())
    edges = _without_resources(graph.edges, lambda r: not isinstance(r, Lock) or keeps_lock(r))
    edges = with_named_semaphores(edges)
    before = -1
    while len(edges) != before:
        budget.check()
        before = len(edges)
        edges = _without_useless(edges, graph)
        edges = _without_circles(edges, pinned)
        edges = _without_passages(edges, pinned, budget)
        edges = _without_twins(edges, pinned, budget)
    return edges


def _without_resources(edges: list[Edge], keeps: Callable[[Resource], bool]) -> list[Edge]:
    def left(tokens: Tokens) -> Tokens:
        return tuple((resource, count) for resource, count in tokens if keeps(resource))

    return [replace(e, take=left(e.take), give=left(e.give)) for e in edges]


def with_named_semaphores(edges: list[Edge]) -> list[Edge]:
    """A post of some semaphore is a post of every one."""
    named = list(dict.fromkeys(r for e in edges for r, _ in e.take if isinstance(r, Semaphore)))
    found = []
    for edge in edges:
        count = sum(n for r, n in edge.give if r == Semaphore(ANY_SEMAPHORE))
        if count:
            plain = tuple((r, n) for r, n in edge.give if r != Semaphore(ANY_SEMAPHORE))
            edge = replace(edge, give=(*plain, *((r, count) for r in named)))
        found.append(edge)
    return found


def _without_useless(edges: list[Edge], graph: Graph) -> list[Edge]:
    """No tokens that nobody takes, no threads that do nothing, no points from which nothing happens any more."""
    while True:
        useful = _useful_nodes(edges)
        wanted: set[Resource] = {r for e in edges for r, _ in e.take}
        wanted.update(Start(copy) for copy, node in graph.entries.items() if node in useful)
        wanted.update(r for e in edges for r, _ in e.give if isinstance(r, At))
        left = _without_resources(edges, wanted.__contains__)
        left = [e if e.target is None or e.target in useful else replace(e, target=None) for e in left]
        left = _distinct(e for e in left if e.give or e.target not in (None, e.source))
        if left == edges:
            return edges
        edges = left


def _useful_nodes(edges: list[Edge]) -> set[int]:
    """Nodes from which a step that gives something can be reached."""
    before: dict[int, list[int]] = {}
    for edge in edges:
        if edge.target is not None:
            before.setdefault(edge.target, []).append(edge.source)
    found = {e.source for e in edges if e.give}
    work = list(found)
    while work:
        for node in before.get(work.pop(), ()):
            if node not in found:
                found.add(node)
                work.append(node)
    return found


def _without_circles(edges: list[Edge], pinned: frozenset[int]) -> list[Edge]:
    """Points on a circle of silent steps become one."""
    silent: dict[int, list[int]] = {}
    for edge in edges:
        if edge.is_silent and edge.target is not None:
            silent.setdefault(edge.source, []).append(edge.target)
    renamed: dict[int, int] = {}
    for component in strongly_connected(list(silent), lambda node: silent.get(node, ())):
        if len(component) > 1:
            fixed = [node for node in component if node in pinned]
            if len(fixed) <= 1:
                renamed.update(dict.fromkeys(component, fixed[0] if fixed else min(component)))
    return _renamed(edges, renamed)


def _renamed(edges: list[Edge], names: dict[int, int]) -> list[Edge]:
    if not names:
        return edges
    found = (
        replace(
            e, source=names.get(e.source, e.source), target=None if e.target is None else names.get(e.target, e.target)
        )
        for e in edges
    )
    return _distinct(e for e in found if not (e.is_silent and e.target == e.source))


def _distinct(edges: Iterable[Edge]) -> list[Edge]:
    """Each step once, whatever it is called."""
    found: dict[tuple[int, int | None, Tokens, Tokens], Edge] = {}
    for edge in edges:
        found.setdefault((edge.source, edge.target, edge.take, edge.give), edge)
    return list(found.values())


def _without_passages(edges: list[Edge], pinned: frozenset[int], budget: Budget) -> list[Edge]:
    """Leave out points that are entered or left by silent steps only, unless that makes more steps."""
    into: dict[int, dict[Edge, None]] = {}
    out: dict[int, dict[Edge, None]] = {}

    def add(edge: Edge) -> None:
        out.setdefault(edge.source, {})[edge] = None
        if edge.target is not None:
            into.setdefault(edge.target, {})[edge] = None

    def remove(edge: Edge) -> None:
        del out[edge.source][edge]
        if edge.target is not None:
            del into[edge.target][edge]

    for edge in edges:
        add(edge)
    work = sorted(into.keys() - pinned, reverse=True)
    while work:
        budget.check()
        node = work.pop()
        entering, leaving = list(into.get(node, ())), list(out.get(node, ()))
        if not entering or not leaving or any(e.target == node for e in leaving):
            continue
        if len(entering) * len(leaving) > len(entering) + len(leaving):
            continue
        if all(e.is_silent for e in leaving):
            joined = [replace(e, target=f.target) for e in entering for f in leaving]
        elif all(e.is_silent for e in entering):
            joined = [replace(f, source=e.source) for e in entering for f in leaving]
        else:
            continue
        for edge in (*entering, *leaving):
            remove(edge)
        for edge in joined:
            if not (edge.is_silent and edge.target == edge.source):
                add(edge)
    return _distinct(edge for edges_of in out.values() for edge in edges_of)


def _without_twins(edges: list[Edge], pinned: frozenset[int], budget: Budget) -> list[Edge]:
    """Points with the same steps to the same points become one."""
    while True:
        budget.check()
        futures: dict[int, set[tuple[int | None, Tokens, Tokens]]] = {}
        for edge in edges:
            futures.setdefault(edge.source, set()).add((edge.target, edge.take, edge.give))
        first: dict[frozenset[tuple[int | None, Tokens, Tokens]], int] = {}
        renamed: dict[int, int] = {}
        for node in sorted(futures):
            if node not in pinned:
                same = first.setdefault(frozenset(futures[node]), node)
                if same != node:
                    renamed[node] = same
        if not renamed:
            return edges
        edges = _renamed(edges, renamed)
