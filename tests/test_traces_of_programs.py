"""Every race that `check` reports for `tests/programs` has a record that the independent checker accepts.

A sample, drawn by name, in each run; all programs with a race in `make soak`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from programs_truth import all_programs, program_name, read_truth, sample

import raceproof
from raceproof import evidence
from raceproof.cli.check_evidence import subject_of
from raceproof.cli.report_file import read_claims
from raceproof.core import Budget
from raceproof.evidence import Answer

RACY = [path for path in all_programs() if read_truth(path).is_racy]


def not_accepted(path: Path, directory: Path) -> Iterator[str]:
    """The races of a report whose evidence is not accepted, with the reason; skips a program without one."""
    report = directory / "report.json"
    raceproof.check(path, time_limit=30).save(report)
    reported = read_claims(report, None)
    claims = [claim for claim in reported.claims.pairs if claim.kind == "race"]
    if not claims:
        pytest.skip("check executes no race of this program")
    budget = Budget.seconds(60)
    subject = subject_of(reported, budget, lambda stage: None)
    judged = list(evidence.CHECKERS["race"](subject, claims, budget))
    assert len(judged) == len(claims)
    for judgement in judged:
        if judgement.answer is not Answer.ACCEPTED:
            yield f"pair {judgement.id}: {judgement.answer.value}: {judgement.ruling.why}"


@pytest.mark.parametrize("path", sample(RACY, 40), ids=program_name)
def test_some_races_are_accepted(path: Path, tmp_path: Path) -> None:
    assert list(not_accepted(path, tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", RACY, ids=program_name)
def test_all_races_are_accepted(path: Path, tmp_path: Path) -> None:
    assert list(not_accepted(path, tmp_path)) == []
