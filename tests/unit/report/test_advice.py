"""What would help, from what is known."""

from __future__ import annotations

from dataclasses import replace

from unit.handmade import access_result, check_result, pair_result

from raceproof.model import EngineReport, Scope, Verdict
from raceproof.report.advice import advice

NEITHER = pair_result(1, first=access_result(), second=access_result(22))


def runner(stopped: str | None = None, notes: tuple[str, ...] = ()) -> EngineReport:
    return EngineReport("explore", 1.0, 0, 0, 1, {"executions": 1}, stopped, notes)


def test_the_search_comes_first() -> None:
    result = check_result(NEITHER)
    assert "not executed" in advice(result, NEITHER)[0]
    late = replace(result, engines=(runner("time limit reached"),))
    assert "--time-limit" in advice(late, NEITHER)[0]
    refused = replace(result, engines=(EngineReport("explore", 1.0, 0, 0, 1, {}, "not supported: threads of thought"),))
    assert "could not be run" in advice(refused, NEITHER)[0]


def test_bounds() -> None:
    bounded = replace(NEITHER, scope=Scope.BOUNDED)
    steps = replace(check_result(bounded), engines=(runner(notes=("bounded: cut at the limit of steps",)),))
    inputs = replace(check_result(bounded), engines=(runner(notes=("bounded: not all values of the inputs",)),))
    weaker = replace(check_result(bounded), engines=(runner(notes=("bounded: atomics of weaker memory orders",)),))
    assert "memory_order_seq_cst" in advice(weaker, bounded)[0]
    assert "--max-steps" in advice(steps, bounded)[0]
    assert "each input" in advice(inputs, bounded)[0]


def test_locks_come_last() -> None:
    one = pair_result(1, first=access_result(held=("m",)), second=access_result(22))
    two = pair_result(1, first=access_result(held=("m",)), second=access_result(22, held=("n",)))
    same = pair_result(1, first=access_result(held=("m",)), second=access_result(22, held=("m",)))
    assert "Neither holds a lock" in advice(check_result(NEITHER), NEITHER)[-1]
    assert "Only one of the two holds m" in advice(check_result(one), one)[-1]
    assert "different locks" in advice(check_result(two), two)[-1]
    assert "another one each time" in advice(check_result(same), same)[-1]


def test_what_is_decided_needs_no_advice_and_a_race_is_repaired_first() -> None:
    race = pair_result(2, Verdict.RACE)
    result = check_result(race, NEITHER)
    assert advice(result, race) == []
    assert "Repair the race" in advice(result, NEITHER)[0]
