"""Spell out a run that was repeated: each step with its place in the source."""

from __future__ import annotations

from raceproof import explore
from raceproof.model import Access, ConcurrentProgram, RacePair, Run, Schedule, Trace, TraceStep
from raceproof.portfolio.naming import Namer


def trace_race(cp: ConcurrentProgram, pair: RacePair, schedule: Schedule, replayed: explore.Replayed) -> Trace:
    """The run up to its race."""
    namer = Namer(cp)
    first, second = namer.racing(pair, schedule)
    racers = schedule.racers if schedule.accesses[0] == pair.first else schedule.racers[::-1]
    return Trace(
        threads=namer.threads(_actual(replayed, schedule.run)),
        steps=_steps(cp, namer, replayed),
        racing=((racers[0], first), (racers[1], second)),
        together=schedule.together,
        target=namer.location(pair.target),
        ended=_ends(replayed),
        repeated=any(explore.shows(found, schedule) for found in replayed.races),
        digest=replayed.digest,
    )


def trace_incident(cp: ConcurrentProgram, kind: str, thread: int, run: Run, replayed: explore.Replayed) -> Trace:
    """The run up to a deadlock, a failed assertion, a crash of that thread."""
    namer = Namer(cp)
    return Trace(
        threads=namer.threads(_actual(replayed, run)),
        steps=_steps(cp, namer, replayed),
        racing=(),
        together=False,
        target="",
        ended=_ends(replayed),
        repeated=any((other.kind, other.thread) == (kind, thread) for other in replayed.others),
        digest=replayed.digest,
    )


def _actual(replayed: explore.Replayed, run: Run) -> Run:
    """The longest account of the run: a record may come before all threads are there."""
    runs = [run, *(race.run for race in replayed.races), *(other.run for other in replayed.others)]
    return max(runs, key=lambda r: len(r.threads))


def _ends(replayed: explore.Replayed) -> tuple[str, ...]:
    ends = [f"{other.kind}: {other.message}" if other.message else other.kind for other in replayed.others]
    return tuple(ends) if replayed.problem is None else (*ends, f"the run failed: {replayed.problem}")


def _address(namer: Namer, text: str, access: Access | None) -> str:
    return namer.address(text, access.size) if access is not None else namer.lock_at(text)


def _steps(cp: ConcurrentProgram, namer: Namer, replayed: explore.Replayed) -> tuple[TraceStep, ...]:
    steps = []
    for record in replayed.steps:
        access = cp.accesses.get(record.access) if record.access is not None else None
        site = access.site if access is not None else record.site
        function, pos = namer.site(site)
        calls = [place for place in (namer.site(call)[1] for call in record.stack) if place is not None]
        steps.append(
            TraceStep(
                thread=record.thread,
                number=record.step + 1,  # the runtime counts those before it; turns count those done
                operation=record.what,
                address=_address(namer, record.address, access),
                value=record.value,
                held=tuple(map(namer.lock_at, record.held)),
                pos=pos,
                function=function,
                calls=tuple(calls),
            )
        )
    return tuple(steps)
