from __future__ import annotations

import pytest
from unit.handmade import COUNTER, PAIRS, proof, unknown, witness

from raceproof.core import InternalError
from raceproof.model import AccessId, EngineResult, Finding, RacePair, Scope, Verdict
from raceproof.portfolio import Ledger
from raceproof.portfolio.ledger import Doubt


def result(*findings: Finding) -> EngineResult:
    return EngineResult("any", findings, 0.1)


def test_pairs_are_open_until_they_are_decided() -> None:
    ledger = Ledger(PAIRS)
    assert ledger.open_pairs() == PAIRS
    ledger.add(result(proof(PAIRS[0]), unknown(PAIRS[1])))
    assert ledger.open_pairs() == PAIRS[1:]
    assert ledger.decide(PAIRS[0]).verdict is Verdict.RACE_FREE
    assert ledger.decide(PAIRS[1]).verdict is Verdict.UNKNOWN
    assert ledger.decide(PAIRS[2]).finding is None


def test_evidence_is_kept() -> None:
    ledger = Ledger(PAIRS)
    ledger.add(result(unknown(PAIRS[0], engine="lockset")))
    ledger.add(result(proof(PAIRS[0], engine="petri")))
    assert [f.engine for f in ledger.findings(PAIRS[0])] == ["lockset", "petri"]
    assert ledger.decide(PAIRS[0]).verdict is Verdict.RACE_FREE


def test_an_unknown_does_not_undo_a_proof() -> None:
    ledger = Ledger(PAIRS)
    ledger.add(result(proof(PAIRS[0])))
    ledger.add(result(unknown(PAIRS[0], engine="petri")))
    assert ledger.decide(PAIRS[0]).verdict is Verdict.RACE_FREE


def test_the_strongest_proof_counts() -> None:
    ledger = Ledger(PAIRS)
    ledger.add(result(proof(PAIRS[0], Scope.THIS_INPUT), proof(PAIRS[0], Scope.ANY_THREADS)))
    ledger.add(result(proof(PAIRS[0], Scope.ALL_INPUTS)))
    assert ledger.decide(PAIRS[0]).scope is Scope.ANY_THREADS


def test_a_bounded_proof_leaves_the_pair_open() -> None:
    ledger = Ledger(PAIRS)
    ledger.add(result(proof(PAIRS[0], Scope.BOUNDED)))
    assert PAIRS[0] in ledger.open_pairs()
    decision = ledger.decide(PAIRS[0])
    assert (decision.verdict, decision.scope) == (Verdict.UNKNOWN, Scope.BOUNDED)


def test_proof_and_witness_are_a_contradiction() -> None:
    ledger = Ledger(PAIRS)
    ledger.add(result(proof(PAIRS[0])))
    with pytest.raises(InternalError, match="contradiction"):
        ledger.add(result(witness(PAIRS[0])))


def test_witness_and_proof_are_a_contradiction() -> None:
    ledger = Ledger(PAIRS)
    with pytest.raises(InternalError, match="contradiction"):
        ledger.add(result(witness(PAIRS[0]), proof(PAIRS[0])))


def test_a_witness_beyond_the_bound_of_a_proof_is_none() -> None:
    ledger = Ledger(PAIRS)
    ledger.add(result(proof(PAIRS[0], Scope.BOUNDED), witness(PAIRS[0])))
    assert ledger.decide(PAIRS[0]).verdict is Verdict.RACE


def test_findings_on_other_pairs_are_refused() -> None:
    with pytest.raises(InternalError, match="no pair"):
        Ledger(PAIRS).add(result(proof(RacePair(AccessId(7), AccessId(8), COUNTER))))


def test_a_proof_that_is_doubted_is_none() -> None:
    doubts = {PAIRS[0]: Doubt("gone", frozenset({Scope.ALL_INPUTS, Scope.ANY_THREADS}))}
    ledger = Ledger(PAIRS, doubts)
    ledger.add(result(*(proof(pair) for pair in PAIRS)))
    assert ledger.open_pairs() == (PAIRS[0],)
    assert [str(f.evidence) for f in ledger.findings(PAIRS[0])] == ["gone"]
    ledger.add(result(witness(PAIRS[0])))  # no contradiction
    assert ledger.decide(PAIRS[0]).verdict is Verdict.RACE


@pytest.mark.parametrize(
    ("accepted", "verdict"), [(Scope.ALL_INPUTS, Verdict.UNKNOWN), (Scope.THIS_INPUT, Verdict.RACE_FREE)]
)
def test_a_proof_decides_if_it_reaches_as_far_as_it_must(accepted: Scope, verdict: Verdict) -> None:
    ledger = Ledger(PAIRS, accepted=accepted)
    ledger.add(result(proof(PAIRS[0], Scope.THIS_INPUT)))
    decision = ledger.decide(PAIRS[0])
    assert (decision.verdict, decision.scope) == (verdict, Scope.THIS_INPUT)
    assert (PAIRS[0] in ledger.open_pairs()) is (verdict is Verdict.UNKNOWN)


def test_a_bounded_proof_is_never_accepted() -> None:
    with pytest.raises(InternalError):
        Ledger(PAIRS, accepted=Scope.BOUNDED)
