"""An execution in a few lines: which threads there were, and who did what when.

Executed and repeated, both threads standing before their accesses:
  thread 1 `teller`, created at bank.c:44 by thread 0
  thread 2 `teller`, created at bank.c:44 by thread 0
  1. main thread: pthread_create (line 44), pthread_create (line 44)
  2. thread 1: pthread_mutex_lock bank.lock (line 20), read bank.total (line 21)
  3. thread 2: pthread_mutex_lock bank.lock (line 20)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from raceproof.model import DeadlockResult, EngineReport, InputResult, RaceResult, Run, ThreadResult, Trace, TraceStep

MAX_TURNS = 12
MAX_THREADS = 8
MAX_TURNS_IN_BRIEF = 4
MAX_STEPS = 4  # of one turn
MAX_INPUTS = 20


def explain_race(race: RaceResult) -> list[str]:
    """The first line says how it happened, the rest in which run."""
    if race.schedule.together:
        how = "both threads standing before their accesses"
    else:
        how = "one access after the other, and nothing orders the two"
    lines = _threads(race.threads, race.schedule.racers) + _inputs(race.schedule.run, race.inputs)
    turns = _told(race.trace) if race.trace is not None else ["schedule: " + _turns(race.schedule.run)]
    return [f"Executed and repeated, {how}:", *lines, *turns]


def race_in_brief(race: RaceResult) -> str:
    """The run in one sentence: each turn with its first and last step, and how the two accesses meet."""
    turns = race.trace.steps if race.trace is not None else ()
    told = []
    for thread, steps in groupby(turns, key=lambda step: step.thread):
        names = list(dict.fromkeys(_step(step) for step in steps))
        inner = f" … {names[-1]}" if len(names) > 2 else f", {names[1]}" if len(names) == 2 else ""
        told.append(f"{f'thread {thread}' if thread else 'main thread'}: {names[0]}{inner}")
    if len(told) > MAX_TURNS_IN_BRIEF:
        left_out = len(told) - MAX_TURNS_IN_BRIEF
        told = [told[0], f"… {left_out} more turns …", *told[-MAX_TURNS_IN_BRIEF + 1 :]]
    if race.trace is None:
        told = ["schedule: " + _turns(race.schedule.run)]
    how = "then both stand before their accesses" if race.schedule.together else "nothing orders the two accesses there"
    return "; ".join([*_inputs(race.schedule.run, race.inputs), *told, how])


def explain_deadlock(deadlock: DeadlockResult) -> list[str]:
    """The run that leads to it."""
    told = _inputs(deadlock.deadlock.run, deadlock.inputs) + _told(deadlock.trace)
    return ["Executed and repeated:", *told]


def explain_run(run: Run, threads: Sequence[ThreadResult], at: int, inputs: Sequence[InputResult] = ()) -> list[str]:
    return [f"by thread {at} in this run:", *_run(run, threads, (at,), inputs)]


def explain_search(engine: EngineReport) -> list[str]:
    """How much was executed and what the user should know about it; nothing for engines that execute nothing."""
    lines = []
    if "executions" in engine.stats and "algorithm" in engine.stats:
        stats = engine.stats
        extent = "all schedules" if stats.get("complete") else engine.stopped or "up to the first violation"
        lines.append(
            f"{engine.name}: {stats['executions']:,} execution{'' if stats['executions'] == 1 else 's'}"
            f" by {stats['algorithm']}, {extent};"
            f" {float(stats.get('executions_per_second', 0)):,.0f} a second"
        )
    return lines + [f"{engine.name}: {note}" for note in engine.notes]


def _run(
    run: Run, threads: Sequence[ThreadResult], important: Sequence[int], inputs: Sequence[InputResult]
) -> list[str]:
    return [*_threads(threads, important), *_inputs(run, inputs), "schedule: " + _turns(run)]


def _threads(threads: Sequence[ThreadResult], important: Sequence[int]) -> list[str]:
    created = [thread for thread in threads if thread.id != 0]
    # Those that matter and the first others; numbers tell which are left out.
    shown = [t for i, t in enumerate(created) if t.id in important or i < MAX_THREADS]
    lines = [f"{thread} by thread {thread.parent}" for thread in shown]
    if len(shown) < len(created):
        lines.append(f"… and {len(created) - len(shown)} more threads")
    return lines


def _inputs(run: Run, inputs: Sequence[InputResult]) -> list[str]:
    """In the order in which the program asked, each with the line that did, if it is known."""
    told = [str(taken) for taken in inputs or run.inputs]
    if len(told) > MAX_INPUTS:
        told = [*told[:MAX_INPUTS], f"… {len(told) - MAX_INPUTS} more …"]
    return ["inputs: " + ", ".join(told)] if told else []


def _told(trace: Trace) -> list[str]:
    """Each turn with what was done in it, from one context switch to the next."""
    turns = [(thread, list(steps)) for thread, steps in groupby(trace.steps, key=lambda step: step.thread)]
    lines = []
    for number, (thread, steps) in enumerate(turns, start=1):
        told = [_step(step) for step in steps]
        if len(told) > MAX_STEPS:
            half = MAX_STEPS // 2
            told = [*told[:half], f"… {len(told) - MAX_STEPS} more …", *told[-half:]]
        who = f"thread {thread}" if thread else "main thread"
        lines.append(f"{number}. {who}: {', '.join(told)}")
    if len(lines) > MAX_TURNS:
        half = MAX_TURNS // 2
        lines = [*lines[:half], f"… {len(lines) - MAX_TURNS} more turns …", *lines[-half:]]
    return lines


def _step(step: TraceStep) -> str:
    what = " ".join(word for word in (step.operation, step.address) if word)
    return f"{what} (line {step.pos.line})" if step.pos is not None else what


def _turns(run: Run) -> str:
    turns = [f"{thread} to step {until}" for thread, until in run.turns]
    if len(turns) > MAX_TURNS:
        left_out = len(turns) - MAX_TURNS
        turns = [*turns[: MAX_TURNS // 2], f"… {left_out} more …", *turns[-MAX_TURNS // 2 :]]
    return ", ".join(turns) or "as it starts"
