"""Values of the interpreter: what they are taken for, how they lie in memory, arithmetic of C's widths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from raceproof.interpreter.memory import UNDEFINED, Fragment, NotSupported, Pointer, UndefinedBehaviour, Value
from raceproof.ir import IntType, IrType, PtrType, StructType

POINTER_BITS = 64


def as_number(value: Value) -> int:
    if not isinstance(value, int):
        raise UndefinedBehaviour(f"{value} where a number is needed")
    return value


def as_pointer(value: Value) -> Pointer:
    if not isinstance(value, Pointer):
        raise UndefinedBehaviour(f"{value} where a pointer is needed")
    return value


def width_of(type_: IrType) -> int:
    match type_:
        case IntType(bits=bits):
            return bits
        case PtrType():
            return POINTER_BITS
    raise NotSupported(f"arithmetic with {type_}")


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def parts_of(value: Value, count: int) -> tuple[Value, ...]:
    """The members of a structure; undefined ones for what is none."""
    if isinstance(value, tuple) and not isinstance(value, Pointer | Fragment):
        return value
    return (UNDEFINED,) * count


def load_value(at: Pointer, type_: IrType) -> Value:
    match type_:
        case StructType(fields=fields, offsets=offsets):
            return tuple(
                load_value(Pointer(at.object, at.offset + offset), part)
                for part, offset in zip(fields, offsets, strict=True)
            )
        case IntType(bits=bits, size=size):
            value = at.object.load(at.offset, size)
            return value & ((1 << bits) - 1) if isinstance(value, int) else value
        case PtrType(size=size):
            return at.object.load(at.offset, size)
    raise NotSupported(f"load of {type_}")


def store_value(at: Pointer, type_: IrType, value: Value) -> None:
    match type_:
        case StructType(fields=fields, offsets=offsets):
            parts = parts_of(value, len(fields))
            for part, offset, content in zip(fields, offsets, parts, strict=True):
                store_value(Pointer(at.object, at.offset + offset), part, content)
        case IntType(size=size) | PtrType(size=size):
            at.object.store(at.offset, size, value)
        case _:
            raise NotSupported(f"store of {type_}")


UPDATES: Final[dict[str, Callable[[int, int, int], int]]] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "and": lambda a, b, bits: a & b,
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "nand": lambda a, b, bits: ~(a & b),
    "max": lambda a, b, bits: max(signed(a, bits), signed(b, bits)),
    "min": lambda a, b, bits: min(signed(a, bits), signed(b, bits)),
    "umax": lambda a, b, bits: max(a, b),
    "umin": lambda a, b, bits: min(a, b),
}


def _divide(a: int, b: int, bits: int, *, is_signed: bool, remainder: bool) -> int:
    if b == 0:
        raise UndefinedBehaviour("division by zero")
    if not is_signed:
        return a % b if remainder else a // b
    x, y = signed(a, bits), signed(b, bits)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return x - quotient * y if remainder else quotient


def _shift(a: int, b: int, bits: int, op: str) -> int:
    if b >= bits:
        raise UndefinedBehaviour("shift too far")
    return a << b if op == "shl" else (a >> b if op == "lshr" else signed(a, bits) >> b)


OPERATIONS: Final[dict[str, Callable[[int, int, int], int]]] = {
    **{op: UPDATES[op] for op in ("add", "sub", "and", "or", "xor")},
    "mul": lambda a, b, bits: a * b,
    "udiv": lambda a, b, bits: _divide(a, b, bits, is_signed=False, remainder=False),
    "sdiv": lambda a, b, bits: _divide(a, b, bits, is_signed=True, remainder=False),
    "urem": lambda a, b, bits: _divide(a, b, bits, is_signed=False, remainder=True),
    "srem": lambda a, b, bits: _divide(a, b, bits, is_signed=True, remainder=True),
    "shl": lambda a, b, bits: _shift(a, b, bits, "shl"),
    "lshr": lambda a, b, bits: _shift(a, b, bits, "lshr"),
    "ashr": lambda a, b, bits: _shift(a, b, bits, "ashr"),
}


def compare(left: Value, right: Value, predicate: str, bits: int) -> bool:
    if left is UNDEFINED or right is UNDEFINED:
        raise UndefinedBehaviour("comparison of an undefined value")
    if predicate in ("eq", "ne"):
        return (left == right) == (predicate == "eq")
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        if left.object is not right.object:
            raise UndefinedBehaviour("comparison of pointers to different objects")
        a, b = left.offset, right.offset
    else:
        a, b = as_number(left), as_number(right)
        if predicate.startswith("s"):
            a, b = signed(a, bits), signed(b, bits)
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[predicate[1:]]
