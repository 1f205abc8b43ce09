"""Values of C as terms: numbers where they are known, z3's bit-vectors where they are not.

A `Value` of `width` bits is a non-negative Python integer or a bit-vector; of one bit, a truth value (`bool` or z3's).
Everything that is known is computed at once, so that addresses, loop counters and most branches never reach a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import z3

from raceproof.core import InternalError

if TYPE_CHECKING:
    from typing import TypeAlias

# z3's Python interface has no types: a term is whatever it makes.
Term: TypeAlias = Any
Value = int | Term
Truth = bool | Term

_CONTEXT: Final = z3.main_ctx()
_SIGNED: Final = frozenset({"slt", "sle", "sgt", "sge"})


def mask(width: int) -> int:
    return (1 << width) - 1


def is_known(value: Value) -> bool:
    return isinstance(value, int)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


def number(value: int, width: int) -> Value:
    """A constant as a value of its width."""
    return bool(value & 1) if width == 1 else value & mask(width)


def term(value: Value, width: int) -> Term:
    """As z3's: a bit-vector, or a truth value for one bit."""
    if not isinstance(value, int):
        return value
    return z3.BoolVal(bool(value)) if width == 1 else z3.BitVecVal(value, width)


def variable(name: str, width: int) -> Term:
    return z3.Bool(name) if width == 1 else z3.BitVec(name, width)


# -- truth


def negate(a: Truth) -> Truth:
    return not a if isinstance(a, int) else z3.BoolRef(z3.Z3_mk_not(_CONTEXT.ref(), a.as_ast()), _CONTEXT)


def _combined(make: Callable[..., Any], parts: list[Term]) -> Term:
    """By the solver's own function: z3's Python form of it looks at the sorts of all parts first."""
    array = (z3.Ast * len(parts))(*(part_.as_ast() for part_ in parts))
    return z3.BoolRef(make(_CONTEXT.ref(), len(parts), array), _CONTEXT)


def both(*parts: Truth) -> Truth:
    left = [p for p in parts if not isinstance(p, int)]
    if any(isinstance(p, int) and not p for p in parts):
        return False
    return True if not left else left[0] if len(left) == 1 else _combined(z3.Z3_mk_and, left)


def either(*parts: Truth) -> Truth:
    left = [p for p in parts if not isinstance(p, int)]
    if any(isinstance(p, int) and p for p in parts):
        return True
    return False if not left else left[0] if len(left) == 1 else _combined(z3.Z3_mk_or, left)


def implies(a: Truth, b: Truth) -> Truth:
    return either(negate(a), b)


# -- values


def choose(condition: Truth, a: Value, b: Value, width: int) -> Value:
    if isinstance(condition, int):
        return a if condition else b
    if (isinstance(a, int) and isinstance(b, int) and a == b) or a is b:
        return a
    return z3.If(condition, term(a, width), term(b, width))


def equal(a: Value, b: Value, width: int) -> Truth:
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if width == 1 and isinstance(a, int):
        return b if a else negate(b)
    if width == 1 and isinstance(b, int):
        return a if b else negate(a)
    p, q = term(a, width), term(b, width)
    return z3.BoolRef(z3.Z3_mk_eq(_CONTEXT.ref(), p.as_ast(), q.as_ast()), _CONTEXT)


def below(a: Value, b: Value, width: int) -> Truth:
    """Unsigned."""
    return a < b if isinstance(a, int) and isinstance(b, int) else z3.ULT(term(a, width), term(b, width))


def compare(predicate: str, a: Value, b: Value, width: int) -> Truth:
    if predicate == "eq":
        return equal(a, b, width)
    if predicate == "ne":
        return negate(equal(a, b, width))
    if width == 1:
        return compare(predicate, resize(a, 1, 8, predicate in _SIGNED), resize(b, 1, 8, predicate in _SIGNED), 8)
    if isinstance(a, int) and isinstance(b, int):
        x, y = (signed(a, width), signed(b, width)) if predicate in _SIGNED else (a, b)
        return {"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[predicate[1:]]
    p, q = term(a, width), term(b, width)
    match predicate:
        case "slt":
            return p < q
        case "sle":
            return p <= q
        case "sgt":
            return p > q
        case "sge":
            return p >= q
        case "ult":
            return z3.ULT(p, q)
        case "ule":
            return z3.ULE(p, q)
        case "ugt":
            return z3.UGT(p, q)
        case "uge":
            return z3.UGE(p, q)
    raise InternalError(f"a comparison that is none: {predicate}")


def resize(value: Value, width: int, to: int, is_signed: bool) -> Value:
    """Truncated, or extended by its sign or by zeros."""
    if width == to:
        return value
    if width == 1:
        return choose(value, mask(to) if is_signed else 1, 0, to)
    if isinstance(value, int):
        return number(signed(value, width) if is_signed else value, to)
    if to == 1:
        return z3.Extract(0, 0, value) == z3.BitVecVal(1, 1)
    if to < width:
        return z3.Extract(to - 1, 0, value)
    return z3.SignExt(to - width, value) if is_signed else z3.ZeroExt(to - width, value)


def arithmetic(op: str, a: Value, b: Value, width: int) -> Value | None:
    """LLVM's operation; None if it is not one on integers. What is undefined in C is what the machine does."""
    if width == 1:
        return _logic(op, a, b)
    if isinstance(a, int) and isinstance(b, int):
        return _folded(op, a, b, width)
    if op in ("add", "or", "xor", "shl", "lshr", "ashr", "sub") and isinstance(b, int) and b == 0:
        return a
    if op in ("add", "or", "xor") and isinstance(a, int) and a == 0:
        return b
    p, q = term(a, width), term(b, width)
    match op:
        case "add":
            return p + q
        case "sub":
            return p - q
        case "mul":
            return p * q
        case "udiv":
            return z3.UDiv(p, q)
        case "sdiv":
            return p / q
        case "urem":
            return z3.URem(p, q)
        case "srem":
            return z3.SRem(p, q)
        case "and":
            return p & q
        case "or":
            return p | q
        case "xor":
            return p ^ q
        case "shl":
            return p << q
        case "lshr":
            return z3.LShR(p, q)
        case "ashr":
            return p >> q
    return None


def _logic(op: str, a: Truth, b: Truth) -> Truth | None:
    match op:
        case "and" | "mul":
            return both(a, b)
        case "or":
            return either(a, b)
        case "xor" | "add" | "sub":
            return negate(equal(a, b, 1))
    return None


def _folded(op: str, a: int, b: int, width: int) -> int | None:
    x, y = signed(a, width), signed(b, width)
    match op:
        case "add":
            result = a + b
        case "sub":
            result = a - b
        case "mul":
            result = a * b
        case "and":
            result = a & b
        case "or":
            result = a | b
        case "xor":
            result = a ^ b
        case "udiv":
            result = a // b if b else mask(width)
        case "urem":
            result = a % b if b else a
        case "sdiv":
            result = (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) if y else (1 if x < 0 else -1)
        case "srem":
            result = (abs(x) % abs(y)) * (-1 if x < 0 else 1) if y else x
        case "shl":
            result = a << b if b < width else 0
        case "lshr":
            result = a >> b if b < width else 0
        case "ashr":
            result = x >> min(b, width)
        case _:
            return None
    return result & mask(width)


# -- bytes in memory, the lowest first


def as_bytes(value: Value, width: int, size: int) -> Value:
    """As it lies in memory: a value of 8 * size bits."""
    return resize(value, width, 8 * size, False)


def from_bytes(value: Value, size: int, width: int) -> Value:
    return resize(value, 8 * size, width, False)


def part(value: Value, size: int, offset: int, count: int) -> Value:
    """Bytes `offset` to `offset + count` of a value of `size` bytes."""
    if offset == 0 and count == size:
        return value
    if isinstance(value, int):
        return value >> (8 * offset) & mask(8 * count)
    return z3.Extract(8 * (offset + count) - 1, 8 * offset, value)


def concatenated(parts: Sequence[tuple[Value, int]]) -> Value:
    """Values with their sizes in bytes."""
    if len(parts) == 1:
        return parts[0][0]
    if all(isinstance(value, int) for value, _ in parts):
        result, offset = 0, 0
        for value, size in parts:
            result |= value << (8 * offset)
            offset += size
        return result
    return z3.simplify(z3.Concat(*(term(value, 8 * size) for value, size in reversed(parts))))


def joined(parts: Sequence[Value]) -> Value:
    """One byte each."""
    return concatenated([(value, 1) for value in parts])
