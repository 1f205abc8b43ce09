"""Thread-local objects of the library that the program gives to other threads: `errno` and its like.

    error_of_main = &errno; pthread_create(...); close(-1);      the call writes what the other thread may read

As long as each thread uses its own one directly nothing of that matters. Where the address may be stored or passed on,
every call that may write the object is an access to it. Over-approximates: who stores the address gives it away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from raceproof.facts.flow.touches import MemoryTouch
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.libc import is_pure_intrinsic, known_effect
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.pointers.points_to import PointsTo
from raceproof.ir import (
    Call,
    CompareExchange,
    Instr,
    IntConst,
    Load,
    Operand,
    Program,
    Reg,
    Return,
    Rmw,
    Store,
    Terminator,
    operands,
    result,
)
from raceproof.model import AccessKind

# Who writes it; None: any function of the library that may fail.
_WRITERS: Final = {
    "errno": None,
    "h_errno": None,
    "strerror": frozenset({"strerror", "strerror_l"}),
    "strsignal": frozenset({"strsignal"}),
}


class LibraryThreadLocals:
    """Of one program: which of these objects are given away, and which calls write them."""

    def __init__(self, program: Program, points_to: PointsTo) -> None:
        self._given = tuple(
            name
            for name in _WRITERS
            if (found := points_to.static_location(name)) and _is_given_away(program, points_to, found[0].object, name)
        )

    def touches(self, names: list[str]) -> Iterator[MemoryTouch]:
        """What a call of the library functions `names` writes of those that are given away."""
        for given in self._given:
            if any(_may_write(name, given) for name in names):
                yield MemoryTouch(AccessKind.WRITE, IntConst(0, 64), None, static=given)


def _may_write(name: str, given: str) -> bool:
    writers = _WRITERS[given]
    if writers is not None:
        return not writers.isdisjoint(names_of(name))
    operation = sync_op(name)
    if is_pure_intrinsic(name) or (operation is not None and operation.kind is not Sync.YIELD):
        return False  # functions on threads return their errors
    return _gives(name) is None


def _gives(name: str) -> str | None:
    """The thread-local object whose address the function returns."""
    effect = known_effect(name)
    return effect.static_object if effect is not None and effect.static_is_thread_local else None


def _is_given_away(program: Program, points_to: PointsTo, target: int, name: str) -> bool:
    """Whether its address may be anything but the place of a load or store. What is not used so in any function that
    asks for it is stored, passed on, or compared: then points-to says whether a store, call or return may have it."""
    if all(_is_used_directly(function_instructions) for function_instructions in _askers(program, name)):
        return False
    for function in program.functions.values():
        for instr in function.instructions():
            values = (instr.value,) if isinstance(instr, Store) else _passed(instr)
            if any(loc.object == target for value in values for loc in points_to.targets(function.name, value)):
                return True
    return False


def _passed(instr: Instr | Terminator) -> tuple[Operand, ...]:
    return operands(instr) if isinstance(instr, Call | Return) else ()


def _askers(program: Program, name: str) -> Iterator[list[Instr | Terminator]]:
    """The instructions of each function that calls a function which returns the address."""
    externals = {external for external in program.externals if _gives(external) == name}
    for function in program.functions.values():
        found = list(function.instructions())
        if any(isinstance(i, Call) and getattr(i.callee, "symbol", None) in externals for i in found):
            yield found


def _is_used_directly(instructions: list[Instr | Terminator]) -> bool:
    asked = {
        made
        for i in instructions
        if isinstance(i, Call) and (symbol := getattr(i.callee, "symbol", None)) and _gives(symbol)
        if isinstance(made := result(i), Reg)
    }
    for instr in instructions:
        values = list(operands(instr))
        if isinstance(instr, Load | Store | Rmw | CompareExchange):
            values.remove(instr.address)
        if not asked.isdisjoint(values):
            return False
    return True
