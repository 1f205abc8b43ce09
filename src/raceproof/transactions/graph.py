"""The transaction graph: where the threads of a product can be together, and who moves next.

A product has the two threads of a pair and their creators, or more; all others interfere. Follows [TX, Section 3 and
Algorithm 1]. Paper -> here: global control state (l1, l2) -> GraphNode, for n threads and with the set of other threads
that may have been started; transaction -> Move; Succ -> `TransactionGraph.moves`.
Differs: the graph is not built before the invariants but with them, so that nodes without a state are never there.
Which conflicts count (l.8) is in `independence`. A thread at the head of a loop lets all others move, or they could be
put off for ever; the paper leaves this proviso of [God96] out. A move is one step of a thread; a transaction is a
sequence of them in which the thread is alone at each point between two (`TransactionGraph.inner`), and only points
between transactions are nodes.

Soundness of the reduction: if one thread moves alone, everything that the others may do before its step commutes with
the step. So of every run that brings two threads before accesses that conflict, a run with the same steps in another
order, which does that too, is in the graph. Likewise for a thread that gives back a lock which another one holds.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from raceproof.core import Unsupported
from raceproof.domains import Variable
from raceproof.model import MAIN, AccessId, ThreadId
from raceproof.transactions.independence import Independence, Reduction
from raceproof.transactions.interference import Write
from raceproof.transactions.names import Shared
from raceproof.transactions.program import Surroundings
from raceproof.transactions.thread_graph import ANY, Edge, Hold, Kind, Node, Place, ThreadGraph

FULL: Final = Reduction()
NOT_STARTED: Final = -1
ENDED: Final = -2


@dataclass(frozen=True, slots=True)
class GraphNode:
    """Where each thread of the product is, and which others may have been started."""

    at: tuple[int, ...]
    others: frozenset[ThreadId] = frozenset()


@dataclass(frozen=True, slots=True)
class Slot:
    """One thread of the product. `argument`: what it was given."""

    thread: ThreadId
    graph: ThreadGraph
    argument: Variable


@dataclass(frozen=True, slots=True)
class Move:
    """`slot` goes along `edge`; `starts`: the slot of the thread that it creates. `breaks`: it may give back a lock
    that another thread relies on."""

    slot: int
    edge: Edge
    target: GraphNode
    starts: int | None = None
    breaks: bool = False


class TransactionGraph:
    """Nodes and moves of one product. `asked`: accesses before which a transaction always ends, so that there are nodes
    where threads stand before them."""

    def __init__(
        self,
        around: Surroundings,
        slots: Sequence[Slot],
        writes: Mapping[ThreadId, tuple[Write, ...]],
        unreliable: frozenset[str],
        reduction: Reduction = FULL,
        asked: frozenset[AccessId] = frozenset(),
    ) -> None:
        self.slots = tuple(slots)
        self._around = around
        self._threads = around.cp.threads
        self._reduction = reduction
        self._asked = asked
        self._independence = Independence(around.cp, asked, reduction)
        self._unreliable = unreliable
        self._writes = writes
        self._started_by = self._find_started()
        self._beside: dict[tuple[int, int], frozenset[ThreadId]] = {}

    @cached_property
    def initial(self) -> GraphNode:
        at = tuple(slot.graph.entry if slot.thread == MAIN else NOT_STARTED for slot in self.slots)
        return GraphNode(at, self._around.outside)

    def node(self, where: GraphNode, slot: int) -> Node | None:
        """What the thread in a slot does next; None if it is not running."""
        at = where.at[slot]
        return self.slots[slot].graph.nodes[at] if at >= 0 else None

    def running(self, where: GraphNode) -> list[int]:
        return [number for number, at in enumerate(where.at) if at >= 0]

    def is_head(self, where: GraphNode) -> bool:
        """Where invariants have to be widened."""
        return any(where.at[n] in self.slots[n].graph.heads for n in self.running(where))

    def moves(self, where: GraphNode) -> list[Move]:
        """The moves that have to be considered. Follows [TX, Algorithm 1, l.4-17]."""
        active = [number for number in self.running(where) if not self.is_waiting(where, number)]
        if self._reduction.lonely:
            for number in active:  # l.4-6: what nobody sees is done first
                if self._is_alone(where, number) and (moves := list(self._moves_of(where, number))):
                    return moves
        return [move for number in active for move in self._moves_of(where, number)]  # l.9-11

    def inner(self, move: Move) -> list[Move] | None:
        """The moves with which the same thread goes on within a transaction; None if it ends there."""
        if not (self._reduction.lonely and self._reduction.compacts) or move.breaks or move.edge.creates is not None:
            return None
        slot, where = move.slot, move.target
        at = where.at[slot]
        graph = self.slots[slot].graph
        if at < 0 or at in graph.joins or self._is_asked(graph.nodes[at]) or self.is_waiting(where, slot):
            return None
        return list(self._moves_of(where, slot)) or None if self._is_alone(where, slot) else None

    def _is_asked(self, node: Node) -> bool:
        return node.touch is not None and not self._asked.isdisjoint(node.touch.accesses)

    def is_waiting(self, where: GraphNode, slot: int) -> bool:
        """Whether the facts say that the thread does not come here before another one has ended."""
        thread, node = self.slots[slot].thread, self.node(where, slot)
        if node is None or node.touch is None or self._threads[thread].many:
            return False
        beside = self._running_beside(slot, where.at[slot])
        return any(
            other != slot and not self._may_run(beside, self.slots[other].thread, thread)
            for other in self.running(where)
        )

    def writes(self, where: GraphNode) -> Iterator[Write]:
        """What the threads that are not in the product may write while those in it are here."""
        held = [hold for n in self.running(where) for hold in self._held(where, n)]
        for thread in sorted(where.others):
            for write in self._writes.get(thread, ()):
                locks = [hold for hold in write.held if hold.lock[0] not in self._unreliable]
                if not any(mine.excludes(yours) for mine in held for yours in locks):
                    yield write

    # -- who is where

    def _held(self, where: GraphNode, slot: int) -> tuple[Hold, ...]:
        node = self.node(where, slot)
        if node is None:
            return ()
        return tuple(hold for hold in node.held if hold.lock[0] not in self._unreliable)

    def _running_beside(self, slot: int, at: int) -> frozenset[ThreadId]:
        """Threads that may be running while the slot's own thread is at an access, seen from itself."""
        if (slot, at) not in self._beside:
            touch, thread = self.slots[slot].graph.nodes[at].touch, self.slots[slot].thread
            accesses = [self._around.cp.accesses[a] for a in (touch.accesses if touch is not None else ())]
            moments = [view.moment for access in accesses for view in access.views if view.thread == thread]
            everybody = frozenset(self._threads)  # the facts do not know the access in this thread
            self._beside[slot, at] = frozenset().union(*(m.may_run for m in moments)) if moments else everybody
        return self._beside[slot, at]

    def _may_run(self, beside: frozenset[ThreadId], thread: ThreadId, below: ThreadId) -> bool:
        """`thread` may be running where `beside` is known of its ancestor `below`: it is, or one on the way to it."""
        for candidate in self._around.ancestry(thread):
            if candidate == below:
                return False
            if candidate in beside:
                return True
        return True  # not a descendant: nothing is known

    def _left(self, where: GraphNode, slot: int) -> frozenset[ThreadId]:
        """The other threads that may still run once the thread in the slot has made its next step.

        Not while it stands before it: then it may in truth still wait for their end, at a join that is no node.
        """
        node, mine = self.node(where, slot), self.slots[slot].thread
        if node is None or node.touch is None or self._threads[mine].many:
            return where.others
        beside = self._running_beside(slot, where.at[slot])
        return frozenset(t for t in where.others if self._may_run(beside, t, mine))

    # -- moves

    def _moves_of(self, where: GraphNode, slot: int) -> Iterator[Move]:
        node = self.node(where, slot)
        if node is None:
            return
        for edge in node.edges:
            if edge.takes is not None and self._is_taken(where, slot, edge.takes):
                continue
            at = list(where.at)
            at[slot] = ENDED if edge.target is None else edge.target
            breaks = self._breaks(where, slot, edge)
            others = self._left(where, slot)
            if edge.creates is None:
                yield Move(slot, edge, GraphNode(tuple(at), others), breaks=breaks)
            else:
                yield from self._creations(others, slot, edge, at, breaks)

    def _is_taken(self, where: GraphNode, slot: int, wanted: Hold) -> bool:
        return any(
            hold.excludes(wanted) for other in self.running(where) if other != slot for hold in self._held(where, other)
        )

    def _breaks(self, where: GraphNode, slot: int, edge: Edge) -> bool:
        """Whether the edge may free a lock that another thread holds, of the product or not."""
        if edge.frees is not None and not edge.frees:
            return False
        relied = {hold.lock[0] for other in self.running(where) if other != slot for hold in self._held(where, other)}
        for thread in where.others:
            relied.update(hold.lock[0] for write in self._writes.get(thread, ()) for hold in write.held)
        relied -= self._unreliable
        return bool(relied) if edge.frees is None else not relied.isdisjoint(edge.frees)

    def _creations(
        self, others: frozenset[ThreadId], slot: int, edge: Edge, at: list[int], breaks: bool
    ) -> Iterator[Move]:
        """A new thread is one that is followed, or another one; the first of two equal ones is created first."""
        assert edge.creates is not None
        key = (self.slots[slot].thread, edge.creates.site)
        if key not in self._started_by:
            raise Unsupported("a creation of threads that the facts do not know")
        for thread in self._started_by[key]:
            mine = [number for number, other in enumerate(self.slots) if other.thread == thread]
            is_many = self._threads[thread].many
            for number in mine:
                may_start = at[number] == NOT_STARTED or (not is_many and at[number] == ENDED)
                earlier = [n for n in mine if n < number and at[n] == NOT_STARTED]
                if may_start and not earlier:
                    begun = list(at)
                    begun[number] = self.slots[number].graph.entry
                    yield Move(slot, edge, GraphNode(tuple(begun), others), number, breaks)
            if not mine or (is_many and self._has_more(thread, len(mine))):
                more = others | self._with_descendants(frozenset({thread}))
                yield Move(slot, edge, GraphNode(tuple(at), more), breaks=breaks)

    def _has_more(self, thread: ThreadId, followed: int) -> bool:
        instances = self._threads[thread].instances
        return instances is None or instances > followed

    @cached_property
    def _strangers(self) -> frozenset[ThreadId]:
        """Threads that are not followed, or of which there are more than are followed."""
        followed = [slot.thread for slot in self.slots]
        return frozenset(
            thread.id
            for thread in self._threads.values()
            if thread.id not in followed or (thread.many and self._has_more(thread.id, followed.count(thread.id)))
        )

    @cached_property
    def _strange_cells(self) -> frozenset[Hashable]:
        """What threads that are not followed may write, at times that depend on who holds which lock."""
        cells = (write.cell.name for thread in self._strangers for write in self._writes.get(thread, ()))
        return frozenset(name.cell for name in cells if isinstance(name, Shared))

    @cached_property
    def _strange_locks(self) -> frozenset[Place]:
        writes = (write for thread in self._strangers for write in self._writes.get(thread, ()))
        return frozenset(hold.lock for write in writes for hold in write.held)

    @cached_property
    def is_for_any_number(self) -> bool:
        """Whether there are threads of which there may be several, and none of them was counted."""
        several = [thread for thread in self._threads.values() if thread.many]
        return bool(several) and self._strangers.issuperset(thread.id for thread in several)

    def _find_started(self) -> dict[tuple[ThreadId, int], tuple[ThreadId, ...]]:
        found: dict[tuple[ThreadId, int], tuple[ThreadId, ...]] = {}
        for thread in self._threads.values():
            if thread.parent is not None and thread.created_at is not None:
                key = (thread.parent, thread.created_at)
                found[key] = (*found.get(key, ()), thread.id)
        return found

    def _with_descendants(self, threads: frozenset[ThreadId]) -> frozenset[ThreadId]:
        """Threads that are not followed start others, unseen."""
        return frozenset(t for t in self._threads if not threads.isdisjoint(self._around.ancestry(t)))

    # -- independence

    def _is_alone(self, where: GraphNode, slot: int) -> bool:
        """Whether what the thread does next concerns no other, now or later (l.8)."""
        graph, at = self.slots[slot].graph, where.at[slot]
        node = graph.nodes[at]
        if at in graph.heads or node.blocks:
            return False
        if node.kind is Kind.LOCAL:
            return True
        others = [n for n in range(len(self.slots)) if n != slot and self._may_move(where, n)]
        if node.kind is Kind.TOUCH and node.touch is not None:
            ends_nothing = self._left(where, slot) == where.others  # else others have yet to move beside those that end
            held = frozenset(self._held(where, slot)) if self._reduction.locks else frozenset()
            if not ends_nothing or not self._is_apart_from_strangers(node, held):
                return False
            return all(self._is_apart(where, slot, held, other) for other in others)
        if node.kind is Kind.LOCK:
            if self._reduction.locks and self._only_gives_back(where, slot, others):
                return True
            mine = {edge.takes.lock for edge in node.edges if edge.takes is not None}
            mine |= {hold.lock for hold in node.held}
            plain = all(edge.frees == frozenset() for edge in node.edges) and self._strange_locks.isdisjoint(mine)
            return plain and not any(self._may_ask_for(where, mine, other) for other in others)
        return False

    def _may_ask_for(self, where: GraphNode, locks: Collection[Place], other: int) -> bool:
        """Whether the thread may still take one of the locks, or give it back, with or without holding it."""
        graph, at = self.slots[other].graph, self._position(where, other)
        return not graph.locks[at].isdisjoint(locks) or self._may_free(where, locks, other)

    def _only_gives_back(self, where: GraphNode, slot: int, others: Sequence[int]) -> bool:
        """Whether the step gives back locks that the thread holds, and nothing else.

        What conflicts with that is to take one of them, which nobody can before; and to give it back without holding
        it, which must not be put off until nobody holds it any more.
        """
        graph, node = self.slots[slot].graph, self.slots[slot].graph.nodes[where.at[slot]]
        for edge in node.edges:
            behind = graph.nodes[edge.target].held if edge.target is not None else ()
            is_plain = edge.takes is None and edge.creates is None and edge.frees == frozenset()
            if not is_plain or not set(node.held).issuperset(behind):
                return False
        held = [hold.lock for hold in node.held]
        return not any(self._may_free(where, held, other) for other in others)

    def _may_free(self, where: GraphNode, locks: Iterable[Place], other: int) -> bool:
        """Whether the thread may give back one of the locks when it need not hold it."""
        freed = self.slots[other].graph.frees[self._position(where, other)]
        return ANY in freed or any(lock[0] in freed for lock in locks)

    def _is_apart_from_strangers(self, node: Node, held: frozenset[Hold]) -> bool:
        """Whether no thread that is not followed may write what is touched, before one with these locks goes on."""
        assert node.touch is not None
        if self._strange_cells.isdisjoint(node.touch.reads):
            return True
        return bool(held) and all(
            any(mine.excludes(yours) for mine in held for yours in write.held)
            for thread in self._strangers
            for write in self._writes.get(thread, ())
            if isinstance(write.cell.name, Shared) and write.cell.name.cell in node.touch.reads
        )

    def _may_move(self, where: GraphNode, slot: int) -> bool:
        return where.at[slot] != ENDED or not self._threads[self.slots[slot].thread].many

    def _position(self, where: GraphNode, slot: int) -> int:
        """Where what the thread may still do begins: not started, it may do everything."""
        return where.at[slot] if where.at[slot] >= 0 else self.slots[slot].graph.entry

    def _is_apart(self, where: GraphNode, slot: int, held: frozenset[Hold], other: int) -> bool:
        """Whether the touch conflicts with nothing that the other thread may do before it (l.8)."""
        if self._may_free(where, [hold.lock for hold in held], other):
            held = frozenset()
        graph, at = self.slots[other].graph, self._position(where, other)
        return self._independence.is_apart(self.slots[slot].graph, where.at[slot], held, graph, at)
