"""Check the record of a run, step by step, against the specification of the thread API and the memory model.

Nothing here is shared with the runtime that made the record: what an operation may return in a state, and what it
orders, comes from `raceproof.spec`; what each site of the program is, from its IR. A record that breaks a rule is
rejected with the step and the reason; one that leaves the specification (an operation that it does not have, behaviour
that the standards leave undefined) is not confirmed.
"""

from __future__ import annotations

import errno
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from raceproof.evidence.claims import Ruling, accepted, not_confirmed, rejected
from raceproof.evidence.control_flow import ControlFlow
from raceproof.evidence.happens_before import ORDERS, AtomicOrder, Span
from raceproof.evidence.trace_sites import access_problem, site_problem, span_of
from raceproof.ir import Address, Call, MemoryOrder, SiteId
from raceproof.model import AccessId, ConcurrentProgram, Deadlock, Role, RunStep, Schedule
from raceproof.spec import (
    FUNCTIONS,
    ApiFunction,
    BarrierState,
    Basis,
    Clock,
    CondState,
    Edge,
    Family,
    Kind,
    MutexState,
    ObjectState,
    ObjectType,
    OnceState,
    Operation,
    RwlockState,
    SemState,
    Step,
    ThreadState,
    World,
    function,
)

_KINDS = (Kind.DEFAULT, Kind.RECURSIVE, Kind.ERRORCHECK)
_ROBUST = 4
_ATOMIC = ("atomic load", "atomic store", "atomic update", "compare-exchange")
_PLAIN = ("read", "write", "free")
_SECTION = "atomic section"
_SECTIONS = {"atomic begin": "__VERIFIER_atomic_begin", "atomic end": "__VERIFIER_atomic_end"}
_ENTER = (Operation(ObjectType.ONCE, "enter"),)
_ROUTINE_ENDS = {
    "once done": ApiFunction("pthread_once", Family.VOID, (_ENTER, (Operation(ObjectType.ONCE, "finish"),))),
    "once left": ApiFunction("pthread_once", Family.VOID, (_ENTER, (Operation(ObjectType.ONCE, "leave"),))),
}
"""The routine of a once-control returns, or its thread ends in it."""
Names = list[Hashable]
"""Of the objects of a call, one for each argument that has one."""
_THREAD_EXITS = ("pthread_exit", "thrd_exit")
_TRIES_TO_JOIN = frozenset(name for name, api in FUNCTIONS.items() if api.phases[0][0].name in ("tryjoin", "timedjoin"))


class Broken(Exception):
    """A rule that the record breaks, at the line with that number, from 1."""

    def __init__(self, line: int, step: RunStep | None, why: str) -> None:
        at = f"line {line}, step {step.thread}.{step.number} {step.operation}: " if step is not None else ""
        super().__init__(at + why)


class Beyond(Exception):
    """What the specification does not say."""


@dataclass(frozen=True, slots=True)
class _Touch:
    """An access that was made, or is about to be: by whom, and what that thread knew then of others and itself."""

    thread: int
    clock: dict[int, int]
    access: AccessId | None
    span: Span
    writes: bool

    def comes_before(self, other: _Touch) -> bool:
        """By happens-before."""
        return other.clock.get(self.thread, 0) >= self.clock[self.thread]


@dataclass(slots=True)
class _Wait:
    """A call of a condition's wait in progress: its function, its condition and mutex."""

    function: ApiFunction
    names: Names
    has_slept: bool = False


def check_record(
    cp: ConcurrentProgram, shown: Schedule | Deadlock, record: Sequence[RunStep], flow: ControlFlow
) -> Ruling:
    """Whether the record is one of the program, and shows the race of the schedule, or the deadlock."""
    checker = _Checker(cp, shown, record, flow)
    try:
        checker.run()
    except Broken as broken:
        return rejected(f"its record is not one of the program: {broken}")
    except Beyond as beyond:
        return not_confirmed(f"its record is not confirmed independently: {beyond}")
    steps = f"its {len(record)} recorded steps follow the specification"
    if isinstance(shown, Deadlock):
        return accepted(f"{steps}, and each of {len(checker.blocked)} threads that have not ended has to wait")
    return accepted(f"{steps}, and nothing orders the two accesses")


@dataclass(slots=True)
class _Checker:
    cp: ConcurrentProgram
    shown: Schedule | Deadlock
    record: Sequence[RunStep]
    flow: ControlFlow
    world: World = field(default_factory=World)
    atomics: AtomicOrder = field(init=False)
    line: int = 0
    current: RunStep | None = None
    numbers: dict[int, int] = field(default_factory=dict)
    sites: dict[int, SiteId] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    places: dict[Hashable, str] = field(default_factory=dict)
    waits: dict[int, _Wait] = field(default_factory=dict)
    barriers: dict[int, tuple[ApiFunction, Names]] = field(default_factory=dict)
    routines: dict[int, list[Names]] = field(default_factory=dict)
    touches: list[_Touch] = field(default_factory=list)
    standing: list[_Touch] = field(default_factory=list)
    blocked: dict[int, RunStep] = field(default_factory=dict)
    _following: dict[int, RunStep] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.atomics = AtomicOrder(self.world.clocks)
        self.world.add_thread(0)
        self.world.add(_SECTION, MutexState(Kind.RECURSIVE))
        later: dict[int, RunStep] = {}
        for number in range(len(self.record) - 1, -1, -1):
            step = self.record[number]
            if step.thread in later:
                self._following[number + 1] = later[step.thread]
            later[step.thread] = step

    def run(self) -> None:
        for line, step in enumerate(self.record, start=1):
            self.line, self.current = line, step
            self._check_thread(step)
            match step.role:
                case Role.STEP:
                    self._step(step)
                case Role.EVENT:
                    self._event(step)
                case Role.NEXT if isinstance(self.shown, Deadlock):
                    self._block(step)
                case Role.NEXT:
                    self._stand(step)
            self._check_held(step)
            following = self._following.get(self.line)
            if following is not None and following.operation == "end of thread":
                self.world.end_thread(step.thread)  # its locks are left before others can see that it has ended
        self.line, self.current = len(self.record), None
        match self.shown:
            case Schedule():
                self._check_race(self.shown)
            case Deadlock():
                self._check_deadlock(self.shown)

    # -- threads and places

    def _broken(self, why: str) -> Broken:
        return Broken(self.line, self.current, why)

    def _check_thread(self, step: RunStep) -> None:
        state = self.world.objects.get(step.thread)
        if not isinstance(state, ThreadState) or not state.exists:
            raise self._broken("nobody has created this thread")
        if step.thread in self.ended:
            raise self._broken("this thread has ended")
        if step.thread in self.blocked:
            raise self._broken("this thread has to wait")
        if step.thread in self.barriers and not self._is_at_barrier(step):
            api, names = self.barriers.pop(step.thread)
            self._take(step, api, names, 0)
        owner = self._section_owner()
        if owner is not None and owner != step.thread and step.role is not Role.NEXT:  # who stands does not run
            raise Beyond(f"thread {step.thread} runs while thread {owner} is in an atomic section")

    def _is_at_barrier(self, step: RunStep) -> bool:
        """The thread has come to a barrier and is still there."""
        return step.role is Role.NEXT and step.operation == self.barriers[step.thread][0].name

    def _section_owner(self) -> int | None:
        state = self.world.objects[_SECTION]
        return state.owner if isinstance(state, MutexState) else None

    def _check_site(self, step: RunStep) -> None:
        """The step is at its site in the program, and the thread can get there from where it was."""
        access = self.cp.accesses.get(step.access) if step.access is not None else None
        site = access.site if access is not None else step.site
        if site is None:
            return
        if site not in self.flow.instructions:
            raise self._broken(f"the program has no site {site}")
        if (why := site_problem(self.flow.instructions[site], step)) is not None:
            raise self._broken(why)
        before = self.sites.get(step.thread)
        if step.operation == "cancellation point":
            return
        if step.operation != "end of thread" and not self.flow.leads_to(before, site):
            raise self._broken("the thread cannot get here from its step before without another operation")
        self.sites[step.thread] = site

    def _check_held(self, step: RunStep) -> None:
        """The locks that the runtime says the thread holds are those of the specification."""
        is_blocked = step.role is Role.NEXT and isinstance(self.shown, Deadlock)
        if (step.role is not Role.STEP and not is_blocked) or step.operation == "end of thread":
            return
        owned = sorted(
            self.places[name]
            for name, state in self.world.objects.items()
            if name in self.places and isinstance(state, MutexState) and state.owner == step.thread
        )
        told = sorted(lock for lock in step.held if lock in owned)
        if told != owned:
            says = ", ".join(step.held) or "none"
            raise self._broken(f"it holds {', '.join(owned) or 'no mutex'}, the record says {says}")

    # -- steps

    def _step(self, step: RunStep) -> None:
        if step.number <= self.numbers.get(step.thread, 0):
            raise self._broken(f"step {self.numbers[step.thread]} of this thread comes before it")
        self.numbers[step.thread] = step.number
        self._check_site(step)
        thread, what = step.thread, step.operation
        if thread in self.waits and what not in ("unlock to wait", "lock again", self.waits[thread].function.name):
            raise self._broken("the thread waits at a condition")
        api = function(_SECTIONS.get(what, what))
        if what in _PLAIN or what in _ATOMIC:
            self._access(step)
        elif what == "fence":
            self.atomics.fence(thread, self._order(step))
        elif what in ("unlock to wait", "lock again"):
            self._wait_on(step)
        elif what == "end of thread":
            if not self._has_ended(thread):
                self.world.end_thread(thread)
            self.ended.add(thread)
            if thread == 0 and isinstance(self.shown, Deadlock) and not self._is_exit(step):
                raise Beyond("the main thread has ended, and the record does not show that the process goes on")
        elif what in ("cancellation point", "yield", *_TRIES_TO_JOIN):
            pass  # no effect of its own; that a try has joined is an event
        elif what == "pthread_cancel":
            if step.result is None or not isinstance(self.world.objects.get(step.result), ThreadState):
                raise self._broken("there is no such thread to cancel")
        elif api is None:
            raise Beyond(f"the specification has no operation `{what}`")
        else:
            self._call(step, api)

    def _has_ended(self, thread: int) -> bool:
        state = self.world.objects[thread]
        return isinstance(state, ThreadState) and state.has_ended

    def _call(self, step: RunStep, api: ApiFunction) -> None:
        match api.object:
            case ObjectType.THREAD:
                self._create(step, api)
            case ObjectType.COND if len(api.phases) > 1:
                self._wait(step, api)
            case ObjectType.BARRIER:
                names: Names = [self._object(step, ObjectType.BARRIER)]
                if not self._take(step, api, names, step.result).result:
                    self.barriers[step.thread] = (api, names)
            case ObjectType.ONCE:
                names = [self._object(step, ObjectType.ONCE)]
                runs = self._take(step, api, names, 0).result is None
                if runs != (step.result == 1):
                    raise self._broken("it runs the routine" if runs else "the routine has run already")
                if runs:  # what it calls in the routine are calls of their own
                    self.world.step_into(step.thread)
                    self.routines.setdefault(step.thread, []).append(names)
            case ObjectType.SECTION:
                self._take(step, api, [_SECTION], 0)
            case ObjectType.SEM if api.name == "sem_getvalue":  # the record has the value instead of the result
                names = [self._object(step, ObjectType.SEM)]
                state = self.world.objects[names[0]]
                if isinstance(state, SemState) and step.result not in (None, state.value):
                    raise self._broken(f"the value of the semaphore is {state.value}")
                self._take(step, api, names, None if step.result is None else 0)
            case kind:
                self._take(step, api, [self._object(step, kind)], step.result)

    def _take(self, step: RunStep, api: ApiFunction, names: Names, result: int | None) -> Step:
        """Perform the way that has this result; there must be one."""
        if result is None:
            raise Beyond(f"line {self.line} of the record does not say what {step.operation} returned")
        ways = self.world.steps(step.thread, api, names)
        if not ways:
            raise self._broken("it has to wait here")
        fitting = [way for way in ways if _returns(way, result)]
        if not fitting:
            possible = ", ".join(sorted({_spelled(way) for way in ways}))
            raise self._broken(f"it cannot return {result} here, only {possible}")
        way = next((way for way in fitting if not way.is_undefined), fitting[0])
        if way.is_undefined:
            raise Beyond(f"line {self.line} of the record, {step.operation}: undefined ({way.changes[-1].rule.clause})")
        self.world.take(way)
        return way

    def _object(self, step: RunStep, kind: ObjectType) -> int:
        """The object of a step: one number, one address, one type."""
        if step.object is None:
            raise Beyond(f"line {self.line} of the record does not name the object of {step.operation}")
        address = self.places.setdefault(-step.object, step.address)
        if address != step.address:
            raise self._broken(f"object {step.object} was at {address} before")
        name = -step.object  # threads have their numbers as names
        state = self.world.objects.get(name)
        if state is None:
            self._leave_place(step)
            state = _fresh(kind, step)
            if state is None:
                raise Beyond(f"line {self.line} of the record: nobody has initialised this {kind.value}")
            self.world.add(name, state)
        mutex = state if isinstance(state, MutexState) else None
        if mutex is not None and kind is ObjectType.MUTEX and (mutex.kind, mutex.robust) != _mutex_kind(step):
            raise self._broken("the mutex was of another kind before")
        return name

    def _leave_place(self, step: RunStep) -> None:
        """An object that is made anew takes the place of one that nobody may hold."""
        for name, address in self.places.items():
            old = self.world.objects.get(name)
            held = (isinstance(old, MutexState) and old.owner is not None) or (
                isinstance(old, RwlockState) and (old.writer is not None or bool(old.readers))
            )
            if address == step.address and held:
                raise Beyond(f"line {self.line} of the record: a lock is made anew while somebody holds it")

    def _create(self, step: RunStep, api: ApiFunction) -> None:
        if api.phases[0][0].name != "create":
            raise Beyond(f"a step {step.operation}")
        child = step.result
        made = next((thread for thread in self.shown.run.threads if thread.id == child), None)
        if child is None or child < 0 or child in self.world.objects:
            raise self._broken(f"there is no thread {child} to be created")
        # The account of the threads may end before the run does.
        if made is not None and (made.parent != step.thread or made.created_at != step.site):
            raise self._broken(f"thread {child} is created elsewhere")
        self.world.add(child, ThreadState(child))
        self._take(step, api, [child], 0)
        self.world.clocks.follow(child, child, Edge(Clock.CREATION, releases=False))
        self.flow.start(self.sites, child, step.site)

    # -- conditions

    def _wait(self, step: RunStep, api: ApiFunction) -> None:
        """The first step names the condition; the mutex comes with the unlock, as what follows."""
        condition = self._object(step, ObjectType.COND) if step.object is not None else None
        if step.thread not in self.waits and step.result == errno.EPERM:
            return  # refused by a mutex that the thread does not have, and that the record does not name
        if step.thread not in self.waits:
            self.waits[step.thread] = _Wait(api, [condition])
            return
        wait = self.waits[step.thread]
        if wait.has_slept or len(wait.names) < 2:
            raise self._broken("the thread does not sleep at the condition")
        self._take(step, api, wait.names, step.result)
        wait.has_slept = True

    def _wait_on(self, step: RunStep) -> None:
        wait = self.waits.get(step.thread)
        if wait is None:
            raise self._broken("the thread does not wait at a condition")
        mutex = self._object(step, ObjectType.MUTEX)
        if step.operation == "unlock to wait":
            if len(wait.names) != 1:
                raise self._broken("the thread has unlocked it already")
            if wait.names[0] is None:
                name = object()
                self.world.add(name, CondState())
                wait.names[0] = name
            wait.names.append(mutex)
            self._take(step, wait.function, wait.names, 0)
            return
        if len(wait.names) != 2 or wait.names[1] != mutex:
            raise self._broken("the thread did not unlock it to wait")
        if not wait.has_slept:
            self._take(step, wait.function, wait.names, 0)
        self._take(step, wait.function, wait.names, step.result)
        del self.waits[step.thread]

    # -- events

    def _event(self, step: RunStep) -> None:
        value = step.result if step.result is not None else 0
        match step.operation:
            case "join":
                if value not in self.ended:
                    raise self._broken(f"thread {value} has not ended")
                api = function("pthread_join")
                if api is not None:
                    self._take(step, api, [value], 0)
            case "sem_init" | "barrier_init" if step.object is not None:
                self._leave_place(step)
                self.places[-step.object] = step.address
                made: ObjectState = SemState(value) if step.operation == "sem_init" else BarrierState(value)
                if -step.object in self.world.objects:
                    raise self._broken("an object that was made before")
                self.world.add(-step.object, made)
            case "once done" | "once left":
                routines = self.routines.get(step.thread)
                if not routines or (step.object is not None and routines[-1] != [-step.object]):
                    raise self._broken("the thread does not run this routine")
                self.world.step_out(step.thread)
                self._take(step, _ROUTINE_ENDS[step.operation], routines.pop(), 0)
            case "consistent" if step.object is not None:
                consistent = function("pthread_mutex_consistent")
                if consistent is not None:
                    self._take(step, consistent, [-step.object], 0)
            case _:
                raise Beyond(f"the specification has no event `{step.operation}`")

    # -- accesses

    def _order(self, step: RunStep) -> MemoryOrder:
        if step.order not in ORDERS:
            raise self._broken(f"there is no memory order {step.order}")
        return ORDERS[step.order]

    def _access(self, step: RunStep) -> None:
        thread, span, writes = step.thread, span_of(step), step.operation != "read"
        if step.operation in _PLAIN:
            self._touch(step, writes)
            if writes:
                self.atomics.overwrite(span)
        else:
            order = self._order(step)
            writes = step.operation in ("atomic store", "atomic update") or step.result == 1
            if step.operation == "compare-exchange" and step.result not in (0, 1):
                raise Beyond(f"line {self.line} of the record does not say whether the exchange succeeded")
            if step.operation == "compare-exchange" and not writes:
                order = self.flow.failure_order(self.sites.get(thread)) or order
            if step.operation != "atomic store":
                self.atomics.read(thread, span, order)
            self._touch(step, writes)
            if writes:
                self.atomics.write(thread, span, order, is_update=step.operation != "atomic store")

    def _touch(self, step: RunStep, writes: bool) -> None:
        if step.access is not None:
            self.touches.append(self._touched(step, writes))

    def _touched(self, step: RunStep, writes: bool) -> _Touch:
        access = self.cp.accesses.get(step.access) if step.access is not None else None
        if step.access is not None and access is None:
            raise self._broken(f"the program has no access {step.access}")
        if (
            access is not None
            and (why := access_problem(self.cp, self.flow.instructions[access.site], step)) is not None
        ):
            raise self._broken(why)
        clock = dict(self.world.clocks.of(step.thread))
        return _Touch(step.thread, clock, step.access, span_of(step), writes)

    def _stand(self, step: RunStep) -> None:
        if step.thread in self.waits:
            raise self._broken("the thread waits at a condition")
        if step.operation not in _PLAIN and step.operation not in _ATOMIC:
            raise self._broken("this is no access")
        if step.number <= self.numbers.get(step.thread, 0):
            raise self._broken(f"step {self.numbers[step.thread]} of this thread comes before it")
        self._check_site(step)
        self.standing.append(self._touched(step, step.operation not in ("read", "atomic load")))

    # -- the race

    def _check_race(self, schedule: Schedule) -> None:
        first, second = zip(schedule.racers, schedule.accesses, strict=True)
        if schedule.together:
            found = [(touch.thread, touch.access) for touch in self.standing]
            if sorted(found) != sorted([first, second]):
                raise self._broken("the two threads do not stand before the two accesses in the end")
            self._check_conflict(*self.standing, together=True)
        else:
            self._check_conflict(*self._executed(first, second), together=False)

    def _executed(self, first: tuple[int, AccessId], second: tuple[int, AccessId]) -> tuple[_Touch, _Touch]:
        """Two accesses of the run, in the order in which they were made; two that race, if there are."""
        last: tuple[_Touch, _Touch] | None = None
        for number in range(len(self.touches) - 1, -1, -1):
            b = self.touches[number]
            if (b.thread, b.access) not in (first, second):
                continue
            other = first if (b.thread, b.access) == second else second
            for a in self.touches[:number]:
                if (a.thread, a.access) == other:
                    if not a.comes_before(b) and a.span.overlaps(b.span):
                        return a, b
                    last = last or (a, b)
        if last is None:
            raise self._broken("the two accesses were not made, one after the other")
        return last

    def _check_conflict(self, a: _Touch, b: _Touch, *, together: bool) -> None:
        accesses = [self.cp.accesses[touch.access] for touch in (a, b) if touch.access is not None]
        if a.thread == b.thread:
            raise self._broken("the two accesses are of one thread")
        if not a.span.overlaps(b.span):
            raise self._broken("the two accesses do not touch the same bytes")
        if not a.writes and not b.writes:
            raise self._broken("neither of the two accesses writes")
        if all(access.is_atomic for access in accesses):
            raise self._broken("both accesses are atomic")
        if a.comes_before(b) or (together and b.comes_before(a)):
            raise self._broken("one of the two accesses happens before the other")

    # -- the deadlock

    def _block(self, step: RunStep) -> None:
        """The thread stands in an operation that has to wait, whatever the others, who stand as well, have done."""
        if step.number <= self.numbers.get(step.thread, 0):
            raise self._broken(f"step {self.numbers[step.thread]} of this thread comes before it")
        self._check_site(step)
        api, names = self._awaited(step)
        ways = self.world.steps(step.thread, api, names)
        if not self.world.may_wait(step.thread, api, names) or not all(map(_is_only_allowed, ways)):
            raise self._broken("it does not have to wait here")
        self.world.wait(step.thread, api, names)
        self.blocked[step.thread] = step

    def _awaited(self, step: RunStep) -> tuple[ApiFunction, Names]:
        """The call in which the thread stands, with its objects."""
        thread, what = step.thread, step.operation
        wait = self.waits.get(thread)
        if wait is not None:
            if what not in (wait.function.name, "lock again") or len(wait.names) < 2:
                raise self._broken("the thread waits at a condition")
            return self._asleep(step, wait)
        if thread in self.barriers:
            return self.barriers[thread]
        api = function(_SECTIONS.get(what, what))
        if api is None:
            raise Beyond(f"the specification has no operation `{what}` that waits")
        if api.object is ObjectType.SECTION:
            return api, [_SECTION]
        if api.object is not ObjectType.THREAD:
            return api, [self._object(step, api.object)]
        if not isinstance(self.world.objects.get(step.result), ThreadState):
            raise self._broken("there is no such thread to wait for")
        return api, [step.result]

    def _asleep(self, step: RunStep, wait: _Wait) -> tuple[ApiFunction, Names]:
        """It sleeps at the condition; or it was woken, and waits for the mutex."""
        if step.operation == "lock again" and not wait.has_slept:
            self._take(step, wait.function, wait.names, 0)
            wait.has_slept = True
        elif step.operation != "lock again" and wait.has_slept:
            raise self._broken("the thread was woken before")
        return wait.function, wait.names

    def _is_exit(self, step: RunStep) -> bool:
        """The end of main that leaves the process running."""
        instr = self.flow.instructions.get(step.site) if step.site is not None else None
        callee = instr.callee if isinstance(instr, Call) else None
        return isinstance(callee, Address) and callee.symbol in _THREAD_EXITS

    def _check_deadlock(self, deadlock: Deadlock) -> None:
        for state in self.world.objects.values():
            if isinstance(state, ThreadState) and state.exists and state.id not in {*self.ended, *self.blocked}:
                raise self._broken(f"thread {state.id} has not ended, and does not wait")
        if not self.blocked:
            raise self._broken("no thread waits")
        if tuple(self.blocked.values()) != deadlock.blocked:
            raise self._broken("the threads that are said to wait are others")


def _mutex_kind(step: RunStep) -> tuple[Kind, bool]:
    return _KINDS[step.kind % _ROBUST % len(_KINDS)], step.kind >= _ROBUST


def _fresh(kind: ObjectType, step: RunStep) -> ObjectState | None:
    """What a static initialiser makes; None for what has none."""
    match kind:
        case ObjectType.MUTEX:
            return MutexState(*_mutex_kind(step))
        case ObjectType.SPIN:
            return MutexState(Kind.NORMAL)
        case ObjectType.RWLOCK:
            return RwlockState()
        case ObjectType.COND:
            return CondState()
        case ObjectType.ONCE:
            return OnceState()
        case _:
            return None


def _returns(way: Step, result: int) -> bool:
    """Whether the phase ends with that result; the call may return another one, that of an earlier phase."""
    last = way.changes[-1].outcome.result
    return last is not None and last.value == result


def _is_only_allowed(way: Step) -> bool:
    """It may happen and need not, such as a wakeup without a signal: nothing to rely on."""
    return way.changes[-1].outcome.basis is Basis.ALLOWED


def _spelled(way: Step) -> str:
    last = way.changes[-1].outcome.result
    return last.name if last is not None else "nothing"
