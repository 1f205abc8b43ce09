"""Thread states in the search of [DHTC], on generated programs: it finds what `dfs` finds.

RACEPROOF_OWNERS_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_OWNERS_SEED the first
seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.families import specimen
from exploration.judging import Plan, judge
from exploration.owners import generate
from exploration.searches import UNHUNTED, Limits

COUNT = int(os.environ.get("RACEPROOF_OWNERS_PROGRAMS", "30"))
FIRST = int(os.environ.get("RACEPROOF_OWNERS_SEED", "20001"))
LIMITS = Limits(executions=20_000, seconds=5.0)


def test_no_race_is_pruned_away(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, "owners")
        found = judge(whole, Plan(("pdp", "dhtc", UNHUNTED)), tmp_path, LIMITS)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        executions = {name: outcome.executions for name, outcome in found.outcomes.items()}
        counts["racy"] += bool(found.races)
        counts["states decide"] += executions[UNHUNTED] < executions["pdp"]
    assert counts["racy"] > COUNT / 8  # else nothing was compared
    assert counts["states decide"] > COUNT / 8, counts


def test_a_seed_means_one_program() -> None:
    texts = [generate(seed) for seed in range(60)]
    assert texts == [generate(seed) for seed in range(60)]
    assert len(set(texts)) == len(texts)
