"""The program's functions reduced to the steps that matter to a net, and what a call may do in the worst case.

A step is an instruction that makes one of the accesses in question, or a call that may order threads, end one, or run a
function that has such steps. Everything else is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from raceproof.facts import Sync, SyncOp, is_atomic_function
from raceproof.ir import Call, Function, Instr, SiteId, Terminator
from raceproof.model import AccessId, CallTargets
from raceproof.petri.program_locks import ATOMIC
from raceproof.petri.program_pointers import Place
from raceproof.petri.program_surroundings import RELEASING, Surroundings, operations

ANY_SEMAPHORE: Final[Place] = ("", 0)
_SILENT: Final = frozenset(
    {Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD, Sync.DETACH, Sync.SIGNAL, Sync.BROADCAST}
    | {Sync.CONDITION_INIT, Sync.BARRIER_INIT, Sync.BARRIER_WAIT, Sync.ONCE}
)
"""Operations that take and give no tokens: waits may end without a signal, barriers order nothing here."""

_OF_LOCKS: Final = RELEASING | {Sync.LOCK, Sync.TRYLOCK}


@dataclass(frozen=True, slots=True)
class Worst:
    """What a function may do in any order, any number of times, whatever its arguments are.

    `released`: global variables whose locks it may give back (None: any). `posted`: semaphores that it may raise.
    `creates`: calls that create threads. `ends`: it may end the thread.
    """

    accesses: tuple[AccessId, ...]
    released: frozenset[str] | None
    posted: tuple[Place, ...]
    creates: tuple[tuple[Function, Call], ...]
    ends: bool


class Code:
    """`accesses`: those in question, by site. `locks`: global variables whose locks are followed, None for all; what
    can only be about others is no step."""

    def __init__(
        self,
        around: Surroundings,
        accesses: Mapping[SiteId, tuple[AccessId, ...]],
        locks: frozenset[str] | None = None,
    ) -> None:
        self.around = around
        self.accesses = accesses
        self.locks = locks
        self._steps: dict[tuple[str, int], tuple[Instr, ...]] = {}
        self._worst: dict[str, Worst] = {}
        self._relevant = self._find_relevant()

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

    def _find_relevant(self) -> frozenset[str]:
        callers: dict[str, list[str]] = {}
        for name, callees in self.around.callees.items():
            for callee in callees:
                callers.setdefault(callee, []).append(name)
        work = [name for name, function in self.around.program.functions.items() if self._has_own_step(function)]
        found = set(work)
        while work:
            for caller in callers.get(work.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    work.append(caller)
        return frozenset(found)

    def _has_own_step(self, function: Function) -> bool:
        return is_atomic_function(function.name) or any(self._is_own_step(i) for i in function.instructions())

    def _is_own_step(self, instr: Instr | Terminator) -> bool:
        if instr.id in self.accesses:
            return True
        if not isinstance(instr, Call):
            return False
        targets = self.around.calls.targets[instr.id]
        return (
            not targets.may_return
            or self.around.may_release_all(targets)
            or any(op.kind not in _SILENT and not self._is_about_others(op, targets) for op in operations(targets))
        )

    def follows(self, lock: Place) -> bool:
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

    def worst(self, name: str) -> Worst:
        """Everything that a function may do, with what it calls."""
        known = self._worst.get(name)
        if known is None:
            known = self._worst[name] = self._find_worst(name)
        return known

    def _find_worst(self, name: str) -> Worst:
        around = self.around
        accesses: dict[AccessId, None] = {}
        released: frozenset[str] | None = frozenset()
        posted: dict[Place, None] = {}
        creates: list[tuple[Function, Call]] = []
        ends = False
        for function in self._closure(name):
            if is_atomic_function(function.name) and released is not None:
                released |= {""}
            for instr in function.instructions():
                accesses.update(dict.fromkeys(self.accesses.get(instr.id, ())))
                if not isinstance(instr, Call):
                    continue
                targets = around.calls.targets[instr.id]
                gone = around.released(function, instr)
                released = None if released is None or gone is None else released | gone
                ends = ends or not targets.may_return or len(targets.externals) > 1
                for op in operations(targets):
                    ends = ends or op.kind is Sync.EXIT
                    if op.kind in (Sync.SEM_POST, Sync.SEM_INIT):
                        posted[around.place(function, instr, op.arg) or ANY_SEMAPHORE] = None
                    if op.kind is Sync.CREATE:
                        creates.append((function, instr))
        return Worst(tuple(accesses), released, tuple(posted), tuple(creates), ends)

    def _closure(self, name: str) -> list[Function]:
        seen = {name: None}
        work = [name]
        while work:
            for callee in self.around.callees[work.pop()]:
                if callee not in seen:
                    seen[callee] = None
                    work.append(callee)
        return [self.around.program.functions[n] for n in seen]
