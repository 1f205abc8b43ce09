from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from unit.handmade import check_result, pair_result
from unit.report.traces import STEPS, race, real, step, trace

from raceproof.model import CheckResult, Verdict
from raceproof.report.trace_events import to_trace_events

Event = dict[str, Any]


def events_of(result: CheckResult) -> list[Event]:
    """The events, each with what the format wants of its phase."""
    data = json.loads(json.dumps(to_trace_events(result)))
    for event in data["traceEvents"]:
        assert {"ph", "pid", "tid", "name"} <= set(event)
        assert event["ph"] == "M" or (event["ts"] >= 0 and event["cat"])
        assert event["ph"] != "X" or event["dur"] > 0
        assert event["ph"] not in "besf" or event["id"] > 0
    return data["traceEvents"]  # type: ignore[no-any-return]


def of_phase(events: list[Event], *phases: str) -> list[Event]:
    return [event for event in events if event["ph"] in phases]


EVENTS = events_of(check_result(race(7, trace()), pair_result(8)))


def test_one_process_for_each_race_and_one_track_for_each_thread() -> None:
    two = events_of(check_result(race(3, trace()), race(4), pair_result(5), pair_result(6, Verdict.RACE_FREE)))
    assert {event["pid"] for event in two} == {3, 4}
    both = [event["id"] for event in of_phase(events_of(check_result(race(1, trace()), race(2, trace()))), "b", "s")]
    assert len(set(both)) == len(both)  # viewers do not look at the process
    names = {(e["name"], e["tid"]): e["args"] for e in of_phase(EVENTS, "M")}
    assert names["process_name", 0] == {"name": "pair 7: data race on counter"}
    assert names["thread_name", 1] == {"name": "thread 1 `worker`, created at demo.c:20"}
    assert {tid for name, tid in names if name == "thread_name"} == {0, 1, 2}


def test_steps_stand_in_their_order_and_never_overlap() -> None:
    steps = [e for e in of_phase(EVENTS, "X") if e["cat"] == "step"]
    assert [(e["ts"], e["dur"], e["tid"]) for e in steps] == [(i, 1, s.thread) for i, s in enumerate(STEPS)]
    assert steps[3]["name"] == "write counter"
    assert steps[3]["args"] == {
        "step": "1.2", "locks held": ["mutex"], "value": "1", "place": "demo.c:10:5", "function": "worker",
    }  # fmt: skip


def test_the_race_is_where_both_threads_stand() -> None:
    accesses = [e for e in of_phase(EVENTS, "X") if e["cat"] == "race"]
    assert [(e["tid"], e["ts"], e["name"]) for e in accesses] == [(1, 6, "read counter"), (2, 6, "write counter")]
    [mark] = of_phase(EVENTS, "i")
    assert (mark["ts"], mark["s"], mark["name"]) == (6, "p", "data race on counter")
    assert mark["args"] == {"how": "both threads stand before their accesses"}


def test_locks_are_bars_from_taking_to_giving_up() -> None:
    bars = [(e["ph"], e["id"], e["tid"], e["ts"]) for e in of_phase(EVENTS, "b", "e")]
    assert bars == [("b", 1, 1, 2), ("e", 1, 1, 4), ("b", 2, 2, 5), ("e", 2, 2, 7)]  # the second is held to the end


def test_locks_need_not_be_given_up_in_order() -> None:
    steps = (step(1, 1, "lock", 1, "a", "a"), step(1, 2, "lock", 2, "b", "a", "b"), step(1, 3, "unlock", 3, "a", "b"))
    events = events_of(check_result(race(1, trace(steps))))
    bars = {(e["ph"], e["name"]): e["ts"] for e in of_phase(events, "b", "e")}
    assert bars == {
        ("b", "a held by thread 1"): 0,
        ("e", "a held by thread 1"): 2,
        ("b", "b held by thread 1"): 1,
        ("e", "b held by thread 1"): 4,
    }


def arrows(events: list[Event]) -> list[tuple[str, tuple[int, float], tuple[int, float]]]:
    ends = {e["id"]: e for e in of_phase(events, "f")}
    assert sorted(e["id"] for e in of_phase(events, "s")) == sorted(ends)
    return [
        (e["name"], (e["tid"], e["ts"]), (ends[e["id"]]["tid"], ends[e["id"]]["ts"])) for e in of_phase(events, "s")
    ]


def test_arrows_lead_from_creation_and_from_giving_up() -> None:
    assert sorted(arrows(EVENTS)) == [
        ("create", (0, 0.5), (1, 2.5)),
        ("create", (0, 1.5), (2, 5.5)),
        ("mutex given up and taken", (1, 4.5), (2, 5.5)),
    ]
    bars = of_phase(EVENTS, "X")
    for _, *ends in arrows(EVENTS):
        for tid, ts in ends:  # an arrow belongs to the bar that it is in
            assert any(e["tid"] == tid and e["ts"] < ts < e["ts"] + e["dur"] for e in bars)


def test_of_the_last_steps_only_the_creations_are_those_of_the_last_threads() -> None:
    cut = events_of(check_result(race(1, trace(STEPS[1:]))))
    assert [a for a in arrows(cut) if a[0] == "create"] == [("create", (0, 0.5), (2, 4.5))]


def test_a_thread_without_steps_is_reached_at_its_access() -> None:
    early = events_of(check_result(race(1, trace(STEPS[:2]))))
    assert sorted(arrows(early)) == [("create", (0, 0.5), (1, 2.5)), ("create", (0, 1.5), (2, 2.5))]


def test_without_a_trace_there_are_the_two_accesses() -> None:
    events = events_of(check_result(race(2, together=False)))
    assert [(e["tid"], e["ts"]) for e in of_phase(events, "X")] == [(1, 0), (2, 0)]
    assert of_phase(events, "i")[0]["args"] == {"how": "nothing orders the two accesses"}
    assert of_phase(events, "b", "e", "s", "f") == []


def test_places_that_are_not_known_are_left_out() -> None:
    events = events_of(check_result(race(1, trace((replace(STEPS[0], pos=None), *STEPS[1:])))))
    assert "place" not in of_phase(events, "X")[0]["args"]


def test_a_real_race() -> None:
    events = events_of(real())
    assert [e["name"] for e in of_phase(events, "i")] == ["data race on account.balance"]
    assert {e["name"] for e in of_phase(events, "b")} == {"account.lock held by thread 2"}
    assert [(name, start[0], end[0]) for name, start, end in arrows(events)] == [("create", 0, 2)]
