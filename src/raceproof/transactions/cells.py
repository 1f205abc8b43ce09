"""Which memory has a value that can be followed, and what an instruction does to it.

A cell is a scalar at a fixed place in an object of which there is only one: a global variable, a field of a global or
of a single heap object. What is not a cell has any value at any time. All accesses to an object that threads share are
in the facts, so that nothing else can change a cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from raceproof.domains import Const, Expr, MachineType, Variable
from raceproof.facts import describe_location, objects_of_symbols
from raceproof.ir import (
    Address,
    Call,
    CompareExchange,
    GlobalVariable,
    Instr,
    IntConst,
    IntType,
    IrType,
    Load,
    OtherConst,
    Program,
    PtrType,
    Rmw,
    SiteId,
    Store,
    Terminator,
    operands,
)
from raceproof.model import Access, ConcurrentProgram, MemLoc, ObjectId
from raceproof.transactions.names import Cell, Shared

_SIZES = (1, 2, 4, 8)
_ELEMENTS = 16


def type_of(ir_type: IrType) -> MachineType | None:
    """Integers are signed until an operation says otherwise; addresses are unsigned."""
    match ir_type:
        case IntType(bits=1):
            return MachineType(1, False)
        case IntType(bits=bits) if bits <= 64:
            return MachineType(bits, True)
        case PtrType(size=size):
            return MachineType(8 * size, False)
    return None


class Cells:
    """The cells of a program.

    `by_site`: the accesses that an instruction makes to shared objects. `variables`: the variable of each cell.
    """

    def __init__(self, cp: ConcurrentProgram) -> None:
        self._cp = cp
        self.by_site: dict[SiteId, tuple[Access, ...]] = {}
        for access in cp.accesses.values():
            self.by_site[access.site] = (*self.by_site.get(access.site, ()), access)
        self._symbols = objects_of_symbols(cp)
        self.symbol_of = {number: symbol for symbol, number in self._symbols.items()}
        self._touched: dict[ObjectId, list[Cell]] = {}
        self.variables: dict[Cell, Variable] = {}
        self._given: dict[Variable, Expr] = {}
        for cell in self._find():
            self._touched.setdefault(cell.object, []).append(cell)
            name = Shared(describe_location(cp, MemLoc(cell.object, cell.offset, cell.size)), cell)
            self.variables[cell] = Variable(name, MachineType(8 * cell.size, True))
        self._constants = _never_written(cp.program)
        shared = {target.object for access in cp.accesses.values() for target in access.targets}
        self._private_symbols = {self.symbol_of[c.object] for c in self.variables if c.object not in shared}

    def at(self, symbol: str, offset: int, size: int) -> Cell | None:
        """The cell at a place in a global variable."""
        number = self._symbols.get(symbol)
        cell = Cell(number, offset, size) if number is not None else None
        return cell if cell in self.variables else None

    def object_of(self, symbol: str) -> ObjectId | None:
        return self._symbols.get(symbol)

    def define(self, variable: Variable, initial: int | None) -> None:
        """One more cell, which no access touches, and its value at the start of the program."""
        assert isinstance(variable.name, Shared)
        self.variables[variable.name.cell] = variable
        if initial is not None:
            self._given[variable] = Const(initial, variable.type)

    def is_single(self, number: ObjectId) -> bool:
        return self._cp.objects[number].is_single

    def private_in(self, instr: Instr | Terminator) -> tuple[Variable, ...]:
        """The cells of one thread alone that an instruction stores to: the facts do not list it."""
        if not isinstance(instr, Store) or not isinstance(instr.address, Address):
            return ()
        if instr.address.symbol not in self._private_symbols:
            return ()
        number = self._symbols[instr.address.symbol]
        return tuple(variable for cell, variable in self.variables.items() if cell.object == number)

    def exactly(self, access: Access) -> Cell | None:
        """The cell that an access certainly is, whoever makes it."""
        if len(access.targets) != 1 or access.has_others:
            return None
        target = access.targets[0]
        if target.offset is None or target.size is None or target.stride is not None:
            return None
        cell = Cell(target.object, target.offset, target.size)
        return cell if cell in self.variables else None

    def within(self, targets: Iterable[MemLoc]) -> tuple[Cell, ...]:
        """The cells that an access to one of the locations may touch."""
        found: dict[Cell, None] = {}
        for target in targets:
            found.update((cell, None) for cell in self._touched.get(target.object, ()) if cell.overlaps(target))
        return tuple(found)

    def constant(self, address: Address, size: int) -> int | None:
        """What is in a global that nothing ever writes to."""
        variable = self._constants.get(address.symbol)
        return None if variable is None else _initial(variable, address.offset, size)

    def initial(self) -> dict[Variable, Expr]:
        """The values at the start of the program, as far as they are known."""
        found = dict(self._given)
        for cell, variable in self.variables.items():
            if cell.part:
                continue
            symbol = self.symbol_of.get(cell.object)
            if symbol is not None:
                number = _initial(self._cp.program.globals[symbol], cell.offset, cell.size)
                if number is not None:
                    found[variable] = Const(variable.type.wrap(number), variable.type)
        return found

    def _find(self) -> list[Cell]:
        """Every scalar access to a fixed place of a single object makes a cell, unless one overlaps another; so do the
        elements of an array, unless they overlap a cell that is sure: an index may be wrong."""
        sure: dict[Cell, None] = {}
        elements: dict[Cell, None] = {}
        sites = self._cp.program.instructions_by_site()
        for access in self._cp.accesses.values():
            instr = sites[access.site][1]
            if not isinstance(instr, Load | Store | Rmw | CompareExchange) or type_of(instr.type) is None:
                continue
            for target in access.targets:
                if target.offset is not None and target.size in _SIZES and self._cp.objects[target.object].is_single:
                    cells = sure if target.stride is None else elements
                    cells.update((Cell(target.object, offset, target.size), None) for offset in self._offsets(target))
        sure.update(dict.fromkeys(self._private()))
        found = _apart(sure)
        return sorted({*found, *(c for c in _apart(elements) if not any(_overlap(c, other) for other in sure))})

    def _private(self) -> list[Cell]:
        """Global variables that only one thread uses, by name: the facts do not list what it does with them."""
        shared = {target.object for access in self._cp.accesses.values() for target in access.targets}
        found: dict[str, set[Cell]] = {}
        lost: set[str] = set()
        for function in self._cp.program.functions.values():
            for instr in function.instructions():
                for operand in operands(instr):
                    if isinstance(operand, OtherConst):
                        lost.update(address.symbol for address in operand.addresses)
                    if not isinstance(operand, Address):
                        continue
                    number = self._symbols.get(operand.symbol)
                    used = _used_directly(instr, operand)
                    if number is None or used is None:
                        lost.add(operand.symbol)
                    else:
                        found.setdefault(operand.symbol, set()).add(Cell(number, operand.offset, used.size))
        for variable in self._cp.program.globals.values():
            lost.update(cell.value.symbol for cell in variable.initial if isinstance(cell.value, Address))
            if variable.is_external or variable.is_thread_local:
                lost.add(variable.name)
        plain = (cells for symbol, cells in found.items() if symbol not in lost)
        return [cell for cells in plain for cell in cells if cell.object not in shared]

    def _offsets(self, target: MemLoc) -> Sequence[int]:
        """Where the location may be; nowhere, if it is an array of many elements."""
        assert target.offset is not None
        if target.stride is None:
            return (target.offset,)
        size = self._cp.objects[target.object].size
        if size is None or size > _ELEMENTS * target.stride:
            return ()
        return range(target.offset % target.stride, size - (target.size or 1) + 1, target.stride)


def _used_directly(instr: Instr | Terminator, operand: Address) -> IrType | None:
    """The type of what is loaded from an address, or stored at it; None if something else is done with it."""
    if not isinstance(instr, Load | Store) or operand != instr.address or type_of(instr.type) is None:
        return None
    return None if isinstance(instr, Store) and operand == instr.value else instr.type


def _apart(cells: Collection[Cell]) -> list[Cell]:
    return [c for c in cells if not any(c != other and _overlap(c, other) for other in cells)]


def _overlap(a: Cell, b: Cell) -> bool:
    return a.object == b.object and a.offset < b.offset + b.size and b.offset < a.offset + a.size


def _never_written(program: Program) -> dict[str, GlobalVariable]:
    """Global variables that are only ever loaded from, directly."""
    escaped: set[str] = set()
    for variable in program.globals.values():
        escaped.update(cell.value.symbol for cell in variable.initial if isinstance(cell.value, Address))
    for function in program.functions.values():
        for instr in function.instructions():
            for operand in operands(instr):
                if isinstance(operand, Address) and not _only_reads(instr, operand):
                    escaped.add(operand.symbol)
                elif isinstance(operand, OtherConst):
                    escaped.update(address.symbol for address in operand.addresses)
    return {
        name: variable
        for name, variable in program.globals.items()
        if name not in escaped and not variable.is_external and not variable.is_thread_local
    }


def _only_reads(instr: Instr | Terminator, operand: Address) -> bool:
    """Whether an instruction does no more with an address than to read what is there."""
    if isinstance(instr, Load):
        return operand == instr.address
    copies = isinstance(instr, Call) and isinstance(instr.callee, Address) and instr.callee.symbol == "llvm.memcpy"
    return copies and isinstance(instr, Call) and operand == instr.args[1] and operand not in (instr.args[0],)


def _initial(variable: GlobalVariable, offset: int, size: int) -> int | None:
    if variable.is_external or variable.is_thread_local:
        return None
    for cell in variable.initial:
        if cell.offset == offset and cell.size == size and isinstance(cell.value, IntConst):
            return cell.value.value
        if cell.offset < offset + size and offset < cell.offset + cell.size:
            return None
    return 0 if variable.initial_complete else None
