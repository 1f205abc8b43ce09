"""Which resources a thread operation is about, in a calling context.

Points-to tells for all calls of a function together what a parameter points to. `lock(&a)` and `lock(&b)` through one
wrapper would look like any order of the two, so that a context binds parameters to what the call at hand passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import SyncOp
from raceproof.ir import Call, Cast, Function, Gep, Operand, Reg
from raceproof.model import MemLoc, ObjectId, ObjectKind, Resource, ResourceKind, ThreadId

Binding = tuple[tuple[int, tuple[MemLoc, ...]], ...]
"""Parameters, by number, with what they point to in a context."""
MAX_BOUND = 2
"""Targets of a pointer that is worth binding."""
SECTION = Resource(ResourceKind.ATOMIC_SECTION)


def end_of(thread: ThreadId) -> Resource:
    return Resource(ResourceKind.THREAD_END, thread=thread)


class Resources:
    """Resolves operands; objects of which some lock is not at a known offset have one resource in all."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._vague: set[ObjectId] = set()
        self._params = {
            name: {param.name: number for number, param in enumerate(function.params)}
            for name, function in world.program.functions.items()
        }

    def note_vague(self, function: Function, operand: Operand) -> None:
        """To be called for every lock operand before the first is resolved."""
        for target in self._world.points_to.targets(function.name, operand):
            if target.offset is None or target.stride is not None:
                self._vague.add(target.object)

    def bind(self, caller: Function, binding: Binding, call: Call, callee: Function) -> Binding:
        """What the call passes, where that is less than what all calls together do."""
        found = []
        for number, (argument, param) in enumerate(zip(call.args, callee.params, strict=False)):
            passed = self.targets(caller, binding, argument)
            if 0 < len(passed) <= MAX_BOUND and param.by_value is None:
                every = self._world.points_to.targets(callee.name, Reg(param.name))
                if set(passed) < set(every):
                    found.append((number, passed))
        return tuple(found)

    def targets(self, function: Function, binding: Binding, operand: Operand) -> tuple[MemLoc, ...]:
        narrowed = self._bound(function, dict(binding), operand) if binding else None
        return narrowed if narrowed is not None else self._world.points_to.targets(function.name, operand)

    def _bound(
        self, function: Function, binding: Mapping[int, tuple[MemLoc, ...]], operand: Operand
    ) -> tuple[MemLoc, ...] | None:
        """Through casts and constant offsets, to a parameter that is bound."""
        if not isinstance(operand, Reg):
            return None
        number = self._params[function.name].get(operand.name)
        if number is not None:
            return binding.get(number)
        match self._world.info(function.name).definitions.get(operand.name):
            case Gep(base=base, offset=offset, terms=()):
                inner = self._bound(function, binding, base)
                if inner is None or any(t.offset is None or t.stride is not None for t in inner):
                    return None
                return tuple(replace(t, offset=(t.offset or 0) + offset) for t in inner)
            case Cast(value=value, op="bitcast"):
                return self._bound(function, binding, value)
        return None

    def of(self, function: Function, binding: Binding, call: Call, op: SyncOp) -> frozenset[Resource] | None:
        """The lock that an operation is about; None if that is not known."""
        if op.arg is None:
            return frozenset({Resource(ResourceKind.MODEL, name=op.model.lock)}) if op.model is not None else None
        return self.at(function, binding, call.args[op.arg]) if op.arg < len(call.args) else None

    def at(self, function: Function, binding: Binding, operand: Operand) -> frozenset[Resource] | None:
        """The locks that a pointer may point to; None if it may point anywhere."""
        found = self.targets(function, binding, operand)
        objects = self._world.points_to.objects
        if not found or any(objects[t.object].kind is ObjectKind.UNKNOWN for t in found):
            return None
        return frozenset(
            Resource(ResourceKind.LOCK, t.object, None if t.object in self._vague else t.offset) for t in found
        )
