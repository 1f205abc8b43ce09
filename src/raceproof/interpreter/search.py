"""All executions of a small program, up to the order of steps that do not depend on one another.

Follows the sleep sets of [God96]: depth-first over every visible step of every thread, leaving out a step that
was explored before and has met nothing since that depends on it. Every execution is run again from the start.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from raceproof.interpreter.clocks import Race, RaceKey
from raceproof.interpreter.execution import Execution, Operation, RunningThread, ThreadName, Visible
from raceproof.interpreter.interpreter import advance, take_step
from raceproof.interpreter.library import STOPS
from raceproof.interpreter.memory import NotSupported
from raceproof.ir import Program

MAX_EXECUTIONS = 20_000
MAX_STEPS = 400
PROPER_ENDS = frozenset({"ended", "blocked", "end of the program", *STOPS})
"""Ends that the program has chosen, or a deadlock; all else is undefined, or a limit."""


@dataclass(slots=True)
class Node:
    """A point where the search had a choice: among threads, or `values` (input, woken thread).

    `sleep`: threads that need not be tried here, with the step that they would take.
    """

    options: list[ThreadName]
    operations: dict[ThreadName, Operation]
    sleep: dict[ThreadName, Operation]
    values: int = 0
    position: int = 0

    def has_more(self) -> bool:
        return self.position + 1 < (self.values or len(self.options))


@dataclass(frozen=True, slots=True)
class Setting:
    """What all executions of a search have in common."""

    program: Program
    visible: Visible
    spurious: bool
    arguments: tuple[str, ...]


@dataclass(slots=True)
class Exploration:
    """All races that some execution has; `is_complete`: all executions were tried.

    `ends`: how threads ended, and how often. `took_inputs`: inputs were taken, of which only some values were tried.
    `deadlocks`: what threads wait for in states that only a wakeup without a signal could end; `is_doubtful`: in some
    of these one is in an atomic section.
    """

    races: dict[RaceKey, Race] = field(default_factory=dict)
    is_complete: bool = True
    executions: int = 0
    rounds: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    took_inputs: bool = False
    deadlocks: set[str] = field(default_factory=set)
    is_doubtful: bool = False

    def gaps(self) -> tuple[str, ...]:
        """Why this is not all that the program may do: limits, inputs, threads that stopped where C defines nothing."""
        gaps = [] if self.is_complete else [f"too large for {self.executions} executions"]
        if self.took_inputs:
            gaps.append("only some values of its inputs were tried")
        return (*gaps, *(f"a thread stopped: {end}" for end in sorted(self.ends) if end not in PROPER_ENDS))


def explore(
    program: Program,
    max_executions: int = MAX_EXECUTIONS,
    seconds: float = 60.0,
    *,
    reduced: bool = True,
    spurious: bool = False,
    arguments: Sequence[str] = (),
) -> Exploration:
    """Try all schedules and inputs. Raises `NotSupported` for a program that the interpreter does not know.

    Without `reduced`, a schedule is every order of every step, and nothing is left out. `spurious`: waits at
    conditions may end without a signal. `arguments` are those of main, without the name of the program.
    """
    if program.listed_functions("llvm.global_dtors"):
        raise NotSupported("constructors and destructors")
    if program.pointer_size != 8:
        raise NotSupported("a 32-bit program")
    verdict = Exploration()
    visible = Visible(everything=not reduced)
    setting = Setting(program, visible, spurious, tuple(arguments))
    deadline = time.monotonic() + seconds
    while _explore_round(setting, verdict, max_executions, deadline):
        verdict.rounds += 1
    return verdict


def _explore_round(setting: Setting, verdict: Exploration, max_executions: int, deadline: float) -> bool:
    """All executions with what is known to be visible; True if more turned out to be."""
    ids: dict[ThreadName, int] = {}
    stack: list[Node] = []
    while True:
        if verdict.executions >= max_executions or time.monotonic() > deadline:
            verdict.is_complete = False
            return False
        run = Execution(setting.program, setting.visible, ids)
        run.wakes_spuriously = setting.spurious
        verdict.executions += 1
        if not _run_once(run, setting.arguments, stack, verdict):
            verdict.is_complete = False
        if setting.visible.grow(run.found):
            return True
        while stack and not stack[-1].has_more():
            stack.pop()
        if not stack:
            return False
        stack[-1].position += 1


def _run_once(run: Execution, arguments: tuple[str, ...], stack: list[Node], verdict: Exploration) -> bool:
    """Follow the stack, then go on with first choices; False if the execution was cut off."""
    depth = 0
    trace: list[str] = []

    def choose(what: str, count: int) -> int:
        nonlocal depth
        verdict.took_inputs |= what == "input"
        if depth == len(stack):
            stack.append(Node([], {}, {}, values=count))
        depth += 1
        return stack[depth - 1].position

    run.choose = choose
    run.start_main(arguments)
    is_whole = True
    sleep: dict[ThreadName, Operation] = {}
    while True:
        advance(run)
        threads = {t.name: t for t in run.threads}
        if depth < len(stack):
            node = stack[depth]
        else:
            _note_deadlock(run, verdict)
            enabled = _enabled(run)
            options = [t.name for t in enabled if t.name not in sleep]
            if not options:
                break
            if depth > MAX_STEPS:
                is_whole = False
                break
            node = Node(options, {t.name: t.pending for t in enabled if t.pending is not None}, sleep)
            stack.append(node)
        depth += 1
        chosen = node.options[node.position]
        operation = node.operations[chosen]
        asleep = dict(node.sleep)
        for earlier in node.options[: node.position]:
            asleep[earlier] = node.operations[earlier]
        sleep = {
            name: op
            for name, op in asleep.items()
            if name != chosen and not op.depends_on(operation) and not run.visible.everything
        }
        trace.append(f"{threads[chosen].name}: {operation.text}")
        take_step(run, threads[chosen])
    run.found.racy |= run.detector.racy
    _collect(run, verdict, tuple(trace))
    return is_whole and run.fuel >= 0


def _enabled(run: Execution) -> list[RunningThread]:
    """Threads that can go on. In an atomic section, only its owner; if that one is blocked, the section is left."""
    ready = [t for t in run.threads if not t.is_done and t.pending is not None and t.pending.is_ready()]
    if run.atomic_owner is not None:
        return [t for t in ready if t is run.atomic_owner]
    return ready


def _note_deadlock(run: Execution, verdict: Exploration) -> None:
    """A state in which the process goes on, and no thread does unless it is woken for nothing. Searches with sleep sets
    come to every state."""
    live = [t for t in run.threads if not t.is_done]
    if not live or any(t.is_stuck is not None for t in run.threads):
        return
    before, run.wakes_spuriously = run.wakes_spuriously, False
    enabled = _enabled(run)
    run.wakes_spuriously = before
    if enabled:
        return
    if run.atomic_owner is not None:
        verdict.is_doubtful = True
        return
    names = dict(zip((t.name for t in run.threads), run.detector.names, strict=True))
    waiting = [f"{names[t.name]} in {t.pending.text}" for t in live if t.pending is not None]
    verdict.deadlocks.add(", ".join(waiting))


def _collect(run: Execution, verdict: Exploration, trace: tuple[str, ...]) -> None:
    for key, race in run.detector.races.items():
        known = verdict.races.get(key)
        if known is None or (race.is_first and not known.is_first):
            race.schedule = trace
            verdict.races[key] = race
    for thread in run.threads:
        end = thread.is_stuck or ("ended" if thread.has_ended else "blocked")
        verdict.ends[end] = verdict.ends.get(end, 0) + 1
