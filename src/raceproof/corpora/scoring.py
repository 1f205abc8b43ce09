"""What is a verdict worth, given the truth? The scheme of SV-COMP (sv-comp.sosy-lab.org, "Scoring Schema").

A proof is worth more than a race, a mistake costs many right answers, and a proof of a racy program costs most.
"""

from __future__ import annotations

from enum import Enum, unique

from raceproof.core import InternalError
from raceproof.model import Verdict


@unique
class Outcome(Enum):
    """A verdict held against the truth. ERROR: the check of this program came to no verdict of its own."""

    CORRECT_TRUE = "correct true"  # proved, and race-free
    CORRECT_FALSE = "correct false"  # a race reported, and racy
    UNKNOWN = "unknown"
    ERROR = "error"
    WRONG_FALSE = "wrong false"  # a race reported, but race-free
    WRONG_TRUE = "wrong true"  # proved, but racy

    @property
    def is_correct(self) -> bool:
        return self in (Outcome.CORRECT_TRUE, Outcome.CORRECT_FALSE)

    @property
    def is_wrong(self) -> bool:
        return self in (Outcome.WRONG_FALSE, Outcome.WRONG_TRUE)


POINTS = {
    Outcome.CORRECT_TRUE: 2,
    Outcome.CORRECT_FALSE: 1,
    Outcome.UNKNOWN: 0,
    Outcome.ERROR: 0,
    Outcome.WRONG_FALSE: -16,
    Outcome.WRONG_TRUE: -32,
}


def outcome_of(expected: Verdict, verdict: Verdict | None) -> Outcome:
    """`expected` is RACE or RACE_FREE; None for a check that failed."""
    if expected is Verdict.UNKNOWN:
        raise InternalError("the truth about a program of a corpus is a race or none")
    match verdict:
        case None:
            return Outcome.ERROR
        case Verdict.UNKNOWN:
            return Outcome.UNKNOWN
        case Verdict.RACE_FREE:
            return Outcome.CORRECT_TRUE if expected is Verdict.RACE_FREE else Outcome.WRONG_TRUE
        case Verdict.RACE:
            return Outcome.CORRECT_FALSE if expected is Verdict.RACE else Outcome.WRONG_FALSE


def best_points(expected: Verdict) -> int:
    """What the right answer is worth."""
    return POINTS[outcome_of(expected, expected)]
