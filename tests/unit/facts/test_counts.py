"""What main knows about a counter is never more than what is true: against runs in which everything is counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.transactions.c_programs import of_text

from raceproof.facts.flow.contexts import COUNTER, LoopIds
from raceproof.facts.flow.counts import LIMIT, UNKNOWN, Counts, Tally, join_counts
from raceproof.model import Linear, ObjectId, Opaque, of_atom
from raceproof.model.symbolic import Base

ALIVE = Linear(0, ((Base(ObjectId(1)), 1),))
IDS = Linear(0, ((Base(ObjectId(2)), 1), (COUNTER, 8)))
EVENTS = st.lists(st.sampled_from(["main+1", "main-1", "other+1", "create", "count", "set"]), max_size=60)


@given(st.integers(-3, 3), EVENTS)
def test_a_tally_is_a_lower_bound(initial: int, events: list[str]) -> None:
    """A plain simulation: the counter's value and how many threads have yet to count down."""
    value, waiting = initial, 0
    tally = Tally(balance=initial)
    for event in events:
        match event:
            case "main+1":
                value, tally = value + 1, tally.shifted(1)
            case "main-1":
                value, tally = value - 1, tally.shifted(-1)
            case "other+1":
                value += 1
            case "create":
                waiting, tally = waiting + 1, tally.after_creation()
            case "count" if waiting > 0:
                value, waiting = value - 1, waiting - 1
            case "set" if waiting == 0:
                value, tally = 0, Tally(balance=0)
        assert tally.balance is None or tally.balance <= value - waiting
        assert not tally.is_at_least(value) or waiting == 0


@given(st.integers(-3, 3), st.integers(0, 4), EVENTS)
def test_a_floor_holds_however_many_are_created(initial: int, most: int, events: list[str]) -> None:
    value, waiting, created = initial, 0, 0
    tally = UNKNOWN.at_least(initial - most)
    for event in events:
        match event:
            case "main+1":
                value, tally = value + 1, tally.shifted(1)
            case "main-1":
                value, tally = value - 1, tally.shifted(-1)
            case "create" if created < most:
                created, waiting, tally = created + 1, waiting + 1, tally.after_creation()
            case "count" if waiting > 0:
                value, waiting = value - 1, waiting - 1
        assert tally.floor is None or tally.floor <= value - waiting


def test_bounds_stay_small() -> None:
    tally = Tally(balance=0, floor=0)
    for _ in range(3 * LIMIT):
        tally = tally.shifted(1)
    assert tally == Tally(LIMIT, LIMIT)
    for _ in range(3 * LIMIT):
        tally = tally.after_creation()
    assert tally == Tally(None, LIMIT)


def test_paths_that_meet_know_what_both_know() -> None:
    atom = Opaque("main:%1")
    one = Counts().changed(ALIVE, Tally(1, None)).with_read(atom, ALIVE).drained(ALIVE)
    other = Counts().changed(ALIVE, Tally(0, 2)).counted(ALIVE)
    joined = join_counts(one, other)
    assert joined.tally(ALIVE) == Tally(0, None)
    assert joined.reads == {}
    assert joined.may_counted == {ALIVE}
    assert joined.must_drained == frozenset()


def test_a_write_makes_what_was_read_old() -> None:
    atom = Opaque("main:%1")
    counts = Counts().changed(ALIVE, Tally(0, None)).with_read(atom, ALIVE)
    assert atom in counts.reads
    assert atom not in counts.changed(ALIVE, Tally(1, None)).reads


def test_what_is_done_any_number_of_times_leaves_nothing_known() -> None:
    before = Counts().changed(ALIVE, Tally(0, 0))
    assert before.changed(ALIVE, Tally(-1, 0)).unless_changed(before).tally(ALIVE) == UNKNOWN
    assert before.changed(ALIVE, Tally(0, 0)).unless_changed(before).tally(ALIVE) == Tally(0, 0)


def _ids(first: int, bound: Linear, predicate: str, shift: int) -> LoopIds:
    return LoopIds(IDS.shifted(shift), Linear(first), bound, predicate, 1)


@given(st.integers(-2, 3), st.integers(-2, 3), st.sampled_from(["slt", "sle"]), st.integers(-2, 2), st.integers(-3, 6))
def test_loops_that_are_called_the_same_visit_the_same_slots(
    first: int, other: int, predicate: str, shift: int, number: int
) -> None:
    """For a number of rounds that only the run knows; here it is looked at with each value."""
    n = of_atom(Opaque("main:%n"))
    one = _ids(first, n, predicate, 0)
    two = _ids(other, n.shifted(shift), "slt", 8 * (first - other))

    def slots(ids: LoopIds) -> set[int]:
        end = number + ids.bound.constant + int(ids.predicate == "sle")
        return {8 * i + ids.address.constant for i in range(ids.first.constant, end)}

    if one.covers(two):
        assert slots(one) == slots(two)


LIVE = """_Atomic TYPE live; int x;
void *f(void *p) { x = 1; atomic_fetch_sub(&live, 1); return 0; }
int main(void) { pthread_t a; atomic_fetch_add(&live, 1); create(a, f); if (live == 0) x = 2; return 0; }
"""
DRAWN = """_Atomic TYPE next; int cell[99];
void *f(void *p) { TYPE mine = atomic_fetch_add(&next, 1); cell[mine] = 1; return 0; }
int main(void) { pthread_t a, b; create(a, f); create(b, f); join(a); join(b); return 0; }
"""


@pytest.mark.parametrize("program", [LIVE, DRAWN])
@pytest.mark.parametrize(
    ("type_", "is_proved"), [("int", True), ("long", True), ("short", False), ("signed char", False)]
)
def test_a_counter_that_may_well_wrap_around_shows_nothing(
    program: str, type_: str, is_proved: bool, tmp_path: Path
) -> None:
    assert (not of_text(program.replace("TYPE", type_), tmp_path).open_pairs) == is_proved
