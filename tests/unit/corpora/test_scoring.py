"""SV-COMP's points, and what is made of them."""

from __future__ import annotations

import pytest
from unit.corpora.handmade_runs import result

from raceproof.core import InternalError
from raceproof.corpora.results import EngineShare
from raceproof.corpora.scoring import POINTS, Outcome, outcome_of
from raceproof.corpora.tallies import EngineTally, by_category, by_engine, quantiles, tally
from raceproof.model import Verdict

RACE, FREE, UNKNOWN = Verdict.RACE, Verdict.RACE_FREE, Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("expected", "verdict", "outcome", "points"),
    [
        (FREE, FREE, Outcome.CORRECT_TRUE, 2),
        (RACE, RACE, Outcome.CORRECT_FALSE, 1),
        (FREE, UNKNOWN, Outcome.UNKNOWN, 0),
        (RACE, UNKNOWN, Outcome.UNKNOWN, 0),
        (FREE, None, Outcome.ERROR, 0),
        (RACE, None, Outcome.ERROR, 0),
        (FREE, RACE, Outcome.WRONG_FALSE, -16),
        (RACE, FREE, Outcome.WRONG_TRUE, -32),
    ],
)
def test_points(expected: Verdict, verdict: Verdict | None, outcome: Outcome, points: int) -> None:
    assert outcome_of(expected, verdict) is outcome
    assert POINTS[outcome] == points
    assert outcome.is_correct == (points > 0)
    assert outcome.is_wrong == (points < 0)


def test_the_truth_is_never_unknown() -> None:
    with pytest.raises(InternalError):
        outcome_of(UNKNOWN, FREE)


ALL = (
    result("a", FREE, FREE, 1.0, category="one"),
    result("b", RACE, RACE, 3.0, category="one"),
    result("c", FREE, UNKNOWN, 5.0, category="two"),
    result("d", RACE, None, 7.0, category="two"),
    result("e", RACE, FREE, 0.5, category="two"),
    result("f", FREE, FREE, 2.0, category="two"),
)


def test_tallies() -> None:
    total = tally(ALL)
    assert (total.programs, total.correct_true, total.correct_false) == (6, 2, 1)
    assert (total.unknown, total.wrong, total.error) == (1, 1, 1)
    assert (total.score, total.best) == (2 + 1 - 32 + 2, 2 + 1 + 2 + 1 + 1 + 2)
    assert (total.cpu, total.wall) == (18.5, 37.0)
    assert [(name, entry.score) for name, entry in by_category(ALL)] == [("one", 3), ("two", -30)]


def test_the_quantile_plot_starts_with_what_mistakes_cost() -> None:
    assert quantiles(ALL) == ((-30, 1.0), (-28, 2.0), (-27, 3.0))
    assert quantiles(ALL)[-1][0] == tally(ALL).score
    assert quantiles(()) == ()


def test_engines_by_programs_and_pairs() -> None:
    lockset, explore = EngineShare("lockset", 4, 0), EngineShare("explore", 2, 1)
    results = (
        result("proved by one", shares=(lockset,)),
        result("proved by two", shares=(lockset, explore)),
        result("racy", RACE, RACE, shares=(lockset, explore)),  # the race decides, not what was proved beside it
        result("wrong", FREE, RACE, shares=(explore,)),
        result("open", FREE, UNKNOWN, shares=(lockset,)),
        result("nothing shared"),
    )
    assert by_engine(results, ("petri", "lockset")) == (
        EngineTally("petri", 0, 0, 0, 0),
        EngineTally("lockset", 1, 1, 16, 0),
        EngineTally("explore", 1, 1, 6, 3),
    )
