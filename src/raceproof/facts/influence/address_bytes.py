"""Where does an address become a number without a cast?

    snprintf(text, 20, "%p", p);    memcmp(&p, &q, sizeof p);    union { int *p; char bytes[8]; } u;  ... u.bytes[2]

In a library function that prints a pointer, or looks at the bytes of memory in which points-to says that there may be
one; and where such memory is read as something else than a pointer. Functions that only copy memory look at nothing.
Bytes of the library's own structures are not looked at by assumption (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from raceproof.facts.flow.pointer_numbers import foreign_objects, may_hold_address
from raceproof.facts.flow.touches import MemoryTouch
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.facts.library.effect_terms import POINTER, VA_LIST
from raceproof.facts.library.effects import ArgBytes, Bytes, CString, Effect, Format
from raceproof.facts.library.formats import constant_text, printf_touches
from raceproof.facts.library.input_functions import copies_whole, is_output, is_search, is_sort
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.libc_stdlib import JMP_BUF
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import Address, Call, CompareExchange, Function, Instr, IntConst, Load, PtrType, Rmw, Terminator
from raceproof.model import AccessKind, CallGraph, MemLoc

_USED_AS_POINTERS: Final = frozenset({POINTER, VA_LIST, JMP_BUF})
_LOOKS_AT_ALL: Final = frozenset({"rawmemchr", "__rawmemchr"})


class AddressBytes:
    """`output_comes_back`: what is written to streams counts as text in the program's memory."""

    def __init__(self, world: World, calls: CallGraph, functions: Sequence[Function], output_comes_back: bool) -> None:
        self._world = world
        self._calls = calls
        self._functions = functions
        self._output_comes_back = output_comes_back
        variables = world.program.globals.items()  # those of the library are what `inputs` says of them
        external = {world.points_to.object_of_symbol(name) for name, each in variables if each.is_external}
        self._foreign = foreign_objects(world) | external
        self._known: dict[MemLoc, bool] = {}

    def may_be_read(self, function: Function, instr: Instr | Terminator) -> bool:
        """Whether the instruction may read an address, or a part of one, as a number."""
        if not isinstance(instr, Load | Rmw | CompareExchange) or isinstance(instr.type, PtrType):
            return False
        return any(map(self._may_hold_address, self._world.touches(function, instr)))

    def may_be_told(self, function: Function, call: Call) -> bool:
        """Whether a library function may do so, which then leaves it in its result or in memory."""
        return any(self._may_tell(function, call, name) for name in self._calls.targets[call.id].externals)

    def _may_tell(self, function: Function, call: Call, name: str) -> bool:
        effect = effect_of(name, self._world.program)
        if effect is None or sync_op(name) is not None or copies_whole(name) or is_sort(name) or is_search(name):
            return False
        if effect.format is Format.PRINTF and self._prints_address(call, effect):
            return True
        if is_output(name) and not self._output_comes_back:
            return False
        looks_at_all = not _LOOKS_AT_ALL.isdisjoint(names_of(name))
        touches = self._world.touches(function, call)
        return any(self._may_hold_address(each) for each in touches if looks_at_all or _looks_at_bytes(each.touch))

    def _may_hold_address(self, touched: TargetedTouch) -> bool:
        for target in touched.targets:
            if target.object in self._foreign:
                continue  # the library's own
            place = self._world.points_to.buffer_at(target) if target.size is None else target
            if place not in self._known:
                self._known[place] = may_hold_address(self._world, place)
            if self._known[place]:
                return True
        return False

    # -- text

    def _prints_address(self, call: Call, effect: Effect) -> bool:
        """Other than by `%s`, which prints what is there, or `%n`."""
        at = effect.format_arg
        if at is None or at >= len(call.args):
            return True
        text = constant_text(self._world.program, call.args[at])
        if effect.va_list_arg is None:
            return self._passes_address(call, at + 1, text)
        return self._some_call_passes_address if text is None else "p" in text

    def _passes_address(self, call: Call, first: int, text: str | None) -> bool:
        """Whether the call has a pointer, from argument `first` on, that the format `text` does not use as one."""
        pointers = {
            index
            for index, kind in enumerate(call.arg_types)
            if index >= first and isinstance(kind, PtrType) and not isinstance(call.args[index], IntConst)
        }
        if text is None:
            return bool(pointers)
        return bool(pointers - {touch.arg for touch in printf_touches(text, first)})

    @cached_property
    def _some_call_passes_address(self) -> bool:
        """Whether some variadic function of the program may be given a pointer to print, by the last argument before
        the variadic ones if that is a text."""
        for function in self._functions:
            for instr in function.instructions():
                for name in self._calls.targets[instr.id].functions if isinstance(instr, Call) else ():
                    callee = self._world.program.functions[name]
                    if not callee.is_variadic or not isinstance(instr, Call):
                        continue
                    first = len(callee.params)
                    is_given = 0 < first <= len(instr.args) and isinstance(instr.args[first - 1], Address)
                    text = constant_text(self._world.program, instr.args[first - 1]) if is_given else None
                    if self._passes_address(instr, first, text):
                        return True
        return False


def _looks_at_bytes(touch: MemoryTouch) -> bool:
    if touch.static is not None or touch.kind not in (AccessKind.READ, AccessKind.UPDATE):
        return False
    match touch.extent:
        case CString() | ArgBytes():
            return True
        case Bytes() as size:
            return size not in _USED_AS_POINTERS
    return False
