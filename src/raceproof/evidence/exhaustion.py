"""Proofs by running all schedules: search again with another algorithm, and let the interpreter do it as well.

The second search uses the same runtime: it alone confirms nothing independently. Small programs are confirmed by the
interpreter (`second_opinion`); of the others it is said that they were repeated, but not confirmed.

The search is for all pairs that no static engine claims: their accesses may change what the program does next, races
or not. Pairs that are claimed by others between the same accesses are watched as well, and a race on one refutes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raceproof import explore
from raceproof.core import Budget
from raceproof.evidence.claims import Claim, Judgement, Ruling, Subject, accepted, not_checked, not_confirmed, rejected
from raceproof.evidence.second_opinion import SecondOpinion
from raceproof.model import Finding, RacePair, Scope, Verdict

KIND = "explore"
_ALGORITHM = "optimal"
_OTHER = "dpor"  # where the report itself rests on the first


def check_exhaustion(
    subject: Subject, claims: Sequence[Claim], budget: Budget, opinion: SecondOpinion
) -> Iterator[Judgement]:
    """One search for all of them; its executions are equivalent to those of the first one, but chosen otherwise."""
    honest = []
    for claim in claims:
        if claim.scope is Scope.THIS_INPUT:
            honest.append(claim)
        else:
            yield Judgement(claim.id, KIND, rejected("executions prove nothing beyond the input they were given"))
    if subject.setup is None or subject.search is None:
        for claim in honest:
            yield Judgement(claim.id, KIND, rejected("the report does not say what was executed"))
        return
    if not honest:
        return
    algorithm = _ALGORITHM if subject.setup.algorithm != _ALGORITHM else _OTHER
    options = replace(
        subject.search, algorithm=algorithm, find_all=True, isolation="auto", on_progress=subject.on_progress
    )
    result = explore.run(subject.cp, watched_pairs(subject), options, budget)
    findings = {(finding.pair.first, finding.pair.second): finding for finding in result.findings}
    for claim in subject.report.pairs:
        finding = findings.get(claim.key)
        if claim.kind not in (KIND, "race", None) and finding is not None and finding.verdict is Verdict.RACE:
            yield Judgement(claim.id, KIND, _compare(finding, algorithm, None, opinion))
    for claim in honest:
        yield Judgement(claim.id, KIND, _compare(findings.get(claim.key), algorithm, result.stopped, opinion))


def watched_pairs(subject: Subject) -> list[RacePair]:
    """Pairs that no static engine claims, and others between the same accesses."""
    executed = [claim.key for claim in subject.report.pairs if claim.kind in (KIND, "race", None)]
    accesses = {number for key in executed for number in key}
    return [pair for key, pair in subject.pairs.items() if accesses.issuperset(key)]


def _compare(finding: Finding | None, algorithm: str, stopped: str | None, opinion: SecondOpinion) -> Ruling:
    """A race in either refutes the claim; the interpreter alone can confirm it."""
    if finding is not None and finding.verdict is Verdict.RACE:
        return rejected(f"{algorithm} finds this race")
    if not opinion.gaps:
        return accepted(f"interpreted in {opinion.executions} executions, which are all: there is no race")
    if finding is None:
        return not_checked(f"{algorithm} did not come to it" + (f": {stopped}" if stopped else ""))
    match finding.verdict:
        case Verdict.RACE_FREE if finding.scope is Scope.THIS_INPUT:
            return not_confirmed(
                f"{algorithm} runs all schedules and finds no race either; not confirmed independently: "
                + "; ".join(opinion.gaps)
            )
        case _:
            return not_checked(f"{algorithm} does not decide it: {finding.evidence}")
