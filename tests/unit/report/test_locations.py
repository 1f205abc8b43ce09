"""Pairs put together by location, with their accesses in classes, and the order in which to look at them."""

from __future__ import annotations

from dataclasses import replace

from unit.handmade import COUNTER, access_result, check_result, pair_result

from raceproof.model import AccessKind, ObjectId, Scope, Verdict
from raceproof.report.locations import Location, locations_of


def names(*locations: Location) -> list[str]:
    return [location.name for location in locations]


def test_races_come_first_and_proofs_last() -> None:
    pairs = (
        pair_result(1, Verdict.RACE_FREE, target="proved"),
        pair_result(2, target="open"),
        replace(pair_result(3, target="for this input"), scope=Scope.THIS_INPUT),
        pair_result(4, Verdict.RACE, target="raced"),
        pair_result(5, Verdict.RACE_FREE, target="raced"),
    )
    found = locations_of(check_result(*pairs))
    assert names(*found) == ["raced", "open", "for this input", "proved"]
    assert [location.rank for location in found] == [1, 2, 3, 4]
    assert [location.verdict for location in found] == [
        Verdict.RACE,
        Verdict.UNKNOWN,
        Verdict.UNKNOWN,
        Verdict.RACE_FREE,
    ]
    assert [len(location.undecided) for location in found] == [1, 1, 0, 0]


def test_accesses_with_equal_facts_are_one_class() -> None:
    pairs = (
        pair_result(1, first=access_result(10)),
        pair_result(2, first=access_result(11)),
        pair_result(3, Verdict.RACE_FREE, first=access_result(12, held=("mutex",))),
    )
    (location,) = locations_of(check_result(*pairs))
    told = [(c.kind.value, c.locks, [pos.line for pos, _ in c.sites if pos], c.is_open) for c in location.classes]
    assert told == [
        ("write", (), [10, 11], True),
        ("read", (), [22], True),
        ("write", ("mutex",), [12], False),
    ]


def test_a_discipline_that_somebody_does_not_keep_is_suspicious() -> None:
    plain = pair_result(1, target="plain")
    held = [access_result(line, held=("mutex",)) for line in (30, 31)]
    pairs = [pair_result(i, first=access, target="guarded") for i, access in enumerate(held, start=2)]
    found = locations_of(check_result(plain, *pairs))
    assert names(*found) == ["guarded", "plain"]
    assert found[0].usual_lock == ("mutex", 2, 3)
    assert found[1].usual_lock is None


def test_a_lock_counts_only_where_everybody_who_comes_there_holds_it() -> None:
    held = access_result(10, held=("mutex",))
    pairs = (pair_result(1, first=held), pair_result(2, first=replace(held, thread="another thread", held=())))
    assert locations_of(check_result(*pairs))[0].usual_lock is None


def test_the_end_of_an_object_needs_no_lock() -> None:
    free = access_result(50, AccessKind.FREE)
    held = access_result(10, held=("mutex",))
    pairs = (pair_result(1, first=held, second=held), pair_result(2, first=held, second=free))
    assert locations_of(check_result(*pairs))[0].usual_lock is None


def test_what_code_that_nothing_describes_may_do_comes_late() -> None:
    unknown = replace(access_result(), note="`f` is not known, and may touch all that can be reached")
    callback = replace(access_result(), thread="`h`, which the system or a library may call at any time")
    pairs = (
        pair_result(1, first=unknown, target="by unknown code"),
        pair_result(2, first=callback, target="by a handler"),
        pair_result(3, first=access_result(15, AccessKind.FREE), target="end of a block"),
        pair_result(4, target="plain"),
        pair_result(5, second=access_result(23), target="two writers"),
    )
    assert names(*locations_of(check_result(*pairs))) == [
        "two writers",
        "plain",
        "end of a block",
        "by a handler",
        "by unknown code",
    ]


def test_the_end_of_a_budget_is_no_cause() -> None:
    cut = ("engine petri ended early: time limit of 5 s reached", "the net is too large for the time that is left")
    known = pair_result(1, evidence=(*cut, "neither holds a lock"), target="known")
    unknown = pair_result(2, evidence=cut, target="unknown")
    found = locations_of(check_result(known, unknown))
    assert found[0].cause == "neither holds a lock"
    assert found[1].cause is not None
    assert "limit" not in found[1].cause
    assert locations_of(check_result(pair_result(1, Verdict.RACE)))[0].cause is None


def test_locations_of_one_name_stay_apart() -> None:
    other = replace(pair_result(2), pair=replace(pair_result(2).pair, target=replace(COUNTER, object=ObjectId(9))))
    assert names(*locations_of(check_result(pair_result(1), other))) == ["counter", "counter"]
