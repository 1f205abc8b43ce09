"""Locks that are certainly held, and whether main may have company, by one walk over each function.

A lock is known by its address, where that is one place in an object of which there is one. What a call does is said by
a summary: the locks that the callee may give back or overwrite, those that it certainly takes and keeps, and whether
it may start a thread or give a function away. What holds where a function begins is what holds at all of its calls;
nothing is held where a thread or a callback begins.

    lock(&m);  f();  unlock(&m);        f is entered with m, unless somebody calls it without

Errs on the side of fewer locks and of more company.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from raceproof.facts.coarse.kinds import gives_away
from raceproof.facts.flow.overwriting import overwriting_sites
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.ir import Call, Function, SiteId, successors
from raceproof.model import Base, HeldLock, Linear, LockKind, LockMode, MemLoc, ObjectId, ObjectKind, of_atom

_UNDONE = frozenset({Sync.UNLOCK, Sync.LOCK_INIT, Sync.LOCK_DESTROY})
NO_LOCKS: frozenset[HeldLock] = frozenset()


@dataclass(frozen=True, slots=True)
class Situation:
    """`company`: threads, or functions that were given away, may run beside the one that is followed."""

    locks: frozenset[HeldLock]
    company: bool

    def join(self, other: Situation) -> Situation:
        return Situation(self.locks & other.locks, self.company or other.company)


NOTHING_KNOWN = Situation(NO_LOCKS, True)


@dataclass(frozen=True, slots=True)
class _Step:
    """What one instruction does: `lost` are places, `lost_objects` whole objects, as bits."""

    site: SiteId
    lost: tuple[MemLoc, ...]
    lost_objects: int
    gained: frozenset[HeldLock]
    calls: tuple[str, ...]
    called_back: tuple[str, ...]
    company: bool

    def after(self, before: Situation) -> Situation:
        locks = before.locks
        if locks and (self.lost or self.lost_objects):
            locks = frozenset(lock for lock in locks if not self._may_lose(lock))
        return Situation(locks | self.gained, before.company or self.company)

    def _may_lose(self, lock: HeldLock) -> bool:
        target = _object_of(lock)
        if self.lost_objects >> target & 1:
            return True
        at = lock.address.constant
        return any(p.object == target and (p.stride is not None or p.offset in (None, at)) for p in self.lost)


class Summaries:
    """What each function does to locks and company, apart from where it is called."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._steps: dict[str, dict[str, tuple[_Step, ...]]] = {}
        self._gained: dict[str, frozenset[HeldLock]] = {}
        for name in sorted(
            world.program.functions, key=world.rank.__getitem__
        ):  # callees first; recursion gains nothing
            ends: list[Situation] = []
            states = self.walk(name, Situation(NO_LOCKS, False))
            info = world.info(name)
            for label, state in states.items():
                if not successors(info.blocks[label].terminator):
                    for step in self.steps(name)[label]:
                        state = step.after(state)
                    ends.append(state)
            self._gained[name] = frozenset.intersection(*(end.locks for end in ends)) if ends else NO_LOCKS
            self._steps.pop(name)  # made with what was known of its callees then

    def walk(self, name: str, entry: Situation) -> dict[str, Situation]:
        """What holds at the beginning of each block."""
        self.world.budget.check()
        info = self.world.info(name)
        position = {label: i for i, label in enumerate(info.order)}
        states = {info.order[0]: entry}
        work = [0]
        while work:
            label = info.order[heapq.heappop(work)]
            state = states[label]
            for step in self.steps(name)[label]:
                state = step.after(state)
            for successor in successors(info.blocks[label].terminator):
                known = states.get(successor)
                joined = state if known is None else known.join(state)
                if joined != known:
                    states[successor] = joined
                    if position[successor] not in work:
                        heapq.heappush(work, position[successor])
        return states

    def steps(self, name: str) -> dict[str, tuple[_Step, ...]]:
        """The instructions of each block that change anything."""
        if name not in self._steps:
            function, info = self.world.program.functions[name], self.world.info(name)
            self._steps[name] = {
                label: tuple(
                    self._step(function, instr) if isinstance(instr, Call) else self._overwriting(function, instr.id)
                    for instr in info.blocks[label].body
                    if isinstance(instr, Call) or instr.id in self._overwriting_sites
                )
                for label in info.order
            }
        return self._steps[name]

    def _overwriting(self, function: Function, site: SiteId) -> _Step:
        return _Step(site, (), self._overwritten(function, site), NO_LOCKS, (), (), False)

    def _step(self, function: Function, call: Call) -> _Step:
        world = self.world
        callees = world.callees(call)
        models = world.known.locks
        inner = tuple(name for name in callees if name in world.program.functions and name not in models)
        called_back = tuple(name for name in world.called_now(call) if name not in callees)
        bits = self._overwritten(function, call.id) if call.id in self._overwriting_sites else 0
        for name in (*inner, *called_back):
            bits |= world.may_unlock[name] | self._may_overwrite[name]
        if any(map(world.is_unknown, callees)):
            bits |= _bits(o for touch in world.touches(function, call) for o in touch.objects)
        ops = world.sync_ops(call)
        lost = tuple(
            place
            for op in ops
            if op.kind in _UNDONE
            for place in (world.points_to.targets(function.name, call.args[op.arg]) if op.arg is not None else ())
        )
        gained = NO_LOCKS
        if len(callees) == 1:
            gained = self._gained.get(inner[0], NO_LOCKS) if inner else self._taken(function, call, ops)
        may_start = any(op.kind is Sync.CREATE for op in ops) or bool(gives_away(world, function, call))
        company = may_start or any(name in self.may_start for name in (*inner, *called_back))
        return _Step(call.id, lost, bits, gained, inner, called_back, company)

    def _taken(self, function: Function, call: Call, ops: Iterable[SyncOp]) -> frozenset[HeldLock]:
        """The lock that the call takes, if it certainly does, and it is known which one."""
        for op in ops:
            if op.kind is Sync.LOCK and not op.may_fail and op.arg is not None:
                address = self.only_place(function, call, op.arg)
                if address is not None:
                    mode = LockMode.SHARED if op.shared else LockMode.EXCLUSIVE
                    return frozenset({HeldLock(address, mode, LockKind.MUTEX, call.pos)})
        return NO_LOCKS

    def only_place(self, function: Function, call: Call, argument: int) -> Linear | None:
        """The address that the argument must be, if that is one place in a global variable, and nobody gives back the
        lock there behind our back."""
        targets = self.world.points_to.targets(function.name, call.args[argument])
        if len(targets) != 1 or targets[0].offset is None or targets[0].stride is not None:
            return None
        (place,) = targets
        found = self.world.points_to.objects[place.object]
        is_known = found.kind is ObjectKind.GLOBAL and found.is_single
        is_doubtful = place.object in self.world.doubtful_mutexes or place.object in self.world.unlocked_by_callbacks
        return of_atom(Base(place.object)).shifted(place.offset or 0) if is_known and not is_doubtful else None

    @cached_property
    def may_start(self) -> frozenset[str]:
        """Functions that may create threads or give functions away, directly or through calls."""
        own = {name: int(any(gives for gives in given)) for name, given in self.world.callbacks.gives_away.items()}
        given = {name for name, bits in self.world.propagate(own).items() if bits}
        return self.world.may_spawn | given

    @cached_property
    def _overwriting_sites(self) -> frozenset[SiteId]:
        return overwriting_sites(self.world)

    def _overwritten(self, function: Function, site: SiteId) -> int:
        _, instr = self.world.instructions[site]
        touches = self.world.touches(function, instr)
        return _bits(o for touch in touches if touch.touch.kind.writes for o in touch.objects)

    @cached_property
    def _may_overwrite(self) -> dict[str, int]:
        """Function -> objects with locks that it or its callees may overwrite, as bits."""
        own = dict.fromkeys(self.world.program.functions, 0)
        for site in self._overwriting_sites:
            function, _ = self.world.instructions[site]
            own[function.name] |= self._overwritten(function, site)
        return self.world.propagate(own)


class Followed:
    """What is known at each instruction, of threads that begin in one of `roots`."""

    def __init__(self, summaries: Summaries, roots: Iterable[str], company: bool) -> None:
        self._world = summaries.world
        self._summaries = summaries
        self._entries: dict[str, Situation] = {}
        self._before: dict[SiteId, Situation] = {}
        self._work: list[tuple[int, str]] = []
        for root in roots:
            self._enter(root, Situation(NO_LOCKS, company))
        while self._work:
            name = heapq.heappop(self._work)[1]
            for label, state in summaries.walk(name, self._entries[name]).items():
                for step in summaries.steps(name)[label]:
                    for callee in step.calls:
                        self._enter(callee, state)
                    for callee in step.called_back:
                        self._enter(callee, Situation(NO_LOCKS, state.company or step.company))
                    state = step.after(state)
        for name, entry in self._entries.items():
            self._note(name, entry)

    def before(self, site: SiteId) -> Situation | None:
        """None where no thread of these comes."""
        situation = self._before.get(site)
        return NOTHING_KNOWN if situation is not None and self._world.uses_setjmp else situation

    def _enter(self, name: str, state: Situation) -> None:
        known = self._entries.get(name)
        joined = state if known is None else known.join(state)
        if joined != known:
            self._entries[name] = joined
            item = (-self._world.rank[name], name)
            if item not in self._work:
                heapq.heappush(self._work, item)

    def _note(self, name: str, entry: Situation) -> None:
        function, info = self._world.program.functions[name], self._world.info(name)
        for label, state in self._summaries.walk(name, entry).items():
            steps = {step.site: step for step in self._summaries.steps(name)[label]}
            for instr in (*info.blocks[label].body, info.blocks[label].terminator):
                step = steps.get(instr.id)
                beside = state
                if step is not None:
                    if isinstance(instr, Call) and gives_away(self._world, function, instr):
                        beside = Situation(state.locks, True)  # what is given away may run before the call returns
                    state = step.after(state)
                self._before[instr.id] = beside


def _object_of(lock: HeldLock) -> ObjectId:
    (atom,) = lock.address.atoms()
    if not isinstance(atom, Base):
        raise TypeError("a lock that is known by its place lies in an object")
    return atom.object


def _bits(objects: Iterable[ObjectId]) -> int:
    bits = 0
    for target in objects:
        bits |= 1 << target
    return bits
