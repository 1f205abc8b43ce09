"""Which integer arithmetic may compute pointers.

Most does not: sizes, counters and hashes are as wide as pointers. An operation counts if, within its function, one of
its operands comes from a pointer cast to an integer, or its result is cast to a pointer. If pointers leave such
functions as integers somewhere and come in as integers elsewhere, a helper between the two (`tag(uintptr_t p)`) has no
casts of its own; then all arithmetic counts.

# GAP(soundness): a pointer that becomes an integer, and an integer that becomes a pointer, only by being stored as the
# one and loaded as the other, with arithmetic in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.ir import (
    Address,
    Binary,
    Call,
    Cast,
    CompareExchange,
    Compute,
    Function,
    Gep,
    IntConst,
    IntType,
    Operand,
    OtherConst,
    Phi,
    Program,
    Reg,
    Return,
    Rmw,
    Select,
    Store,
    operands,
)

CARRYING_OPS: Final = frozenset({"add", "sub", "and", "or", "xor", "mul", "shl", "lshr", "ashr"})
PAGE: Final = 4096
"""What is left of a pointer after masking all but bits below this is no pointer."""


@dataclass(frozen=True, slots=True)
class _Casts:
    """`near`: registers next to casts. `leave`, `enter`: integers that are pointers cross the function's border."""

    near: frozenset[str]
    leave: bool
    enter: bool


class PointerIntegers:
    def __init__(self, program: Program) -> None:
        self._casts = {name: _casts_in(f, program.pointer_size) for name, f in program.functions.items()}
        self._anywhere = any(c.leave for c in self._casts.values()) and any(c.enter for c in self._casts.values())

    def may_be_pointer(self, function: str, result: Reg) -> bool:
        """Whether the result of an operation on integers may be a pointer."""
        return self._anywhere or result.name in self._casts[function].near


def is_number(instr: Binary, from_pointer: frozenset[Operand] | set[Operand]) -> bool:
    """Whether an operation on pointers in integers gives a plain number: a difference, or the lowest bits."""
    if instr.op == "and":
        constants = [o.value for o in (instr.left, instr.right) if isinstance(o, IntConst)]
        return any(0 <= value < PAGE for value in constants)
    return instr.op == "sub" and instr.left in from_pointer and instr.right in from_pointer


def _casts_in(function: Function, pointer_size: int) -> _Casts:
    inputs: dict[str, list[str]] = {}
    from_pointer: set[Operand] = set()
    to_pointer: list[str] = []
    leaving: list[Operand] = []
    of_variables: list[str] = []  # computed from the address of a variable, which needs no cast
    for block in function.blocks:
        for instr in block.body:
            if isinstance(instr, Binary | Cast) and any(_is_address(o) for o in operands(instr)):
                of_variables.append(instr.result.name)
            match instr:
                case Cast(op="ptrtoint", result=result):
                    from_pointer.add(result)
                case Cast(op="inttoptr", value=Reg(name=name)):
                    to_pointer.append(name)
                case Gep(base=IntConst(), terms=terms):
                    to_pointer.extend(t.index.name for t in terms if isinstance(t.index, Reg))
                case Cast(value=Reg(name=name), from_type=IntType() as type_) if type_.bits >= 8 * pointer_size:
                    inputs[instr.result.name] = [name]
                case Binary(op=op, left=left, right=right) if op in CARRYING_OPS:
                    inputs[instr.result.name] = [o.name for o in (left, right) if isinstance(o, Reg)]
                case Phi(incoming=incoming):
                    inputs[instr.result.name] = [o.name for o, _ in incoming if isinstance(o, Reg)]
                case Select(if_true=a, if_false=b):
                    inputs[instr.result.name] = [o.name for o in (a, b) if isinstance(o, Reg)]
                case Store(value=value) | Rmw(value=value) | CompareExchange(new=value):
                    leaving.append(value)
                case Call(args=args) | Compute(operands=args):
                    leaving.extend(args)
                case _:
                    pass
        if isinstance(block.terminator, Return) and block.terminator.value is not None:
            leaving.append(block.terminator.value)
    if not from_pointer and not to_pointer and not of_variables:
        return _Casts(frozenset(), False, False)
    numbers = {
        instr.result.name
        for block in function.blocks
        for instr in block.body
        if isinstance(instr, Binary) and is_number(instr, from_pointer)
    }
    start = [*of_variables, *(o.name for o in from_pointer if isinstance(o, Reg))]
    forwards = _closure(start, _reversed({n: i for n, i in inputs.items() if n not in numbers}))
    backwards = _closure(to_pointer, inputs)
    enter = any(name not in inputs and Reg(name) not in from_pointer for name in backwards)
    return _Casts(
        frozenset(forwards | backwards), any(isinstance(o, Reg) and o.name in forwards for o in leaving), enter
    )


def _is_address(operand: Operand) -> bool:
    return isinstance(operand, Address) or (isinstance(operand, OtherConst) and bool(operand.addresses))


def _reversed(graph: dict[str, list[str]]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for node, targets in graph.items():
        for target in targets:
            result.setdefault(target, []).append(node)
    return result


def _closure(start: list[str], graph: dict[str, list[str]]) -> set[str]:
    seen = set(start)
    work = list(start)
    while work:
        for next_ in graph.get(work.pop(), ()):
            if next_ not in seen:
                seen.add(next_)
                work.append(next_)
    return seen
