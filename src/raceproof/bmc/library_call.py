"""One call of a function outside the program, in one place of the unwound program: its arguments and its events."""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.bmc.events import Event, Kind, Point
from raceproof.bmc.frames import Frame
from raceproof.bmc.instructions import ANYTHING, Held, width_of
from raceproof.bmc.memory import Memory
from raceproof.bmc.terms import Value, choose, equal, number, resize
from raceproof.bmc.unwinding import Unwinder
from raceproof.facts import names_of, sync_object_size
from raceproof.ir import Call
from raceproof.model import Access
from raceproof.spec import Result, function, returned

Outcome = tuple[Held, Point | None]
"""The result of the call, and where it goes on; None: nowhere."""


@dataclass(frozen=True, slots=True)
class LibraryCall:
    unwinder: Unwinder
    frame: Frame
    instr: Call
    name: str

    @property
    def memory(self) -> Memory:
        return self.unwinder.memory

    @property
    def width(self) -> int:
        """Of pointers, in bits."""
        return self.unwinder.memory.width

    def argument(self, index: int | None, width: int) -> Value:
        if index is None or index >= len(self.instr.args):
            return self.memory.anything(width)
        given = width_of(self.instr.arg_types[index]) if index < len(self.instr.arg_types) else None
        value = self.unwinder.value(self.unwinder.operand(self.frame, self.instr.args[index]), given or width)
        return resize(value, given or width, width, True)

    def event(self, point: Point, kind: Kind, address: Value = 0) -> Event:
        made = self.unwinder.event(self.frame.thread, point, kind, self.instr.id, self.instr.pos)
        made.address = address
        made.size = sync_object_size(self.name, self.width // 8)
        return made

    def result(self, value: int) -> Held:
        width = width_of(self.instr.type)
        return number(value, width) if width is not None else ANYTHING

    def success(self) -> Held:
        """Of what may fail for want of memory and the like; only a proof thinks of that."""
        width = width_of(self.instr.type)
        return self.memory.anything(width) if self.unwinder.mode.is_proof and width is not None else self.result(0)

    def code(self, result: Result) -> Value:
        """How this function of the thread library spells a result."""
        api = next(found for name in names_of(self.name) if (found := function(name)) is not None)
        return number(returned(api, result) or 0, 32)

    def failure(self, result: Result) -> Value:
        """Of what may fail in more ways than one: in a proof, anything but success."""
        code = self.code(result)
        if not self.unwinder.mode.is_proof:
            return code
        found = self.memory.anything(32)
        return choose(equal(found, 0, 32), code, found, 32)

    def unsupported(self, point: Point, what: str) -> Outcome:
        self.unwinder.cut(self.frame, point, self.instr.id, self.instr.pos, f"not supported: {what}")
        return ANYTHING, None

    def shared_accesses(self) -> list[Access]:
        """What the facts say that it touches and others may touch as well."""
        numbers = self.unwinder.accesses.by_site.get(self.instr.id, ())
        return [self.unwinder.cp.accesses[number_] for number_ in numbers]
