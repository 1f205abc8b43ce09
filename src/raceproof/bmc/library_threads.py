"""Calls of the thread library: creation, join, signals, semaphores, barriers, once; locks are in `library_locks`."""

from __future__ import annotations

from typing import Final

from raceproof.bmc.events import Kind, Point
from raceproof.bmc.instructions import ANYTHING, Held
from raceproof.bmc.library_call import LibraryCall, Outcome
from raceproof.bmc.library_locks import (
    end_lock,
    initialise_lock,
    is_mutex_attribute,
    lock,
    set_mutex_attribute,
    try_lock,
    unlock,
    wait,
)
from raceproof.bmc.paths import split
from raceproof.bmc.terms import Value, both, choose, equal, is_known, negate, number, resize
from raceproof.facts import Sync, SyncOp, SyncUse, may_end_thread
from raceproof.ir import Address, Load
from raceproof.spec import Result

_INT_BYTES: Final = 4
_UNSIGNED: Final = 2**32 - 1
_MOST: Final = 2**30
"""Of a barrier or semaphore: SEM_VALUE_MAX is 2**31 - 1, and posts add to it."""


def synchronise(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    """What an operation of the thread library does."""
    own = (Sync.CREATE, Sync.JOIN)  # which write an id, or a result
    accesses, frame, instr = call.unwinder.accesses, call.frame, call.instr
    others = [access for access in call.shared_accesses() if accesses.use_of(instr, access) is None]
    if any(op.kind not in own or not access.kind.writes for access in others):
        return call.unsupported(point, f"`{call.name}`, which touches memory that threads share")
    accesses.use_objects(frame, instr, point, SyncUse.BEFORE)
    value, after = _operate(call, op, point)
    if after is not None:
        accesses.use_objects(frame, instr, after, SyncUse.BEHIND)
    return value, after


def _operate(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    match op.kind:
        case Sync.CREATE:
            return _create(call, op, point)
        case Sync.JOIN:
            return _join(call, op, point)
        case Sync.EXIT:
            call.unwinder.exit(point, call.argument(op.result, call.width))
            return ANYTHING, None
        case Sync.SELF:
            return call.frame.thread.handle, point
        case Sync.LOCK:
            return lock(call, op, point)
        case Sync.TRYLOCK | Sync.SEM_TRYWAIT:
            return try_lock(call, op, point)
        case Sync.UNLOCK:
            return unlock(call, op, point)
        case Sync.WAIT:
            return wait(call, op, point)
        case Sync.SIGNAL | Sync.BROADCAST:
            made = call.event(point, Kind.SIGNAL, call.argument(op.arg, call.width))
            made.shared = op.kind is Sync.BROADCAST
            return call.result(0), point
        case Sync.SEM_WAIT:
            call.event(point, Kind.TAKE, call.argument(op.arg, call.width))
            return call.result(0), point
        case Sync.SEM_POST:
            call.event(point, Kind.POST, call.argument(op.arg, call.width))
            return call.result(0), point
        case Sync.SEM_INIT | Sync.BARRIER_INIT:
            count = call.argument(op.count, 32)
            if op.kind is Sync.SEM_INIT and call.unwinder.mode.is_proof and not isinstance(count, int):
                return call.unsupported(point, f"`{call.name}` with a number that is not known")
            if isinstance(count, int) and count & _UNSIGNED > _MOST:
                return call.unsupported(point, f"`{call.name}` with a number that may be refused, or be too many later")
            made = call.event(point, Kind.INIT, call.argument(op.arg, call.width))
            made.value = count
            return call.success(), point
        case Sync.BARRIER_WAIT:
            address = call.argument(op.arg, call.width)
            arrived = call.event(point, Kind.ARRIVE, address)
            left = call.event(point, Kind.LEAVE, address)
            left.partner = arrived
            serial = call.memory.anything(1, "serial")
            arrived.condition = serial
            return choose(serial, number(-1, 32), 0, 32), point
        case Sync.ONCE:
            return _once(call, op, point)
        case Sync.ATOMIC_BEGIN:
            call.event(point, Kind.SECTION)
            return ANYTHING, point
        case Sync.ATOMIC_END:
            call.event(point, Kind.SECTION_END)
            return ANYTHING, point
        case Sync.LOCK_INIT:
            return initialise_lock(call, op, point)
        case Sync.LOCK_DESTROY:
            end_lock(call, op, point)
            return call.success(), point
        case Sync.CONDITION_INIT | Sync.YIELD | Sync.DETACH:
            return call.success(), point
        case _:
            return _plain(call, point)


def _plain(call: LibraryCall, point: Point) -> Outcome:
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
    if is_mutex_attribute(call):
        return set_mutex_attribute(call, point)
    if "pthread_equal" in call.name:
        same = equal(call.argument(0, call.width), call.argument(1, call.width), call.width)
        return choose(same, 1, 0, 32), point
    if not any(word in call.name for word in harmless):
        return call.unsupported(point, f"a call of `{call.name}`")
    return call.success(), point


def _create(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    unwinder, thread = call.unwinder, call.frame.thread
    targets = unwinder.cp.calls.targets.get(call.instr.id) if unwinder.cp.calls is not None else None
    if op.start is None or targets is None or targets.starts is None:
        return call.unsupported(point, "threads that start in a function which is not known")
    start = call.argument(op.start, call.width)
    ways = []
    for name in targets.starts:
        is_it = equal(start, call.memory.symbol(Address(name), thread), call.width)
        if is_it is not False and name in unwinder.program.functions:
            ways.append((name, is_it))
    if not ways:
        return call.unsupported(point, "threads that start in a function which is not known")
    works = both(True, call.memory.anything(1, "created")) if unwinder.mode.is_proof else True
    handle_at = call.argument(op.arg, call.width)
    handle = unwinder.handle(len(unwinder.threads))
    if len(ways) > 1:
        for number_, (_, is_it) in enumerate(ways):
            handle = choose(is_it, unwinder.handle(len(unwinder.threads) + number_), handle, call.width)
    if works is not True:
        handle = choose(works, handle, call.memory.anything(call.width), call.width)
    written = unwinder.accesses.write(call.frame, call.instr, point, handle_at, call.width // 8, handle)
    if written is not None:
        written.what = "id"
    for name, is_it in ways:
        created = call.event(point, Kind.CREATE)
        condition = both(is_it, works)
        root = Point(both(point.guard, condition), None, point.mass)
        argument = call.argument(op.start_arg, call.width)
        created.child = unwinder.thread(name, thread, created, root, argument)
        created.condition = condition
    return (0 if works is True else choose(works, 0, call.failure(Result.EAGAIN), 32)), point


def _may_join_stranger(call: LibraryCall, op: SyncOp) -> bool:
    """Whether a thread other than main joins by an id that does not come from memory of its own: of one that may join
    it in turn, so that one of the two is refused."""
    if call.frame.thread.parent is None or op.arg is None:
        return False
    function, _ = call.unwinder.program.instructions_by_site()[call.instr.id]
    operand = call.instr.args[op.arg]
    loads = [i for i in function.instructions() if isinstance(i, Load) and i.result == operand]
    shared = {access.site for access in call.unwinder.cp.accesses.values()}
    return not loads or any(load.id in shared for load in loads)


def _join(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    if call.unwinder.mode.is_proof and _may_join_stranger(call, op):
        return call.unsupported(point, "a thread that may join one which it has not created")
    calls = call.unwinder.cp.calls
    if call.unwinder.mode.is_proof and (calls is None or calls.joins_detached):
        return call.unsupported(point, "a join that may be of a detached thread")
    made = call.event(point, Kind.JOIN)
    made.value = call.argument(op.arg, call.width)
    if op.may_fail:
        made.condition = call.memory.anything(1, "joined")
    target = call.argument(op.result, call.width) if op.result is not None else 0
    if not (isinstance(target, int) and target == 0) and op.result is not None and op.result < len(call.instr.args):
        made.result = call.memory.anything(call.width, "joined_result")
        size = _INT_BYTES if call.name.startswith("thrd_") else call.width // 8
        told = resize(made.result, call.width, 8 * size, False)
        call.unwinder.accesses.write(call.frame, call.instr, point, target, size, told)
    if not op.may_fail:
        return 0, point
    return choose(made.condition, 0, call.failure(Result.ETIMEDOUT if op.is_timed else Result.EBUSY), 32), point


def _once(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    """The first thread runs the initialiser; all others pass when it has returned."""
    unwinder = call.unwinder
    targets = unwinder.cp.calls.targets.get(call.instr.id) if unwinder.cp.calls is not None else None
    routine = call.argument(op.start, call.width)
    names = [
        name
        for name in sorted({*(targets.callbacks if targets is not None else ()), *unwinder.program.functions})
        if name in unwinder.program.functions
        and is_known(routine)
        and routine == call.memory.symbol(Address(name), call.frame.thread)
    ]
    if len(names) != 1:
        return call.unsupported(point, "an initialiser that is not known")
    if unwinder.cp.calls is None or names[0] in may_end_thread(unwinder.program, unwinder.cp.calls):
        return call.unsupported(point, "an initialiser in which its thread may end")
    address = call.argument(op.arg, call.width)
    if not _starts_clear(call, address):
        return call.unsupported(point, "a once-object that does not start clear")
    begun = call.event(point, Kind.ONCE, address)
    begun.condition = call.memory.anything(1, "first")
    first, others = split(point, [begun.condition, negate(begun.condition)])
    registers = call.frame.registers
    _, behind = unwinder.call(
        call.frame.thread, names[0], (), first, call.frame.stack, (*call.frame.calls, call.instr.id)
    )
    call.frame.registers = registers
    ends: list[tuple[Point, Held]] = [(others, 0)]
    passed = call.event(others, Kind.ONCE_PASS, address)
    passed.partner = begun
    if behind is not None:
        done = call.event(behind, Kind.ONCE_END, address)
        done.partner = begun
        ends.append((behind, 0))
    joined, _ = unwinder.merged(ends, 32)
    return call.result(0), joined


def _starts_clear(call: LibraryCall, address: Value) -> bool:
    """As PTHREAD_ONCE_INIT has it; what has no initialiser is written first (`overwriting`)."""
    variables = [found.variable for found in call.memory.origin(address) or () if found.variable is not None]
    return not any(variable.initial or variable.is_external or not variable.initial_complete for variable in variables)
