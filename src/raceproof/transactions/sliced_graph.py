"""The graph of a thread without what a slice leaves out: actions, locks, and then nodes at which nothing is done.

Whatever the slice, the graph that is left can do all that the whole one can.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from raceproof.domains import Variable, variables_of
from raceproof.transactions.actions import Action, Assign, Assume, Expect, Forget, Read, assigned, extended, used
from raceproof.transactions.lowering import Resource
from raceproof.transactions.names import Shared
from raceproof.transactions.slicing import Code, Relevance, Slice
from raceproof.transactions.thread_graph import Edge, Kind, Node, ThreadGraph


def sliced(code: Code, part: Slice, resources: frozenset[Resource], cut: frozenset[int]) -> ThreadGraph:
    """The graph without what is not in the slice. `resources`: what threads may conflict on. `cut`: points at which the
    thread does nothing any more, since it never comes there. They have no part in what is left out: a point that was
    not reached before it was cut must not be reached afterwards.
    """
    relevance = code.relevance(part)
    nodes = [_reduced(code, n, part, relevance, resources) for n in range(len(code.graph.nodes))]
    merged = code.graph.merged
    alive = {merged.get(number, number) for number in range(len(nodes)) if number not in cut}
    nodes = [node if number in alive else _stopped(node) for number, node in enumerate(nodes)]
    bypassed = _bypass(nodes, code.graph.entry)
    nodes = [replace(node, touch=None, edges=[]) if n in bypassed else node for n, node in enumerate(nodes)]
    graph = ThreadGraph(
        code.graph.thread, nodes, code.graph.entry, code.graph.parameter, bypassed=bypassed, merged=merged
    )
    graph.finish()
    graph.places = code.places
    return graph


def _stopped(node: Node) -> Node:
    return replace(node, kind=Kind.OTHER, touch=None, edges=[])


def resources_of(codes: Iterable[Code], part: Slice) -> frozenset[Resource]:
    """The cells of a slice, and what its accesses touch."""
    found = set(_resources(part.cells))
    for code in codes:
        for node in code.graph.nodes:
            if node.touch is not None and not part.accesses.isdisjoint(node.touch.accesses):
                found |= node.touch.reads | node.touch.writes
    return frozenset(found)


def _resources(cells: Iterable[Variable]) -> frozenset[Resource]:
    return frozenset(cell.name.cell for cell in cells if isinstance(cell.name, Shared))


def _reduced(code: Code, number: int, part: Slice, relevance: Relevance, resources: frozenset[Resource]) -> Node:
    """Stays a node that others can see if it makes an access of a pair, or one of its actions is about a cell."""
    node, summary = code.graph.nodes[number], code.summaries[number]
    edges = [_edge(edge, part, relevance, number in relevance.decisions) for edge in node.edges]
    touch = node.touch
    if touch is not None:
        is_asked = not part.accesses.isdisjoint(touch.accesses)
        touch = replace(touch, reads=touch.reads & resources, writes=touch.writes & resources)
        if not is_asked and not any(_is_about(action, part) for edge in edges for action in edge.actions):
            touch = None
    is_seen = touch is not None or not node.edges or summary.creates or summary.has_lock(part)
    held = tuple(hold for hold in node.held if hold.lock in part.locks)
    return replace(
        node,
        point=replace(node.point, held=held),
        kind=node.kind if is_seen else Kind.LOCAL,
        touch=touch,
        edges=list(dict.fromkeys(edges)),
        blocks=node.blocks and any(isinstance(action, Assume) for edge in edges for action in edge.actions),
    )


def _is_about(action: Action, part: Slice) -> bool:
    return assigned(action) in part.cells or not part.cells.isdisjoint(used(action))


def _edge(edge: Edge, part: Slice, relevance: Relevance, is_decision: bool) -> Edge:
    takes = edge.takes if edge.takes is not None and edge.takes.lock in part.locks else None
    frees = None if edge.frees is None else edge.frees & {lock[0] for lock in part.locks}
    kept = (_action(action, part, relevance, is_decision) for action in edge.actions)
    return replace(edge, takes=takes, frees=frees, actions=tuple(action for action in kept if action is not None))


def _action(action: Action, part: Slice, relevance: Relevance, is_decision: bool) -> Action | None:
    match action:
        case Assume(condition=condition):
            known = part.cells.union(relevance.registers)
            return action if is_decision and known.issuperset(variables_of(condition)) else None
        case Expect(cell=cell):
            return action if cell in part.cells else None
        case Assign(variable=variable) if isinstance(variable.name, Shared):
            return action if variable in part.cells else None
        case Read(variable=variable, cell=cell) if variable in relevance.registers:
            return action if cell in part.cells else Forget(variable)
    return action if assigned(action) in relevance.registers else None


def _bypass(nodes: list[Node], entry: int) -> frozenset[int]:
    """Takes nodes out at which nothing is done, where that makes no more edges. Changes the edges of the others."""
    gone: set[int] = set()
    changed = True
    while changed:
        changed = False
        incoming: dict[int, list[int]] = {}
        for number, node in enumerate(nodes):
            if number in gone:
                continue
            if node.kind is Kind.LOCAL:
                node.edges = [e for e in node.edges if e.target != number or e.actions] or node.edges
            for edge in node.edges:
                if edge.target is not None:
                    incoming.setdefault(edge.target, []).append(number)
        for number, node in enumerate(nodes):
            sources = incoming.get(number, [])
            if node.kind is not Kind.LOCAL or number == entry or number in gone or number in sources or not sources:
                continue
            if node.blocks:  # who waits there has made the step before
                continue
            if not node.edges or (len(node.edges) > 1 and len(sources) > 1):
                continue
            for source in dict.fromkeys(sources):
                nodes[source].edges = _through(nodes[source].edges, number, node.edges)
            gone.add(number)
            changed = True
            for edge in node.edges:
                if edge.target is not None:
                    there = incoming[edge.target]
                    there.remove(number)
                    there.extend(sources)
    return frozenset(gone)


def _through(edges: Iterable[Edge], middle: int, behind: Iterable[Edge]) -> list[Edge]:
    """The edges, with those to `middle` going on along each of those behind it."""
    found: dict[Edge, None] = {}
    for edge in edges:
        if edge.target != middle:
            found[edge] = None
        else:
            for more in behind:
                actions = list(edge.actions)
                for action in more.actions:
                    actions += (new for new in extended(actions, action) if not _is_known(actions, new))
                found[replace(edge, target=more.target, actions=tuple(actions))] = None
    return list(found)


def _is_known(actions: Iterable[Action], new: Action) -> bool:
    """Whether the condition was just found out."""
    last = takewhile(lambda action: isinstance(action, Assume), reversed(list(actions)))
    return isinstance(new, Assume) and new in last
