"""Programs whose race depends on an input are never race-free; those without input are proved.

RACEPROOF_INPUTS_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_INPUTS_SEED the first
seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.families import specimen
from exploration.given import generate, is_racy
from exploration.judging import Plan, judge
from exploration.searches import Limits

COUNT = int(os.environ.get("RACEPROOF_INPUTS_PROGRAMS", "30"))
FIRST = int(os.environ.get("RACEPROOF_INPUTS_SEED", "1"))
LIMITS = Limits(executions=2_000, seconds=5.0)


def test_verdicts_fit_the_truth(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, "inputs")
        found = judge(whole, Plan(searches=("race",), provers=("lockset",)), tmp_path, LIMITS)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        counts += found.counts
    assert counts["inputs: racy, not proved"] > COUNT / 4
    assert counts["inputs: race-free, proved"] > COUNT / 5


def test_a_seed_means_one_program() -> None:
    texts = [generate(seed) for seed in range(60)]
    assert texts == [generate(seed) for seed in range(60)]
    assert {is_racy(text) for text in texts} == {True, False}
    assert is_racy("int main(void) {}") is None
