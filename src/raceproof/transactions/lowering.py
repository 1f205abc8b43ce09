"""One instruction of the IR as actions on registers and cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.domains import BOOL, AnyValue, Binary, Const, Expr, Op, Variable, variables_of
from raceproof.ir import (
    Address,
    Branch,
    Call,
    CompareExchange,
    Instr,
    Load,
    Operand,
    Phi,
    Reg,
    Rmw,
    Select,
    Store,
    Switch,
    Terminator,
    successors,
)
from raceproof.model import Access, AccessId, ObjectId
from raceproof.transactions.actions import Action, Assign, Assume, Choose, Expect, Forget, Read, converted
from raceproof.transactions.cells import Cells, type_of
from raceproof.transactions.expressions import Values, binary
from raceproof.transactions.names import Cell, Register

_SETS: Final = frozenset({"memset", "llvm.memset"})
_FILLS: Final = _SETS | {"memcpy", "memmove", "llvm.memcpy", "llvm.memmove"}

Resource = Cell | ObjectId
"""What two steps may conflict on: a cell, or the rest of an object."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The accesses that an instruction makes to shared objects. `start`: where, if it is a place in a known object, or
    beside a known address."""

    accesses: tuple[AccessId, ...]
    reads: frozenset[Resource]
    writes: frozenset[Resource]
    start: tuple[str, Expr] | None = None
    size: int | None = None


class Lowering:
    """Lowers instructions in the context of a function's registers."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def touch(self, values: Values, instr: Instr) -> Touch | None:
        """What the instruction does to shared objects; None if it does nothing to any."""
        accesses = self._cells.by_site.get(instr.id, ())
        if not accesses:
            return None
        exact = self._exact(values, instr)
        reads: set[Resource] = set()
        writes: set[Resource] = set()
        for access in accesses:
            touched: set[Resource]
            if exact is not None:
                touched = {exact}
            else:
                touched = {*self._cells.within(access.targets), *(target.object for target in access.targets)}
            reads |= touched
            if access.kind.writes:
                writes |= touched
        start = None
        if isinstance(instr, Load | Store | Rmw | CompareExchange):
            start = values.pointer(instr.address)
            told = {view.address for access in accesses for view in access.views}
            address = told.pop() if start is None and len(told) == 1 else None
            if address is not None:
                start = values.place(address)
        size = accesses[0].size if len(accesses) == 1 else None
        return Touch(tuple(a.id for a in accesses), frozenset(reads), frozenset(writes), start, size)

    def ways(self, values: Values, instr: Instr) -> list[list[Action]]:
        """The actions of an instruction that is not a call; several ways where it may go this way or that."""
        match instr:
            case Load():
                return [list(self._load(values, instr))]
            case Store():
                return [list(self._store(values, instr))]
            case Rmw():
                return [list(self._update(values, instr))]
            case CompareExchange():
                return [list(self._exchange(values, instr, success)) for success in (True, False)]
            case Select(result=result, condition=condition, if_true=first, if_false=second):
                return [list(self._select(values, result, condition, first, second))]
            case _:
                return [list(self._forget(values, instr))]

    def of_call(self, values: Values, call: Call) -> list[Action]:
        """A library call may have written what it touches, and its result can be anything."""
        actions: list[Action] = []
        for access in self._cells.by_site.get(call.id, ()):
            if access.kind.writes:
                actions += self._filled(values, call, access) or self._spoil(access)
        actions += self.forget_result(values, call)
        return actions

    def _filled(self, values: Values, call: Call, access: Access) -> list[Action]:
        """What a copy of a constant, or a fill with one, leaves in the cells; nothing if that is not certain."""
        name = call.callee.symbol if isinstance(call.callee, Address) else ""
        if len(access.targets) != 1 or access.has_others or len(call.args) < 3 or name not in _FILLS:
            return []
        target, size = access.targets[0], values.of(call.args[2])
        if target.offset is None or target.stride is not None or not isinstance(size, Const):
            return []
        actions: list[Action] = []
        for cell in self._cells.within(access.targets):
            distance = cell.offset - target.offset
            if not self._cells.is_single(cell.object) or distance < 0 or distance + cell.size > size.value:
                return []
            content = self._content(values, call, distance, cell.size)
            variable = self._cells.variables[cell]
            value = AnyValue(variable.type) if content is None else Const(variable.type.wrap(content), variable.type)
            actions.append(Assign(variable, value))
        return actions

    def _content(self, values: Values, call: Call, distance: int, size: int) -> int | None:
        """The bytes at a distance from the start of what is copied or filled in."""
        if isinstance(call.callee, Address) and call.callee.symbol in _SETS:
            byte = values.of(call.args[1])
            return int.from_bytes(bytes([byte.value & 255]) * size, "little") if isinstance(byte, Const) else None
        source = values.pointer(call.args[1])
        if source is None or not isinstance(source[1], Const):
            return None
        return self._cells.constant(Address(source[0], source[1].value + distance), size)

    def forget_result(self, values: Values, call: Call) -> list[Action]:
        of_type = type_of(call.type)
        if call.result is None or of_type is None:
            return []
        return [Forget(values.variable(call.result.name, of_type))]

    def phis(self, values: Values, block: Sequence[Instr], source: str) -> list[Action]:
        """What the beginning of a block assigns when it is entered from `source`: all at once."""
        pairs: list[tuple[Variable, Expr]] = []
        for instr in block:
            if not isinstance(instr, Phi):
                break
            of_type = type_of(instr.type)
            if of_type is not None:
                value = next(v for v, label in instr.incoming if label == source)
                pairs.append((values.variable(instr.result.name, of_type), values.as_type(value, of_type)))
        targets = {variable for variable, _ in pairs}
        if all(targets.isdisjoint({*variables_of(new)} - {variable}) for variable, new in pairs):
            return [Assign(variable, new) for variable, new in pairs]
        held = [
            Variable(Register(values.thread, values.frame, str(variable.name), part=-1), variable.type)
            for variable, _ in pairs
        ]
        first: list[Action] = [Assign(copy, new) for copy, (_, new) in zip(held, pairs, strict=True)]
        return first + [Assign(variable, copy) for copy, (variable, _) in zip(held, pairs, strict=True)]

    def branches(self, values: Values, terminator: Terminator) -> Iterator[tuple[str, list[Action]]]:
        """Labels of the blocks that may come next, with the condition for each."""
        match terminator:
            case Branch(condition=condition, if_true=first, if_false=second) if first != second:
                tested = values.condition(condition)
                for label, truth in ((first, True), (second, False)):
                    yield label, [] if tested is None else [Assume(tested, truth)]
            case Switch(value=operand, default=default, cases=cases):
                tested = values.condition(operand)
                excluded: list[Action] = []
                for number, label in cases:
                    if tested is None:
                        yield label, []
                        continue
                    equal = Binary(Op.EQ, tested, Const(tested.type.wrap(number), tested.type))
                    yield label, [Assume(equal)]
                    excluded.append(Assume(equal, truth=False))
                yield default, excluded
            case _:
                for label in successors(terminator):
                    yield label, []

    # -- memory

    def _exact(self, values: Values, instr: Instr) -> Cell | None:
        """The cell that a load or store is about, in this context."""
        if not isinstance(instr, Load | Store | Rmw | CompareExchange):
            return None
        pointer = values.pointer(instr.address)
        if pointer is not None and isinstance(pointer[1], Const):
            return self._cells.at(pointer[0], pointer[1].value, instr.type.size)
        accesses = self._cells.by_site.get(instr.id, ())
        return self._cells.exactly(accesses[0]) if len(accesses) == 1 else None

    def _cell(self, values: Values, instr: Instr) -> Variable | None:
        cell = self._exact(values, instr)
        return None if cell is None else self._cells.variables[cell]

    def _load(self, values: Values, instr: Load) -> Iterator[Action]:
        of_type = type_of(instr.type)
        if of_type is None:
            return
        variable = values.variable(instr.result.name, of_type)
        cell = self._cell(values, instr)
        if cell is not None:
            yield Read(variable, cell)
            return
        constant = None
        if isinstance(instr.address, Address):
            constant = self._cells.constant(instr.address, instr.type.size)
        if constant is not None:
            yield Assign(variable, Const(of_type.wrap(constant), of_type))
        else:
            yield Forget(variable)

    def _store(self, values: Values, instr: Store) -> Iterator[Action]:
        cell = self._cell(values, instr)
        if cell is not None:
            yield Assign(cell, values.as_type(instr.value, cell.type))
            return
        for access in self._cells.by_site.get(instr.id, ()):
            for touched in self._cells.within(access.targets):
                variable = self._cells.variables[touched]
                whole = touched.size == instr.type.size and all(
                    t.offset is not None and (t.offset - touched.offset) % (t.stride or 1) == 0
                    for t in access.targets
                    if touched.overlaps(t)
                )
                value = values.as_type(instr.value, variable.type) if whole else AnyValue(variable.type)
                yield from self._perhaps(values, instr, touched, value)

    def _perhaps(self, values: Values, instr: Store | Rmw | CompareExchange, cell: Cell, value: Expr) -> list[Action]:
        """The cell may get the value; not if the instruction is certainly about another object."""
        variable, place = self._cells.variables[cell], values.pointer(instr.address)
        if place is None:
            return [Assign(variable, value, is_weak=True)]
        if self._cells.symbol_of.get(cell.object) != place[0]:
            return []
        return [Assign(variable, value, is_weak=True, at=(place[1], instr.type.size))]

    def _update(self, values: Values, instr: Rmw) -> Iterator[Action]:
        of_type = type_of(instr.type)
        if of_type is None:
            yield from self._spoil_all(values, instr)
            return
        old = values.variable(instr.result.name, of_type)
        cell = self._cell(values, instr)
        if cell is None:
            yield Forget(old)
            yield from self._spoil_all(values, instr)
            return
        yield Read(old, cell)
        given = values.as_type(instr.value, of_type)
        new = given if instr.op == "xchg" else binary(instr.op, old, given)
        yield Assign(cell, converted(new or AnyValue(of_type), cell.type))

    def _exchange(self, values: Values, instr: CompareExchange, success: bool) -> Iterator[Action]:
        of_type = type_of(instr.type)
        if of_type is None:
            yield from self._spoil_all(values, instr)
            return
        old, done = values.variable(instr.result.name, of_type), values.variable(instr.result.name, BOOL, part=1)
        cell = self._cell(values, instr)
        yield Assign(done, Const(int(success), BOOL))
        if cell is None:
            yield Forget(old)
            yield from self._spoil_all(values, instr)
            return
        expected = values.as_type(instr.expected, cell.type)
        if success or not instr.weak:
            yield Expect(cell, expected, equal=success)
        yield Read(old, cell)
        if success:
            yield Assign(cell, values.as_type(instr.new, cell.type))

    def _select(
        self, values: Values, result: Reg, condition: Operand, first: Operand, second: Operand
    ) -> Iterator[Action]:
        variable = values.of(result)
        if not isinstance(variable, Variable):
            return
        tested = values.condition(condition)
        if tested is None:
            yield Forget(variable)
            return
        yield Choose(variable, tested, values.as_type(first, variable.type), values.as_type(second, variable.type))

    def _forget(self, values: Values, instr: Instr) -> Iterator[Action]:
        """What is no expression has any value each time; phis were assigned on the way here."""
        result = getattr(instr, "result", None)
        if isinstance(result, Reg) and not isinstance(instr, Phi):
            value = values.of(result)
            if isinstance(value, Variable) and value.name == Register(values.thread, values.frame, result.name):
                yield Forget(value)

    def _spoil_all(self, values: Values, instr: Rmw | CompareExchange) -> Iterator[Action]:
        for access in self._cells.by_site.get(instr.id, ()):
            for cell in self._cells.within(access.targets):
                yield from self._perhaps(values, instr, cell, AnyValue(self._cells.variables[cell].type))

    def _spoil(self, access: Access) -> Iterator[Action]:
        for cell in self._cells.within(access.targets):
            variable = self._cells.variables[cell]
            yield Assign(variable, AnyValue(variable.type), is_weak=True)
