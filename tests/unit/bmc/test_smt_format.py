"""The formula as text: another reader gets the same answers out of it."""

from __future__ import annotations

from pathlib import Path

import z3
from unit.bmc.c_programs import analysed
from unit.bmc.test_engine import NEEDS_SEVEN, NEVER

from raceproof.bmc import format_smt
from raceproof.core import Budget


def _answers(text: str) -> list[str]:
    """What a solver says to the file, one answer for each question."""
    head, *questions = text.split("(push 1)")
    answers = []
    for question in questions:
        solver = z3.Solver()
        solver.from_string(head + question.split("(check-sat)")[0])
        answers.append(str(solver.check()))
        head += question.split("(pop 1)")[1]
    return answers


def test_the_answers_are_in_the_text(tmp_path: Path) -> None:
    for text, expected in ((NEEDS_SEVEN, ["sat"]), (NEVER, ["unsat"])):
        program = analysed(text, tmp_path)
        pairs = [p for p in program.pairs if program.variable(p) == "x"]
        assert _answers(format_smt(program.cp, pairs, 1, Budget.seconds(60))) == expected


def test_a_pair_that_cannot_meet_is_declared_all_the_same(tmp_path: Path) -> None:
    program = analysed(
        "int x; void *f(void *p) { return (void *)(long)x; } int main(void) { x = 1; BOTH(f, f) return 0; }", tmp_path
    )
    assert _answers(format_smt(program.cp, program.pairs, 1, Budget.seconds(60))) == ["unsat"] * len(program.pairs)
