"""Pointers that are used where points-to knows of nothing that they point to.

Such a pointer is null, which a correct program does not use, or it came on a way that points-to does not know: out of
a library function whose row in the tables says too little, say. Nobody would see the access, and others would be
proved in spite of it. So each one is explained as null, or taken to point anywhere.

    int *p = NULL; ... *p        null, by all that is ever stored in `p`
    int *p = strange(&x); *p     lost, if the tables say of `strange` only that its result is a number
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync
from raceproof.ir import (
    Address,
    Call,
    Cast,
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
)
from raceproof.model import AccessKind, MemLoc, ObjectId

Place = tuple[str, Operand]
"""An operand, in the function of that name."""


def lost_pointers(world: World) -> frozenset[tuple[str, Reg]]:
    """(function, register) of what is used as a pointer, leads nowhere, and may be something else than null."""
    explanation = _Explanation(world)
    return frozenset(
        (function.name, address)
        for function in explanation.functions
        for address in explanation.used_in(function)
        if not world.points_to.targets(function.name, address) and not explanation.is_null(function.name, address)
    )


def used_pointers(world: World, function: Function) -> Iterator[Reg]:
    """The registers of a function that it uses as pointers."""
    return _Explanation(world).used_in(function)


class _Explanation:
    def __init__(self, world: World) -> None:
        self.world = world
        reached = world.points_to.reached
        self.functions = [function for name, function in world.program.functions.items() if name in reached]

    def used_in(self, function: Function) -> Iterator[Reg]:
        """The registers through which the function calls, or it or the library touches memory or locks; null may be
        freed."""
        for instr in self._instructions(function):
            if isinstance(instr, Call):
                yield from (used for used in (instr.callee, *self._locks(instr)) if isinstance(used, Reg))
            for targeted in self.world.touches(function, instr):
                touch = targeted.touch
                is_number = isinstance(instr, Call) and not _is_given_as_pointer(touch.address, instr)
                may_be_null = touch.static is not None or touch.kind is AccessKind.FREE
                if isinstance(touch.address, Reg) and not is_number and not may_be_null:
                    yield touch.address

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
            sources = self._sources(*work.pop())
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
            case Load():
                return self._of_memory(function, made)
            case Call():
                return self._of_call(made)
        return None

    def _of_memory(self, function: str, load: Load) -> Iterable[Place] | None:
        found: list[Place] = []
        (touch,) = self.world.touches(self.world.program.functions[function], load)
        for place in touch.targets:
            if place.object in self.world.points_to.filled_by_calls:
                return None
            for writer, instr, written in self._writes.get(place.object, ()):
                if overlap(place, written):
                    if not isinstance(instr, Store):
                        return None
                    found.append((writer, instr.value))
        return found if touch.targets else [(function, load.address)]

    @cached_property
    def _writes(self) -> dict[ObjectId, list[tuple[str, Instr, MemLoc]]]:
        found: dict[ObjectId, list[tuple[str, Instr, MemLoc]]] = {}
        for function in self.functions:
            for instr in self._instructions(function):
                if not _is_clearing(instr):
                    for touch in self.world.touches(function, instr):
                        for place in touch.targets if touch.touch.kind.writes else ():
                            found.setdefault(place.object, []).append((function.name, instr, place))
        return found

    def _of_call(self, call: Call) -> Iterable[Place] | None:
        callees = self.world.callees(call)
        if any(name not in self.world.program.functions for name in callees):
            return None
        ends = (block.terminator for name in callees for block in self.world.program.functions[name].blocks)
        named = [(self.world.instructions[end.id][0].name, end.value) for end in ends if isinstance(end, Return)]
        return [(name, value) for name, value in named if value is not None]

    def _of_parameter(self, function: str, parameter: Reg) -> Iterable[Place] | None:
        index = [param.name for param in self.world.program.functions[function].params].index(parameter.name)
        found: list[Place] = []
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


def _is_clearing(instr: Instr) -> bool:
    """It fills memory with zeros."""
    return (
        isinstance(instr, Call)
        and isinstance(instr.callee, Address)
        and instr.callee.symbol in ("memset", "llvm.memset")
        and isinstance(instr.args[1], IntConst)
        and instr.args[1].value == 0
    )
