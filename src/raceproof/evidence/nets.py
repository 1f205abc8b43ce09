"""Proofs by nets: make the net of the program again, and check the certificate of the report against it.

The net is made by the code that made it for the proof: what is checked is the certificate, and that it is about this
program and these pairs. The search that found it has no part in this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof.core import Budget, LimitReached
from raceproof.evidence.claims import Claim, Judgement, Ruling, Subject, accepted, not_checked, rejected
from raceproof.model import CertifiedNet, Scope
from raceproof.petri import Detail, NetCertificate, check_certificate, program_net, unreached

KIND = "petri"


def check_nets(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """One net for each certificate; whether it is about the pair is asked for each pair."""
    known: dict[CertifiedNet, Ruling] = {}
    for claim in claims:
        certificate = claim.certificate
        if certificate is None:
            yield Judgement(claim.id, KIND, rejected("it has no certificate"))
        elif claim.key not in certificate.pairs:
            yield Judgement(claim.id, KIND, rejected("its certificate is about other pairs"))
        elif claim.scope is None or claim.scope is Scope.BOUNDED:
            yield Judgement(claim.id, KIND, rejected("a net has no bounds"))
        else:
            if certificate not in known:
                known[certificate] = _judge(subject, certificate, budget)
            yield Judgement(claim.id, KIND, known[certificate])


def _judge(subject: Subject, certificate: CertifiedNet, budget: Budget) -> Ruling:
    strange = [key for key in certificate.pairs if key not in subject.pairs]
    if strange:
        return rejected("its certificate is about pairs that the program does not have")
    pairs = [subject.pairs[key] for key in certificate.pairs]
    try:
        nets = (program_net(subject.cp, pairs, budget, detail) for detail in Detail)
        made = next((net for net in nets if net.digest == certificate.digest), None)
    except LimitReached as limit:
        return not_checked(f"the net was not made again: {limit.message}")
    if made is None:
        return rejected("its certificate is for another net")
    for pair in pairs:
        lost = unreached(subject.cp, made, pair)
        if lost is not None:
            return rejected(lost)
    problem = check_certificate(made.net, NetCertificate(certificate.basis, certificate.invariants))
    if problem is not None:
        return rejected(f"its certificate is wrong: {problem}")
    return accepted(f"the net was made again, and its certificate holds: {len(certificate.basis)} minimal markings")
