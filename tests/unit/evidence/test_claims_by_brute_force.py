"""What the checker accepts about places and locks holds for all numbers, one by one (`unit/concrete_places.py`)."""

from __future__ import annotations

from itertools import chain

from unit.concrete_places import cases, handovers, have_a_lock, meetings

from raceproof.evidence import Answer
from raceproof.evidence.locks import check_common_lock
from raceproof.evidence.places import check_disjoint
from raceproof.facts import describe_lock
from raceproof.lockset.addresses import common_lock, why_disjoint
from raceproof.model import DistinctArgument

REASONS = (
    "different objects",
    "different parts of one object",
    "different fields",
    "every thread has an object of its own",
    "every thread has an element of its own",
    "different threads were given different elements",
    "an element that no thread has been given yet",
    "an element whose thread has been joined",
    "an object whose thread has been joined",
)


def test_what_is_accepted_as_disjoint_never_meets() -> None:
    for cp, a, b in chain(cases(1200, 1), handovers(600, 2)):
        accepted = [reason for reason in REASONS if check_disjoint(cp, reason, a, b).answer is Answer.ACCEPTED]
        if accepted:
            assert next(meetings(cp, a, b), None) is None, (accepted, cp.threads, a, b)


def test_an_accepted_lock_is_one_whenever_the_two_meet() -> None:
    for cp, a, b in cases(1500, 3, locked=True):
        names = sorted({describe_lock(cp, held.address) for _, view in (a, b) for held in view.held})
        if any(check_common_lock(cp, name, a, b).answer is Answer.ACCEPTED for name in names):
            for mine, yours in meetings(cp, a, b):
                assert have_a_lock(a[1], mine, b[1], yours), (cp.threads, a, b)


def test_the_reasons_of_the_engine_are_accepted() -> None:
    """And but for objects, where the checker sees the targets, too, the engine finds what the checker knows."""
    for cp, a, b in chain(cases(1000, 4), handovers(600, 5)):
        reason = why_disjoint(cp, *a, *b)
        if reason is not None:
            assert check_disjoint(cp, reason, a, b).answer is Answer.ACCEPTED, (reason, cp.threads, a, b)
        elif not any(isinstance(cp.threads[view.thread].argument, DistinctArgument) for _, view in (a, b)):
            others = [text for text in REASONS[1:] if check_disjoint(cp, text, a, b).answer is Answer.ACCEPTED]
            assert not others, (cp.threads, a, b)


def test_the_locks_of_the_engine_are_not_refused() -> None:
    for cp, a, b in cases(1000, 6, locked=True):
        lock = common_lock(cp, *a, *b)
        if lock is not None:
            assert check_common_lock(cp, lock, a, b).answer is not Answer.REJECTED, (lock, cp.threads, a, b)


def test_a_reason_that_nobody_knows_is_not_accepted() -> None:
    from unit.handmade import READ, concurrent_program

    cp = concurrent_program()
    happening = (cp.accesses[READ], cp.accesses[READ].views[0])
    assert check_disjoint(cp, "because", happening, happening).answer is Answer.NOT_CHECKED
