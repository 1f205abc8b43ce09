"""What a block of the heap is, that a run has allocated: its type, and what a place in it is called.

malloc at line 40, 3 * 24 bytes, place 32    ->    struct job[1].next (allocated at pool.c:40)
"""

from __future__ import annotations

from collections.abc import Mapping

from raceproof.facts.naming import field_path
from raceproof.facts.pointers.allocation_sizes import AllocatedSize
from raceproof.facts.pointers.heap_types import HeapTypes
from raceproof.ir import Call, Program, TypeId
from raceproof.model import Block, ConcurrentProgram


class BlockNames:
    """Names of places in the blocks of one run, by what the runtime calls them: `heap 0.1+40`."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        self._cp = cp
        self._types = HeapTypes(cp.program)
        self._instructions = cp.program.instructions_by_site()
        self._known: dict[Block, TypeId | None] = {}

    def name(
        self, blocks: Mapping[str, Block], text: str, size: int | None, expression: str | None = None
    ) -> str | None:
        """In the programmer's words; None if nothing is known of the block. If only its type is not known, the place is
        called by the `expression` of the access."""
        kind, _, place = text.partition(" ")
        number, _, offset = place.partition("+")
        block = blocks.get(number) if kind == "heap" else None
        if block is None or block.site not in self._instructions or not (offset or "0").isdigit():
            return None
        pos = self._instructions[block.site][1].pos
        where = f" (allocated at {pos.file}:{pos.line})" if pos is not None else ""
        return f"{self._place(block, int(offset or 0), size, expression)}{where}"

    def _place(self, block: Block, offset: int, size: int | None, expression: str | None) -> str:
        type_id = self._type(block)
        declared = self._cp.program.source_types.get(type_id) if type_id is not None else None
        if declared is None or declared.size <= 0:
            return expression or (f"heap object+{offset}" if offset else "heap object")
        index = f"[{offset // declared.size}]" if block.size >= 2 * declared.size else ""
        return f"{declared.name}{index}{field_path(self._cp, type_id, offset % declared.size, size, False)}"

    def _type(self, block: Block) -> TypeId | None:
        if block not in self._known:
            self._known[block] = _type_of(self._types, self._cp.program, self._instructions, block)
        return self._known[block]


def _type_of(types: HeapTypes, program: Program, instructions: Mapping, block: Block) -> TypeId | None:  # type: ignore[type-arg]
    function, call = instructions[block.site]
    if not isinstance(call, Call) or call.result is None:
        return None
    calls = tuple(site for site in block.calls if site in instructions)
    return types.infer(function, call.result, calls, AllocatedSize(block.size)).source_type
