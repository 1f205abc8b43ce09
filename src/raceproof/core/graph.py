"""Graph algorithms over any hashable nodes: SCCs, reverse postorder, dominators, natural loops.

All are iterative (deep graphs must not exhaust the stack) and deterministic: the order of results
follows the order of the nodes and successors given.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strongly_connected(nodes: Iterable[N], successors: Callable[[N], Iterable[N]]) -> list[list[N]]:
    """Tarjan's algorithm; components come in reverse topological order (callees before callers)."""
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    on_stack: set[N] = set()
    stack: list[N] = []
    result: list[list[N]] = []
    for root in nodes:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(successors(root)))]
        while work:
            node, rest = work[-1]
            for succ in rest:
                if succ not in index:
                    index[succ] = low[succ] = len(index)
                    stack.append(succ)
                    on_stack.add(succ)
                    work.append((succ, iter(successors(succ))))
                    break
                if succ in on_stack:
                    low[node] = min(low[node], index[succ])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component: list[N] = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    result.append(component)
    return result


def reverse_postorder(entry: N, successors: Callable[[N], Iterable[N]]) -> list[N]:
    """Nodes reachable from `entry`, each before its successors except along back edges."""
    seen = {entry}
    order: list[N] = []
    work = [(entry, iter(successors(entry)))]
    while work:
        node, rest = work[-1]
        for succ in rest:
            if succ not in seen:
                seen.add(succ)
                work.append((succ, iter(successors(succ))))
                break
        else:
            work.pop()
            order.append(node)
    order.reverse()
    return order


def targets_of_back_edges(entry: N, successors: Callable[[N], Iterable[N]]) -> frozenset[N]:
    """Nodes such that every cycle that can be reached has one: those on the way of the search that meets them again."""
    found: set[N] = set()
    is_done = {entry: False}
    work = [(entry, iter(successors(entry)))]
    while work:
        node, rest = work[-1]
        for succ in rest:
            if succ not in is_done:
                is_done[succ] = False
                work.append((succ, iter(successors(succ))))
                break
            if not is_done[succ]:
                found.add(succ)
        else:
            is_done[node] = True
            work.pop()
    return frozenset(found)


def dominators(order: Sequence[N], predecessors: Mapping[N, Sequence[N]]) -> dict[N, N]:
    """Immediate dominators for a graph given in reverse postorder; the entry dominates itself.

    Follows [CHK01, Fig. 3]. Differs: nothing.
    """
    number = {node: i for i, node in enumerate(order)}
    idom: dict[N, N] = {order[0]: order[0]}

    def intersect(a: N, b: N) -> N:
        while a != b:
            while number[a] > number[b]:
                a = idom[a]
            while number[b] > number[a]:
                b = idom[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            done = [p for p in predecessors.get(node, ()) if p in idom]
            new = done[0]
            for p in done[1:]:
                new = intersect(p, new)
            if idom.get(node) != new:
                idom[node] = new
                changed = True
    return idom


def natural_loops(
    order: Sequence[N], predecessors: Mapping[N, Sequence[N]], idom: Mapping[N, N]
) -> dict[N, frozenset[N]]:
    """Header -> nodes of its natural loop (header included); loops with one header are united."""

    def is_dominated(node: N, by: N) -> bool:
        while True:
            if node == by:
                return True
            if idom[node] == node:
                return False
            node = idom[node]

    loops: dict[N, set[N]] = {}
    for header in order:
        for latch in predecessors.get(header, ()):
            if latch in idom and is_dominated(latch, header):
                body = loops.setdefault(header, {header})
                work = [latch]
                while work:
                    node = work.pop()
                    if node not in body:
                        body.add(node)
                        work.extend(p for p in predecessors.get(node, ()) if p in idom)
    return {header: frozenset(body) for header, body in loops.items()}
