"""Threads whose id is kept in the object that they were given, and nowhere else in it: `create(&p->id, f, p)`.

Whoever finds an id in such an object and joins it has waited for the thread that works on this object.
"""

from __future__ import annotations

from collections.abc import Mapping

from raceproof.facts.flow.contexts import AccessKey, ThreadRecord
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.world import TargetedTouch
from raceproof.model import AccessKind, DistinctArgument, MemLoc, ThreadId


def kept_ids(flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], size: int) -> dict[ThreadId, int]:
    """Thread -> where in its object its id, of `size` bytes, is.

    Each instance has a new object, so the creation writes there once; all other writes come before anybody
    else can see the object, and before the creation.
    """
    result: dict[ThreadId, int] = {}
    for record in flow.records:
        (offset,) = record.id_offsets if len(record.id_offsets) == 1 else (None,)
        argument = record.argument
        if offset is None or not isinstance(argument, DistinctArgument) or not argument.fresh:
            continue
        objects = {o for spawn in record.spawns.values() for o in spawn.argument_objects}
        places = [MemLoc(o, offset, size) for o in sorted(objects)]
        if places and not _is_overwritten(record, places, flow, touched):
            result[record.id] = offset
    return result


def _is_overwritten(
    record: ThreadRecord, places: list[MemLoc], flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]
) -> bool:
    """Something else than the creation writes there once the object is known to others; not by freeing it."""
    return any(
        key[0] != record.site
        and touch.touch.kind.writes
        and touch.touch.kind is not AccessKind.FREE
        and any(overlap(place, target) for place in places for target in touch.targets)
        and not all(view.private for view in flow.views[key])
        for key, touch in touched.items()
    )
