"""Operands of instructions: registers and constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Reg:
    """An SSA register or parameter of the enclosing function, named as in the printed IR without `%`."""

    name: str

    def __str__(self) -> str:
        return f"%{self.name}"


@final
@dataclass(frozen=True, slots=True)
class IntConst:
    """An integer constant as a signed value of its width; the null pointer is 0 with bits = pointer width."""

    value: int
    bits: int

    def __str__(self) -> str:
        return str(self.value)


@final
@dataclass(frozen=True, slots=True)
class Address:
    """The address of a global variable or function, plus a constant byte offset."""

    symbol: str
    offset: int = 0

    def __str__(self) -> str:
        return f"@{self.symbol}" + (f"+{self.offset}" if self.offset else "")


@final
@dataclass(frozen=True, slots=True)
class OtherConst:
    """A constant whose value no analysis needs (float, vector, aggregate, undef); `addresses` it contains.

    Two constants with equal `text`, other than undef and poison, are equal. `is_anywhere`: it is computed from the
    addresses, or is what the linker makes of them, and points anywhere in their objects.
    """

    text: str
    addresses: tuple[Address, ...] = ()
    is_anywhere: bool = False

    def __str__(self) -> str:
        return self.text


Operand = Reg | IntConst | Address | OtherConst
