"""What of a run is drawn: a drawing of five thousand steps explains nothing.

Lanes are the racing threads, those that created them, and threads that hand something over to one of these. Rows are
the steps that order something and those next to the race. Also here: the switches between threads that matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.model import Trace
from raceproof.report.html.ordering import Edge, EdgeKind, edges_of, racing_nodes, thread_of

MAX_LANES = 6
MAX_ROWS = 24
ALL_ROWS = 24  # a run up to this long is drawn with all its steps
NEAR = 3  # steps of a racing thread before its access


@dataclass(frozen=True, slots=True)
class Drawing:
    """`lanes` are threads, `rows` nodes in order; `racing` are the nodes of the two accesses."""

    lanes: tuple[int, ...]
    rows: tuple[int, ...]
    edges: tuple[Edge, ...]
    racing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    """`stopped` is interrupted at step `at`, which is another thread's; `before` is the node that it does next."""

    at: int
    stopped: int
    goes_on: int
    before: int


def draw(trace: Trace) -> Drawing:
    edges, racing = edges_of(trace), racing_nodes(trace)
    lanes = _lanes(trace, edges, racing)
    edges = [e for e in edges if {thread_of(trace, e.source), thread_of(trace, e.target)} <= set(lanes)]
    rows = _rows(trace, lanes, edges, racing)
    shown = set(rows)
    kept = tuple(e for e in edges if e.source in shown and e.target in shown)
    return Drawing(lanes, rows, kept, racing)


def _lanes(trace: Trace, edges: list[Edge], racing: tuple[int, ...]) -> tuple[int, ...]:
    parents = {thread.id: thread.parent for thread in trace.threads}
    lanes = dict.fromkeys(thread_of(trace, node) for node in racing)
    for thread in list(lanes):
        while thread != 0 and thread in parents:
            thread = parents[thread]
            lanes.setdefault(thread)
    racers = set(lanes)
    for edge in reversed(edges):  # who had to do with them last
        source, target = thread_of(trace, edge.source), thread_of(trace, edge.target)
        if target in racers:
            lanes.setdefault(source)
    if not racing:
        lanes.update(dict.fromkeys(step.thread for step in trace.steps))
    return tuple(sorted(list(lanes)[:MAX_LANES]))


def _rows(trace: Trace, lanes: tuple[int, ...], edges: list[Edge], racing: tuple[int, ...]) -> tuple[int, ...]:
    own = [i for i, step in enumerate(trace.steps) if step.thread in lanes]
    if len(own) > ALL_ROWS:
        important = {end for edge in edges for end in (edge.source, edge.target)}
        for node in racing:
            important.update([i for i in own if i < node and trace.steps[i].thread == thread_of(trace, node)][-NEAR:])
        own = [i for i in own if i in important]
    # Those next to the race, and those that the threads begin with.
    first = {end for edge in edges if edge.kind is EdgeKind.CREATE for end in (edge.source, edge.target)}
    kept = [i for i in own[:-MAX_ROWS] if i in first] + own[-MAX_ROWS:]
    return tuple(sorted({*kept, *racing}))


def switches(trace: Trace) -> tuple[Switch, ...]:
    """Where a thread is stopped that could go on and has something to do later: another schedule is another run."""
    following = _following(trace)
    found = []
    for at in range(1, len(trace.steps)):
        last, step = trace.steps[at - 1], trace.steps[at]
        before = following[at - 1]
        waits = last.operation in ("unlock to wait", "pthread_barrier_wait", "end of thread")
        if last.thread != step.thread and before is not None and not waits:
            found.append(Switch(at, last.thread, step.thread, before))
    return tuple(found)


def _following(trace: Trace) -> list[int | None]:
    """For each step the next node of its thread."""
    upcoming = {thread_of(trace, node): node for node in racing_nodes(trace) if node >= len(trace.steps)}
    following: list[int | None] = []
    for node in range(len(trace.steps) - 1, -1, -1):
        thread = trace.steps[node].thread
        following.append(upcoming.get(thread))
        upcoming[thread] = node
    return following[::-1]
