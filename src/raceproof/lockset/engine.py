"""The lockset engine: a pair is race-free if every way in which its two accesses could meet is ruled out.

Follows [TX, Section 6] for what a warning is: same location, one write, disjoint locksets, may happen in parallel.
Differs: order (create, join, once, barriers, signals) and ownership rule warnings out too; locks are compared by
symbolic address, so that a lock in a structure protects that structure ([RELAY07] does so with relative locksets).

All proofs hold for all inputs: nothing of the program's data was fixed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raceproof.core import Budget, LimitReached
from raceproof.facts import describe_lock, race_pairs
from raceproof.lockset.addresses import common_lock, why_disjoint
from raceproof.lockset.causes import missing
from raceproof.lockset.order import why_ordered
from raceproof.lockset.regions import why_regions
from raceproof.model import (
    Access,
    AccessId,
    AccessKind,
    ClassFindings,
    ConcurrentProgram,
    EngineResult,
    Finding,
    ObjectId,
    PairClass,
    RacePair,
    RacePairs,
    Reason,
    Rule,
    Scope,
    StaticReason,
    Verdict,
    View,
)

NAME = "lockset"
UNPUBLISHED = StaticReason(Rule.OWNED, "before it is published")


@dataclass(frozen=True, slots=True)
class LocksetOptions:
    """Nothing to set yet."""


def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: LocksetOptions, budget: Budget) -> EngineResult:
    """Decide each pair, or say what is known about it.

    All pairs of the program are looked at, whichever were asked for: what is private rests on the others. Pairs of one
    class are decided together: the rules cannot tell them apart.
    """
    start = time.monotonic()
    stopped: str | None = None
    decided: dict[PairClass, Finding] = {}
    leaking: frozenset[ObjectId] = frozenset()
    kinds = _Kinds()
    everything = race_pairs(cp)
    judge = _Judge(cp, leaking, kinds)
    try:
        while True:
            for number, together in enumerate(everything.classes):
                if number % 64 == 0:
                    budget.check()
                if together not in decided:
                    decided[together] = judge.decide(together.representative)
            now_leaking = leaking | leaking_objects(cp, decided)
            if now_leaking == leaking:
                break
            leaking = now_leaking
            decided = {p: f for p, f in decided.items() if not _rests_on_privacy(f)}
            judge = _Judge(cp, leaking, kinds)
    except LimitReached as limit:
        stopped = limit.message
        decided = {p: f for p, f in decided.items() if not _rests_on_privacy(f)}
    findings = _asked(everything, decided, pairs)
    return EngineResult(
        engine=NAME,
        findings=findings,
        seconds=time.monotonic() - start,
        stats={"pairs": len(pairs), **_rules(findings)},
        stopped=stopped,
    )


def _asked(
    everything: RacePairs, decided: Mapping[PairClass, Finding], pairs: Sequence[RacePair]
) -> ClassFindings | tuple[Finding, ...]:
    """What was found on the pairs asked for."""
    if isinstance(pairs, RacePairs) and pairs.is_by_classes:
        return ClassFindings(pairs, {found: decided[found] for found in pairs.classes if found in decided})
    classes = ((pair, everything.class_of(pair)) for pair in pairs)
    return tuple(decided[found].about(pair) for pair, found in classes if found is not None and found in decided)


def _rules(findings: ClassFindings | tuple[Finding, ...]) -> dict[str, int]:
    """How many pairs each rule has proved: the first one that was needed."""
    counted = findings.counted() if isinstance(findings, ClassFindings) else [(finding, 1) for finding in findings]
    rules: Counter[str] = Counter()
    for finding, count in counted:
        if isinstance(finding.evidence, tuple):
            rules[finding.evidence[0].rule.value] += count
    return dict(sorted(rules.items()))


def leaking_objects(cp: ConcurrentProgram, decided: Mapping[PairClass, Finding]) -> frozenset[ObjectId]:
    """Objects whose pointers may reach another thread without synchronisation.

    What a thread does with an object before it publishes it happens before what others do with it, if finding
    the pointer is ordered after storing it: no race on the places that may hold it, and no relaxed atomics there.
    Proofs may rest on that for one another: by induction over the execution, the finder's read comes first.
    """
    if not cp.may_hold:
        return frozenset()
    unordered: set[AccessId] = set()
    for together, finding in decided.items():
        accesses = {access for side in together.sides() for access in side}
        if accesses <= unordered:
            continue
        if finding.verdict is not Verdict.RACE_FREE or not _synchronises(cp, together.representative, finding):
            unordered |= accesses
    return frozenset(o for o, holders in cp.may_hold.items() if holders & unordered)


def _synchronises(cp: ConcurrentProgram, pair: RacePair, finding: Finding) -> bool:
    """Whether a read that sees the other access's write is ordered after it."""
    if not isinstance(finding.evidence, tuple) or finding.evidence[0].rule is not Rule.BOTH_ATOMIC:
        return True
    first, second = cp.accesses[pair.first], cp.accesses[pair.second]
    if not isinstance(_reasons(cp, first, second, frozenset(cp.may_hold)), tuple):
        return True  # ordered by something else as well
    for access in (first, second):
        order = access.order
        if order is None or (access.kind.writes and not order.releases):
            return False
        if access.kind in (AccessKind.READ, AccessKind.UPDATE) and not order.acquires:
            return False
    return True


def _rests_on_privacy(finding: Finding) -> bool:
    return isinstance(finding.evidence, tuple) and UNPUBLISHED in finding.evidence


class _Kinds:
    """Accesses that the rules cannot tell apart are of one kind: a large program has far fewer kinds than accesses."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[AccessId, int] = {}

    def of(self, access: Access) -> int:
        number = self._known.get(access.id)
        if number is None:
            key = (access.is_atomic, access.size, access.targets, access.views)
            number = self._known[access.id] = self._numbers.setdefault(key, len(self._numbers))
        return number


class _Judge:
    """Decides pairs, those of the same two kinds once."""

    def __init__(self, cp: ConcurrentProgram, leaking: frozenset[ObjectId], kinds: _Kinds) -> None:
        self._cp, self._leaking, self._kinds = cp, leaking, kinds
        self._known: dict[tuple[int, int, bool], tuple[StaticReason, ...] | Reason] = {}

    def decide(self, pair: RacePair) -> Finding:
        first, second = self._cp.accesses[pair.first], self._cp.accesses[pair.second]
        key = (self._kinds.of(first), self._kinds.of(second), first is second)
        evidence = self._known.get(key)
        if evidence is None:
            evidence = self._known[key] = self._evidence(first, second)
        if isinstance(evidence, Reason):
            return Finding(pair, Verdict.UNKNOWN, evidence, NAME)
        return Finding(pair, Verdict.RACE_FREE, evidence, NAME, Scope.ALL_INPUTS)

    def _evidence(self, first: Access, second: Access) -> tuple[StaticReason, ...] | Reason:
        if first.is_atomic and second.is_atomic:
            return (StaticReason(Rule.BOTH_ATOMIC, ""),)
        reasons = _reasons(self._cp, first, second, self._leaking)
        if isinstance(reasons, tuple):
            return _open(self._cp, *reasons)
        # an access that is never reached has no views; then there is nothing to rule out
        return tuple(reasons) or (StaticReason(Rule.NOT_SHARED, "never reached together"),)


def _reasons(
    cp: ConcurrentProgram, first: Access, second: Access, leaking: frozenset[ObjectId]
) -> dict[StaticReason, None] | tuple[Access, View, Access, View]:
    """Why no two views race; or the first two that may."""
    reasons: dict[StaticReason, None] = {}
    for i, view_1 in enumerate(first.views):
        others = second.views[i:] if first is second else second.views
        for view_2 in others:
            reason = why_race_free(cp, first, view_1, second, view_2, leaking)
            if reason is None:
                return first, view_1, second, view_2
            reasons[reason] = None
    return reasons


def why_race_free(
    cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View, leaking: frozenset[ObjectId]
) -> StaticReason | None:
    """The first rule that shows that the two accesses, as seen in these views, do not race."""
    for access, view in ((a, view_a), (b, view_b)):
        if view.private and not any(t.object in leaking for t in access.targets):
            return UNPUBLISHED
    ordered = why_ordered(cp, view_a, view_b)
    if ordered is not None:
        return StaticReason(Rule.ORDERED, ordered)
    lock = common_lock(cp, a, view_a, b, view_b)
    if lock is not None:
        return StaticReason(Rule.COMMON_LOCK, lock)
    disjoint = why_disjoint(cp, a, view_a, b, view_b)
    if disjoint is not None:
        return StaticReason(Rule.DISJOINT, disjoint)
    region = why_regions(cp, a, view_a, b, view_b)
    if region is not None:
        return StaticReason(Rule.REGION, region)
    return None


def _open(cp: ConcurrentProgram, first: Access, view_1: View, second: Access, view_2: View) -> Reason:
    locks_1, locks_2 = _locks(cp, view_1), _locks(cp, view_2)
    if not locks_1 and not locks_2:
        text = "the two may happen at the same time, and neither holds a lock"
    else:
        held = f"{locks_1 or 'none'} / {locks_2 or 'none'}"
        text = f"the two may happen at the same time, and have no lock in common ({held})"
    if first.is_atomic != second.is_atomic:
        text += "; one of them is atomic, the other is not"
    return Reason(f"{text}: {missing(cp, first, view_1, second, view_2)}", views=(view_1, view_2))


def _locks(cp: ConcurrentProgram, view: View) -> str:
    return ", ".join(sorted(describe_lock(cp, held.address) for held in view.held))
