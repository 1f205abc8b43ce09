"""The engines that only prove, on generated programs in which values decide: no proof of what `dfs` executes.

RACEPROOF_VALUES_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_VALUES_SEED the first
seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.compare import compile_text
from exploration.families import specimen
from exploration.generator import batch
from exploration.judging import Plan, judge
from exploration.searches import Limits
from exploration.syntax import estimate, render, smaller
from exploration.values import MAX_SCHEDULES, generate

COUNT = int(os.environ.get("RACEPROOF_VALUES_PROGRAMS", "10"))
FIRST = int(os.environ.get("RACEPROOF_VALUES_SEED", "20001"))
LIMITS = Limits(executions=20_000, seconds=20.0)
ENGINES = ("lockset", "transactions")  # `petri` has a test of its own


def test_no_race_is_proved_away(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, "values")
        found = judge(whole, Plan(provers=ENGINES), tmp_path, LIMITS)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        counts += found.counts
    assert counts["dfs: races"] > COUNT / 4  # else nothing was compared
    assert all(counts[f"{engine}: proved"] > COUNT / 2 for engine in ENGINES), counts


def test_generator_is_deterministic_and_bounded() -> None:
    for seed in range(60):
        source = generate(seed)
        assert render(source) == render(generate(seed))
        assert estimate(source).schedules <= MAX_SCHEDULES


def test_generated_programs_and_all_smaller_ones_compile(tmp_path: Path) -> None:
    for seed in range(6):
        source = generate(seed)
        text, entries = batch([source, *smaller(source)])
        assert compile_text(text, tmp_path, (entries[0], entries[-1]))
