"""Races: check the record of each run, and run it again on the program compiled anew.

The record is checked without the runtime that made it (`traces`); the second run must give the same record, and show
the same race.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raceproof import explore
from raceproof.core import Budget, InputError
from raceproof.evidence.claims import About, Answer, Claim, Judgement, Ruling, Subject, not_confirmed, rejected
from raceproof.evidence.control_flow import ControlFlow
from raceproof.evidence.traces import check_record
from raceproof.model import Run, RunStep, Turn

KIND = "race"


class Repeater:
    """Makes runs of the report again. A report with runs but without what to make them with is no report."""

    def __init__(self, subject: Subject, budget: Budget) -> None:
        if subject.setup is None or subject.search is None:
            raise InputError("the report has races but not what to run them with: check the program again")
        if not all(key in subject.pairs for key in subject.setup.pairs):
            raise InputError("the report was made by another version of raceproof: check the program again")
        watched = [subject.pairs[key] for key in subject.setup.pairs]
        self._options = subject.search
        self._prepared = explore.prepare(subject.cp, watched, subject.search, budget)

    def repeat(self, run: Run, drive: tuple[Turn, Turn] | None = None) -> explore.Replayed:
        return explore.repeat(self._prepared, self._options, run, drive)


_AGAIN = 5
"""So often a run whose record is another is repeated: what differs again is the program's, not the report's."""


def check_races(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """Replay each race."""
    repeater = Repeater(subject, budget)
    flow = ControlFlow(subject.cp)
    for claim in claims:
        budget.check()
        yield Judgement(claim.id, KIND, _judge(subject, flow, repeater, claim))


def _judge(subject: Subject, flow: ControlFlow, repeater: Repeater, claim: Claim) -> Ruling:
    schedule = claim.schedule
    if schedule is None:
        return rejected("a race without the schedule that shows it")
    if tuple(sorted(schedule.accesses)) != claim.key:
        return rejected("its schedule is that of another pair")
    told = check_record(subject.cp, schedule, schedule.record, flow) if schedule.record else None
    if told is not None and told.answer is Answer.REJECTED:
        return told
    replayed = repeater.repeat(schedule.run, explore.drive_of(schedule))
    if not any(explore.shows(found, schedule) for found in replayed.races):
        problem = f" (the run failed: {replayed.problem})" if replayed.problem is not None else ""
        return rejected(f"its schedule does not show the race{problem}")
    if (why := record_difference(schedule.record, replayed.record)) is not None:
        again = (repeater.repeat(schedule.run, explore.drive_of(schedule)) for _ in range(_AGAIN))
        seen = tuple(replace(step, value="", stack=()) for step in replayed.record)
        if any(record_difference(seen, other.record) is not None for other in again):
            return not_confirmed(f"the program does not do the same each time, so its record cannot be checked: {why}")
        return rejected(why)
    if (why := subject.wording(About.PAIR, claim.id, replayed)) is not None:
        return rejected(why)
    if not replayed.record:
        return not_confirmed("run again, it shows the race; there is no record that could be checked")
    # Of a long run there is no record in the report.
    return told or check_record(subject.cp, schedule, replayed.record, flow)


def record_difference(told: Sequence[RunStep], seen: Sequence[RunStep]) -> str | None:
    """Where the record of the report is not what the second run did."""
    if not told:
        return None
    for line, (a, b) in enumerate(zip(told, seen, strict=False), start=1):
        if a != replace(b, value="", stack=()):
            return f"run again, line {line} of the record is another: {b.thread}.{b.number} {b.operation} {b.address}"
    return f"run again, it has {len(seen)} lines in its record, not {len(told)}" if len(told) != len(seen) else None
