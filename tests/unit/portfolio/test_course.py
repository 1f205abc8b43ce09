"""Who works when: engines made by hand that write down when they were called, with what, and for how long."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from unit.handmade import PAIRS, concurrent_program, proof, unknown, witness

from raceproof.core import Budget, Contradiction, InternalError
from raceproof.explore import ExploreOptions
from raceproof.model import ConcurrentProgram, EngineResult, Finding, RacePair, Verdict
from raceproof.portfolio import ENGINES, Engine, Settings
from raceproof.portfolio.course import Course

Answer = Callable[[Sequence[RacePair], Settings], list[Finding]]


def nothing(pairs: Sequence[RacePair], settings: Settings) -> list[Finding]:
    return [unknown(pair) for pair in pairs]


def all_proved(pairs: Sequence[RacePair], settings: Settings) -> list[Finding]:
    return [proof(pair) for pair in pairs]


def first_races(pairs: Sequence[RacePair], settings: Settings) -> list[Finding]:
    return [witness(pairs[0])]


@dataclass
class Desk:
    """Engines and the calls that they got: name, open pairs, seconds, and for how long if it was a look."""

    monkeypatch: pytest.MonkeyPatch
    calls: list[tuple[str, int, float, float]] = field(default_factory=list)

    def engine(
        self,
        name: str,
        answer: Answer = nothing,
        is_cheap: bool = False,
        look: float = 0,
        complete: bool = False,
        takes_all: bool = False,
    ) -> None:
        def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
            self.calls.append((name, len(pairs), round(budget.remaining(), 1), settings.look))
            findings = tuple(replace(f, engine=name) for f in answer(pairs, settings))
            return EngineResult(name, findings, 1.0, {"complete": complete})

        self.monkeypatch.setitem(ENGINES, name, Engine(run, is_cheap, look, takes_all=takes_all))

    def course(self, *names: str, seconds: float = math.inf, settings: Settings = Settings()) -> Course:  # noqa: B008
        budget = Budget.unlimited() if seconds == math.inf else Budget.seconds(seconds)
        course = Course(concurrent_program(), PAIRS, settings, budget)
        course.run(names)
        return course


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_cheap_engines_come_first_and_nothing_runs_when_all_is_proved(desk: Desk) -> None:
    desk.engine("slow", look=1)
    desk.engine("cheap", all_proved, is_cheap=True)
    desk.course("slow", "cheap")
    assert [name for name, *_ in desk.calls] == ["cheap"]


def test_looks_come_before_thorough_work_which_shares_the_time(desk: Desk) -> None:
    desk.engine("a")
    desk.engine("b", look=2)
    desk.course("a", "b", seconds=100)
    assert desk.calls == [("b", 3, 100.0, 2), ("a", 3, 50.0, 0), ("b", 3, 100.0, 0)]


def test_a_race_that_the_look_finds_is_the_answer(desk: Desk) -> None:
    desk.engine("a", all_proved)
    desk.engine("b", first_races, look=1)
    course = desk.course("a", "b")
    assert desk.calls == [("b", 3, math.inf, 1)]
    assert course.ledger.decide(PAIRS[0]).verdict is Verdict.RACE


def test_with_all_races_wanted_the_work_goes_on(desk: Desk) -> None:
    desk.engine("a", all_proved)
    desk.engine("b", first_races, look=1)
    desk.course("a", "b", settings=Settings(search=ExploreOptions(find_all=True)))
    assert [(name, pairs) for name, pairs, _, _ in desk.calls] == [("b", 3), ("a", 2)]


def test_who_has_seen_everything_is_not_asked_again(desk: Desk) -> None:
    desk.engine("b", look=1, complete=True)
    desk.course("b")
    assert desk.calls == [("b", 3, math.inf, 1)]


def test_two_turns_of_an_engine_are_one_report(desk: Desk) -> None:
    desk.engine("b", lambda pairs, settings: [proof(pairs[0])], look=1)
    course = desk.course("b")
    report = course.reports["b"]
    assert (report.seconds, report.proved, report.open) == (2.0, 2, 1)


def test_a_contradiction_keeps_both_pieces_of_evidence(desk: Desk) -> None:
    desk.engine("a", all_proved, is_cheap=True)
    desk.engine("b", lambda pairs, settings: [witness(PAIRS[0])])
    course = Course(concurrent_program(), PAIRS, Settings(), Budget.unlimited())
    course.run(["a"])
    with pytest.raises(Contradiction) as caught:
        course.ledger.add(EngineResult("b", (witness(PAIRS[0]),), 0.0))
    assert [word in text for word, text in zip(("RACE_FREE", "turns"), caught.value.evidence, strict=True)] == [
        True
    ] * 2


# -- side by side

JOBS = Settings(jobs=3)


def test_engines_work_side_by_side(desk: Desk) -> None:
    desk.engine("a", lambda pairs, settings: [proof(pairs[0])])
    desk.engine("b", lambda pairs, settings: [proof(pair) for pair in pairs[1:]])
    course = desk.course("a", "b", settings=JOBS)
    assert desk.calls == []  # each ran elsewhere
    assert not course.ledger.open_pairs()
    assert {name: report.proved for name, report in course.reports.items()} == {"a": 1, "b": 2}


def test_the_last_engine_gets_the_processes_that_are_left(desk: Desk) -> None:
    told: list[str] = []

    def say(pairs: Sequence[RacePair], settings: Settings) -> list[Finding]:
        settings.on_progress(f"jobs {settings.jobs}")
        return []

    desk.engine("a", say)
    desk.engine("b", say)
    desk.course("a", "b", settings=replace(JOBS, on_progress=told.append))
    assert sorted(told) == ["engines a, b", "jobs 1", "jobs 2"]


def test_an_engine_whose_process_is_killed_decides_nothing(desk: Desk) -> None:
    def die(pairs: Sequence[RacePair], settings: Settings) -> list[Finding]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    desk.engine("a", die)
    desk.engine("b", all_proved)
    course = desk.course("a", "b", settings=JOBS)
    assert course.reports["a"].stopped == "its process ended with signal 9"
    assert not course.ledger.open_pairs()


def test_a_bug_in_another_process_is_a_bug(desk: Desk) -> None:
    def fail(pairs: Sequence[RacePair], settings: Settings) -> list[Finding]:
        raise KeyError("surprise")

    desk.engine("a", fail)
    desk.engine("b")
    with pytest.raises(InternalError, match="surprise"):
        desk.course("a", "b", settings=JOBS)


def test_where_much_is_open_most_engines_are_shown_a_part(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raceproof.portfolio.course.MOST_ASKED", 2)
    monkeypatch.setattr("raceproof.portfolio.course.MAX_REASONS", 1)
    desk.engine("static", look=1)
    desk.engine("runs", look=1, takes_all=True)
    course = desk.course("static", "runs")
    everything = len(PAIRS)
    assert [(name, shown) for name, shown, *_ in desk.calls][:2] == [("runs", everything), ("static", 2)]
    assert course.ledger.findings(PAIRS[0]) == ()  # so many reasons are not kept


def test_an_engine_without_time_is_not_shown_what_is_open(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.engine("late")
    course = Course(concurrent_program(), PAIRS, Settings(), Budget.seconds(0))
    monkeypatch.setattr(course.ledger, "open_pairs", lambda: pytest.fail("spelled out in vain"))
    course.run(["late"])
    assert course.reports["late"].stopped is not None
