"""What each engine is worth: the table counts, and what is not proved is listed with its reason."""

from __future__ import annotations

from pathlib import Path

from bench.portfolio import ALL, CHOICES, Answer, Task, answer, format_choices, format_unproved
from raceproof.model import Verdict

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"


def _answer(program: str, verdict: Verdict, is_racy: bool = False, choice: str = "all", reason: str = "") -> Answer:
    scope = "all-inputs" if verdict is Verdict.RACE_FREE else ""
    return Answer(program, is_racy, choice, verdict, scope, reason, False, {"lockset": 3}, 1, 0.5)


def test_engines_alone_together_and_without_each() -> None:
    assert len(CHOICES) == 2 * len(ALL) + 1
    assert CHOICES["all"] == ALL
    assert all(set(CHOICES[f"without {name}"]) == set(ALL) - {name} for name in ALL)


def test_rows_count_programs_by_truth_and_verdict() -> None:
    answers = [
        _answer("a", Verdict.RACE_FREE),
        _answer("b", Verdict.UNKNOWN, reason="too many orders"),
        _answer("c", Verdict.RACE, is_racy=True),
        _answer("d", Verdict.UNKNOWN, is_racy=True, reason="an input"),
    ]
    table = format_choices(answers)
    assert "races executed, of 2 | proved, of 2 |" in table
    assert "| all | 1 | 1 | 1 | 1 | 1 | 0 | 12 |" in table
    text = format_unproved(answers)
    assert "- `b`: too many orders" in text
    assert "- `d`: an input" in text
    assert "`a`" not in text


def test_a_program_is_asked() -> None:
    found = answer(Task(PROGRAMS / "locks" / "branches_both_lock.c", "lockset alone", 10.0))
    assert (found.verdict, found.is_wrong, found.is_racy) == (Verdict.RACE_FREE, False, False)
