"""Spell out a run that was repeated: each step with its place in the source."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from raceproof import explore
from raceproof.model import ConcurrentProgram, Deadlock, RacePair, Role, Run, RunStep, Schedule, Trace, TraceStep
from raceproof.portfolio.naming import Namer


def trace_race(cp: ConcurrentProgram, pair: RacePair, schedule: Schedule, replayed: explore.Replayed) -> Trace:
    """The run up to its race."""
    schedule = replace(schedule, steps=replayed.steps, record=replayed.record, blocks=replayed.blocks)
    return race_trace(
        Namer(cp),
        pair,
        schedule,
        replayed.steps,
        run=_actual(replayed, schedule.run),
        ended=_ends(replayed),
        repeated=any(explore.shows(found, schedule) for found in replayed.races),
    )


def race_trace(
    namer: Namer,
    pair: RacePair,
    schedule: Schedule,
    steps: Sequence[RunStep],
    run: Run,
    ended: tuple[str, ...] = (),
    repeated: bool = True,
) -> Trace:
    first, second = namer.racing(pair, schedule)
    namer = namer.within(schedule)
    racers = schedule.racers if schedule.accesses[0] == pair.first else schedule.racers[::-1]
    return Trace(
        threads=namer.threads(run, (*steps, *schedule.record)),
        steps=_steps(namer, steps),
        racing=((racers[0], first), (racers[1], second)),
        together=schedule.together,
        target=namer.target(pair, schedule),
        ended=ended,
        repeated=repeated,
        digest=_digest(steps),
    )


def trace_incident(cp: ConcurrentProgram, kind: str, thread: int | None, run: Run, replayed: explore.Replayed) -> Trace:
    """The run up to a deadlock, a failed assertion, a crash of that thread (None: of whichever)."""
    namer = Namer(cp)
    return Trace(
        threads=namer.threads(_actual(replayed, run), (*replayed.steps, *replayed.record)),
        steps=_steps(namer, replayed.steps),
        racing=(),
        together=False,
        target="",
        ended=_ends(replayed),
        repeated=any(other.kind == kind and thread in (None, other.thread) for other in replayed.others),
        digest=_digest(replayed.steps),
        waiting=_steps(namer, [step for step in replayed.record if step.role is Role.NEXT]),
    )


def deadlock_trace(namer: Namer, deadlock: Deadlock) -> Trace:
    """The run of a deadlock, up to where every thread waits."""
    return Trace(
        threads=namer.threads(deadlock.run, (*deadlock.steps, *deadlock.blocked)),
        steps=_steps(namer, deadlock.steps),
        racing=(),
        together=False,
        target="",
        ended=("deadlock",),
        repeated=True,
        digest=_digest(deadlock.steps),
        waiting=_steps(namer, deadlock.blocked),
    )


def _actual(replayed: explore.Replayed, run: Run) -> Run:
    """The longest account of the run: a record may come before all threads are there."""
    runs = [run, *(race.run for race in replayed.races), *(other.run for other in replayed.others)]
    return max(runs, key=lambda r: len(r.threads))


def _ends(replayed: explore.Replayed) -> tuple[str, ...]:
    ends = [f"{other.kind}: {other.message}" if other.message else other.kind for other in replayed.others]
    return tuple(ends) if replayed.problem is None else (*ends, f"the run failed: {replayed.problem}")


def _digest(steps: Sequence[RunStep]) -> str:
    return hashlib.sha256("\n".join(map(repr, steps)).encode()).hexdigest()[:16]


def _steps(namer: Namer, steps: Sequence[RunStep]) -> tuple[TraceStep, ...]:
    spelled = []
    for step in steps:
        access = namer.access(step.access)
        function, pos = namer.site(access.site if access is not None else step.site)
        places = (namer.site(call)[1] for call in step.stack)
        spelled.append(
            TraceStep(
                thread=step.thread,
                number=step.number,
                operation=step.operation,
                address=namer.place(step.address, access) if access is not None else namer.lock_at(step.address),
                value=step.value,
                held=tuple(map(namer.lock_at, step.held)),
                pos=pos,
                function=function,
                calls=tuple(place for place in places if place is not None),
            )
        )
    return tuple(spelled)
