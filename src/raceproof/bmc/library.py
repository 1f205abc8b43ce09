"""What calls of functions outside the program do to the unwound program: threads, locks, inputs, memory.

A function that is not known to leave memory alone ends the path: nothing is claimed about what comes behind it.
"""

from __future__ import annotations

from typing import Final

from raceproof.bmc.events import Input, Kind, Point
from raceproof.bmc.frames import Frame
from raceproof.bmc.instructions import ANYTHING, Held, width_of
from raceproof.bmc.library_call import LibraryCall, Outcome
from raceproof.bmc.library_memory import ALLOCATE, COPY, SET, allocate, free, move_bytes
from raceproof.bmc.library_threads import synchronise
from raceproof.bmc.paths import assume
from raceproof.bmc.terms import arithmetic, choose, compare, equal, negate, resize
from raceproof.bmc.unwinding import Unwinder
from raceproof.facts import atomic_call, effect_of, names_of, sync_op, touches_of
from raceproof.ir import Call, PtrType

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
    pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np fork vfork signal sigaction atexit on_exit
"""
_REFUSED: Final = frozenset((_JUMPS + _ODD).split())


def call_library(unwinder: Unwinder, frame: Frame, instr: Call, name: str, point: Point) -> Outcome:
    """The result of the call, and where it goes on; None: nowhere."""
    call = LibraryCall(unwinder, frame, instr, name)
    names = frozenset(names_of(name)) | {name}
    op = sync_op(name)
    if names & _REFUSED:
        return call.unsupported(point, f"a call of `{name}`")
    if op is not None:
        return synchronise(call, op, point)
    if name.startswith(_INPUT):
        if any(isinstance(type_, PtrType) for type_ in instr.arg_types):
            return call.unsupported(point, f"`{name}`, which writes memory")
        return _input(call, point), point
    if name in ("__VERIFIER_assume", "assume_abort_if_not"):
        return 0, assume(point, negate(equal(call.argument(0, 32), 0, 32)))
    if names & _ABORTS and not call.shared_accesses():
        call.event(point, Kind.STOP)
        return 0, None
    if names & _EXITS:
        return 0, None
    if names & _ERRNO:  # any number of calls may have set it since: each time another object with anything in it
        found = call.memory.make("errno", "stack", 4)
        found.owner = frame.thread
        return found.base, point
    if names & ALLOCATE:
        return allocate(call, point, is_zero="calloc" in names)
    if "free" in names:
        return free(call, point)
    if names & SET or names & COPY:
        return move_bytes(call, point, is_set=bool(names & SET))
    if name.startswith(_IGNORED):
        return ANYTHING, point
    return _intrinsic(call, point) if name.startswith("llvm.") else _other(call, point)


def _input(call: LibraryCall, point: Point) -> Held:
    width = width_of(call.instr.type)
    kind = call.name.removeprefix(_INPUT)
    if width is None or kind in ("float", "double", "pointer", "pchar", "charp"):
        return ANYTHING
    thread = call.frame.thread
    value = call.memory.anything(width, f"input_{thread.number}_{len(thread.inputs)}")
    is_signed = kind not in _UNSIGNED and not kind.lower().startswith("u")
    taken = Input(thread, len(thread.events), point, call.instr.id, call.instr.pos, call.name, width, is_signed, value)
    thread.inputs.append(taken)
    if kind in ("bool", "_Bool") and width > 1:
        taken.value = value = resize(resize(value, width, 1, False), 1, width, False)
    return value


def _intrinsic(call: LibraryCall, point: Point) -> Outcome:
    name, width = call.name, width_of(call.instr.type)
    if name == "llvm.threadlocal.address" or name.startswith("llvm.expect"):
        return call.unwinder.operand(call.frame, call.instr.args[0]), point
    if call.shared_accesses() or any(isinstance(type_, PtrType) for type_ in call.instr.arg_types):
        return call.unsupported(point, f"`{name}`")
    for op in ("smax", "smin", "umax", "umin"):
        if width is not None and name.startswith(f"llvm.{op}"):
            a, b = call.argument(0, width), call.argument(1, width)
            return choose(compare(f"{op[0]}{'gt' if op.endswith('max') else 'lt'}", a, b, width), a, b, width), point
    if name.startswith("llvm.abs") and width is not None:
        a = call.argument(0, width)
        return choose(compare("slt", a, 0, width), arithmetic("sub", 0, a, width), a, width), point
    return ANYTHING, point


def _other(call: LibraryCall, point: Point) -> Outcome:
    effect = effect_of(call.name, call.unwinder.program)
    if effect is None or atomic_call(call.name) is not None:
        return call.unsupported(point, f"a call of `{call.name}`")
    if call.shared_accesses():
        return call.unsupported(point, f"`{call.name}`, which touches memory that threads share")
    if effect.noreturn:
        return ANYTHING, None
    has_pointers = any(isinstance(type_, PtrType) for type_ in call.instr.arg_types)
    if effect.keeps or effect.fresh_into or (has_pointers and (effect.calls or effect.given)):
        return call.unsupported(point, f"a call of `{call.name}`")
    touches = touches_of(call.unwinder.program, call.instr, [call.name])
    if any(touch.kind.writes and touch.static is None for touch in touches):
        return call.unsupported(point, f"what `{call.name}` writes")
    return ANYTHING, point
