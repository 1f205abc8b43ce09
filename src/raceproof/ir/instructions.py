"""Instructions: a closed union, each with its site and source position.

The site of an instruction is one number for the whole program; static facts, instrumented binaries,
traces and reports all use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import NewType, final

from raceproof.core import SourcePos
from raceproof.ir.types import IrType
from raceproof.ir.values import Operand, Reg

SiteId = NewType("SiteId", int)


@unique
class MemoryOrder(Enum):
    """C11 memory orders; UNORDERED is LLVM's (Java), treated as plain relaxed."""

    UNORDERED = "unordered"
    RELAXED = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    @property
    def acquires(self) -> bool:
        return self in (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL, MemoryOrder.SEQ_CST)

    @property
    def releases(self) -> bool:
        return self in (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL, MemoryOrder.SEQ_CST)


@dataclass(frozen=True, slots=True)
class _Located:
    """What every instruction has. `pos` is None for code that the compiler made up."""

    id: SiteId
    pos: SourcePos | None


@final
@dataclass(frozen=True, slots=True)
class Alloca(_Located):
    """A stack slot of `count` values of `type`."""

    result: Reg
    type: IrType
    count: Operand


@final
@dataclass(frozen=True, slots=True)
class Load(_Located):
    """`order` is None for a plain load. `align`: the address is a multiple of it; 0: of what the type demands."""

    result: Reg
    type: IrType
    address: Operand
    order: MemoryOrder | None
    volatile: bool
    align: int = 0


@final
@dataclass(frozen=True, slots=True)
class Store(_Located):
    """`align` as in `Load`."""

    type: IrType
    value: Operand
    address: Operand
    order: MemoryOrder | None
    volatile: bool
    align: int = 0


@final
@dataclass(frozen=True, slots=True)
class Rmw(_Located):
    """Atomic read-modify-write; `result` is the old value."""

    result: Reg
    op: str
    type: IrType
    address: Operand
    value: Operand
    order: MemoryOrder


@final
@dataclass(frozen=True, slots=True)
class CompareExchange(_Located):
    """`result` is a pair (old value, success flag)."""

    result: Reg
    type: IrType
    address: Operand
    expected: Operand
    new: Operand
    order: MemoryOrder
    failure_order: MemoryOrder
    weak: bool


@final
@dataclass(frozen=True, slots=True)
class Fence(_Located):
    order: MemoryOrder


@dataclass(frozen=True, slots=True)
class IndexTerm:
    """`index * scale` bytes; `count` bounds the index when it runs over a declared array, else None.

    `is_flexible`: it runs over an array that is declared without a length (a flexible array member): not negative.
    """

    index: Operand
    scale: int
    count: int | None
    is_flexible: bool = False


@final
@dataclass(frozen=True, slots=True)
class Gep(_Located):
    """Pointer arithmetic, flattened: base + offset + sum of terms.

    `source` is the type that the pointer is taken to point to (a struct here tells the layout).
    """

    result: Reg
    base: Operand
    offset: int
    terms: tuple[IndexTerm, ...]
    source: IrType


@final
@dataclass(frozen=True, slots=True)
class Cast(_Located):
    """sext, zext, trunc, ptrtoint, inttoptr, bitcast, and the float conversions."""

    result: Reg
    op: str
    value: Operand
    from_type: IrType
    to_type: IrType


@final
@dataclass(frozen=True, slots=True)
class Binary(_Located):
    """Arithmetic; `nsw`/`nuw` say that signed/unsigned overflow is undefined."""

    result: Reg
    op: str
    type: IrType
    left: Operand
    right: Operand
    nsw: bool
    nuw: bool


@final
@dataclass(frozen=True, slots=True)
class Compare(_Located):
    """Integer or pointer comparison; `predicate` is LLVM's (eq, ne, slt, ...)."""

    result: Reg
    predicate: str
    type: IrType
    left: Operand
    right: Operand


@final
@dataclass(frozen=True, slots=True)
class Select(_Located):
    result: Reg
    condition: Operand
    if_true: Operand
    if_false: Operand


@final
@dataclass(frozen=True, slots=True)
class Phi(_Located):
    """`incoming` pairs a value with the label of the predecessor block."""

    result: Reg
    type: IrType
    incoming: tuple[tuple[Operand, str], ...]


@final
@dataclass(frozen=True, slots=True)
class Call(_Located):
    """A call; `callee` is an `Address` for a direct call. Intrinsics keep their name less type suffixes
    (`llvm.memcpy`, `llvm.memset`, `llvm.va_start`).

    `by_value` lists (argument index, bytes) of structs passed in memory: the argument is a pointer to the
    caller's struct, which the call itself reads; the callee gets the address of a copy of its own."""

    result: Reg | None
    type: IrType
    callee: Operand
    args: tuple[Operand, ...]
    arg_types: tuple[IrType, ...]
    noreturn: bool
    by_value: tuple[tuple[int, int], ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Extract(_Located):
    """extractvalue."""

    result: Reg
    aggregate: Operand
    indices: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Compute(_Located):
    """Any other instruction that computes `result` from `operands` and touches no memory."""

    result: Reg
    op: str
    operands: tuple[Operand, ...]


@final
@dataclass(frozen=True, slots=True)
class Jump(_Located):
    target: str


@final
@dataclass(frozen=True, slots=True)
class Branch(_Located):
    condition: Operand
    if_true: str
    if_false: str


@final
@dataclass(frozen=True, slots=True)
class Switch(_Located):
    value: Operand
    default: str
    cases: tuple[tuple[int, str], ...]


@final
@dataclass(frozen=True, slots=True)
class IndirectJump(_Located):
    """Computed goto."""

    address: Operand
    targets: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Return(_Located):
    value: Operand | None


@final
@dataclass(frozen=True, slots=True)
class Unreachable(_Located):
    pass


Instr = (
    Alloca
    | Load
    | Store
    | Rmw
    | CompareExchange
    | Fence
    | Gep
    | Cast
    | Binary
    | Compare
    | Select
    | Phi
    | Call
    | Extract
    | Compute
)
Terminator = Jump | Branch | Switch | IndirectJump | Return | Unreachable


def successors(terminator: Terminator) -> tuple[str, ...]:
    """Labels of the blocks that may come next, each once, in a fixed order."""
    match terminator:
        case Jump(target=target):
            return (target,)
        case Branch(if_true=a, if_false=b):
            return (a,) if a == b else (a, b)
        case Switch(default=default, cases=cases):
            return tuple(dict.fromkeys([label for _, label in cases] + [default]))
        case IndirectJump(targets=targets):
            return tuple(dict.fromkeys(targets))
        case Return() | Unreachable():
            return ()
