"""What kinds of mutexes a program has, as far as engines that know them by their global variable need it."""

from __future__ import annotations

from collections.abc import Callable

from raceproof.ir import IntConst
from raceproof.model import ConcurrentProgram


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
