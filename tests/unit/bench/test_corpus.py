from __future__ import annotations

from unit.corpora.handmade_runs import result, run

from bench.corpus import block
from raceproof.model import Verdict


def test_truth_against_verdict() -> None:
    results = (
        result("a"),
        result("b", Verdict.RACE, Verdict.RACE, 3.0),
        result("c", Verdict.RACE, Verdict.UNKNOWN, 2.0),
    )
    text = block(run(*results))
    assert "| race-free | 1 | 0 | 0 |\n| race | 0 | 1 | 1 |" in text
    assert "3 programs, 0 wrong, score 3 of 4, median 4.00 s" in text
    failed = block(run(*results, result("d", Verdict.RACE, None)))
    assert "| race | 0 | 1 | 1 | 1 |" in failed
