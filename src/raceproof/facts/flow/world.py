"""Whole-program facts that need no flow: who touches what, what other threads can reach, which calls matter.

`may_escape`: objects that more than one thread may reach, because a global, a thread's argument or the outside
world leads to them. All other objects belong to the thread that made them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from raceproof.core import Budget, InputError, SourcePos, strongly_connected
from raceproof.facts.call_targets import call_graph, installs_handlers, joins_may_be_refused
from raceproof.facts.flow.callbacks import Callbacks
from raceproof.facts.flow.doubtful_mutexes import doubtful_mutexes
from raceproof.facts.flow.function_info import FunctionInfo, function_info
from raceproof.facts.flow.library_thread_locals import LibraryThreadLocals
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.member_strings import within_its_array
from raceproof.facts.flow.purity import is_pure
from raceproof.facts.flow.touches import (
    FILLED,
    KEPT,
    MemoryTouch,
    fills_new_object,
    touches_of,
    touches_of_callbacks,
    touches_of_state,
    touches_of_streams,
)
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.libc import effect_of, known_effect
from raceproof.facts.library.libc_stdio import STREAM_BUFFERS
from raceproof.facts.library.state_touches import LibraryState
from raceproof.facts.library.sync_api import SET_SPECIFIC, is_atomic_function, sync_op
from raceproof.facts.models import KnownFunctions, operation_of
from raceproof.facts.pointers.calls import INLINE_ASSEMBLY
from raceproof.facts.pointers.execution_counts import RETURNS_TWICE
from raceproof.facts.pointers.points_to import PointsTo
from raceproof.ir import (
    Address,
    Call,
    CompareExchange,
    Fence,
    Function,
    FunctionModel,
    Gep,
    Instr,
    IntConst,
    IntType,
    Operand,
    Program,
    PtrType,
    Reg,
    Return,
    Rmw,
    SiteId,
    Store,
    Terminator,
    Unreachable,
)
from raceproof.model import AccessKind, MemLoc, ObjectId, ObjectKind

ORDERLESS = frozenset({Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD, Sync.CONDITION_INIT, Sync.SIGNAL})
ORDERLESS |= {Sync.BROADCAST, Sync.DETACH, Sync.LOCK_DESTROY}

SILENT = frozenset({"abort", "exit", "_exit", "ffs", "ffsl", "ffsll", "__VERIFIER_assume"})
"""Functions of the library that write nothing, lock nothing and unlock nothing before they come back, if they do."""
_CANCELS = "pthread_cancel"
MAX_TEST_BLOCKS = 4
_ALLOCATED = frozenset({ObjectKind.HEAP, ObjectKind.UNKNOWN})
"""What can be freed: freeing a variable is undefined."""
_NO_MEMORY = frozenset({ObjectKind.FUNCTION, ObjectKind.THREAD})


_Places = tuple[MemLoc, ...]


@dataclass(frozen=True, slots=True)
class TargetedTouch:
    """A touch with the locations that it may go to."""

    touch: MemoryTouch
    targets: tuple[MemLoc, ...]
    objects: frozenset[ObjectId]


@dataclass
class World:
    """Facts of the program apart from any flow; filled lazily, never changed once computed."""

    program: Program
    points_to: PointsTo
    budget: Budget
    known: KnownFunctions = field(default_factory=KnownFunctions)
    _infos: dict[str, FunctionInfo] = field(default_factory=dict)
    _touches: dict[SiteId, tuple[TargetedTouch, ...]] = field(default_factory=dict)
    _filled: dict[SiteId, TargetedTouch | None] = field(default_factory=dict)
    _reached: dict[frozenset[ObjectId], tuple[MemLoc, ...]] = field(default_factory=dict)
    _data: dict[tuple[AccessKind, int | None, int], tuple[_Places, _Places, frozenset[ObjectId]]] = field(
        default_factory=dict
    )
    _contents: dict[tuple[int | None, int], tuple[_Places, _Places]] = field(default_factory=dict)

    def info(self, name: str) -> FunctionInfo:
        if name not in self._infos:
            self._infos[name] = function_info(self.program.functions[name])
        return self._infos[name]

    def callees(self, call: Call) -> tuple[str, ...]:
        return self.points_to.callees(call.id)

    def sync_ops(self, call: Call) -> list[SyncOp]:
        """Thread operations that the call may be; a program's own function of that name is just a function."""
        ops = (self.sync_op(call, name) for name in self.callees(call))
        return [op for op in ops if op is not None]

    def sync_op(self, call: Call, name: str) -> SyncOp | None:
        """The thread operation that the call is if it calls `name`: by the user's models or by the library's tables."""
        model = self.known.locks.get(name)
        if model is None:
            return sync_op(name) if name not in self.program.functions else None
        operation = operation_of(model, self.known.positions[name])
        if operation.arg is None or (
            operation.arg < len(call.args) and isinstance(call.arg_types[operation.arg], PtrType)
        ):
            return operation
        if isinstance(call.callee, Address):
            raise InputError(f"the lock model says that {model}, but here there is no such pointer", call.pos)
        return None  # a pointer to a function of another type

    def touches(self, function: Function, instr: Instr | Terminator) -> tuple[TargetedTouch, ...]:
        found = self._touches.get(instr.id)
        if found is None:
            self.budget.check()
            found = self._own_touches(function, instr)
            if isinstance(instr, Call) and self.may_touch_kept(instr):
                found += self._kept_touches(found)
            self._touches[instr.id] = found
        return found

    def _own_touches(self, function: Function, instr: Instr | Terminator) -> tuple[TargetedTouch, ...]:
        """Without what unknown functions do to memory that they were given before."""
        names = [n for n in self.callees(instr) if n not in self.known.locks] if isinstance(instr, Call) else ()
        touches = touches_of(self.program, instr, names)
        if isinstance(instr, Call) and touches:
            definitions = self.info(function.name).definitions
            touches = tuple(within_its_array(touch, definitions) for touch in touches)
        if isinstance(instr, Call) and (foreign := self.points_to.foreign_starts(instr.id)):
            touches += touches_of_callbacks(self.program, instr, names, foreign)
        if isinstance(instr, Call) and self.points_to.static_location(STREAM_BUFFERS):
            touches += touches_of_streams(name for name in names if name not in self.program.functions)
        if isinstance(instr, Call):
            outside = [name for name in names if name not in self.program.functions]
            touches += touches_of_state(self._library_state, instr, outside)
            touches += tuple(self._library_thread_locals.touches(outside))
        return tuple(self._target(function, instr, touch) for touch in touches)

    @cached_property
    def _library_thread_locals(self) -> LibraryThreadLocals:
        return LibraryThreadLocals(self.program, self.points_to)

    def may_touch_kept(self, call: Call) -> bool:
        """Whether the call may run an unknown function, which may use what it, or another one, was given before."""
        names = (*self.callees(call), *self.points_to.foreign_starts(call.id))
        return any(name != INLINE_ASSEMBLY and self.is_unknown(name) for name in names)

    def _kept_touches(self, own: Iterable[TargetedTouch]) -> tuple[TargetedTouch, ...]:
        """What a call of an unknown function does to memory that it is not given by this call."""
        given = {o for touch in own if touch.touch.reach and touch.touch.kind.writes for o in touch.objects}
        targets = tuple(loc for loc in self.kept if loc.object not in given and loc.object not in self._constants)
        return (TargetedTouch(KEPT, targets, frozenset(t.object for t in targets)),) if targets else ()

    @cached_property
    def kept(self) -> tuple[MemLoc, ...]:
        """What an unknown function may use, whoever calls it: memory that the program has given to such functions, and
        their own, if the program uses that (their races on what only they use are not the program's)."""
        outside = self.points_to.outside
        for function, instr in self.instructions.values():
            if isinstance(instr, Call):
                called = [name for name in self.callees(instr) if name not in self.program.functions]
                if all(map(self.is_unknown, called)):
                    continue
            if any(outside in touch.objects for touch in self._own_touches(function, instr)):
                return (*self.points_to.kept_by_unknown(), MemLoc(outside, None, None))
        return self.points_to.kept_by_unknown()

    @cached_property
    def kept_by(self) -> dict[ObjectId, tuple[str, ...]]:
        """The unknown functions that may have kept pointers to an object, as far as calls tell."""
        found: dict[ObjectId, dict[str, None]] = {}
        for function, instr in self.instructions.values():
            if isinstance(instr, Call) and (unknown := [n for n in self.callees(instr) if self.is_unknown(n)]):
                for touch in self._own_touches(function, instr):
                    for target in touch.objects if touch.touch.reach else ():
                        found.setdefault(target, {}).update(dict.fromkeys(unknown))
        return {identity: tuple(names) for identity, names in found.items()}

    def touch(self, site: SiteId, index: int) -> TargetedTouch:
        """One touch of an instruction, by its index in `touches`, or the one that `filled` gives."""
        function, instr = self.instructions[site]
        found = self.filled(instr) if index == FILLED and isinstance(instr, Call) else None
        return found if found is not None else self.touches(function, instr)[index]

    def filled(self, call: Call) -> TargetedTouch | None:
        """The library's write to objects that the call makes. It is none of `touches`: whoever asks what may change a
        place that is there already need not know of it."""
        if call.id not in self._filled:
            names = [n for n in self.callees(call) if n not in self.known.locks]
            made = self.points_to.object_of_site(call.id) if fills_new_object(self.program, call, names) else ()
            heap = [o for o in made if self.points_to.objects[o].kind is ObjectKind.HEAP]
            touch = MemoryTouch(AccessKind.WRITE, call.result or IntConst(0, 64), None)
            targets = tuple(MemLoc(o, 0, None) for o in heap)
            self._filled[call.id] = TargetedTouch(touch, targets, frozenset(heap)) if heap else None
        return self._filled[call.id]

    def _target(self, function: Function, instr: Instr | Terminator, touch: MemoryTouch) -> TargetedTouch:
        if touch.static is not None:
            pointers = self.points_to.static_location(touch.static)
        else:
            is_direct = not touch.deref and not touch.reach
            pointers = self._counted_elements(function, instr, touch.address) if is_direct else ()
            pointers = pointers or self.points_to.targets(function.name, touch.address)
        for level in range(touch.deref):
            pointers = self._stored_at(pointers, None if level else touch.place)
        if touch.reach:
            pointers = self._reachable_memory(frozenset(p.object for p in pointers))
        return self._targeted(touch, pointers)

    def _targeted(self, touch: MemoryTouch, pointers: tuple[MemLoc, ...]) -> TargetedTouch:
        """Where the touch goes to, of where its pointer leads. Pointers that may lead anywhere share one answer, which
        is as long as the program is large."""
        key = (touch.kind, touch.size, id(pointers))  # which stays its own as long as the answer holds it
        known = self._data.get(key)
        if known is None:
            found = pointers
            if touch.kind is AccessKind.FREE:
                allocated = (p.object for p in pointers if self.points_to.objects[p.object].kind in _ALLOCATED)
                found = tuple(MemLoc(target, None, None) for target in dict.fromkeys(allocated))
            data = [p for p in found if self.points_to.objects[p.object].kind not in _NO_MEMORY]
            if touch.kind.writes:
                data = [p for p in data if p.object not in self._constants]
            targets = tuple(p if p.size == touch.size else replace(p, size=touch.size) for p in data)
            known = self._data[key] = pointers, targets, frozenset(t.object for t in targets)
        return TargetedTouch(touch, *known[1:])

    def _stored_at(self, pointers: tuple[MemLoc, ...], size: int | None) -> tuple[MemLoc, ...]:
        """What pointers of that many bytes may be stored where these point to."""
        key = (size, id(pointers))
        known = self._contents.get(key)
        if known is None:
            places = [replace(loc, size=size) for loc in pointers]
            known = self._contents[key] = pointers, self.points_to.contents_of(places)
        return known[1]

    def _reachable_memory(self, roots: frozenset[ObjectId]) -> tuple[MemLoc, ...]:
        if roots not in self._reached:
            self._reached[roots] = tuple(MemLoc(o, None, None) for o in sorted(self.reachable(roots)))
        return self._reached[roots]

    def _counted_elements(self, function: Function, instr: Instr | Terminator, address: Operand) -> tuple[MemLoc, ...]:
        """Where an index that counts with constant bounds leads, from an array that begins at a known place."""
        info = self.info(function.name)
        gep = info.definitions.get(address.name) if isinstance(address, Reg) else None
        if not isinstance(gep, Gep) or len(gep.terms) != 1 or gep.terms[0].scale <= 0:
            return ()
        numbers = info.index_range(gep.terms[0].index, info.block_of[instr.id])
        bases = self.points_to.targets(function.name, gep.base) if numbers else ()
        if not numbers or any(base.offset is None or base.stride is not None for base in bases):
            return ()
        low, stride = min(numbers), gep.terms[0].scale * abs(numbers.step)
        return tuple(
            MemLoc(base.object, base.offset + gep.offset + gep.terms[0].scale * low, None, stride, len(numbers))
            for base in bases
            if base.offset is not None
        )

    @cached_property
    def _constants(self) -> frozenset[ObjectId]:
        """String literals, tables and variables that C calls const: nobody can write them (C11 6.7.3p6, 6.4.5p7)."""
        variables = self.program.globals.items()
        found = (self.points_to.object_of_symbol(n) for n, v in variables if v.is_constant and not v.is_external)
        return frozenset(o for o in found if o is not None)

    @cached_property
    def _library_state(self) -> LibraryState:
        return LibraryState(self.program)

    @cached_property
    def callbacks(self) -> Callbacks:
        return Callbacks(self)

    def is_unknown(self, name: str) -> bool:
        """An external function that no table describes."""
        if name in self.program.functions or name in self.known.locks:
            return False
        return effect_of(name, self.program) is None and sync_op(name) is None

    def described(self, name: str) -> FunctionModel | None:
        """What the user says about an external function, if that is what counts."""
        if name in self.program.functions or known_effect(name) is not None:
            return None
        external = self.program.externals.get(name)
        return external.model if external is not None else None

    def reachable(self, roots: Iterable[ObjectId]) -> frozenset[ObjectId]:
        """Objects that can be reached through memory from `roots`, these included."""
        seen = set(roots)
        work = list(seen)
        while work:
            for target in self.points_to.contents(MemLoc(work.pop(), None, None)):
                if target.object not in seen:
                    seen.add(target.object)
                    work.append(target.object)
        return frozenset(seen)

    @cached_property
    def may_escape(self) -> frozenset[ObjectId]:
        objects = self.points_to.objects
        roots = {o for o, m in objects.items() if m.kind in (ObjectKind.GLOBAL, ObjectKind.UNKNOWN)}
        roots |= self.points_to.escaped_objects
        for function in self.program.functions.values():
            for instr in function.instructions():
                if isinstance(instr, Call):
                    for op in self.sync_ops(instr):
                        if op.kind is Sync.CREATE and op.start_arg is not None:
                            arg = instr.args[op.start_arg]
                            roots |= {p.object for p in self.points_to.targets(function.name, arg)}
                    roots |= self.callbacks.given_to_handlers(function, instr)
        return self.reachable(roots)

    @cached_property
    def call_graph(self) -> dict[str, tuple[str, ...]]:
        graph = {}
        for name, function in self.program.functions.items():
            called: dict[str, None] = {}
            for instr in function.instructions():
                if isinstance(instr, Call):
                    called.update(dict.fromkeys(self.called_now(instr)))
            graph[name] = tuple(called)
        return graph

    def called_now(self, call: Call) -> list[str]:
        """Functions of the program that may run before the call returns."""
        names = [*self.callees(call), *(self.points_to.thread_starts(call.id) if self._calls_now(call) else ())]
        return [name for name in names if name in self.program.functions]

    def _calls_now(self, call: Call) -> bool:
        """The library may run functions that it is given before it returns: `pthread_once`, `qsort`."""
        if any(op.kind is Sync.ONCE for op in self.sync_ops(call)):
            return True
        effects = (effect_of(name, self.program) for name in self.callees(call) if name not in self.program.functions)
        return any(effect is not None and any(not c.later for c in effect.calls) for effect in effects)

    @cached_property
    def _bottom_up(self) -> list[list[str]]:
        return strongly_connected(self.call_graph, lambda name: self.call_graph[name])

    @cached_property
    def rank(self) -> dict[str, int]:
        """Callees have a lower rank than callers, but for recursion."""
        return {name: i for i, component in enumerate(self._bottom_up) for name in component}

    def propagate(self, own: Mapping[str, int]) -> dict[str, int]:
        """Unite bit sets over the call graph: a function gets its callees' bits."""
        result = dict(own)
        for component in self._bottom_up:
            bits = 0
            for name in component:
                bits |= own[name]
                for callee in self.call_graph[name]:
                    bits |= result[callee]
            for name in component:
                result[name] = bits
        return result

    def _object_bits(self, writes: bool) -> dict[str, int]:
        own = {}
        for name, function in self.program.functions.items():
            bits = 0
            for instr in function.instructions():
                for targeted in self.touches(function, instr):
                    kind = targeted.touch.kind
                    if kind.writes if writes else kind is not AccessKind.FREE:
                        for target in targeted.objects:
                            bits |= 1 << target
            own[name] = bits
        return own

    @cached_property
    def may_modify(self) -> dict[str, int]:
        """Function -> objects that it or its callees may write, as bits."""
        return self.propagate(self._object_bits(writes=True))

    @cached_property
    def may_refer(self) -> dict[str, int]:
        """Function -> objects that it or its callees may read or write, as bits."""
        return self.propagate(self._object_bits(writes=False))

    @cached_property
    def may_unlock(self) -> dict[str, int]:
        """Function -> objects with locks that it or its callees may give back, as bits."""
        called_back = self._bits(self.unlocked_by_callbacks)
        own = {name: bits | (called_back if name in self._calls_unknown else 0) for name, bits in self._unlocks.items()}
        return self.propagate(own)

    @cached_property
    def unlocked_by_callbacks(self) -> frozenset[ObjectId]:
        """Objects with locks that unknown code may give back by calling functions of the program that it has."""
        bits, unlocked = 0, self.propagate(self._unlocks)
        for name in self.points_to.escaped_functions & self.program.functions.keys():
            bits |= unlocked[name]
        return frozenset(ObjectId(i) for i in range(bits.bit_length()) if bits >> i & 1)

    @cached_property
    def _unlocks(self) -> dict[str, int]:
        """`may_unlock` of each function alone, without what unknown code calls back."""
        own = {}
        for name, function in self.program.functions.items():
            bits = 0
            for instr in function.instructions():
                if isinstance(instr, Call):
                    for op in self.sync_ops(instr):
                        if op.kind in (Sync.UNLOCK, Sync.SEM_POST) and op.arg is not None:
                            for target in self.points_to.targets(name, instr.args[op.arg]):
                                bits |= 1 << target.object
                    if any(map(self.is_unknown, self.callees(instr))):
                        for targeted in self.touches(function, instr):
                            bits |= self._bits(targeted.objects)
                elif isinstance(instr, Store) and instr.order is not None:  # may clear a spin lock
                    for targeted in self.touches(function, instr):
                        for identity in targeted.objects:
                            bits |= 1 << identity
            own[name] = bits
        return own

    def _bits(self, objects: Iterable[ObjectId]) -> int:
        bits = 0
        for target in objects:
            bits |= 1 << target
        return bits

    @cached_property
    def thread_bound(self) -> frozenset[str]:
        """Functions in which it matters which thread runs them, apart from the state: see `Flow.enter`."""
        kinds = frozenset({Sync.CREATE, Sync.JOIN, Sync.EXIT, Sync.SELF, Sync.SEM_POST, Sync.BARRIER_WAIT})
        own = {
            name: int(self._has_sync(function, kinds) or self._calls_back_or_twice(function))
            for name, function in self.program.functions.items()
        }
        return frozenset(name for name, bits in self.propagate(own).items() if bits)

    @cached_property
    def uses_setjmp(self) -> bool:
        return any(
            isinstance(instr, Call) and RETURNS_TWICE & set(self.callees(instr))
            for function in self.program.functions.values()
            for instr in function.instructions()
        )

    def _calls_back_or_twice(self, function: Function) -> bool:
        """It registers handlers, gives functions to unknown ones, or calls setjmp."""
        return any(
            bool(self.callbacks.given_by(function, instr) or self.callbacks.run_within(instr))
            or any(name in RETURNS_TWICE or self.callbacks.calls_later(name) for name in self.callees(instr))
            for instr in function.instructions()
            if isinstance(instr, Call)
        )

    @cached_property
    def may_set_specific(self) -> frozenset[str]:
        """Functions that may change thread-specific data, directly or through calls."""
        own = {
            name: int(any(isinstance(i, Call) and SET_SPECIFIC & set(self.callees(i)) for i in function.instructions()))
            for name, function in self.program.functions.items()
        }
        return frozenset(name for name, bits in self.propagate(own).items() if bits)

    @cached_property
    def may_spawn(self) -> frozenset[str]:
        """Functions that may create threads, directly or through calls."""
        own = {name: int(self._has_sync(f, frozenset({Sync.CREATE}))) for name, f in self.program.functions.items()}
        return frozenset(name for name, bits in self.propagate(own).items() if bits)

    @cached_property
    def may_end_thread(self) -> frozenset[str]:
        """Functions in which the thread that runs them may end: all, if threads are cancelled."""
        return frozenset(self.program.functions) if self.cancels else self._may_call_exit | self.may_call_unknown

    @cached_property
    def may_call_unknown(self) -> frozenset[str]:
        """Functions that may call code that nothing describes: it may end the thread."""
        own = {name: int(name in self._calls_unknown) for name in self.program.functions}
        return frozenset(name for name, bits in self.propagate(own).items() if bits)

    @cached_property
    def _calls_unknown(self) -> frozenset[str]:
        """Functions that call such code themselves."""
        return frozenset(
            name
            for name, function in self.program.functions.items()
            if any(isinstance(i, Call) and any(map(self.is_unknown, self.callees(i))) for i in function.instructions())
        )

    @cached_property
    def _may_call_exit(self) -> frozenset[str]:
        own = {name: int(self._has_sync(f, frozenset({Sync.EXIT}))) for name, f in self.program.functions.items()}
        return frozenset(name for name, bits in self.propagate(own).items() if bits)

    @cached_property
    def may_interrupt_waits(self) -> bool:
        return installs_handlers(self.program)

    @cached_property
    def may_refuse_joins(self) -> bool:
        return joins_may_be_refused(self.program, call_graph(self.program, self.points_to))

    @cached_property
    def cancels(self) -> bool:
        """Threads may be ended by others, or by a handler that interrupts them."""
        handlers = {
            *self.callbacks.from_the_start,
            *(name for given, _ in self.callbacks.gives_away.values() for name in given),
        }
        return _CANCELS in self.program.externals or not handlers.isdisjoint(self._may_call_exit)

    @cached_property
    def silent(self) -> frozenset[str]:
        """Functions that write nothing and take or give back no lock, nor do those that they call."""
        outside = SILENT - self.program.functions.keys() - self.known.locks.keys()
        own = {name: int(not self._is_silent(f, outside)) for name, f in self.program.functions.items()}
        return outside | {name for name, bits in self.propagate(own).items() if not bits}

    @cached_property
    def pure(self) -> frozenset[str]:
        """Functions whose result is a number that only their arguments decide."""
        own = {name: int(not is_pure(f, self.program)) for name, f in self.program.functions.items()}
        return frozenset(name for name, bits in self.propagate(own).items() if not bits)

    def _is_silent(self, function: Function, outside: frozenset[str]) -> bool:
        for instr in function.instructions():
            match instr:
                case Store() | Rmw() | CompareExchange() | Fence():
                    return False
                case Call(callee=Address(symbol=name, offset=0)):
                    if name not in self.program.functions and name not in outside:
                        return False
                case Call():
                    return False
        return not is_atomic_function(function.name) and function.name not in self.known.locks

    @cached_property
    def calls_to_spawn(self) -> dict[str, int]:
        """Function that may create threads -> how many calls it takes at least until one is created."""
        callers: dict[str, list[str]] = {}
        for name, called in self.call_graph.items():
            for callee in called:
                callers.setdefault(callee, []).append(name)
        create = frozenset({Sync.CREATE})
        found = {name: 0 for name, function in self.program.functions.items() if self._has_sync(function, create)}
        work = deque(found)
        while work:
            name = work.popleft()
            for caller in callers.get(name, ()):
                if caller not in found:
                    found[caller] = found[name] + 1
                    work.append(caller)
        return found

    @cached_property
    def relevant(self) -> frozenset[str]:
        """Functions whose calls must be followed: they synchronise, touch what threads may share, tell by coming
        back what they were given, or compute an index in one go."""
        escaping = 0
        for target in self.may_escape:
            escaping |= 1 << target
        ordering = frozenset(Sync) - ORDERLESS
        own = {}
        for name, function in self.program.functions.items():
            is_relevant = (
                bool(self._own_objects(function) & escaping)
                or self._calls_back_or_twice(function)
                or (name in self._calls_unknown and bool(self.unlocked_by_callbacks))
                or is_atomic_function(name)
                or self._has_sync(function, ordering)
                or (isinstance(function.returns, PtrType) and len(function.blocks) <= 8)  # may return a lock
            )
            own[name] = int(is_relevant)
        followed = frozenset(name for name, bits in self.propagate(own).items() if bits)
        functions = self.program.functions
        formulas = {name for name in self.pure if len(functions[name].blocks) == 1}
        return followed | formulas | {name for name, function in functions.items() if _tests_argument(function)}

    def _own_objects(self, function: Function) -> int:
        bits = 0
        for instr in function.instructions():
            for targeted in self.touches(function, instr):
                for target in targeted.objects:
                    bits |= 1 << target
        return bits

    def _has_sync(self, function: Function, kinds: frozenset[Sync]) -> bool:
        return any(
            op.kind in kinds
            for instr in function.instructions()
            if isinstance(instr, Call)
            for op in self.sync_ops(instr)
        )

    @cached_property
    def doubtful_mutexes(self) -> dict[ObjectId, frozenset[int]]:
        return doubtful_mutexes(self)

    @cached_property
    def lock_places(self) -> dict[ObjectId, tuple[MemLoc, ...]]:
        """Where the locks are that some operation may be about."""
        found: dict[ObjectId, dict[MemLoc, None]] = {}
        kinds = (Sync.LOCK, Sync.TRYLOCK, Sync.SEM_WAIT, Sync.SEM_TRYWAIT)
        for function in self.program.functions.values():
            for instr in function.instructions():
                if isinstance(instr, Call):
                    for op in self.sync_ops(instr):
                        if op.kind in kinds and op.arg is not None:
                            for place in self.points_to.targets(function.name, instr.args[op.arg]):
                                found.setdefault(place.object, {})[place] = None
        return {identity: tuple(places) for identity, places in found.items()}

    @cached_property
    def lock_objects(self) -> frozenset[ObjectId]:
        """Objects that some lock operation may be about."""
        return frozenset(self.lock_places)

    @cached_property
    def safe_functions(self) -> frozenset[str]:
        """Functions that the user calls safe, and those that only they call."""
        if not self.known.safe:
            return frozenset()
        program = self.program
        roots = {program.entry, *self.callbacks.from_the_start}
        for function in program.functions.values():
            for instr in function.instructions():
                if isinstance(instr, Call) and not any(op.kind is Sync.ONCE for op in self.sync_ops(instr)):
                    roots.update(self.points_to.thread_starts(instr.id))
                    roots.update(self.callbacks.given_by(function, instr))
        outside = {name for name in roots if name not in self.known.safe}
        work = sorted(outside)
        while work:
            for callee in self.call_graph[work.pop()]:
                if callee not in outside and callee not in self.known.safe:
                    outside.add(callee)
                    work.append(callee)
        return frozenset(program.functions.keys() - outside)

    @cached_property
    def unseen(self) -> frozenset[str]:
        """Functions that the flow may not see because a model stands for them: those modelled, and what they call."""
        found = self.called_by(*(name for name in self.known.locks if name in self.program.functions))
        refused = frozenset({Sync.CREATE, Sync.EXIT, Sync.BARRIER_WAIT})
        for function in map(self.program.functions.__getitem__, sorted(found)):
            if self._has_sync(function, refused):
                what = "it starts or ends threads or waits at a barrier"
                raise InputError(f"a lock model stands for `{function.source_name}`, but {what}", function.pos)
        return found

    def called_by(self, *names: str) -> frozenset[str]:
        """These functions and all that they may call."""
        seen = set(names)
        work = sorted(seen)
        while work:
            for callee in self.call_graph[work.pop()]:
                if callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        return frozenset(seen)

    @cached_property
    def _unseen_writes(self) -> dict[ObjectId, tuple[MemLoc, ...]]:
        found: dict[ObjectId, dict[MemLoc, None]] = {}
        for name in sorted(self.unseen):
            function = self.program.functions[name]
            for instr in function.instructions():
                for touch in self.touches(function, instr):
                    for target in touch.targets if touch.touch.kind.writes else ():
                        found.setdefault(target.object, {})[target] = None
        return {identity: tuple(targets) for identity, targets in found.items()}

    @cached_property
    def _writes(self) -> dict[ObjectId, tuple[MemLoc, ...]]:
        found: dict[ObjectId, dict[MemLoc, None]] = {}
        for function in self.program.functions.values():
            for instr in function.instructions():
                for touch in self.touches(function, instr):
                    for target in touch.targets if touch.touch.kind.writes else ():
                        found.setdefault(target.object, {})[target] = None
        return {identity: tuple(targets) for identity, targets in found.items()}

    def may_be_written(self, location: MemLoc) -> bool:
        """Some function may write there, other than by an operation on a lock, a condition or the like."""
        return any(overlap(location, other) for other in self._writes.get(location.object, ()))

    def may_change_unseen(self, location: MemLoc) -> bool:
        """A function that the flow does not see may write there."""
        return any(overlap(location, other) for other in self._unseen_writes.get(location.object, ()))

    def may_post_unseen(self, target: ObjectId) -> bool:
        """A function that the flow does not see may post a semaphore there."""
        return any(self.may_unlock[name] >> target & 1 for name in self.unseen)

    def executes_once(self, site: SiteId) -> bool:
        """At most once in a run."""
        return self.points_to.executions.executes_once(site)

    @cached_property
    def instructions(self) -> dict[SiteId, tuple[Function, Instr | Terminator]]:
        return self.program.instructions_by_site()

    @cached_property
    def positions(self) -> dict[SiteId, SourcePos | None]:
        return {site: instr.pos for site, (_, instr) in self.instructions.items()}


def _tests_argument(function: Function) -> bool:
    """A few blocks that come back or not: `if (!argument) abort();`"""
    ends = [block.terminator for block in function.blocks]
    return (
        len(ends) <= MAX_TEST_BLOCKS
        and any(isinstance(parameter.type, IntType) for parameter in function.params)
        and any(isinstance(end, Unreachable) for end in ends)
        and any(isinstance(end, Return) for end in ends)
    )
