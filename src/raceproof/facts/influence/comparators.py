"""Comparison functions of `qsort` and `bsearch`: does it matter which comparisons are made, and in which order?

The C standard leaves that to the library, and how equal elements end up. It matters only for the result if the function
writes nothing but its own locals, and reads the same memory in any case: what it reads before its first branch it
reads of each element; the elements themselves the sort touches anyway; constants nobody writes. Then the sorted array
is a plain value, and the function's own branches decide nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.library.input_functions import is_arithmetic, is_search, is_sort
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Call, CompareExchange, Fence, Function, Instr, Load, Rmw, Store, Terminator
from raceproof.model import CallGraph, ObjectId

_COMPARES: Final = frozenset({"strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "bcmp", "strlen", "wcscmp"})
_IGNORED: Final = frozenset({"llvm.lifetime.start", "llvm.lifetime.end"})
_ELEMENTS: Final = 2  # the arguments that may lead to elements, or to what is looked for


def chooses_comparisons(calls: CallGraph, call: Call) -> bool:
    return any(is_sort(name) or is_search(name) for name in calls.targets[call.id].externals)


def only_compares(world: World, calls: CallGraph, function: Function, call: Call) -> bool:
    """Whether all that comes of the comparisons of a sort or search is its result."""
    targets = calls.targets[call.id]
    if targets.is_unknown or not targets.callbacks or world.points_to.foreign_starts(call.id):
        return False
    given = (world.points_to.targets(function.name, argument) for argument in call.args[:_ELEMENTS])
    elements = {location.object for locations in given for location in locations}
    return all(_is_plain(world, calls, name, elements) for name in targets.callbacks)


def comparators(world: World, calls: CallGraph, functions: Sequence[Function]) -> frozenset[str]:
    """Functions of which the program uses nothing but how they compare: only sorts and searches run them."""
    found: set[str] = set()
    others = {world.program.entry, *calls.from_outside}
    sorting = []
    for function in functions:
        for instr in function.instructions():
            if not isinstance(instr, Call):
                continue
            if chooses_comparisons(calls, instr) and only_compares(world, calls, function, instr):
                sorting.append(instr.id)
                for name in calls.targets[instr.id].callbacks:
                    found |= world.points_to.reachable_functions(name)
    for function in functions:
        for instr in function.instructions() if function.name not in found else ():
            if isinstance(instr, Call):
                targets = calls.targets[instr.id]
                others |= {*targets.functions, *(targets.starts or ()), *targets.at_end, *targets.any_time}
                others |= set(targets.callbacks) if instr.id not in sorting else set()
    used = {inner for name in others if name in found for inner in world.points_to.reachable_functions(name)}
    return frozenset(found - used)


def _is_plain(world: World, calls: CallGraph, name: str, elements: set[ObjectId]) -> bool:
    names = world.points_to.reachable_functions(name)
    constants = {
        world.points_to.object_of_symbol(symbol)
        for symbol, variable in world.program.globals.items()
        if variable.is_constant and not variable.is_external
    }
    for inner in names:
        function = world.program.functions[inner]
        for at, block in enumerate(function.blocks):
            is_first = inner == name and at == 0
            for instr in (*block.body, block.terminator):
                own = {o for o in _touched(world, function, instr) if world.points_to.owner(o) in names}
                rest = _touched(world, function, instr) - own
                if not _is_harmless(calls, instr, rest, rest <= elements | constants or is_first):
                    return False
    return True


def _touched(world: World, function: Function, instr: Instr | Terminator) -> set[ObjectId]:
    return {target for touch in world.touches(function, instr) for target in touch.objects}


def _is_harmless(calls: CallGraph, instr: Instr | Terminator, touched: Iterable[ObjectId], may_read: bool) -> bool:
    """`touched`: other objects than locals; `may_read`: those may be read without harm."""
    match instr:
        case Store() | Rmw() | CompareExchange():
            return not touched
        case Load(order=order, volatile=volatile):
            return may_read and (order is None or not touched) and not (volatile and touched)
        case Fence():
            return False
        case Call():
            targets = calls.targets[instr.id]
            outside = targets.callbacks or targets.at_end or targets.any_time or targets.starts != ()
            if targets.is_unknown or outside:
                return False
            return all(
                is_arithmetic(name)
                or not _IGNORED.isdisjoint(names_of(name))
                or (may_read and not _COMPARES.isdisjoint(names_of(name)))
                for name in targets.externals
            )
    return True
