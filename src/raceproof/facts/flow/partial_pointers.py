"""Reads of a part of what may be a pointer: bytes of an address, as a hash function looks at them.

Whoever has other addresses than the program must not follow what is read so. Errs on the side of more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.ir import CompareExchange, IntType, Load, Rmw, SiteId
from raceproof.model import MemLoc

if TYPE_CHECKING:
    from raceproof.facts.flow.world import World


def partial_reads_of_pointers(world: World) -> frozenset[SiteId]:
    """Loads and updates of numbers that are not as long as a pointer, where one may be."""
    whole = world.program.pointer_size
    known: dict[MemLoc, bool] = {}
    found: set[SiteId] = set()
    for function in world.program.functions.values():
        for instr in function.instructions():
            if not isinstance(instr, Load | Rmw | CompareExchange) or not isinstance(instr.type, IntType):
                continue
            if instr.type.size == whole:
                continue
            for touch in world.touches(function, instr):
                for target in touch.targets:
                    if target not in known:
                        known[target] = bool(world.points_to.contents(_around(target, whole)))
                    if known[target]:
                        found.add(instr.id)
    return frozenset(found)


def _around(target: MemLoc, whole: int) -> MemLoc:
    """Where a pointer begins that has a byte in the target."""
    if target.offset is None or target.size is None:
        return target
    start = max(target.offset - whole + 1, 0)
    return replace(target, offset=start, size=target.offset + target.size - start)
