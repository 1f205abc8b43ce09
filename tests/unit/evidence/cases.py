"""Small programs as facts, made by hand, and claims about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unit.handmade import MAIN_READ, PAIRS, READ, WORKER, WRITE, concurrent_program

from raceproof.core import Budget
from raceproof.evidence import AccessClaim, Answer, Claim, Judgement, ReportClaims, Subject, check_evidence
from raceproof.model import AccessId, ConcurrentProgram, Schedule, Scope, Verdict, View

KEYS = [(pair.first, pair.second) for pair in PAIRS]
PLACES = {READ: (10, "worker", "read"), WRITE: (10, "worker", "write"), MAIN_READ: (22, "main", "read")}


def access_claim(number: AccessId, is_atomic: bool = False) -> AccessClaim:
    line, function, kind = PLACES[number]
    return AccessClaim(line, 5, function, kind, is_atomic)


def claim(
    number: int,
    evidence: str | Sequence[str] = "",
    engine: str = "lockset",
    scope: Scope | None = Scope.ALL_INPUTS,
    schedule: Schedule | None = None,
    verdict: Verdict = Verdict.RACE_FREE,
    is_atomic: bool = False,
) -> Claim:
    """About the `number`th pair of the handmade program, from 1; without evidence nothing is claimed."""
    first, second = KEYS[number - 1]
    texts = (evidence,) if isinstance(evidence, str) else tuple(evidence)
    if not evidence and schedule is None and verdict is Verdict.RACE_FREE:
        verdict, scope = Verdict.UNKNOWN, None
    return Claim(
        id=number,
        key=(first, second),
        verdict=verdict,
        scope=scope,
        engine=engine,
        accesses=(access_claim(first, is_atomic), access_claim(second, is_atomic)),
        evidence=texts,
        schedule=schedule,
    )


def subject(*claims: Claim, cp: ConcurrentProgram | None = None) -> Subject:
    """The handmade program and a report with these claims; the other pairs are open in it."""
    by_id = {c.id: c for c in claims}
    all_claims = tuple(by_id.get(number) or claim(number) for number in range(1, len(PAIRS) + 1))
    verdict = Verdict.RACE if any(c.verdict is Verdict.RACE for c in claims) else Verdict.UNKNOWN
    report = ReportClaims(verdict, None, all_claims)
    return Subject(cp or concurrent_program(), dict(zip(KEYS, PAIRS, strict=True)), report)


def judge(case: Subject) -> dict[int, Judgement]:
    return {judgement.id: judgement for judgement in check_evidence(case, Budget.unlimited())}


def answer(evidence: str | Sequence[str], cp: ConcurrentProgram, number: int = 1) -> Answer:
    """What is said about that evidence for a pair of the program."""
    return judge(subject(claim(number, evidence), cp=cp))[number].answer


def with_views(views: dict[AccessId, tuple[View, ...]], cp: ConcurrentProgram | None = None) -> ConcurrentProgram:
    """The handmade program with other views of some of its accesses."""
    cp = cp or concurrent_program()
    changed = {number: replace(cp.accesses[number], views=made) for number, made in views.items()}
    return replace(cp, accesses={**cp.accesses, **changed})


__all__ = ["WORKER", "access_claim", "answer", "claim", "judge", "subject", "with_views"]
