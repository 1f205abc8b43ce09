"""What would help, from what is known."""

from __future__ import annotations

from dataclasses import replace

from unit.handmade import access_result, check_result, pair_result

from raceproof.model import AccessKind, Assumption, EngineReport, PairResult, Scope, Verdict
from raceproof.report.advice import advice, fix
from raceproof.report.locations import locations_of

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
    assert not any("--all" in text for text in advice(replace(result, goes_on=True), NEITHER))


def test_unknown_functions_may_be_a_lock() -> None:
    known = [Assumption(f"`{name}` is not known: while it is called it may do anything") for name in ("take", "give")]
    held = pair_result(1, first=access_result(held=("m",)), second=access_result(22, held=("m",)))
    result = replace(check_result(NEITHER), assumptions=tuple(known))
    assert advice(result, NEITHER)[0].startswith("If unknown functions (`take`, `give`) take and give back a lock")
    assert not any("unknown functions" in text for text in advice(result, held))
    assert not any("unknown functions" in text for text in advice(replace(result, assumptions=(known[0],)), NEITHER))


def fix_of(*pairs: PairResult) -> str:
    (location,) = locations_of(check_result(*pairs))
    return fix(location, pairs[0])


def race(first: tuple[str, ...] = (), second: tuple[str, ...] = (), number: int = 1, line: int = 22) -> PairResult:
    reads = access_result(line, AccessKind.READ, "main thread", held=second)
    return pair_result(number, Verdict.RACE, access_result(held=first), reads)


def test_the_fix_follows_from_the_locks_that_are_held() -> None:
    assert fix_of(race()).startswith("hold one lock around both accesses, or make it _Atomic, or let one thread")
    assert fix_of(race(first=("m",))) == "hold m at demo.c:22, as the write at demo.c:10 does"
    assert fix_of(race(first=("m",), second=("n",))) == "hold the same lock at both: one holds m, the other n"
    assert "both hold one called m, but not always the same" in fix_of(race(first=("m",), second=("m",)))
    assert fix_of(race((), ("m",)), race((), ("m",), 2, 23)) == "hold m at demo.c:10, as 2 of the 3 accesses do"


def test_a_lock_for_reading_does_not_protect_a_write() -> None:
    expected = "take m for writing at demo.c:10: there it is held for reading only"
    assert fix_of(race(first=("m (shared)",), second=("m (shared)",))) == expected
    assert fix_of(race(first=("m (shared)",), second=("m",))) == expected
    assert fix_of(race(first=("m",), second=("m (shared)",))).startswith("use one and the same lock")


def test_what_no_processor_writes_at_once_is_not_made_atomic() -> None:
    large = race()
    target = replace(large.pair.target, size=24)
    assert "_Atomic" not in fix_of(replace(large, pair=replace(large.pair, target=target)))
