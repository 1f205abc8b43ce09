"""Variations of the programs of the tests are C as a rule, and the same for the same seed."""

from __future__ import annotations

from pathlib import Path

from exploration import variations
from exploration.compare import compile_text
from exploration.families import specimen
from exploration.judging import judge, leads_out
from exploration.plans import plan_of
from exploration.searches import Limits
from raceproof.core import InputError, Unsupported


def test_a_seed_means_one_program() -> None:
    texts = [variations.generate(seed) for seed in range(40)]
    assert texts == [variations.generate(seed) for seed in range(40)]
    assert len(set(texts)) >= len(texts) - 2  # two seeds may spoil twins into one program
    assert not set(texts) & set(variations.programs())


def test_most_are_c(tmp_path: Path) -> None:
    compiled = 0
    for seed in range(30):
        try:
            compile_text(variations.generate(seed), tmp_path)
        except (InputError, Unsupported):
            continue
        compiled += 1
    assert compiled >= 15


def test_engines_agree(tmp_path: Path) -> None:
    judged = 0
    for seed in range(0, 150, 15):
        whole = specimen(seed, "variations")
        found = judge(whole, plan_of(whole), tmp_path, Limits(2_000, 2.0))
        assert not found.problems, whole.text
        judged += found.skipped is None
    assert judged >= 3


def test_a_pointer_for_another_one_has_no_meaning(tmp_path: Path) -> None:
    text = """
static pthread_mutex_t m;
static void *worker(void *arg) { pthread_mutex_lock(%s); return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); return 0; }
"""
    for argument, is_wrong in (("&m", False), ("&worker", True), ("1", True)):
        program = compile_text(text % "&m", tmp_path)[0].program
        assert leads_out(text % argument, program, tmp_path, Limits(100, 1.0)) == is_wrong
