"""Instructions that may write, as plain memory, into what threads synchronise by.

    control = unused;      memset(&queue, 0, sizeof queue);      *lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;

They make a lock of another kind, or set an object back that was used already. Whoever knows such an object by its
address alone has to look at them. What the library does to a stream that it is given leaves the lock in it as it is.
Errs on the side of more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.facts.flow.locations import overlap
from raceproof.facts.library.effects import WholeObject
from raceproof.facts.library.streams import leaves_lock
from raceproof.facts.library.sync_api import OF_NO_OBJECT, sync_object_size, sync_op
from raceproof.ir import Call, Function, Instr, SiteId, Terminator
from raceproof.model import MAIN, AccessKind, HeldLock, LockKind, MemLoc, ObjectId, ObjectKind, View

if TYPE_CHECKING:
    from raceproof.facts.flow.contexts import AccessKey
    from raceproof.facts.flow.flow_result import FlowResult
    from raceproof.facts.flow.world import TargetedTouch, World


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


def late_overwriting(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]
) -> dict[SiteId, frozenset[ObjectId]]:
    """Instructions that may set a lock back, or make another one of it, while threads run that may hold it, and the
    objects that these locks are in. What happens before threads exist, or to an object that only its maker knows, is
    an initialisation."""
    sites = overwriting_sites(world)
    found: dict[SiteId, frozenset[ObjectId]] = {}
    for key, views in flow.views.items():
        if key[0] not in sites or not touched[key].touch.kind.writes:
            continue
        late = [v for v in views if not v.private and (v.thread != MAIN or v.moment.may_run)]
        objects = [touched[key].objects if v.objects is None else v.objects for v in late]
        lost = frozenset().union(*objects) & world.lock_objects
        if lost:
            found[key[0]] = found.get(key[0], frozenset()) | lost
    return found


def without_locks_in(world: World, flow: FlowResult, lost: frozenset[ObjectId]) -> FlowResult:
    """The same facts without the locks in these objects: who takes such a lock may not be alone."""
    if not lost:
        return flow

    def is_lost(lock: HeldLock) -> bool:
        objects = flow.uses.lock_objects.get(lock.address, world.lock_objects)
        return lock.kind is LockKind.MUTEX and not lost.isdisjoint(objects)

    def kept(view: View) -> View:
        gone = frozenset(lock for lock in view.held if is_lost(lock))
        return replace(view, held=view.held - gone) if gone else view

    return replace(flow, views={key: tuple(kept(view) for view in views) for key, views in flow.views.items()})


def _written(world: World, function: Function, instr: Instr | Terminator) -> Iterator[MemLoc]:
    world.budget.check()
    keeps_streams = isinstance(instr, Call) and all(map(leaves_lock, world.callees(instr)))
    for touch in world.touches(function, instr):
        if touch.touch.use is not None:  # making one that others use is a race itself
            continue
        is_stream = touch.touch.locks_stream or isinstance(touch.touch.extent, WholeObject)
        if touch.touch.kind.writes and touch.touch.kind is not AccessKind.FREE and not (keeps_streams and is_stream):
            yield from touch.targets


def _synchronised_by(world: World, function: Function, call: Call) -> Iterator[MemLoc]:
    for name in world.callees(call):
        op = sync_op(name) if name not in world.program.functions else None
        if op is None or op.kind in OF_NO_OBJECT:
            continue
        size = sync_object_size(name, world.program.pointer_size)
        for index in (op.arg, op.lock_arg):
            if index is not None and index < len(call.args):
                for place in world.points_to.targets(function.name, call.args[index]):
                    yield replace(place, size=size)
