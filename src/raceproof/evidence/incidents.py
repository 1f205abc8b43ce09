"""Other incidents, such as crashes and failed assertions: each is run again, and must come to the same.

Nothing here is independent of the runtime: an incident changes no verdict, but nobody may invent one.
"""

from __future__ import annotations

from collections.abc import Iterator

from raceproof.core import Budget, LimitReached, ToolMissing, Unsupported
from raceproof.evidence.claims import About, IncidentClaim, Judgement, Ruling, Subject, accepted, not_checked, rejected
from raceproof.evidence.schedules import Repeater

KIND = "other"
DEADLOCK = "deadlock"
LIVELOCK = "livelock"


def check_incidents(subject: Subject, budget: Budget) -> Iterator[Judgement]:
    left = {told.id for told in subject.report.incidents}
    if not left:
        return
    why = "its checker says nothing about it"
    try:
        repeater = Repeater(subject, budget)
        for told in subject.report.incidents:
            budget.check()
            subject.on_progress("checking other incidents")
            yield Judgement(told.id, KIND, _judge(subject, repeater, told), About.OTHER)
            left.discard(told.id)
    except (LimitReached, Unsupported, ToolMissing) as stop:
        why = str(stop)
    for number in sorted(left):
        yield Judgement(number, KIND, not_checked(why), About.OTHER)


def _judge(subject: Subject, repeater: Repeater, told: IncidentClaim) -> Ruling:
    if told.kind == LIVELOCK:
        return not_checked("that no thread can end any more shows in no single run")
    replayed = repeater.repeat(told.run)
    shown = [other for other in replayed.others if (other.kind, other.message) == (told.kind, told.message)]
    if not any(told.thread == other.thread or told.kind == DEADLOCK for other in shown):  # that one is of all threads
        return rejected(f"its schedule does not show it: {told.kind}")
    if (why := subject.wording(About.OTHER, told.id, replayed)) is not None:
        return rejected(why)
    return accepted("run again, it happens again")
