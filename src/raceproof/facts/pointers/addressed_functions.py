"""Functions that a pointer may lead to, whatever is known of the pointer: those whose address the program ever takes.

A function that is only called by its name has an address that nobody can have got, unless somebody looks it up by name
while the program runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from raceproof.facts.library.effects import Returns
from raceproof.facts.library.libc import effect_of
from raceproof.ir import Address, Call, Operand, OtherConst, Program, operands


def addressed_functions(program: Program) -> frozenset[str]:
    """Errs on the side of more."""
    for name in program.externals:
        effect = effect_of(name, program)
        if effect is not None and effect.returns is Returns.SYMBOL:
            return frozenset(program.functions)
    return frozenset(name for name in _addresses(program) if name in program.functions)


def _addresses(program: Program) -> Iterator[str]:
    """What the program has the address of, other than to call it by its name."""
    for function in program.functions.values():
        for block in function.blocks:
            for instr in (*block.body, block.terminator):
                used = instr.args if isinstance(instr, Call) and isinstance(instr.callee, Address) else operands(instr)
                for operand in used:
                    yield from _in_operand(operand)
    for variable in program.globals.values():
        for cell in variable.initial:
            yield from _in_operand(cell.value)


def _in_operand(operand: Operand) -> Iterator[str]:
    match operand:
        case Address(symbol=symbol):
            yield symbol
        case OtherConst(addresses=addresses):
            yield from (address.symbol for address in addresses)
