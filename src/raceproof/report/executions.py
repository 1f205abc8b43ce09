"""An execution in a few lines: which threads there were, and who ran when.

Executed, and executed again, with both threads standing before their accesses:
  thread 1 `teller`, created at bank.c:44 by thread 0
  thread 2 `teller`, created at bank.c:44 by thread 0
  schedule: 0 to step 7, 1 to step 3, 2 to step 5
"""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.model import EngineReport, RaceResult, Run, ThreadResult

MAX_TURNS = 12
MAX_THREADS = 8


def explain_race(race: RaceResult) -> list[str]:
    """The first line says how it happened, the rest in which run."""
    if race.schedule.together:
        how = "both threads standing before their accesses"
    else:
        how = "one access after the other, and nothing orders the two"
    return [f"Executed and repeated, {how}:", *_run(race.schedule.run, race.threads, race.schedule.racers)]


def explain_run(run: Run, threads: Sequence[ThreadResult], at: int) -> list[str]:
    return [f"by thread {at} in this run:", *_run(run, threads, (at,))]


def explain_search(engine: EngineReport) -> list[str]:
    """How much was executed and what the user should know about it; nothing for engines that execute nothing."""
    lines = []
    if "executions" in engine.stats and "algorithm" in engine.stats:
        stats = engine.stats
        extent = "all schedules" if stats.get("complete") else engine.stopped or "up to the first race"
        lines.append(
            f"{engine.name}: {stats['executions']:,} execution{'' if stats['executions'] == 1 else 's'}"
            f" by {stats['algorithm']}, {extent};"
            f" {float(stats.get('executions_per_second', 0)):,.0f} a second"
        )
    return lines + [f"{engine.name}: {note}" for note in engine.notes]


def _run(run: Run, threads: Sequence[ThreadResult], important: Sequence[int]) -> list[str]:
    created = [thread for thread in threads if thread.id != 0]
    # Those that matter and the first others; numbers tell which are left out.
    shown = [t for i, t in enumerate(created) if t.id in important or i < MAX_THREADS]
    lines = [f"{thread} by thread {thread.parent}" for thread in shown]
    if len(shown) < len(created):
        lines.append(f"… and {len(created) - len(shown)} more threads")
    if run.inputs:
        lines.append("inputs: " + ", ".join(map(str, run.inputs)))
    return [*lines, "schedule: " + _turns(run)]


def _turns(run: Run) -> str:
    turns = [f"{thread} to step {until}" for thread, until in run.turns]
    if len(turns) > MAX_TURNS:
        left_out = len(turns) - MAX_TURNS
        turns = [*turns[: MAX_TURNS // 2], f"… {left_out} more …", *turns[-MAX_TURNS // 2 :]]
    return ", ".join(turns) or "as it starts"
