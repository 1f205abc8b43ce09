"""A finding with the wrong kind of evidence is refused; so is a result that does not follow from its pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import PAIRS, check_result, pair_result, proof, schedule, unknown, witness

from raceproof.core import InternalError
from raceproof.model import Evidence, Exhausted, Finding, Reason, Rule, Scope, StaticReason, Verdict

PROOF = (StaticReason(Rule.ORDERED, "joined at line 20"),)


@pytest.mark.parametrize(
    ("verdict", "evidence", "scope"),
    [
        (Verdict.RACE_FREE, (), Scope.ALL_INPUTS),
        (Verdict.RACE_FREE, Reason("looks fine"), Scope.ALL_INPUTS),
        (Verdict.RACE_FREE, PROOF, None),
        (Verdict.UNKNOWN, PROOF, None),
        (Verdict.UNKNOWN, (), None),
        (Verdict.RACE, PROOF, None),
        (Verdict.RACE, Reason("saw it"), None),
        (Verdict.RACE, schedule(PAIRS[1]), None),
        (Verdict.RACE, schedule(PAIRS[0]), Scope.THIS_INPUT),
        (Verdict.RACE, Exhausted(3, "race"), None),
        (Verdict.UNKNOWN, schedule(PAIRS[0]), None),
        (Verdict.RACE_FREE, schedule(PAIRS[0]), Scope.THIS_INPUT),
        (Verdict.RACE_FREE, Exhausted(3, "race"), Scope.ALL_INPUTS),
        (Verdict.RACE_FREE, Exhausted(0, "race"), Scope.THIS_INPUT),
        (Verdict.RACE_FREE, Exhausted(3, "race", ("cut at 10 steps",)), Scope.THIS_INPUT),
    ],
)
def test_wrong_evidence_is_refused(verdict: Verdict, evidence: Evidence, scope: Scope | None) -> None:
    with pytest.raises(InternalError, match="wrong kind of evidence"):
        Finding(PAIRS[0], verdict, evidence, "lockset", scope)


def test_right_evidence_is_taken() -> None:
    assert proof(PAIRS[0]).verdict is Verdict.RACE_FREE
    assert unknown(PAIRS[0]).verdict is Verdict.UNKNOWN
    assert witness(PAIRS[0]).verdict is Verdict.RACE
    explored = Finding(PAIRS[0], Verdict.RACE_FREE, Exhausted(3, "race"), "explore", Scope.THIS_INPUT)
    assert str(explored.evidence) == "explored all schedules, 3 executions"
    bounded = Exhausted(1, "race", ("executions cut at 10 steps",))
    assert Finding(PAIRS[0], Verdict.RACE_FREE, bounded, "explore", Scope.BOUNDED).scope is Scope.BOUNDED


def test_reasons_print_as_rule_and_detail() -> None:
    assert str(StaticReason(Rule.COMMON_LOCK, "m")) == "common-lock m"
    assert str(StaticReason(Rule.BOTH_ATOMIC, "")) == "both-atomic"


@pytest.mark.parametrize("scope", [None, Scope.BOUNDED])
def test_no_pair_is_race_free_by_a_bounded_proof(scope: Scope | None) -> None:
    with pytest.raises(InternalError):
        replace(pair_result(verdict=Verdict.RACE_FREE), scope=scope)


def test_no_pair_is_a_race_without_its_run() -> None:
    with pytest.raises(InternalError):
        replace(pair_result(verdict=Verdict.RACE), race=None)
    with pytest.raises(InternalError):
        replace(pair_result(verdict=Verdict.RACE), verdict=Verdict.UNKNOWN)


def test_the_program_is_not_race_free_while_a_pair_is_open() -> None:
    result = check_result(pair_result(1, Verdict.RACE_FREE), pair_result(2))
    with pytest.raises(InternalError):
        replace(result, verdict=Verdict.RACE_FREE, scope=Scope.ALL_INPUTS)
    with pytest.raises(InternalError):
        replace(result, verdict=Verdict.RACE)
    with pytest.raises(InternalError):
        replace(result, reason=None)
