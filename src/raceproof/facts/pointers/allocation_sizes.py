"""How many bytes an allocating call asks for, as far as constants tell.

malloc(sizeof(struct node))      ->  total 56
calloc(n, 24), malloc(n * 24)    ->  a multiple of 24
xmalloc(56) { malloc(size) }     ->  total 56, in the copy of xmalloc for that call
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Final

from raceproof.facts.library.effects import ArgBytes, Bytes, Extent
from raceproof.facts.pointers.objects import Context
from raceproof.ir import Binary, Call, Cast, Function, IntConst, Operand, Program, Reg, SiteId

MAX_DEPTH: Final = 12


@dataclass(frozen=True, slots=True)
class AllocatedSize:
    """`total` bytes, if that is constant; else a multiple of `unit`."""

    total: int | None = None
    unit: int = 1

    @property
    def known(self) -> int:
        """The size is a multiple of this."""
        return self.unit if self.total is None else self.total

    def times(self, other: AllocatedSize) -> AllocatedSize:
        if self.total is not None and other.total is not None:
            return AllocatedSize(self.total * other.total)
        return AllocatedSize(None, self.known * other.known)

    def plus(self, other: AllocatedSize) -> AllocatedSize:
        if self.total is not None and other.total is not None:
            return AllocatedSize(self.total + other.total)
        return AllocatedSize(None, gcd(self.known, other.known))


UNKNOWN: Final = AllocatedSize()


class AllocationSizes:
    def __init__(self, program: Program) -> None:
        self._pointer_size = program.pointer_size
        self._calls: dict[SiteId, tuple[Function, Call]] = {}
        for function in program.functions.values():
            for block in function.blocks:
                for instr in block.body:
                    if isinstance(instr, Call):
                        self._calls[instr.id] = (function, instr)
        self._definitions: dict[str, dict[str, Binary | Cast]] = {}

    def of_call(self, function: Function, context: Context, call: Call, extent: Extent | None) -> AllocatedSize:
        """The number of bytes that `extent` gives for a call in `function`, which was reached through `context`."""
        if isinstance(extent, Bytes):
            return AllocatedSize(extent.on(self._pointer_size))
        if not isinstance(extent, ArgBytes):
            return UNKNOWN
        size = AllocatedSize(extent.unit)
        for index in (extent.arg, extent.times):
            if index is not None:
                known = index < len(call.args)
                size = size.times(self._evaluate(function, context, call.args[index], 0) if known else UNKNOWN)
        return UNKNOWN if size.total is not None and size.total < 0 else size

    def _evaluate(self, function: Function, context: Context, operand: Operand, depth: int) -> AllocatedSize:
        if isinstance(operand, IntConst):
            return AllocatedSize(operand.value)
        if not isinstance(operand, Reg) or depth > MAX_DEPTH:
            return UNKNOWN
        definition = self._defined_in(function).get(operand.name)
        if definition is None:
            return self._argument(function, context, operand, depth)
        if isinstance(definition, Cast):
            return self._evaluate(function, context, definition.value, depth + 1)
        left = self._evaluate(function, context, definition.left, depth + 1)
        right = self._evaluate(function, context, definition.right, depth + 1)
        match definition.op:
            case "mul":
                return left.times(right)
            case "add":
                return left.plus(right)
            case "shl" if right.total is not None and 0 <= right.total < 32:
                return left.times(AllocatedSize(1 << right.total))
            case _:
                return UNKNOWN

    def _argument(self, function: Function, context: Context, operand: Reg, depth: int) -> AllocatedSize:
        """What a parameter gets in the call that the context names."""
        for index, param in enumerate(function.params):
            if param.name == operand.name and context:
                caller, call = self._calls[context[-1]]
                if index < len(call.args):
                    return self._evaluate(caller, context[:-1], call.args[index], depth + 1)
        return UNKNOWN

    def _defined_in(self, function: Function) -> dict[str, Binary | Cast]:
        found = self._definitions.get(function.name)
        if found is None:
            found = self._definitions[function.name] = {
                instr.result.name: instr
                for block in function.blocks
                for instr in block.body
                if isinstance(instr, Binary) or (isinstance(instr, Cast) and instr.op in ("zext", "sext", "trunc"))
            }
        return found
