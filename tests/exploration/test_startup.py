"""Code before and after main, on generated programs: no proof of what a search executes, by any engine.

RACEPROOF_STARTUP_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_STARTUP_SEED the first
seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.families import specimen
from exploration.judging import Plan, judge
from exploration.searches import Limits
from exploration.startup import generate

COUNT = int(os.environ.get("RACEPROOF_STARTUP_PROGRAMS", "20"))
FIRST = int(os.environ.get("RACEPROOF_STARTUP_SEED", "10001"))
LIMITS = Limits(executions=2_000, seconds=2.0)
PROVERS = ("lockset", "shapes", "petri", "transactions")


def test_no_race_is_proved_away(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, "startup")
        found = judge(whole, Plan(searches=("race",), provers=PROVERS), tmp_path, LIMITS)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        counts += found.counts
        counts["racy"] += bool(found.races)
    assert counts["racy"] > COUNT / 10  # else nothing was compared
    assert counts["lockset: proved"] > COUNT / 4, counts


def test_a_seed_means_one_program() -> None:
    texts = [generate(seed) for seed in range(60)]
    assert texts == [generate(seed) for seed in range(60)]
    assert len(set(texts)) == len(texts)
