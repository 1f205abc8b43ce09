"""Mutexes whose lock call may fail although it blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.facts.flow.locations import overlap
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Call, Function, IntConst, Store
from raceproof.model import MemLoc, ObjectId

if TYPE_CHECKING:
    from raceproof.facts.flow.world import World

_SETS_KIND = frozenset({"pthread_mutexattr_settype", "pthread_mutexattr_setkind_np"})
_SETS_ROBUST = frozenset({"pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np"})
_SETS_PROTOCOL = frozenset({"pthread_mutexattr_setprotocol"})
_SAFE_PROTOCOLS = frozenset({0, 1})
"""PTHREAD_PRIO_NONE and PTHREAD_PRIO_INHERIT. With PTHREAD_PRIO_PROTECT a thread is refused whose priority is above the
ceiling, or that may not be raised to it (glibc: EINVAL, EPERM)."""
EOWNERDEAD = 130
HELD_ANYWAY = frozenset({0})
"""Of an error-checking mutex: a lock call that fails means that the thread has it already."""
_CHECKING = 2
"""The kind of an error-checking mutex, in glibc and musl."""
_KIND = (0, 12, 16)
"""Where the kind may be in a mutex: in musl, in glibc for 32 bits and for 64."""
_KIND_SIZE = 4


def doubtful_mutexes(world: World) -> dict[ObjectId, frozenset[int]]:
    """Mutexes whose lock call may fail although it blocks: error-checking (or of unknown type) and robust ones, and
    those with a priority ceiling.

    The results that mean "locked": 0, and EOWNERDEAD where a failure means that it is not held.
    """
    checking, robust = _mutex_attributes(world)
    result = dict.fromkeys(_error_checking(world), HELD_ANYWAY)
    if not (checking or robust):
        return {o: r for o, r in result.items() if o in world.lock_objects}
    for function in world.program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Call) and any(op.kind is Sync.LOCK_INIT for op in world.sync_ops(instr)):
                plain = len(instr.args) < 2 or isinstance(instr.args[1], IntConst)
                if not plain:
                    for target in world.points_to.targets(function.name, instr.args[0]):
                        result[target.object] = frozenset({0, EOWNERDEAD}) if robust else HELD_ANYWAY
    return {o: r for o, r in result.items() if o in world.lock_objects}


def _error_checking(world: World) -> frozenset[ObjectId]:
    """Objects that may have the kind of an error-checking mutex without a call: by an initialiser or a copy."""
    found = {
        world.points_to.object_of_symbol(name)
        for name, variable in world.program.globals.items()
        if any(_is_checking(c.value) and c.offset % 4 == 0 for c in variable.initial)
    }
    copies: list[tuple[frozenset[ObjectId], frozenset[ObjectId]]] = []
    for function in world.program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Store) and instr.type.size == _KIND_SIZE and _is_checking(instr.value):
                (touch,) = world.touches(function, instr)
                found |= {place.object for place in touch.targets if _may_be_kind(world, place)}
            elif isinstance(instr, Call):
                copies += _copies(world, function, instr)
    size = -1
    while size < len(found):
        size = len(found)
        for into, source in copies:
            found |= into if source & found else frozenset()
    return frozenset(found)


def _may_be_kind(world: World, place: MemLoc) -> bool:
    """Where the kind of a mutex is, if its object is used as one; anywhere in others, which may be copied."""
    locks = world.lock_places.get(place.object, ())
    return not locks or any(
        at.offset is None or overlap(place, replace(at, offset=at.offset + kind, size=_KIND_SIZE))
        for at in locks
        for kind in _KIND
    )


def _copies(world: World, function: Function, call: Call) -> list[tuple[frozenset[ObjectId], frozenset[ObjectId]]]:
    """What the call copies into what."""

    def objects(arg: int) -> frozenset[ObjectId]:
        return frozenset(p.object for p in world.points_to.targets(function.name, call.args[arg]))

    effects = [effect_of(name, world.program) for name in world.callees(call) if name not in world.program.functions]
    pairs = [pair for effect in effects if effect is not None for pair in effect.copies]
    return [(objects(to), objects(source)) for to, source in pairs if max(to, source) < len(call.args)]


def _mutex_attributes(world: World) -> tuple[bool, bool]:
    """Whether the program makes error-checking (or unknown) mutex types, and robust ones or such with a ceiling."""
    checking = robust = False
    for function in world.program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Call):
                last = instr.args[-1] if instr.args else None
                value = last.value if isinstance(last, IntConst) else None
                names = {known for name in world.callees(instr) for known in names_of(name)}
                checking = checking or (bool(names & _SETS_KIND) and value not in (0, 1, 3))
                robust = robust or (bool(names & _SETS_ROBUST) and value != 0)
                robust = robust or (bool(names & _SETS_PROTOCOL) and value not in _SAFE_PROTOCOLS)
    return checking, robust


def _is_checking(value: object) -> bool:
    return isinstance(value, IntConst) and value.value == _CHECKING
