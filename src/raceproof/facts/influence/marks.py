"""Where values from outside may be: in registers, in memory, in what functions return.

A mark is a set of values, as the bits of an integer: two for each value, the upper one while it is *raw*, an address or
an id from which nothing was computed yet. Marks only grow; `has_grown` tells whether any did.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from raceproof.facts.flow.locations import overlap
from raceproof.facts.pointers.points_to import PointsTo
from raceproof.ir import Function, Operand, Reg
from raceproof.model import MemLoc, ObjectId, ObjectKind

Mark = int


class Marks:
    def __init__(self, points_to: PointsTo, values: int) -> None:
        self._points_to = points_to
        self._raw: Mark = sum(2 << (2 * number) for number in range(values))
        self._registers: dict[tuple[str, str], Mark] = {}
        self._memory: dict[ObjectId, dict[MemLoc, Mark]] = {}
        self._returned: dict[str, Mark] = {}
        self._anywhere: Mark = 0  # stored through pointers of which nothing is known
        self.decides: Mark = 0
        self.has_grown = False

    @staticmethod
    def of(number: int, is_raw: bool) -> Mark:
        """The mark of value `number`."""
        return (2 if is_raw else 1) << (2 * number)

    def is_deciding(self, number: int) -> bool:
        return bool(self.decides >> (2 * number) & 1)

    # -- raw and cooked

    def cooked(self, mark: Mark) -> Mark:
        """What was computed from raw values is raw no more."""
        raw = mark & self._raw
        return (mark ^ raw) | raw >> 1

    def but_raw(self, mark: Mark) -> Mark:
        """A raw value is as good as the pointer that it was."""
        return mark & ~self._raw

    def has_raw(self, mark: Mark) -> bool:
        return bool(mark & self._raw)

    # -- registers and functions

    def value(self, function: Function, operand: Operand) -> Mark:
        return self._registers.get((function.name, operand.name), 0) if isinstance(operand, Reg) else 0

    def put(self, function: str, register: str, mark: Mark) -> None:
        if mark:
            key = (function, register)
            self._registers[key] = self._joined(self._registers.get(key, 0), mark)

    def returned(self, function: str) -> Mark:
        return self._returned.get(function, 0)

    def returns(self, function: str, mark: Mark) -> None:
        self._returned[function] = self._joined(self._returned.get(function, 0), mark)

    def decide(self, mark: Mark) -> None:
        self.decides = self._joined(self.decides, self.cooked(mark))

    # -- memory

    def objects_at(self, function: Function, operand: Operand) -> frozenset[ObjectId]:
        return frozenset(location.object for location in self._points_to.targets(function.name, operand))

    def is_single(self, target: ObjectId) -> bool:
        return self._points_to.objects[target].is_single

    def read(self, function: Function, address: Operand, size: int | None) -> Mark:
        found = self._anywhere
        for location in self._points_to.targets(function.name, address):
            if self._points_to.objects[location.object].kind is ObjectKind.UNKNOWN:
                return found | union(mark for marks in self._memory.values() for mark in marks.values())
            known = self._memory.get(location.object)
            if known:
                wanted = replace(location, size=size)
                found |= union(mark for place, mark in known.items() if overlap(place, wanted))
        return found

    def write(self, function: Function, address: Operand, size: int | None, mark: Mark) -> None:
        for location in self._points_to.targets(function.name, address) if mark else ():
            if self._points_to.objects[location.object].kind is ObjectKind.UNKNOWN:
                self._anywhere = self._joined(self._anywhere, mark)
            self._write_at(replace(location, size=size), mark)

    def copy(self, function: Function, to: Operand, source: Operand, size: int | None) -> None:
        """Of each place its own mark, where both places are known."""
        targets = self._points_to.targets(function.name, to)
        for location in self._points_to.targets(function.name, source):
            for place, mark in list(self._memory.get(location.object, {}).items()):
                if not overlap(place, replace(location, size=size)):
                    continue
                for target in targets:
                    self._write_at(_moved(place, location, target, size), mark)
        if self._anywhere:
            self.write(function, to, size, self._anywhere)

    def _write_at(self, place: MemLoc, mark: Mark) -> None:
        known = self._memory.setdefault(place.object, {})
        known[place] = self._joined(known.get(place, 0), mark)

    def _joined(self, known: Mark, mark: Mark) -> Mark:
        if mark & ~known:
            self.has_grown = True
        return known | mark


def _moved(place: MemLoc, source: MemLoc, target: MemLoc, size: int | None) -> MemLoc:
    is_plain = place.stride is None and source.stride is None and target.stride is None
    if is_plain and place.offset is not None and source.offset is not None and target.offset is not None:
        return replace(place, object=target.object, offset=target.offset + place.offset - source.offset)
    return replace(target, size=size)


def union(marks: Iterable[Mark]) -> Mark:
    found = 0
    for mark in marks:
        found |= mark
    return found
