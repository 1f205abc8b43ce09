"""What the engine must know about the whole program before it follows any thread; all of it errs on the safe side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from raceproof.core import Unsupported, reverse_postorder
from raceproof.domains import Variable
from raceproof.facts import (
    RELEASING,
    Sync,
    SyncOp,
    has_fallible_locks,
    installs_handlers,
    is_assumption,
    is_atomic_function,
    leaps_of,
    objects_of_symbols,
    recursion_counts,
    thread_operations,
)
from raceproof.ir import Call, Function, Instr, Program
from raceproof.model import MAIN, Base, CallGraph, CallTargets, ConcurrentProgram, SameArgument, ThreadId
from raceproof.transactions.cells import Cells
from raceproof.transactions.expressions import Body
from raceproof.transactions.rendezvous import Rendezvous

SILENT: Final = frozenset(
    {Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD, Sync.DETACH, Sync.SIGNAL, Sync.BROADCAST}
    | {Sync.CONDITION_INIT, Sync.BARRIER_INIT, Sync.BARRIER_WAIT, Sync.ONCE, Sync.JOIN}
    | {Sync.SEM_INIT, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.SEM_POST}
)
"""Operations that order nothing by themselves. What a join tells is in the facts' moments; semaphores, barriers and
conditions order if they are followed (`rendezvous`)."""

_SMALL: Final = 60
"""Functions of up to so many instructions are followed for the sake of their result alone."""


class Surroundings:
    """`cells`: the memory that is followed. `outside`: threads that may run at any time, whoever starts them.
    `spurious`: whether all waits at conditions may end without a signal. `overwritten`: variables with locks that may
    be overwritten while threads run: these exclude nobody."""

    def __init__(self, cp: ConcurrentProgram, spurious: bool = True) -> None:
        if cp.calls is None:
            raise Unsupported("a program whose calls are not known")
        self.cp = cp
        self.calls: CallGraph = cp.calls
        self.program: Program = cp.program
        self.leaps = leaps_of(self.program, self.calls)
        symbols = objects_of_symbols(cp)
        self.overwritten = frozenset(name for name, number in symbols.items() if number in cp.overwritten)
        self.cells = Cells(cp)
        is_left = self.leaps.leave_routines  # who waits may never come back from it
        self.rendezvous = Rendezvous(self.program, self.calls, self.cells, spurious or is_left, is_left)
        self.spurious = not self.rendezvous.conditions
        self.has_handlers = installs_handlers(self.program)
        self._counts = recursion_counts(cp)
        self._is_fallible = has_fallible_locks(self.program, self.calls)
        self.outside = self._find_outside()
        self._bodies: dict[str, Body] = {}
        self._callees = {name: self._called_in(function) for name, function in self.program.functions.items()}
        self._relevant = self._find_relevant()
        self._recursive = _on_cycles(self._callees)
        self._closures: dict[str, tuple[int, tuple[Variable, ...]]] = {}

    def _find_outside(self) -> frozenset[ThreadId]:
        """Threads that no call for creating threads begins: handlers, what runs at the end, and their offspring."""
        creating = {
            instr.id
            for function in self.program.functions.values()
            for instr in function.instructions()
            if isinstance(instr, Call)
            and (possible := thread_operations(self.calls.targets[instr.id]))
            and any(op.kind is Sync.CREATE for op in possible)
        }
        strange = {t.id for t in self.cp.threads.values() if t.id != MAIN and t.created_at not in creating}
        return frozenset(t for t in self.cp.threads if not strange.isdisjoint(self.ancestry(t)))

    def body(self, name: str) -> Body:
        if name not in self._bodies:
            self._bodies[name] = Body(self.program.functions[name])
        return self._bodies[name]

    def matters(self, name: str) -> bool:
        """Whether the function, or one that it calls, touches shared objects or orders threads."""
        return name in self._relevant

    def is_recursive(self, name: str) -> bool:
        """Whether a call of the function may lead to another call of it before it returns."""
        return name in self._recursive

    def is_small(self, name: str) -> bool:
        """Whether it is cheap to follow the function and all that it calls."""
        return self._closure(name)[0] <= _SMALL

    def spoilt_by(self, name: str) -> tuple[Variable, ...]:
        """The cells that a function which does not matter to other threads may write, with all that it calls."""
        return self._closure(name)[1]

    def _closure(self, name: str) -> tuple[int, tuple[Variable, ...]]:
        if name not in self._closures:
            functions, work = {name: None}, [name]
            while work:
                for callee in self._callees[work.pop()]:
                    if callee not in functions:
                        functions[callee] = None
                        work.append(callee)
            code = [instr for f in functions for instr in self.program.functions[f].instructions()]
            cells = dict.fromkeys(cell for instr in code for cell in self.cells.private_in(instr))
            self._closures[name] = len(code), tuple(cells)
        return self._closures[name]

    def is_visible(self, instr: Instr) -> bool:
        """Whether other threads may see the instruction, or see to it; calls of functions of the program are looked
        into instead."""
        if instr.id in self.cells.by_site or instr.id in self.rendezvous.sites or instr.id in self.leaps.sites:
            return True
        if not isinstance(instr, Call):
            return False
        targets = self.calls.targets[instr.id]
        return (
            bool(targets.callbacks)
            or self.may_release_all(targets)
            or any(op.kind not in SILENT for op in thread_operations(targets))
        )

    def may_stop(self, instr: Instr) -> bool:
        """Whether the instruction is an assumption: a thread for which it does not hold stays there for good, while the
        others go on."""
        return isinstance(instr, Call) and any(map(is_assumption, self.calls.targets[instr.id].externals))

    def may_release_all(self, targets: CallTargets) -> bool:
        """Code that nothing describes, which has pointers to locks or may run functions of the program."""
        return targets.is_unknown and (targets.may_release_any or bool(self.calls.from_outside))

    def released_below(self, name: str) -> frozenset[str] | None:
        """Global variables with locks that the function, or one below it, may give back; None: any. "" is the lock of
        atomic sections."""
        found: set[str] = set()
        work, seen = [name], {name}
        while work:
            current = work.pop()
            found |= {""} if is_atomic_function(current) else set()
            for instr in self.program.functions[current].instructions():
                targets = self.calls.targets[instr.id] if isinstance(instr, Call) else None
                if targets is None:
                    continue
                kinds = {op.kind for op in thread_operations(targets)}
                is_releasing = not kinds.isdisjoint(RELEASING)
                if self.may_release_all(targets) or (is_releasing and targets.may_lock_in is None):
                    return None
                if is_releasing and targets.may_lock_in is not None:
                    found |= targets.may_lock_in
                found |= {""} if Sync.ATOMIC_END in kinds else set()
            new = set(self._callees[current]) - seen
            seen |= new
            work += sorted(new)
        return frozenset(found)

    def may_refuse_owner(self, op: SyncOp, variable: str) -> bool:
        """Whether locking what is in a variable may fail because the thread holds it already."""
        return op.refuses_owner or not self._counts(variable)

    def may_refuse(self, variable: str) -> bool:
        """Whether locking what is in a variable may fail though the thread does not hold it."""
        return self._is_fallible and not self._counts(variable)

    def argument_of(self, thread: ThreadId) -> tuple[str, int] | None:
        """The place in a global variable that every instance of the thread is given a pointer to."""
        argument = self.cp.threads[thread].argument
        if not isinstance(argument, SameArgument) or len(argument.value.terms) != 1:
            return None
        atom, factor = argument.value.terms[0]
        symbol = self.cells.symbol_of.get(atom.object) if isinstance(atom, Base) and factor == 1 else None
        return None if symbol is None else (symbol, argument.value.constant)

    def ancestry(self, thread: ThreadId) -> list[ThreadId]:
        """The thread, its creator, and so on up to main."""
        chain = [thread]
        while (parent := self.cp.threads[chain[-1]].parent) is not None:
            chain.append(parent)
        return chain

    def _called_in(self, function: Function) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for instr in function.instructions():
            if isinstance(instr, Call):
                targets = self.calls.targets[instr.id]
                found.update(dict.fromkeys((*targets.functions, *targets.callbacks)))
        return tuple(found)

    def _find_relevant(self) -> frozenset[str]:
        callers: dict[str, list[str]] = {}
        for name, callees in self._callees.items():
            for callee in callees:
                callers.setdefault(callee, []).append(name)
        work = [name for name, function in self.program.functions.items() if self._has_own_step(function)]
        found = set(work)
        while work:
            for caller in callers.get(work.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    work.append(caller)
        return frozenset(found)

    def _has_own_step(self, function: Function) -> bool:
        if is_atomic_function(function.name):
            return True
        for block in function.blocks:
            for instr in block.body:
                if self.is_visible(instr):
                    return True
                if isinstance(instr, Call) and not self.calls.targets[instr.id].may_return:
                    return True
        return False


def _on_cycles(callees: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The functions that can reach themselves: strongly connected components, in two passes (Kosaraju)."""
    callers: dict[str, list[str]] = {}
    for name, called in callees.items():
        for callee in called:
            callers.setdefault(callee, []).append(name)
    root = ""
    order = reverse_postorder(root, lambda name: callees if name == root else callees[name])
    found: set[str] = set()
    seen = {root}
    for name in order:
        if name in seen:
            continue
        component, work = [name], [name]
        seen.add(name)
        while work:
            for caller in callers.get(work.pop(), ()):
                if caller not in seen:
                    seen.add(caller)
                    component.append(caller)
                    work.append(caller)
        if len(component) > 1 or name in callees[name]:
            found.update(component)
    return frozenset(found)
