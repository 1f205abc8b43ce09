"""What kinds of mutexes a program has, as far as engines that know them by their global variable need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Call, IntConst, Program
from raceproof.model import CallGraph, ConcurrentProgram

_HARMLESS: Final = {
    "pthread_mutexattr_setprotocol": frozenset({0, 1}),
    "pthread_mutexattr_setrobust": frozenset({0}),
    "pthread_mutexattr_setrobust_np": frozenset({0}),
}
"""Constants by which mutexes get no priority ceiling, and do not survive their owners."""


def recursion_counts(cp: ConcurrentProgram) -> Callable[[str], bool]:
    """Whether locking a mutex in a global variable again counts, or blocks for ever; not if it may be error-checking:
    then it is refused, and one unlock ends it all."""
    odd = {
        name
        for name, variable in cp.program.globals.items()
        if any(isinstance(cell.value, IntConst) and cell.value.value not in (1, 3) for cell in variable.initial)
        or not variable.initial_complete
    }
    return lambda variable: variable not in cp.doubtful_mutexes and variable not in odd


def has_fallible_locks(program: Program, calls: CallGraph) -> bool:
    """Whether some mutex may refuse a thread that does not hold it: one with a priority ceiling refuses threads of too
    high a priority, a robust one is of no use once its owner has died. Which they are, `recursion_counts` knows."""
    for function in program.functions.values():
        for instr in function.instructions():
            for external in calls.targets[instr.id].externals if isinstance(instr, Call) else ():
                last = instr.args[-1] if isinstance(instr, Call) and instr.args else None
                value = last.value if isinstance(last, IntConst) else None
                if any(value not in harmless for name in names_of(external) if (harmless := _HARMLESS.get(name))):
                    return True
    return False
