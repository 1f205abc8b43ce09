"""Execute the specification: which outcomes a step of a thread may have, and what becomes of the objects and clocks.

    world = World()
    world.add("m", MutexState(Kind.ERRORCHECK))
    [step] = world.steps(1, function("pthread_mutex_lock"), ("m",))      # one way: SUCCESS
    world.take(step)
    [again] = world.steps(1, function("pthread_mutex_lock"), ("m",))     # EDEADLK

A call takes its phases one after the other; `World` remembers where each thread stands in its call. Nothing here knows
how `explore` schedules: it is the yardstick for that.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from raceproof.core import InternalError
from raceproof.spec.events import (
    BARRIER_RULES,
    CONDITION_RULES,
    KEY_RULES,
    ONCE_RULES,
    SEMAPHORE_RULES,
    THREAD_RULES,
)
from raceproof.spec.locks import MUTEX_RULES, RWLOCK_RULES, SECTION_RULES, SPIN_RULES
from raceproof.spec.operations import ApiFunction, Operation
from raceproof.spec.states import BarrierState, CondState, MutexState, ObjectState, ThreadState, Tid, after, seen
from raceproof.spec.terms import Clock, Edge, Effect, Kind, ObjectType, Outcome, Result, Rule, Seen

RULES: Final[tuple[Rule, ...]] = (
    *MUTEX_RULES,
    *RWLOCK_RULES,
    *SPIN_RULES,
    *SECTION_RULES,
    *CONDITION_RULES,
    *BARRIER_RULES,
    *SEMAPHORE_RULES,
    *ONCE_RULES,
    *THREAD_RULES,
    *KEY_RULES,
)

Name = Hashable
"""Of an object: an address, or whatever tells one from another."""


def _index() -> Mapping[tuple[ObjectType, str, Seen], tuple[Rule, ...]]:
    found: dict[tuple[ObjectType, str, Seen], list[Rule]] = {}
    for rule in RULES:
        found.setdefault((rule.object, rule.operation, rule.seen), []).append(rule)
    return {key: tuple(rules) for key, rules in found.items()}


_BY_CELL: Final = _index()


def rule_for(type_: ObjectType, operation: str, how: Seen, kind: Kind, *, robust: bool) -> Rule | None:
    """The one rule of a cell; `kind` and `robust` matter for mutexes only."""
    found = [
        rule
        for rule in _BY_CELL.get((type_, operation, how), ())
        if kind in rule.kinds and rule.robust in (None, robust)
    ]
    if len(found) > 1:
        raise InternalError(f"{len(found)} rules for {operation} of a {kind.value} {type_.value} that is {how.value}")
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Change:
    """What one operation of a phase did: by which rule and outcome, and the object afterwards. `woken`: the waiter
    that a signal chose."""

    operation: Operation
    name: Name
    rule: Rule
    outcome: Outcome
    state: ObjectState
    woken: Tid | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One way in which a thread's next phase may go. `result` is the call's, if it ends with this step."""

    thread: Tid
    function: ApiFunction
    phase: int
    changes: tuple[Change, ...]
    result: Result | None

    @property
    def is_undefined(self) -> bool:
        return any(change.outcome.is_undefined for change in self.changes)

    @property
    def is_explored(self) -> bool:
        """Whether the runtime of `explore` may do this."""
        return all(change.outcome.explored for change in self.changes)


@dataclass(slots=True)
class VectorClocks:
    """Happens-before of an execution: one vector for each thread, one for each clock of an object."""

    threads: dict[Tid, dict[Tid, int]] = field(default_factory=dict)
    objects: dict[tuple[Name, Clock, int], dict[Tid, int]] = field(default_factory=dict)

    def copy(self) -> VectorClocks:
        return VectorClocks(
            {thread: dict(clock) for thread, clock in self.threads.items()},
            {name: dict(clock) for name, clock in self.objects.items()},
        )

    def key(self) -> Hashable:
        threads = frozenset((thread, frozenset(clock.items())) for thread, clock in self.threads.items())
        return threads, frozenset((name, frozenset(clock.items())) for name, clock in self.objects.items())

    def of(self, thread: Tid) -> dict[Tid, int]:
        return self.threads.setdefault(thread, {thread: 1})

    def follow(self, thread: Tid, name: Name, edge: Edge, round_: int = 0) -> None:
        mine = self.of(thread)
        theirs = self.objects.setdefault((name, edge.clock, round_), {})
        source, target = (mine, theirs) if edge.releases else (theirs, mine)
        for tid, time in source.items():
            target[tid] = max(target.get(tid, 0), time)
        if edge.releases:
            mine[thread] += 1

    def ordered(self, thread: Tid, time: int, other: Tid) -> bool:
        """Whether what `thread` did at its own `time` happens before what `other` does now."""
        return self.of(other).get(thread, 0) >= time


@dataclass(slots=True)
class World:
    """All objects, where each thread stands in its call, and happens-before so far. Threads are objects too, by their
    id as name."""

    objects: dict[Name, ObjectState] = field(default_factory=dict)
    clocks: VectorClocks = field(default_factory=VectorClocks)
    _phases: dict[Tid, int] = field(default_factory=dict)
    _so_far: dict[Tid, Result] = field(default_factory=dict)
    _rounds: dict[Tid, int] = field(default_factory=dict)
    _outer: dict[Tid, list[int]] = field(default_factory=dict)

    def copy(self) -> World:
        """Another world that goes its own way."""
        return World(dict(self.objects), self.clocks.copy(), dict(self._phases), dict(self._so_far), dict(self._rounds))

    def key(self) -> Hashable:
        """Equal for worlds that nobody can tell apart, now or later."""
        parts = (self.objects, self._phases, self._so_far, self._rounds)
        return (*(frozenset(part.items()) for part in parts), self.clocks.key())

    def add(self, name: Name, state: ObjectState) -> None:
        self.objects[name] = state

    def add_thread(self, thread: Tid) -> None:
        """A thread that runs already: main."""
        self.objects[thread] = ThreadState(thread, exists=True)

    def phase(self, thread: Tid) -> int:
        """How many phases of its call the thread has behind it."""
        return self._phases.get(thread, 0)

    def step_into(self, thread: Tid) -> None:
        """The thread runs code of the program in the middle of its call (the routine of a once-control): what it calls
        there are calls of their own."""
        self._outer.setdefault(thread, []).append(self._phases.pop(thread, 0))

    def step_out(self, thread: Tid) -> None:
        """It is back in its call."""
        self._phases[thread] = self._outer[thread].pop()

    # -- what may happen

    def steps(self, thread: Tid, function: ApiFunction, names: Sequence[Name]) -> tuple[Step, ...]:
        """All ways in which the next phase of a call may go; `names`: the object of each argument that has one.

        Empty: the thread waits. A way that is undefined is listed with what glibc does.
        """
        phase = self.phase(thread)
        found = []
        for changes in self._ways(thread, function.phases[phase], names, ()):
            if any(change.outcome.waits for change in changes):
                continue
            found.append(Step(thread, function, phase, changes, self._result(thread, function, phase, changes)))
        return tuple(found)

    def may_wait(self, thread: Tid, function: ApiFunction, names: Sequence[Name]) -> bool:
        """Whether the next phase may have to wait in this state."""
        ways = self._ways(thread, function.phases[self.phase(thread)], names, ())
        return any(change.outcome.waits for changes in ways for change in changes)

    def _ways(
        self, thread: Tid, operations: Sequence[Operation], names: Sequence[Name], before: tuple[Change, ...]
    ) -> Iterator[tuple[Change, ...]]:
        if not operations:
            yield before
            return
        operation = operations[0]
        for change in self._changes(thread, operation, names[operation.arg]):
            if change.outcome.result is Result.SUCCESS:
                yield from self._ways(thread, operations[1:], names, (*before, change))
            else:
                yield (*before, change)

    def _changes(self, thread: Tid, operation: Operation, name: Name) -> Iterator[Change]:
        state = self.objects[name]
        rule = self.rule(thread, operation, name)
        for outcome in rule.outcomes:
            if outcome.effect is Effect.WAKE_ONE and isinstance(state, CondState):
                for woken in sorted(state.waiters):
                    yield Change(operation, name, rule, outcome, after(state, outcome.effect, thread, woken), woken)
            else:
                yield Change(operation, name, rule, outcome, after(state, outcome.effect, thread))

    def rule(self, thread: Tid, operation: Operation, name: Name) -> Rule:
        """The rule of the cell in which the object is for this thread."""
        state = self.objects[name]
        kind, robust = (state.kind, state.robust) if isinstance(state, MutexState) else (Kind.DEFAULT, False)
        how = seen(state, thread)
        if operation.name == "leave" and isinstance(state, BarrierState):
            how = Seen.ROUND_OVER if state.round > self._rounds[thread] else Seen.ROUND_OPEN
        found = rule_for(operation.object, operation.name, how, kind, robust=robust)
        if found is None:
            raise InternalError(f"no rule for {operation.name} of a {operation.object.value} that is {how.value}")
        return found

    def _result(self, thread: Tid, function: ApiFunction, phase: int, changes: tuple[Change, ...]) -> Result | None:
        """The result of the call, if this phase is its last. A call goes on after a phase that failed only if it has
        to take its mutex again; an error in taking it wins over an earlier time-out."""
        own = changes[-1].outcome.result
        is_last = phase + 1 == len(function.phases)
        match changes[-1].operation.name:
            case "wake" | "timed-wake":
                return None
            case "enter" if changes[-1].outcome.effect is not Effect.RUN:
                return own
        if own is not Result.SUCCESS:
            return own
        return self._so_far.get(thread, Result.SUCCESS) if is_last else None

    # -- doing it

    def wait(self, thread: Tid, function: ApiFunction, names: Sequence[Name]) -> None:
        """The thread waits in this call. Others can tell only of a join: it makes theirs a deadlock."""
        mine = self.objects.get(thread)
        target = self.objects[names[0]] if names else None
        if isinstance(mine, ThreadState) and isinstance(target, ThreadState) and function.phases[0][0].name == "join":
            self.objects[thread] = replace(mine, joins=target.id)

    def take(self, step: Step) -> None:
        """Perform a step: change objects and clocks, and move the thread on in its call."""
        thread = step.thread
        mine = self.objects.get(thread)
        if isinstance(mine, ThreadState) and mine.joins is not None:
            self.objects[thread] = replace(mine, joins=None)
        for change in step.changes:
            round_ = self._round(change)
            match change.operation.object, change.operation.name:
                case ObjectType.BARRIER, "arrive":
                    self._rounds[thread] = round_
                case ObjectType.BARRIER, "leave":
                    round_ = self._rounds[thread]
            for edge in change.outcome.edges:
                self.clocks.follow(thread, change.name, edge, round_)
            self.objects[change.name] = change.state
        if step.result is not None:
            self._phases.pop(thread, None)
            self._so_far.pop(thread, None)
            return
        self._phases[thread] = step.phase + 1
        last = step.changes[-1].outcome.result
        if last is not None and last is not Result.SUCCESS:
            self._so_far[thread] = last

    def _round(self, change: Change) -> int:
        """The round that an operation on a barrier belongs to: each has a clock of its own."""
        state = self.objects[change.name]
        return state.round if isinstance(state, BarrierState) else 0

    def end_thread(self, thread: Tid) -> None:
        """What the end of a thread does to the mutexes that it holds, and to those that join it."""
        for name, state in list(self.objects.items()):
            if isinstance(state, MutexState) and state.owner == thread:
                operation = Operation(ObjectType.MUTEX, "owner-ends")
                [change] = self._changes(thread, operation, name)
                for edge in change.outcome.edges:
                    self.clocks.follow(thread, name, edge)
                self.objects[name] = change.state
        [change] = self._changes(thread, Operation(ObjectType.THREAD, "end"), thread)
        for edge in change.outcome.edges:
            self.clocks.follow(thread, thread, edge)
        self.objects[thread] = change.state
