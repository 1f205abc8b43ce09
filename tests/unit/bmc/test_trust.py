"""Which reads a proof may believe, by the order of the read and of what writes there."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from unit.handmade import MAIN_READ, PAIRS, READ, WRITE, concurrent_program

from raceproof.bmc.conflicts import Conflicts
from raceproof.bmc.events import Event
from raceproof.bmc.trust import Trust
from raceproof.ir import MemoryOrder
from raceproof.model import AccessId

RELAXED, ACQUIRE, RELEASE = MemoryOrder.RELAXED, MemoryOrder.ACQUIRE, MemoryOrder.RELEASE
MAINS = (PAIRS[2].first, PAIRS[2].second)  # the worker's write and main's read


def trust(write: MemoryOrder | None) -> Trust:
    cp = concurrent_program()
    return Trust(Conflicts(replace(cp, accesses={**cp.accesses, WRITE: replace(cp.accesses[WRITE], order=write)})))


def read(order: MemoryOrder | None, *accesses: AccessId) -> Event:
    """An event as far as trust looks at it."""
    return cast(Event, SimpleNamespace(accesses=accesses or (MAIN_READ,), order=order))


@pytest.mark.parametrize(
    ("reading", "writing", "needed"),
    [
        (None, None, {MAINS}),
        (ACQUIRE, None, {MAINS}),  # an atomic access and a plain one: only a proof tells that they do not race
        (None, RELEASE, {MAINS}),
        (RELAXED, None, {MAINS}),
        (ACQUIRE, RELEASE, set()),
        (MemoryOrder.SEQ_CST, MemoryOrder.SEQ_CST, set()),
        (RELAXED, RELEASE, None),
        (ACQUIRE, RELAXED, None),
        (RELAXED, RELAXED, None),
    ],
)
def test_what_a_read_needs(
    reading: MemoryOrder | None, writing: MemoryOrder | None, needed: set[tuple[AccessId, AccessId]] | None
) -> None:
    found = trust(writing).needs(read(reading))
    assert found == needed
    assert trust(writing).is_trusted(read(reading), {MAINS}) is (needed is not None)
    assert trust(writing).is_trusted(read(reading), ()) is (needed == set())


def test_every_access_of_an_event_counts() -> None:
    both = frozenset({MAINS, (PAIRS[0].first, PAIRS[0].second)})
    event = read(None, MAIN_READ, READ)
    assert trust(None).needs(event) == both
    assert not trust(None).is_trusted(event, {MAINS})
    assert trust(None).is_trusted(event, both)


def test_what_nobody_writes_is_believed() -> None:
    cp = concurrent_program()
    unwritten = Trust(Conflicts(replace(cp, accesses={MAIN_READ: cp.accesses[MAIN_READ]})))
    assert unwritten.needs(read(None)) == frozenset()
    assert unwritten.is_trusted(read(None), ())
