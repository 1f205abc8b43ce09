"""Regions on generated programs with several lists: no proof of what a search executes.

RACEPROOF_LISTS_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_LISTS_SEED the first seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.compare import compile_text
from exploration.families import specimen
from exploration.judging import Plan, judge
from exploration.lists import MAX_SCHEDULES, generate
from exploration.searches import Limits
from exploration.syntax import estimate, render
from raceproof import facts, lockset
from raceproof.core import Budget
from raceproof.model import Rule

COUNT = int(os.environ.get("RACEPROOF_LISTS_PROGRAMS", "20"))
FIRST = int(os.environ.get("RACEPROOF_LISTS_SEED", "10001"))
LIMITS = Limits(executions=4_000, seconds=2.0)


def test_no_race_is_proved_away(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, "lists")
        found = judge(whole, Plan(searches=("race",), provers=("lockset",)), tmp_path, LIMITS)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        counts += found.counts
        counts["racy"] += bool(found.races)
    assert counts["racy"] > COUNT / 10  # else nothing was compared
    assert counts["lockset: proved"] > COUNT, counts


def test_regions_have_a_part_in_it(tmp_path: Path) -> None:
    proved = 0
    for seed in range(FIRST, FIRST + COUNT):
        cp = facts.analyse(compile_text(specimen(seed, "lists").text, tmp_path)[0].program, Budget.unlimited())
        result = lockset.run(cp, facts.race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited())
        rules = [r.rule for f in result.findings if isinstance(f.evidence, tuple) for r in f.evidence]
        proved += Rule.REGION in rules
    assert proved > COUNT / 10


def test_generator_is_deterministic_and_bounded() -> None:
    for seed in range(60):
        source = generate(seed)
        assert render(source) == render(generate(seed))
        assert estimate(source).schedules <= MAX_SCHEDULES
