"""Certificates of nets: accepted as they are, refused however they are forged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.petri.c_programs import Analysed, analysed

from raceproof.core import Budget
from raceproof.evidence import CHECKERS, AccessClaim, Answer, Claim, Judgement, ReportClaims, Subject
from raceproof.model import AccessId, CertifiedNet, Finding, Scope, Verdict

TEXT = """pthread_mutex_t m = MUTEX; int x; pthread_mutex_t n = MUTEX; int y;
void *f(void *p) { lock(&m); x++; unlock(&m); lock(&n); y++; unlock(&n); return 0; }
int main(void) { MANY(f) return 0; }
"""
NOBODY = AccessClaim(0, 0, "", "read", False)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return analysed(TEXT, tmp_path_factory.mktemp("nets"))


@pytest.fixture(scope="module")
def proofs(program: Analysed) -> list[Finding]:
    return [f for f in program.run().findings if f.verdict is Verdict.RACE_FREE]


def claim(finding: Finding, certificate: CertifiedNet | None) -> Claim:
    key = (finding.pair.first, finding.pair.second)
    return Claim(1, key, Verdict.RACE_FREE, Scope.ANY_THREADS, "petri", (NOBODY, NOBODY), (), None, certificate)


def judge(program: Analysed, *claims: Claim) -> list[Judgement]:
    pairs = {(pair.first, pair.second): pair for pair in program.pairs}
    subject = Subject(program.cp, pairs, ReportClaims(Verdict.RACE_FREE, Scope.ANY_THREADS, claims))
    return list(CHECKERS["petri"](subject, claims, Budget.seconds(60)))


def certificate_of(finding: Finding) -> CertifiedNet:
    assert isinstance(finding.evidence, CertifiedNet)
    return finding.evidence


def test_certificates_of_the_engine_are_accepted(program: Analysed, proofs: list[Finding]) -> None:
    assert len(proofs) == 4
    answers = {j.answer for j in judge(program, *(claim(f, certificate_of(f)) for f in proofs))}
    assert answers == {Answer.ACCEPTED}


def test_forged_certificates_are_refused(program: Analysed, proofs: list[Finding]) -> None:
    certificate = certificate_of(proofs[0])
    other = next(c for f in proofs if (c := certificate_of(f)) != certificate)
    forged: list[CertifiedNet | None] = [
        None,
        other,
        replace(certificate, basis=()),
        replace(certificate, basis=certificate.basis[1:]),
        replace(certificate, basis=(*certificate.basis, ((0, 1),))),
        replace(certificate, basis=(((1_000_000, 1),),)),
        replace(certificate, basis=(), invariants=((((0, 1),), 0),)),
        replace(certificate, digest=other.digest),
        replace(certificate, pairs=(*certificate.pairs, (AccessId(900), AccessId(901)))),
        replace(certificate, pairs=(*certificate.pairs, *other.pairs)),
    ]
    for forgery in forged:
        [judgement] = judge(program, claim(proofs[0], forgery))
        assert judgement.answer is Answer.REJECTED, forgery


def test_a_racy_pair_cannot_borrow_a_certificate(tmp_path: Path, proofs: list[Finding]) -> None:
    racy = analysed(TEXT.replace("lock(&m); x++; unlock(&m);", "x++;"), tmp_path)
    pair = next(f for f in racy.run().findings if f.verdict is Verdict.UNKNOWN)
    stolen = replace(certificate_of(proofs[0]), pairs=((pair.pair.first, pair.pair.second),))
    [judgement] = judge(racy, claim(pair, stolen))
    assert judgement.answer is Answer.REJECTED


def test_a_bounded_claim_is_refused(program: Analysed, proofs: list[Finding]) -> None:
    bounded = replace(claim(proofs[0], certificate_of(proofs[0])), scope=Scope.BOUNDED)
    assert [j.answer for j in judge(program, bounded)] == [Answer.REJECTED]
