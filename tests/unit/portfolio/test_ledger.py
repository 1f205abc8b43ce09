from __future__ import annotations

import pytest
from unit.handmade import COUNTER, PAIRS, proof, unknown, witness

from raceproof.core import InternalError
from raceproof.model import (
    AccessId,
    ClassFindings,
    EngineResult,
    Finding,
    RacePair,
    RacePairs,
    Scope,
    Verdict,
    pair_classes,
)
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


A, B, C, D = (AccessId(number) for number in range(4))
TOGETHER = RacePairs(pair_classes([(A, C, D), (B,)], {(0, 0): COUNTER, (0, 1): COUNTER}.items()))


def by_classes(*verdicts: Verdict, engine: str = "lockset") -> EngineResult:
    """What is said of the classes, in their order."""
    said = {Verdict.RACE_FREE: proof, Verdict.UNKNOWN: unknown}
    findings = zip(TOGETHER.classes, verdicts, strict=False)
    return EngineResult(
        engine,
        ClassFindings(TOGETHER, {found: said[v](found.representative, engine=engine) for found, v in findings}),
        0.1,
    )


def test_a_class_is_decided_at_once() -> None:
    ledger = Ledger(TOGETHER)
    ledger.add(by_classes(Verdict.RACE_FREE, Verdict.UNKNOWN))
    decided = {pair for pair in TOGETHER if ledger.decide(pair).verdict is Verdict.RACE_FREE}
    assert decided == set(TOGETHER.classes[0])
    assert ledger.open_pairs() == [pair for pair in TOGETHER if pair not in decided]
    assert all(finding.pair == pair for pair in TOGETHER for finding in ledger.findings(pair))


def test_a_pair_leaves_its_class_with_what_was_said() -> None:
    ledger = Ledger(TOGETHER)
    ledger.add(by_classes(*[Verdict.UNKNOWN] * len(TOGETHER.classes)))
    pair = next(found for found in TOGETHER.classes if found.count > 1).representative
    ledger.add(result(proof(pair, engine="petri")))
    assert [f.engine for f in ledger.findings(pair)] == ["lockset", "petri"]
    others = [p for p in TOGETHER if p != pair]
    assert ledger.open_pairs() == others
    assert all([f.engine for f in ledger.findings(p)] == ["lockset"] for p in others)
    ledger.add(result(*(unknown(p, engine="bmc") for p in others)))
    assert all([f.engine for f in ledger.findings(p)] == ["lockset", "bmc"] for p in others)
    ledger.add(by_classes(*[Verdict.RACE_FREE] * len(TOGETHER.classes), engine="second"))
    assert not ledger.open_pairs()
    assert [f.engine for f in ledger.findings(pair)] == ["lockset", "petri", "second"]
    assert sum(entry.count for entry in ledger.entries()) == len(TOGETHER)


def test_a_proof_of_a_class_and_a_witness_of_one_of_its_pairs_are_a_contradiction() -> None:
    ledger = Ledger(TOGETHER)
    ledger.add(by_classes(*[Verdict.RACE_FREE] * len(TOGETHER.classes)))
    with pytest.raises(InternalError, match="contradiction"):
        ledger.add(result(witness(list(TOGETHER)[-1])))
    ledger = Ledger(TOGETHER)
    ledger.add(result(witness(list(TOGETHER)[-1])))
    with pytest.raises(InternalError, match="contradiction"):
        ledger.add(by_classes(*[Verdict.RACE_FREE] * len(TOGETHER.classes)))


def test_a_doubt_is_about_every_pair_of_a_class() -> None:
    doubts = {found.representative: Doubt("gone", frozenset(Scope)) for found in TOGETHER.classes}
    ledger = Ledger(TOGETHER, doubts)
    ledger.add(result(proof(TOGETHER[0])))
    ledger.add(by_classes(*[Verdict.RACE_FREE] * len(TOGETHER.classes)))
    ledger.add(result(*(proof(pair, engine="petri") for pair in TOGETHER)))
    assert ledger.open_pairs() == TOGETHER


def test_open_pairs_are_counted_without_spelling_them_out() -> None:
    ledger = Ledger(PAIRS)
    assert ledger.open_count() == len(ledger.open_pairs()) == len(PAIRS)
    ledger.add(result(proof(PAIRS[0])))
    assert ledger.open_count() == len(ledger.open_pairs()) == len(PAIRS) - 1
    ledger.add(result(proof(PAIRS[1], Scope.BOUNDED), unknown(PAIRS[2])))
    assert ledger.open_count() == len(ledger.open_pairs()) == len(PAIRS) - 1
