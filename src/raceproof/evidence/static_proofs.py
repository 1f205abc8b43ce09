"""Static proofs: every two views of a pair's accesses in different threads are ruled out by a rule that is claimed.

The base facts (views with the locks they hold, what may run when) come from `facts`; what follows from
them is decided here again, in the plainest form, by nothing that the engine uses. A claim is accepted if
each combination of views is confirmed by one of its rules, rejected if all of its rules are certainly wrong for
one combination, and otherwise not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

from raceproof.core import Budget
from raceproof.evidence.claims import Answer, Claim, Judgement, Key, Ruling, Subject, accepted, rejected
from raceproof.evidence.locks import check_common_lock
from raceproof.evidence.order import check_ordered
from raceproof.evidence.ownership import check_owned
from raceproof.evidence.places import check_disjoint
from raceproof.evidence.regions import check_region
from raceproof.model import Access, ConcurrentProgram, Rule, Scope, StaticReason, View

KIND = "lockset"


def check_static_proofs(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
    """Judge the claims; those that rest on privacy last, as that rests on claims about what carries pointers.

    Such claims may rest on one another: whoever touches an object has found the pointer to it before, so the
    claim about that moment is about an earlier one. All are assumed at first, and what is not confirmed is taken
    out, until the rest confirms itself.
    """
    assumed = {claim.key for claim in claims}
    on_privacy = [claim for claim in claims if _claims_privacy(claim)]
    for claim in claims:
        if not _claims_privacy(claim):
            ruling = _judge(subject, claim, assumed, budget)
            if ruling.answer is not Answer.ACCEPTED:
                assumed.discard(claim.key)
            yield Judgement(claim.id, KIND, ruling)
    while True:
        rulings = [(claim, _judge(subject, claim, assumed, budget)) for claim in on_privacy]
        failed = {claim.key for claim, ruling in rulings if ruling.answer is not Answer.ACCEPTED}
        if not failed & assumed:
            break
        assumed -= failed
    for claim, ruling in rulings:
        yield Judgement(claim.id, KIND, ruling)


def _judge(subject: Subject, claim: Claim, assumed: set[Key], budget: Budget) -> Ruling:
    if claim.scope not in (Scope.ALL_INPUTS, Scope.THIS_INPUT):
        return rejected("the rules of the static engine say nothing about other numbers of threads")
    reasons = _reasons(claim)
    if not reasons:
        return rejected("it names no rule, or one that does not exist")
    first, second = (subject.cp.accesses[number] for number in claim.key)
    if any(reason.rule is Rule.BOTH_ATOMIC for reason in reasons) and first.is_atomic and second.is_atomic:
        return accepted("both accesses are atomic")
    undecided: Ruling | None = None
    count = 0
    for view_1, view_2 in _meetings(subject.cp, first, second):
        budget.check()
        count += 1
        ruling = _rule_out(subject, reasons, (first, view_1), (second, view_2), assumed)
        if ruling.answer is Answer.REJECTED:
            return ruling
        if ruling.answer is Answer.NOT_CHECKED:
            undecided = undecided or ruling
    if undecided is not None:
        return undecided
    if not count:
        return accepted("no two threads get to the two accesses at the same time")
    return accepted(f"confirmed for {count} combination{'s' * (count != 1)} of threads and contexts")


def _reasons(claim: Claim) -> tuple[StaticReason, ...]:
    """The rules that the report names; none at all if one of them does not exist."""
    reasons = []
    known = {rule.value: rule for rule in Rule}
    for text in claim.evidence:
        name, _, detail = text.partition(" ")
        if name not in known:
            return ()
        reasons.append(StaticReason(known[name], detail))
    return tuple(reasons)


def _meetings(cp: ConcurrentProgram, first: Access, second: Access) -> Iterator[tuple[View, View]]:
    """Every two views that can be of two threads which run at the same time; of one access, each two views once."""
    both = combinations_with_replacement(first.views, 2) if first is second else product(first.views, second.views)
    for view_1, view_2 in both:
        if view_1.thread != view_2.thread or cp.threads[view_1.thread].many:
            yield view_1, view_2


def _rule_out(
    subject: Subject,
    reasons: Sequence[StaticReason],
    first: tuple[Access, View],
    second: tuple[Access, View],
    assumed: set[Key],
) -> Ruling:
    """One of the claimed reasons holds for these two views; or all are wrong; or it cannot be told."""
    undecided: Ruling | None = None
    wrong: list[str] = []
    for reason in reasons:
        ruling = _apply(subject, reason, first, second, assumed)
        match ruling.answer:
            case Answer.ACCEPTED:
                return ruling
            case Answer.NOT_CHECKED:
                undecided = undecided or ruling
            case Answer.REJECTED:
                wrong.append(f"{reason}: {ruling.why}")
    return undecided or rejected("; ".join(wrong))


def _apply(
    subject: Subject,
    reason: StaticReason,
    first: tuple[Access, View],
    second: tuple[Access, View],
    assumed: set[Key],
) -> Ruling:
    cp = subject.cp
    match reason.rule:
        case Rule.ORDERED:
            return check_ordered(cp, reason.detail, first[1], second[1])
        case Rule.COMMON_LOCK:
            return check_common_lock(cp, reason.detail, first, second)
        case Rule.DISJOINT:
            return check_disjoint(cp, reason.detail, first, second)
        case Rule.REGION:
            return check_region(cp, reason.detail, first, second)
        case Rule.OWNED:
            return check_owned(subject, first, second, assumed)
        case Rule.BOTH_ATOMIC:
            return rejected("one of the accesses is not atomic")
        case Rule.NOT_SHARED:
            return rejected("both accesses are reached, by different threads")


def _claims_privacy(claim: Claim) -> bool:
    return any(reason.rule is Rule.OWNED for reason in _reasons(claim))
