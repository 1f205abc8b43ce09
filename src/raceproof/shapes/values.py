"""What is known of pointers and numbers: moved on, compared, taken for a condition."""

from __future__ import annotations

from typing import Final

from raceproof.ir import IntType
from raceproof.shapes.symbolic_heap import ANYTHING, At, Local, NotZero, Number, Place, Value

FIRST_PAGE: Final = 4096
"""To use an address below is as undefined as to use null."""


def truth(value: Value) -> bool | None:
    match value:
        case Number(value=number):
            return number != 0
        case NotZero() | Place() | Local() | At():
            return True
    return None


def is_bit(ir_type: object) -> bool:
    return isinstance(ir_type, IntType) and ir_type.bits == 1


def moved(value: Value, offset: int | None) -> Value:
    match value:
        case At(node=node, offset=before):
            return At(node, None if before is None or offset is None else before + offset)
        case Place(object=number, offset=before):
            return Place(number, None if before is None or offset is None else before + offset)
        case Number(value=before) if offset is not None and 0 <= before + offset < FIRST_PAGE:
            return Number(before + offset)  # of null: to use it is undefined
    return ANYTHING


def may_overlap(root: Place, place: Place, size: int | None, width: int) -> bool:
    """Whether so many bytes at the place may be in the root, which is in the same object."""
    if place.offset is None or root.offset is None:
        return True
    return root.offset + width > place.offset and (size is None or root.offset < place.offset + size)


def compared(predicate: str, left: Value, right: Value) -> Value:
    if predicate in ("eq", "ne"):
        is_equal = _is_equal(left, right)
        return ANYTHING if is_equal is None else Number(int(is_equal == (predicate == "eq")))
    if isinstance(left, Number) and isinstance(right, Number):
        a, b = left.value, right.value
        known = {"slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b}.get(predicate)
        return ANYTHING if known is None else Number(int(known))
    return ANYTHING


def _is_equal(left: Value, right: Value) -> bool | None:
    match left, right:
        case Number(value=a), Number(value=b):
            return a == b
        case (At() | Place() | Local() | NotZero(), Number(value=0)):
            return False
        case (Number(value=0), At() | Place() | Local() | NotZero()):
            return False
        case At(node=a, offset=x), At(node=b, offset=y):
            if x is None or y is None:
                return None
            return a == b and x == y if a == b or (x == 0 and y == 0) else None
        case Place(object=c, offset=x), Place(object=d, offset=y) if c == d and x is not None and y is not None:
            return x == y
    return None
