"""What a net needs to know about the program, whichever accesses it is about.

All of it is over-approximated: what may be run, released, posted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from raceproof.core import Unsupported, strongly_connected
from raceproof.facts import (
    RELEASING,
    Sync,
    SyncOp,
    has_fallible_locks,
    is_assumption,
    leaps_of,
    objects_of_symbols,
    recursion_counts,
    thread_operations,
)
from raceproof.ir import Address, Block, Call, Function, IntConst, Operand, Program, SiteId, successors
from raceproof.model import MAIN, CallGraph, CallTargets, ConcurrentProgram
from raceproof.petri.program_flags import FlagUse, find_flags
from raceproof.petri.program_joins import thread_ids
from raceproof.petri.program_pointers import Place, Pointers, unknown_arguments
from raceproof.petri.program_rounds import barrier_counts, once_objects
from raceproof.petri.program_uses import direct_uses
from raceproof.petri.program_values import Values


class Surroundings:
    """`outside`: functions of the program that may run at any time. `may_count`: semaphores can be counted, because
    every initial value is known, and all who post are seen. `overwritten`: variables with locks that may be
    overwritten while threads run: these order nothing. `fallible`: locks that do not count may refuse anybody."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        if cp.calls is None:
            raise Unsupported("a program whose calls are not known")
        self.cp = cp
        self.calls: CallGraph = cp.calls
        self.program: Program = cp.program
        self.leaps = leaps_of(self.program, self.calls)
        self.fallible = has_fallible_locks(self.program, self.calls)
        symbols = objects_of_symbols(cp)
        self.overwritten = frozenset(name for name, number in symbols.items() if number in cp.overwritten)
        self.pointers = Pointers(self.program)
        self.ids = thread_ids(self.program, self.calls)
        self.counts = recursion_counts(cp)
        self.outside = self._find_outside()
        self.callees = {name: self._called_in(function) for name, function in self.program.functions.items()}
        self.may_count = self._find_semaphores()
        self.uses = direct_uses(self.program, self.calls)
        is_left = self.leaps.leave_routines  # a thread may never come back from the wait, or the routine
        self.barriers = {} if is_left else barrier_counts(self.uses)
        self.once = frozenset() if is_left else once_objects(self.uses, self.program, self.calls)
        self._blocks: dict[str, dict[str, int]] = {}
        self._values: dict[tuple[str, bool], Values] = {}
        self._deciding: dict[str, frozenset[str]] = {}  # parameters on which something depends
        self._find_deciding()

    @cached_property
    def flags(self) -> Mapping[SiteId, FlagUse]:
        """Instructions on variables whose values a net may follow."""
        return find_flags(self.cp, self.uses, self.values)

    def values(self, function: Function, is_detailed: bool = False) -> Values:
        """What can be computed in the function. In detail, loops that create or join threads are counted."""
        key = function.name, is_detailed
        known = self._values.get(key)
        if known is None:
            counting = self.counting(function) if is_detailed else frozenset()
            known = self._values[key] = Values(function, self.passed, is_detailed, counting)
        return known

    def passed(self, call: Call) -> list[Operand]:
        """The arguments on which something depends in what is called."""
        targets = self.calls.targets[call.id]
        found: list[Operand] = list(call.args[:1]) if assumes(targets) else []
        for name in targets.functions:
            deciding = self._deciding.get(name, frozenset())
            parameters = self.program.functions[name].params
            found += [arg for p, arg in zip(parameters, call.args, strict=False) if p.name in deciding]
        return found

    def _find_deciding(self) -> None:
        """Callees first; what is only passed on in a recursion decides nothing."""
        for component in strongly_connected(list(self.program.functions), self.callees.__getitem__):
            for function in (self.program.functions[name] for name in component):
                if function.params:
                    deciding = Values(function, self.passed).deciding
                    self._deciding[function.name] = frozenset(p.name for p in function.params if p.name in deciding)

    def counting(self, function: Function) -> frozenset[str]:
        """Blocks of loops in which threads are created or joined."""
        following = {block.label: successors(block.terminator) for block in function.blocks}
        found: set[str] = set()
        for component in strongly_connected(list(following), following.__getitem__):
            if any(self._concerns_threads(function.blocks[self.block(function, label)]) for label in component):
                found.update(component if len(component) > 1 else ())
        return frozenset(found)

    def _concerns_threads(self, block: Block) -> bool:
        return any(
            op.kind in (Sync.CREATE, Sync.JOIN)
            for instr in block.body
            if isinstance(instr, Call)
            for op in thread_operations(self.calls.targets[instr.id])
        )

    @cached_property
    def has_detail(self) -> bool:
        """Whether there are flags or loops for which a net that follows values differs from one that does not."""
        return bool(self.flags) or any(self.counting(function) for function in self.program.functions.values())

    def notes(self) -> Iterator[str]:
        """What orders threads in the program and nothing in any net."""
        sites = {Sync.BARRIER_WAIT: "barriers", Sync.ONCE: "once-objects"}
        followed = {call.id for place in (*self.barriers, *self.once) for call, _ in self.uses.operations[place]}
        for kind, what in sites.items():
            if any(
                op.kind is kind and site not in followed
                for site, targets in self.calls.targets.items()
                for op in thread_operations(targets)
            ):
                yield f"{what} that are not certain to be one object, used as such alone, order nothing in the net"

    def _find_outside(self) -> tuple[str, ...]:
        found = dict.fromkeys(self.program.listed_functions("llvm.global_dtors"))
        for targets in self.calls.targets.values():
            found.update(dict.fromkeys((*targets.at_end, *targets.any_time)))
        found.update(dict.fromkeys(sorted(self.calls.from_outside)))
        found.update((t.start, None) for t in self.cp.threads.values() if t.created_at is None and t.id != MAIN)
        return tuple(name for name in found if name in self.program.functions)

    def _called_in(self, function: Function) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for call in calls_in(function):
            targets = self.calls.targets[call.id]
            found.update(dict.fromkeys((*targets.functions, *targets.callbacks)))
        return tuple(found)

    def _find_semaphores(self) -> bool:
        for function in self.program.functions.values():
            for call in calls_in(function):
                targets = self.calls.targets[call.id]
                if self.may_release_all(targets):
                    return False
                for op in thread_operations(targets):
                    if op.kind is Sync.SEM_INIT and initial_value(call, op) is None:
                        return False
        return True

    def is_counted(self, semaphore: Place) -> bool:
        variable = self.program.globals[semaphore[0]]
        is_plain = not variable.initial and variable.initial_complete and semaphore[0] not in self.overwritten
        return self.may_count and is_plain

    def may_release_all(self, targets: CallTargets) -> bool:
        """Code that nothing describes, which has pointers to locks or may run functions of the program."""
        return targets.is_unknown and (targets.may_release_any or bool(self.calls.from_outside))

    def runs_own(self, call: Call) -> bool:
        """Whether the function that a call hands over is certainly one of the program."""
        return any(isinstance(arg, Address) and arg.symbol in self.program.functions for arg in call.args)

    def block(self, function: Function, label: str) -> int:
        known = self._blocks.get(function.name)
        if known is None:
            known = self._blocks[function.name] = {block.label: i for i, block in enumerate(function.blocks)}
        return known[label]

    def released(self, function: Function, call: Call) -> frozenset[str] | None:
        """Global variables whose locks the call itself may give back; "" is the atomic section, None: any."""
        targets = self.calls.targets[call.id]
        if self.may_release_all(targets):
            return None
        found: frozenset[str] = frozenset()
        for op in thread_operations(targets):
            if op.kind is Sync.ATOMIC_END:
                found |= {""}
            elif op.kind is Sync.WAIT:
                place = self.place(function, call, op.lock_arg)
                if place is None:
                    return None
                found |= {place[0]}
            elif op.kind in RELEASING:
                if targets.may_lock_in is None:
                    return None
                found |= targets.may_lock_in
        return found

    def place(self, function: Function, call: Call, index: int | None) -> Place | None:
        """Where an argument points, whoever called the function."""
        if index is None or index >= len(call.args):
            return None
        return self.pointers.place(function, call.args[index], unknown_arguments(function))


def assumes(targets: CallTargets) -> bool:
    """A call that goes on only where its argument holds, and nothing else."""
    is_one = len(targets.externals) == 1 and not targets.functions and not targets.is_unknown
    return is_one and is_assumption(targets.externals[0])


def calls_in(function: Function) -> list[Call]:
    return [instr for block in function.blocks for instr in block.body if isinstance(instr, Call)]


def initial_value(call: Call, op: SyncOp) -> int | None:
    """Of a semaphore, if it is a constant."""
    if op.count is None or op.count >= len(call.args):
        return None
    value = call.args[op.count]
    return value.value if isinstance(value, IntConst) and value.value >= 0 else None
