"""Which mutexes may be locked again by their holder, and how often a thread holds them.

A mutex is of one kind, by its static initialiser or by the call that initialises it; one that is made in two ways
proves nothing. How often a thread holds a mutex is a number that the thread itself keeps, in a place of its own: so it
is known where the thread's path is.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Final

from raceproof.bmc.events import Instance
from raceproof.bmc.memory import Memory, Object
from raceproof.bmc.terms import Value
from raceproof.facts import names_of
from raceproof.ir import Address, ArrayType, Call, GlobalVariable, IntConst, IrType, Program, StructType

TYPED: Final = frozenset(["pthread_mutexattr_settype", "pthread_mutexattr_setkind_np"])
MUTEX_BYTES: Final = 40


@unique
class MutexKind(Enum):
    NORMAL = "normal"
    RECURSIVE = "recursive"
    CHECKING = "error-checking"


_KINDS: Final = {0: MutexKind.NORMAL, 1: MutexKind.RECURSIVE, 2: MutexKind.CHECKING, 3: MutexKind.NORMAL}
"""By PTHREAD_MUTEX_NORMAL and so on, as Linux has them."""


def kind_of_type(value: int) -> MutexKind | None:
    return _KINDS.get(value)


def type_of_kind(kind: MutexKind) -> int:
    return next(value for value, known in _KINDS.items() if known is kind)


def kind_offset(width: int) -> int:
    """Where `__kind` is in a mutex of glibc, by the width of pointers."""
    return 16 if width == 64 else 12


def may_nest(program: Program) -> bool:
    """Can a mutex be of another kind than the plain one? Errs on the side of more."""
    if any(not TYPED.isdisjoint(names_of(name)) for name in program.externals):
        return True
    for function in program.functions.values():
        for instr in function.instructions():
            if not isinstance(instr, Call) or not isinstance(instr.callee, Address):
                continue
            names = frozenset(names_of(instr.callee.symbol))
            if "mtx_init" in names and not (isinstance(instr.args[-1], IntConst) and instr.args[-1].value % 2 == 0):
                return True
    odd = (v for v in program.globals.values() if v.initial or v.is_external or not v.initial_complete)
    return any(_has_mutex(variable.type) for variable in odd)


def _has_mutex(type_: IrType) -> bool:
    match type_:
        case StructType(name=name, fields=fields):
            return "mutex" in name or "mtx" in name or any(_has_mutex(field) for field in fields)
        case ArrayType(element=element):
            return _has_mutex(element)
        case _:
            return False


class Mutexes:
    """Of one unwound program. `is_mixed`: some mutex is made in two ways."""

    def __init__(self, program: Program, memory: Memory) -> None:
        self.is_mixed = False
        self.may_nest = may_nest(program)
        self._memory = memory
        self._kinds: dict[Object, dict[int | None, MutexKind]] = {}
        self._depths: dict[tuple[Instance, Object], Object] = {}

    def made(self, address: Value, kind: MutexKind) -> None:
        """It is initialised so."""
        origin = self._memory.origin(address)
        if origin is None:
            self.is_mixed |= self.may_nest
        for found in origin or ():
            self._note(found, _offset(found, address), kind)

    def _note(self, found: Object, offset: int | None, kind: MutexKind) -> None:
        kinds = self._kinds.setdefault(found, {})
        for at, known in kinds.items():
            self.is_mixed |= known is not kind and (at == offset or at is None or offset is None)
        kinds[offset] = kind

    def kind(self, address: Value) -> MutexKind | str:
        """Of the mutex there, or why that is not known."""
        origin = self._memory.origin(address)
        if origin is None:
            return "a mutex that may be of any kind" if self.may_nest else MutexKind.NORMAL
        kinds = [self._kind(found, _offset(found, address)) for found in sorted(origin, key=lambda o: o.base)]
        why = next((kind for kind in kinds if isinstance(kind, str)), None)
        if why is not None:
            return why
        return "mutexes of different kinds at one place" if len(set(kinds)) > 1 else (*kinds, MutexKind.NORMAL)[0]

    def _kind(self, found: Object, offset: int | None) -> MutexKind | str:
        kinds = self._kinds.get(found, {})
        known = kinds.get(offset, kinds.get(None))
        if known is None and offset is None and kinds:
            known = next(iter(kinds.values()))
        if known is None:
            first = initial_kind(found.variable, offset, self._memory.width) if found.variable else MutexKind.NORMAL
            if isinstance(first, str):
                return first
            known = first
        self._note(found, offset, known)
        return known

    def depth_at(self, thread: Instance, address: Value) -> Value | None:
        """Where the thread keeps how often it holds the mutex; None if it may be one of several."""
        origin = self._memory.origin(address)
        if origin is None or len(origin) != 1:
            return None
        [found] = origin
        if (thread, found) not in self._depths:
            self._depths[thread, found] = self._memory.make("depth", "stack", found.size, fill=0)
        return self._memory.moved(address, found, self._depths[thread, found])


def _offset(found: Object, address: Value) -> int | None:
    return address - found.base if isinstance(address, int) else None


def initial_kind(variable: GlobalVariable, offset: int | None, width: int, size: int = MUTEX_BYTES) -> MutexKind | str:
    """What the initialiser of a variable says about the lock of `size` bytes in it; `offset` None: anywhere."""
    if variable.is_external or not variable.initial_complete:
        return "a lock whose kind is not known"
    start, end = (offset, offset + size) if offset is not None else (0, variable.type.size)
    cells = [cell for cell in variable.initial if start < cell.offset + cell.size and cell.offset < end]
    if not cells:
        return MutexKind.NORMAL
    place = kind_offset(width)
    if len(cells) == 1 and offset is not None and (cells[0].offset, cells[0].size) == (offset + place, 4):
        kind = kind_of_type(cells[0].value.value) if isinstance(cells[0].value, IntConst) else None
        if kind is not None:
            return kind
    return f"`{variable.source_name}`, a lock that is not plain"
