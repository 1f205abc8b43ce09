"""A function's type as C sees it, and where its arguments are in the IR.

    struct pair { int *a, *b; };
    void take(struct pair p, int *q);       declare void @take(ptr, ptr, ptr)

C's second argument is the third one of a call in the IR: `positions` is (None, 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


@unique
class Passing(Enum):
    """How calls in the IR pass a value of a type."""

    NUMBER = "number"  # as one argument
    POINTER = "pointer"  # likewise
    PARTS = "parts"  # structs, complex numbers, 128-bit integers, ...: as none, one or several arguments


@dataclass(frozen=True, slots=True)
class ParameterType:
    """`text`: the type in C. `called`: of a pointer to a function whose parameters are known, their types."""

    passing: Passing
    text: str
    is_function: bool = False
    called: tuple[ParameterType, ...] | None = None


@dataclass(frozen=True, slots=True)
class Prototype:
    """`returns`: None for void. `positions`: of each parameter the index of its argument in the IR; None where it is
    not exactly one argument, or not known which. `has_hidden_result`: the IR's first argument says where the result
    goes."""

    params: tuple[ParameterType, ...]
    returns: ParameterType | None
    is_variadic: bool = False
    positions: tuple[int | None, ...] = ()
    has_hidden_result: bool = False


def positions_in_ir(params: tuple[ParameterType, ...], count: int, first: int) -> tuple[int | None, ...]:
    """Where the parameters of a function with `count` arguments in the IR are; those of C begin at `first`.

    In front of the first parameter that may be several arguments, and behind the last one, they can be counted.
    """
    parts = [index for index, param in enumerate(params) if param.passing is Passing.PARTS]
    plain, given = len(params) - len(parts), count - first
    if plain > given or (not parts and plain != given):
        return (None,) * len(params)
    front = parts[0] if parts else len(params)
    back = parts[-1] if parts else len(params)
    behind = count - len(params)
    return tuple(
        first + index if index < front else behind + index if index > back else None for index in range(len(params))
    )
