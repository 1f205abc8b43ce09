from __future__ import annotations

import math

import pytest

from raceproof.core import Budget, InputError, LimitReached, SourcePos


def test_budget_raises_once_the_time_is_up() -> None:
    budget = Budget.seconds(-1)
    assert budget.remaining() < 0
    with pytest.raises(LimitReached, match="time limit of -1 s reached"):
        budget.check()


def test_who_gave_no_limit_is_not_told_of_one() -> None:
    part = Budget.seconds(1000).part(-0.691)
    with pytest.raises(LimitReached, match=r"its share of the time, -0.69 s, was up"):
        part.check()
    assert Budget.seconds(5).part(1000).end == "time limit of 5 s reached"
    assert Budget.seconds(1000).part(0.001).end == "its share of the time, 0 s, was up"


def test_budget_lets_pass_before() -> None:
    budget = Budget.seconds(1000)
    budget.check()
    assert 990 < budget.remaining() <= 1000


def test_unlimited_budget_never_ends() -> None:
    budget = Budget.unlimited()
    budget.check()
    assert budget.remaining() == math.inf


def test_errors_say_where() -> None:
    assert str(InputError("expected ';'", SourcePos("a.c", 3, 7))) == "a.c:3:7: expected ';'"
    assert str(InputError("no such file")) == "no such file"
    assert str(SourcePos("a.c", 3)) == "a.c:3"
