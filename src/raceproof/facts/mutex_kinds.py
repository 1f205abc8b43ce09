"""What kinds of mutexes a program has, as far as engines that know them by their global variable need it."""

from __future__ import annotations

from collections.abc import Callable

from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Address, Call, Instr, IntConst, Program, Store, Terminator
from raceproof.model import CallGraph


def recursion_counts(program: Program, calls: CallGraph) -> Callable[[str], bool]:
    """Whether locking a mutex in a global variable again counts, or blocks for ever; not if it may be error-checking:
    then it is refused, and one unlock ends it all."""
    typed = {"pthread_mutexattr_settype", "pthread_mutexattr_setkind_np"}
    is_checking = any(
        not (isinstance(last := instr.args[-1] if instr.args else None, IntConst) and last.value in (0, 1, 3))
        for function in program.functions.values()
        for instr in function.instructions()
        if isinstance(instr, Call)
        and any(name in typed for external in calls.targets[instr.id].externals for name in names_of(external))
    )
    is_checking = is_checking or any(_may_store_kind(i) for f in program.functions.values() for i in f.instructions())
    odd = {
        name
        for name, variable in program.globals.items()
        if any(isinstance(cell.value, IntConst) and cell.value.value not in (1, 3) for cell in variable.initial)
        or not variable.initial_complete
    }
    return lambda variable: not is_checking and variable not in odd


def _may_store_kind(instr: Instr | Terminator) -> bool:
    """Whether it may make an error-checking mutex out of one that exists: by its number, or by a copy of another."""
    match instr:
        case Store(value=IntConst(value=2), type=type_):
            return type_.size == 4
        case Call(callee=Address(symbol=name)):
            return name.startswith(("llvm.memcpy", "llvm.memmove", "memcpy", "memmove"))
    return False
