"""What instructions without memory compute.

A register holds a `Value` of its type's width, or for an aggregate a tuple of what its fields hold. `ANYTHING` stands
for what is not followed (floating point, vectors): whoever uses it takes any value.
"""

from __future__ import annotations

from typing import Final, final

from raceproof.bmc.terms import Value
from raceproof.ir import ArrayType, FloatType, IntType, IrType, PtrType, StructType


@final
class Anything:
    """A value that nothing is known about, not even its width."""


ANYTHING: Final = Anything()
Held = Value | tuple["Held", ...] | Anything


def width_of(type_: IrType) -> int | None:
    """In bits; None for what is no number."""
    match type_:
        case IntType(bits=bits):
            return bits
        case PtrType(size=size) | FloatType(size=size):
            return 8 * size
        case _:
            return None


def fields_of(type_: IrType) -> tuple[tuple[IrType, int], ...]:
    """Of an aggregate: each with its offset."""
    match type_:
        case StructType(fields=fields, offsets=offsets):
            return tuple(zip(fields, offsets, strict=True))
        case ArrayType(count=count, element=element):
            return tuple((element, i * element.size) for i in range(count))
        case _:
            return ()
