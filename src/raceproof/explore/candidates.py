"""Values to try for inputs (`__VERIFIER_nondet_*`): what the program compares with, its neighbours, the extremes.

No choice of values is all of them: a search that takes an input is bounded, whatever it was given here. The point
is to reach the branches that a value can reach.
"""

from __future__ import annotations

from raceproof.ir import Binary, Compare, IntConst, Program, Switch, operands

PREFIX = "__VERIFIER_nondet_"
MAX_CONSTANTS = 40
_WIDTHS = {"bool": 1, "_Bool": 1, "char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32}


def candidates(program: Program) -> tuple[tuple[int, int], ...]:
    """(bits, value): each for inputs of at least so many bits; nothing if the program takes no input.

    The order is that of the search: likely values first.
    """
    widths = {_WIDTHS.get(name.removeprefix(PREFIX), 64) for name in program.externals if name.startswith(PREFIX)}
    if not widths:
        return ()
    values = dict.fromkeys([0, 1, -1])
    for constant in _constants(program)[:MAX_CONSTANTS]:
        values |= dict.fromkeys([constant, constant + 1, constant - 1])
    for bits in sorted(widths - {1}):
        values |= dict.fromkeys([(1 << bits - 1) - 1, -(1 << bits - 1), (1 << bits) - 1])
    return tuple((_bits(value), value) for value in values if -(1 << 63) <= value < 1 << 64)


def _constants(program: Program) -> list[int]:
    """Those that comparisons and switches name, in the order of the program, then those of arithmetic."""
    compared: dict[int, None] = {}
    computed: dict[int, None] = {}
    for function in program.functions.values():
        for instr in function.instructions():
            match instr:
                case Compare():
                    compared |= dict.fromkeys(o.value for o in operands(instr) if isinstance(o, IntConst))
                case Switch():
                    compared |= dict.fromkeys(value for value, _ in instr.cases)
                case Binary():
                    computed |= dict.fromkeys(o.value for o in operands(instr) if isinstance(o, IntConst))
    return list(compared | computed)


def _bits(value: int) -> int:
    """The least width that holds the value, as signed or as unsigned number; -1 takes a byte."""
    needed = value.bit_length() if value >= 0 else (value + 1).bit_length() + 1
    return next(bits for bits in (1, 8, 16, 32, 64) if needed <= bits and (value >= 0 or bits > 1))
