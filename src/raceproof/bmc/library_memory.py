"""Calls that make, end, fill and copy memory."""

from __future__ import annotations

from typing import Final

from raceproof.bmc.events import Kind, Point
from raceproof.bmc.instructions import ANYTHING
from raceproof.bmc.library_call import LibraryCall, Outcome
from raceproof.bmc.terms import Value, arithmetic, joined
from raceproof.ir import Address

MAX_COPY: Final = 512
MAX_SET: Final = 1 << 16
"""Bytes."""
SET: Final = frozenset(["memset", "llvm.memset"])
COPY: Final = frozenset(["memcpy", "memmove", "llvm.memcpy", "llvm.memmove"])
ALLOCATE: Final = frozenset(["malloc", "calloc"])


def allocate(call: LibraryCall, point: Point, is_zero: bool) -> Outcome:
    """`calloc` if it is zero, else `malloc`."""
    memory, width = call.memory, call.width
    size = call.argument(0, width)
    if is_zero:
        size = arithmetic("mul", size, call.argument(1, width), width)
    made = memory.heap("heap", size if isinstance(size, int) else None, is_zero)
    if accesses := call.shared_accesses():  # the zeros are written
        event = call.event(point, Kind.WRITE, made.base)
        event.accesses = tuple(access.id for access in accesses)
        event.size = made.size if made.size is not None else made.room
        event.value = 0
        event.is_block = True
    if not call.unwinder.mode.is_proof:
        return made.base, point
    return memory.choose(memory.anything(1, "out_of_memory"), 0, made.base, width), point


def free(call: LibraryCall, point: Point) -> Outcome:
    """The end of an object is a write to all of it."""
    address = call.argument(0, call.width)
    accesses = call.shared_accesses()
    if not accesses:
        return ANYTHING, point
    origin = call.memory.origin(address)
    sizes = {o.size for o in origin} if origin else {None}
    size = sizes.pop() if len(sizes) == 1 else None
    made = call.event(point, Kind.WRITE, address)
    made.accesses = tuple(access.id for access in accesses)
    made.size = size if size is not None else call.memory.room(address)
    made.value = call.memory.anything(8, "freed")
    made.is_free = True
    return ANYTHING, point


def move_bytes(call: LibraryCall, point: Point, is_set: bool) -> Outcome:
    """All bytes are read in one step and written in another: what comes between them only a race can see."""
    accesses = call.unwinder.accesses
    to, size = call.argument(0, call.width), call.argument(2, call.width)
    if not isinstance(size, int) or size > (MAX_SET if is_set else MAX_COPY):
        return call.unsupported(point, f"`{call.name}` of a length that is not known, or large")
    if call.shared_accesses() and not isinstance(call.instr.callee, Address):
        return call.unsupported(point, f"a call of `{call.name}` through a pointer, on memory that threads share")
    if size == 0:
        return to, point
    if not is_set:
        accesses.copy(call.frame, call.instr, point, (to, 0), (call.argument(1, call.width), 1), size)
        return to, point
    byte: Value = call.argument(1, 8)
    if not isinstance(byte, int) and size > MAX_COPY:
        return call.unsupported(point, f"`{call.name}` with a value that is not known")
    value = int.from_bytes(bytes([byte]) * size, "little") if isinstance(byte, int) else joined([byte] * size)
    accesses.fill(call.frame, call.instr, point, (to, 0), size, value)
    return to, point
