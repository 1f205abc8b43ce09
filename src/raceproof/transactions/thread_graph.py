"""The code of one thread as a graph: points that other threads can see as nodes, the rest on the edges.

A point knows which locks the thread certainly holds there, so that a lock taken under a condition gives two points. A
thread that stands at a node does next what the node says; an edge does it and goes on to the next node. Nodes without
an operation are where paths meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from typing import Final, TypeVar

from raceproof.core import SourcePos, reverse_postorder, targets_of_back_edges
from raceproof.domains import Variable, variables_of
from raceproof.ir import SiteId
from raceproof.model import AccessId, ThreadId
from raceproof.transactions.actions import Action, live_before, without_dead
from raceproof.transactions.lowering import Resource, Touch
from raceproof.transactions.names import Register

Place = tuple[str, int]
"""A global variable and a byte in it: a lock that is one object."""

ATOMIC: Final[Place] = ("", 0)
"""The lock of `__VERIFIER_atomic_begin` and of functions that are atomic by their name."""


@unique
class Phase(Enum):
    BEFORE = "before"
    WAITING = "waiting"  # at a condition; takes the lock next
    CALLBACKS = "callbacks"  # the library runs functions of the program, as often as it likes
    ENTERING = "entering"  # about to begin an atomic function


@dataclass(frozen=True, slots=True, order=True)
class Hold:
    lock: Place
    shared: bool = False

    def excludes(self, other: Hold) -> bool:
        return self.lock == other.lock and not (self.shared and other.shared)


@dataclass(frozen=True, slots=True)
class Point:
    """`unsure`: locks of which it is no longer known whether they are held: they count as not held for good.
    `lost`: the thread may hold more than `held` says, so that a lock call may be refused because it does. `history`:
    the last decision on the way here (frame, block, and block that came next), where that is kept. `flags`: registers
    that are 0 or 1 (frame, name, value), so that what was found out with them is not lost."""

    frame: int
    block: int
    step: int
    phase: Phase = Phase.BEFORE
    held: tuple[Hold, ...] = ()
    unsure: tuple[Place, ...] = ()
    lost: bool = False
    history: tuple[int, int, int] | None = None
    flags: tuple[tuple[int, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Creation:
    """A thread is started at `site` and given `argument`, a variable that the edge assigns."""

    site: SiteId
    argument: Variable | None


@dataclass(frozen=True, slots=True)
class Edge:
    """From one node to the next, `target` None for the end of the thread.

    `takes`: the lock that must be free. `frees`: global variables with locks that may be given back or made anew by a
    thread that need not hold them; None: any. `creates`: the thread that it starts.
    """

    target: int | None
    actions: tuple[Action, ...] = ()
    takes: Hold | None = None
    frees: frozenset[str] | None = frozenset()
    creates: Creation | None = None


@unique
class Kind(Enum):
    """What a thread does next at a node."""

    LOCAL = "local"  # nothing that others could see
    TOUCH = "touch"  # accesses to shared objects, and nothing else
    LOCK = "lock"  # takes or gives back locks
    OTHER = "other"


@dataclass(slots=True)
class Node:
    """`site` and `pos` of the instruction that comes next, if other threads can see it. `blocks`: the thread may have
    to wait here, perhaps for ever, until values change: what it did before is done, and others must be able to move."""

    point: Point
    kind: Kind
    touch: Touch | None = None
    site: SiteId | None = None
    pos: SourcePos | None = None
    edges: list[Edge] = field(default_factory=list)
    blocks: bool = False

    @property
    def held(self) -> tuple[Hold, ...]:
        return self.point.held


@dataclass(slots=True)
class ThreadGraph:
    """`heads`: nodes such that every cycle has one; `joins`: nodes where ways meet. `live`: registers whose value
    matters at each node. `reads`, `writes`, `locks`: what may still be touched or locked from each node on; `frees`:
    global variables with locks that may still be given back by the thread when it need not hold them. `parameter` gets
    the argument. `bypassed`: nodes that a slice left out, so that nothing is said about them. `merged`: nodes that
    another one stands for. `signals`: cells of semaphores, barriers and conditions that the thread may make larger, or
    do anything to; `unguarded`: cells of conditions that it may signal without their mutex. `places`: where each access
    is made, in the whole code, whatever a slice leaves of it."""

    thread: ThreadId
    nodes: list[Node]
    entry: int
    parameter: Variable | None
    heads: frozenset[int] = frozenset()
    joins: frozenset[int] = frozenset()
    live: list[frozenset[Variable]] = field(default_factory=list)
    reads: list[frozenset[Resource]] = field(default_factory=list)
    writes: list[frozenset[Resource]] = field(default_factory=list)
    locks: list[frozenset[Place]] = field(default_factory=list)
    frees: list[frozenset[str]] = field(default_factory=list)
    bypassed: frozenset[int] = frozenset()
    merged: Mapping[int, int] = field(default_factory=dict)
    signals: frozenset[Variable] = frozenset()
    unguarded: frozenset[Variable] = frozenset()
    places: Mapping[AccessId, tuple[int, ...]] = field(default_factory=dict)
    _positions: dict[int, int] = field(default_factory=dict)

    @property
    def asks_for_argument(self) -> bool:
        return self.parameter is not None and self.parameter in self.live[self.entry]

    def creates(self, site: SiteId | None) -> bool:
        edges = (edge for node in self.nodes for edge in node.edges)
        return any(edge.creates is not None and edge.creates.site == site for edge in edges)

    def unreached(self, reached: Collection[int]) -> frozenset[int]:
        """The nodes at which a thread never is, if it is at no others than those that are reached."""
        stands_for = [self.merged.get(number, number) for number in range(len(self.nodes))]
        return frozenset(n for n, it in enumerate(stands_for) if it not in reached and it not in self.bypassed)

    def all_places(self) -> dict[AccessId, tuple[int, ...]]:
        """Where each access is made, of those that are still there."""
        found: dict[AccessId, list[int]] = {}
        for number, node in enumerate(self.nodes):
            for access in node.touch.accesses if node.touch is not None else ():
                found.setdefault(access, []).append(number)
        return {access: tuple(points) for access, points in found.items()}

    def position(self, number: int) -> int:
        """How far a thread has come that is at a node, has not started (-1) or has ended (-2)."""
        if not self._positions:
            self._positions = {n: at for at, n in enumerate(reversed(_from_the_end(self)))} | {
                -1: -1,
                -2: len(self.nodes),
            }
        return self._positions[number]

    def find_heads(self) -> None:
        targets = [[edge.target for edge in node.edges if edge.target is not None] for node in self.nodes]
        self.heads = targets_of_back_edges(self.entry, targets.__getitem__)

    def finish(self) -> None:
        self.find_heads()
        self.live = _liveness(self)
        self.nodes = [replace(node, edges=[self._cleaned(edge) for edge in node.edges]) for node in self.nodes]
        self.reads = _ahead(self, lambda n: n.touch.reads if n.touch is not None else frozenset())
        self.writes = _ahead(self, lambda n: n.touch.writes if n.touch is not None else frozenset())
        self.locks = _ahead(self, lambda n: locks_at(self, n))
        self.frees = _ahead(self, _frees_at)
        targets = [edge.target for node in self.nodes for edge in node.edges if edge.target is not None]
        self.joins = frozenset(target for target, number in Counter(targets).items() if number > 1)

    def _cleaned(self, edge: Edge) -> Edge:
        live = self.live[edge.target] if edge.target is not None else frozenset()
        if edge.creates is not None and edge.creates.argument is not None:
            live = live.union(variables_of(edge.creates.argument))
        return replace(edge, actions=without_dead(edge.actions, live))


def _from_the_end(graph: ThreadGraph) -> list[int]:
    """The nodes that there is a way to, each behind those that follow it, but for loops."""

    def targets(number: int) -> list[int]:
        return [edge.target for edge in graph.nodes[number].edges if edge.target is not None]

    return list(reversed(reverse_postorder(graph.entry, targets)))


T = TypeVar("T", bound=Hashable)


def _ahead(graph: ThreadGraph, of_node: Callable[[Node], frozenset[T]]) -> list[frozenset[T]]:
    """For each node, everything that it and the nodes behind it have."""
    found = [of_node(node) for node in graph.nodes]
    order = _from_the_end(graph)
    changed = True
    while changed:
        changed = False
        for number in order:
            targets = (edge.target for edge in graph.nodes[number].edges)
            new = found[number].union(*(found[target] for target in targets if target is not None))
            if new != found[number]:
                found[number], changed = new, True
    return found


def _liveness(graph: ThreadGraph) -> list[frozenset[Variable]]:
    """Registers whose value may be asked for behind each node, or at it: where the node's access goes."""
    at_node = [
        frozenset(variables_of(node.touch.start[1])) if node.touch is not None and node.touch.start else frozenset()
        for node in graph.nodes
    ]
    found: list[frozenset[Variable]] = list(at_node)
    order = _from_the_end(graph)
    changed = True
    while changed:
        changed = False
        for number in order:
            new = set(at_node[number])
            for edge in graph.nodes[number].edges:
                behind = found[edge.target] if edge.target is not None else frozenset()
                if edge.creates is not None and edge.creates.argument is not None:
                    behind = behind.union(variables_of(edge.creates.argument))
                new |= live_before(edge.actions, behind)
            registers = frozenset(v for v in new if isinstance(v.name, Register))
            if registers != found[number]:
                found[number], changed = registers, True
    return found


ANY: Final = "*"
"""Stands for every global variable among those that have locks."""


def _frees_at(node: Node) -> frozenset[str]:
    return frozenset().union(*(edge.frees if edge.frees is not None else {ANY} for edge in node.edges))


def locks_at(graph: ThreadGraph, node: Node) -> frozenset[Place]:
    """The locks that the node takes or gives back."""
    found: set[Place] = set()
    for edge in node.edges:
        if edge.takes is not None:
            found.add(edge.takes.lock)
        behind = graph.nodes[edge.target].held if edge.target is not None else ()
        found.update(hold.lock for hold in node.held if hold not in behind)
    return frozenset(found)
