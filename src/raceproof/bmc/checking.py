"""Checks a proof by unwinding: everything is made anew, nothing is sliced, each pair gets a solver of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from raceproof.bmc.conflicts import Conflicts
from raceproof.bmc.encoding import Encoding
from raceproof.bmc.interrupts import Watch, watched
from raceproof.bmc.library import call_library
from raceproof.bmc.options import BmcOptions
from raceproof.bmc.solving import Answer, Solver
from raceproof.bmc.terms import Truth, either, term
from raceproof.bmc.trust import Trust
from raceproof.bmc.unwinding import Unwinder
from raceproof.bmc.unwound import Mode, why_unprovable
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, RacePair, Unwinding


@final
@dataclass(frozen=True, slots=True)
class Refuted:
    """The proof is wrong."""

    why: str


@final
@dataclass(frozen=True, slots=True)
class Unanswered:
    """The solver did not say."""

    why: str


def check_unwinding(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], claimed: Unwinding, budget: Budget
) -> Refuted | Unanswered | None:
    """None if the proof holds, provided that the pairs which it relies on are proved."""
    with watched(budget) as watch:
        return _check(cp, pairs, claimed, watch)


def _check(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], claimed: Unwinding, watch: Watch
) -> Refuted | Unanswered | None:
    options = BmcOptions()
    conflicts = Conflicts(cp)
    unwound = Unwinder(conflicts, claimed.bound, Mode(True), call_library, watch, options.max_events).run()
    obstacle = why_unprovable(cp, unwound)
    if obstacle is not None:
        return Refuted(f"nothing can be proved: {obstacle}")
    if any(map(conflicts.is_outside, pairs)):
        return Refuted("an access of a pair may be made at any time")
    trust = Trust(conflicts)
    proved = frozenset((*claimed.pairs, *claimed.relies_on))
    encoding = Encoding(
        unwound, watch, is_trusted=lambda event: trust.is_trusted(event, proved), sees_last=trust.sees_last
    )
    questions: list[tuple[str, Truth]] = [
        (f"both threads may come to accesses {pair.first} and {pair.second}", either(*(m for _, _, m in races)))
        for pair in pairs
        if (races := encoding.races(pair))
    ]
    cuts = encoding.cuts()
    if claimed.is_complete and cuts:
        questions.append(("an execution goes further than it was unwound", either(*(truth for _, truth in cuts))))
    for what, question in questions:
        watch.check()
        solver = Solver(encoding.constraints, options.memory, watch)
        solved = solver.ask([term(question, 1)], (), min(4 * options.seconds, watch.remaining()))
        if solved.answer is Answer.YES:
            return Refuted(what)
        if solved.answer is Answer.UNKNOWN:
            return Unanswered(solved.reason)
    return None
