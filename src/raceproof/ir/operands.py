"""What an instruction reads and what it defines, for code that treats all instructions alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raceproof.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    Fence,
    Gep,
    IndirectJump,
    Instr,
    Jump,
    Load,
    Phi,
    Return,
    Rmw,
    Select,
    Store,
    Switch,
    Terminator,
    Unreachable,
)
from raceproof.ir.values import Operand, Reg

# Any: each function gets an instance of its own key, which the type of a table cannot say.
_OPERANDS: dict[type, Callable[[Any], tuple[Operand, ...]]] = {
    Alloca: lambda i: (i.count,),
    Load: lambda i: (i.address,),
    Store: lambda i: (i.value, i.address),
    Rmw: lambda i: (i.address, i.value),
    CompareExchange: lambda i: (i.address, i.expected, i.new),
    Fence: lambda i: (),
    Gep: lambda i: (i.base, *(term.index for term in i.terms)),
    Cast: lambda i: (i.value,),
    Binary: lambda i: (i.left, i.right),
    Compare: lambda i: (i.left, i.right),
    Select: lambda i: (i.condition, i.if_true, i.if_false),
    Phi: lambda i: tuple(value for value, _ in i.incoming),
    Call: lambda i: (i.callee, *i.args),
    Extract: lambda i: (i.aggregate,),
    Compute: lambda i: i.operands,
    Jump: lambda i: (),
    Branch: lambda i: (i.condition,),
    Switch: lambda i: (i.value,),
    IndirectJump: lambda i: (i.address,),
    Return: lambda i: () if i.value is None else (i.value,),
    Unreachable: lambda i: (),
}
_WITHOUT_RESULT = (Store, Fence, Jump, Branch, Switch, IndirectJump, Return, Unreachable)


def operands(instr: Instr | Terminator) -> tuple[Operand, ...]:
    """Everything that the instruction reads, in a fixed order."""
    return _OPERANDS[type(instr)](instr)


def result(instr: Instr | Terminator) -> Reg | None:
    """The register that the instruction defines."""
    return None if isinstance(instr, _WITHOUT_RESULT) else instr.result
