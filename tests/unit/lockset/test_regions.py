"""Regions: what follows for two accesses from the roots that their nodes belong to, and what forged claims get."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import WORKER, concurrent_program

from raceproof.evidence.claims import Answer
from raceproof.evidence.regions import check_region
from raceproof.ir import SiteId
from raceproof.lockset.regions import why_regions
from raceproof.model import (
    Access,
    AccessId,
    AccessKind,
    Base,
    ConcurrentProgram,
    Family,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    Moment,
    ObjectId,
    Opaque,
    Region,
    Regions,
    Tie,
    View,
    of_atom,
)

NODE, TABLE, OTHER = ObjectId(7), ObjectId(1), ObjectId(2)
HEAD, TAIL, ELSEWHERE = Family(TABLE, 40), Family(TABLE, 48), Family(OTHER, 0)
BASE, INDEX = of_atom(Base(TABLE)), of_atom(Opaque("f:%i"))
ELEMENT = BASE.plus(INDEX, 56)
ACCESS = Access(AccessId(0), SiteId(1), "f", AccessKind.WRITE, 4, (MemLoc(NODE, 0, 4),), None, (), None)


def program(*ties: Tie) -> ConcurrentProgram:
    return replace(concurrent_program(many=True), regions=Regions(frozenset({NODE}), ties))


def view(*families: Family, element: Linear | None = ELEMENT, lock: Linear | None = None) -> View:
    held = frozenset({HeldLock(lock, LockMode.EXCLUSIVE, LockKind.MUTEX)}) if lock is not None else frozenset()
    region = Region(frozenset(families), element)
    return View(
        WORKER, of_atom(Opaque("f:%p")), held, Moment(), private=False, objects=frozenset({NODE}), region=region
    )


def verdicts(cp: ConcurrentProgram, a: View, b: View) -> tuple[str | None, Answer]:
    """What the engine says, and what the checker says to the boldest claim."""
    reason = why_regions(cp, ACCESS, a, ACCESS, b)
    return reason, check_region(cp, reason or "apart", (ACCESS, a), (ACCESS, b)).answer


def test_roots_that_are_not_tied_lead_to_different_nodes() -> None:
    assert verdicts(program(), view(HEAD), view(ELSEWHERE)) == ("apart", Answer.ACCEPTED)


def test_the_lock_of_the_element_protects_what_hangs_on_it() -> None:
    reason, answer = verdicts(program(), view(HEAD, lock=ELEMENT), view(HEAD, lock=ELEMENT))
    assert reason is not None
    assert reason.startswith("under ")
    assert answer is Answer.ACCEPTED


def test_roots_in_one_element_may_be_tied() -> None:
    cp = program(Tie(frozenset({HEAD, TAIL}), in_element=True))
    reason, answer = verdicts(cp, view(HEAD, lock=ELEMENT), view(TAIL, lock=ELEMENT))
    assert reason is not None
    assert answer is Answer.ACCEPTED


@pytest.mark.parametrize(
    ("ties", "a", "b"),
    [
        pytest.param((), view(HEAD), view(HEAD, lock=ELEMENT), id="no lock"),
        pytest.param((), view(HEAD, lock=ELEMENT), view(HEAD, lock=ELEMENT.plus(INDEX, -28)), id="another index"),
        pytest.param((), view(HEAD, element=None, lock=ELEMENT), view(HEAD, lock=ELEMENT), id="any element"),
        pytest.param((), view(HEAD, lock=ELEMENT), view(HEAD, element=None, lock=ELEMENT), id="any other element"),
        pytest.param(
            (Tie(frozenset({HEAD}), False),), view(HEAD, lock=ELEMENT), view(HEAD, lock=ELEMENT), id="elements are tied"
        ),
        pytest.param((Tie(frozenset({HEAD, ELSEWHERE}), False),), view(HEAD), view(ELSEWHERE), id="families are tied"),
        pytest.param(
            (Tie(frozenset({HEAD, TAIL}), True), Tie(frozenset({TAIL, ELSEWHERE}), False)),
            view(HEAD, lock=ELEMENT),
            view(ELSEWHERE, lock=ELEMENT),
            id="tied by way of another",
        ),
    ],
)
def test_what_does_not_follow_is_neither_said_nor_believed(ties: tuple[Tie, ...], a: View, b: View) -> None:
    cp = program(*ties)
    assert why_regions(cp, ACCESS, a, ACCESS, b) is None
    for forged in ("apart", "under table[*]", "of different objects", "because"):
        assert check_region(cp, forged, (ACCESS, a), (ACCESS, b)).answer is not Answer.ACCEPTED


@pytest.mark.parametrize(
    ("a", "b"),
    [(view(HEAD, element=None), view(HEAD)), (view(HEAD), view(HEAD, element=None))],
    ids=["first", "second"],
)
def test_the_checker_says_that_an_element_is_not_known(a: View, b: View) -> None:
    ruling = check_region(program(), "under table[*]", (ACCESS, a), (ACCESS, b))
    assert ruling.why == "elements of the structures' roots are not kept apart"


def test_a_tie_in_one_element_does_not_reach_other_objects() -> None:
    cp = program(Tie(frozenset({HEAD, ELSEWHERE}), in_element=True))
    assert verdicts(cp, view(HEAD), view(ELSEWHERE)) == ("apart", Answer.ACCEPTED)


def test_ties_of_others_do_not_matter() -> None:
    cp = program(Tie(frozenset({TAIL, ELSEWHERE}), in_element=False))
    assert verdicts(cp, view(HEAD), view(ELSEWHERE)) == ("apart", Answer.ACCEPTED)
    reason, answer = verdicts(cp, view(HEAD, lock=ELEMENT), view(HEAD, ELSEWHERE, lock=ELEMENT))
    assert reason is not None
    assert answer is Answer.ACCEPTED


def test_what_only_one_of_the_two_may_touch_does_not_matter() -> None:
    wide = replace(ACCESS, targets=(MemLoc(NODE, 0, 4), MemLoc(ObjectId(9), 0, 4)))
    either = replace(view(HEAD), objects=None)
    assert why_regions(program(), wide, either, ACCESS, view(ELSEWHERE)) == "apart"
    assert why_regions(program(), wide, view(HEAD), wide, view(ELSEWHERE)) == "apart"
    assert why_regions(program(), wide, either, wide, replace(view(ELSEWHERE), objects=None)) is None


def test_objects_that_are_no_nodes_are_not_spoken_of() -> None:
    cp = replace(program(), regions=Regions())
    assert verdicts(cp, view(HEAD), view(ELSEWHERE)) == (None, Answer.REJECTED)


def test_without_a_region_nothing_follows() -> None:
    unknown = replace(view(HEAD), region=None)
    assert verdicts(program(), unknown, view(ELSEWHERE)) == (None, Answer.REJECTED)
    assert verdicts(program(), view(ELSEWHERE), unknown) == (None, Answer.REJECTED)
