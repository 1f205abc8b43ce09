"""The program as `raceproof.explore.future_flow` sees it: of each function only the steps that matter.

A step is an instruction that makes an access of an open pair, a thread operation, or a call that may lead to one. What
a library function may do to locks is an `Outcome`; a call has one for each function that it may be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from raceproof.explore.future_locks import ALL, ATOMIC, Formal, LockTable, Place, Pointers, Static
from raceproof.facts import RELEASING, Sync, SyncOp, atomic_call, is_atomic_function, sync_op
from raceproof.ir import (
    Block,
    Call,
    CompareExchange,
    Fence,
    Function,
    Instr,
    Load,
    Operand,
    Program,
    Return,
    Rmw,
    SiteId,
    Store,
    Terminator,
)
from raceproof.model import AccessId, CallGraph, CallTargets

_SILENT: Final = frozenset({Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD})
_WITH_OBJECT: Final = frozenset(
    {Sync.LOCK, Sync.TRYLOCK, Sync.UNLOCK, Sync.LOCK_INIT, Sync.LOCK_DESTROY, Sync.SIGNAL, Sync.BROADCAST}
    | {Sync.CONDITION_INIT, Sync.ONCE, Sync.BARRIER_INIT, Sync.BARRIER_WAIT}
    | {Sync.SEM_INIT, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.SEM_POST}
)
"""Operations on one object. A wait is on two, its condition and its lock: it has none that could be named."""


@unique
class Change(Enum):
    """What a library function does to the locks of the caller."""

    NOTHING = "nothing"
    TAKE = "take"
    RELEASE = "release"
    END = "end"  # it does not return


@dataclass(frozen=True, slots=True)
class Outcome:
    change: Change
    lock: int = 0
    shared: bool = False
    released: int = 0


@dataclass(frozen=True, slots=True)
class CallStep:
    """A call that matters: `outcomes` of library functions that it may be, see `CallTargets` for the rest."""

    args: tuple[Operand, ...]
    functions: tuple[str, ...]
    callbacks: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction. Accesses, thread operation and start functions as bits.

    `is_visible`: a thread may stand before it. `is_open`: a lock operation on a lock that has no static name.
    """

    site: SiteId
    function: str
    accesses: int = 0
    operation: int = 0
    creates: int = 0
    call: CallStep | None = None
    is_visible: bool = True
    is_open: bool = False


@dataclass
class Steps:
    """All functions that may be reached, in steps.

    `follows`: what may run in the same thread after a function that nobody called returned. `at_end`: what may run
    when a thread or the program ends. `starts`: create site -> start functions.
    """

    program: Program
    calls: CallGraph
    accesses: Mapping[SiteId, tuple[AccessId, ...]]
    extra: Collection[SiteId] = ()
    functions: dict[str, Function] = field(default_factory=dict)
    follows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    at_end: tuple[str, ...] = ()
    starts: dict[SiteId, tuple[str, ...]] = field(default_factory=dict)
    start_functions: tuple[str, ...] = ()
    operations: list[SiteId] = field(default_factory=list)
    objects: dict[SiteId, int] = field(default_factory=dict)
    may_run_inside: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.locks = LockTable(lambda site: self.calls.targets[site].may_lock_in)
        self._pointers = Pointers(self.program)
        self._access_bits: dict[SiteId, int] = {}
        number = 0
        for site, found in self.accesses.items():
            self._access_bits[site] = ((1 << len(found)) - 1) << number
            number += len(found)
        self.access_order: tuple[AccessId, ...] = tuple(a for found in self.accesses.values() for a in found)
        self._calls_in: dict[str, list[Call]] = {}
        self._find_functions()
        self._pointers.find_constants(self._passed())
        self._index_of_start = {name: i for i, name in enumerate(self.start_functions)}
        self._steps = {
            (name, block.label): self._of_block(function, block)
            for name, function in self.functions.items()
            for block in function.blocks
        }
        self._link()

    def of_block(self, function: str, label: str) -> tuple[Step, ...]:
        return self._steps[function, label]

    def argument(self, step: Step, index: int) -> Place | None:
        """Where argument `index` of a call certainly points, in terms of the calling function."""
        if step.call is None or index >= len(step.call.args):
            return None
        return self._pointers.place(self.functions[step.function], step.call.args[index])

    # -- which functions there are

    def _find_functions(self) -> None:
        at_end = dict.fromkeys(self.program.listed_functions("llvm.global_dtors"))
        starts: dict[str, None] = {}
        work = [self.program.entry, *at_end]
        while work:
            name = work.pop()
            if name in self.functions:
                continue
            function = self.functions[name] = self.program.functions[name]
            calls = self._calls_in[name] = [i for b in function.blocks for i in b.body if isinstance(i, Call)]
            for call in calls:
                targets = self.calls.targets[call.id]
                work += [*targets.functions, *targets.callbacks, *(targets.starts or ()), *targets.at_end]
                at_end.update(dict.fromkeys(targets.at_end))
                if targets.starts:
                    starts.update(dict.fromkeys(targets.starts))
                    self.starts[call.id] = targets.starts
        self.at_end = tuple(at_end)
        self.start_functions = (self.program.entry, *sorted(s for s in starts if s != self.program.entry))
        for name in (*self.start_functions, *self.at_end):
            self.follows[name] = self.at_end

    def _passed(self) -> dict[str, list[tuple[Function, tuple[Operand, ...]] | None]]:
        """Who runs each function with which arguments, see `Pointers.find_constants`."""
        passed: dict[str, list[tuple[Function, tuple[Operand, ...]] | None]] = {name: [] for name in self.functions}
        for name in (self.program.entry, *self.follows, *self.calls.from_outside):
            if name in passed and name not in self.start_functions[1:]:
                passed[name].append(None)
        for name, calls in self._calls_in.items():
            for call in calls:
                targets = self.calls.targets[call.id]
                for callee in targets.functions:
                    passed[callee].append((self.functions[name], call.args))
                for callee in (*targets.callbacks, *targets.at_end, *targets.any_time):
                    if callee in passed:
                        passed[callee].append(None)
                operations = [op for op in map(sync_op, targets.externals) if op is not None]
                for callee in targets.starts or ():
                    given = _start_argument(call, operations)
                    passed[callee].append(None if given is None else (self.functions[name], (given,)))
        return passed

    def _link(self) -> None:
        for name, function in self.functions.items():
            inside = dict.fromkeys(self.follows.get(name, ()))
            for block in function.blocks:
                for step in self._steps[name, block.label]:
                    if step.call is not None:
                        inside.update(dict.fromkeys((*step.call.functions, *step.call.callbacks)))
                        if any(o.change is Change.END for o in step.call.outcomes):
                            inside.update(dict.fromkeys(self.at_end))
            self.may_run_inside[name] = tuple(inside)

    # -- steps

    def _of_block(self, function: Function, block: Block) -> tuple[Step, ...]:
        instructions = (*block.body, block.terminator)
        found = [step for instr in instructions if (step := self._step(function, instr)) is not None]
        if is_atomic_function(function.name):  # it begins before its first instruction, and ends before each return
            if block is function.blocks[0]:
                found.insert(0, self._section(function, instructions[0].id, Outcome(Change.TAKE, ATOMIC)))
            if isinstance(block.terminator, Return):
                end = Outcome(Change.RELEASE, released=1 << ATOMIC)
                found.append(self._section(function, block.terminator.id, end))
        return tuple(found)

    def _section(self, function: Function, site: SiteId, outcome: Outcome) -> Step:
        operation = self._operation(site, None)
        if site in self.objects or self.operations.count(site) > 1:
            self.objects.pop(site, None)  # the site has another operation besides
        else:
            self.objects[site] = ATOMIC
        return Step(site, function.name, 0, operation, 0, CallStep((), (), (), (outcome,)))

    def _step(self, function: Function, instr: Instr | Terminator) -> Step | None:
        accesses = self._access_bits.get(instr.id, 0)
        match instr:
            case Call():
                return self._call(function, instr, accesses)
            case Rmw() | CompareExchange():
                operation = self._operation(instr.id, self._pointers.place(function, instr.address))
                return Step(instr.id, function.name, accesses, operation)
            case Load() | Store() if instr.order is not None:
                operation = self._operation(instr.id, self._pointers.place(function, instr.address))
                return Step(instr.id, function.name, accesses, operation)
            case Fence():
                return Step(instr.id, function.name, 0, self._operation(instr.id, None))
        if accesses or instr.id in self.extra:
            return Step(instr.id, function.name, accesses)
        return None

    def _operation(self, site: SiteId, where: Place | None) -> int:
        """The bit of a thread operation, which is noted with its object, if that is a constant."""
        if where is not None and isinstance(where[0], str):
            number = self.locks.number(Static(where[0], where[1]))
            if number is not None:
                self.objects[site] = number
        self.operations.append(site)
        return 1 << len(self.operations) - 1

    def _call(self, function: Function, call: Call, accesses: int) -> Step | None:
        targets = self.calls.targets[call.id]
        operations = [(name, sync_op(name)) for name in targets.externals]
        is_thread_call = any(op is not None for _, op in operations)
        outcomes = self._outcomes(function, call, targets)
        operation = self._call_operation(function, call, targets)
        creates = 0
        for name in targets.starts or ():
            creates |= 1 << self._index_of_start[name]
        is_visible = bool(accesses or operation or is_thread_call or call.id in self.extra)
        is_plain = outcomes == (Outcome(Change.NOTHING),)
        if not is_visible and is_plain and not targets.functions and not targets.callbacks:
            return None
        lock_kinds = {Sync.LOCK, Sync.UNLOCK}
        is_open = call.id not in self.objects and any(op is not None and op.kind in lock_kinds for _, op in operations)
        step = CallStep(call.args, targets.functions, targets.callbacks, outcomes)
        return Step(call.id, function.name, accesses, operation, creates, step, is_visible, is_open)

    def _call_operation(self, function: Function, call: Call, targets: CallTargets) -> int:
        """The bit of the thread operation that a call may be; its object if it can be no other."""
        places: list[Place | None] = []
        is_atomic: list[bool] = []
        for name in targets.externals:
            op, atomic = sync_op(name), atomic_call(name)
            if atomic is not None:
                places.append(self._argument_place(function, call, atomic.object_arg))
            elif op is not None and op.kind in (Sync.ATOMIC_BEGIN, Sync.ATOMIC_END):
                is_atomic.append(True)
            elif op is not None and (op.kind not in _SILENT or op.tells):
                places.append(self._argument_place(function, call, op.arg) if op.kind in _WITH_OBJECT else None)
        if not places and not any(is_atomic):
            return 0
        is_only = len(targets.externals) + len(targets.functions) == 1 and not targets.is_unknown
        if is_only and is_atomic == [True]:
            self.objects[call.id] = ATOMIC
            return self._operation(call.id, None)
        return self._operation(call.id, places[0] if is_only and places else None)

    def _argument_place(self, function: Function, call: Call, index: int | None) -> Place | None:
        if index is None or index >= len(call.args):
            return None
        return self._pointers.place(function, call.args[index])

    def _outcomes(self, function: Function, call: Call, targets: CallTargets) -> tuple[Outcome, ...]:
        found: dict[Outcome, None] = {}
        for name in targets.externals:
            op = sync_op(name)
            if op is not None:
                found[self._outcome(function, call, op, targets)] = None
            else:
                if targets.may_return:
                    found[Outcome(Change.NOTHING)] = None
                if not targets.may_return or len(targets.externals) > 1:  # one of several may be the one that ends
                    found[Outcome(Change.END)] = None
        if targets.is_unknown:
            released = ALL if targets.may_release_any else 0
            found[Outcome(Change.RELEASE, released=released) if released else Outcome(Change.NOTHING)] = None
        return tuple(found)

    def _outcome(self, function: Function, call: Call, op: SyncOp, targets: CallTargets) -> Outcome:
        if op.kind is Sync.EXIT:
            return Outcome(Change.END)
        if op.kind is Sync.ATOMIC_BEGIN:
            return Outcome(Change.TAKE, ATOMIC)
        if op.kind is Sync.ATOMIC_END:
            return Outcome(Change.RELEASE, released=1 << ATOMIC)
        if op.kind is not Sync.LOCK and op.kind not in RELEASING:
            return Outcome(Change.NOTHING)
        place = self._argument_place(function, call, op.arg)
        number: int | None = None
        if place is not None:
            base, offset = place
            named = Formal(function.name, base, offset, call.id) if isinstance(base, int) else Static(base, offset)
            number = self.locks.number(named)
        if op.kind is Sync.LOCK:
            return Outcome(Change.NOTHING) if number is None else Outcome(Change.TAKE, number, op.shared)
        released = self.locks.anything_in(targets.may_lock_in) if number is None else 1 << number
        return Outcome(Change.RELEASE, released=released)


def _start_argument(call: Call, operations: list[SyncOp]) -> Operand | None:
    """The argument that the new thread gets, if the call can only create threads."""
    if len(operations) != 1 or operations[0].start_arg is None or operations[0].start_arg >= len(call.args):
        return None
    return call.args[operations[0].start_arg]
