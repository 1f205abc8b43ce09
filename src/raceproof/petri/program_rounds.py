"""Barriers and once-objects that may have places in the net: all of their uses are seen, and are what they seem.

A barrier has four places. Who comes takes one of the `free` seats, of which there are as many as its count, and has
*arrived*; the last one to come opens it, so that the others are *leaving*; when the last of these has *left*, all seats
are free again. However many threads come, each round has exactly `count` of them. In a run of the program nothing is
done between the opening and leaving, so that the next round need not begin before all have left.

A once-object has two places: whoever takes the token of `new` runs the function and then gives one to `done`, which the
others look for.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts import Sync, SyncOp, may_end_thread
from raceproof.ir import Call, IntConst, Program
from raceproof.model import CallGraph
from raceproof.petri.program_pointers import Place
from raceproof.petri.program_uses import Uses

_BARRIER_BYTES: Final = 32


def barrier_counts(uses: Uses) -> dict[Place, int]:
    """Barriers with one constant count, whoever sets it."""
    found: dict[Place, int] = {}
    for place, operations in uses.operations.items():
        kinds = {op.kind for _, op in operations}
        if kinds <= {Sync.BARRIER_INIT, Sync.BARRIER_WAIT} and not _is_touched(place, uses):
            counts = {_count(call, op) for call, op in operations if op.kind is Sync.BARRIER_INIT}
            count = counts.pop() if len(counts) == 1 else None
            if count is not None:
                found[place] = count
    return found


def _is_touched(place: Place, uses: Uses) -> bool:
    """Something reads or writes there as memory."""
    name, start = place
    return any(
        other == name and start < at + instr.type.size and at < start + _BARRIER_BYTES
        for (other, at), found in uses.memory.items()
        for _, instr in found
    )


def _count(call: Call, op: SyncOp) -> int | None:
    operand = call.args[op.count] if op.count is not None and op.count < len(call.args) else None
    return operand.value if isinstance(operand, IntConst) and operand.value > 0 else None


def once_objects(uses: Uses, program: Program, calls: CallGraph) -> frozenset[Place]:
    """Once-objects that nobody sets back, and whose functions do not end the thread, which might do that."""
    ending = may_end_thread(program, calls)
    return frozenset(
        place
        for place, operations in uses.operations.items()
        if all(op.kind is Sync.ONCE for _, op in operations)
        and not any(other[0] == place[0] for other in uses.memory)
        and not program.globals[place[0]].initial
        and not any(ending.intersection(calls.targets[call.id].callbacks) for call, _ in operations)
    )
