"""What calls of functions outside the program do to the unwound program: threads, locks, inputs, memory.

A function that is not known to leave memory alone ends the path: nothing is claimed about what comes behind it.
"""

from __future__ import annotations

from typing import Final

from raceproof.bmc.events import Event, Input, Kind, Point
from raceproof.bmc.instructions import ANYTHING, Held, width_of
from raceproof.bmc.memory import Object
from raceproof.bmc.terms import Value, arithmetic, both, choose, compare, equal, is_known, negate, number, resize
from raceproof.bmc.unwinding import Frame, Unwinder
from raceproof.facts import Sync, SyncOp, atomic_call, effect_of, names_of, sync_op, touches_of
from raceproof.ir import Address, Call, PtrType

BUSY: Final = 16  # EBUSY, EAGAIN, ETIMEDOUT of Linux
AGAIN: Final = 11
TIMED_OUT: Final = 110
MAX_COPY: Final = 512
_INPUT: Final = "__VERIFIER_nondet_"
_UNSIGNED: Final = frozenset(
    [
        "bool",
        "_Bool",
        "uchar",
        "unsigned_char",
        "ushort",
        "uint",
        "unsigned",
        "ulong",
        "ulonglong",
        "size_t",
        "sector_t",
        "pthread_t",
    ]
)
_ABORTS: Final = frozenset(
    [
        "abort",
        "__assert_fail",
        "__assert_fail_base",
        "reach_error",
        "__VERIFIER_error",
        "llvm.trap",
        "_abort",
        "__assert_rtn",
    ]
)
_EXITS: Final = frozenset(["exit", "_exit", "_Exit", "quick_exit"])
_SET: Final = frozenset(["memset", "llvm.memset"])
_COPY: Final = frozenset(["memcpy", "memmove", "llvm.memcpy", "llvm.memmove"])
_ALLOCATE: Final = frozenset(["malloc", "calloc"])
_IGNORED: Final = (
    "llvm.dbg",
    "llvm.lifetime",
    "llvm.stack",
    "llvm.assume",
    "llvm.experimental.noalias",
    "llvm.prefetch",
)
_ERRNO: Final = frozenset({"__errno_location", "__errno"})
_JUMPS: Final = """
    setjmp _setjmp sigsetjmp __sigsetjmp longjmp siglongjmp _longjmp getcontext setcontext swapcontext makecontext
"""
_ODD: Final = """
    pthread_cancel _pthread_cleanup_push _pthread_cleanup_pop __pthread_register_cancel __pthread_unwind_next
    pthread_mutexattr_settype pthread_mutexattr_setrobust fork vfork signal sigaction atexit on_exit
"""
_REFUSED: Final = frozenset((_JUMPS + _ODD).split())

Outcome = tuple[Held, Point | None]


def call_library(unwinder: Unwinder, frame: Frame, call: Call, name: str, point: Point) -> Outcome:
    """The result of the call, and where it goes on; None: nowhere."""
    return _Caller(unwinder, frame, call, name).run(point)


class _Caller:
    """One call in one place."""

    def __init__(self, unwinder: Unwinder, frame: Frame, call: Call, name: str) -> None:
        self._unwinder = unwinder
        self._memory = unwinder.memory
        self._frame = frame
        self._call = call
        self._name = name
        self._width = unwinder.memory.width

    def run(self, point: Point) -> Outcome:
        names = frozenset(names_of(self._name)) | {self._name}
        op = sync_op(self._name)
        if names & _REFUSED:
            return self._unsupported(point, f"a call of `{self._name}`")
        if op is not None:
            return self._sync(op, point)
        if self._name.startswith(_INPUT):
            return self._input(point), point
        if self._name in ("__VERIFIER_assume", "assume_abort_if_not"):
            truth = negate(equal(self._argument(0, 32), 0, 32))
            return 0, self._unwinder.assume(point, truth)
        if names & _ABORTS:
            self._event(point, Kind.STOP)
            return 0, None
        if names & _EXITS:
            return 0, None
        if names & _ERRNO:  # any number of calls may have set it since: each time another object with anything in it
            found = self._memory.make("errno", "stack", 4)
            found.owner = self._frame.thread
            return found.base, point
        if names & _ALLOCATE:
            return self._allocate(names, point), point
        if "free" in names:
            return self._free(point), point
        if names & _SET or names & _COPY:
            return self._bytes(point, is_set=bool(names & _SET))
        if self._name.startswith(_IGNORED):
            return ANYTHING, point
        if self._name.startswith("llvm."):
            return self._intrinsic(point)
        return self._other(point)

    # -- what they have in common

    def _argument(self, index: int | None, width: int) -> Value:
        if index is None or index >= len(self._call.args):
            return self._memory.anything(width)
        given = width_of(self._call.arg_types[index]) if index < len(self._call.arg_types) else None
        value = self._unwinder.value(self._unwinder.operand(self._frame, self._call.args[index]), given or width)
        return resize(value, given or width, width, True)

    def _event(self, point: Point, kind: Kind, address: Value = 0) -> Event:
        made = self._unwinder.event(self._frame.thread, point, kind, self._call.id, self._call.pos)
        made.address = address
        return made

    def _result(self, value: int) -> Held:
        width = width_of(self._call.type)
        return number(value, width) if width is not None else ANYTHING

    def _success(self) -> Held:
        """Of what may fail for want of memory and the like; only a proof thinks of that."""
        width = width_of(self._call.type)
        return self._memory.anything(width) if self._unwinder.mode.is_proof and width is not None else self._result(0)

    def _unsupported(self, point: Point, what: str) -> Outcome:
        self._unwinder.cut(self._frame, point, self._call.id, self._call.pos, f"not supported: {what}")
        return ANYTHING, None

    def _touches_shared(self) -> bool:
        return bool(self._unwinder.accesses.get(self._call.id))

    # -- values

    def _input(self, point: Point) -> Held:
        width = width_of(self._call.type)
        kind = self._name.removeprefix(_INPUT)
        if width is None or kind in ("float", "double", "pointer", "pchar", "charp"):
            return ANYTHING
        thread = self._frame.thread
        value = self._memory.anything(width, f"input_{thread.number}_{len(thread.inputs)}")
        is_signed = kind not in _UNSIGNED and not kind.lower().startswith("u")
        taken = Input(
            thread, len(thread.events), point, self._call.id, self._call.pos, self._name, width, is_signed, value
        )
        thread.inputs.append(taken)
        if kind in ("bool", "_Bool") and width > 1:
            taken.value = value = resize(resize(value, width, 1, False), 1, width, False)
        return value

    def _intrinsic(self, point: Point) -> Outcome:
        name, width = self._name, width_of(self._call.type)
        if name == "llvm.threadlocal.address" or name.startswith("llvm.expect"):
            return self._unwinder.operand(self._frame, self._call.args[0]), point
        if self._touches_shared() or any(isinstance(type_, PtrType) for type_ in self._call.arg_types):
            return self._unsupported(point, f"`{name}`")
        for op in ("smax", "smin", "umax", "umin"):
            if width is not None and name.startswith(f"llvm.{op}"):
                a, b = self._argument(0, width), self._argument(1, width)
                return choose(
                    compare(f"{op[0]}{'gt' if op.endswith('max') else 'lt'}", a, b, width), a, b, width
                ), point
        if name.startswith("llvm.abs") and width is not None:
            a = self._argument(0, width)
            return choose(compare("slt", a, 0, width), arithmetic("sub", 0, a, width), a, width), point
        return ANYTHING, point

    def _other(self, point: Point) -> Outcome:
        effect = effect_of(self._name)
        if effect is None or atomic_call(self._name) is not None:
            return self._unsupported(point, f"a call of `{self._name}`")
        if effect.noreturn:
            return ANYTHING, None
        if self._touches_shared():
            return self._unsupported(point, f"`{self._name}`, which touches memory that threads share")
        if effect.calls or effect.keeps or effect.fresh_into:
            return self._unsupported(point, f"a call of `{self._name}`")
        touches = touches_of(self._unwinder.program, self._call, [self._name])
        if any(touch.kind.writes and touch.static is None for touch in touches):
            return self._unsupported(point, f"what `{self._name}` writes")
        return ANYTHING, point

    # -- memory

    def _allocate(self, names: frozenset[str], point: Point) -> Held:
        size = self._argument(0, self._width)
        if "calloc" in names:
            size = arithmetic("mul", size, self._argument(1, self._width), self._width) or 0
        known = size if isinstance(size, int) else None
        made: Object = self._memory.heap("heap", known, "calloc" in names)
        if not self._unwinder.mode.is_proof:
            return made.base
        return self._memory.choose(self._memory.anything(1, "out_of_memory"), 0, made.base, self._width)

    def _free(self, point: Point) -> Held:
        """The end of an object is a write to all of it."""
        address = self._argument(0, self._width)
        if not self._touches_shared():
            return ANYTHING
        origin = self._memory.origin(address)
        sizes = {o.size for o in origin} if origin else {None}
        size = sizes.pop() if len(sizes) == 1 else None
        made = self._event(point, Kind.WRITE, address)
        made.accesses = self._unwinder.accesses[self._call.id]
        made.size = size if size is not None else 1 << (28 if self._width == 64 else 14)
        made.value = self._memory.anything(8, "freed")
        made.is_free = True
        return ANYTHING

    def _bytes(self, point: Point, is_set: bool) -> Outcome:
        if self._touches_shared():
            return self._unsupported(point, f"`{self._name}` on memory that threads share")
        to, size = self._argument(0, self._width), self._argument(2, self._width)
        if not isinstance(size, int) or (size > MAX_COPY and not is_set):
            return self._unsupported(point, f"`{self._name}` of a length that is not known, or large")
        if not is_set:
            source = self._argument(1, self._width)
            self._unwinder.copy(self._frame, self._call.id, self._call.pos, point, to, source, size)
            return to, point
        byte = self._argument(1, 8)
        if not isinstance(byte, int):
            return self._unsupported(point, f"`{self._name}` with a value that is not known")
        if size:
            value = int.from_bytes(bytes([byte & 255]) * size, "little")
            self._memory.write(self._frame.thread, point, to, size, value, None)
        return to, point

    # -- threads

    def _sync(self, op: SyncOp, point: Point) -> Outcome:
        accesses = [self._unwinder.cp.accesses[number] for number in self._unwinder.accesses.get(self._call.id, ())]
        own = (Sync.CREATE, Sync.JOIN)  # which write an id, or a result
        if any(op.kind not in own or not access.kind.writes for access in accesses):
            return self._unsupported(point, f"`{self._name}`, which touches memory that threads share")
        match op.kind:
            case Sync.CREATE:
                return self._create(op, point)
            case Sync.JOIN:
                return self._join(op, point)
            case Sync.EXIT:
                self._unwinder.exit(point, self._argument(op.result, self._width))
                return ANYTHING, None
            case Sync.SELF:
                return self._frame.thread.handle, point
            case Sync.LOCK:
                return self._lock(op, point)
            case Sync.TRYLOCK:
                return self._try(op, point, BUSY)
            case Sync.UNLOCK:
                self._event(point, Kind.UNLOCK, self._argument(op.arg, self._width))
                return self._result(0), point
            case Sync.WAIT:
                return self._wait(op, point)
            case Sync.SIGNAL | Sync.BROADCAST:
                made = self._event(point, Kind.SIGNAL, self._argument(op.arg, self._width))
                made.shared = op.kind is Sync.BROADCAST
                return self._result(0), point
            case Sync.SEM_WAIT:
                self._event(point, Kind.TAKE, self._argument(op.arg, self._width))
                return self._result(0), point
            case Sync.SEM_TRYWAIT:
                return self._try(op, point, -1)
            case Sync.SEM_POST:
                self._event(point, Kind.POST, self._argument(op.arg, self._width))
                return self._result(0), point
            case Sync.SEM_INIT | Sync.BARRIER_INIT:
                made = self._event(point, Kind.INIT, self._argument(op.arg, self._width))
                made.value = self._argument(op.count, 32)
                return self._success(), point
            case Sync.BARRIER_WAIT:
                address = self._argument(op.arg, self._width)
                arrived = self._event(point, Kind.ARRIVE, address)
                left = self._event(point, Kind.LEAVE, address)
                left.partner = arrived
                serial = self._memory.anything(1, "serial")
                arrived.condition = serial
                return choose(serial, number(-1, 32), 0, 32), point
            case Sync.ONCE:
                return self._once(op, point)
            case Sync.ATOMIC_BEGIN:
                self._event(point, Kind.SECTION)
                return ANYTHING, point
            case Sync.ATOMIC_END:
                self._event(point, Kind.SECTION_END)
                return ANYTHING, point
            case Sync.LOCK_INIT if len(self._call.args) > 1 and "mtx" not in self._name and "spin" not in self._name:
                attributes = self._argument(1, self._width)
                if not isinstance(attributes, int) or attributes != 0:
                    return self._unsupported(point, "a lock with attributes")
                return self._success(), point
            case Sync.LOCK_INIT | Sync.LOCK_DESTROY | Sync.CONDITION_INIT | Sync.YIELD | Sync.DETACH:
                kind = self._argument(1, 32) if "mtx_init" in self._name else 0
                if not isinstance(kind, int) or kind != 0:
                    return self._unsupported(point, "a lock that is not plain")
                return self._success(), point
            case _:
                return self._plain(point)

    def _plain(self, point: Point) -> Outcome:
        """Functions of the thread library that order nothing."""
        harmless = (
            "pthread_equal",
            "destroy",
            "attr_init",
            "setdetachstate",
            "setstacksize",
            "setname",
            "attr_setscope",
        )
        if "pthread_equal" in self._name:
            same = equal(self._argument(0, self._width), self._argument(1, self._width), self._width)
            return choose(same, 1, 0, 32), point
        if self._touches_shared() or not any(word in self._name for word in harmless):
            return self._unsupported(point, f"a call of `{self._name}`")
        return self._success(), point

    def _create(self, op: SyncOp, point: Point) -> Outcome:
        unwinder, thread = self._unwinder, self._frame.thread
        targets = unwinder.cp.calls.targets.get(self._call.id) if unwinder.cp.calls is not None else None
        if op.start is None or targets is None or targets.starts is None:
            return self._unsupported(point, "threads that start in a function which is not known")
        start = self._argument(op.start, self._width)
        ways = []
        for name in targets.starts:
            is_it = equal(start, self._memory.symbol(Address(name), thread), self._width)
            if is_it is not False and name in unwinder.program.functions:
                ways.append((name, is_it))
        if not ways:
            return self._unsupported(point, "threads that start in a function which is not known")
        works = both(True, self._memory.anything(1, "created")) if unwinder.mode.is_proof else True
        handle_at = self._argument(op.arg, self._width)
        handle: Value = len(unwinder.threads) + 1
        if len(ways) > 1:
            for number_, (_, is_it) in enumerate(ways):
                handle = choose(is_it, len(unwinder.threads) + 1 + number_, handle, self._width)
        if works is not True:
            handle = choose(works, handle, self._memory.anything(self._width), self._width)
        written = unwinder.write(self._frame, self._call.id, self._call.pos, point, handle_at, self._width // 8, handle)
        if written is not None:
            written.what = "id"
        for name, is_it in ways:
            created = self._event(point, Kind.CREATE)
            condition = both(is_it, works)
            root = Point(both(point.guard, condition), None, point.mass)
            argument = self._argument(op.start_arg, self._width)
            created.child = unwinder.thread(name, thread, created, root, argument)
            created.condition = condition
        return choose(works, 0, AGAIN, 32), point

    def _join(self, op: SyncOp, point: Point) -> Outcome:
        made = self._event(point, Kind.JOIN)
        made.value = self._argument(op.arg, self._width)
        if op.may_fail:
            made.condition = self._memory.anything(1, "joined")
        target = self._argument(op.result, self._width) if op.result is not None else 0
        if not (isinstance(target, int) and target == 0) and op.result is not None and op.result < len(self._call.args):
            made.result = self._memory.anything(self._width, "joined_result")
            self._unwinder.write(
                self._frame, self._call.id, self._call.pos, point, target, self._width // 8, made.result
            )
        return choose(made.condition, 0, BUSY, 32), point

    def _lock(self, op: SyncOp, point: Point) -> Outcome:
        address = self._argument(op.arg, self._width)
        if (why := self._odd_lock(address)) is not None:
            return self._unsupported(point, why)
        self._event(point, Kind.LOCK, address).shared = op.shared
        return self._result(0), point

    def _odd_lock(self, address: Value) -> str | None:
        """A lock that was not initialised as a plain one."""
        for found in self._memory.origin(address) or ():
            if found.variable is None:
                continue
            if found.variable.is_external or not found.variable.initial_complete:
                return "a lock whose kind is not known"
            start = address - found.base if isinstance(address, int) else 0
            size = 4 if "spin" in self._name else 56 if "rwlock" in self._name else 40
            end = start + size if isinstance(address, int) else found.size or 0
            if any(start < cell.offset + cell.size and cell.offset < end for cell in found.variable.initial):
                return f"`{found.variable.source_name}`, a lock that is not plain"
        return None

    def _try(self, op: SyncOp, point: Point, failure: int) -> Outcome:
        made = self._event(point, Kind.TRY, self._argument(op.arg, self._width))
        made.shared = op.shared
        made.condition = self._memory.anything(1, "taken")
        made.what = "semaphore" if op.kind is Sync.SEM_TRYWAIT else "lock"
        timed = "timed" in self._name or "clock" in self._name
        code = TIMED_OUT if timed and failure > 0 else failure
        if self._name.startswith("mtx_"):
            code = 4 if timed else 1  # thrd_timedout, thrd_busy
        return choose(made.condition, 0, number(code, 32), 32), point

    def _wait(self, op: SyncOp, point: Point) -> Outcome:
        condition, lock = self._argument(op.arg, self._width), self._argument(op.lock_arg, self._width)
        waits = self._event(point, Kind.WAIT, condition)
        self._event(point, Kind.UNLOCK, lock).what = "wait"
        wakes = self._event(point, Kind.WAKE, condition)
        wakes.partner = waits
        self._event(point, Kind.LOCK, lock).what = "wait"
        if "timed" in self._name or "clock" in self._name or "rel" in self._name:
            wakes.condition = self._memory.anything(1, "signalled")
            timed_out = 4 if self._name.startswith("cnd_") else TIMED_OUT  # thrd_timedout
            return choose(wakes.condition, 0, timed_out, 32), point
        return self._result(0), point

    def _once(self, op: SyncOp, point: Point) -> Outcome:
        """The first thread runs the initialiser; all others pass when it has returned."""
        unwinder = self._unwinder
        targets = unwinder.cp.calls.targets.get(self._call.id) if unwinder.cp.calls is not None else None
        routine = self._argument(op.start, self._width)
        names = [
            name
            for name in sorted({*(targets.callbacks if targets is not None else ()), *unwinder.program.functions})
            if name in unwinder.program.functions
            and is_known(routine)
            and routine == self._memory.symbol(Address(name), self._frame.thread)
        ]
        if len(names) != 1:
            return self._unsupported(point, "an initialiser that is not known")
        address = self._argument(op.arg, self._width)
        begun = self._event(point, Kind.ONCE, address)
        begun.condition = self._memory.anything(1, "first")
        first, others = unwinder.split(point, [begun.condition, negate(begun.condition)])
        registers = self._frame.registers
        _, behind = unwinder.call(
            self._frame.thread, names[0], (), first, self._frame.stack, (*self._frame.calls, self._call.id)
        )
        self._frame.registers = registers
        ends = [others]
        passed = self._event(others, Kind.ONCE_PASS, address)
        passed.partner = begun
        if behind is not None:
            done = self._event(behind, Kind.ONCE_END, address)
            done.partner = begun
            ends.append(behind)
        joined, _ = unwinder.merged(ends, [0] * len(ends), 32)
        return self._result(0), joined
