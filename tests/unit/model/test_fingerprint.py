"""Fingerprints stay when lines move and differ where pairs do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import pair_result

from raceproof.core import SourcePos
from raceproof.model import AccessKind, AccessResult, PairResult, fingerprints, short_path, target_name


def access(line: int, function: str = "f", kind: AccessKind = AccessKind.WRITE, file: str = "src/a.c") -> AccessResult:
    return AccessResult(SourcePos(file, line, 5), function, kind, "main thread", False, ())


def pair(
    first: AccessResult, second: AccessResult | None = None, target: str = "counter", number: int = 1
) -> PairResult:
    return pair_result(number, first=first, second=second or access(30, "g", AccessKind.READ), target=target)


BASE = pair(access(10))
(NAME,) = fingerprints([BASE])


def test_sixteen_hexadecimal_digits_that_never_change() -> None:
    assert NAME == "6734f28011066df3"  # a baseline of today must be good tomorrow


@pytest.mark.parametrize(
    "same",
    [
        pair(access(99), access(3, "g", AccessKind.READ)),
        pair(access(30, "g", AccessKind.READ), access(10)),
        pair(access(10, file="/home/me/project/src/a.c")),
        replace(BASE, accesses=(replace(BASE.accesses[0], thread="other", held=("m",)), BASE.accesses[1])),
        replace(BASE, id=7),
    ],
)
def test_what_does_not_matter(same: PairResult) -> None:
    assert fingerprints([same]) == (NAME,)


@pytest.mark.parametrize(
    "other",
    [
        pair(access(10), target="total"),
        pair(access(10, "h")),
        pair(access(10, kind=AccessKind.UPDATE)),
        pair(access(10, file="lib/a.c")),
        pair(replace(access(10), pos=None)),
    ],
)
def test_what_does(other: PairResult) -> None:
    assert fingerprints([other]) != (NAME,)


def test_the_line_of_an_allocation_does_not_matter() -> None:
    one, two = (pair(access(10), target=f"node.next (allocated at src/list.c:{n})") for n in (12, 345))
    assert fingerprints([one]) == fingerprints([two])
    assert fingerprints([one]) != fingerprints([pair(access(10), target="node.next")])


def test_equal_ones_are_told_apart_by_their_order_in_the_files() -> None:
    first, second, third = (pair(access(line), number=n) for n, line in ((1, 10), (2, 20), (3, 30)))
    names = fingerprints([first, second, third])
    assert len(set(names)) == 3
    assert names[0] == NAME
    assert fingerprints([third, first, second]) == (names[2], names[0], names[1])
    moved = [pair(access(line), number=n) for n, line in ((1, 110), (2, 120), (3, 130))]
    assert fingerprints(moved) == names


def test_none() -> None:
    assert fingerprints([]) == ()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("accounts[*].balance", "accounts[*].balance"),
        ("node.next (allocated at src/list.c:12)", "node.next (allocated)"),
        ("x (local variable, /a/b.c:3)", "x (local variable)"),
    ],
)
def test_target_name(target: str, expected: str) -> None:
    assert target_name(target) == expected


@pytest.mark.parametrize(("file", "expected"), [("a.c", "a.c"), ("/x/y/src/a.c", "src/a.c"), ("../a.c", "../a.c")])
def test_short_path(file: str, expected: str) -> None:
    assert short_path(file) == expected
