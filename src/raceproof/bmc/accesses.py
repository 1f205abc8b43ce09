"""What loads, stores and atomic updates do: nothing but memory if nobody else sees it, otherwise an event.

An event has the accesses of the facts that it is. What it reads is known at once if it is settled; otherwise it is
a variable, which the encoding connects with the writes that it may see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raceproof.bmc.addresses import harmless_reads
from raceproof.bmc.evaluation import Evaluator, updated
from raceproof.bmc.events import Event, Instance, Kind, Point
from raceproof.bmc.frames import Frame
from raceproof.bmc.instructions import ANYTHING, Held, width_of
from raceproof.bmc.memory import Memory, Word, combined, words_of
from raceproof.bmc.overwriting import Overwriting, Writing
from raceproof.bmc.settling import Settling
from raceproof.bmc.terms import Value, as_bytes, both, equal
from raceproof.bmc.unwound import Mode
from raceproof.core import InternalError, SourcePos
from raceproof.facts import MemoryTouch, SyncUse, touches_of
from raceproof.ir import Address, Call, CompareExchange, Load, MemoryOrder, Operand, Rmw, SiteId, Store
from raceproof.model import Access, AccessId, ConcurrentProgram

MakeEvent = Callable[[Instance, Point, Kind, SiteId, SourcePos | None], Event]
Accessing = Load | Writing
Place = tuple[Value, int | None]
"""An address, and which argument of the call it is; None: of nothing that the program has a name for."""


class Accesses:
    """Of one unwound program. `by_site`: what the facts say is shared."""

    def __init__(
        self,
        cp: ConcurrentProgram,
        memory: Memory,
        values: Evaluator,
        settling: Settling,
        overwriting: Overwriting,
        mode: Mode,
        make_event: MakeEvent,
    ) -> None:
        self.by_site: dict[SiteId, tuple[AccessId, ...]] = {}
        for access in cp.accesses.values():
            self.by_site[access.site] = (*self.by_site.get(access.site, ()), access.id)
        self._odd_reads = cp.pointer_numbers - harmless_reads(cp)
        self._cp = cp
        self._memory = memory
        self._values = values
        self._settling = settling
        self._overwriting = overwriting
        self._mode = mode
        self._make_event = make_event

    def _address(self, frame: Frame, operand: Operand) -> Value:
        return self._value(frame, operand, self._memory.width)

    def _value(self, frame: Frame, operand: Operand, width: int) -> Value:
        return self._values.value(self._values.operand(frame.registers, operand), width)

    # -- reading and writing

    def load(self, frame: Frame, instr: Load, point: Point) -> Held:
        loaded = self.read(frame, instr, point, self._address(frame, instr.address), instr.type.size)
        if isinstance(loaded, Event):
            loaded.order = instr.order
            loaded = loaded.result
        return self._values.loaded(loaded, instr.type)

    def store(self, frame: Frame, instr: Store, point: Point) -> None:
        address = self._address(frame, instr.address)
        value = self._values.stored(self._values.operand(frame.registers, instr.value), instr.type)
        made = self.write(frame, instr, point, address, instr.type.size, value)
        if made is not None:
            made.order = instr.order

    def read(self, frame: Frame, instr: Load, point: Point, address: Value, size: int) -> Value | Event:
        """What is read there; an event, if others may look on."""
        self._look_at(instr)
        if self._is_own(frame.thread, self.by_site.get(instr.id, ()), address):
            return self._memory.read(frame.thread, point, address, size, self._is_anywhere(instr))
        made = self._event(frame, Kind.READ, instr, point, address, size)
        made.is_block = self._is_anywhere(instr)
        self._fill_in(made)
        return made

    def _is_anywhere(self, instr: Load | Store | Call) -> bool:
        """A number that need not be aligned, as in a packed structure: it may have a part in common with another."""
        if isinstance(instr, Call) or instr.align == 0:
            return False
        return instr.align < min(instr.type.size, self._memory.width // 8)

    def _look_at(self, instr: Load | Rmw | CompareExchange) -> None:
        """An address, or a part of it, is a number of ours, not of the program's."""
        if instr.id in self._odd_reads:
            self._values.addresses_as_numbers(instr.pos)

    def write(
        self, frame: Frame, instr: Store | Call, point: Point, address: Value, size: int, value: Value
    ) -> Event | None:
        made: Event | None = None
        if not self._is_own(frame.thread, self.by_site.get(instr.id, ()), address):
            made = self._event(frame, Kind.WRITE, instr, point, address, size)
            made.value, made.is_block = value, self._is_anywhere(instr)
        self._write(frame, instr, point, Word(0, size, value), address, made, self._is_anywhere(instr))
        return made

    def _write(
        self,
        frame: Frame,
        instr: Writing,
        point: Point,
        word: Word,
        to: Value,
        made: Event | None,
        is_block: bool = False,
    ) -> None:
        """To memory as the thread sees it."""
        address = self._memory.at(to, word.offset) if word.offset else to
        self._overwriting.note(frame.thread, instr, address, word, made)
        self._memory.write(frame.thread, point, address, word.size, word.value, is_block)

    def _is_own(self, thread: Instance, accesses: tuple[AccessId, ...], address: Value) -> bool:
        """Does no other thread ever see what happens there?"""
        return not accesses and self.is_own(thread, address)

    def is_own(self, thread: Instance, address: Value) -> bool:
        """Does nobody else see it, if the facts call it private? They may mean: handed on from one thread to the next
        of its kind, except for what lies on its stack."""
        origin = self._memory.origin(address)
        is_on_stack = bool(origin) and all(found.owner is thread for found in origin or ())
        return is_on_stack or self._settling.is_single(thread)

    def _event(self, frame: Frame, kind: Kind, instr: Accessing, point: Point, address: Value, size: int) -> Event:
        made = self._make_event(frame.thread, point, kind, instr.id, instr.pos)
        made.accesses, made.address, made.size = self.by_site.get(instr.id, ()), address, size
        return made

    def _fill_in(self, made: Event) -> None:
        """What it reads: known, or a variable."""
        if self._settling.is_settled(made):
            made.result = self._memory.read(made.thread, made.point, made.address, made.size, made.is_block)
            made.is_resolved = True
        else:
            made.result = self._memory.anything(8 * made.size, f"read_{made.thread.number}_{made.index}")

    # -- atomic updates

    def update(self, frame: Frame, instr: Rmw, point: Point) -> Held:
        self._look_at(instr)
        width = width_of(instr.type)
        size = instr.type.size
        made = self._event(frame, Kind.UPDATE, instr, point, self._address(frame, instr.address), size)
        made.order = instr.order
        self._fill_in(made)
        if width is None:
            made.value = self._memory.anything(8 * size)
            self._write(frame, instr, point, Word(0, size, made.value), made.address, made)
            return ANYTHING
        old = self._values.shaped(made.result, instr.type, width)
        new = updated(instr.op, old, self._value(frame, instr.value, width), width)
        made.value = as_bytes(new, width, size) if new is not None else self._memory.anything(8 * size)
        self._write(frame, instr, point, Word(0, size, made.value), made.address, made)
        return old

    def exchange(self, frame: Frame, instr: CompareExchange, point: Point) -> Held:
        self._look_at(instr)
        width = width_of(instr.type) or 8 * instr.type.size
        size = instr.type.size
        made = self._event(frame, Kind.UPDATE, instr, point, self._address(frame, instr.address), size)
        made.order = instr.order
        if instr.order.acquires and not instr.failure_order.acquires:  # one that fails orders nothing
            made.order = MemoryOrder.RELEASE if instr.order.releases else MemoryOrder.RELAXED
        elif instr.order is MemoryOrder.SEQ_CST and instr.failure_order is not MemoryOrder.SEQ_CST:
            made.order = MemoryOrder.ACQ_REL
        self._fill_in(made)
        old = self._values.shaped(made.result, instr.type, width)
        success = equal(old, self._value(frame, instr.expected, width), width)
        if instr.weak and self._mode.is_proof:
            success = both(success, self._memory.anything(1, "weak"))
        new = self._value(frame, instr.new, width)
        made.value = as_bytes(self._memory.choose(success, new, old, width), width, size)
        made.condition = success
        self._write(frame, instr, point, Word(0, size, made.value), made.address, made)
        return (old, success)

    # -- objects that threads synchronise by

    def use_objects(self, frame: Frame, instr: Call, point: Point, when: SyncUse) -> None:
        """An operation of the thread library stands before its own objects. Of their bytes nothing is known."""
        for access in (self._cp.accesses[number] for number in self.by_site.get(instr.id, ())):
            use = self.use_of(instr, access)
            if use is None or use.use is not when or use.size is None:
                continue
            address = self._address(frame, use.address)
            made = self._event(frame, Kind.READ, instr, point, address, use.size)
            made.accesses, made.is_block, made.is_resolved = (access.id,), True, True
            made.result = self._memory.anything(8 * use.size)

    def use_of(self, instr: Call, access: Access) -> MemoryTouch | None:
        """The access as such a use, if it is one."""
        if not isinstance(instr.callee, Address):
            return None
        touches = touches_of(self._cp.program, instr, [instr.callee.symbol])
        found = touches[access.touch] if access.touch < len(touches) else None
        return found if found is not None and found.use is not None else None

    # -- blocks of bytes

    def copy(self, frame: Frame, instr: Call, point: Point, to: Place, source: Place, size: int) -> None:
        """All of them are read, then all are written."""
        self._write_block(frame, instr, point, to, size, self._read_block(frame, instr, point, source, size))

    def fill(self, frame: Frame, instr: Call, point: Point, to: Place, size: int, value: Value) -> None:
        self._write_block(frame, instr, point, to, size, [Word(0, size, value)])

    def _read_block(self, frame: Frame, instr: Call, point: Point, source: Place, size: int) -> list[Word]:
        address, argument = source
        accesses = self._touching(instr, argument, is_write=False)
        if self._is_own(frame.thread, accesses, address):
            return self._memory.read_words(frame.thread, point, address, size)
        made = self._event(frame, Kind.READ, instr, point, address, size)
        made.accesses, made.is_block = accesses, True
        if self._settling.is_settled(made):
            words = self._memory.read_words(frame.thread, point, address, size)
            made.result, made.is_resolved = combined(words), True
            return words
        made.result = self._memory.anything(8 * size, f"read_{made.thread.number}_{made.index}")
        return words_of(made.result, size)

    def _write_block(
        self, frame: Frame, instr: Call, point: Point, to: Place, size: int, words: Sequence[Word]
    ) -> None:
        address, argument = to
        accesses = self._touching(instr, argument, is_write=True)
        made: Event | None = None
        if argument is not None and not self._is_own(frame.thread, accesses, address):
            made = self._event(frame, Kind.WRITE, instr, point, address, size)
            made.accesses, made.is_block, made.value = accesses, True, combined(words)
        for word in words:
            self._write(frame, instr, point, word, address, made, is_block=True)

    def _touching(self, instr: Call, argument: int | None, is_write: bool) -> tuple[AccessId, ...]:
        """Accesses of a direct call that are about what the argument points to."""
        found = [self._cp.accesses[number] for number in self.by_site.get(instr.id, ())]
        if not found or argument is None:
            return ()
        if not isinstance(instr.callee, Address):
            raise InternalError("what a call through a pointer touches is shared: the path should have ended")
        touches = touches_of(self._cp.program, instr, [instr.callee.symbol])
        place = instr.args[argument]  # two arguments that are the same are one access
        return tuple(a.id for a in found if a.kind.writes is is_write and touches[a.touch].address == place)
