"""Locks to come that the run knows by what threads were given, on generated programs: pruning loses no race.

RACEPROOF_HEAP_LOCKS_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_HEAP_LOCKS_SEED the
first seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.families import specimen
from exploration.heap_locks import MODE, generate
from exploration.judging import Plan, judge
from exploration.searches import Limits

COUNT = int(os.environ.get("RACEPROOF_HEAP_LOCKS_PROGRAMS", "12"))
FIRST = int(os.environ.get("RACEPROOF_HEAP_LOCKS_SEED", "30001"))
LIMITS = Limits(executions=5_000, seconds=5.0)


def test_no_race_is_pruned_away(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, MODE)
        found = judge(whole, Plan(("dpor", "race", "pdp", "dhtc")), tmp_path, LIMITS)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        counts["racy"] += bool(found.races)
        counts["dpor"] += found.outcomes["dpor"].end == "complete"
        counts["one execution"] += not found.races and found.outcomes["pdp"].executions == 1
    assert counts["dpor"] > COUNT / 2, counts  # else nothing was compared
    assert counts["racy"] > COUNT / 20, counts
    assert counts["one execution"] > COUNT / 10, counts


def test_a_seed_means_one_program() -> None:
    texts = [generate(seed) for seed in range(60)]
    assert texts == [generate(seed) for seed in range(60)]
    assert len(set(texts)) > 50
