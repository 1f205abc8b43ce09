"""Instructions that may write, as plain memory, into what threads synchronise by.

    control = unused;      memset(&queue, 0, sizeof queue);      *lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;

They make a lock of another kind, or set an object back that was used already. Whoever knows such an object by its
address alone has to look at them. Errs on the side of more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.facts.flow.locations import overlap
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.sync_api import sync_object_size, sync_op
from raceproof.ir import Call, Function, Instr, SiteId, Terminator
from raceproof.model import AccessKind, MemLoc, ObjectId, ObjectKind

if TYPE_CHECKING:
    from raceproof.facts.flow.world import World

_OF_NO_OBJECT = frozenset({Sync.CREATE, Sync.JOIN, Sync.DETACH, Sync.ATTRIBUTE})
"""Operations whose argument is the id of a thread, or plain memory."""


def overwriting_sites(world: World) -> frozenset[SiteId]:
    """Stores, updates and calls; the end of an object is none of them."""
    places: dict[ObjectId, dict[MemLoc, None]] = {}
    for function in world.program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Call):
                for place in _synchronised_by(world, function, instr):
                    places.setdefault(place.object, {})[place] = None
    if not places:
        return frozenset()
    return frozenset(
        instr.id
        for function in world.program.functions.values()
        for instr in function.instructions()
        for written in _written(world, function, instr)
        if world.points_to.objects[written.object].kind is ObjectKind.UNKNOWN
        or any(overlap(written, place) for place in places.get(written.object, ()))
    )


def _written(world: World, function: Function, instr: Instr | Terminator) -> Iterator[MemLoc]:
    world.budget.check()
    for touch in world.touches(function, instr):
        if touch.touch.kind.writes and touch.touch.kind is not AccessKind.FREE:
            yield from touch.targets


def _synchronised_by(world: World, function: Function, call: Call) -> Iterator[MemLoc]:
    for name in world.callees(call):
        op = sync_op(name) if name not in world.program.functions else None
        if op is None or op.kind in _OF_NO_OBJECT:
            continue
        size = sync_object_size(name, world.program.pointer_size)
        for index in (op.arg, op.lock_arg):
            if index is not None and index < len(call.args):
                for place in world.points_to.targets(function.name, call.args[index]):
                    yield replace(place, size=size)
