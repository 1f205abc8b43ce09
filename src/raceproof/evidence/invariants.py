"""Proofs by invariants: read the program again, and check that the map of the report is inductive and proves the pairs.

The graphs are drawn by the code that drew them for the proof. What is checked is that every step from a state of the
map leads into the map, that no node of it has two threads before the accesses of a pair, and that the values which were
relied on may be: all pairs of accesses to those cells are proved, here or by evidence that is checked itself. The
search, its widening and its rounds have no part in this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.evidence.claims import Claim, Judgement, Ruling, Subject, accepted, not_checked, rejected
from raceproof.model import NO_SPURIOUS_WAKEUPS, InvariantMap, RacePair, Scope, Verdict
from raceproof.transactions import InvariantChecker

KIND = "transactions"
_STRONG = (Scope.ANY_THREADS, Scope.ALL_INPUTS)


def check_invariants(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """One check for each map; whether it is about the pair, and reaches as far as claimed, is asked for each pair."""
    checker = InvariantChecker(subject.cp, budget)
    known: dict[int, Ruling] = {}
    for claim in claims:
        found = claim.invariants
        if found is None:
            yield Judgement(claim.id, KIND, rejected("it has no invariants"))
        elif claim.key not in found.pairs:
            yield Judgement(claim.id, KIND, rejected("its invariants are about other pairs"))
        elif claim.scope not in _STRONG:
            yield Judgement(claim.id, KIND, rejected("invariants have no bounds"))
        else:
            if id(found) not in known:
                known[id(found)] = _judge(subject, checker, found)
            ruling = known[id(found)]
            pair = subject.pairs.get(claim.key)
            if pair is not None and claim.scope is Scope.ANY_THREADS and not checker.is_for_any_number(found, pair):
                ruling = rejected("it does not account for any number of threads")
            yield Judgement(claim.id, KIND, ruling)


def _judge(subject: Subject, checker: InvariantChecker, found: InvariantMap) -> Ruling:
    if any(key not in subject.pairs for key in (*found.pairs, *found.relies_on)):
        return rejected("its invariants are about pairs that the program does not have")
    if not found.spurious and NO_SPURIOUS_WAKEUPS not in subject.report.assumptions:
        return rejected("it assumes that waits do not end without a signal, and the report does not say so")
    by_key = subject.report.by_key()
    for key in found.relies_on:
        if not _is_proved(by_key.get(key)):
            return rejected("it relies on a pair that is not proved for every input")
    pairs: list[RacePair] = [subject.pairs[key] for key in found.pairs]
    relied: list[RacePair] = [subject.pairs[key] for key in found.relies_on]
    try:
        problem = checker.problem_with(found, pairs, relied)
    except InputError as lost:
        return rejected(lost.message)
    except (LimitReached, Unsupported) as stop:
        return not_checked(f"the graphs were not drawn again: {stop}")
    if problem is not None:
        return rejected(f"its invariants are wrong: {problem}")
    return accepted(f"the invariants at {found.nodes} nodes are inductive, and exclude the pair")


def _is_proved(claim: Claim | None) -> bool:
    """Claimed to be; whether that holds is the business of its own checker."""
    return claim is not None and claim.verdict is Verdict.RACE_FREE and claim.scope in _STRONG
