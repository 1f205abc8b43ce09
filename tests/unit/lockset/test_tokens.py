"""Tokens in cells: before the creation of another thread, and before main knows that all were counted.

The engine and the checker of evidence are asked the same.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.handmade import MUTEX, WORKER, concurrent_program

from raceproof.evidence import Answer
from raceproof.evidence.order import check_ordered
from raceproof.evidence.places import check_disjoint, is_under_its_lock
from raceproof.facts import describe_lock
from raceproof.ir import SiteId
from raceproof.lockset.addresses import why_disjoint
from raceproof.lockset.order import why_ordered
from raceproof.model import (
    MAIN,
    Access,
    AccessId,
    AccessKind,
    Base,
    ConcurrentProgram,
    DistinctArgument,
    Linear,
    MemLoc,
    Moment,
    ObjectId,
    Opaque,
    StartArg,
    ThreadId,
    TokenCells,
    TokenSeen,
    View,
    of_atom,
)

IDS, CELLS, LOCKS = (of_atom(Base(ObjectId(number))) for number in (1, 2, 3))
ALIVE, OTHER = MUTEX, MUTEX.shifted(8)
ROUND, INDEX, START = of_atom(Opaque("main:%i")), of_atom(Opaque("cleaner:%i")), of_atom(StartArg(WORKER))
CLEANER = ThreadId(2)
REASON = "an element whose thread has not been created yet"
TOKENS = TokenCells(
    ObjectId(2), WORKER, CELLS.plus(START, 4), frozenset({LOCKS.plus(START, 40)}), frozenset({ALIVE}), True
)


def program(tokens: TokenCells = TOKENS, stride: int = 1) -> ConcurrentProgram:
    cp = concurrent_program(many=True)
    (counter,) = ROUND.atoms()
    argument = DistinctArgument(ROUND.scaled(stride), stride, fresh=False, counter=counter)
    worker = replace(cp.threads[WORKER], argument=argument)
    cleaner = replace(cp.threads[WORKER], id=CLEANER, many=False)
    return replace(cp, threads={**cp.threads, WORKER: worker, CLEANER: cleaner}, tokens=(tokens,))


def seen(index: Linear = INDEX, lock: Linear | None = None) -> TokenSeen:
    return ObjectId(2), CELLS.plus(index, 4), lock if lock is not None else LOCKS.plus(index, 40)


def access(size: int, kind: AccessKind = AccessKind.WRITE) -> Access:
    return Access(AccessId(0), SiteId(1), "f", kind, size, (MemLoc(ObjectId(1), None, size),), None, (), None)


def view(thread: ThreadId, address: Linear | None, moment: Moment) -> View:
    return View(thread, address, frozenset(), moment, private=False)


def are_apart(cp: ConcurrentProgram, main: View, other: View, size: int = 8) -> bool:
    """What the checker says, which may see more than the engine."""
    a, b = (access(size), main), (access(size, AccessKind.READ), other)
    says = why_disjoint(cp, *a, *b) == REASON
    assert says == (why_disjoint(cp, *b, *a) == REASON)
    is_accepted = check_disjoint(cp, REASON, a, b).answer is Answer.ACCEPTED
    assert is_accepted or not says
    return is_accepted


MAIN_IN_ROUND = view(MAIN, IDS.plus(ROUND, 8), Moment(may_run=frozenset({WORKER, CLEANER})))
FOUND = view(CLEANER, IDS.plus(INDEX, 8), Moment(must_seen=frozenset({seen()})))


def test_an_id_is_there_when_its_thread_has_left_a_token() -> None:
    assert why_disjoint(program(), access(8), MAIN_IN_ROUND, access(8), FOUND) == REASON
    assert are_apart(program(), MAIN_IN_ROUND, FOUND)
    constant = view(CLEANER, IDS.shifted(8), Moment(must_seen=frozenset({seen(Linear(1))})))
    assert are_apart(program(), MAIN_IN_ROUND, constant)


@pytest.mark.parametrize(
    "moment",
    [
        Moment(),
        Moment(must_seen=frozenset({seen(lock=LOCKS)})),  # another lock than that of the cell
        Moment(must_seen=frozenset({seen(INDEX.shifted(1))})),  # the token of another thread
        Moment(must_seen=frozenset({seen(of_atom(Opaque("cleaner:%j")))})),
        Moment(must_seen=frozenset({(ObjectId(3), *seen()[1:])})),  # in another object
        Moment(must_seen=frozenset({(ObjectId(2), seen()[1].shifted(2), seen()[2])})),  # between two cells
    ],
)
def test_what_was_found_must_be_the_token_of_that_thread(moment: Moment) -> None:
    assert not are_apart(program(), MAIN_IN_ROUND, replace(FOUND, moment=moment))


def test_the_creator_must_be_before_the_creation() -> None:
    handed = replace(MAIN_IN_ROUND.moment, may_handed=frozenset({WORKER}))
    assert not are_apart(program(), replace(MAIN_IN_ROUND, moment=handed), FOUND)
    assert not are_apart(program(), replace(MAIN_IN_ROUND, thread=CLEANER), replace(FOUND, thread=WORKER))
    assert not are_apart(program(replace(TOKENS, is_made_once=False)), MAIN_IN_ROUND, FOUND)
    elsewhere = replace(MAIN_IN_ROUND, address=IDS.plus(of_atom(Opaque("main:%j")), 8))
    assert not are_apart(program(), elsewhere, FOUND)


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9), st.sampled_from([1, 2, 4, -4, 8]), st.integers(1, 3))
def test_elements_of_other_rounds_do_not_overlap(at_a: int, at_b: int, size: int, factor: int, stride: int) -> None:
    main = replace(MAIN_IN_ROUND, address=IDS.plus(ROUND.scaled(stride), factor).shifted(at_a))
    other = replace(FOUND, address=IDS.plus(INDEX, factor).shifted(at_b))
    if are_apart(program(stride=stride), main, other, size):
        for i in range(12):
            for j in range(12):
                assert i == j or abs(factor * stride * (i - j) + at_a - at_b) >= size


def is_before(cp: ConcurrentProgram, holder: View, main: View, counter: Linear = ALIVE) -> bool:
    text = f"taken before it was counted down through {describe_lock(cp, counter)}"
    says = why_ordered(cp, holder, main) == text
    assert says == (why_ordered(cp, main, holder) == text)
    assert says == (check_ordered(cp, text, holder, main).answer is Answer.ACCEPTED)
    return says


HOLDER = view(CLEANER, None, Moment(must_have=frozenset({seen()})))
AT_THE_END = view(MAIN, None, Moment(may_run=frozenset({WORKER, CLEANER}), must_drained=frozenset({ALIVE})))


def test_who_has_a_token_comes_before_main_has_seen_that_all_are_counted() -> None:
    assert is_before(program(), HOLDER, AT_THE_END)
    paid_elsewhere = replace(HOLDER, moment=replace(HOLDER.moment, may_paid=frozenset({OTHER})))
    assert is_before(program(), paid_elsewhere, AT_THE_END)


@pytest.mark.parametrize(
    "moment",
    [
        Moment(must_seen=frozenset({seen()})),  # it was there once
        Moment(must_have=frozenset({seen(lock=LOCKS)})),
        Moment(must_have=frozenset({seen()}), may_paid=frozenset({ALIVE})),
    ],
)
def test_who_has_none_or_has_counted_may_come_later(moment: Moment) -> None:
    assert not is_before(program(), replace(HOLDER, moment=moment), AT_THE_END)


def test_only_main_knows_and_only_of_counters_that_are_paid_for() -> None:
    assert not is_before(program(), HOLDER, replace(AT_THE_END, thread=WORKER))
    assert not is_before(program(replace(TOKENS, counters=frozenset())), HOLDER, AT_THE_END)
    assert not is_before(program(replace(TOKENS, counters=frozenset({OTHER}))), HOLDER, AT_THE_END)
    not_yet = replace(AT_THE_END, moment=replace(AT_THE_END.moment, must_drained=frozenset({OTHER})))
    assert not is_before(program(), HOLDER, not_yet)


@given(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([1, 2, -2, 4]), st.sampled_from([0, 1, -3, 40]))
def test_cell_and_lock_tell_the_argument(index: int, locked: int, step: int, run: int) -> None:
    cells = replace(TOKENS, cell=CELLS.plus(START, step), locks=frozenset({LOCKS.plus(START, run)}))
    found = (ObjectId(2), CELLS.plus(INDEX, step).shifted(step * index), LOCKS.plus(INDEX, run).shifted(run * locked))
    expected = INDEX.shifted(index) if index == locked or run == 0 else None
    assert cells.argument(found) == expected
    assert is_under_its_lock(cells, *found) == (expected is not None)
