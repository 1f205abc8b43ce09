"""The lockset engine against the interpreter, on generated programs: no race may be proved away.

RACEPROOF_FUZZ is the number of programs, RACEPROOF_FUZZ_SEED the first seed; those that do not fit a test run are slow.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from differential.fuzz import Statistics
from differential.generator import Generated, generate
from differential.judge import Judgement, judge

COUNT = int(os.environ.get("RACEPROOF_FUZZ", "600"))
FIRST = int(os.environ.get("RACEPROOF_FUZZ_SEED", "1"))
BATCH = 50
QUICK = 100
MAX_EXECUTIONS = 1500
SECONDS = 3.0

_statistics = Statistics()


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Print what was covered, visible with `pytest -s`."""
    yield
    print(f"\n{_statistics}")


def _listing(made: Generated) -> str:
    lines = "\n".join(f"{number:3} {line}" for number, line in enumerate(made.text.splitlines(), 1))
    return f"seed {made.seed}, {', '.join(made.idioms)}, {'; '.join(made.spoiled) or 'as is'}\n{lines}"


def _message(made: Generated, result: Judgement) -> str:
    return "\n".join(["UNSOUND", *map(str, result.unsound), _listing(made)])


BATCHES = [
    pytest.param(first, marks=pytest.mark.slow if first >= FIRST + QUICK else ())
    for first in range(FIRST, FIRST + COUNT, BATCH)
]


@pytest.mark.parametrize("first", BATCHES)
def test_no_race_is_proved_away(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + BATCH, FIRST + COUNT)):
        made = generate(seed)
        result = judge(made.text, tmp_path, MAX_EXECUTIONS, SECONDS)
        _statistics.add(made.idioms, result)
        assert result.crash is None, f"{result.crash}\n{_listing(made)}"
        assert not result.unsound, _message(made, result)


def test_a_broken_analysis_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs are hard enough: without one of its conditions, the engine proves a race away."""
    from raceproof.lockset import engine

    monkeypatch.setattr(engine, "leaking_objects", lambda cp, decided: frozenset())
    for seed in range(1, 400):
        made = generate(seed, "heap_object" if seed % 2 else "publish")
        if judge(made.text, tmp_path, MAX_EXECUTIONS, SECONDS).unsound:
            return
    pytest.fail("nothing was noticed")
