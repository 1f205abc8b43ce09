"""May the program create threads behind the library's back, by `syscall(SYS_clone, ...)`?

`syscall` is a function of which nothing is known, but one that starts a thread is worse: the thread runs code of the
program that no analysis attributes to it. A call whose number is not a constant, or is one of those that create a
thread or a process sharing memory, is an obstacle: the program is not called race-free.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Call, IntConst
from raceproof.model import CallGraph

_SYSCALL: Final = "syscall"
# clone, clone3 and vfork, by the size of a pointer: x86-64 and i386.
_CREATING: Final = {8: frozenset({56, 435, 58}), 4: frozenset({120, 435, 190})}


def thread_creating_system_calls(world: World, calls: CallGraph) -> Iterator[str]:
    """A phrase for each system call in code that may run which may create a thread; over-approximates."""
    creating = _CREATING.get(world.program.pointer_size, frozenset())
    for name, function in world.program.functions.items():
        if name not in world.points_to.reached:
            continue
        for instr in function.instructions():
            if not isinstance(instr, Call):
                continue
            externals = calls.targets[instr.id].externals
            if not any(_SYSCALL in names_of(external) for external in externals):
                continue
            number = instr.args[0] if instr.args else None
            if not isinstance(number, IntConst) or number.value in creating:
                yield f"a raw system call that may create a thread{f' ({instr.pos})' if instr.pos else ''}"
