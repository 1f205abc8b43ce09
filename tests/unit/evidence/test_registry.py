"""The check of a whole report: which checker is asked, what a limit leaves, when the report is of another program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from unit.evidence.cases import KEYS, claim, judge, subject
from unit.handmade import PAIRS, RUN, schedule

from raceproof import explore
from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.evidence import (
    CHECKERS,
    Answer,
    Claim,
    Judgement,
    ReportClaims,
    Ruling,
    Subject,
    check_evidence,
    registry,
)
from raceproof.evidence.second_opinion import SecondOpinion, interpret
from raceproof.explore.protocol import RaceRecord
from raceproof.model import (
    ConcurrentProgram,
    EngineResult,
    Exhausted,
    Finding,
    RacePair,
    Reason,
    RunSetup,
    Scope,
    Verdict,
)

SETUP = RunSetup("hash", "race", tuple(KEYS), (), "memory", True, 100)
EXPLORED = "explored all schedules, 3 executions"


def executed(*claims: Claim, algorithm: str = "race") -> Subject:
    search = explore.ExploreOptions(algorithm=algorithm)
    return replace(subject(*claims), setup=replace(SETUP, algorithm=algorithm), search=search)


# -- the verdict and the program --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "scope", "expected"),
    [
        (Verdict.UNKNOWN, None, Answer.ACCEPTED),
        (Verdict.RACE_FREE, Scope.ALL_INPUTS, Answer.REJECTED),
        (Verdict.RACE, None, Answer.REJECTED),
    ],
)
def test_the_verdict_must_follow_from_the_pairs(verdict: Verdict, scope: Scope | None, expected: Answer) -> None:
    case = subject(claim(1, "common-lock mutex"))
    case = replace(case, report=ReportClaims(verdict, scope, case.report.pairs))
    assert judge(case)[0].answer is expected


def test_the_scope_of_the_verdict_is_the_weakest() -> None:
    claims = (claim(1, "x"), claim(2, "x"), claim(3, EXPLORED, engine="explore", scope=Scope.THIS_INPUT))
    for scope, is_accepted, expected in (
        (Scope.THIS_INPUT, True, Answer.ACCEPTED),
        (Scope.THIS_INPUT, False, Answer.REJECTED),
        (Scope.ALL_INPUTS, True, Answer.REJECTED),
    ):
        case = replace(subject(), report=ReportClaims(Verdict.RACE_FREE, scope, claims, is_accepted))
        assert judge(case)[0].answer is expected


def test_a_report_must_have_all_pairs_of_the_program() -> None:
    case = subject()
    for pairs in (case.report.pairs[1:], (*case.report.pairs, case.report.pairs[0])):
        with pytest.raises(InputError, match="changed"):
            judge(replace(case, report=replace(case.report, pairs=pairs)))


@pytest.mark.parametrize("change", [{"line": 11}, {"column": 1}, {"function": "f"}, {"kind": "free"}])
def test_a_report_must_show_the_accesses_of_the_program(change: dict[str, int | str]) -> None:
    true = claim(1)
    first, second = true.accesses
    forged = replace(true, accesses=(replace(first, **change), second))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="pair 1"):
        judge(subject(forged))


# -- checkers ---------------------------------------------------------------------------------------------


def test_a_kind_that_nobody_checks() -> None:
    judgement = judge(subject(claim(1, "a bound", engine="oracle")))[1]
    assert judgement.answer is Answer.NOT_CHECKED
    assert "oracle" in judgement.ruling.why


def test_a_new_kind_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(subject: Subject, claims: Sequence[Claim], budget: Budget) -> Iterator[Judgement]:
        yield Judgement(claims[0].id, "petri", Ruling(Answer.ACCEPTED, "covered"))
        raise LimitReached("time limit of 1 s reached")

    monkeypatch.setitem(CHECKERS, "petri", check)
    judgements = judge(subject(claim(1, "a certificate", engine="petri"), claim(2, "another", engine="petri")))
    assert judgements[1].ruling == Ruling(Answer.ACCEPTED, "covered")
    assert judgements[2].ruling == Ruling(Answer.NOT_CHECKED, "time limit of 1 s reached")


def test_without_time_nothing_is_accepted() -> None:
    case = subject(claim(1, "common-lock mutex"))
    judgements = check_evidence(case, Budget(0.0, 1.0))
    assert [j.answer for j in judgements if j.id == 1] == [Answer.NOT_CHECKED]


# -- races ------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[RaceRecord]:
    """What the replayed run shows; to be filled."""
    records: list[RaceRecord] = []

    def prepare(
        cp: ConcurrentProgram, pairs: Sequence[RacePair], options: explore.ExploreOptions, budget: Budget
    ) -> explore.Prepared:
        assert list(pairs) == list(PAIRS)
        return explore.Prepared(Path("host"), Path("program.so"), "demo", (), "memory")

    def repeat(*given: object) -> explore.Replayed:
        return explore.Replayed(steps=(), races=tuple(records), others=(), problem=None)

    monkeypatch.setattr(explore, "prepare", prepare)
    monkeypatch.setattr(explore, "repeat", repeat)
    return records


def race(number: int, of: int | None = None) -> Claim:
    pair = PAIRS[(of or number) - 1]
    return claim(number, engine="explore", scope=None, schedule=schedule(pair), verdict=Verdict.RACE)


def test_a_race_that_shows_again(shown: list[RaceRecord]) -> None:
    case = executed(race(1))
    assert judge(case)[1].answer is Answer.REJECTED
    shown.append(RaceRecord((PAIRS[0].second, PAIRS[0].first), (2, 1), "counter", True, RUN))
    assert judge(case)[1].answer is Answer.NOT_CONFIRMED  # the run has no record


def test_a_race_of_other_threads_or_other_accesses_is_not_it(shown: list[RaceRecord]) -> None:
    shown.append(RaceRecord((PAIRS[0].first, PAIRS[0].second), (0, 2), "counter", True, RUN))
    shown.append(RaceRecord((PAIRS[1].first, PAIRS[1].second), (1, 2), "counter", True, RUN))
    assert judge(executed(race(1)))[1].answer is Answer.REJECTED


def test_the_schedule_of_another_race(shown: list[RaceRecord]) -> None:
    shown.append(RaceRecord((PAIRS[1].first, PAIRS[1].second), (1, 2), "counter", True, RUN))
    judgement = judge(executed(race(1, of=2)))[1]
    assert (judgement.answer, judgement.ruling.why) == (Answer.REJECTED, "its schedule is that of another pair")


def test_a_race_without_a_schedule(shown: list[RaceRecord]) -> None:
    forged = claim(1, "executed", engine="lockset", scope=None, verdict=Verdict.RACE)
    assert judge(executed(forged))[1].answer is Answer.REJECTED


def test_races_without_what_to_run() -> None:
    with pytest.raises(InputError, match="what to run"):
        judge(subject(race(1)))


# -- all schedules ----------------------------------------------------------------------------------------


class Searches:
    """Stands for the engine: says this about every pair it is asked about."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.verdict = Verdict.RACE_FREE
        self.bounds: tuple[str, ...] = ()
        self.asked: list[RacePair] = []
        self.algorithm = ""
        monkeypatch.setattr(explore, "run", self._run)

    def _run(
        self, cp: ConcurrentProgram, pairs: Sequence[RacePair], options: explore.ExploreOptions, budget: Budget
    ) -> EngineResult:
        self.asked, self.algorithm = list(pairs), options.algorithm
        return EngineResult("explore", tuple(map(self._finding, pairs)), 0.1)

    def _finding(self, pair: RacePair) -> Finding:
        match self.verdict:
            case Verdict.RACE:
                return Finding(pair, Verdict.RACE, schedule(pair), "explore")
            case Verdict.UNKNOWN:
                return Finding(pair, Verdict.UNKNOWN, Reason("time"), "explore")
        scope = Scope.BOUNDED if self.bounds else Scope.THIS_INPUT
        return Finding(pair, Verdict.RACE_FREE, Exhausted(3, "optimal", self.bounds), "explore", scope)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Searches:
    return Searches(monkeypatch)


def explored(number: int, scope: Scope = Scope.THIS_INPUT) -> Claim:
    return claim(number, EXPLORED, engine="explore", scope=scope)


def test_a_second_search_that_finds_nothing_either(searches: Searches) -> None:
    judgements = judge(executed(claim(1, "common-lock mutex"), explored(2), explored(3)))
    assert [judgements[n].answer for n in (2, 3)] == [Answer.ACCEPTED] * 2
    assert searches.algorithm == "optimal"
    assert searches.asked == list(PAIRS[1:])  # what is proved statically is not searched for


def test_the_second_search_is_another_one(searches: Searches) -> None:
    judge(executed(explored(2), algorithm="optimal"))
    assert searches.algorithm == "dpor"


@pytest.mark.parametrize(
    ("verdict", "bounds", "gaps", "expected"),
    [
        (Verdict.RACE, (), (), Answer.REJECTED),
        (Verdict.RACE, (), ("too large",), Answer.REJECTED),
        (Verdict.UNKNOWN, (), ("too large",), Answer.NOT_CHECKED),
        (Verdict.RACE_FREE, ("100 steps",), ("too large",), Answer.NOT_CHECKED),
        (Verdict.RACE_FREE, (), ("too large",), Answer.NOT_CONFIRMED),
        (Verdict.RACE_FREE, (), (), Answer.ACCEPTED),
        (Verdict.UNKNOWN, (), (), Answer.ACCEPTED),
    ],
)
def test_the_second_search_and_the_interpreter(
    verdict: Verdict,
    bounds: tuple[str, ...],
    gaps: tuple[str, ...],
    expected: Answer,
    searches: Searches,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A race in either refutes; only the interpreter confirms."""
    searches.verdict, searches.bounds = verdict, bounds
    monkeypatch.setattr(registry, "interpret", lambda *given: SecondOpinion({}, (), gaps, 7))
    assert judge(executed(explored(2)))[2].answer is expected


@pytest.mark.parametrize("kind", ["explore", "lockset"])
def test_a_race_that_the_interpreter_finds_refutes_any_proof(
    kind: str, searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "interpret", lambda *given: SecondOpinion({KEYS[1]: "seen"}, (), (), 7))
    proof = explored(2) if kind == "explore" else claim(2, "common-lock mutex")
    judgement = judge(executed(proof, explored(3)))[2]
    assert judgement.answer is Answer.REJECTED
    assert judgement.ruling.why == "the interpreter finds this race: seen"


def test_a_race_that_is_no_pair_of_the_report_refutes_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = tuple(claim(number, "common-lock mutex") for number in (1, 2, 3))
    case = replace(subject(), report=ReportClaims(Verdict.RACE_FREE, Scope.ALL_INPUTS, claims))
    assert judge(case)[0].answer is Answer.ACCEPTED
    monkeypatch.setattr(registry, "interpret", lambda *given: SecondOpinion({}, ("a.c:3 and a.c:4",), (), 7))
    assert judge(case)[0].answer is Answer.REJECTED


def test_what_the_user_vouches_for_has_no_second_opinion() -> None:
    opinion = interpret(replace(executed(explored(2)), is_vouched=True), Budget.unlimited())
    assert opinion.gaps
    assert not interpret(executed(explored(2)), Budget.unlimited()).gaps


def test_a_race_on_a_pair_that_a_static_proof_claims(searches: Searches) -> None:
    searches.verdict = Verdict.RACE
    judgements = judge(executed(explored(1), claim(2, "common-lock mutex"), explored(3)))
    assert judgements[2].answer is Answer.REJECTED


def test_executions_prove_nothing_for_all_inputs(searches: Searches) -> None:
    assert judge(executed(explored(2, Scope.ALL_INPUTS)))[2].answer is Answer.REJECTED


def test_nothing_was_executed() -> None:
    assert judge(subject(explored(2)))[2].answer is Answer.REJECTED


def test_a_program_that_cannot_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*given: object) -> EngineResult:
        raise Unsupported("running it")

    monkeypatch.setattr(explore, "run", run)
    assert judge(executed(explored(2)))[2].answer is Answer.NOT_CHECKED
