"""What the engine says about places and locks holds for all numbers, tried one by one (`unit/concrete_places.py`)."""

from __future__ import annotations

from itertools import chain

from unit.concrete_places import cases, handovers, have_a_lock, meetings

from raceproof.lockset.addresses import common_lock, why_disjoint


def test_what_is_disjoint_never_meets() -> None:
    for cp, a, b in chain(cases(1200, 1), handovers(600, 2)):
        reason = why_disjoint(cp, *a, *b)
        if reason is not None:
            assert next(meetings(cp, a, b), None) is None, (reason, cp.threads, a, b)


def test_a_common_lock_is_one_whenever_the_two_meet() -> None:
    for cp, a, b in cases(1500, 3, locked=True):
        lock = common_lock(cp, *a, *b)
        if lock is not None:
            for mine, yours in meetings(cp, a, b):
                assert have_a_lock(a[1], mine, b[1], yours), (lock, cp.threads, a, b)
