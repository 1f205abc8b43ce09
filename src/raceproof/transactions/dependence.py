"""Which decisions of a thread decide whether it comes to a point: control dependence in its graph.

Only the choice of a slice rests on this; a decision that is left out counts as one that may go either way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from raceproof.core import dominators, natural_loops, reverse_postorder
from raceproof.transactions.thread_graph import ThreadGraph


class Dependence:
    """Sets of nodes are numbers, with a bit for each node. `sees_ends`: whether a way on which the thread comes to its
    end, and nowhere else, counts where it has another way to go.

    `decides[n]`: the points for which it matters where the thread goes from node n. `ahead[n]`: the points that it may
    come to from there. `exits`: nodes at which it may leave a loop.
    """

    def __init__(self, graph: ThreadGraph, sees_ends: bool) -> None:
        count = len(graph.nodes)
        targets = [[count if e.target is None else e.target for e in node.edges] or [count] for node in graph.nodes]
        if not sees_ends:
            targets = _without_ends(targets, count)
        self._edges = [
            [(i, e.target) for i, e in enumerate(node.edges) if (count if e.target is None else e.target) in targets[n]]
            for n, node in enumerate(graph.nodes)
        ]
        self.ahead = _ahead(targets, count)
        is_choice = [len(mine) > 1 for mine in targets]
        ahead = self.ahead
        for head in sorted(graph.heads):  # a loop without an end: it may end where it begins
            if not ahead[head] >> count & 1:
                targets[head].append(count)
                ahead = _ahead(targets, count)
        behind = _certain(targets, count)
        self.decides = [
            union(behind[target] for target in targets[n]) & ~(behind[n] & ~(1 << n)) if is_choice[n] else 0
            for n in range(count)
        ]

        self.exits = frozenset(
            n for loop in _loops(graph) for n in loop if any(edge.target not in loop for edge in graph.nodes[n].edges)
        )

    def deciding(self, points: int) -> Iterator[int]:
        """The nodes with a decision on whether one of the points is reached."""
        return (n for n, decided in enumerate(self.decides) if decided & points)

    def deciding_between(self, chosen: Collection[tuple[int, int]]) -> list[int]:
        """The nodes with a decision on whether the thread goes along one of some edges, whichever of them it is.

        `chosen`: numbers of nodes, and of edges among those of the node.
        """
        marked = set(chosen)
        places = union(1 << number for number, _ in marked)
        is_certain = [bool((self.ahead[number] | 1 << number) & places) for number in range(len(self._edges))]

        def outcomes(number: int) -> set[bool]:
            return {
                (number, edge) in marked or (target is not None and is_certain[target])
                for edge, target in self._edges[number]
            } or {False}

        changed = True
        while changed:
            changed = False
            for number in range(len(self._edges) - 1, -1, -1):
                if is_certain[number] and outcomes(number) != {True}:
                    is_certain[number], changed = False, True
        return [number for number in range(len(self._edges)) if len(outcomes(number)) > 1]


def _loops(graph: ThreadGraph) -> Iterable[frozenset[int]]:
    def successors(number: int) -> list[int]:
        return [edge.target for edge in graph.nodes[number].edges if edge.target is not None]

    order = reverse_postorder(graph.entry, successors)
    predecessors: dict[int, list[int]] = {}
    for number in order:
        for target in successors(number):
            predecessors.setdefault(target, []).append(number)
    return natural_loops(order, predecessors, dominators(order, predecessors)).values()


def _without_ends(targets: list[list[int]], count: int) -> list[list[int]]:
    """Without the ways to the end for nodes that have others."""
    ends = {count}
    changed = True
    while changed:
        more = {n for n in range(count) if n not in ends and ends.issuperset(targets[n])}
        changed = bool(more)
        ends |= more
    return [[target for target in mine if target not in ends] or mine for mine in targets]


def _ahead(targets: list[list[int]], count: int) -> list[int]:
    found = [0] * count
    changed = True
    while changed:
        changed = False
        for n in range(count - 1, -1, -1):
            new = union((1 << target) | (found[target] if target < count else 0) for target in targets[n])
            if new != found[n]:
                found[n], changed = new, True
    return found


def _certain(targets: list[list[int]], count: int) -> list[int]:
    """For each node, those that every way from it to the end goes through; it is one of them."""
    everything = (1 << (count + 1)) - 1
    found = [everything] * count + [1 << count]
    changed = True
    while changed:
        changed = False
        for n in range(count - 1, -1, -1):
            new = everything
            for target in targets[n]:
                new &= found[target]
            new |= 1 << n
            if new != found[n]:
                found[n], changed = new, True
    return found


def members(points: int) -> Iterator[int]:
    while points:
        lowest = points & -points
        yield lowest.bit_length() - 1
        points ^= lowest


def union(sets: Iterable[int]) -> int:
    found = 0
    for points in sets:
        found |= points
    return found
