"""Writes to memory that threads synchronise by: an object that is made again, or set back, by a plain write.

The events of locks, semaphores, barriers and once-objects know these by their addresses alone. A write there that comes
before all of them makes the object what it is: zeros are what every static initialiser begins with, and the kind of a
mutex must be the one that it is taken for. Behind any other write nothing is known, as behind a cut; one that nobody
else sees has no event to say so, and then nothing is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from raceproof.bmc.events import MEMORY, Event, Instance, Kind
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.memory import Memory, Word
from raceproof.bmc.mutexes import Mutexes, MutexKind, kind_offset, type_of_kind
from raceproof.bmc.terms import Truth, Value, either, part
from raceproof.core import SourcePos
from raceproof.ir import Call, CompareExchange, Rmw, SiteId, Store

Writing = Store | Rmw | CompareExchange | Call

_OF_THREADS = frozenset({Kind.START, Kind.END, Kind.CREATE, Kind.JOIN, Kind.STOP, Kind.CUT})
_OF_NO_OBJECT = MEMORY | _OF_THREADS | {Kind.SECTION, Kind.SECTION_END}
_LOCKING = frozenset({Kind.LOCK, Kind.TRY, Kind.UNLOCK})
_COUNTING = frozenset({Kind.INIT, Kind.POST, Kind.TAKE, Kind.ARRIVE, Kind.LEAVE})
"""Kinds of events about what has no static initialiser."""


@dataclass(frozen=True, slots=True)
class _Written:
    """`index`: how many events the thread had."""

    thread: Instance
    index: int
    address: Value
    size: int
    value: Value
    pos: SourcePos | None
    event: Event | None


class Overwriting:
    """Of one unwound program. `sites`: the instructions that are to be watched."""

    def __init__(self, memory: Memory, mutexes: Mutexes, sites: Collection[SiteId]) -> None:
        self._memory = memory
        self._mutexes = mutexes
        self._sites = sites
        self._found: list[_Written] = []

    def note(self, thread: Instance, instr: Writing, address: Value, word: Word, event: Event | None) -> None:
        if instr.id in self._sites:
            written = _Written(thread, len(thread.events), address, word.size, word.value, instr.pos, event)
            self._found.append(written)

    def unaccounted(self, threads: Iterable[Instance], watch: Watch) -> Iterator[tuple[Event | None, Truth, str]]:
        """Writes, when they are there where something else is than memory, and what to say of them."""
        events = [event for thread in threads for event in thread.events if event.kind not in _OF_NO_OBJECT]
        for written in self._found:
            places: dict[tuple[int, int], Event] = {}
            for event in events:
                watch.check()
                if self._memory.may_overlap(written.address, written.size, event.address, event.size) and not (
                    _precedes(written, event) and self._is_initial(written, event)
                ):
                    at = event.address if isinstance(event.address, int) else -event.address.get_id()
                    places.setdefault((at, event.size), event)
            there = either(*(self._overlap(written, event) for event in places.values()))
            if there is not False:
                where = f" (line {written.pos.line})" if written.pos is not None else ""
                yield written.event, there, f"what threads synchronise by is written as memory{where}"

    def _overlap(self, written: _Written, event: Event) -> Truth:
        return self._memory.overlap(written.address, written.size, event.address, event.size)

    def _is_initial(self, written: _Written, event: Event) -> bool:
        """What is written there is what the object is taken to begin with."""
        if event.kind in _COUNTING or (event.kind is Kind.TRY and event.what == "semaphore"):
            return True  # counts only from where a call initialises it, which is an event as well
        kind = self._mutexes.kind(event.address) if event.kind in _LOCKING else MutexKind.NORMAL
        if isinstance(kind, str) or not isinstance(written.value, int):
            return False
        if not isinstance(written.address, int) or not isinstance(event.address, int):
            return kind is MutexKind.NORMAL and written.value == 0
        expected = type_of_kind(kind) << 8 * kind_offset(self._memory.width)
        start = max(written.address, event.address)
        length = min(written.address + written.size, event.address + event.size) - start
        there = part(written.value, written.size, start - written.address, length)
        return bool(there == part(expected, event.size, start - event.address, length))


def _precedes(written: _Written, event: Event) -> bool:
    """Whenever both happen, the write comes first; see `must_precede`."""
    at: Event | None = event
    while at is not None:
        if at.thread is written.thread:
            return at.index >= written.index
        at = at.thread.created
    return False
