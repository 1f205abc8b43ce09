"""What each call of the program may run: the call graph of points-to and the tables of the library, put together.

Errs on the side of more. A call in a function that is never reached has no targets at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from raceproof.core import Unsupported
from raceproof.facts.detached_threads import joins_detached
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import OF_NO_OBJECT, sync_op
from raceproof.facts.mutex_kinds import has_fallible_locks
from raceproof.facts.pointers.calls import FROM_OUTSIDE, INLINE_ASSEMBLY
from raceproof.facts.pointers.points_to import PointsTo
from raceproof.ir import Address, Call, Function, IntConst, Operand, Program, PtrType, SiteId
from raceproof.model import CallGraph, CallTargets, ObjectId, ObjectKind

AT_END: Final = frozenset(
    {"atexit", "at_quick_exit", "on_exit", "__cxa_atexit", "pthread_key_create", "__pthread_key_create", "tss_create"}
)
_JUMPS: Final = frozenset(
    {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "llvm.eh.sjlj.setjmp", "longjmp", "siglongjmp", "_longjmp"}
    | {"getcontext", "setcontext", "swapcontext", "makecontext"}
)
_CANCELS: Final = frozenset(
    {"pthread_cancel", "_pthread_cleanup_push", "_pthread_cleanup_pop", "__pthread_register_cancel"}
    | {"__pthread_unwind_next", "pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np"}
)
_HANDLES: Final = frozenset(
    {"sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset", "sigvec", "ssignal"}
)
_OF_LOCKS: Final = frozenset({Sync.LOCK, Sync.TRYLOCK, Sync.UNLOCK, Sync.LOCK_INIT, Sync.LOCK_DESTROY})
_OF_SIGNALS: Final = frozenset(
    {Sync.SEM_INIT, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.SEM_POST, Sync.BARRIER_INIT, Sync.BARRIER_WAIT}
    | {Sync.WAIT, Sync.SIGNAL, Sync.BROADCAST}
)


def call_graph(program: Program, points_to: PointsTo) -> CallGraph:
    """The targets of every call."""
    classifier = _Classifier(program, points_to)
    targets: dict[SiteId, CallTargets] = {}
    for function in program.functions.values():
        for block in function.blocks:
            for instr in block.body:
                if isinstance(instr, Call):
                    targets[instr.id] = classifier.targets(function, instr)
    from_outside = points_to.escaped_functions & program.functions.keys()
    return CallGraph(targets, from_outside, joins_detached(program, points_to, targets))


def may_end_thread(program: Program, calls: CallGraph, by_unknown: bool = True) -> frozenset[str]:
    """Functions that may end the thread that runs them, by themselves or through what they call; `by_unknown`: code
    that nothing describes may do that, too."""
    callers: dict[str, set[str]] = {}
    found: set[str] = set()
    for function in program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Call):
                targets = calls.targets[instr.id]
                exits = any(op.kind is Sync.EXIT for op in map(sync_op, targets.externals) if op is not None)
                if exits or (by_unknown and targets.is_unknown):
                    found.add(function.name)
                for name in (*targets.functions, *targets.callbacks):
                    callers.setdefault(name, set()).add(function.name)
    work = sorted(found)
    while work:
        new = callers.get(work.pop(), set()) - found
        found |= new
        work += sorted(new)
    return frozenset(found)


def handlers_end_threads(program: Program, calls: CallGraph) -> bool:
    """What the outside world runs at any time may end the thread that it interrupts; unknown code that it calls is
    assumed not to."""
    return not handlers_of(calls).isdisjoint(may_end_thread(program, calls, by_unknown=False))


def handlers_of(calls: CallGraph) -> frozenset[str]:
    """Functions that the outside world may run at any time."""
    return calls.from_outside.union(*(targets.any_time for targets in calls.targets.values()))


def installs_handlers(program: Program) -> bool:
    """Whether functions of the program may run as signal handlers: a wait at a semaphore may then fail with EINTR."""
    return any(not _HANDLES.isdisjoint(names_of(name)) for name in program.externals)


def joins_may_be_refused(program: Program, calls: CallGraph) -> bool:
    """Whether a join may fail because its target is detached, or waits in a join for the caller (EDEADLK, glibc's
    choice).

    A thread learns the id of one that it has not created, and that may join it, by pthread_self; ids that creations
    write are joined by those who created them, or a join is not certain for other reasons.
    """
    if calls.joins_detached:
        return True
    uses_self, joins = False, set()
    edges: dict[str, set[str]] = {}
    starts: set[str] = set()
    for function in program.functions.values():
        for instr in function.instructions():
            if not isinstance(instr, Call):
                continue
            targets = calls.targets[instr.id]
            kinds = {op.kind for op in map(sync_op, targets.externals) if op is not None}
            uses_self |= Sync.SELF in kinds
            if Sync.JOIN in kinds:
                joins.add(function.name)
            edges.setdefault(function.name, set()).update(targets.functions, targets.callbacks)
            starts |= set(targets.starts or ())
    if not uses_self:
        return False
    reached, work = set(starts), sorted(starts)
    while work:
        new = edges.get(work.pop(), set()) - reached
        reached |= new
        work += sorted(new)
    return not reached.isdisjoint(joins)


def refuse_leaps(program: Program, calls: CallGraph) -> None:
    """Raise `Unsupported` where threads end, or go on elsewhere, than their code says: for engines that follow it."""
    for targets in calls.targets.values():
        if targets.starts is None:
            raise Unsupported("threads that start in a function which is not known")
        for name in (name for external in targets.externals for name in names_of(external)):
            if name in _JUMPS:
                raise Unsupported(f"jumps out of functions ({name})")
            if name in _CANCELS:
                raise Unsupported(f"threads that are cancelled, or locks that survive their owners ({name})")
    if handlers_end_threads(program, calls):
        raise Unsupported("threads that a handler may end")
    if joins_may_be_refused(program, calls):
        raise Unsupported("joins that may be refused: of a detached thread, or of threads that join one another")
    if has_fallible_locks(program, calls):
        raise Unsupported("mutexes with a priority ceiling, which may refuse a thread")


class _Classifier:
    def __init__(self, program: Program, points_to: PointsTo) -> None:
        self._program = program
        self._points_to = points_to
        self._symbols: dict[ObjectId, str] = {points_to.object_of_symbol(name): name for name in program.globals}
        self._plain: dict[tuple[str, ...], CallTargets] = {}

    def targets(self, function: Function, call: Call) -> CallTargets:
        names = tuple(n for n in self._points_to.callees(call.id) if n not in (FROM_OUTSIDE, INLINE_ASSEMBLY))
        is_direct = isinstance(call.callee, Address)
        if is_direct and names and names in self._plain:
            return self._plain[names]
        functions = tuple(n for n in names if n in self._program.functions)
        externals = tuple(n for n in names if n not in self._program.functions)
        if is_direct and names and not any(_is_special(n, self._program) for n in externals):
            plain = CallTargets(functions, externals, may_return=_may_return(externals, self._program))
            return self._plain.setdefault(names, plain)
        return self._special(function, call, functions, externals)

    def _special(
        self, function: Function, call: Call, functions: tuple[str, ...], externals: tuple[str, ...]
    ) -> CallTargets:
        operations = [op for op in map(sync_op, externals) if op is not None]
        run = self._points_to.thread_starts(call.id)
        now = any(op.kind is Sync.ONCE for op in operations) or any(_calls_now(n, self._program) for n in externals)
        starts: tuple[str, ...] | None = ()
        for op in operations:
            if op.kind is Sync.CREATE:
                known = op.start is not None and self._is_known_function(function, call, op.start)
                starts = run if known else None
        is_unknown = (
            any(effect_of(n, self._program) is None and sync_op(n) is None for n in externals)
            or (not externals and not functions)
            or (not isinstance(call.callee, Address) and self._is_from_outside(function, call.callee))
        )
        return CallTargets(
            functions=functions,
            externals=externals,
            callbacks=run if now else (),
            starts=starts,
            at_end=run if any(n in AT_END for n in externals) else (),
            any_time=run if any(_calls_any_time(n, self._program) for n in externals) else (),
            may_return=is_unknown or _may_return(externals, self._program),
            is_unknown=is_unknown,
            may_release_any=is_unknown
            and (self._has_kept_locks or any(_may_lead_to_lock(call, i) for i in range(len(call.args)))),
            may_lock_in=self._places(function, call, operations, _OF_LOCKS),
            may_signal_in=self._places(function, call, operations, _OF_SIGNALS),
        )

    def _places(
        self, function: Function, call: Call, operations: Sequence[SyncOp], kinds: frozenset[Sync]
    ) -> frozenset[str] | None:
        """Global variables that operations of these kinds may be about; None if that is not known."""
        places: set[str] = set()
        for op in operations:
            if op.kind in kinds and op.arg is not None:
                found = self._globals_behind(function, call, op.arg)
                if found is None:
                    return None
                places |= found
        return frozenset(places)

    @cached_property
    def _has_kept_locks(self) -> bool:
        """Whether unknown code may have kept pointers to what threads synchronise by."""
        kept = {loc.object for loc in self._points_to.kept_by_unknown()}
        for function in self._program.functions.values() if kept else ():
            for instr in function.instructions():
                for name in self._points_to.callees(instr.id) if isinstance(instr, Call) else ():
                    op = sync_op(name) if name not in self._program.functions else None
                    for index in (op.arg, op.lock_arg) if op is not None and op.kind not in OF_NO_OBJECT else ():
                        if isinstance(instr, Call) and index is not None and index < len(instr.args):
                            found = self._points_to.targets(function.name, instr.args[index])
                            if not kept.isdisjoint(t.object for t in found):
                                return True
        return False

    def _is_known_function(self, function: Function, call: Call, index: int) -> bool:
        if index >= len(call.args):
            return False
        objects = [self._points_to.objects[t.object] for t in self._points_to.targets(function.name, call.args[index])]
        return bool(objects) and all(o.kind is ObjectKind.FUNCTION for o in objects)

    def _is_from_outside(self, function: Function, operand: Operand) -> bool:
        found = self._points_to.targets(function.name, operand)
        return any(self._points_to.objects[t.object].kind is ObjectKind.UNKNOWN for t in found)

    def _globals_behind(self, function: Function, call: Call, index: int) -> set[str] | None:
        """Global variables that an argument may point to; None if that is not known."""
        if index >= len(call.args):
            return None
        found = self._points_to.targets(function.name, call.args[index])
        if not found or any(self._points_to.objects[t.object].kind is ObjectKind.UNKNOWN for t in found):
            return None
        return {self._symbols[t.object] for t in found if t.object in self._symbols}


def _is_special(name: str, program: Program) -> bool:
    """Whether there is more to say about a direct call of `name` than whether it returns."""
    effect = effect_of(name, program)
    return effect is None or bool(effect.calls) or sync_op(name) is not None


def _may_return(externals: tuple[str, ...], program: Program) -> bool:
    for name in externals:
        effect = effect_of(name, program)
        if effect is None or not effect.noreturn:
            return True
    return False


def _calls_now(name: str, program: Program) -> bool:
    effect = effect_of(name, program)
    return effect is not None and any(not c.later for c in effect.calls)


def _calls_any_time(name: str, program: Program) -> bool:
    effect = effect_of(name, program)
    return name not in AT_END and effect is not None and any(c.later for c in effect.calls)


def _may_lead_to_lock(call: Call, index: int) -> bool:
    return isinstance(call.arg_types[index], PtrType) and not isinstance(call.args[index], IntConst)
