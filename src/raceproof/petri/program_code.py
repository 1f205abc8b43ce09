"""The program's functions reduced to the steps that matter to a net.

A step is an instruction that makes one of the accesses in question, uses a flag, or a call that may order threads, end
one, or run a function that has such steps. Everything else is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from raceproof.facts import RELEASING, Sync, SyncOp, is_atomic_function, thread_operations
from raceproof.ir import Address, Call, Function, Instr, SiteId, Terminator
from raceproof.model import AccessId, CallTargets
from raceproof.petri.program_flags import FlagUse
from raceproof.petri.program_locks import ATOMIC
from raceproof.petri.program_pointers import Place
from raceproof.petri.program_surroundings import Surroundings, assumes

ANY_SEMAPHORE: Final[Place] = ("", 0)
_SILENT: Final = frozenset(
    {Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD, Sync.DETACH, Sync.SIGNAL, Sync.BROADCAST}
    | {Sync.CONDITION_INIT, Sync.BARRIER_INIT, Sync.BARRIER_WAIT, Sync.ONCE}
)
"""Operations that take and give no tokens: waits may end without a signal. Of barriers and once-objects some are
followed; of other once-objects the function that they run."""

_SIGNALLING: Final = frozenset({Sync.SIGNAL, Sync.BROADCAST})
_OF_LOCKS: Final = RELEASING | {Sync.LOCK, Sync.TRYLOCK}


class Code:
    """`accesses`: those in question, by site. `locks`: global variables whose locks are followed, None for all; what
    can only be about others is no step. `is_detailed`: the values of flags are followed. `has_conditions`: waits and
    signals are steps of their own, which says nothing new to a net, but to a reader."""

    def __init__(
        self,
        around: Surroundings,
        accesses: Mapping[SiteId, tuple[AccessId, ...]],
        locks: frozenset[str] | None = None,
        is_detailed: bool = False,
        has_conditions: bool = False,
    ) -> None:
        self.around = around
        self.accesses = accesses
        self.locks = locks
        self.is_detailed = is_detailed
        self.has_conditions = has_conditions
        self.flags: Mapping[SiteId, FlagUse] = around.flags if is_detailed else {}
        self._steps: dict[tuple[str, int], tuple[Instr, ...]] = {}
        self._released: dict[str, frozenset[str] | None] = {}
        self._callers = self._find_callers()
        self._relevant = frozenset(name for name, has_step in self._summary(self._has_own_step).items() if has_step)
        self._tells = self._summary(self._tells_others)
        self._locks = self._summary(self._uses_locks)

    def matters(self, name: str) -> bool:
        """Whether the function has steps, or calls one that has."""
        return name in self._relevant

    def steps(self, function: Function, block: int) -> tuple[Instr, ...]:
        """The steps of a block in their order."""
        known = self._steps.get((function.name, block))
        if known is None:
            known = tuple(i for i in function.blocks[block].body if self._is_step(i))
            self._steps[function.name, block] = known
        return known

    def _find_callers(self) -> dict[str, list[str]]:
        callers: dict[str, list[str]] = {}
        for name, callees in self.around.callees.items():
            for callee in callees:
                callers.setdefault(callee, []).append(name)
        return callers

    def _has_own_step(self, function: Function) -> bool:
        return is_atomic_function(function.name) or any(self._is_own_step(i) for i in function.instructions())

    def _is_own_step(self, instr: Instr | Terminator) -> bool:
        if instr.id in self.accesses or instr.id in self.flags or instr.id in self.around.leaps.sites:
            return True
        if not isinstance(instr, Call):
            return False
        targets = self.around.calls.targets[instr.id]
        return (
            not targets.may_return
            or targets.is_unknown  # may end the thread
            or (self.is_detailed and assumes(targets))
            or self.around.may_release_all(targets)
            or any(self._is_step_of(op, instr, targets) for op in thread_operations(targets))
        )

    def _is_step_of(self, op: SyncOp, call: Call, targets: CallTargets) -> bool:
        if op.kind is Sync.BARRIER_WAIT:
            return self._direct(call) in self.around.barriers
        if op.kind is Sync.ONCE:
            return self.once(call) is not None
        if self.has_conditions and op.kind in _SIGNALLING:
            return True
        return op.kind not in _SILENT and not self._is_about_others(op, targets)

    def follows(self, lock: Place) -> bool:
        if lock[0] in self.around.overwritten:
            return False
        return self.locks is None or lock == ATOMIC or lock[0] in self.locks

    def _is_about_others(self, op: SyncOp, targets: CallTargets) -> bool:
        """A lock call that cannot be about a lock that is followed: nobody is ever told to hold what it gives back."""
        if self.locks is None or op.kind not in _OF_LOCKS or targets.may_lock_in is None:
            return False
        return not targets.may_lock_in & self.locks

    def _is_step(self, instr: Instr) -> bool:
        if self._is_own_step(instr):
            return True
        if not isinstance(instr, Call):
            return False
        targets = self.around.calls.targets[instr.id]
        return any(name in self._relevant for name in (*targets.functions, *targets.callbacks))

    def once(self, call: Call) -> Place | None:
        """The once-object of a call, if it is followed. Also where its function does nothing that matters: then no
        other call runs one that does."""
        place = self._direct(call)
        return place if place in self.around.once else None

    def _direct(self, call: Call) -> Place | None:
        first = call.args[0] if call.args else None
        return (first.symbol, first.offset) if isinstance(first, Address) else None

    def is_local(self, name: str) -> bool:
        """Whether the function, with all that it calls, changes nothing of what threads share but locks."""
        return not self._tells[name]

    def may_lock(self, name: str) -> bool:
        return self._locks[name]

    def released(self, name: str) -> frozenset[str] | None:
        """Global variables whose locks the function may give back, if only for a while; None: any."""
        if name not in self._released:
            self._released[name] = self._find_released(name)
        return self._released[name]

    def _find_released(self, name: str) -> frozenset[str] | None:
        found: set[str] = set()
        work, seen = [name], {name}
        while work:
            current = work.pop()
            function = self.around.program.functions[current]
            if is_atomic_function(current):
                found.add(ATOMIC[0])
            for instr in function.instructions():
                gone = self.around.released(function, instr) if isinstance(instr, Call) else frozenset()
                if gone is None:
                    return None
                found |= gone
            new = [callee for callee in self.around.callees[current] if callee not in seen]
            seen.update(new)
            work += new
        return frozenset(found)

    def _summary(self, holds: Callable[[Function], bool]) -> dict[str, bool]:
        """Whether it holds of a function or of one that it may call."""
        found = {name for name, function in self.around.program.functions.items() if holds(function)}
        work = list(found)
        while work:
            for caller in self._callers.get(work.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    work.append(caller)
        return {name: name in found for name in self.around.program.functions}

    def _tells_others(self, function: Function) -> bool:
        return any(
            instr.id in self.flags
            or instr.id in self.around.leaps.sites
            or (
                isinstance(instr, Call)
                and (
                    self.once(instr) is not None
                    or any(self._is_telling(op, instr) for op in thread_operations(self.around.calls.targets[instr.id]))
                )
            )
            for instr in function.instructions()
        )

    def _is_telling(self, op: SyncOp, call: Call) -> bool:
        if op.kind is Sync.BARRIER_WAIT:
            return self._direct(call) in self.around.barriers
        if self.has_conditions and op.kind in _SIGNALLING | {Sync.WAIT}:
            return True
        return op.kind not in _SILENT | _OF_LOCKS | {Sync.WAIT, Sync.ATOMIC_BEGIN, Sync.ATOMIC_END, Sync.EXIT}

    def _uses_locks(self, function: Function) -> bool:
        return is_atomic_function(function.name) or any(
            op.kind in _OF_LOCKS | {Sync.WAIT, Sync.ATOMIC_BEGIN, Sync.ATOMIC_END}
            for instr in function.instructions()
            if isinstance(instr, Call)
            for op in thread_operations(self.around.calls.targets[instr.id])
        )
