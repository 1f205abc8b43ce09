"""Registers that only hand a pointer on, and additions that feed themselves: found once per function.

A register that copies another (a cast, a member access at offset 0, a phi or select with one source) shares its
constraint node, so such copies cost nothing. An addition in a cycle of phis (`p++` in a loop) is known to step over
an array before solving begins, so its pointer does not crawl through the array element by element.
"""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.core import strongly_connected
from raceproof.facts.pointers.index_signs import not_negative
from raceproof.ir import (
    Address,
    Binary,
    Cast,
    Compute,
    Function,
    Gep,
    IntType,
    IrType,
    Operand,
    OtherConst,
    Phi,
    PtrType,
    Reg,
    Select,
)


@dataclass(frozen=True, slots=True)
class RegisterCopies:
    """`source` gives, for a register that is a copy, what it is a copy of; `stepping` are additions in cycles.

    `from_pointer`: registers that are a pointer cast to an integer; `not_negative`: numbers that are at least 0.
    """

    source: dict[str, Operand]
    stepping: frozenset[str]
    from_pointer: frozenset[Operand]
    not_negative: frozenset[str]

    def resolve(self, operand: Operand) -> Operand:
        while isinstance(operand, Reg):
            source = self.source.get(operand.name)
            if source is None:
                return operand
            operand = source
        return operand


def holds_pointer(type_: IrType, pointer_size: int) -> bool:
    return isinstance(type_, PtrType) or (isinstance(type_, IntType) and type_.bits >= 8 * pointer_size)


def register_copies(function: Function, pointer_size: int) -> RegisterCopies:
    source: dict[str, Operand] = {}
    flows: dict[str, list[str]] = {}
    additions: list[str] = []
    from_pointer: set[Operand] = set()
    has_phi = False
    for block in function.blocks:
        for instr in block.body:
            match instr:
                case Cast(from_type=from_type, to_type=to_type, value=value):
                    inputs: list[Operand] = [value]
                    is_copy = holds_pointer(from_type, pointer_size) and holds_pointer(to_type, pointer_size)
                    if instr.op == "ptrtoint":
                        from_pointer.add(instr.result)
                case Gep(base=base, offset=offset, terms=terms):
                    inputs = [base]
                    is_copy = offset == 0 and not terms and isinstance(base, Reg)
                    if offset != 0:
                        additions.append(instr.result.name)
                case Phi(incoming=incoming):
                    has_phi = True
                    inputs = list(dict.fromkeys(v for v, _ in incoming if v != instr.result))
                    inputs = [v for v in inputs if isinstance(v, Reg)] if _is_plain(inputs) else inputs
                    is_copy = len(inputs) == 1
                case Select(if_true=a, if_false=b):
                    inputs = list(dict.fromkeys((a, b)))
                    inputs = [v for v in inputs if isinstance(v, Reg)] if _is_plain(inputs) else inputs
                    is_copy = len(inputs) == 1
                case Binary(op="add" | "sub", left=left, right=right):
                    inputs = [left, right]
                    is_copy = False
                    additions.append(instr.result.name)
                case Compute(op="freeze", operands=(value,)):
                    inputs = [value]
                    is_copy = True
                case _:
                    continue
            name = instr.result.name
            flows[name] = [v.name for v in inputs if isinstance(v, Reg)]
            if is_copy and isinstance(inputs[0], Reg) and not _leads_to(source, inputs[0], name):
                source[name] = inputs[0]
    stepping = _in_cycles(flows, additions) if has_phi else frozenset()
    return RegisterCopies(source, stepping, frozenset(from_pointer), not_negative(function))


def _is_plain(inputs: list[Operand]) -> bool:
    """Whether all but registers are constants without addresses, which add nothing."""
    return not any(isinstance(v, Address) or (isinstance(v, OtherConst) and v.addresses) for v in inputs)


def _leads_to(source: dict[str, Operand], operand: Operand, name: str) -> bool:
    while isinstance(operand, Reg):
        if operand.name == name:
            return True
        if operand.name not in source:
            return False
        operand = source[operand.name]
    return False


def _in_cycles(flows: dict[str, list[str]], additions: list[str]) -> frozenset[str]:
    if not additions:
        return frozenset()
    found: set[str] = set()
    for component in strongly_connected(additions, lambda n: flows.get(n, ())):
        if len(component) > 1 or component[0] in flows.get(component[0], ()):
            found.update(component)
    return frozenset(a for a in additions if a in found)
