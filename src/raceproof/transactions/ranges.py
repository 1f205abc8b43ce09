"""What reads may find, from invariants that were checked: data for other engines.

Says less than the invariants: an interval for each access that reads a followed cell, whichever thread makes it in
whichever context. Errs on the side of more values. It holds in every execution up to the first race, as the invariants
do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raceproof.domains import Value
from raceproof.model import AccessId, AccessKind, ReadRange, ThreadId
from raceproof.transactions.actions import Read
from raceproof.transactions.graph import GraphNode, Move
from raceproof.transactions.invariants import Propagation, Solution, States
from raceproof.transactions.program import Surroundings
from raceproof.transactions.thread_graph import ThreadGraph

Seen = Mapping[tuple[int, int], Value | None]
"""For a slot and a point of its code: what the cell that is read there may hold, None if that is not one known cell.
Points that no thread ever comes to are not there."""


def read_ranges(around: Surroundings, solved: Iterable[tuple[Propagation, Solution]]) -> tuple[ReadRange, ...]:
    """For each access of which each thread that makes it was followed wherever it does."""
    known: dict[tuple[AccessId, ThreadId], list[Value]] = {}
    for propagation, solution in solved:
        if solution.broken:
            continue
        seen = _seen(propagation, solution)
        for thread in dict.fromkeys(slot.thread for slot in propagation.graph.slots):
            for access, values in _of_thread(propagation, thread, seen).items():
                known.setdefault((access, thread), values)
    found = []
    for number, made in around.cp.accesses.items():
        keys = [(number, thread) for thread in sorted({view.thread for view in made.views})]
        if made.kind is not AccessKind.WRITE and keys and all(key in known for key in keys):
            values = [value for key in keys for value in known[key]]
            if values:  # else no thread ever comes there
                found.append(ReadRange(number, min(v.low for v in values), max(v.high for v in values)))
    return tuple(found)


def _of_thread(propagation: Propagation, thread: ThreadId, seen: Seen) -> dict[AccessId, list[Value]]:
    """For the accesses that the thread's code makes nowhere but at points that are followed: what it finds at each."""
    slots = [number for number, slot in enumerate(propagation.graph.slots) if slot.thread == thread]
    graph = propagation.graph.slots[slots[0]].graph
    found: dict[AccessId, list[Value]] = {}
    for access, points in graph.places.items():
        if not all(_is_kept(graph, point, access) for point in points):
            continue
        values = [seen[slot, point] for slot in slots for point in points if (slot, point) in seen]
        if None not in values:
            found[access] = [value for value in values if value is not None]
    return found


def _is_kept(graph: ThreadGraph, point: int, access: AccessId) -> bool:
    """Whether the slice still makes the access there."""
    touch = graph.nodes[point].touch
    return (
        point not in graph.bypassed and point not in graph.merged and touch is not None and touch.accesses == (access,)
    )


def _seen(propagation: Propagation, solution: Solution) -> Seen:
    """One step from each node, and from each point within a transaction."""
    found: dict[tuple[int, int], Value | None] = {}

    def note(where: GraphNode, states: States, move: Move) -> None:
        key = (move.slot, where.at[move.slot])
        cells = {action.cell for action in move.edge.actions if isinstance(action, Read)}
        value = None
        if len(cells) == 1:
            value = states[move.slot].values.get(cells.pop())
        old = found.get(key, value)
        found[key] = None if old is None or value is None else old.join(value)

    for where, states in solution.states.items():
        propagation.walk(where, states, note)
    return found
