"""The terms in which the tables of library functions are written.

A row is the names of functions that do the same, then what they do:

    effects(
        ("memcpy llvm.memcpy", wr(0, n(2)), rd(1, n(2)), copy(0, 1), arg(0)),
        ("strlen", rd(0)),
        ("abs labs",),  # touches nothing
    )

Numbers are indices of arguments. `rd` and `wr` mean a NUL-terminated string unless they say otherwise.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from raceproof.core import InternalError
from raceproof.facts.library.effects import (
    STATIC_ARG,
    ArgBytes,
    Bytes,
    Callback,
    CString,
    Effect,
    Extent,
    Format,
    Returns,
    Touch,
    WholeObject,
)

# Sizes: the largest among glibc and musl on x86, x86-64 and aarch64, where they differ. A size that is too large
# makes an access too wide, an over-approximation; a run, which must not report what is beside the object, goes by the
# smallest (`sure`).
CHAR: Final = Bytes(1)
INT: Final = Bytes(4)
FLOAT: Final = Bytes(4)
DOUBLE: Final = Bytes(8)
INT64: Final = Bytes(8)
LONG_DOUBLE: Final = Bytes(16, ilp32=12, sure=10)
LONG: Final = Bytes(8, ilp32=4)
POINTER: Final = Bytes(8, ilp32=4)
TIME_T: Final = Bytes(8, sure_ilp32=4)
TIMESPEC: Final = Bytes(16, sure_ilp32=8)
TM: Final = Bytes(56, ilp32=44)
WCHAR: Final = Bytes(4)
MBSTATE: Final = Bytes(8)
FD_SET: Final = Bytes(128)
SIGSET: Final = Bytes(128)
VA_LIST: Final = Bytes(32, ilp32=4, sure=24)  # riscv64 has 8; but what va_start leaves unwritten may be anything
STRING: Final = CString()
ALL: Final = WholeObject()

Row = tuple[str, *tuple[Effect, ...]]


def effects(*rows: Row) -> dict[str, Effect]:
    """Make a table of rows. A name stands in one row only."""
    table: dict[str, Effect] = {}
    for names, *parts in rows:
        effect = both(*parts)
        for name in names.split():
            if name in table:
                raise InternalError(f"the effect of {name} is given twice")
            table[name] = effect
    return table


def both(*parts: Effect) -> Effect:
    """Do all the parts: tuples are joined, of the other fields at most one part may set each."""
    merged: dict[str, object] = {}
    for part in parts:
        for field in fields(Effect):
            value = getattr(part, field.name)
            if value == field.default:
                continue
            before = merged.get(field.name)
            if isinstance(value, tuple):
                merged[field.name] = (*before, *value) if isinstance(before, tuple) else value
            elif before in (None, value):
                merged[field.name] = value
            else:
                raise InternalError(f"two parts of an effect disagree on {field.name}")
    return Effect(**merged)  # type: ignore[arg-type]  # each value came out of the same field of an Effect


def n(size_arg: int, times: int | None = None, unit: int = 1) -> ArgBytes:
    return ArgBytes(size_arg, times, unit)


def rd(at: int, extent: Extent = STRING, *, deref: int = 0) -> Effect:
    return Effect(reads=(Touch(at, extent, deref),))


def wr(at: int, extent: Extent = STRING, *, deref: int = 0) -> Effect:
    return Effect(writes=(Touch(at, extent, deref),))


def rw(at: int, extent: Extent = STRING, *, deref: int = 0) -> Effect:
    return both(rd(at, extent, deref=deref), wr(at, extent, deref=deref))


def copy(to: int, source: int) -> Effect:
    return Effect(copies=((to, source),))


def copy_elements(to: int, source: int, size: Extent) -> Effect:
    """Copy elements of an array to anywhere in another, or the same one."""
    return Effect(elements=((to, source, size),))


def store(value: int, to: int) -> Effect:
    """Store the pointer `value`, or one into its object, at *to."""
    return Effect(stores=((value, to),), writes=(Touch(to, POINTER),))


def advances(*at: int) -> Effect:
    """Read the pointer at *at, and move it on within its string or buffer."""
    return both(Effect(advances=at), *(rw(i, POINTER) for i in at))


def frees(at: int) -> Effect:
    return Effect(frees=(at,))


def keeps(*at: int) -> Effect:
    return Effect(keeps=at)


def arg(at: int) -> Effect:
    return Effect(returns=Returns.ARG, returns_arg=at)


def into(at: int) -> Effect:
    return Effect(returns=Returns.INTO_ARG, returns_arg=at)


def or_arg(at: int) -> Effect:
    """Return argument `at` if it is not null, else what another part says."""
    return Effect(or_arg=at)


def loaded(at: int) -> Effect:
    return Effect(returns=Returns.LOADED, returns_arg=at)


def fresh(size: Extent = STRING, *, zeroed: bool = False, linked: bool = False, blank: bool = False) -> Effect:
    """Return a new object. `blank`: nobody has written it yet; otherwise the library fills it."""
    return Effect(returns=Returns.FRESH, size=size, zeroed=zeroed, linked=linked, fills=not blank)


def fresh_at(at: int, size: Extent, *, linked: bool = False, blank: bool = False) -> Effect:
    """Store the address of a new object of `size` bytes at *at."""
    return Effect(fresh_into=(at,), writes=(Touch(at, POINTER),), size=size, linked=linked, fills=not blank)


def symbol(name: int) -> Effect:
    """Return the address of the variable or function that the string `name` names."""
    return Effect(returns=Returns.SYMBOL, returns_arg=name)


def one_place(name: str) -> Effect:
    """Return an address anywhere in the object `name`, which the system may give out more than once."""
    return both(Effect(static_object=name, linked=True), loaded(STATIC_ARG))


def static(name: str, extent: Extent = ALL, *, linked: bool = False) -> Effect:
    """Write the library's static object `name` and return its address, without a lock."""
    buffer = Effect(returns=Returns.STATIC, static_object=name, linked=linked)
    return both(buffer, wr(STATIC_ARG, extent))


def hidden(name: str, *, linked: bool = False) -> Effect:
    """Read and write the library's static object `name`, without a lock."""
    return both(Effect(static_object=name, linked=linked), rw(STATIC_ARG, ALL))


def state(at: int, name: str) -> Effect:
    """Read and write the conversion state at *at, or the library's static object `name`, without a lock, if it is
    null."""
    return both(Effect(static_object=name, static_for_null=at), rw(at, MBSTATE))


def reads_static(name: str) -> Effect:
    """Read the library's static object `name`, without a lock, and return its address."""
    return both(Effect(returns=Returns.STATIC, static_object=name, linked=True), rd(STATIC_ARG, ALL))


def own(name: str) -> Effect:
    """Return the address of the calling thread's own object `name`."""
    return Effect(returns=Returns.STATIC, static_object=name, static_is_thread_local=True, linked=True)


def constant(name: str) -> Effect:
    """Return the address of something that nobody writes."""
    return Effect(returns=Returns.STATIC, static_object=name)


def calls(function: int, *args: int | None, later: bool = False, deref: bool = False, loads: bool = False) -> Effect:
    return Effect(calls=(Callback(function, args, deref=deref, loads=loads, later=later),))


def sends(at: int) -> Effect:
    """What is stored at *at goes to a file, a pipe, a socket or a queue: pointers come out of any of them again."""
    return Effect(static_object="data in files", copies=((STATIC_ARG, at),))


def receives(at: int) -> Effect:
    return Effect(static_object="data in files", copies=((at, STATIC_ARG),))


def sends_parts(at: int, levels: int = 1) -> Effect:
    """As `sends`, for the buffers that *at lists."""
    return Effect(static_object="data in files", parts_sent=((at, levels),))


def receives_parts(at: int, levels: int = 1) -> Effect:
    return Effect(static_object="data in files", parts_received=((at, levels),))


def printf(format_arg: int, va_list_arg: int | None = None) -> Effect:
    return _formatted(Format.PRINTF, format_arg, va_list_arg)


def scanf(format_arg: int, va_list_arg: int | None = None) -> Effect:
    return _formatted(Format.SCANF, format_arg, va_list_arg)


def _formatted(kind: Format, format_arg: int, va_list_arg: int | None) -> Effect:
    effect = both(rd(format_arg), Effect(format=kind, format_arg=format_arg, va_list_arg=va_list_arg))
    return effect if va_list_arg is None else both(effect, rw(va_list_arg, VA_LIST))


PURE: Final = Effect()
NORETURN: Final = Effect(noreturn=True)
OPAQUE: Final = Effect(returns=Returns.OPAQUE, fills=True)
