"""Whether what a report tells people of a run is what the run shows when it is made again.

The words are those of `portfolio` and `report`, made anew from the new run: names of threads and places, each line of
the trace, who waits for whom.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from raceproof import explore, portfolio, report
from raceproof.cli.report_file import Fields, ReportedClaims
from raceproof.evidence import About
from raceproof.ir import SiteId
from raceproof.model import AccessId, ConcurrentProgram, Deadlock, Incident, RacePair, RaceResult, Role, Run, RunThread

_PLACE = ("file", "line", "column", "function")


@dataclass(frozen=True, slots=True)
class Wording:
    """Compares one report; called with what a run is of, its number, and the run."""

    reported: ReportedClaims
    cp: ConcurrentProgram
    pairs: tuple[RacePair, ...]
    namer: portfolio.Namer

    def __call__(self, about: About, number: int, replayed: explore.Replayed) -> str | None:
        match about:
            case About.PAIR:
                problems = self._race(number, replayed)
            case About.DEADLOCK:
                problems = self._deadlock(number, replayed)
            case About.OTHER:
                problems = self._incident(number, replayed)
        return next(problems, None)

    def _race(self, number: int, replayed: explore.Replayed) -> Iterator[str]:
        told = _entry(self.reported.fields["pairs"], number)
        claim = next(claim for claim in self.reported.claims.pairs if claim.id == number)
        pair = next(pair for pair in self.pairs if (pair.first, pair.second) == claim.key)
        if claim.schedule is None:
            return
        schedule = replayed.kept_in(replace(claim.schedule, run=_with_inputs(claim.schedule.run, replayed)))
        accesses = [report.access_to_json(access) for access in self.namer.racing(pair, schedule)]
        if told["accesses"] != _plain(accesses):
            yield "run again, the two accesses are not made in this way"
        trace = portfolio.race_trace(self.namer, pair, schedule, schedule.steps, schedule.run)
        race = RaceResult(schedule, self.namer.racers(schedule), trace, self.namer.inputs(schedule.run))
        yield from _compare_run(told["schedule"], report.race_to_json(race), schedule.run, replayed)

    def _deadlock(self, number: int, replayed: explore.Replayed) -> Iterator[str]:
        told = _entry(self.reported.fields["deadlocks"], number)
        claim = next(claim.deadlock for claim in self.reported.claims.deadlocks if claim.id == number)
        blocked = tuple(step for step in replayed.record if step.role is Role.NEXT)
        if claim.site not in {step.site for step in blocked}:
            yield "run again, no thread waits where it is shown"
        run = _with_inputs(claim.run, replayed)
        deadlock = Deadlock(run, claim.site, blocked, replayed.steps[-explore.KEPT_STEPS :])
        derived = report.deadlock_to_json(portfolio.describe_deadlock(self.namer, number, deadlock))
        if any(told[name] != _plain(derived[name]) for name in (*_PLACE, "threads")):
            yield "run again, threads wait elsewhere, or hold or wait for something else"
        yield from _compare_run(told["schedule"], derived["schedule"], run, replayed)

    def _incident(self, number: int, replayed: explore.Replayed) -> Iterator[str]:
        told = _entry(self.reported.fields["other"], number)
        claim = next(claim for claim in self.reported.claims.incidents if claim.id == number)
        run = _with_inputs(claim.run, replayed)
        sites = [self._site(other.kind, other.site) for other in replayed.others if other.kind == claim.kind]
        sites += [step.site for step in replayed.record if step.role is Role.NEXT]
        incidents = [Incident(claim.kind, claim.message, claim.thread, site, run) for site in dict.fromkeys(sites)]
        spelled = [_plain(report.incident_to_json(self.namer.incident(number, incident))) for incident in incidents]
        if not any(all(told[name] == derived[name] for name in _PLACE) for derived in spelled):
            yield "run again, it happens elsewhere"
        for derived in spelled[:1]:
            yield from _compare_run(told["schedule"], derived["schedule"], run, replayed)

    def _site(self, kind: str, site: SiteId | None) -> SiteId | None:
        """A use after free names the access."""
        access = self.cp.accesses.get(AccessId(site)) if kind == "use after free" and site is not None else None
        return access.site if access is not None else site


def _compare_run(told: Fields, shown: Any, run: Run, replayed: explore.Replayed) -> Iterator[str]:
    """Threads, places of inputs, and the trace line by line, if it is told."""
    derived: Fields = _plain(shown)
    if not set(run.threads) <= _threads(replayed):
        yield "run again, it does not have these threads"
    if told["threads"] != derived["threads"]:
        yield "its threads do not run the functions that are told"
    for place, known in zip(told.get("input_places", ()), derived["input_places"], strict=False):
        if known["file"] and place != known:
            yield "its inputs are taken elsewhere"
    yield from _compare_lines(told.get("trace"), derived.get("trace"))


def _compare_lines(told: Any, derived: Any) -> Iterator[str]:
    if told is None or derived is None:
        return
    for number, (line, shown) in enumerate(zip(told, derived, strict=False), start=1):
        if line != shown:
            yield f"run again, line {number} of its trace is another"
    if len(told) != len(derived):
        yield f"run again, its trace has {len(derived)} lines, not {len(told)}"


def _threads(replayed: explore.Replayed) -> set[RunThread]:
    """All threads of the run, as its steps or its records tell."""
    created = {
        RunThread(step.result, step.thread, step.site)
        for step in replayed.record
        if "create" in step.operation and step.result is not None
    }
    return created.union(*(run.threads for run in _runs(replayed)))


def _with_inputs(run: Run, replayed: explore.Replayed) -> Run:
    """Where the inputs were taken, as far as the run tells."""
    return replace(run, input_sites=max((other.input_sites for other in _runs(replayed)), key=len, default=()))


def _runs(replayed: explore.Replayed) -> list[Run]:
    return [*(race.run for race in replayed.races), *(other.run for other in replayed.others)]


def _entry(entries: Any, number: int) -> Fields:
    found: Fields = next(entry for entry in entries if int(entry["id"]) == number)
    return found


def _plain(value: Any) -> Any:
    """As JSON has it: there are no tuples."""
    return json.loads(json.dumps(value))
