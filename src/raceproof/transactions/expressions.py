"""Registers of the IR as expressions of the domains, in one calling context.

Pure instructions become expressions at their uses; what comes from memory, from calls or from several sides is a
variable. Integers are signed unless the instruction says otherwise; where the IR's operation is an unsigned one, casts
say so. What has no counterpart has any value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from raceproof.core import targets_of_back_edges
from raceproof.domains import (
    BOOL,
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    MachineType,
    Op,
    SignedOverflow,
    Unary,
    UnaryOp,
    Undefined,
    Unspecified,
    Variable,
    evaluate_concretely,
    variables_of,
)
from raceproof.ir import (
    Address,
    Alloca,
    Call,
    CompareExchange,
    Compute,
    Extract,
    Function,
    Gep,
    Instr,
    IntConst,
    IntType,
    Load,
    Operand,
    Phi,
    Reg,
    Rmw,
    Select,
    operands,
    successors,
)
from raceproof.ir import Binary as BinaryInstr
from raceproof.ir import Cast as CastInstr
from raceproof.ir import Compare as CompareInstr
from raceproof.model import Linear, Opaque, is_absolute
from raceproof.transactions.actions import converted
from raceproof.transactions.cells import type_of
from raceproof.transactions.names import Register

_BITS_OF_AN_ADDRESS: Final = 62
"""No object lies higher, so that an address is positive as a signed number, too."""

_SIGNED: Final = {"add": Op.ADD, "sub": Op.SUB, "mul": Op.MUL, "sdiv": Op.DIV, "srem": Op.REM, "ashr": Op.SHR} | {
    "and": Op.AND,
    "or": Op.OR,
    "xor": Op.XOR,
}
_UNSIGNED: Final = {"udiv": Op.DIV, "urem": Op.REM, "lshr": Op.SHR, "shl": Op.SHL}
_COMPARISONS: Final = {"eq": Op.EQ, "ne": Op.NE, "lt": Op.LT, "le": Op.LE, "gt": Op.GT, "ge": Op.GE}
_MAX_SIZE: Final = 40

Pointer = tuple[str, Expr]
"""A global variable, and how many bytes into it."""
BY_ADDRESS: Final = "*"
"""Begins the name of an address that all threads know, where no object is named."""


@dataclass(frozen=True)
class Body:
    """A function with what defines each of its registers."""

    function: Function

    @cached_property
    def definitions(self) -> Mapping[str, Instr]:
        found: dict[str, Instr] = {}
        for block in self.function.blocks:
            for instr in block.body:
                defined = getattr(instr, "result", None)  # stores and fences have none
                if isinstance(defined, Reg):
                    found[defined.name] = instr
        return found

    @cached_property
    def flags(self) -> frozenset[str]:
        """Registers in which paths meet, each with 0 or 1, a comparison, or another such register."""
        phis = {i.result.name: i for b in self.function.blocks for i in b.body if isinstance(i, Phi)}
        found = {name for name, phi in phis.items() if isinstance(phi.type, IntType)}
        while lost := {n for n in found if not all(self._is_flag(v, found) for v, _ in phis[n].incoming)}:
            found -= lost
        return frozenset(found)

    def _is_flag(self, operand: Operand, flags: set[str]) -> bool:
        match operand:
            case IntConst(value=value, bits=bits):
                return value in (0, 1) or bits == 1
            case Reg(name=name) if name in flags:
                return True
            case Reg(name=name):
                definition = self.definitions.get(name)
                if isinstance(definition, CastInstr):
                    return definition.op == "zext" and self._is_flag(definition.value, flags)
                return isinstance(definition, CompareInstr)
        return False

    @cached_property
    def live_flags(self) -> list[frozenset[str]]:
        """For each block, the flags that may be asked for in it or behind it; its own phis only if it uses them."""
        blocks = self.function.blocks
        used: list[set[str]] = []
        for block in blocks:
            code = [i for i in (*block.body, block.terminator) if not isinstance(i, Phi)]
            used.append({o.name for i in code for o in operands(i) if isinstance(o, Reg)})
        for block in blocks:  # what a phi takes is used at the end of the block that it comes from
            for phi in (i for i in block.body if isinstance(i, Phi)):
                for value, label in phi.incoming:
                    if isinstance(value, Reg):
                        used[self.blocks[label]].add(value.name)
        live = [self._flags_in(names) for names in used]
        changed = True
        while changed:
            changed = False
            for number in range(len(blocks) - 1, -1, -1):
                following = (live[self.blocks[label]] for label in successors(blocks[number].terminator))
                new = live[number].union(*following)
                if new != live[number]:
                    live[number], changed = new, True
        return live

    def _flags_in(self, names: set[str]) -> frozenset[str]:
        """The flags among registers, and those that they are computed from."""
        seen: set[str] = set()
        work = list(names)
        while work:
            name = work.pop()
            if name not in seen:
                seen.add(name)
                definition = self.definitions.get(name)
                if definition is not None and not isinstance(definition, Phi | Load | Call):
                    work += [o.name for o in operands(definition) if isinstance(o, Reg)]
        return self.flags & seen

    @cached_property
    def heads(self) -> frozenset[int]:
        """Blocks to which a path may come back: every cycle has one."""
        following = [[self.blocks[label] for label in successors(b.terminator)] for b in self.function.blocks]
        return targets_of_back_edges(0, following.__getitem__)

    @cached_property
    def blocks(self) -> Mapping[str, int]:
        return {block.label: number for number, block in enumerate(self.function.blocks)}


class Values:
    """The registers of `body` in the context numbered `frame` of a thread.

    `pointers`: what its parameters certainly point to; `constants`: which numbers they certainly are.
    """

    def __init__(
        self,
        body: Body,
        frame: int,
        pointers: tuple[Pointer | None, ...],
        pointer_bits: int,
        constants: tuple[Const | None, ...] = (),
        thread: int = 0,
    ) -> None:
        self.body = body
        self.thread = thread
        self.frame = frame
        names = [p.name for p in body.function.params]
        self.pointers = dict(zip(names, pointers, strict=True))
        self.constants = dict(zip(names, constants, strict=True)) if constants else {}
        self._address_type = MachineType(pointer_bits, False)
        self._known: dict[str, Expr | None] = {}
        self._types = {p.name: type_of(p.type) for p in body.function.params}

    def variable(self, register: str, of_type: MachineType, part: int = 0) -> Variable:
        named = self.body.function.variables.get(register)
        return Variable(
            Register(self.thread, self.frame, register, part, named.name if named is not None else ""), of_type
        )

    def registers(self) -> list[Variable]:
        """All variables for registers of this frame that expressions may have."""
        found: dict[Variable, None] = {}
        for parameter, of_type in self._types.items():
            if of_type is not None:
                found[self.variable(parameter, of_type)] = None
        for name, instr in self.body.definitions.items():
            value = self.of(Reg(name))
            found.update(dict.fromkeys(variables_of(value) if value is not None else ()))
            of_type = type_of(instr.type) if isinstance(instr, CompareExchange) else None
            if of_type is not None:
                found[self.variable(name, of_type)] = found[self.variable(name, BOOL, 1)] = None
        return [v for v in found if isinstance(v.name, Register) and v.name.frame == self.frame]

    def of(self, operand: Operand) -> Expr | None:
        """The value of an operand; None if it is no integer or address that the domains know."""
        match operand:
            case IntConst(value=value, bits=bits):
                of_type = MachineType(bits, bits > 1)
                return Const(of_type.wrap(value), of_type)
            case Address():
                return self.address()
            case Reg(name=name):
                if name not in self._known:
                    self._known[name] = self._limited(self._of_register(name))
                return self._known[name]
        return None

    def as_type(self, operand: Operand, to: MachineType) -> Expr:
        """The value as one of that type; any value if nothing better is known."""
        value = self.of(operand)
        return AnyValue(to) if value is None else converted(value, to)

    def condition(self, operand: Operand) -> Expr | None:
        value = self.of(operand)
        return None if value is None or isinstance(value, AnyValue) else value

    def address(self) -> Expr:
        """Of some object: not null."""
        some = Cast(self._address_type, AnyValue(MachineType(_BITS_OF_AN_ADDRESS, False)))
        return Binary(Op.ADD, some, Const(1, self._address_type))

    def pointer(self, operand: Operand) -> Pointer | None:
        """The global variable that an operand certainly points into, and where."""
        offset: Expr = Const(0, OFFSET)
        for _ in range(64):
            match operand:
                case Address(symbol=symbol, offset=more):
                    return symbol, _plus(offset, Const(more, OFFSET))
                case Reg(name=name):
                    definition = self.body.definitions.get(name)
                case _:
                    return None
            match definition:
                case Gep(base=base, offset=more, terms=terms):
                    offset = _plus(offset, Const(more, OFFSET))
                    for term in terms:
                        index = folded(self.as_type(term.index, OFFSET))
                        offset = _plus(offset, _times(index, term.scale))
                    operand = base
                case CastInstr(op="bitcast" | "addrspacecast", value=value):
                    operand = value
                case None:
                    given = self.pointers.get(name)
                    return None if given is None else (given[0], _plus(given[1], offset))
                case _:
                    return None
        return None

    def place(self, address: Linear) -> Pointer | None:
        """The same for an address as the facts tell it: an address that all threads know, plus registers.

        Its name says which address that is, not which object it is in.
        """
        common = [(atom, factor) for atom, factor in address.terms if is_absolute(atom)]
        if len(common) != 1 or common[0][1] != 1:
            return None
        offset: Expr = Const(address.constant, OFFSET)
        for atom, factor in address.terms:
            if (atom, factor) == common[0]:
                continue
            function, _, register = atom.key.rpartition(":%") if isinstance(atom, Opaque) else ("", "", "")
            value = self.of(Reg(register)) if function == self.body.function.name else None
            if value is None or isinstance(value, AnyValue):
                return None
            offset = _plus(offset, _times(folded(converted(value, OFFSET)), factor))
        return f"{BY_ADDRESS}{common[0][0]}", offset

    def _of_register(self, name: str) -> Expr | None:
        definition = self.body.definitions.get(name)
        match definition:
            case None:
                of_type = self._types.get(name)
                if of_type is None:
                    return None
                return self.constants.get(name) or self.variable(name, of_type)
            case BinaryInstr():
                return self._binary(definition)
            case CompareInstr():
                return self._comparison(definition)
            case CastInstr():
                return self._cast(definition)
            case Compute(op="freeze", operands=(operand,)):
                return self.of(operand)
            case Extract(aggregate=Reg(name=pair), indices=(part,)):
                exchange = self.body.definitions.get(pair)
                of_type = type_of(exchange.type) if isinstance(exchange, CompareExchange) else None
                if of_type is None:
                    return None
                return self.variable(pair, of_type if part == 0 else BOOL, part)
            case Alloca():
                return self.address()
            case Gep(base=base):
                return self.address() if self.pointer(base) is not None else AnyValue(self._address_type)
            case Select(if_true=first, if_false=second):
                side = self.of(first) or self.of(second)
                return None if side is None else self.variable(name, side.type)
            case Load(type=loaded) | Rmw(type=loaded) | Phi(type=loaded) | Call(type=loaded):
                of_type = type_of(loaded)
                return None if of_type is None else self.variable(name, of_type)
        return None

    def _binary(self, instr: BinaryInstr) -> Expr | None:
        of_type = type_of(instr.type)
        if of_type is None:
            return None
        left, right = self.as_type(instr.left, of_type), self.as_type(instr.right, of_type)
        return binary(instr.op, left, right)

    def _comparison(self, instr: CompareInstr) -> Expr | None:
        of_type = type_of(instr.type)
        if of_type is None:
            return None
        op = instr.predicate[-2:]
        is_signless = op == instr.predicate or of_type.bits == 1
        wanted = of_type if is_signless else MachineType(of_type.bits, instr.predicate[0] == "s")
        left, right = self.as_type(instr.left, of_type), self.as_type(instr.right, of_type)
        if op not in _COMPARISONS:
            return None
        return Cast(BOOL, Binary(_COMPARISONS[op], converted(left, wanted), converted(right, wanted)))

    def _cast(self, instr: CastInstr) -> Expr | None:
        to, source = type_of(instr.to_type), type_of(instr.from_type)
        if to is None:
            return None
        if source is None:
            return AnyValue(to)
        value = self.as_type(instr.value, source)
        match instr.op:
            case "zext" if source.bits > 1:
                return Cast(to, Cast(MachineType(source.bits, False), value))
            case "sext" if source.bits == 1:
                return Unary(UnaryOp.NEGATE, Cast(to, value))
            case "zext" | "sext" | "trunc" | "ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast":
                return converted(value, to)
        return AnyValue(to)

    def _limited(self, value: Expr | None) -> Expr | None:
        """An expression that has grown too large says nothing that a domain could use; a constant one is its value."""
        if value is None:
            return None
        return AnyValue(value.type) if _size(value) > _MAX_SIZE else folded(value)


OFFSET: Final = MachineType(64, True)


def binary(op: str, left: Expr, right: Expr) -> Expr | None:
    """An operation of the IR on two values of one type."""
    of_type = left.type
    if of_type.bits == 1:
        return _logical(op, left, right)
    if op in _SIGNED:
        return Binary(_SIGNED[op], left, right)
    if op in _UNSIGNED:
        unsigned = MachineType(of_type.bits, False)
        return converted(Binary(_UNSIGNED[op], converted(left, unsigned), converted(right, unsigned)), of_type)
    return AnyValue(of_type)


def _logical(op: str, left: Expr, right: Expr) -> Expr:
    match op:
        case "and":
            return Cast(BOOL, Binary(Op.LOGICAL_AND, left, right))
        case "or":
            return Cast(BOOL, Binary(Op.LOGICAL_OR, left, right))
        case "xor" if isinstance(right, Const) and right.value == 1:
            return Cast(BOOL, Unary(UnaryOp.NOT, left))
    return AnyValue(BOOL)


def folded(expr: Expr) -> Expr:
    """The value of an expression without variables, if it has one; else the expression."""
    if isinstance(expr, Const | AnyValue | Variable) or not _is_constant(expr):
        return expr
    try:
        return Const(evaluate_concretely(expr, {}, SignedOverflow.WRAPS), expr.type)
    except (Undefined, Unspecified):
        return expr


def _is_constant(expr: Expr) -> bool:
    match expr:
        case Const():
            return True
        case Cast(operand=operand) | Unary(operand=operand):
            return _is_constant(operand)
        case Binary(left=left, right=right):
            return _is_constant(left) and _is_constant(right)
    return False


def _plus(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(OFFSET.wrap(left.value + right.value), OFFSET)
    if isinstance(left, Const) and left.value == 0:
        return right
    if isinstance(right, Const) and right.value == 0:
        return left
    return Binary(Op.ADD, left, right)


def _times(index: Expr, scale: int) -> Expr:
    if isinstance(index, Const):
        return Const(OFFSET.wrap(index.value * scale), OFFSET)
    return index if scale == 1 else Binary(Op.MUL, index, Const(scale, OFFSET))


def _size(expr: Expr) -> int:
    match expr:
        case Cast(operand=operand) | Unary(operand=operand):
            return 1 + _size(operand)
        case Binary(left=left, right=right):
            return 1 + _size(left) + _size(right)
    return 1
