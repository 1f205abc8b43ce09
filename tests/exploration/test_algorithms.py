"""The six algorithms on generated programs: the same verdict from all, and counts within the bounds.

RACEPROOF_EXPLORE_PROGRAMS is the number of programs (default: what fits a test run; `make soak` runs 20,000),
RACEPROOF_EXPLORE_SEED the first seed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from differential.preamble import as_source

from exploration.compare import Comparison, Limits, compare, compare_source, compile_batch, compile_text
from exploration.generator import MAX_SCHEDULES, MODES, batch, generate
from exploration.shrinker import shrink
from exploration.soak import mode_of
from exploration.syntax import Source, estimate, render, smaller

COUNT = int(os.environ.get("RACEPROOF_EXPLORE_PROGRAMS", "60"))
FIRST = int(os.environ.get("RACEPROOF_EXPLORE_SEED", "1"))
GROUP = 10
LIMITS = Limits(executions=60_000, seconds=20.0)


def _message(source: Source, found: Comparison) -> str:
    return f"seed {source.seed}, mode {source.mode}\n{found}\n{render(source)}"


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, GROUP))
def test_algorithms_agree(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + GROUP, FIRST + COUNT)):
        source = generate(seed, mode_of(seed))
        found = compare_source(source, LIMITS, interpreted=True, directory=tmp_path)
        assert not found.problems, _message(source, found)


def test_programs_of_a_batch_agree(tmp_path: Path) -> None:
    """Programs that share a module with others do as they do alone."""
    sources = [generate(seed) for seed in range(1, 4)]
    for source, compiled in zip(sources, compile_batch(sources, tmp_path), strict=True):
        found = compare(compiled, limits=LIMITS)
        alone = compare_source(source, LIMITS, directory=tmp_path)
        assert not found.problems, _message(source, found)
        counts = {name: outcome.executions for name, outcome in found.outcomes.items()}
        assert counts == {name: outcome.executions for name, outcome in alone.outcomes.items()}


@pytest.mark.parametrize("mode", MODES)
def test_generator_is_deterministic_and_bounded(mode: str) -> None:
    for seed in range(40):
        source = generate(seed, mode)
        assert render(source) == render(generate(seed, mode))
        assert estimate(source).schedules <= MAX_SCHEDULES


@pytest.mark.parametrize("mode", MODES)
def test_generated_programs_and_all_smaller_ones_compile(mode: str, tmp_path: Path) -> None:
    for seed in range(6):
        source = generate(seed, mode)
        text, entries = batch([source, *smaller(source)])
        assert compile_text(text, tmp_path, (entries[0], entries[-1]))


def test_shrinker_keeps_what_is_asked_for() -> None:
    source = generate(4)
    small = shrink(source, lambda candidate: "pthread_mutex_lock" in render(candidate))
    assert render(small).count("pthread_mutex_lock") == 1
    assert len(render(small).splitlines()) < len(render(source).splitlines())


def test_text_for_people_compiles(tmp_path: Path) -> None:
    source = generate(2)
    assert as_source(render(source)).startswith("#define")
    assert compile_text(render(source), tmp_path)
