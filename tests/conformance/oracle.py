"""All executions of a script by the specification: which accesses race, what is undefined, who may be stuck.

States that two orders of independent steps lead to are equal, clocks and accesses included, and are followed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.scripts import Access, Call, Item, Script
from raceproof.spec import Result, Step, World, returned

Done = tuple[int, int, str, bool, int]
"""Thread, its time, variable, whether it wrote, line."""


@dataclass(frozen=True, slots=True)
class _Finish:
    """The routine of a once control is over."""

    call: Call


@dataclass(frozen=True, slots=True)
class _End:
    """The thread ends."""


Todo = tuple[Item | _Finish | _End, ...]


@dataclass(slots=True)
class Verdict:
    """`races`: pairs of accesses; `undefined`: calls that are undefined in some execution; `results`: what calls
    returned; `is_whole`: all executions were followed."""

    races: set[tuple[int, int]] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)
    results: set[tuple[str, Result]] = field(default_factory=set)
    deadlocks: bool = False
    is_whole: bool = True
    states: int = 0


@dataclass(slots=True)
class _State:
    world: World
    todo: dict[int, Todo]
    last: dict[int, int | None]
    done: frozenset[Done] = frozenset()

    def key(self) -> object:
        todo = tuple(sorted(self.todo.items(), key=lambda pair: pair[0]))
        return self.world.key(), todo, tuple(self.last.items()), self.done

    def copy(self) -> _State:
        return _State(self.world.copy(), dict(self.todo), dict(self.last), self.done)


def judge(script: Script, limit: int = 20_000) -> Verdict:
    """Follow all executions that the runtime may make, up to `limit` states."""
    verdict = Verdict()
    world = World()
    for name, made in script.objects.items():
        world.add(name, made.state)
    threads = range(1, len(script.threads) + 1)
    for thread in threads:
        world.add_thread(thread)
    start = _State(world, {t: (*script.threads[t - 1], _End()) for t in threads}, dict.fromkeys(threads))
    for thread in threads:
        _run_on(start, thread, verdict)
    seen: set[object] = set()
    stack = [start]
    while stack:
        state = stack.pop()
        key = state.key()
        if key in seen:
            continue
        seen.add(key)
        verdict.states += 1
        if verdict.states > limit:
            verdict.is_whole = False
            return verdict
        following = list(_following(state, verdict))
        if not following and any(state.todo.values()):
            verdict.deadlocks = True
        stack += following
    return verdict


def _following(state: _State, verdict: Verdict) -> Iterator[_State]:
    for thread, todo in state.todo.items():
        if not todo:
            continue
        head = todo[0]
        if isinstance(head, _End):
            after = state.copy()
            after.world.end_thread(thread)
            after.todo[thread] = ()
            yield after
            continue
        call = head.call if isinstance(head, _Finish) else head
        assert isinstance(call, Call)
        for step in state.world.steps(thread, call.function, call.objects):
            if step.is_undefined:
                verdict.undefined.add(f"{call.name}: {step.changes[-1].rule.clause}")
            elif step.is_explored:
                yield _taken(state, thread, call, step, verdict)


def _taken(state: _State, thread: int, call: Call, step: Step, verdict: Verdict) -> _State:
    after = state.copy()
    after.world.take(step)
    rest = after.todo[thread][1:]
    if step.result is not None:
        verdict.results.add((call.name, step.result))
        after.last[thread] = returned(call.function, step.result)
        after.todo[thread] = rest
    elif call.function.phases[step.phase][0].name == "enter":
        after.todo[thread] = (*call.routine, _Finish(call), *rest)
    _run_on(after, thread, verdict)
    return after


def _run_on(state: _State, thread: int, verdict: Verdict) -> None:
    """Go on to the next call: accesses are nobody's choice, their clocks tell whether they race."""
    while (todo := state.todo[thread]) and not isinstance(todo[0], Call | _Finish | _End):
        head = todo[0]
        if isinstance(head, Access):
            _access(state, thread, head, verdict)
            state.todo[thread] = todo[1:]
        else:
            chosen = head.items if state.last[thread] in head.results else head.otherwise
            state.todo[thread] = (*chosen, *todo[1:])


def _access(state: _State, thread: int, access: Access, verdict: Verdict) -> None:
    clocks = state.world.clocks
    for other, time, variable, wrote, line in state.done:
        conflicts = variable == access.variable and other != thread and (wrote or access.writes)
        if conflicts and not clocks.ordered(other, time, thread):
            verdict.races.add((min(line, access.line), max(line, access.line)))
    mine = (thread, clocks.of(thread)[thread], access.variable, access.writes, access.line)
    state.done |= {mine}
