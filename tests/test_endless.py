"""Programs without an end: the verdicts of algorithm `states` are those of their bounded forms, without a bound.

Each program of `tests/endless` is four: `ENDLESS` makes its loops endless, `RACY` makes a race.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import load_text, search

from raceproof.model import DeadlockVerdict, Scope

PROGRAMS = sorted(Path(__file__).with_name("endless").glob("*.c"))
QUICK = ("ping_pong", "ring", "commands")


def _each() -> list[object]:
    return [
        pytest.param(path, racy, id=f"{path.stem}-{'racy' if racy else 'free'}",
                     marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in PROGRAMS
        for racy in (False, True)
    ]  # fmt: skip


def test_there_are_thirty() -> None:
    assert 2 * len(PROGRAMS) >= 30


@pytest.mark.parametrize(("path", "racy"), _each())
def test_endless_as_bounded(path: Path, racy: bool, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    flags = ("-DRACY",) if racy else ()
    for endless in ((), ("-DENDLESS",)):
        subject = load_text(text, tmp_path, *flags, *endless)
        found = search(subject, "states", find_all=True)
        assert bool(found.races) == racy, (endless, found.why())
        assert racy or found.is_proved, (endless, found.why())
        if racy:
            continue
        deadlock = search(subject, "states", deadlocks=True).result.deadlock
        assert deadlock is not None
        assert deadlock.verdict is DeadlockVerdict.DEADLOCK_FREE, (endless, deadlock)
        assert deadlock.scope is Scope.THIS_INPUT, (endless, deadlock)
