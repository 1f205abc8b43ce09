"""Programs with as many objects as the explorer can follow, or more: what is said of them is true, or nothing.

RACEPROOF_LIMITS_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_LIMITS_SEED the first
seed.
"""

from __future__ import annotations

import collections
import os
from dataclasses import replace
from pathlib import Path

import pytest

from exploration.compare import compile_text
from exploration.families import Specimen, specimen
from exploration.judging import Judged, Plan, judge
from exploration.limits import KINDS, generate, truth_of, without_truth
from exploration.searches import Limits
from raceproof import portfolio
from raceproof.core import Budget
from raceproof.model import Verdict

COUNT = int(os.environ.get("RACEPROOF_LIMITS_PROGRAMS", "25"))
FIRST = int(os.environ.get("RACEPROOF_LIMITS_SEED", "1"))
LIMITS = Limits(executions=1_000, seconds=2.0)
SEARCHED = Plan(searches=("race", "optimal"), provers=("lockset", "shapes"))


def _judged(whole: Specimen, directory: Path) -> Judged:
    return judge(whole, SEARCHED, directory, LIMITS)


def test_verdicts_fit_the_truth(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        whole = specimen(seed, "limits")
        found = _judged(whole, tmp_path)
        assert not found.problems, f"seed {seed}\n{found}\n{whole.text}"
        counts += found.counts
    assert counts["limits: racy, within: decided"] > COUNT / 10, counts
    assert counts["limits: race-free, within: decided"] > COUNT / 10, counts
    assert sum(number for name, number in counts.items() if "near or past" in name) > COUNT / 10, counts


@pytest.mark.parametrize("is_racy", [True, False])
def test_a_wrong_truth_is_noticed(is_racy: bool, tmp_path: Path) -> None:
    """Of a program within the limits, in both directions; and one that is past a limit has to be left open."""
    wanted = (is_racy, True)
    texts = (generate(seed) for seed in range(1_000))
    text = next(t for t in texts if (truth := truth_of(t)) and (truth.is_racy, truth.is_within) == wanted)
    old, new = ("racy,", "race-free,") if is_racy else ("race-free,", "racy,")
    forged = replace(specimen(1, "limits"), text=text.replace(f"// truth: {old}", f"// truth: {new}"))
    kind = "race of a race-free program" if is_racy else "a limit is forgotten"
    assert kind in _judged(forged, tmp_path).kinds


def test_a_limit_that_is_exceeded_is_noticed(tmp_path: Path) -> None:
    make = "for (int i = 0; i < 80; i++)"
    text = next(
        t for seed in range(5_000) if "race-free, near" in (t := generate(seed)) and make in t and "nothing" in t
    )
    forged = replace(specimen(1, "limits"), text=text.replace("near or past a limit", "within every limit"))
    assert "not decided within the limits" in _judged(forged, tmp_path).kinds


def test_a_seed_means_one_program() -> None:
    texts = [generate(seed) for seed in range(300)]
    assert texts == [generate(seed) for seed in range(300)]
    truths = [truth_of(text) for text in texts]
    assert None not in truths
    assert len(set(truths)) == 4
    assert all(truth_of(without_truth(text)) is None for text in texts)
    assert not any("@" in text for text in texts)


def test_every_kind_is_below_its_limit_and_above() -> None:
    for name, kind in KINDS.items():
        if kind.limit is not None:
            assert min(kind.counts) < kind.limit < max(kind.counts), name


def test_a_limit_in_front_of_the_first_thread_is_the_reason(tmp_path: Path) -> None:
    """Not that the program ended, nor that it wants arguments."""
    text = """extern int atexit(void (*)(void));
static int x; static void nothing(void) {}
static void *f(void *p) { x++; return p; }
int main(void) {
  pthread_t t;
  for (int i = 0; i < 300; i++) atexit(nothing);
  pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0);
}
"""
    compiled = compile_text(text, tmp_path)[0]
    settings = portfolio.Settings(request=compiled.request, unaided=True)
    checked = portfolio.check(compiled.program, ("explore",), Budget.seconds(10.0), settings)
    assert checked.verdict is Verdict.UNKNOWN
    assert "ended before" not in str(checked)
    assert "more exit handlers than the explorer can follow" in str(checked)
