"""Elements by a number that was drawn, by an index that was given away, objects that were given back.

The engine and the checker of evidence are asked the same, and both are compared with all numbers there can be.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.handmade import WORKER, concurrent_program

from raceproof.evidence import Answer
from raceproof.evidence.places import check_disjoint
from raceproof.ir import SiteId
from raceproof.lockset.addresses import why_disjoint
from raceproof.model import (
    MAIN,
    Access,
    AccessId,
    AccessKind,
    Atom,
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
    View,
    of_atom,
)

TABLE, NEXT, OTHER = (of_atom(Base(ObjectId(number))) for number in (1, 2, 3))
DRAWN, MORE = Opaque("worker.1:%k"), Opaque("worker.1:%j")
ROUND = Opaque("main:%i")
DRAWS = "no two threads draw the same element"
JOINED = "an object whose thread has been joined"


def access(size: int | None, kind: AccessKind = AccessKind.WRITE) -> Access:
    return Access(AccessId(0), SiteId(1), "f", kind, size, (MemLoc(ObjectId(1), None, size),), None, (), None)


def view(address: Linear, moment: Moment, thread: ThreadId = WORKER) -> View:
    return View(thread, address, frozenset(), moment, private=False)


def drawn(*numbers: tuple[Atom, Linear]) -> Moment:
    return Moment(must_drawn=frozenset(numbers))


def program(argument: DistinctArgument | None = None) -> ConcurrentProgram:
    cp = replace(concurrent_program(many=True), drawn_from=frozenset({NEXT}))
    if argument is None:
        return cp
    return replace(cp, threads={**cp.threads, WORKER: replace(cp.threads[WORKER], argument=argument)})


def both_say(cp: ConcurrentProgram, reason: str, a: tuple[Access, View], b: tuple[Access, View]) -> bool:
    """What the engine says; the checker must not accept what it does not say."""
    says = why_disjoint(cp, *a, *b) == reason
    is_accepted = check_disjoint(cp, reason, a, b).answer is Answer.ACCEPTED
    assert is_accepted or not says
    return says


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 2, 4, -4, 8]))
def test_drawn_elements_do_not_overlap(at_a: int, at_b: int, size_a: int, size_b: int, factor: int) -> None:
    a = (access(size_a), view(TABLE.plus(of_atom(DRAWN), factor).shifted(at_a), drawn((DRAWN, NEXT))))
    b = (access(size_b), view(TABLE.plus(of_atom(MORE), factor).shifted(at_b), drawn((MORE, NEXT))))
    if both_say(program(), DRAWS, a, b):
        for i in range(24):
            for j in range(24):
                first, second = factor * i + at_a, factor * j + at_b
                assert i == j or first + size_a <= second or second + size_b <= first


@pytest.mark.parametrize(
    ("moment_a", "moment_b"),
    [
        (drawn((DRAWN, NEXT)), drawn()),  # the other one is any number
        (drawn((DRAWN, NEXT)), drawn((DRAWN, OTHER))),  # drawn from another counter
        (drawn((DRAWN, OTHER)), drawn((DRAWN, OTHER))),  # from a counter that may go back
        (drawn((MORE, NEXT)), drawn((MORE, NEXT))),  # not the number that is used
    ],
)
def test_numbers_that_are_not_drawn_prove_nothing(moment_a: Moment, moment_b: Moment) -> None:
    address = TABLE.plus(of_atom(DRAWN), 4)
    a, b = (access(4), view(address, moment_a)), (access(4), view(address, moment_b))
    assert why_disjoint(program(), *a, *b) is None
    assert check_disjoint(program(), DRAWS, a, b).answer is not Answer.ACCEPTED


@given(st.integers(-6, 6), st.integers(-6, 6), st.integers(1, 8), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2]))
def test_elements_by_index_before_and_after(at_a: int, at_b: int, size: int, factor: int, stride: int) -> None:
    """Main is in the round whose number it has not given away yet, or has got back; a thread uses another one."""
    pattern = of_atom(ROUND).scaled(stride)
    cp = program(DistinctArgument(pattern, stride, fresh=False, counter=ROUND))
    b = (access(size), view(TABLE.plus(of_atom(StartArg(WORKER)), factor).shifted(at_b), Moment()))
    address = TABLE.plus(pattern, factor).shifted(at_a)
    given_back = Moment(may_run=frozenset({WORKER}), may_handed=frozenset({WORKER}))
    given_back = replace(given_back, must_returned=frozenset({(WORKER, pattern)}))
    for moment, reason in (
        (Moment(), "an element that no thread has been given yet"),
        (given_back, "an element whose thread has been joined"),
    ):
        if both_say(cp, reason, (access(size), view(address, moment, MAIN)), b):
            for i in range(12):
                for j in range(12):
                    first, second = factor * stride * i + at_a, factor * stride * j + at_b
                    assert i == j or abs(first - second) >= size
    used = replace(given_back, must_returned=frozenset())
    assert not both_say(cp, "an element whose thread has been joined", (access(size), view(address, used, MAIN)), b)


def test_an_object_is_given_back_with_its_thread() -> None:
    found = of_atom(Opaque("main:%w"))
    cp = program(DistinctArgument(of_atom(Opaque("main:%p")), 0, fresh=True))
    thread = (access(4), view(of_atom(StartArg(WORKER)).shifted(8), Moment()))
    joined = Moment(must_returned=frozenset({(WORKER, found)}))
    assert both_say(cp, JOINED, (access(None, AccessKind.FREE), view(found, joined, MAIN)), thread)
    assert both_say(cp, JOINED, (access(4), view(found.shifted(8), joined, MAIN)), thread)
    another = (access(4), view(of_atom(Opaque("main:%v")).shifted(8), joined, MAIN))
    not_joined = (access(4), view(found.shifted(8), Moment(), MAIN))
    elsewhere = (access(4), view(of_atom(Opaque("worker.1:%q")), Moment()))
    for a, b in ((another, thread), (not_joined, thread), ((access(4), view(found, joined, MAIN)), elsewhere)):
        assert why_disjoint(cp, *a, *b) is None
        assert check_disjoint(cp, JOINED, a, b).answer is not Answer.ACCEPTED
