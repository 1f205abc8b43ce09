"""The graph of a thread that forgets something: points that differ only in that are one point.

Where a lock is taken under a condition, all that follows is there twice, with the lock and without; where histories are
kept, so is all that follows any decision. Who does not ask for the lock, or how it came to this, would have to follow
the condition all the same, to know in which of the copies the thread is.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from raceproof.transactions.thread_graph import Edge, Kind, Node, Place, ThreadGraph


def forgetful(graph: ThreadGraph, kept: frozenset[Place], keeps_history: bool) -> ThreadGraph:
    """The same with no locks but those that are kept, and perhaps without histories. A node that becomes one with
    others can do what any of them can; the first of them stands for all, and is at its old number."""
    first: dict[Hashable, int] = {}
    stands_for = [first.setdefault(_key(node, kept, keeps_history), number) for number, node in enumerate(graph.nodes)]
    nodes = [replace(node, kind=Kind.LOCAL, touch=None, edges=[]) for node in graph.nodes]
    for number, node in enumerate(graph.nodes):
        held = tuple(hold for hold in node.held if hold.lock in kept)
        edges = dict.fromkeys(_edge(edge, stands_for, kept) for edge in node.edges)
        mine = nodes[stands_for[number]]
        earlier = [] if stands_for[number] == number else mine.edges
        nodes[stands_for[number]] = replace(
            graph.nodes[stands_for[number]],
            point=replace(mine.point, held=held),
            edges=[*earlier, *(edge for edge in edges if edge not in earlier)],
        )
    merged = {number: other for number, other in enumerate(stands_for) if number != other}
    found = replace(
        ThreadGraph(graph.thread, nodes, stands_for[graph.entry], graph.parameter, merged=merged),
        signals=graph.signals,
        unguarded=graph.unguarded,
    )
    found.find_heads()
    return found


def _key(node: Node, kept: frozenset[Place], keeps_history: bool) -> Hashable:
    held = tuple(hold for hold in node.held if hold.lock in kept)
    unsure = tuple(lock for lock in node.point.unsure if lock in kept)
    history = node.point.history if keeps_history else None
    return replace(node.point, held=held, unsure=unsure, lost=False, history=history), node.kind, node.touch


def _edge(edge: Edge, stands_for: list[int], kept: frozenset[Place]) -> Edge:
    return replace(
        edge,
        target=None if edge.target is None else stands_for[edge.target],
        takes=edge.takes if edge.takes is not None and edge.takes.lock in kept else None,
    )
