"""The engines that only prove, on generated programs in which values decide: no proof of what `dfs` executes.

RACEPROOF_VALUES_PROGRAMS is the number of programs (default: what fits a test run; `make soak` runs 10,000),
RACEPROOF_VALUES_SEED the first seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from exploration.compare import Limits, compile_text
from exploration.generator import batch
from exploration.proving import PROVERS, judge_all, judge_one
from exploration.soak_values import Settings, make_smaller
from exploration.syntax import Source, estimate, render, smaller
from exploration.values import MAX_SCHEDULES, generate
from raceproof.model import Verdict

COUNT = int(os.environ.get("RACEPROOF_VALUES_PROGRAMS", "10"))
FIRST = int(os.environ.get("RACEPROOF_VALUES_SEED", "20001"))
GROUP = 5
LIMITS = Limits(executions=20_000, seconds=20.0)
ENGINES = ("lockset", "transactions")  # `petri` has a test of its own


def test_no_race_is_proved_away(tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for first in range(FIRST, FIRST + COUNT, GROUP):
        sources = [generate(seed) for seed in range(first, min(first + GROUP, FIRST + COUNT))]
        for source, found in zip(sources, judge_all(sources, ENGINES, tmp_path, LIMITS), strict=True):
            assert not found.problems, f"seed {source.seed}\n{found}\n{render(source)}"
            counts["racing"] += found.racing
            counts.update(found.proved)
    assert counts["racing"] > COUNT / 4  # else nothing was compared
    assert all(counts[engine] > COUNT / 2 for engine in ENGINES), counts


def _prove_all(cp: object, pairs: list[object], budget: object) -> SimpleNamespace:
    return SimpleNamespace(findings=[SimpleNamespace(pair=pair, verdict=Verdict.RACE_FREE) for pair in pairs])


def _crash(cp: object, pairs: list[object], budget: object) -> SimpleNamespace:
    raise IndexError("of a list")


def _racy_program(directory: Path) -> Source:
    for seed in range(1, 100):
        source = generate(seed)
        if judge_one(source, (), directory, LIMITS).racing:
            return source
    raise AssertionError("no program of a hundred has a race")


@pytest.mark.parametrize(("prover", "kind"), [(_prove_all, "forged is unsound"), (_crash, "crash of forged")])
def test_a_wrong_engine_is_caught_and_its_program_made_smaller(
    prover: object, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROVERS, "forged", prover)
    source = _racy_program(tmp_path)
    found = judge_one(source, ("forged",), tmp_path, LIMITS)
    assert kind in found.kinds
    settings = Settings(tmp_path, ("forged",), LIMITS, shrink_seconds=4.0)
    small = make_smaller(source, found, settings, tmp_path)
    assert kind in judge_one(small, ("forged",), tmp_path, LIMITS).kinds
    assert len(render(small).splitlines()) <= len(render(source).splitlines())


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
