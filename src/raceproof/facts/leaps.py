"""Where threads go on, or end, elsewhere than their code says: jumps out of functions, cancellation, handlers.

Engines that follow the code of threads follow these too, as the least that is certain: behind a `longjmp` a thread may
be behind any call of `setjmp` that it has made, holding nothing that one could rely on. Over-approximates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.core import Unsupported
from raceproof.facts.call_targets import handlers_of, joins_may_be_refused, may_end_thread
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import Program, SiteId
from raceproof.model import CallGraph, CallTargets

_SET: Final = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "llvm.eh.sjlj.setjmp"})
_JUMP: Final = frozenset(
    {"longjmp", "siglongjmp", "_longjmp", "__longjmp_chk", "llvm.eh.sjlj.longjmp", "__pthread_unwind_next"}
)
_CONTEXTS: Final = frozenset({"getcontext", "setcontext", "swapcontext", "makecontext"})
_CANCEL: Final = frozenset({"pthread_cancel"})


@dataclass(frozen=True, slots=True)
class Leaps:
    """`doors`: calls that may return a second time. `leaving`: calls from which a thread may go on behind a door that
    it has passed: jumps, and what ends a thread, which runs its cleanup handlers; none if there is no door.
    `at_any_point`: a thread may end, or go on behind a door, wherever it is. `refused_joins`: joins may fail."""

    doors: frozenset[SiteId]
    leaving: frozenset[SiteId]
    at_any_point: bool
    refused_joins: bool

    @property
    def sites(self) -> frozenset[SiteId]:
        return self.doors | self.leaving

    @property
    def leave_routines(self) -> bool:
        """Whether a routine of a once-object, or a wait at a barrier, may be left before its end."""
        return self.at_any_point or bool(self.leaving)


def leaps_of(program: Program, calls: CallGraph) -> Leaps:
    """Raises `Unsupported` where code may run in a thread that has not called it, or that is not known at all."""
    doors: set[SiteId] = set()
    jumps: set[SiteId] = set()
    ends: set[SiteId] = set()
    cancels = False
    for site, targets in calls.targets.items():
        if targets.starts is None:
            raise Unsupported("threads that start in a function which is not known")
        names = {name for external in targets.externals for name in names_of(external)}
        if found := names & _CONTEXTS:
            raise Unsupported(f"contexts that any thread may go on with ({min(found)})")
        doors |= {site} if names & _SET else set()
        jumps |= {site} if names & _JUMP else set()
        ends |= {site} if targets.is_unknown or _ends_thread(targets) else set()
        cancels |= bool(names & _CANCEL)
    handlers = handlers_of(calls)
    interrupted = not handlers.isdisjoint(may_end_thread(program, calls, by_unknown=False))
    leapt = bool(doors) and not handlers.isdisjoint(_running(program, calls, jumps))
    return Leaps(
        doors=frozenset(doors),
        leaving=frozenset(jumps | ends) if doors else frozenset(),
        at_any_point=cancels or interrupted or leapt,
        refused_joins=joins_may_be_refused(program, calls),
    )


def _ends_thread(targets: CallTargets) -> bool:
    return any(op.kind is Sync.EXIT for op in map(sync_op, targets.externals) if op is not None)


def _running(program: Program, calls: CallGraph, sites: set[SiteId]) -> frozenset[str]:
    """Functions that may come to one of these calls."""
    callers: dict[str, set[str]] = {}
    found: set[str] = set()
    for function in program.functions.values():
        for instr in function.instructions():
            if instr.id in sites:
                found.add(function.name)
            targets = calls.targets.get(instr.id)
            for name in (*targets.functions, *targets.callbacks) if targets is not None else ():
                callers.setdefault(name, set()).add(function.name)
    work = sorted(found)
    while work:
        new = callers.get(work.pop(), set()) - found
        found |= new
        work += sorted(new)
    return frozenset(found)
