"""Which memory an instruction touches: loads, stores, atomics, and library calls through their arguments.

    scanf("%d", &x)      ->  write of 4 bytes at &x
    memcpy(d, s, n)      ->  write at d, read at s
    free(p)              ->  free of the object p points to

Errs on the side of more: a length that is not known is open, a function that is not known touches everything
that can be reached from its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from typing import Final

from raceproof.facts.library.effects import (
    REACHED,
    STATIC_ARG,
    ArgBytes,
    Bytes,
    CString,
    Effect,
    Extent,
    Format,
    Reach,
    Touch,
    WholeObject,
)
from raceproof.facts.library.formats import counts_characters, format_text, printf_touches, scanf_touches
from raceproof.facts.library.libc import atomic_call, effect_of
from raceproof.facts.library.libc_atomic import AtomicCall
from raceproof.facts.library.libc_stdio import STREAM_BUFFERS, uses_streams
from raceproof.facts.library.state_touches import LibraryState
from raceproof.facts.library.sync_api import object_uses, sync_op
from raceproof.facts.pointers.layout import pointer_slots
from raceproof.ir import (
    Address,
    Call,
    CompareExchange,
    Instr,
    IntConst,
    Load,
    MemoryOrder,
    Operand,
    Program,
    PtrType,
    Rmw,
    Store,
    Terminator,
)
from raceproof.model import AccessKind

FILLED: Final = 1000
"""In place of the index of a touch: the library's write to the object that the call makes. It comes after all others,
when the object is there."""


@unique
class SyncUse(Enum):
    """When an operation of the thread library uses its object."""

    BEFORE = "before"
    BEHIND = "behind"


@dataclass(frozen=True, slots=True)
class MemoryTouch:
    """One access: `size` None is open-ended; `deref`: through the pointers stored at `address`, so often;
    `place`: how many bytes they are stored in, None if to the end of the object;
    `reach`: everything reachable from `address`, not only what it points to;
    `static`: the library's own object of that name, `address` does not matter;
    `kept`: whatever unknown functions may have kept, `address` does not matter;
    `locks_stream`: while it holds the lock of the stream at `address`;
    `use`: an operation of the thread library on its object, when it begins or when it ends.

    `arg` and `extent` say for a library call how the memory hangs on the arguments, None where the tables do not."""

    kind: AccessKind
    address: Operand
    size: int | None
    order: MemoryOrder | None = None
    deref: int = 0
    place: int | None = None
    reach: bool = False
    static: str | None = None
    kept: bool = False
    locks_stream: bool = False
    use: SyncUse | None = None
    arg: int | None = field(default=None, compare=False)
    extent: Extent | None = field(default=None, compare=False)


def touches_of(program: Program, instr: Instr | Terminator, callees: Iterable[str]) -> tuple[MemoryTouch, ...]:
    """The accesses that `instr` itself makes; `callees` as points-to found them."""
    match instr:
        case Load(address=address, type=type_, order=order):
            return (MemoryTouch(AccessKind.READ, address, type_.size, order),)
        case Store(address=address, type=type_, order=order):
            return (MemoryTouch(AccessKind.WRITE, address, type_.size, order),)
        case Rmw(address=address, type=type_, order=order):
            return (MemoryTouch(AccessKind.UPDATE, address, type_.size, order),)
        case CompareExchange(address=address, type=type_, order=order, failure_order=failure):
            return (MemoryTouch(AccessKind.UPDATE, address, type_.size, _either_order(order, failure)),)
        case Call():
            found: dict[MemoryTouch, MemoryTouch] = {}
            for index, size in instr.by_value:
                made = MemoryTouch(AccessKind.READ, instr.args[index], size, arg=index, extent=Bytes(size))
                found.setdefault(made, made)
            for name in callees:
                if name not in program.functions:
                    for made in _external_touches(program, instr, name):
                        before = found.setdefault(made, made)
                        if before.extent != made.extent:  # one access, known in two ways
                            found[made] = replace(before, extent=None)
            return tuple(found.values())
        case _:
            return ()


def touches_of_streams(callees: Iterable[str]) -> tuple[MemoryTouch, ...]:
    """What functions do to buffers that the program gave to streams: as atomics, since streams lock themselves."""
    if not any(uses_streams(name) for name in callees):
        return ()
    return tuple(
        MemoryTouch(kind, IntConst(0, 64), None, MemoryOrder.RELAXED, deref=level, static=STREAM_BUFFERS)
        for kind in (AccessKind.READ, AccessKind.WRITE)
        for level in (1, 2)  # the buffer, or the variable that holds its address
    )


def touches_of_state(state: LibraryState, call: Call, callees: Iterable[str]) -> tuple[MemoryTouch, ...]:
    """What functions do to the library's own objects, and to streams; atomic where the library locks it."""
    found: dict[MemoryTouch, None] = {}
    for name in callees:
        for touch in state.touches(call, name):
            kind = AccessKind.UPDATE if touch.guarded and touch.writes else AccessKind.READ
            made = MemoryTouch(
                AccessKind.WRITE if touch.writes and not touch.guarded else kind,
                touch.pointer if touch.pointer is not None else IntConst(0, 64),
                None,
                MemoryOrder.RELAXED if touch.guarded else None,
                deref=touch.level,
                static=touch.state,
                locks_stream=touch.pointer is not None and touch.guarded,
            )
            found[made] = None
    return tuple(found)


KEPT: Final = MemoryTouch(AccessKind.WRITE, IntConst(0, 64), None, kept=True)
"""What an unknown function may do to memory that it, or another one, was given before. A write conflicts with all that
a read does."""


def fills_new_object(program: Program, call: Call, callees: Iterable[str]) -> bool:
    """Whether the library may write an object that the call makes, before the program gets it."""
    for name in callees:
        effect = effect_of(name, program) if name not in program.functions else None
        if effect is None:
            continue
        is_given = effect.or_arg is not None and isinstance(call.args[effect.or_arg], Address)
        copies_nothing = bool(effect.copies_to_result) and _are_null(call, effect.copies_to_result)
        if effect.fills and not is_given and not copies_nothing:
            return True
        if effect.format is Format.SCANF:  # %ms; where it has none, it makes no object
            return True
    return False


def _are_null(call: Call, indices: Iterable[int]) -> bool:
    given = [call.args[index] for index in indices if index < len(call.args)]
    return all(isinstance(operand, IntConst) for operand in given)


def touches_of_callbacks(
    program: Program, call: Call, callees: Iterable[str], foreign: Iterable[str]
) -> tuple[MemoryTouch, ...]:
    """What functions outside the program touch that the callees run before they return: `bsearch` with `strcmp`."""
    found: dict[MemoryTouch, None] = {}
    effects = [effect_of(name, program) for name in callees if name not in program.functions]
    now = [callback for effect in effects if effect is not None for callback in effect.calls if not callback.later]
    for name in foreign:
        effect = effect_of(name, program)
        for callback in now:
            given = [(j, call.args[i]) for j, i in enumerate(callback.args) if i is not None and i < len(call.args)]
            reached = [j for j, i in enumerate(callback.args) if i == REACHED]
            if effect is None:
                kinds = (AccessKind.READ, AccessKind.WRITE)
                passed = [*(arg for _, arg in given), *(call.args if reached else ())]
                found.update((MemoryTouch(kind, arg, None, reach=True), None) for arg in passed for kind in kinds)
                continue
            uses = [(touch.arg, AccessKind.READ, touch.deref) for touch in effect.reads]
            uses += [(touch.arg, AccessKind.WRITE, touch.deref) for touch in effect.writes]
            uses += [(index, AccessKind.FREE, 0) for index in effect.frees]
            for index, kind, deref in uses:
                touched = (MemoryTouch(kind, arg, None, deref=deref) for j, arg in given if j == index)
                found.update(dict.fromkeys(touched))
                if index in reached:
                    found.update((MemoryTouch(kind, arg, None, reach=True), None) for arg in call.args)
    return tuple(found)


def _external_touches(program: Program, call: Call, name: str) -> list[MemoryTouch]:
    atomic = atomic_call(name)
    effect = effect_of(name, program)
    if atomic is not None and effect is not None:
        return _atomic_touches(program, call, atomic, effect)
    if effect is None:
        if sync_op(name) is not None:
            return _object_touches(program, call, name)
        return [
            MemoryTouch(kind, arg, None, reach=True)
            for arg, type_ in zip(call.args, call.arg_types, strict=False)
            if pointer_slots(type_, program.pointer_size) and not isinstance(arg, IntConst)
            for kind in (AccessKind.READ, AccessKind.WRITE)
        ]
    make = _Maker(program, call, effect)
    result = [make.touch(t, AccessKind.READ) for t in effect.reads]
    result += [make.touch(t, AccessKind.WRITE) for t in effect.writes]
    result += [MemoryTouch(AccessKind.FREE, call.args[i], None, arg=i) for i in effect.frees if i < len(call.args)]
    result += make.format_touches()
    result += _object_touches(program, call, name)
    return [t for t in result if t is not None and (t.static is not None or not isinstance(t.address, IntConst))]


def _object_touches(program: Program, call: Call, name: str) -> list[MemoryTouch]:
    """What an operation on a lock, a condition, a semaphore or a barrier does to that object: these operations do not
    race with one another, like reads; making and destroying it, or writing it plainly, does with all of them."""
    return [
        MemoryTouch(
            AccessKind.WRITE if use.is_exclusive else AccessKind.READ,
            call.args[use.arg],
            use.size.on(program.pointer_size),
            arg=use.arg,
            extent=use.size,
            use=SyncUse.BEHIND if use.is_behind else SyncUse.BEFORE,
        )
        for use in object_uses(name)
        if use.arg < len(call.args)
    ]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the touches of one library call from the function's effect."""

    program: Program
    call: Call
    effect: Effect

    def touch(self, touch: Touch, kind: AccessKind) -> MemoryTouch | None:
        size = self._size(touch.extent)
        place = self._place(touch) if touch.deref else None
        if touch.arg == STATIC_ARG or self._is_static_for_null(touch.arg):
            if self.effect.static_is_thread_local:
                return None
            return MemoryTouch(
                kind, IntConst(0, 64), size, deref=touch.deref, place=place, static=self.effect.static_object
            )
        if touch.arg >= len(self.call.args):
            return None
        operand = self.call.args[touch.arg]
        if isinstance(touch.extent, Reach):
            holds_pointers = pointer_slots(self.call.arg_types[touch.arg], self.program.pointer_size)
            return MemoryTouch(kind, operand, None, reach=True) if holds_pointers else None
        return MemoryTouch(kind, operand, size, deref=touch.deref, place=place, arg=touch.arg, extent=touch.extent)

    def _is_static_for_null(self, index: int) -> bool:
        if index != self.effect.static_for_null or index >= len(self.call.args):
            return False
        operand = self.call.args[index]
        return isinstance(operand, IntConst) and operand.value == 0

    def _place(self, touch: Touch) -> int | None:
        """How many bytes of the argument hold the pointers: as many as are looked at."""
        looked_at = [t.extent for t in (*self.effect.reads, *self.effect.writes) if t.arg == touch.arg and not t.deref]
        sizes = [self._size(extent) for extent in looked_at]
        known = [size for size in sizes if size is not None]
        return max(known) if known and len(known) == len(sizes) else None

    def _size(self, extent: Extent) -> int | None:
        match extent:
            case Bytes():
                return extent.on(self.program.pointer_size)
            case ArgBytes(arg=arg, times=times, unit=unit):
                size = unit
                for index in (arg, times):
                    if index is None:
                        continue
                    factor = self.call.args[index] if index < len(self.call.args) else None
                    if not isinstance(factor, IntConst) or factor.value < 0:
                        return None
                    size *= factor.value
                return size
            case CString() | WholeObject() | Reach():
                return None

    def format_touches(self) -> list[MemoryTouch | None]:
        """What printf and scanf do with their variadic arguments, or with those in a va_list."""
        effect, call = self.effect, self.call
        if effect.format is Format.NONE:
            return []
        unknown = [AccessKind.READ if effect.format is Format.PRINTF else AccessKind.WRITE]
        if effect.format is Format.PRINTF and counts_characters(self.program):
            unknown.append(AccessKind.WRITE)
        if effect.va_list_arg is not None:
            if effect.va_list_arg >= len(call.args):
                return []
            return [MemoryTouch(kind, call.args[effect.va_list_arg], None, reach=True) for kind in unknown]
        if effect.format_arg is None or effect.format_arg >= len(call.args):
            return []
        first = effect.format_arg + 1
        known = format_text(self.program, call.args[effect.format_arg])
        if known is None:  # any pointer may be used
            pairs = zip(call.args[first:], call.arg_types[first:], strict=False)
            given = [arg for arg, type_ in pairs if isinstance(type_, PtrType)]
            return [MemoryTouch(kind, arg, None) for arg in given for kind in unknown]
        parse = printf_touches if effect.format is Format.PRINTF else scanf_touches
        return [
            self.touch(Touch(index, extent), AccessKind.READ if reads else AccessKind.WRITE)
            for index, reads, extent in parse(known.text, first, self.program.pointer_size, wide=known.wide)
        ]


def _atomic_touches(program: Program, call: Call, atomic: AtomicCall, effect: Effect) -> list[MemoryTouch]:
    """libatomic's calls: the object atomically, the other pointers plainly (through the function's effect)."""
    if max(atomic.object_arg, atomic.order_arg, atomic.failure_order_arg or 0) >= len(call.args):
        return []
    size = atomic.size
    if atomic.size_arg is not None:
        argument = call.args[atomic.size_arg]
        size = argument.value if isinstance(argument, IntConst) else None
    order = _order_of(call.args[atomic.order_arg])
    if atomic.failure_order_arg is not None:
        order = _either_order(order, _order_of(call.args[atomic.failure_order_arg]))
    result = [MemoryTouch(atomic.kind, call.args[atomic.object_arg], size, order)]
    make = _Maker(program, call, effect)
    for touches, kind in ((effect.reads, AccessKind.READ), (effect.writes, AccessKind.WRITE)):
        for touch in touches:
            plain = make.touch(touch, kind)
            if touch.arg != atomic.object_arg and plain is not None:
                result.append(plain)
    return result


def _either_order(success: MemoryOrder, failure: MemoryOrder) -> MemoryOrder:
    """Of a compare and exchange, whether it succeeds or fails: what it reads may have come in the weaker order."""
    if success is failure:
        return success
    if success.acquires and failure.acquires:
        return MemoryOrder.ACQ_REL if success.releases else MemoryOrder.ACQUIRE
    return MemoryOrder.RELEASE if success.releases else MemoryOrder.RELAXED


def _order_of(operand: Operand) -> MemoryOrder:
    """C's memory_order constants; an order that is not constant counts as the weakest."""
    orders = (
        MemoryOrder.RELAXED,
        MemoryOrder.ACQUIRE,
        MemoryOrder.ACQUIRE,
        MemoryOrder.RELEASE,
        MemoryOrder.ACQ_REL,
        MemoryOrder.SEQ_CST,
    )
    if isinstance(operand, IntConst) and 0 <= operand.value < len(orders):
        return orders[operand.value]
    return MemoryOrder.RELAXED
