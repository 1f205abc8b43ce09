"""Threads that never stand before their accesses together, though nothing orders these: no proof by the searches that
look for such threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import load, search

PROGRAM = Path(__file__).parents[2] / "programs" / "locks" / "robust_left_inconsistent_race.c"


@pytest.mark.parametrize("algorithm", ["dpor", "pdp", "dhtc"])
def test_a_mutex_that_cannot_be_locked_any_more_proves_nothing(algorithm: str) -> None:
    found = search(load(PROGRAM), algorithm, seconds=10.0)
    assert found.is_complete
    assert not found.is_proved


@pytest.mark.parametrize("algorithm", ["dfs", "optimal", "race"])
def test_happens_before_shows_the_race(algorithm: str) -> None:
    assert search(load(PROGRAM), algorithm, seconds=10.0).races
