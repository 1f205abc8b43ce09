"""Calls that undermine what every engine takes for granted: obstacles, with which no program is called race-free.

`syscall` is a function of which nothing is known, but one that starts a thread is worse: the thread runs code of the
program that no analysis attributes to it. That is any call whose number is not a constant, or is one of those that
create a thread or a process sharing memory. `mremap` of 0 bytes gives memory a second address, while all engines tell
objects apart by their addresses. And who stores a function in a variable of a library (`error_print_progname`) lets the
library call it, nobody knows when.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.library.mappings import leaves_its_memory
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import SYSTEM_CALL_ASSEMBLY, Call, IntConst
from raceproof.model import CallGraph, ObjectKind

_SYSCALL: Final = "syscall"
_REMAP: Final = "mremap"
# clone, clone3 and vfork, by the size of a pointer: of x86-64, aarch64 and riscv64; of i386 and arm.
_CREATING: Final = {8: frozenset({56, 435, 58, 220}), 4: frozenset({120, 435, 190})}


def undermining_calls(world: World, calls: CallGraph) -> Iterator[str]:
    """A phrase for each such call in code that may run; over-approximates."""
    yield from _hooks(world)
    creating = _CREATING.get(world.program.pointer_size, frozenset())
    for name, function in world.program.functions.items():
        if name not in world.points_to.reached:
            continue
        for instr in function.instructions():
            if not isinstance(instr, Call):
                continue
            names = {known for external in calls.targets[instr.id].externals for known in names_of(external)}
            where = f" ({instr.pos})" if instr.pos else ""
            number = instr.args[0] if instr.args else None
            if (_SYSCALL in names or SYSTEM_CALL_ASSEMBLY in names) and (
                not isinstance(number, IntConst) or number.value in creating
            ):
                yield f"a raw system call that may create a thread{where}"
            if _REMAP in names and leaves_its_memory(instr):
                yield f"a call of mremap that may give memory a second address{where}"


def _hooks(world: World) -> Iterator[str]:
    objects, functions = world.points_to.objects, world.program.functions
    for variable in world.program.globals.values():
        if not variable.is_external:
            continue
        for found in sorted(world.reachable({world.points_to.object_of_symbol(variable.name)})):
            if objects[found].kind is ObjectKind.FUNCTION and objects[found].name in functions:
                yield f"`{objects[found].name}`, which a library may call through its variable `{variable.name}`"
                break
