"""Runs the instructions of `ir.Program`, one thread at a time, up to its next visible step.

Knows what clang -O0 makes of C with integers, pointers, structures and atomics. Raises `NotSupported` for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from raceproof.interpreter.calls import Again, Entered, LibraryCall
from raceproof.interpreter.clocks import AtomicClock
from raceproof.interpreter.execution import Execution, Frame, Operation, RunningThread, SyncName, new_frame
from raceproof.interpreter.library import LIBRARY, begin_atomic, end_atomic
from raceproof.interpreter.library_memory import copy_bytes
from raceproof.interpreter.memory import (
    UNDEFINED,
    MemoryObject,
    NotSupported,
    Pointer,
    Undefined,
    UndefinedBehaviour,
    Value,
)
from raceproof.interpreter.values import (
    OPERATIONS,
    POINTER_BITS,
    UPDATES,
    as_number,
    as_pointer,
    compare,
    load_value,
    parts_of,
    signed,
    store_value,
    width_of,
)
from raceproof.ir import (
    Address,
    Alloca,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    Fence,
    Gep,
    IntConst,
    Jump,
    Load,
    MemoryOrder,
    Operand,
    OtherConst,
    Phi,
    Reg,
    Return,
    Rmw,
    Select,
    Store,
    Switch,
    Unreachable,
)

SEGMENT_LIMIT = 3000  # instructions without a step
EAGER_LIMIT = 200  # steps in a row that are not visible
ATOMIC_PREFIX = "__VERIFIER_atomic_"


def advance(run: Execution) -> None:
    """Run every thread until it has ended or stands before a visible step that is not taken yet."""
    progress = True
    while progress:
        progress = False
        for thread in list(run.threads):
            while not thread.is_done and (
                thread.pending is None or (thread.pending.is_eager and thread.pending.is_ready())
            ):
                progress = True
                _segment(run, thread)


def take_step(run: Execution, thread: RunningThread) -> None:
    """Do the pending step of a thread."""
    thread.pending = None
    thread.eager = 0
    _guarded(run, thread, is_chosen=True)


def _segment(run: Execution, thread: RunningThread) -> None:
    before, thread.pending = thread.pending, None
    is_chosen = before is not None
    thread.eager += is_chosen
    if thread.eager < EAGER_LIMIT:
        for _ in range(SEGMENT_LIMIT):
            _guarded(run, thread, is_chosen)
            is_chosen = False
            if thread.is_done or thread.pending is not None:
                return
    # an endless loop over things that nobody else was seen to touch: look at it more closely
    if before is not None:
        run.found.shared.update(before.objects)
    for target in thread.watched:
        if isinstance(target, MemoryObject) and target.name[0] != "stack":
            run.found.racy.update((target.name, byte) for byte in range(target.size))
    thread.is_stuck = "endless loop"


def _guarded(run: Execution, thread: RunningThread, is_chosen: bool) -> None:
    """One instruction. What C leaves undefined stops the thread, and only this one: see `library._stop`."""
    run.fuel -= 1
    if run.fuel < 0:
        thread.is_stuck = "out of fuel"
        return
    frame = thread.frames[-1]
    body = frame.block.body
    instr = body[frame.index] if frame.index < len(body) else frame.block.terminator
    try:
        _HANDLERS[type(instr)](run, thread, frame, instr, is_chosen)
    except UndefinedBehaviour as undefined:
        thread.is_stuck = str(undefined)
    except KeyError as error:
        if type(instr) in _HANDLERS:
            raise
        raise NotSupported(f"instruction {type(instr).__name__}") from error


def _wait_for(run: Execution, thread: RunningThread, operation: Operation) -> None:
    """Stop before a step. A thread that is where it was, having changed nothing, waits for a change by others."""
    thread.pending = operation
    if operation.is_eager:
        return
    key = (thread.phase, thread.state())
    if key not in thread.spun:
        thread.spun.add(key)
        return
    watched = dict(thread.watched)
    before = operation.ready

    def is_ready() -> bool:
        return (before is None or before()) and run.has_changed(watched)

    operation.ready = is_ready


# -- values -----------------------------------------------------------------------------------------


def _value(run: Execution, thread: RunningThread, frame: Frame, operand: Operand) -> Value:
    match operand:
        case Reg(name=name):
            return frame.registers[name]
        case IntConst(value=value, bits=bits):
            return value & ((1 << bits) - 1)
        case Address():
            return run.pointer_to(operand, thread)
        case OtherConst(text="undef" | "poison"):
            return UNDEFINED
    raise NotSupported(f"constant {operand}")


def _define(frame: Frame, instr: Any, value: Value) -> None:
    if instr.result is not None:
        # A register that is set again in a loop goes to the end: the order is that of the last round.
        frame.registers.pop(instr.result.name, None)
        frame.registers[instr.result.name] = value
    frame.index += 1


# -- memory -----------------------------------------------------------------------------------------


def _atomic_names(at: Pointer, size: int) -> list[SyncName]:
    """One for each byte: others may use a part of it."""
    return [(at.object.name, offset) for offset in range(at.offset, at.offset + size)]


def _must_wait(
    run: Execution,
    thread: RunningThread,
    is_chosen: bool,
    at: Pointer,
    size: int,
    order: MemoryOrder | None,
    writes: bool,
    text: str,
) -> bool:
    """Whether the access is a visible step that the search has not chosen yet; then it is pending."""
    is_visible = run.is_racy(at, size)
    if order is not None:
        shared = [run.use(thread, name) for name in _atomic_names(at, size)]
        is_visible = is_visible or any(shared)
    if is_chosen or not is_visible:
        return False
    span = (at.object.name, at.offset, at.offset + size, writes)
    _wait_for(run, thread, Operation(text, spans=(span,)))
    return True


def _atomic_clock(run: Execution, at: Pointer) -> AtomicClock:
    found = run.sync.setdefault((at.object, at.offset), AtomicClock())
    if not isinstance(found, AtomicClock):
        raise NotSupported("an atomic object that is also a lock")
    return found


def _forget_atomics(run: Execution, at: Pointer, size: int) -> None:
    """A plain write: what an atomic object carried is gone."""
    for offset in range(at.offset, at.offset + size):
        if isinstance(run.sync.get((at.object, offset)), AtomicClock):
            del run.sync[(at.object, offset)]


def _do_load(run: Execution, thread: RunningThread, frame: Frame, instr: Load, is_chosen: bool) -> None:
    at, size = as_pointer(_value(run, thread, frame, instr.address)), instr.type.size
    if _must_wait(run, thread, is_chosen, at, size, instr.order, False, "load"):
        return
    atomic = instr.order is not None
    run.touch(thread, at, size, "read", instr.id, writes=False, atomic=atomic, changes=False)
    value = load_value(at, instr.type)
    if instr.order is not None:
        thread.clock.read_atomic(_atomic_clock(run, at), instr.order.acquires)
    _define(frame, instr, value)


def _do_store(run: Execution, thread: RunningThread, frame: Frame, instr: Store, is_chosen: bool) -> None:
    at, size = as_pointer(_value(run, thread, frame, instr.address)), instr.type.size
    if _must_wait(run, thread, is_chosen, at, size, instr.order, True, "store"):
        return
    value = _value(run, thread, frame, instr.value)
    atomic = instr.order is not None
    run.touch(thread, at, size, "write", instr.id, writes=True, atomic=atomic, changes=True)
    store_value(at, instr.type, value)
    if instr.order is not None:
        thread.clock.write_atomic(_atomic_clock(run, at), instr.order.releases, is_update=False)
    else:
        _forget_atomics(run, at, size)
    frame.index += 1


def _do_rmw(run: Execution, thread: RunningThread, frame: Frame, instr: Rmw, is_chosen: bool) -> None:
    at, size = as_pointer(_value(run, thread, frame, instr.address)), instr.type.size
    if _must_wait(run, thread, is_chosen, at, size, instr.order, True, f"atomic {instr.op}"):
        return
    old = load_value(at, instr.type)
    operand = _value(run, thread, frame, instr.value)
    if instr.op == "xchg":
        new = operand
    elif instr.op in UPDATES:
        bits = width_of(instr.type)
        new = UPDATES[instr.op](as_number(old), as_number(operand), bits) & ((1 << bits) - 1)
    else:
        raise NotSupported(f"atomic {instr.op}")
    changes = new != old
    run.touch(thread, at, size, "update", instr.id, writes=True, atomic=True, changes=changes)
    clock = _atomic_clock(run, at)
    thread.clock.read_atomic(clock, instr.order.acquires)
    thread.clock.write_atomic(clock, instr.order.releases, is_update=True)
    if changes:
        store_value(at, instr.type, new)
    _define(frame, instr, old)


def _do_compare_exchange(
    run: Execution, thread: RunningThread, frame: Frame, instr: CompareExchange, is_chosen: bool
) -> None:
    at, size = as_pointer(_value(run, thread, frame, instr.address)), instr.type.size
    if _must_wait(run, thread, is_chosen, at, size, instr.order, True, "compare and exchange"):
        return
    old = load_value(at, instr.type)
    expected = _value(run, thread, frame, instr.expected)
    if old is UNDEFINED or expected is UNDEFINED:
        raise UndefinedBehaviour("comparison of an undefined value")
    succeeds = old == expected
    run.touch(thread, at, size, "update", instr.id, writes=succeeds, atomic=True, changes=succeeds)
    clock = _atomic_clock(run, at)
    thread.clock.read_atomic(clock, (instr.order if succeeds else instr.failure_order).acquires)
    if succeeds:
        thread.clock.write_atomic(clock, instr.order.releases, is_update=True)
        store_value(at, instr.type, _value(run, thread, frame, instr.new))
    _define(frame, instr, (old, int(succeeds)))


def _do_fence(run: Execution, thread: RunningThread, frame: Frame, instr: Fence, is_chosen: bool) -> None:
    thread.clock.fence(instr.order.acquires, instr.order.releases)
    frame.index += 1


def _do_alloca(run: Execution, thread: RunningThread, frame: Frame, instr: Alloca, is_chosen: bool) -> None:
    count = as_number(_value(run, thread, frame, instr.count))
    made = run.allocate(thread, "stack", instr.type.size * count, zeroed=False)
    frame.variables.append(made.object)
    _define(frame, instr, made)


# -- computation ------------------------------------------------------------------------------------


def _do_gep(run: Execution, thread: RunningThread, frame: Frame, instr: Gep, is_chosen: bool) -> None:
    base = _value(run, thread, frame, instr.base)
    offset = instr.offset
    for term in instr.terms:
        index = _value(run, thread, frame, term.index)
        if not isinstance(index, int):
            raise UndefinedBehaviour(f"index {index}")
        bits = POINTER_BITS if not isinstance(term.index, IntConst) else term.index.bits
        offset += term.scale * _signed_index(index, bits)
    result: Value
    if isinstance(base, Pointer):
        result = Pointer(base.object, base.offset + offset)
    elif isinstance(base, int):
        result = (base + offset) & ((1 << POINTER_BITS) - 1)
    else:
        raise UndefinedBehaviour(f"arithmetic with {base}")
    _define(frame, instr, result)


def _signed_index(index: int, bits: int) -> int:
    """clang extends indices to 64 bits itself, constants may be narrower."""
    return signed(index, bits)


def _do_cast(run: Execution, thread: RunningThread, frame: Frame, instr: Cast, is_chosen: bool) -> None:
    if instr.op == "threadlocal":
        if not isinstance(instr.value, Address):
            raise NotSupported("the address of a thread-local variable")
        _define(frame, instr, run.pointer_to(instr.value, thread))
        return
    value = _value(run, thread, frame, instr.value)
    if isinstance(value, Undefined):
        _define(frame, instr, value)
    elif instr.op in ("ptrtoint", "inttoptr", "bitcast"):
        if isinstance(value, int):
            value &= (1 << width_of(instr.to_type)) - 1
        elif width_of(instr.to_type) != POINTER_BITS:
            raise NotSupported("a part of a pointer")
        _define(frame, instr, value)
    elif instr.op in ("sext", "zext", "trunc"):
        if isinstance(value, Pointer):
            raise NotSupported("a part of a pointer")
        number = as_number(value)
        if instr.op == "sext":
            number = signed(number, width_of(instr.from_type))
        _define(frame, instr, number & ((1 << width_of(instr.to_type)) - 1))
    else:
        raise NotSupported(f"conversion {instr.op}")


def _do_binary(run: Execution, thread: RunningThread, frame: Frame, instr: Binary, is_chosen: bool) -> None:
    left, right = _value(run, thread, frame, instr.left), _value(run, thread, frame, instr.right)
    bits = width_of(instr.type)
    result: Value
    if left is UNDEFINED or right is UNDEFINED:
        result = UNDEFINED
    elif isinstance(left, int) and isinstance(right, int):
        if instr.op not in OPERATIONS:
            raise NotSupported(f"operation {instr.op}")
        result = OPERATIONS[instr.op](left, right, bits) & ((1 << bits) - 1)
    elif isinstance(left, Pointer) and isinstance(right, Pointer):
        if instr.op != "sub" or left.object is not right.object:
            raise UndefinedBehaviour("arithmetic with pointers to different objects")
        result = (left.offset - right.offset) & ((1 << bits) - 1)
    elif isinstance(left, Pointer) and isinstance(right, int) and instr.op in ("add", "sub"):
        step = signed(right, bits)
        result = Pointer(left.object, left.offset + (step if instr.op == "add" else -step))
    else:
        raise NotSupported("arithmetic with a pointer as a number")
    _define(frame, instr, result)


def _do_compare(run: Execution, thread: RunningThread, frame: Frame, instr: Compare, is_chosen: bool) -> None:
    left, right = _value(run, thread, frame, instr.left), _value(run, thread, frame, instr.right)
    _define(frame, instr, int(compare(left, right, instr.predicate, width_of(instr.type))))


def _do_select(run: Execution, thread: RunningThread, frame: Frame, instr: Select, is_chosen: bool) -> None:
    condition = as_number(_value(run, thread, frame, instr.condition))
    _define(frame, instr, _value(run, thread, frame, instr.if_true if condition else instr.if_false))


def _do_extract(run: Execution, thread: RunningThread, frame: Frame, instr: Extract, is_chosen: bool) -> None:
    value = _value(run, thread, frame, instr.aggregate)
    for index in instr.indices:
        value = parts_of(value, index + 1)[index]
    _define(frame, instr, value)


def _do_compute(run: Execution, thread: RunningThread, frame: Frame, instr: Compute, is_chosen: bool) -> None:
    values = [_value(run, thread, frame, operand) for operand in instr.operands]
    if instr.op == "freeze":
        if values[0] is UNDEFINED:
            raise NotSupported("freeze of an undefined value")
        _define(frame, instr, values[0])
    elif instr.op == "insertvalue" and len(values) == 3 and isinstance(values[2], int):
        parts = list(parts_of(values[0], 8))
        parts[values[2]] = values[1]
        _define(frame, instr, tuple(parts))
    else:
        raise NotSupported(f"operation {instr.op}")


# -- control ----------------------------------------------------------------------------------------


def _go(run: Execution, thread: RunningThread, frame: Frame, label: str) -> None:
    """Enter a block: its phis are computed together."""
    source = frame.block.label
    block = next(b for b in frame.function.blocks if b.label == label)
    phis = [instr for instr in block.body if isinstance(instr, Phi)]
    values = []
    for phi in phis:
        operand = next(value for value, origin in phi.incoming if origin == source)
        values.append(_value(run, thread, frame, operand))
    for phi, value in zip(phis, values, strict=True):
        frame.registers.pop(phi.result.name, None)
        frame.registers[phi.result.name] = value
    frame.block, frame.index = block, len(phis)


def _do_jump(run: Execution, thread: RunningThread, frame: Frame, instr: Jump, is_chosen: bool) -> None:
    _go(run, thread, frame, instr.target)


def _do_branch(run: Execution, thread: RunningThread, frame: Frame, instr: Branch, is_chosen: bool) -> None:
    condition = as_number(_value(run, thread, frame, instr.condition))
    _go(run, thread, frame, instr.if_true if condition else instr.if_false)


def _do_switch(run: Execution, thread: RunningThread, frame: Frame, instr: Switch, is_chosen: bool) -> None:
    value = as_number(_value(run, thread, frame, instr.value))
    label = instr.default
    for case, target in instr.cases:
        if (case - value) % (1 << 32) == 0:
            label = target
    _go(run, thread, frame, label)


def _do_return(run: Execution, thread: RunningThread, frame: Frame, instr: Return, is_chosen: bool) -> None:
    value = _value(run, thread, frame, instr.value) if instr.value is not None else UNDEFINED
    thread.frames.pop()
    if frame.at_return is not None:
        frame.at_return()
    for variable in frame.variables if thread.frames or thread.name != () else ():  # main's are left as they were
        variable.is_freed = True
    if not thread.frames:
        if thread.name == ():
            thread.is_stuck = "end of the program"
        else:
            thread.returned = value
            thread.has_ended = True
        return
    caller = thread.frames[-1]
    if frame.result is not None:
        caller.registers.pop(frame.result, None)
        caller.registers[frame.result] = value
    caller.index += 1


def _do_unreachable(run: Execution, thread: RunningThread, frame: Frame, instr: Unreachable, is_chosen: bool) -> None:
    raise UndefinedBehaviour("unreachable code")


def _do_call(run: Execution, thread: RunningThread, frame: Frame, instr: Call, is_chosen: bool) -> None:
    callee = _value(run, thread, frame, instr.callee)
    if not isinstance(callee, Pointer) or not callee.object.is_function or callee.offset:
        raise UndefinedBehaviour(f"call of {callee}")
    name = str(callee.object.name[1])
    args = [_value(run, thread, frame, arg) for arg in instr.args]
    if name in run.program.functions:
        _enter(run, thread, frame, instr, name, args, is_chosen)
        return
    if name not in LIBRARY:
        raise NotSupported(f"library function {name}")
    call = LibraryCall(run, thread, args, instr.id, name)
    prepare, perform = LIBRARY[name]
    if not is_chosen:
        operation = prepare(call)
        if operation is not None:
            _wait_for(run, thread, operation)
            return
    outcome = perform(call)
    if isinstance(outcome, Again):
        thread.phase += 1
        return
    thread.phase = 0
    if isinstance(outcome, Entered):
        if instr.result is not None:
            frame.registers[instr.result.name] = 0
        return
    if outcome is None:
        outcome = UNDEFINED
    _define(frame, instr, outcome)


def _enter(
    run: Execution,
    thread: RunningThread,
    frame: Frame,
    instr: Call,
    name: str,
    args: list[Value],
    is_chosen: bool,
) -> None:
    is_atomic = name.startswith(ATOMIC_PREFIX)
    section = LibraryCall(run, thread, [], instr.id, name)
    if is_atomic and not is_chosen:
        _wait_for(run, thread, Operation(name, everything=True))
        return
    for index, size in instr.by_value:
        source = as_pointer(args[index])
        run.touch(thread, source, size, "read", instr.id, writes=False, atomic=False, changes=False)
        copy = run.allocate(thread, "stack", size, zeroed=False)
        copy_bytes(copy, source, size)
        args[index] = copy
    made = new_frame(run.program.functions[name], args, instr.result.name if instr.result is not None else None)
    if is_atomic:
        begin_atomic(section)
        made.at_return = lambda: _finish_section(section)
    thread.frames.append(made)


def _finish_section(section: LibraryCall) -> None:
    end_atomic(section)


# Any: each handler gets an instance of its own key, which the type of a table cannot say.
_HANDLERS: Final[dict[type, Callable[[Execution, RunningThread, Frame, Any, bool], None]]] = {
    Alloca: _do_alloca,
    Load: _do_load,
    Store: _do_store,
    Rmw: _do_rmw,
    CompareExchange: _do_compare_exchange,
    Fence: _do_fence,
    Gep: _do_gep,
    Cast: _do_cast,
    Binary: _do_binary,
    Compare: _do_compare,
    Select: _do_select,
    Call: _do_call,
    Extract: _do_extract,
    Compute: _do_compute,
    Jump: _do_jump,
    Branch: _do_branch,
    Switch: _do_switch,
    Return: _do_return,
    Unreachable: _do_unreachable,
}
