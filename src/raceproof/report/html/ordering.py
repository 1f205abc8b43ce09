"""What orders the steps of a run, as far as its steps show it, for the drawing of why two accesses are not ordered.

A node is a step, by its index in the trace, or one of the two accesses when the run ends before them: then it is
`len(steps)` or `len(steps) + 1`. Edges are those of creation, locks, semaphores, barriers, and signals; what leaves no
step (a join that did not have to wait) or depends on more than the steps say (atomics) has no edge. So a path
means order, and no path does not mean that there is none: that the two accesses are unordered is what was executed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import pairwise

from raceproof.model import Trace, TraceStep


@unique
class EdgeKind(Enum):
    CREATE = "create"
    LOCK = "lock"
    SEMAPHORE = "semaphore"
    BARRIER = "barrier"
    SIGNAL = "signal"  # wakes the other thread, and orders nothing by itself

    @property
    def orders(self) -> bool:
        return self is not EdgeKind.SIGNAL


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    target: int
    kind: EdgeKind
    label: str


def racing_nodes(trace: Trace) -> tuple[int, ...]:
    """The nodes of the accesses of `trace.racing`."""
    count = len(trace.steps)
    if trace.together:
        return tuple(range(count, count + len(trace.racing)))
    nodes = []
    for number, (thread, access) in enumerate(trace.racing):
        own = [i for i, s in enumerate(trace.steps) if s.thread == thread and s.pos == access.pos and s.address]
        nodes.append(own[-1] if own else count + number)
    return tuple(nodes)


def thread_of(trace: Trace, node: int) -> int:
    count = len(trace.steps)
    return trace.steps[node].thread if node < count else trace.racing[node - count][0]


def edges_of(trace: Trace) -> list[Edge]:
    """All edges between different threads, sorted by where they end."""
    program = _Lanes(trace)
    found = [
        *_creations(trace, program),
        *_lock_hand_overs(trace.steps),
        *_semaphores(trace.steps),
        *_barriers(trace.steps, program),
        *_signals(trace.steps),
    ]
    edges = sorted(found, key=lambda edge: (edge.target, edge.source))
    nodes = racing_nodes(trace)
    if len(nodes) == 2 and _is_ordered(program, edges, *nodes):
        # The run has shown that they are not: a step was misread, so only what cannot be is kept.
        edges = [edge for edge in edges if edge.kind is EdgeKind.CREATE]
    return edges


class _Lanes:
    """The nodes of each thread in order, and for each node the next one of its thread."""

    def __init__(self, trace: Trace) -> None:
        self.of: dict[int, list[int]] = defaultdict(list)
        for node, step in enumerate(trace.steps):
            self.of[step.thread].append(node)
        for node in racing_nodes(trace):
            if node >= len(trace.steps):
                self.of[thread_of(trace, node)].append(node)
        self.after = {a: b for nodes in self.of.values() for a, b in pairwise(nodes)}


def _creations(trace: Trace, lanes: _Lanes) -> Iterator[Edge]:
    """The creations of a thread match its children in order; of a run cut at its beginning, the last ones do."""
    creations: dict[int, list[int]] = defaultdict(list)
    for node, step in enumerate(trace.steps):
        if step.operation in ("pthread_create", "thrd_create"):
            creations[step.thread].append(node)
    children: dict[int, list[int]] = defaultdict(list)
    for thread in trace.threads:
        if thread.id != 0:
            children[thread.parent].append(thread.id)
    for parent, ids in children.items():
        nodes = creations[parent]
        count = min(len(nodes), len(ids))
        matched = zip(nodes[:count], ids[len(ids) - count :], strict=True)
        for node, child in matched:
            if lanes.of[child] and lanes.of[child][0] > node:
                yield Edge(node, lanes.of[child][0], EdgeKind.CREATE, f"creates thread {child}")


def _lock_hand_overs(steps: Sequence[TraceStep]) -> Iterator[Edge]:
    """From where a lock was given up, or last seen held, to where another thread takes it, unless both share it.

    What a thread holds tells it for every kind of lock; only who shares it is told by the name of the operation.
    """
    held: dict[int, frozenset[str]] = defaultdict(frozenset)
    shares: dict[tuple[int, str], bool] = {}
    written: dict[str, dict[int, int]] = defaultdict(dict)  # by lock: who held it alone last, and until where
    read: dict[str, dict[int, int]] = defaultdict(dict)  # by lock: who shared it since then, and until where
    for node, step in enumerate(steps):
        thread, now = step.thread, frozenset(step.held)
        for lock in sorted(now - held[thread]):
            shares[thread, lock] = "rdlock" in step.operation
            earlier = written[lock] if shares[thread, lock] else written[lock] | read[lock]
            for other, source in sorted(earlier.items()):
                if other != thread:
                    yield Edge(source, node, EdgeKind.LOCK, lock)
            if not shares[thread, lock]:
                written[lock], read[lock] = {}, {}
        for lock in now | held[thread]:
            (read if shares[thread, lock] else written)[lock][thread] = node
        held[thread] = now


def _semaphores(steps: Sequence[TraceStep]) -> Iterator[Edge]:
    """A wait comes after the posts before it. One that may fail is left out: the step does not say whether it did."""
    posts: dict[str, dict[int, int]] = defaultdict(dict)
    for node, step in enumerate(steps):
        if step.operation == "sem_post":
            posts[step.address][step.thread] = node
        elif step.operation == "sem_wait":
            for thread, source in sorted(posts[step.address].items()):
                if thread != step.thread:
                    yield Edge(source, node, EdgeKind.SEMAPHORE, step.address)


def _barriers(steps: Sequence[TraceStep], lanes: _Lanes) -> Iterator[Edge]:
    """Who leaves a barrier comes after all who stood there with it. Leaving is no step: the next one is meant."""
    waiting: dict[str, list[int]] = defaultdict(list)
    for node, step in enumerate(steps):
        if step.operation != "pthread_barrier_wait":
            continue
        here = waiting[step.address]
        here[:] = [other for other in here if lanes.after.get(other, len(steps)) > node]
        for other in here:
            for source, arrival in ((other, node), (node, other)):
                if arrival in lanes.after:
                    yield Edge(source, lanes.after[arrival], EdgeKind.BARRIER, step.address)
        here.append(node)


def _signals(steps: Sequence[TraceStep]) -> Iterator[Edge]:
    """From a signal to the thread that goes on because of it: it waits in two steps, falling asleep and waking up."""
    signals: dict[str, int] = {}
    asleep: dict[int, int] = {}
    for node, step in enumerate(steps):
        if step.operation.endswith(("_signal", "_broadcast")):
            signals[step.address] = node
        elif step.operation == "unlock to wait":
            asleep[step.thread] = node
        elif step.thread in asleep:
            since = asleep.pop(step.thread)
            source = signals.get(step.address, -1)
            if source > since:
                yield Edge(source, node, EdgeKind.SIGNAL, step.address)


def _is_ordered(lanes: _Lanes, edges: Sequence[Edge], first: int, second: int) -> bool:
    after: dict[int, list[int]] = defaultdict(list)
    for edge in edges:
        if edge.kind.orders:
            after[edge.source].append(edge.target)
    return _reaches(lanes, after, first, second) or _reaches(lanes, after, second, first)


def _reaches(lanes: _Lanes, after: dict[int, list[int]], start: int, end: int) -> bool:
    seen, todo = {start}, [start]
    while todo:
        node = todo.pop()
        following = after[node] + ([lanes.after[node]] if node in lanes.after else [])
        for found in following:
            if found not in seen:
                seen.add(found)
                todo.append(found)
    return end in seen
