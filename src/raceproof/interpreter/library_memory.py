"""Library functions that allocate, free, copy and set memory."""

from __future__ import annotations

from typing import Final

from raceproof.interpreter.calls import LibraryCall, Outcome, Perform, Prepare, nothing
from raceproof.interpreter.execution import Operation, Span
from raceproof.interpreter.memory import Pointer, UndefinedBehaviour


def _malloc(call: LibraryCall) -> Outcome:
    return call.run.allocate(call.thread, "heap", call.number(0), zeroed=False)


def _calloc(call: LibraryCall) -> Outcome:
    made = call.run.allocate(call.thread, "heap", call.number(0) * call.number(1), zeroed=True)
    _fill(call, made, made.object.size)
    return made


def _fill(call: LibraryCall, made: Pointer, size: int) -> None:
    """The library writes a new object before the program gets it. Nobody finds it earlier, so that this need not be a
    visible step; but who finds it without order is in a race with this write as with any other."""
    if size:
        call.run.touch(call.thread, made, size, "write", call.site, writes=True, atomic=False, changes=True)


def _prepare_free(call: LibraryCall) -> Operation | None:
    at = call.args[0]
    return plain_operation(call, [(at, at.object.size, True)]) if isinstance(at, Pointer) else None


def _free(call: LibraryCall) -> Outcome:
    if call.args[0] == 0:
        return None
    at = call.pointer(0)
    if at.object.name[0] != "heap" or at.offset != 0:
        raise UndefinedBehaviour("free of something else than the heap")
    call.touch(0, at.object.size, "free")
    at.object.check(0, 0)
    at.object.is_freed = True
    return None


def plain_operation(call: LibraryCall, touched: list[tuple[Pointer, int, bool]]) -> Operation | None:
    spans: list[Span] = [
        (at.object.name, at.offset, at.offset + size, writes)
        for at, size, writes in touched
        if call.run.is_racy(at, size)
    ]
    return Operation(call.name, spans=tuple(spans)) if spans else None


def _prepare_copy(call: LibraryCall) -> Operation | None:
    size = call.number(2)
    return plain_operation(call, [(call.pointer(1), size, False), (call.pointer(0), size, True)]) if size else None


def _copy(call: LibraryCall) -> Outcome:
    size = call.number(2)
    if size:
        to, source = call.pointer(0), call.pointer(1)
        call.touch(1, size, "read")
        call.touch(0, size, "write")
        copy_bytes(to, source, size)
    return call.args[0]


def copy_bytes(to: Pointer, source: Pointer, size: int) -> None:
    """Copy whole cells where they lie inside the range, bytes elsewhere."""
    to.object.check(to.offset, size)
    content = source.object.bytes(source.offset, size)
    cells = dict(source.object.cells.items())
    at = 0
    while at < size:
        cell = cells.get(source.offset + at)
        if cell is not None and at + cell[0] <= size:
            to.object.store(to.offset + at, cell[0], cell[1])
            at += cell[0]
        else:
            to.object.store(to.offset + at, 1, content[at])
            at += 1


def _prepare_realloc(call: LibraryCall) -> Operation | None:
    return _prepare_free(call)


def _realloc(call: LibraryCall) -> Outcome:
    made = call.run.allocate(call.thread, "heap", call.number(1), zeroed=False)
    if isinstance(call.args[0], Pointer):
        old = call.args[0]
        size = min(old.object.size, call.number(1))
        _free(call)
        old.object.is_freed = False
        copy_bytes(made, Pointer(old.object, 0), size)
        old.object.is_freed = True
        _fill(call, made, size)
    return made


def _prepare_set(call: LibraryCall) -> Operation | None:
    size = call.number(2)
    return plain_operation(call, [(call.pointer(0), size, True)]) if size else None


def _set(call: LibraryCall) -> Outcome:
    size, to = call.number(2), call.pointer(0)
    if size:
        call.touch(0, size, "write")
        for at in range(size):
            to.object.store(to.offset + at, 1, call.number(1) & 0xFF)
    return call.args[0]


MEMORY_FUNCTIONS: Final[dict[str, tuple[Prepare, Perform]]] = {
    "malloc": (nothing, _malloc),
    "calloc": (nothing, _calloc),
    "realloc": (_prepare_realloc, _realloc),
    "free": (_prepare_free, _free),
    "llvm.memcpy": (_prepare_copy, _copy),
    "llvm.memmove": (_prepare_copy, _copy),
    "memcpy": (_prepare_copy, _copy),
    "llvm.memset": (_prepare_set, _set),
    "memset": (_prepare_set, _set),
}
