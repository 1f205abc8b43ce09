"""Which variables the net may keep as places, one for each of their few values: hand-shakes are made of these.

    ready = 1;                 takes the token of `ready 0`, or of `ready 1`, and gives one to `ready 1`
    while (!ready) ...         goes on where `ready 1` has a token, goes round where `ready 0` has one

A race is two accesses that nothing orders, so a value that is read may only count where reading it is ordered behind
writing it: what happens before the two accesses of a race must be a run of the net by itself. Two kinds of flags do:

*Exact*: all accesses are under one lock that is one object (readers of a read-write lock may share it; semaphores and
words count that exclude like mutexes), or all are sequentially consistent atomics. Then there is one order of all
accesses in which each read has the value of the last write, and it agrees with happens-before: the token is where the
value is.

*Sticky*: atomics with weaker orders. A read that acquires has a value that was written, and by a write that
releases, if all writes of that value do; that it is still there is not certain: two threads may each miss what the
other has just written. So a token says that the value was written at some time, and stays. Another token says that
nobody has changed it yet in one step with reading it: of all such updates only one comes next behind each write.

Accesses to one variable alone never disagree about their order (coherence), nor with happens-before: only two variables
can be missed crosswise. So a single flag is exact if all of its writes release and all of its reads acquire.

Accesses by main while no other thread exists are ordered with all others and need neither lock nor order. Anything
else, like `volatile`, orders nothing: such a variable has no places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from raceproof.ir import (
    Binary,
    Cast,
    Compare,
    CompareExchange,
    Function,
    IntConst,
    IntType,
    Load,
    MemoryOrder,
    Operand,
    Program,
    Reg,
    Rmw,
    SiteId,
    Store,
    Switch,
)
from raceproof.model import MAIN, Access, Base, ConcurrentProgram, Linear, LockKind, LockMode, MemLoc, View
from raceproof.petri.program_pointers import Place
from raceproof.petri.program_uses import Memory, Uses
from raceproof.petri.program_values import Values, part_of, unsigned

MAX_VALUES: Final = 8
OTHER: Final = -1
"""Any value that has no place of its own."""

_Found = tuple[tuple[Function, Memory], ...]
_Accesses = Mapping[SiteId, Access]


@dataclass(frozen=True, slots=True)
class Flag:
    """`values`: those with a place, and OTHER if there are more. `telling`: of a flag that is not exact the values
    whose writes all release; `settled`: those that are written only while there is one thread."""

    place: Place
    bits: int
    values: tuple[int, ...]
    initial: int
    is_exact: bool
    telling: frozenset[int]
    settled: frozenset[int]

    def is_heard(self, value: int, listens: bool) -> bool:
        """Whether who reads the value is ordered behind who wrote it."""
        return value in self.settled or (listens and value in self.telling)

    def named(self, value: int | None) -> tuple[int, ...]:
        """The values with places that it may be; None: not known."""
        if value is None:
            return self.values
        return (value if value in self.values else OTHER,)


@dataclass(frozen=True, slots=True)
class FlagUse:
    """An instruction on a flag. `listens`: the value that it reads counts; `listens_in_vain`: also that of a
    compare-exchange which fails."""

    flag: Flag
    instr: Memory
    listens: bool
    listens_in_vain: bool


def find_flags(cp: ConcurrentProgram, uses: Uses, values_of: Callable[[Function], Values]) -> dict[SiteId, FlagUse]:
    """All instructions on flags, by site."""
    accesses: dict[SiteId, Access] = {access.site: access for access in cp.accesses.values()}
    locked: list[tuple[FlagUse, ...]] = []
    atomic: list[tuple[FlagUse, ...]] = []
    for place, memory in uses.memory.items():
        if not any(_decides(values_of(function), instr) for function, instr in memory):
            continue
        if all(instr.id in accesses for _, instr in memory) and not _is_touched_otherwise(place, memory, uses, cp):
            order = _Order(cp, memory, accesses)
            flag = _flag(cp.program, place, memory, order, values_of)
            if flag is not None:
                found = tuple(_use(flag, instr, order.is_alone(instr)) for _, instr in memory)
                (locked if order.is_locked() else atomic).append(found)
    if len(atomic) == 1 and all(map(_is_ordered, atomic[0])):  # see above: a single one is exact
        atomic = [tuple(replace(use, flag=replace(use.flag, is_exact=True)) for use in atomic[0])]
    telling = [found for found in atomic if found[0].flag.is_exact or found[0].flag.telling]
    return {use.instr.id: use for found in (*locked, *telling) for use in found}


def _is_ordered(use: FlagUse) -> bool:
    """Whether all that it reads and writes is ordered."""
    is_told = set(use.flag.values) - {OTHER} <= use.flag.telling and (
        OTHER not in use.flag.values or isinstance(use.instr, Load) or _releases(use.instr)
    )
    listens = isinstance(use.instr, Store) or use.listens
    return is_told and listens and (use.listens_in_vain or not isinstance(use.instr, CompareExchange))


def _decides(values: Values, instr: Memory) -> bool:
    """Whether something is decided by what the instruction reads."""
    match instr:
        case Load(result=register) | Rmw(result=register):
            return register.name in values.deciding
        case CompareExchange(result=register):
            return any(part_of(register.name, index) in values.deciding for index in (0, 1))
        case Store():
            return False


def _is_touched_otherwise(place: Place, memory: _Found, uses: Uses, cp: ConcurrentProgram) -> bool:
    """By an access to more or less of it, or by a call that stores there, like the creation of a thread."""
    same = {other: found for other, found in uses.memory.items() if other[0] == place[0]}
    end = place[1] + max(instr.type.size for _, instr in memory)
    if any(
        other != place and other[1] < end and place[1] < other[1] + instr.type.size
        for other, found in same.items()
        for _, instr in found
    ):
        return True
    sites = {instr.id for found in same.values() for _, instr in found}
    its = {instr.id for _, instr in memory}
    objects = {t.object for access in cp.accesses.values() if access.site in its for t in access.targets}
    return any(
        access.site not in sites
        and any(target.object in objects and _overlaps(target, place[1], end) for target in access.targets)
        for access in cp.accesses.values()
    )


def _overlaps(target: MemLoc, start: int, end: int) -> bool:
    if target.offset is None or target.size is None or target.stride is not None:
        return True
    return target.offset < end and start < target.offset + target.size


def _flag(
    program: Program, place: Place, memory: _Found, order: _Order, values_of: Callable[[Function], Values]
) -> Flag | None:
    widths = {instr.type.bits if isinstance(instr.type, IntType) else 0 for _, instr in memory}
    initial = _initial(program, place, max(widths))
    if len(widths) != 1 or 0 in widths or initial is None:
        return None
    (bits,) = widths
    values = _values(memory, initial, bits, values_of)
    if len(values) > MAX_VALUES:
        return None
    quiet: set[int] = set()
    late: set[int] = set()
    for function, instr in memory:
        if not order.is_alone(instr):
            written = _written(instr, bits, values_of(function))
            late.update(values if written is None else written)
            if not _releases(instr):
                quiet.update(values if written is None else written)
    named = frozenset(values) - {OTHER}
    return Flag(place, bits, values, initial, order.is_exact(), named - quiet, named - late)


def _use(flag: Flag, instr: Memory, is_alone: bool) -> FlagUse:
    listens = listens_in_vain = flag.is_exact or is_alone
    match instr:
        case Load(order=order) | Rmw(order=order):
            listens = listens or (order is not None and order.acquires)
        case CompareExchange(order=order, failure_order=failure):
            listens = listens or order.acquires
            listens_in_vain = listens_in_vain or failure.acquires
    return FlagUse(flag, instr, listens, listens_in_vain)


# -- values


def _initial(program: Program, place: Place, bits: int) -> int | None:
    size = bits // 8
    for cell in program.globals[place[0]].initial:
        if cell.offset < place[1] + size and place[1] < cell.offset + cell.size:
            is_it = cell.offset == place[1] and cell.size == size and isinstance(cell.value, IntConst)
            return unsigned(cell.value.value, bits) if is_it and isinstance(cell.value, IntConst) else None
    return 0


def _values(memory: _Found, initial: int, bits: int, values_of: Callable[[Function], Values]) -> tuple[int, ...]:
    """What is stored there, and what is compared with it; all between, if others may be stored, and some more if it
    counts."""
    found = {initial}
    has_others = counts = False
    for function, instr in memory:
        written = _written(instr, bits, values_of(function))
        if written is None:
            has_others = True
            counts = counts or _counts(instr, values_of(function))
        else:
            found |= written
        found |= _compared(function, instr, bits, values_of(function))
    if not has_others:
        return tuple(sorted(found))
    if max(found) - min(found) < MAX_VALUES - 1:
        found = set(range(min(found), min(found) + MAX_VALUES - 1 if counts else max(found) + 1))
    return (*sorted(found), OTHER)


def _counts(instr: Memory, values: Values) -> bool:
    match instr:
        case Rmw(op="add" | "sub", value=IntConst()):
            return True
        case Store(value=operand):
            match values.definition(operand):
                case Binary(op="add" | "sub", right=IntConst()):
                    return True
    return False


def _written(instr: Memory, bits: int, values: Values) -> set[int] | None:
    """What the instruction may write; None: anything."""
    match instr:
        case Load():
            return set()
        case Store(value=operand) | CompareExchange(new=operand) | Rmw(op="xchg", value=operand):
            return _constants(operand, bits, values)
        case Rmw():
            return None


def _constants(operand: Operand, bits: int, values: Values) -> set[int] | None:
    if isinstance(operand, IntConst):
        return {unsigned(operand.value, bits)}
    match values.definition(operand):
        case Cast(op="zext", from_type=IntType(bits=1)):
            return {0, 1}
    return None


def _compared(function: Function, instr: Memory, bits: int, values: Values) -> set[int]:
    """Constants with which the value that is read is compared, if only after a change of width."""
    if isinstance(instr, Store):
        return set()
    found = set()
    if isinstance(instr, CompareExchange) and isinstance(instr.expected, IntConst):
        found.add(unsigned(instr.expected.value, bits))
    names = {instr.result.name, part_of(instr.result.name, 0)}
    for other in function.instructions():
        match other:
            case Compare(left=Reg() as left, right=IntConst(value=constant)):
                if not names.isdisjoint(values.leaves(left)) and constant >= 0:
                    found.add(unsigned(constant, bits))
            case Switch(value=operand, cases=cases):
                if not names.isdisjoint(values.leaves(operand)):
                    found.update(unsigned(case, bits) for case, _ in cases if case >= 0)
    return found


# -- order


class _Order:
    """How the accesses to one variable are ordered. An access that is *alone* is main's while there is no other thread;
    none is if a handler uses the variable."""

    def __init__(self, cp: ConcurrentProgram, memory: _Found, accesses: _Accesses) -> None:
        self._memory = memory
        self._accesses = accesses
        self._exclusive = cp.exclusive
        users = {view.thread for _, instr in memory for view in accesses[instr.id].views}
        self._is_handled = any(thread != MAIN and cp.threads[thread].created_at is None for thread in users)

    def is_alone(self, instr: Memory) -> bool:
        return all(map(self._is_view_alone, self._accesses[instr.id].views))

    def _is_view_alone(self, view: View) -> bool:
        return not self._is_handled and view.thread == MAIN and not view.moment.may_run

    def is_exact(self) -> bool:
        return self.is_locked() or all(_is_sequential(instr) or self.is_alone(instr) for _, instr in self._memory)

    def is_locked(self) -> bool:
        """Whether there is a lock, one object, that all hold: writers alone, readers perhaps with others."""
        held = [
            _objects_held(self._accesses[instr.id], view, self._exclusive)
            for _, instr in self._memory
            for view in self._accesses[instr.id].views
            if not self._is_view_alone(view)
        ]
        return not held or bool(frozenset.intersection(*held))


def _is_sequential(instr: Memory) -> bool:
    orders = [instr.order, *([instr.failure_order] if isinstance(instr, CompareExchange) else [])]
    return all(order is MemoryOrder.SEQ_CST for order in orders)


def _releases(instr: Memory) -> bool:
    return isinstance(instr, Load) or (instr.order is not None and instr.order.releases)


def _objects_held(access: Access, view: View, exclusive: frozenset[Linear]) -> frozenset[Linear]:
    """`exclusive`: semaphores and words that exclude like mutexes. An element of an array goes by the same name in
    threads that have different ones."""
    return frozenset(
        lock.address
        for lock in view.held
        if (lock.mode is LockMode.EXCLUSIVE or not access.kind.writes)
        and (
            lock.kind is LockKind.ATOMIC_SECTION
            or (_is_one_object(lock.address) and (lock.kind is LockKind.MUTEX or lock.address in exclusive))
        )
    )


def _is_one_object(address: Linear) -> bool:
    match address.terms:
        case ((Base(), 1),):
            return True
    return False
