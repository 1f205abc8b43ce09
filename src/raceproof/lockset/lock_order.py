"""The lock-order graph, and the cycles in it that a deadlock could be.

Follows [Havelund00] (Goodlock): a thread that waits for B while it holds A is an edge from A to B; a deadlock needs a
cycle whose edges are of different threads, without a gate lock, held by two of them, that keeps them apart.
Differs:
  - The graph is of all executions, not of one: what a thread may hold, and may want (`facts.waiting`).
  - The end of a thread is a resource that it holds itself: a join waits for it. So is the right to run an initialiser.
  - Edges of which two cannot be there at the same time, by the order of creation and joining and the like, make no
    cycle ([Agarwal10] calls these segments).
  - A node may stand for several locks. A cycle of concrete ones is a closed walk here, which may come to a node more
    than once; it is made of simple cycles, and a conflict within one of these is one within the walk. A loop from a
    node to itself is never ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raceproof.core import Budget, strongly_connected
from raceproof.ir import SiteId
from raceproof.lockset.order import why_ordered
from raceproof.model import ConcurrentProgram, HeldLock, LockKind, LockMode, Resource, ThreadId, View, Waiting

MAX_CYCLES = 2_000


@dataclass(frozen=True, slots=True)
class Label:
    """Who makes an edge, and where it waits."""

    thread: ThreadId
    site: SiteId


@dataclass(frozen=True, slots=True)
class Edge:
    """The thread of the label holds `source` and waits for `target`."""

    source: Resource
    target: Resource
    label: Label


Cycle = tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """What the graph says: `cycles` that could be deadlocks, or, if there are none, an order of all resources.

    `ruled_out`: why others cannot. `is_cut`: there are more cycles than were looked at.
    """

    cycles: tuple[Cycle, ...]
    order: tuple[Resource, ...]
    ruled_out: tuple[str, ...]
    is_cut: bool


class LockOrderGraph:
    """Nodes are resources; between two of them there may be edges of several threads."""

    def __init__(self, cp: ConcurrentProgram, waiting: Waiting, budget: Budget) -> None:
        self._cp = cp
        self._views = waiting.views
        self._budget = budget
        self._edges: dict[Resource, dict[Resource, dict[Label, None]]] = {}
        self._conflicts: dict[tuple[Label, Label], str | None] = {}
        for wait in waiting.waits:
            label = Label(wait.thread, wait.site)
            for source in wait.may_hold:
                for target in wait.may_want:
                    self._edges.setdefault(source, {}).setdefault(target, {})[label] = None
                    self._edges.setdefault(target, {})

    def judge(self) -> Order:
        """All cycles that nothing rules out."""
        found: list[Cycle] = []
        ruled_out: dict[str, None] = {}
        graph = {source: sorted(targets, key=str) for source, targets in sorted(self._edges.items(), key=_name)}
        components = strongly_connected(list(graph), lambda node: graph[node])
        count = 0
        is_cut = False
        for component in components:
            for nodes in _simple_cycles(graph, frozenset(component)):
                self._budget.check()
                count += 1
                if count > MAX_CYCLES:
                    is_cut = True
                    break
                cycle = self._possible(nodes, ruled_out)
                if cycle is not None:
                    found.append(cycle)
        order = tuple(node for component in reversed(components) for node in sorted(component, key=str))
        return Order(tuple(found), order, tuple(ruled_out), is_cut)

    def _possible(self, nodes: Sequence[Resource], ruled_out: dict[str, None]) -> Cycle | None:
        """Edges of threads that can all wait at the same time; None if there are none."""
        choices = [
            [Edge(a, b, label) for label in sorted(self._edges[a][b], key=_label_key)]
            for a, b in zip(nodes, [*nodes[1:], nodes[0]], strict=True)
        ]
        chosen: list[Edge] = []

        def extend(number: int) -> bool:
            self._budget.check()
            if number == len(choices):
                return True
            for edge in choices[number]:
                why = next((why for e in chosen if (why := self._conflict(e.label, edge.label)) is not None), None)
                if why is not None:
                    ruled_out[why] = None
                    continue
                chosen.append(edge)
                if extend(number + 1):
                    return True
                chosen.pop()
            return False

        return tuple(chosen) if extend(0) else None

    def _conflict(self, a: Label, b: Label) -> str | None:
        """Why two threads never wait at these two places at the same time; None if they may."""
        if (a, b) not in self._conflicts:
            self._conflicts[a, b] = self._conflicts[b, a] = self._find_conflict(a, b)
        return self._conflicts[a, b]

    def _find_conflict(self, a: Label, b: Label) -> str | None:
        if a.thread == b.thread and not self._cp.threads[a.thread].many:
            return "one thread waits at one place"
        views_a, views_b = _views_of(self._views, a), _views_of(self._views, b)
        if not views_a or not views_b:
            return None
        why: str | None = None
        for view_a in views_a:
            for view_b in views_b:
                self._budget.check()
                why = why_ordered(self._cp, view_a, view_b) or _gate(self._cp, view_a, view_b)
                if why is None:
                    return None
        return why


def _views_of(views: Mapping[SiteId, tuple[View, ...]], label: Label) -> list[View]:
    return [view for view in views.get(label.site, ()) if view.thread == label.thread]


def _gate(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    """A lock that both hold, and that only one thread can hold at a time."""
    for lock in sorted(a.held, key=str):
        for other in b.held:
            is_same = lock.address == other.address and lock.kind is other.kind and lock.address.is_absolute
            if is_same and LockMode.EXCLUSIVE in (lock.mode, other.mode) and _excludes(cp, lock):
                return "both hold a gate lock"
    return None


def _excludes(cp: ConcurrentProgram, lock: HeldLock) -> bool:
    return lock.kind in (LockKind.MUTEX, LockKind.ATOMIC_SECTION) or lock.address in cp.exclusive


def _simple_cycles(
    graph: Mapping[Resource, Sequence[Resource]], component: frozenset[Resource]
) -> Iterator[list[Resource]]:
    """Each simple cycle of a strongly connected component once, from its first node on."""
    rank = {node: number for number, node in enumerate(sorted(component, key=str))}
    for start in rank:
        path = [start]
        on_path = {start}
        ways = [iter(graph[start])]
        while ways:
            for node in ways[-1]:
                if node == start:
                    yield list(path)
                elif node in rank and rank[node] > rank[start] and node not in on_path:
                    path.append(node)
                    on_path.add(node)
                    ways.append(iter(graph[node]))
                    break
            else:
                ways.pop()
                on_path.discard(path.pop())


def _name(item: tuple[Resource, object]) -> str:
    return str(item[0])


def _label_key(label: Label) -> tuple[int, int]:
    return label.thread, label.site
