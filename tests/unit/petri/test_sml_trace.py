"""Runs of nets told over source lines."""

from __future__ import annotations

import pytest

from raceproof.core import Budget, InternalError
from raceproof.petri.net import Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.sml_net import SmlNet, net_of_sml
from raceproof.petri.sml_syntax import parse_sml
from raceproof.petri.sml_trace import SmlTrace, tell_sml


def net_of(text: str) -> SmlNet:
    return net_of_sml(parse_sml(text, "a.sml"))


def told(text: str) -> SmlTrace:
    subject = net_of(text)
    solution = solve_plainly(subject.net, Budget.seconds(30))
    assert isinstance(solution, Unsafe)
    trace = tell_sml(subject, solution)
    assert trace is not None
    return trace


def lines(trace: SmlTrace) -> list[str]:
    return [f"{step.pos.line} {step.thread}: {step.text}" for step in trace.steps if not step.is_silent]


def test_threads_of_one_job_have_numbers() -> None:
    trace = told("shared x;\njob W {\nread x;\nwrite x;\n}\nstart W *;")
    assert sorted(lines(trace)) == ["3 W 1: read x", "3 W 2: read x", "4 W 1: write x"] or sorted(lines(trace)) == [
        "3 W 1: read x",
        "3 W 2: read x",
        "4 W 2: write x",
    ]
    assert {racing.thread for racing in trace.race} == {"W 1", "W 2"}
    assert sorted(str(racing.action) for racing in trace.race) == ["read x", "write x"]


def test_a_thread_that_is_alone_has_no_number() -> None:
    trace = told("shared x;\njob Main {\ncreate W;\nwrite x;\n}\njob W {\nwrite x;\n}\nstart Main;")
    assert lines(trace)[0] == "3 Main: create W"
    assert sorted(lines(trace)[1:]) == ["4 Main: write x", "7 W: write x"]


def test_what_is_waited_for_is_gone() -> None:
    """The first W has been joined; the second is the one that races."""
    trace = told("shared x;\njob Main {\ncreate W;\njoin W;\ncreate W;\nwrite x;\n}\njob W {\nwrite x;\n}\nstart Main;")
    assert "4 Main: join W" in lines(trace)
    assert {racing.thread for racing in trace.race} == {"Main", "W 2"}


def test_choices_and_waits_say_how_they_went() -> None:
    text = "shared x; lock L; cond c; job A {\nif (*) {\nacquire L;\nwait c, L;\nwrite x;\n}\n} job B {\nwrite x;\n} "
    trace = told(text + "start A; start B;")
    assert [line for line in lines(trace) if " A: " in line] == [
        "2 A: if (*): yes",
        "3 A: acquire L",
        "4 A: wait c, L: waits, L is free",
        "4 A: wait c, L: wakes up without a signal",
        "4 A: wait c, L: has L again",
        "5 A: write x",
    ]


def test_each_firing_is_a_step_of_the_trace() -> None:
    subject = net_of("shared x; job T { while (*) { skip; } write x; } start T 2;")
    solution = solve_plainly(subject.net, Budget.seconds(30))
    assert isinstance(solution, Unsafe)
    trace = tell_sml(subject, solution)
    assert trace is not None
    assert [step.transition for step in trace.steps] == [subject.net.transitions[t].name for t in solution.firing]


def test_a_run_that_does_not_end_in_a_race_is_a_bug() -> None:
    subject = net_of("shared x; job T { write x; } start T 2;")
    with pytest.raises(InternalError, match="invariant broken"):
        tell_sml(subject, Unsafe(subject.net.initial, ()))
