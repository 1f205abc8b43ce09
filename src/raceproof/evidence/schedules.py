"""Races: run each schedule again, on the program compiled anew; the same race must show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof import explore
from raceproof.core import Budget, InputError
from raceproof.evidence.claims import Claim, Judgement, Ruling, Subject, accepted, rejected

KIND = "race"


def check_races(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """Replay each race. A report with races but without what to run them with is no report."""
    if subject.setup is None or subject.search is None:
        raise InputError("the report has races but not what to run them with: check the program again")
    if not all(key in subject.pairs for key in subject.setup.pairs):
        raise InputError("the report was made by another version of raceproof: check the program again")
    watched = [subject.pairs[key] for key in subject.setup.pairs]
    prepared = explore.prepare(subject.cp, watched, subject.search, budget)
    for claim in claims:
        budget.check()
        yield Judgement(claim.id, KIND, _replay(prepared, subject.search, claim))


def _replay(prepared: explore.Prepared, options: explore.ExploreOptions, claim: Claim) -> Ruling:
    schedule = claim.schedule
    if schedule is None:
        return rejected("a race without the schedule that shows it")
    if tuple(sorted(schedule.accesses)) != claim.key:
        return rejected("its schedule is that of another pair")
    replayed = explore.repeat(prepared, options, schedule.run, explore.drive_of(schedule))
    if any(explore.shows(found, schedule) for found in replayed.races):
        return accepted("replayed: the same two accesses race in the same threads")
    problem = f" (the run failed: {replayed.problem})" if replayed.problem is not None else ""
    return rejected(f"its schedule does not show the race{problem}")
