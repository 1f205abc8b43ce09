"""Reads of what may be a pointer as a number, all of it or in part: as a hash function looks at an address.

Whoever has other addresses than the program must not follow what is read so. Errs on the side of more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.ir import CompareExchange, IntType, Load, Rmw, SiteId
from raceproof.model import MemLoc, ObjectId, ObjectKind

if TYPE_CHECKING:
    from raceproof.facts.flow.world import World


def pointers_read_as_numbers(world: World) -> frozenset[SiteId]:
    """Loads and updates of numbers where a pointer may be."""
    foreign = foreign_objects(world)
    known: dict[MemLoc, bool] = {}
    found: set[SiteId] = set()
    for function in world.program.functions.values():
        for instr in function.instructions():
            if not isinstance(instr, Load | Rmw | CompareExchange) or not isinstance(instr.type, IntType):
                continue
            for touch in world.touches(function, instr):
                for target in touch.targets:
                    if target.object in foreign:
                        continue  # nobody knows what is there
                    if target not in known:
                        known[target] = may_hold_address(world, target)
                    if known[target]:
                        found.add(instr.id)
    return frozenset(found)


def foreign_objects(world: World) -> frozenset[ObjectId]:
    """Variables of the library, as errno, and memory of the outside world."""
    own = {world.points_to.object_of_symbol(name) for name in world.program.globals}
    variables = (ObjectKind.GLOBAL, ObjectKind.THREAD_LOCAL)
    return frozenset(
        number
        for number, found in world.points_to.objects.items()
        if found.kind is ObjectKind.UNKNOWN or (found.kind in variables and number not in own)
    )


def may_hold_address(world: World, place: MemLoc) -> bool:
    """A pointer may have a byte there. Ids of threads are pointers, too; but what they are is not known anyway."""
    objects = world.points_to.objects
    return any(objects[found.object].kind is not ObjectKind.THREAD for found in addresses_at(world, place))


def addresses_at(world: World, place: MemLoc) -> tuple[MemLoc, ...]:
    """What the pointers that have a byte in the place may point to."""
    return world.points_to.contents(_around(place, world.program.pointer_size))


def _around(target: MemLoc, whole: int) -> MemLoc:
    """Where a pointer begins that has a byte in the target."""
    if target.offset is None or target.size is None:
        return target
    start = max(target.offset - whole + 1, 0)
    return replace(target, offset=start, size=target.offset + target.size - start)
