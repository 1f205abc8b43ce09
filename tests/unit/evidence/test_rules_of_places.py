"""Reasons to be disjoint that do not hold, and what is said about them: by one change from a case in which they do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.lockset.test_places import (
    ARG,
    DRAWINGS,
    DRAWN,
    FRESH,
    GIVEN,
    INDEX,
    JOINED,
    NEW,
    NOT_YET,
    OBJECT_JOINED,
    OWN_ELEMENT,
    OWN_OBJECT,
    PARTS,
    PATTERN,
    SECOND,
    TABLE,
    UNLISTED,
    Doing,
    main,
    program,
)

from raceproof.evidence import Answer
from raceproof.evidence.places import check_disjoint
from raceproof.model import MAIN, Argument, ConcurrentProgram


def answers(cp: ConcurrentProgram, text: str, a: Doing, b: Doing) -> set[Answer]:
    """In both orders."""
    return {check_disjoint(cp, text, x.parts(), y.parts()).answer for x, y in ((a, b), (b, a))}


def test_an_address_that_nobody_knows_is_a_refusal() -> None:
    for text in (PARTS, OWN_ELEMENT, OWN_OBJECT, GIVEN, NOT_YET, JOINED, OBJECT_JOINED, DRAWN):
        assert answers(program(), text, Doing(None), Doing(TABLE)) == {Answer.REJECTED}
        assert answers(program(), text, Doing(None), Doing(None)) == {Answer.REJECTED}


def test_the_same_bytes_are_a_refusal_and_others_are_not() -> None:
    assert answers(program(), PARTS, Doing(TABLE), Doing(TABLE)) == {Answer.REJECTED}
    assert answers(program(), PARTS, Doing(INDEX), Doing(INDEX)) == {Answer.NOT_CHECKED}
    assert answers(program(), PARTS, Doing(TABLE), Doing(TABLE.shifted(1))) == {Answer.NOT_CHECKED}


def test_an_object_of_its_own_is_reached_through_the_argument_alone() -> None:
    assert answers(program(FRESH), OWN_OBJECT, Doing(ARG), Doing(ARG.plus(INDEX))) == {Answer.ACCEPTED}
    for other in (ARG.plus(TABLE), INDEX, ARG.plus(ARG)):
        assert answers(program(FRESH), OWN_OBJECT, Doing(ARG), Doing(other)) == {Answer.NOT_CHECKED}
    assert answers(program(UNLISTED), OWN_OBJECT, Doing(ARG), Doing(ARG)) == {Answer.NOT_CHECKED}


@pytest.mark.parametrize(
    ("text", "a", "argument"),
    [
        (NOT_YET, main(PATTERN, handed=False), UNLISTED),
        (JOINED, main(PATTERN, joined=PATTERN), UNLISTED),
        (OBJECT_JOINED, main(NEW, joined=NEW), FRESH),
    ],
)
def test_only_the_creator_knows_what_it_has_given(text: str, a: Doing, argument: Argument) -> None:
    assert answers(program(argument), text, a, Doing(ARG)) == {Answer.ACCEPTED}
    assert answers(program(argument, parent=SECOND), text, a, Doing(ARG)) == {Answer.NOT_CHECKED}
    assert answers(program(argument), text, a, Doing(ARG.plus(INDEX))) == {Answer.NOT_CHECKED}
    assert answers(program(argument), text, replace(a, thread=SECOND), Doing(ARG)) == {Answer.NOT_CHECKED}
    forgetful = main(PATTERN if argument is UNLISTED else NEW)
    assert forgetful.thread == MAIN
    assert answers(program(argument), text, forgetful, Doing(ARG)) == {Answer.NOT_CHECKED}
    for x, y in ((replace(a, address=None), Doing(ARG)), (a, Doing(None))):
        assert answers(program(argument), text, x, y) == {Answer.REJECTED}
    swapped = UNLISTED if argument is FRESH else FRESH
    assert answers(program(swapped), text, a, Doing(ARG)) == {Answer.NOT_CHECKED}


@pytest.mark.parametrize(("a", "b", "expected"), DRAWINGS)
def test_numbers_that_are_drawn_from_a_counter(a: Doing, b: Doing, expected: str | None) -> None:
    assert (answers(program(), DRAWN, a, b) == {Answer.ACCEPTED}) is (expected == DRAWN)
