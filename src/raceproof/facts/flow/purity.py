"""Functions that only compute: the same number for the same arguments, whenever and in whichever thread.

    static int place(int key) { return key < 0 ? 0 : key % 16; }

So `table[place(key)]` is the same element wherever the key is the same, like `table[key % 16]`.
"""

from __future__ import annotations

from raceproof.ir import (
    Address,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    Function,
    Gep,
    IntType,
    Jump,
    OtherConst,
    Phi,
    Program,
    Return,
    Select,
    Switch,
    Unreachable,
    operands,
)


def is_pure(function: Function, program: Program) -> bool:
    """It gives a number, and touches no memory, asks nobody outside and uses no undefined value; what it calls is
    another matter."""
    for instr in function.instructions():
        match instr:
            case Cast(op="threadlocal"):
                return False  # an address that is another one in each thread
            case Phi() | Gep() | Cast() | Binary() | Select() | Compare():
                pass
            case Jump() | Branch() | Switch() | Return() | Unreachable():
                pass
            case Call(callee=Address(symbol=name, offset=0)) if name in program.functions:
                pass
            case _:
                return False
        if any(isinstance(operand, OtherConst) for operand in operands(instr)):
            return False  # it may be undefined: another number each time
    return isinstance(function.returns, IntType)
