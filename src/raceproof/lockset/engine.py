"""The lockset engine: a pair is race-free if every way in which its two accesses could meet is ruled out.

Follows [TX, sec. 5] for what a warning is: same location, one write, disjoint locksets, may happen in parallel.
Differs: order (create, join, once, barriers, signals) and ownership rule warnings out too; locks are compared by
symbolic address, so that a lock in a structure protects that structure ([RELAY07] does so with relative locksets).

All proofs hold for all inputs: nothing of the program's data was fixed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from raceproof.core import Budget, LimitReached
from raceproof.facts import describe_lock
from raceproof.lockset.addresses import common_lock, why_disjoint
from raceproof.lockset.order import why_ordered
from raceproof.model import (
    Access,
    ConcurrentProgram,
    EngineResult,
    Finding,
    RacePair,
    Reason,
    Rule,
    Scope,
    StaticReason,
    Verdict,
    View,
)

NAME = "lockset"


@dataclass(frozen=True, slots=True)
class LocksetOptions:
    """Nothing to set yet."""


def run(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], options: LocksetOptions, budget: Budget
) -> EngineResult:
    """Decide each pair, or say what is known about it."""
    start = time.monotonic()
    findings: list[Finding] = []
    stopped: str | None = None
    for pair in pairs:
        try:
            budget.check()
        except LimitReached as limit:
            stopped = limit.message
            break
        findings.append(_decide(cp, pair))
    rules = Counter(
        reason.rule.value for f in findings if isinstance(f.evidence, tuple) for reason in f.evidence[:1]
    )
    return EngineResult(
        engine=NAME,
        findings=tuple(findings),
        seconds=time.monotonic() - start,
        stats={"pairs": len(pairs), **dict(sorted(rules.items()))},
        stopped=stopped,
    )


def _decide(cp: ConcurrentProgram, pair: RacePair) -> Finding:
    first, second = cp.accesses[pair.first], cp.accesses[pair.second]
    if first.is_atomic and second.is_atomic:
        return _proved(pair, {StaticReason(Rule.BOTH_ATOMIC, ""): None})
    reasons: dict[StaticReason, None] = {}
    for i, view_1 in enumerate(first.views):
        others = second.views[i:] if first is second else second.views
        for view_2 in others:
            reason = why_race_free(cp, first, view_1, second, view_2)
            if reason is None:
                return _open(cp, pair, first, view_1, second, view_2)
            reasons[reason] = None
    return _proved(pair, reasons)


def why_race_free(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> StaticReason | None:
    """The first rule that shows that the two accesses, as seen in these views, do not race."""
    if view_a.private or view_b.private:
        return StaticReason(Rule.OWNED, "before it is published")
    ordered = why_ordered(cp, view_a, view_b)
    if ordered is not None:
        return StaticReason(Rule.ORDERED, ordered)
    lock = common_lock(cp, a, view_a, b, view_b)
    if lock is not None:
        return StaticReason(Rule.COMMON_LOCK, lock)
    disjoint = why_disjoint(cp, a, view_a, b, view_b)
    if disjoint is not None:
        rule = Rule.OWNED if "of its own" in disjoint or "given yet" in disjoint else Rule.DISJOINT
        return StaticReason(rule, disjoint)
    return None


def _proved(pair: RacePair, reasons: dict[StaticReason, None]) -> Finding:
    # an access that is never reached has no views; then there is nothing to rule out
    evidence = tuple(reasons) or (StaticReason(Rule.NOT_SHARED, "never reached together"),)
    return Finding(pair, Verdict.RACE_FREE, evidence, NAME, Scope.ALL_INPUTS)


def _open(
    cp: ConcurrentProgram, pair: RacePair, first: Access, view_1: View, second: Access, view_2: View
) -> Finding:
    locks_1, locks_2 = _locks(cp, view_1), _locks(cp, view_2)
    if not locks_1 and not locks_2:
        text = "the two may happen at the same time, and neither holds a lock"
    else:
        text = f"the two may happen at the same time, and have no lock in common ({locks_1 or 'none'} / {locks_2 or 'none'})"
    if first.is_atomic != second.is_atomic:
        text += "; one of them is atomic, the other is not"
    return Finding(pair, Verdict.UNKNOWN, Reason(text, views=(view_1, view_2)), NAME)


def _locks(cp: ConcurrentProgram, view: View) -> str:
    return ", ".join(sorted(describe_lock(cp, held.address) for held in view.held))
