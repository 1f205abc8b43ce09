"""What instructions without memory compute, and how values lie in registers and in memory."""

from __future__ import annotations

from math import gcd

import z3

from raceproof.bmc.events import Instance
from raceproof.bmc.instructions import ANYTHING, Anything, Held, fields_of, width_of
from raceproof.bmc.memory import Memory
from raceproof.bmc.terms import (
    Truth,
    Value,
    arithmetic,
    as_bytes,
    choose,
    compare,
    either,
    equal,
    from_bytes,
    joined,
    negate,
    number,
    part,
    resize,
)
from raceproof.bmc.unrolling import Layout
from raceproof.core import SourcePos
from raceproof.ir import (
    Address,
    Binary,
    Cast,
    Compare,
    Compute,
    Extract,
    Gep,
    Instr,
    IntConst,
    IntType,
    IrType,
    Operand,
    PtrType,
    Reg,
    Select,
    SiteId,
)

Registers = dict[str, Held]
_CASTS = frozenset({"sext", "zext", "trunc", "ptrtoint", "inttoptr", "bitcast", "threadlocal"})


class Evaluator:
    """For one unwound program. `thread`: whose code it is, for thread-local variables. `notes`: what depends on the
    addresses of objects, which are not those of the program. `harmless`: conversions that do not."""

    def __init__(self, memory: Memory, harmless: frozenset[SiteId]) -> None:
        self.notes: dict[str, None] = {}
        self.thread: Instance
        self._memory = memory
        self._harmless = harmless

    def operand(self, registers: Registers, operand: Operand) -> Held:
        match operand:
            case Reg(name):
                return registers.get(name, ANYTHING)
            case IntConst(value=value, bits=bits):
                return number(value, bits)
            case Address():
                return self._memory.symbol(operand, self.thread)
            case _:
                return ANYTHING

    def value(self, held: Held, width: int) -> Value:
        """As a number of that width."""
        return self._memory.anything(width) if isinstance(held, Anything | tuple) else held

    def either(self, condition: Truth, a: Held, b: Held, width: int | None) -> Held:
        """One or the other; `width` None: as they show it."""
        if a is b:
            return a
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self.either(condition, x, y, None) for x, y in zip(a, b, strict=True))
        if isinstance(a, Anything | tuple) or isinstance(b, Anything | tuple):
            return ANYTHING
        if width is None:
            width = shown_width(a, b)
            if width is None:
                return ANYTHING
        return self._memory.choose(condition, a, b, width)

    def compute(self, layout: Layout, registers: Registers, instr: Instr) -> Held:
        match instr:
            case Gep():
                return self._gep(layout, registers, instr)
            case Cast():
                return self._cast(registers, instr)
            case Binary(op=op, type=type_, left=left, right=right):
                width = width_of(type_)
                if width is None or not isinstance(type_, IntType):
                    return ANYTHING
                a, b = (self.value(self.operand(registers, o), width) for o in (left, right))
                if width == self._memory.width and any(self._memory.origin(o) for o in (a, b)):
                    self.addresses_as_numbers(instr.pos)
                made = arithmetic(op, a, b, width)
                return ANYTHING if made is None else made
            case Compare(predicate=predicate, type=type_, left=left, right=right):
                width = width_of(type_)
                if width is None or not isinstance(type_, IntType | PtrType):
                    return self._memory.anything(1)
                a, b = (self.value(self.operand(registers, o), width) for o in (left, right))
                if width == self._memory.width and predicate not in ("eq", "ne"):
                    self._order_of_addresses(a, b, isinstance(type_, PtrType), instr.pos)
                if width == self._memory.width and predicate in ("eq", "ne"):
                    same = either(equal(a, b, width), self._memory.may_coincide(a, b))
                    return same if predicate == "eq" else negate(same)
                return compare(predicate, a, b, width)
            case Select(condition=condition, if_true=a, if_false=b):
                truth = self.value(self.operand(registers, condition), 1)
                width = layout.widths.get(instr.result.name)
                return self.either(truth, self.operand(registers, a), self.operand(registers, b), width)
            case Extract(aggregate=aggregate, indices=indices):
                found = self.operand(registers, aggregate)
                for index in indices:
                    if not isinstance(found, tuple) or index >= len(found):
                        return ANYTHING
                    found = found[index]
                return found
            case Compute(op="freeze", operands=(operand,)):
                return self.operand(registers, operand)
            case _:
                return ANYTHING

    def _gep(self, layout: Layout, registers: Registers, instr: Gep) -> Held:
        width = self._memory.width
        base = self.value(self.operand(registers, instr.base), width)
        address = arithmetic("add", base, number(instr.offset, width), width)
        apart = gcd(instr.offset, *(term.scale for term in instr.terms))
        for term in instr.terms:
            index_width = layout.widths.get(term.index.name, 64) if isinstance(term.index, Reg) else 64
            index = resize(self.value(self.operand(registers, term.index), index_width), index_width, width, True)
            scaled = arithmetic("mul", index, number(term.scale, width), width)
            address = arithmetic("add", address, scaled, width)
        assert address is not None
        return self._memory.derive(address, base, offset=apart)

    def _cast(self, registers: Registers, instr: Cast) -> Held:
        before, after = width_of(instr.from_type), width_of(instr.to_type)
        if before is None or after is None:
            return ANYTHING
        if instr.op not in _CASTS:
            return ANYTHING
        held = self.value(self.operand(registers, instr.value), before)
        made = resize(held, before, after, instr.op == "sext")
        if instr.op == "ptrtoint" and instr.id not in self._harmless and self._memory.origin(held) != frozenset():
            self.addresses_as_numbers(instr.pos)
        if instr.op == "trunc" and before == self._memory.width and self._memory.origin(held):
            self.addresses_as_numbers(instr.pos)
        return self._memory.derive(made, held) if after == self._memory.width else made

    def addresses_as_numbers(self, pos: SourcePos | None) -> None:
        """Our addresses are not those of the program: what depends on them is not proved."""
        where = f"line {pos.line}" if pos is not None else "code of the compiler"
        self.notes[f"an address is used as a number ({where})"] = None

    def _order_of_addresses(self, a: Value, b: Value, are_pointers: bool, pos: SourcePos | None) -> None:
        """Which of two objects comes first in memory is ours to know, not the program's."""
        one, other = self._memory.origin(a), self._memory.origin(b)
        if not are_pointers and not one and not other:
            return
        if one is None or len(one) != 1 or one != other:
            self.addresses_as_numbers(pos)

    def loaded(self, loaded: Value, type_: IrType) -> Held:
        """What a register of the type holds when these bytes are loaded."""
        width = width_of(type_)
        if width is not None:
            return self.shaped(loaded, type_, width)
        fields = fields_of(type_)
        if not fields:
            return ANYTHING
        return tuple(self.loaded(part(loaded, type_.size, offset, field.size), field) for field, offset in fields)

    def stored(self, held: Held, type_: IrType) -> Value:
        """What a register of the type is in memory."""
        width, size = width_of(type_), type_.size
        if width is not None:
            number_ = self.value(held, width)
            return (
                self._memory.derive(as_bytes(number_, width, size), number_)
                if width == self._memory.width
                else (as_bytes(number_, width, size))
            )
        fields = fields_of(type_)
        if not isinstance(held, tuple) or len(fields) != len(held):
            return self._memory.anything(8 * size)
        made: list[Value] = [0] * size
        for (field_, offset), inner in zip(fields, held, strict=True):
            value = self.stored(inner, field_)
            for i in range(field_.size):
                made[offset + i] = part(value, field_.size, i, 1)
        return joined(made)

    def shaped(self, loaded: Value, type_: IrType, width: int) -> Value:
        """A number of the type, from its bytes."""
        made = from_bytes(loaded, type_.size, width)
        return self._memory.derive(made, loaded) if width == self._memory.width else made


def shown_width(*values: Held) -> int | None:
    """Of values of one type, if one of them shows it."""
    for value in values:
        if isinstance(value, bool):
            return 1
        if not isinstance(value, int | Anything | tuple):
            return 1 if z3.is_bool(value) else int(value.size())
    return None


def updated(op: str, old: Value, operand: Value, width: int) -> Value | None:
    """What an atomic update writes."""
    match op:
        case "xchg":
            return operand
        case "nand":
            made = arithmetic("and", old, operand, width)
            return arithmetic("xor", made, number(-1, width), width) if made is not None else None
        case "max" | "min" | "umax" | "umin":
            predicate = ("u" if op.startswith("u") else "s") + ("gt" if op.endswith("max") else "lt")
            return choose(compare(predicate, old, operand, width), old, operand, width)
    return arithmetic(op, old, operand, width)
