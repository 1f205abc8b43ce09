"""The language that abstract domains understand: expressions of C over machine integers, without side effects.

    x = Variable("x", UINT8)
    Binary(Op.ADD, x, Const(1, UINT8))                       (uint8_t)(x + 1), which is 0 after 255
    Binary(Op.LT, Cast(INT32, x), Const(10, INT32))          x < 10, after C's promotion

Nothing is converted implicitly: both operands of an operator have one type, and `Cast` says where C converts. What an
expression means is in `concrete`. A condition is an expression that is not zero, as in C.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import final

from raceproof.core import InternalError


@final
@dataclass(frozen=True, slots=True, order=True)
class MachineType:
    """Integers of `bits` bits, in two's complement if `signed`."""

    bits: int
    signed: bool

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - int(self.signed))) - 1

    @property
    def size(self) -> int:
        """How many values there are: what wrapping around subtracts."""
        return 1 << self.bits

    def holds(self, value: int) -> bool:
        return self.low <= value <= self.high

    def wrap(self, value: int) -> int:
        """The value of this type that is equal to `value` modulo 2^bits."""
        return (value - self.low) % self.size + self.low

    def __str__(self) -> str:
        return f"{'i' if self.signed else 'u'}{self.bits}"


BOOL = MachineType(1, False)
UINT8, UINT16, UINT32, UINT64 = (MachineType(bits, False) for bits in (8, 16, 32, 64))
INT8, INT16, INT32, INT64 = (MachineType(bits, True) for bits in (8, 16, 32, 64))


@unique
class SignedOverflow(Enum):
    """What `+ - *` and unary `-` of a signed type do where the result does not fit.

    UNDEFINED: as C says, it does not happen; a state in which it would has no successor, so that what follows holds
    for executions without it. WRAPS: it wraps around, as the machine does it (and as `-fwrapv` promises).
    """

    UNDEFINED = "undefined"
    WRAPS = "wraps"


@unique
class Op(Enum):
    """Binary operators; comparisons and the logical ones give an `int` that is 0 or 1."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    LOGICAL_AND = "&&"
    LOGICAL_OR = "||"


@unique
class UnaryOp(Enum):
    NEGATE = "-"
    INVERT = "~"
    NOT = "!"


NEGATED = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.LT: Op.GE, Op.GE: Op.LT, Op.GT: Op.LE, Op.LE: Op.GT}
LOGICAL = frozenset({Op.LOGICAL_AND, Op.LOGICAL_OR})
SHIFTS = frozenset({Op.SHL, Op.SHR})


@final
@dataclass(frozen=True, slots=True)
class Variable:
    """A cell that holds one machine integer: a register, a global, a field. Two are the same if name and type are.

    They are keys everywhere, and names may be deep: the hash is computed once.
    """

    name: Hashable
    type: MachineType
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.name, self.type.bits, self.type.signed)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Variable, (self.name, self.type)  # string hashes differ between processes

    def __str__(self) -> str:
        return str(self.name)


@final
@dataclass(frozen=True, slots=True)
class Const:
    value: int
    type: MachineType

    def __post_init__(self) -> None:
        if not self.type.holds(self.value):
            raise InternalError(f"the constant {self.value} is not of type {self.type}")

    def __str__(self) -> str:
        return str(self.value)


@final
@dataclass(frozen=True, slots=True)
class AnyValue:
    """Some value of the type: an input, or what is not modelled."""

    type: MachineType

    def __str__(self) -> str:
        return "?"


@final
@dataclass(frozen=True, slots=True)
class Cast:
    """C's conversion to `type`: modulo 2^bits, for signed types too (as every compiler that we use does it)."""

    type: MachineType
    operand: Expr

    def __str__(self) -> str:
        return f"({self.type}){self.operand}"


@final
@dataclass(frozen=True, slots=True)
class Unary:
    op: UnaryOp
    operand: Expr

    @property
    def type(self) -> MachineType:
        return INT32 if self.op is UnaryOp.NOT else self.operand.type

    def __str__(self) -> str:
        return f"{self.op.value}{self.operand}"


@final
@dataclass(frozen=True, slots=True)
class Binary:
    """`left op right`; both of one type, except that the second operand of shifts and logical operators is free."""

    op: Op
    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        if self.op not in LOGICAL | SHIFTS and self.left.type != self.right.type:
            raise InternalError(f"operands of different types: {self} ({self.left.type} and {self.right.type})")

    @property
    def type(self) -> MachineType:
        return INT32 if self.op in NEGATED or self.op in LOGICAL else self.left.type

    def __str__(self) -> str:
        return f"({self.left} {self.op.value} {self.right})"


Expr = Variable | Const | AnyValue | Cast | Unary | Binary


def variables_of(expr: Expr) -> Iterator[Variable]:
    """The variables in the order of the text; one may come more than once."""
    match expr:
        case Variable():
            yield expr
        case Cast(operand=operand) | Unary(operand=operand):
            yield from variables_of(operand)
        case Binary(left=left, right=right):
            yield from variables_of(left)
            yield from variables_of(right)
        case Const() | AnyValue():
            return
