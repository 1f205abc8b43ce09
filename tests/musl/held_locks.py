"""Which locks musl's own code must hold, by the objects that they are in.

A forward must-analysis: within a function over its blocks, between functions the locks common to all calls. A
function that is called through a pointer starts with none. A lock whose object is not known is the library's (-1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from musl.driver import UNLOCKS
from raceproof.facts.pointers.points_to import PointsTo
from raceproof.ir import Address, Call, Function, Instr, Program, SiteId, Terminator, successors
from raceproof.model import ObjectId

Held = frozenset[tuple[str, ObjectId]]
"""The function that locked, and the object that the lock is in."""
_LIBRARY: Final = ObjectId(-1)
_LOCKS: Final = {unlock: lock for lock, unlock in UNLOCKS.items()}


def held_locks(program: Program, points_to: PointsTo) -> Mapping[SiteId, Held]:
    """Before each instruction of a function that may run."""
    return _Held(program, points_to).found


class _Held:
    def __init__(self, program: Program, points_to: PointsTo) -> None:
        self._points_to = points_to
        self.found: dict[SiteId, Held] = {}
        entries: dict[str, Held | None] = dict.fromkeys(points_to.reached)  # None: no call seen yet
        entries[program.entry] = frozenset()
        changed = True
        while changed:
            changed = False
            for name in sorted(points_to.reached):
                start = entries[name]
                if start is None:
                    continue
                for instr, held in self._walk(program.functions[name], start):
                    self.found[instr.id] = held
                    if not isinstance(instr, Call):
                        continue
                    given = held if isinstance(instr.callee, Address) else frozenset()
                    for callee in points_to.callees(instr.id):
                        before = entries.get(callee)
                        new = given if before is None else given & before
                        if callee in entries and new != before:
                            entries[callee] = new
                            changed = True

    def _walk(self, function: Function, entry: Held) -> list[tuple[Instr | Terminator, Held]]:
        before: dict[str, Held] = {function.blocks[0].label: entry}
        blocks = {block.label: block for block in function.blocks}
        work = [function.blocks[0].label]
        while work:
            label = work.pop()
            held = before[label]
            for instr in blocks[label].body:
                held = self._after(function, instr, held)
            for target in successors(blocks[label].terminator):
                new = held & before.get(target, held)
                if target not in before or new != before[target]:
                    before[target] = new
                    work.append(target)
        found: list[tuple[Instr | Terminator, Held]] = []
        for label, held in before.items():
            for instr in blocks[label].body:
                found.append((instr, held))
                held = self._after(function, instr, held)
            found.append((blocks[label].terminator, held))
        return found

    def _after(self, function: Function, instr: Instr, held: Held) -> Held:
        if not isinstance(instr, Call) or not isinstance(instr.callee, Address):
            return held
        name = instr.callee.symbol
        if name in UNLOCKS:
            targets = self._points_to.targets(function.name, instr.args[0]) if instr.args else ()
            objects = {target.object for target in targets}
            return held | {(name, objects.pop() if len(objects) == 1 else _LIBRARY)}
        if name in _LOCKS:
            return frozenset(each for each in held if each[0] != _LOCKS[name])
        return held
