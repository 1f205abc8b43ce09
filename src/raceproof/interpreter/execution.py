"""One execution of a program: threads, frames, and what the search needs to know of each thread's next step.

A step that other threads can notice is *visible*: the thread stops before it with an `Operation` pending, and the
search decides who goes on. Everything else runs at once. What is visible is not known beforehand: an execution starts
with a `Visible`, and lists in `found` what should have been in it. The search begins again until nothing is found.

That is enough to see every race. Plain accesses that race in no execution are ordered by the visible steps alone, so
that executions with the same order of visible steps are the same; bytes that do race become visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from raceproof.interpreter.clocks import Detector, ThreadClock, fork
from raceproof.interpreter.memory import (
    UNDEFINED,
    MemoryObject,
    NotSupported,
    ObjectName,
    Pointer,
    UndefinedBehaviour,
    Value,
)
from raceproof.ir import Address, Block, Function, Program

FUEL = 50_000  # instructions of one execution
WORD = 4
"""Bytes at the beginning of a lock or the like that say whether it was used."""
ThreadName = tuple[int, ...]
"""The number of the creation in each ancestor, main being (): the same in every schedule."""
SyncName = tuple[ObjectName, int]
Span = tuple[ObjectName, int, int, bool]
"""Object, first byte, end, whether it writes."""


@dataclass(slots=True)
class Visible:
    """What must be a visible step: plain accesses to `racy` bytes, operations on `shared` synchronisation objects,
    the release of `tried` locks (others cannot notice a release but by a lock that becomes possible).
    `everything`: all accesses to memory that is not on the stack, and all operations."""

    racy: set[tuple[ObjectName, int]] = field(default_factory=set)
    shared: set[SyncName] = field(default_factory=set)
    tried: set[SyncName] = field(default_factory=set)
    everything: bool = False
    racy_objects: set[ObjectName] = field(init=False, default_factory=set)

    def grow(self, found: Visible) -> bool:
        """Add what an execution found; True if there was something new."""
        size = len(self.racy) + len(self.shared) + len(self.tried)
        self.racy |= found.racy
        self.shared |= found.shared
        self.tried |= found.tried
        self.racy_objects = {name for name, _ in self.racy}
        return len(self.racy) + len(self.shared) + len(self.tried) > size


@dataclass(slots=True)
class Operation:
    """What a thread does next: to which synchronisation objects and bytes. `ready` is None if it can always go on.

    Two operations are dependent if they share a synchronisation object, or bytes that one of them writes.
    """

    text: str
    objects: tuple[SyncName, ...] = ()
    spans: tuple[Span, ...] = ()
    ready: Callable[[], bool] | None = None
    is_eager: bool = False
    everything: bool = False

    def is_ready(self) -> bool:
        return self.ready is None or self.ready()

    def depends_on(self, other: Operation) -> bool:
        if self.everything or other.everything:
            return True
        if self.objects and not set(self.objects).isdisjoint(other.objects):
            return True
        for name_a, low_a, high_a, writes_a in self.spans:
            for name_b, low_b, high_b, writes_b in other.spans:
                if name_a == name_b and (writes_a or writes_b) and low_a < high_b and low_b < high_a:
                    return True
        return False


@dataclass(slots=True)
class Frame:
    """`at_return` runs when the function returns, `at_exit` if the thread ends in it; `result` is the caller's register
    for its value; `variables` are gone then."""

    function: Function
    block: Block
    index: int
    registers: dict[str, Value]
    result: str | None
    at_return: Callable[[], None] | None = None
    at_exit: Callable[[], None] | None = None
    variables: list[MemoryObject] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class RunningThread:
    """`phase` counts the steps of an operation that takes several, `eager` those since the last choice; `spun` are the
    states since the last effect, `watched` what was read since then, with its version; `dozed` are the waits that have
    ended without a signal since then."""

    name: ThreadName
    number: int
    clock: ThreadClock
    frames: list[Frame] = field(default_factory=list)
    pending: Operation | None = None
    phase: int = 0
    eager: int = 0
    memo: int = 0
    has_ended: bool = False
    is_stuck: str | None = None
    is_joined: bool = False
    returned: Value = 0
    created: int = 0
    allocated: int = 0
    specific: dict[int, Value] = field(default_factory=dict)
    spun: set[object] = field(default_factory=set)
    watched: dict[object, int] = field(default_factory=dict)
    dozed: set[object] = field(default_factory=set)

    def note_effect(self) -> None:
        """It has done something that a loop which only waits does not do."""
        self.spun.clear()
        self.watched.clear()
        self.dozed.clear()

    def state(self) -> object:
        """Where it is, and its registers: a thread that comes here again, having done nothing, does the same again."""
        return tuple((id(f.block), f.index, tuple(f.registers.items())) for f in self.frames)

    @property
    def is_done(self) -> bool:
        return self.has_ended or self.is_stuck is not None


class SetBack:
    """A synchronisation object that is a new one when the program writes where it begins."""

    __slots__ = ()


class Execution:
    """The state that threads share. `synchronising`: what has locks and the like in it."""

    def __init__(self, program: Program, visible: Visible, ids: dict[ThreadName, int]) -> None:
        self.program = program
        self.visible = visible
        self.found = Visible()
        self.detector = Detector()
        self.threads: list[RunningThread] = []
        self.by_id: dict[int, RunningThread] = {}
        self.sync: dict[tuple[MemoryObject, int], object] = {}
        self.synchronising: set[MemoryObject] = set()
        self.users: dict[SyncName, set[ThreadName]] = {}
        self.versions: dict[SyncName, int] = {}
        self.atomic_owner: RunningThread | None = None
        self.wakes_spuriously = False
        self.fuel = FUEL
        self.keys = 0
        self.choose: Callable[[str, int], int] = lambda _, __: 0
        self._ids = ids
        self._objects: dict[ObjectName, MemoryObject] = {}
        self._pointers: dict[Address, Pointer] = {}

    # -- threads

    def start(self, parent: RunningThread | None, function: Function, argument: Value) -> RunningThread:
        """A new thread, about to run `function`."""
        number = len(self.threads)
        if parent is None:
            name: ThreadName = ()
            clock = ThreadClock(0)
            clock.now[0] = 1
        else:
            name = (*parent.name, parent.created)
            parent.created += 1
            clock = fork(parent.clock, number)
        thread = RunningThread(name, number, clock)
        self.threads.append(thread)
        self.by_id[self.identity(thread)] = thread
        self.detector.names.append("main" if not name else "thread " + ".".join(map(str, name)))
        if parent is not None:
            thread.frames.append(new_frame(function, [argument] if function.params else [], None))
        else:
            thread.frames.append(new_frame(function, [UNDEFINED] * len(function.params), None))
        return thread

    def start_main(self, arguments: Sequence[str]) -> RunningThread:
        """The first thread, with `argc` and `argv` if it asks for them; how the program is called is not known."""
        function = self.program.functions[self.program.entry]
        thread = self.start(None, function, 0)
        if function.params:
            size = self.program.pointer_size
            vector = MemoryObject(("argv",), (len(arguments) + 2) * size, 0)
            vector.store(0, size, Pointer(MemoryObject(("argv", 0), 1, UNDEFINED), 0))
            for number, text in enumerate(arguments, start=1):
                content = text.encode("utf-8", "surrogateescape") + b"\0"
                copy = MemoryObject(("argv", number), len(content), 0)
                for offset, character in enumerate(content):
                    copy.store(offset, 1, character)
                vector.store(number * size, size, Pointer(copy, 0))
            given: list[Value] = [len(arguments) + 1, Pointer(vector, 0)]
            thread.frames[:] = [new_frame(function, given, None)]
        return thread

    def identity(self, thread: RunningThread) -> int:
        """Its pthread_t, the same in every schedule."""
        return self._ids.setdefault(thread.name, 0x7000_0000 + 0x1000 * len(self._ids))

    # -- synchronisation objects

    def use(self, thread: RunningThread, name: SyncName) -> bool:
        """Note that the thread uses the object; True if that is visible."""
        users = self.users.setdefault(name, set())
        users.add(thread.name)
        if len(users) > 1 and name not in self.visible.shared:
            self.found.shared.add(name)
        return self.visible.everything or name in self.visible.shared

    def overwrite(self, target: MemoryObject, first: int, end: int) -> None:
        """A write to memory: locks, conditions and the like whose first word is there are new ones, as a real library
        would have it."""
        for offset in range(first - WORD + 1, end):
            if isinstance(self.sync.get((target, offset)), SetBack):
                del self.sync[target, offset]

    def has_changed(self, watched: Mapping[object, int]) -> bool:
        """Whether somebody has written to what was read, since then."""
        return any(self._version(place) != version for place, version in watched.items())

    def _version(self, place: object) -> int:
        # What is no object is the name of something to synchronise by.
        return place.version if isinstance(place, MemoryObject) else self.versions.get(cast(SyncName, place), 0)

    # -- memory

    def allocate(self, thread: RunningThread, kind: str, size: int, zeroed: bool) -> Pointer:
        name = (kind, thread.name, thread.allocated)
        thread.allocated += 1
        return Pointer(MemoryObject(name, size, 0 if zeroed else UNDEFINED), 0)

    def pointer_to(self, address: Address, thread: RunningThread) -> Pointer:
        """The address of a global or function, or of the thread's own instance of a thread-local variable."""
        found = self._pointers.get(address)
        if found is None:
            is_local = address.symbol in self.program.globals and self.program.globals[address.symbol].is_thread_local
            name = ("tls", address.symbol, thread.name) if is_local else ("global", address.symbol)
            if name not in self._objects:
                self._objects[name] = self._make_global(name, address.symbol, thread)
            found = Pointer(self._objects[name], address.offset)
            if not is_local:
                self._pointers[address] = found
        return found

    def _make_global(self, name: ObjectName, symbol: str, thread: RunningThread) -> MemoryObject:
        if symbol not in self.program.globals:
            return MemoryObject(name, 0, 0, is_function=True)
        variable = self.program.globals[symbol]
        if variable.is_external or (not variable.initial_complete and variable.text is None):
            raise NotSupported(f"the initial value of {symbol}")
        made = MemoryObject(name, variable.type.size, 0)
        self._objects[name] = made
        for cell in variable.initial:
            value: Value
            if isinstance(cell.value, Address):
                value = self.pointer_to(cell.value, thread)
            else:
                value = cell.value.value & ((1 << 8 * cell.size) - 1)
            made.store(cell.offset, cell.size, value)
        for offset, character in enumerate((variable.text or "").encode("utf-8", "surrogateescape")):
            made.store(offset, 1, character)
        return made

    def touch(
        self,
        thread: RunningThread,
        at: Pointer,
        size: int,
        kind: str,
        site: int,
        *,
        writes: bool,
        atomic: bool,
        changes: bool,
    ) -> None:
        """Let the detector see an access; `changes` tells a write that leaves another value."""
        target = at.object
        if target.is_function or at.offset < 0 or at.offset + size > target.size:
            raise UndefinedBehaviour(f"access to {at}")
        if changes:
            thread.note_effect()
            if target in self.synchronising:
                self.overwrite(target, at.offset, at.offset + size)
        else:
            thread.watched[target] = target.version
        self.detector.access(
            thread.number, thread.clock.now, target, at.offset, at.offset + size, kind, site, writes, atomic
        )

    def is_racy(self, at: Pointer, size: int) -> bool:
        name = at.object.name
        if self.visible.everything:
            return name[0] in ("global", "heap")
        if name not in self.visible.racy_objects:
            return False
        return any((name, byte) in self.visible.racy for byte in range(at.offset, at.offset + size))


def new_frame(function: Function, arguments: list[Value], result: str | None) -> Frame:
    if len(arguments) < len(function.params):
        raise NotSupported(f"a call of {function.name} with too few arguments")
    registers = {param.name: value for param, value in zip(function.params, arguments, strict=False)}
    return Frame(function, function.blocks[0], 0, registers, result)
