"""Proofs by `bmc`: unwind the program again, as far as the report says, and ask a fresh solver about all of it.

The program is unwound by the code that did it for the proof: what is checked is that the formula has no solution,
that no execution goes further than the bound, and that what the proof rests on is proved in the same report. Nothing
is left out of the formula: slices have no part in this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof.bmc import Refuted, Unanswered, check_unwinding
from raceproof.core import Budget, LimitReached
from raceproof.evidence.claims import Claim, Judgement, Ruling, Subject, accepted, not_checked, rejected
from raceproof.model import Scope, Unwinding, Verdict

KIND = "bmc"
_FOR_ALL_INPUTS = (Scope.ANY_THREADS, Scope.ALL_INPUTS)


def check_unwindings(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """One formula for each unwinding; whether it is about the pair is asked for each pair."""
    known: dict[Unwinding, Ruling] = {}
    for claim in claims:
        unwinding = claim.unwinding
        if unwinding is None:
            yield Judgement(claim.id, KIND, rejected("it has no unwinding"))
        elif claim.key not in unwinding.pairs:
            yield Judgement(claim.id, KIND, rejected("its unwinding is about other pairs"))
        elif claim.scope is not (Scope.ALL_INPUTS if unwinding.is_complete else Scope.BOUNDED):
            yield Judgement(claim.id, KIND, rejected("its scope is not that of its unwinding"))
        else:
            if unwinding not in known:
                known[unwinding] = _judge(subject, unwinding, budget)
            yield Judgement(claim.id, KIND, known[unwinding])


def _judge(subject: Subject, unwinding: Unwinding, budget: Budget) -> Ruling:
    if any(key not in subject.pairs for key in (*unwinding.pairs, *unwinding.relies_on)):
        return rejected("its unwinding is about pairs that the program does not have")
    # Two proofs may rest on each other: each says that its pairs do not race first (`bmc.trust`).
    by_key = subject.report.by_key()
    for key in unwinding.relies_on:
        other = by_key[key]
        if other.verdict is not Verdict.RACE_FREE or other.scope not in _FOR_ALL_INPUTS:
            return rejected(f"it rests on pair {other.id}, which nobody has proved")
    try:
        answer = check_unwinding(subject.cp, [subject.pairs[key] for key in unwinding.pairs], unwinding, budget)
    except LimitReached as limit:
        return not_checked(f"the program was not unwound again: {limit.message}")
    match answer:
        case Refuted(why=why):
            return rejected(why)
        case Unanswered(why=why):
            return not_checked(why)
        case None:
            return accepted(f"unwound again, without slices: no solution for any of {len(unwinding.pairs)} pairs")
