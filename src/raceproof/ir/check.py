"""Well-formedness of a `Program`: the invariants that every stage after the front end relies on.

A violation is a bug of raceproof, hence `InternalError` with the name of the invariant. A missing entry
function is not: the user's program may have none, and the front end says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from raceproof.core import InternalError, SourcePos, dominators, reverse_postorder
from raceproof.ir.instructions import Gep, Instr, Phi, Terminator, successors
from raceproof.ir.operands import operands, result
from raceproof.ir.program import Block, Function, GlobalVariable, Program
from raceproof.ir.types import ArrayType, IrType, StructType, VectorType
from raceproof.ir.values import Address, IntConst, Operand, OtherConst, Reg

_ENTRY_INDEX = -1  # parameters are defined before the first instruction


def check_program(program: Program) -> None:
    """Raise `InternalError` for the first broken invariant; takes about linear time."""
    _Checker(program).run()


def _broken(invariant: str, where: str, pos: SourcePos | None = None) -> InternalError:
    return InternalError(f"broken invariant: {invariant} ({where})", pos)


class _Checker:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._sites: set[int] = set()
        self._symbols = program.globals.keys() | program.functions.keys() | program.externals.keys()
        self._seen_types: dict[int, IrType] = {}

    def run(self) -> None:
        program = self._program
        if program.pointer_size not in (2, 4, 8):
            raise _broken("pointer size is 2, 4 or 8", str(program.pointer_size))
        self._source_types()
        for name, variable in program.globals.items():
            if name != variable.name:
                raise _broken("a global is filed under its name", name)
            self._global(variable)
        for name, function in program.functions.items():
            if name != function.name:
                raise _broken("a function is filed under its name", name)
            if name in program.externals:
                raise _broken("a function is defined or external, not both", name)
            self._function(function)

    def _source_types(self) -> None:
        known = self._program.source_types
        for number, source in known.items():
            used = [member.type for member in source.members] + ([source.target] if source.target is not None else [])
            if any(one not in known for one in used):
                raise _broken("a source type refers to known types", f"{number} {source.name}")

    def _global(self, variable: GlobalVariable) -> None:
        self._type(variable.type)
        if variable.source_type is not None and variable.source_type not in self._program.source_types:
            raise _broken("the source type of a global is known", variable.name)
        for cell in variable.initial:
            if cell.offset < 0 or cell.offset + cell.size > variable.type.size:
                raise _broken("an initial cell lies inside its global", f"{variable.name}+{cell.offset}")
            self._operand(cell.value, variable.name, variable.pos)

    def _type(self, type_: IrType) -> None:
        """Fields and elements lie inside their struct or array and do not overlap."""
        if id(type_) in self._seen_types:
            return
        self._seen_types[id(type_)] = type_
        if type_.size < 0:
            raise _broken("sizes are not negative", str(type_))
        if isinstance(type_, ArrayType | VectorType):
            self._type(type_.element)
            if isinstance(type_, ArrayType) and type_.size < type_.count * type_.element.size:
                raise _broken("an array holds its elements", str(type_))
        elif isinstance(type_, StructType):
            if len(type_.fields) != len(type_.offsets):
                raise _broken("every field has an offset", str(type_))
            end = 0
            for one, offset in zip(type_.fields, type_.offsets, strict=True):
                self._type(one)
                if offset < end:
                    raise _broken("fields do not overlap", str(type_))
                end = offset + one.size
            if end > type_.size:
                raise _broken("a struct holds its fields", str(type_))

    def _operand(self, operand: Operand, where: str, pos: SourcePos | None) -> None:
        if isinstance(operand, Address):
            if operand.symbol not in self._symbols and not operand.symbol.startswith("llvm."):
                raise _broken("an address names a known symbol", f"@{operand.symbol} in {where}", pos)
        elif isinstance(operand, IntConst):
            bits, value = operand.bits, operand.value
            if bits < 1 or not (-(1 << (bits - 1)) <= value < (1 << (bits - 1)) or (bits == 1 and value in (0, 1))):
                raise _broken("a constant fits its width", f"{value} as i{bits} in {where}", pos)
        elif isinstance(operand, OtherConst):
            for address in operand.addresses:
                self._operand(address, where, pos)

    # --- functions

    def _function(self, function: Function) -> None:
        name = function.name
        if not function.blocks:
            raise _broken("a function has a block", name)
        blocks = {block.label: block for block in function.blocks}
        if len(blocks) != len(function.blocks):
            raise _broken("labels are unique in a function", name)
        predecessors: dict[str, list[str]] = {label: [] for label in blocks}
        for block in function.blocks:
            for target in successors(block.terminator):
                if target not in blocks:
                    raise _broken("the target of a jump exists", f"{target} in {name}", block.terminator.pos)
                predecessors[target].append(block.label)
        definitions = self._definitions(function)
        for register in function.variables:
            if register not in definitions:
                raise _broken("a source variable is tied to a register of its function", f"%{register} in {name}")
        scopes = _Scopes(function, blocks, predecessors, definitions)
        for block in function.blocks:
            self._block(function, block, predecessors[block.label], scopes)

    def _definitions(self, function: Function) -> dict[str, tuple[str, int]]:
        """Register -> where it is defined (label, index in the block); each once."""
        entry = function.blocks[0].label
        found: dict[str, tuple[str, int]] = {}
        places = [(param.name, entry, _ENTRY_INDEX) for param in function.params]
        for block in function.blocks:
            for index, instr in enumerate(block.body):
                defined = result(instr)
                if defined is not None:
                    places.append((defined.name, block.label, index))
        for register, label, index in places:
            if register in found:
                raise _broken("a register is defined once", f"%{register} in {function.name}")
            found[register] = (label, index)
        return found

    def _block(self, function: Function, block: Block, predecessors: list[str], scopes: _Scopes) -> None:
        in_head = True
        for index, instr in enumerate((*block.body, block.terminator)):
            self._site(instr, function)
            if isinstance(instr, Phi):
                if not in_head:
                    raise _broken("phis stand first in their block", f"%{instr.result.name}", instr.pos)
                self._phi(instr, function, predecessors, scopes)
                continue
            in_head = False
            if isinstance(instr, Gep) and any(t.scale <= 0 or (t.count or 1) < 1 for t in instr.terms):
                raise _broken("an index term has a positive scale and count", f"site {instr.id}", instr.pos)
            for operand in operands(instr):
                if isinstance(operand, Reg):
                    scopes.use(operand, block.label, index, instr.pos)
                else:
                    self._operand(operand, function.name, instr.pos)

    def _site(self, instr: Instr | Terminator, function: Function) -> None:
        if instr.id <= 0 or instr.id in self._sites:
            raise _broken("sites are positive and unique", f"{instr.id} in {function.name}", instr.pos)
        self._sites.add(instr.id)

    def _phi(self, phi: Phi, function: Function, predecessors: list[str], scopes: _Scopes) -> None:
        if {label for _, label in phi.incoming} != set(predecessors):
            raise _broken("a phi has a value for each predecessor", f"%{phi.result.name} in {function.name}", phi.pos)
        for value, label in phi.incoming:
            if isinstance(value, Reg):
                scopes.use(value, label, None, phi.pos)
            else:
                self._operand(value, function.name, phi.pos)


class _Scopes:
    """Answers whether a definition dominates a use, from an interval numbering of the dominator tree."""

    def __init__(
        self,
        function: Function,
        blocks: Mapping[str, Block],
        predecessors: Mapping[str, list[str]],
        definitions: Mapping[str, tuple[str, int]],
    ) -> None:
        self._name = function.name
        self._definitions = definitions
        order = reverse_postorder(function.blocks[0].label, lambda label: successors(blocks[label].terminator))
        idom = dominators(order, predecessors)
        children: dict[str, list[str]] = {label: [] for label in order}
        for label in order[1:]:
            children[idom[label]].append(label)
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        work = [(order[0], False)]
        while work:
            label, is_done = work.pop()
            if is_done:
                self._last[label] = len(self._first)
            else:
                self._first[label] = len(self._first)
                work.append((label, True))
                work.extend((child, False) for child in children[label])

    def use(self, register: Reg, label: str, index: int | None, pos: SourcePos | None) -> None:
        """Check a use at `index` of a block (None: at its end). Unreachable code may use anything defined."""
        place = self._definitions.get(register.name)
        if place is None:
            raise _broken("a register that is used is defined", f"{register} in {self._name}", pos)
        defined_in, defined_at = place
        if defined_in == label:
            is_dominated = index is None or defined_at < index
        elif label not in self._first:
            return
        else:
            first = self._first.get(defined_in)
            is_dominated = first is not None and first <= self._first[label] < self._last[defined_in]
        if not is_dominated and label in self._first:
            raise _broken("a definition dominates its uses", f"{register} in {self._name}", pos)
