"""Pointers that are used where points-to knows of nothing that they point to.

Such a pointer is null, which a correct program does not use, or it came on a way that points-to does not know: out of
a library function whose row in the tables says too little, say. Nobody would see the access, and others would be
proved in spite of it. So each one is explained as null, or taken to point anywhere.

    int *p = NULL; ... *p        null, by all that is ever stored in `p`
    int *p = strange(&x); *p     lost, if the tables say of `strange` only that its result is a number

What is copied, by assignments of structures, `memcpy` or as an argument passed by value, is as null as the bytes that
it was copied from. A lost pointer to data leads to no function: the program uses it to touch memory. Where it is called
as well, that is a use of its own, which may lead to any function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeGuard

from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.libc import effect_of
from raceproof.ir import (
    Address,
    Call,
    Cast,
    Compare,
    Compute,
    Extract,
    Function,
    Gep,
    Instr,
    IntConst,
    Load,
    Operand,
    OtherConst,
    Phi,
    PtrType,
    Reg,
    Return,
    Select,
    Store,
    operands,
)
from raceproof.model import AccessKind, MemLoc, ObjectId, ObjectKind

Value = tuple[str, Operand]
"""An operand, in the function of that name."""
Place = Value | MemLoc
"""A value, or what is stored at a place."""
_COPIES: Final = frozenset({"memcpy", "memmove", "llvm.memcpy", "llvm.memmove"})


@dataclass(frozen=True, slots=True)
class LostPointers:
    """(function, register) of what leads nowhere and may be something else than null. `data`: the program does nothing
    with it but touch memory; `code`: it may be called, here or where it goes."""

    data: frozenset[tuple[str, Reg]] = frozenset()
    code: frozenset[tuple[str, Reg]] = frozenset()

    def __or__(self, other: LostPointers) -> LostPointers:
        return LostPointers(self.data | other.data, self.code | other.code)

    def __and__(self, other: LostPointers) -> LostPointers:
        return LostPointers(self.data & other.data, self.code & other.code)

    def __bool__(self) -> bool:
        return bool(self.data or self.code)


def lost_pointers(world: World) -> LostPointers:
    """What the program uses as a pointer, leads nowhere, and may be something else than null."""
    explanation = _Explanation(world)
    data: set[tuple[str, Reg]] = set()
    code: set[tuple[str, Reg]] = set()
    for function in explanation.functions:
        called = set(explanation.called_in(function))
        for used in (*called, *explanation.used_in(function)):
            if not world.points_to.targets(function.name, used) and not explanation.is_null(function.name, used):
                is_data = used not in called and explanation.only_touches(function, used)
                (data if is_data else code).add((function.name, used))
    return LostPointers(frozenset(data), frozenset(code))


def used_pointers(world: World, function: Function) -> Iterator[Reg]:
    """The registers of a function that it uses as pointers."""
    explanation = _Explanation(world)
    yield from explanation.called_in(function)
    yield from explanation.used_in(function)


class _Explanation:
    def __init__(self, world: World) -> None:
        self.world = world
        reached = world.points_to.reached
        self.functions = [function for name, function in world.program.functions.items() if name in reached]

    def used_in(self, function: Function) -> Iterator[Reg]:
        """The registers through which the function, or the library, touches memory or locks; null may be freed."""
        for instr in self._instructions(function):
            if isinstance(instr, Call):
                yield from (used for used in self._locks(instr) if isinstance(used, Reg))
            for targeted in self.world.touches(function, instr):
                touch = targeted.touch
                is_number = isinstance(instr, Call) and not _is_given_as_pointer(touch.address, instr)
                may_be_null = touch.static is not None or touch.kind is AccessKind.FREE
                if isinstance(touch.address, Reg) and not is_number and not may_be_null:
                    yield touch.address

    def called_in(self, function: Function) -> Iterator[Reg]:
        """The registers through which the function calls."""
        for instr in self._instructions(function):
            if isinstance(instr, Call) and isinstance(instr.callee, Reg):
                yield instr.callee

    def only_touches(self, function: Function, register: Reg) -> bool:
        """The function does nothing with the pointer, and what is computed from it, but touch memory or compare."""
        known, work = {register}, [register]
        while work:
            pointer = work.pop()
            for instr in (i for i in self._instructions(function) if pointer in operands(i)):
                match instr:
                    case Store() if instr.value == pointer:
                        return False
                    case Load() | Store() | Compare():
                        pass
                    case Gep() if instr.base == pointer:
                        if instr.result not in known:
                            known.add(instr.result)
                            work.append(instr.result)
                    case Call() if not self._goes_on(instr):
                        pass
                    case _:
                        return False
        ends = (block.terminator for block in function.blocks)
        return not any(known.intersection(operands(end)) for end in ends)

    def _goes_on(self, call: Call) -> bool:
        """What the call is given may be found elsewhere afterwards, or be called."""
        callees = self.world.callees(call)
        if not callees or isinstance(call.type, PtrType) or not self.world.program.functions.keys().isdisjoint(callees):
            return True
        effects = [effect_of(name, self.world.program) for name in callees]
        return any(e is None or e.keeps or e.stores or e.mixes or e.calls or e.given for e in effects)

    def _locks(self, call: Call) -> list[Operand]:
        """What a thread operation is about: a lock, a condition, a semaphore, a barrier."""
        places = {i for op in self.world.sync_ops(call) for i in (op.arg, op.lock_arg) if i is not None}
        return [arg for i, arg in enumerate(call.args) if i in places and _is_given_as_pointer(arg, call)]

    def _instructions(self, function: Function) -> Iterator[Instr]:
        info = self.world.info(function.name)
        for label in info.order:
            yield from info.blocks[label].body

    def is_null(self, function: str, operand: Operand) -> bool:
        """Nothing but null can have come here."""
        seen: dict[Place, None] = {(function, operand): None}
        work = [*seen]
        while work:
            self.world.budget.check()
            place = work.pop()
            sources = self._of_cell(place) if isinstance(place, MemLoc) else self._sources(*place)
            if sources is None:
                return False
            new = [place for place in sources if place not in seen]
            seen.update(dict.fromkeys(new))
            work += new
        return True

    def _sources(self, function: str, operand: Operand) -> Iterable[Place] | None:
        """What the operand is made of, nothing for a constant; None if that is not known."""
        if isinstance(operand, Reg):
            made = self.world.info(function).definitions.get(operand.name)
            return self._of_parameter(function, operand) if made is None else self._of_result(function, made)
        is_address = isinstance(operand, Address) or (isinstance(operand, OtherConst) and operand.addresses)
        return None if is_address else ()

    def _of_result(self, function: str, made: Instr) -> Iterable[Place] | None:
        match made:
            case Phi():
                return [(function, value) for value, _ in made.incoming]
            case Select():
                return [(function, made.if_true), (function, made.if_false)]
            case Gep():
                is_pointer = any(self.world.points_to.targets(function, term.index) for term in made.terms)
                return None if is_pointer else [(function, made.base)]
            case Cast():
                return [(function, made.value)]
            case Extract():
                return [(function, made.aggregate)]
            case Compute(op="insertvalue"):
                return [(function, operand) for operand in made.operands]
            case Load():
                return self._of_memory(function, made)
            case Call():
                return self._of_call(made)
        return None

    def _of_memory(self, function: str, load: Load) -> Iterable[Place] | None:
        (touch,) = self.world.touches(self.world.program.functions[function], load)
        return touch.targets or [(function, load.address)]

    def _of_cell(self, place: MemLoc) -> Iterable[Place] | None:
        """What may be stored at a place."""
        points_to = self.world.points_to
        kind = points_to.objects[place.object].kind
        parameters = self._by_value.get(place.object, ())
        is_argument = place.object in points_to.filled_by_calls and not parameters
        is_filled = is_argument or place.object in self._filled
        if is_filled or kind is ObjectKind.UNKNOWN or points_to.contents(place):
            return None
        found: list[Place] = []
        for writer, instr, written in self._writes.get(place.object, ()):
            if not overlap(place, written):
                continue
            if isinstance(instr, Store):
                found.append((writer, instr.value))
            elif _is_copy(instr):
                found += self._copied(place, writer, instr.args[0], writer, instr.args[1])
            else:
                return None
        for function, index in parameters:
            passed = self._of_parameter(function, Reg(self._name_of(function, index)))
            if passed is None or function in self._starts:
                return None
            for value in passed:
                found += self._copied(place, function, Reg(self._name_of(function, index)), *value)
        return found

    def _copied(self, place: MemLoc, function: str, to: Operand, giver: str, source: Operand) -> list[Place]:
        """Where the bytes of a place come from that are copied from one pointer to another; if that is not known, the
        pointer itself, of which nothing is known either."""
        targets = [loc for loc in self.world.points_to.targets(function, to) if loc.object == place.object]
        sources = self.world.points_to.targets(giver, source)
        if not targets or not sources:
            return [(giver, source)] if not isinstance(source, Address) else [(giver, OtherConst("lost", (source,)))]
        found: list[Place] = []
        for target in targets:
            for origin in sources:
                is_plain = target.stride is None and origin.stride is None and place.stride is None
                if is_plain and None not in (place.offset, target.offset, origin.offset):
                    offset = (origin.offset or 0) + (place.offset or 0) - (target.offset or 0)
                    found.append(replace(place, object=origin.object, offset=offset))
                else:
                    found.append(MemLoc(origin.object, None, None))
        return found

    def _name_of(self, function: str, index: int) -> str:
        return self.world.program.functions[function].params[index].name

    @cached_property
    def _by_value(self) -> dict[ObjectId, list[tuple[str, int]]]:
        """Object -> the parameters, passed in memory, whose copy it is."""
        found: dict[ObjectId, list[tuple[str, int]]] = {}
        for function in self.functions:
            for index, param in enumerate(function.params):
                if param.by_value is not None:
                    for place in self.world.points_to.targets(function.name, Reg(param.name)):
                        found.setdefault(place.object, []).append((function.name, index))
        return found

    @cached_property
    def _writes(self) -> dict[ObjectId, list[tuple[str, Instr, MemLoc]]]:
        found: dict[ObjectId, list[tuple[str, Instr, MemLoc]]] = {}
        for function in self.functions:
            for instr in self._instructions(function):
                if not _is_clearing(instr):
                    for touch in self.world.touches(function, instr):
                        kind = touch.touch.kind
                        for place in touch.targets if kind.writes and kind is not AccessKind.FREE else ():
                            found.setdefault(place.object, []).append((function.name, instr, place))
        return found

    @cached_property
    def _filled(self) -> frozenset[ObjectId]:
        """Objects that the library makes and fills, with something else than zeros: what `realloc` copies."""
        found: set[ObjectId] = set()
        for function in self.functions:
            for instr in self._instructions(function):
                if isinstance(instr, Call) and set(self.world.callees(instr)) != {"calloc"}:
                    filled = self.world.filled(instr)
                    found |= filled.objects if filled is not None else frozenset()
        return frozenset(found)

    def _of_call(self, call: Call) -> Iterable[Value] | None:
        callees = self.world.callees(call)
        if any(name not in self.world.program.functions for name in callees):
            return None
        ends = (block.terminator for name in callees for block in self.world.program.functions[name].blocks)
        named = [(self.world.instructions[end.id][0].name, end.value) for end in ends if isinstance(end, Return)]
        return [(name, value) for name, value in named if value is not None]

    def _of_parameter(self, function: str, parameter: Reg) -> Iterable[Value] | None:
        index = [param.name for param in self.world.program.functions[function].params].index(parameter.name)
        found: list[Value] = []
        for caller, site in self.world.points_to.call_sites(function):
            call = self.world.instructions[site][1]
            if not isinstance(call, Call) or index >= len(call.args):
                return None
            found.append((caller, call.args[index]))
        for starter, call in self._starts.get(function, ()):
            given = [
                op.start_arg for op in self.world.sync_ops(call) if op.kind is Sync.CREATE and op.start_arg is not None
            ]
            if index or len(given) != 1 or len(self.world.callees(call)) != 1:
                return None
            found.append((starter, call.args[given[0]]))
        return found

    @cached_property
    def _starts(self) -> dict[str, list[tuple[str, Call]]]:
        """Function -> the calls for which the library runs it."""
        found: dict[str, list[tuple[str, Call]]] = {}
        for function in self.functions:
            for instr in self._instructions(function):
                if isinstance(instr, Call):
                    for start in self.world.points_to.thread_starts(instr.id):
                        found.setdefault(start, []).append((function.name, instr))
        return found


def _is_given_as_pointer(operand: Operand, call: Call) -> bool:
    given = zip(call.args, call.arg_types, strict=False)
    return any(arg == operand and isinstance(type_, PtrType) for arg, type_ in given)


def _is_copy(instr: Instr) -> TypeGuard[Call]:
    return isinstance(instr, Call) and isinstance(instr.callee, Address) and instr.callee.symbol in _COPIES


def _is_clearing(instr: Instr) -> bool:
    """It fills memory with zeros."""
    return (
        isinstance(instr, Call)
        and isinstance(instr.callee, Address)
        and instr.callee.symbol in ("memset", "llvm.memset")
        and isinstance(instr.args[1], IntConst)
        and instr.args[1].value == 0
    )
