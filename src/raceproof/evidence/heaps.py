"""Proofs by ownership: follow the threads once more, with just the heaps that the report says locks protect.

The steps are followed by the code that followed them for the proof. What is checked is that nobody gives a lock back
with anything else on the heap, that nobody writes a protected place without owning it, and that the accesses of each
pair always go to objects of the thread that makes them. How the heaps were found has no part in this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.evidence.claims import Claim, Judgement, Ruling, Subject, accepted, not_checked, rejected
from raceproof.model import HeapMap, Scope
from raceproof.shapes import problem_with

KIND = "shapes"


def check_heaps(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """One check for each map; whether it is about the pair, and reaches as far as claimed, is asked for each pair."""
    known: dict[int, Ruling] = {}
    for claim in claims:
        found = claim.heaps
        if found is None:
            ruling = rejected("it does not say what locks protect")
        elif claim.key not in found.pairs:
            ruling = rejected("what it says of locks is about other pairs")
        elif claim.scope is not Scope.ALL_INPUTS:
            ruling = rejected("it holds for all inputs, and for the threads of the program")
        else:
            if id(found) not in known:
                known[id(found)] = _judge(subject, found, budget)
            ruling = known[id(found)]
        yield Judgement(claim.id, KIND, ruling)


def _judge(subject: Subject, found: HeapMap, budget: Budget) -> Ruling:
    if any(key not in subject.pairs for key in found.pairs):
        return rejected("it is about pairs that the program does not have")
    try:
        problem = problem_with(subject.cp, found, budget)
    except InputError as lost:
        return rejected(lost.message)
    except (LimitReached, Unsupported) as stop:
        return not_checked(f"the threads were not followed again: {stop}")
    if problem is not None:
        return rejected(problem)
    return accepted(
        f"no thread leaves the {found.count} heaps of {len(found.locks)} locks, and the accesses are owners'"
    )
