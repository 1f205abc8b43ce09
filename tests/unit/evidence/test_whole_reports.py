"""The corners of checking a whole report: parts that are missing, empty reports, places that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from unit.evidence.cases import KEYS, claim, judge, subject
from unit.handmade import PAIRS, READ, RUN, concurrent_program, schedule

from raceproof import explore
from raceproof.core import Budget, InputError
from raceproof.evidence import Answer, Claim, ReportClaims, Subject, nets, registry
from raceproof.evidence.exhaustion import check_exhaustion
from raceproof.evidence.nets import check_nets
from raceproof.evidence.second_opinion import SecondOpinion
from raceproof.explore.protocol import RaceRecord
from raceproof.ir import MemoryOrder
from raceproof.model import (
    AccessId,
    CertifiedNet,
    ConcurrentProgram,
    EngineResult,
    Exhausted,
    Finding,
    RacePair,
    RunSetup,
    Scope,
    Verdict,
)

SETUP = RunSetup("hash", "race", tuple(KEYS), (), "memory", True, 100)
SEARCH = explore.ExploreOptions(algorithm="race")
NET = CertifiedNet((KEYS[0],), 1, 1, "d", ())
EXPLORED = "explored all schedules, 3 executions"


def explored(number: int) -> Claim:
    return claim(number, EXPLORED, engine="explore", scope=Scope.THIS_INPUT)


def race(number: int) -> Claim:
    pair = PAIRS[number - 1]
    return claim(number, engine="explore", scope=None, schedule=schedule(pair), verdict=Verdict.RACE)


# -- what was executed


@pytest.mark.parametrize(("setup", "search"), [(SETUP, None), (None, SEARCH)])
def test_half_of_what_to_run_is_nothing(setup: RunSetup | None, search: explore.ExploreOptions | None) -> None:
    assert judge(replace(subject(explored(2)), setup=setup, search=search))[2].answer is Answer.REJECTED
    with pytest.raises(InputError, match="what to run"):
        judge(replace(subject(race(1)), setup=setup, search=search))


def test_a_setup_with_pairs_of_another_program() -> None:
    strange = replace(SETUP, pairs=(*KEYS, (AccessId(900), AccessId(901))))
    with pytest.raises(InputError, match="another version"):
        judge(replace(subject(race(1)), setup=strange, search=SEARCH))


class Search:
    """Stands for the engine, and answers as it is told: by the key of a pair, None for no finding at all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answers: dict[int, Verdict | None]) -> None:
        self._answers = answers
        self.options: list[explore.ExploreOptions] = []
        self.asked: list[RacePair] = []
        monkeypatch.setattr(explore, "run", self._run)

    def _run(
        self, cp: ConcurrentProgram, pairs: Sequence[RacePair], options: explore.ExploreOptions, budget: Budget
    ) -> EngineResult:
        self.options.append(options)
        self.asked = list(pairs)
        findings = []
        for pair in pairs:
            match self._answers.get(PAIRS.index(pair) + 1, Verdict.RACE_FREE):
                case Verdict.RACE:
                    findings.append(Finding(pair, Verdict.RACE, schedule(pair), "explore"))
                case Verdict.RACE_FREE:
                    proof = Exhausted(3, "optimal", ())
                    findings.append(Finding(pair, Verdict.RACE_FREE, proof, "explore", Scope.THIS_INPUT))
        return EngineResult("explore", tuple(findings), 0.1, stopped="time")


def executed(*claims: Claim) -> Subject:
    return replace(subject(*claims), setup=SETUP, search=SEARCH)


def test_the_second_search_looks_for_all_races_and_in_any_way(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search(monkeypatch, {})
    judge(executed(explored(2)))
    [options] = search.options
    assert options.find_all
    assert options.isolation == "auto"


def test_what_the_second_search_does_not_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    Search(monkeypatch, {2: None})
    monkeypatch.setattr(registry, "interpret", lambda *given: SecondOpinion({}, (), ("too large",)))
    judgement = judge(executed(explored(2)))[2]
    assert judgement.answer is Answer.NOT_CHECKED
    assert judgement.ruling.why == "optimal did not come to it: time"


def test_no_search_without_an_honest_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search(monkeypatch, {})
    wrong = replace(explored(2), scope=Scope.ALL_INPUTS)
    assert judge(executed(wrong))[2].answer is Answer.REJECTED
    assert search.options == []


def test_static_proofs_are_refuted_only_by_races(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search watches a pair that a static engine claims, between accesses that are searched for anyway."""
    Search(monkeypatch, {2: Verdict.RACE_FREE})
    claims = (explored(1), claim(2, "common-lock mutex"), explored(3))
    assert judge(executed(*claims))[2].ruling.why.startswith("confirmed for")
    Search(monkeypatch, {2: Verdict.RACE})
    judgement = judge(executed(*claims))[2]
    assert (judgement.answer, judgement.ruling.why) == (Answer.REJECTED, "optimal finds this race")
    Search(monkeypatch, {2: None})
    assert judge(executed(*claims))[2].answer is Answer.ACCEPTED


def test_the_search_speaks_of_its_own_claims_and_of_races_that_refute_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of races, which are claimed and found, nor of what is left open."""

    def spoken_of(*claims: Claim) -> list[tuple[int, Answer]]:
        case = executed(*claims)
        mine = [claim for claim in claims if claim.kind == "explore"]
        opinion = SecondOpinion({}, (), ())
        return [(j.id, j.answer) for j in check_exhaustion(case, mine, Budget.unlimited(), opinion)]

    Search(monkeypatch, {1: Verdict.RACE, 2: Verdict.RACE})
    assert spoken_of(race(1), claim(2), explored(3)) == [(3, Answer.ACCEPTED)]
    assert spoken_of(race(1), claim(2, "common-lock mutex"), explored(3)) == [
        (2, Answer.REJECTED),
        (3, Answer.ACCEPTED),
    ]
    Search(monkeypatch, {})
    assert spoken_of(explored(1), claim(2, "common-lock mutex"), explored(3)) == [
        (1, Answer.ACCEPTED),
        (3, Answer.ACCEPTED),
    ]


def test_the_run_that_failed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(*given: object) -> explore.Prepared:
        return explore.Prepared(Path("host"), Path("program.so"), "demo", (), "memory")

    problems: list[str | None] = [None, "it crashed"]

    def repeat(*given: object) -> explore.Replayed:
        other = RaceRecord((PAIRS[1].first, PAIRS[1].second), (1, 2), "counter", True, RUN)
        return explore.Replayed(steps=(), races=(other,), others=(), problem=problems[0])

    monkeypatch.setattr(explore, "prepare", prepare)
    monkeypatch.setattr(explore, "repeat", repeat)
    case = executed(race(1))
    assert judge(case)[1].ruling.why == "its schedule does not show the race"
    problems.reverse()
    assert judge(case)[1].ruling.why == "its schedule does not show the race (the run failed: it crashed)"


# -- the report itself


def test_the_verdict_of_a_report_without_pairs() -> None:
    empty = replace(subject(), pairs={})

    def answer(verdict: Verdict, scope: Scope | None) -> Answer:
        return judge(replace(empty, report=ReportClaims(verdict, scope, ())))[0].answer

    assert answer(Verdict.RACE_FREE, Scope.ALL_INPUTS) is Answer.ACCEPTED
    assert answer(Verdict.UNKNOWN, None) is Answer.ACCEPTED  # something was not supported
    assert answer(Verdict.RACE_FREE, Scope.ANY_THREADS) is Answer.REJECTED
    assert answer(Verdict.RACE, None) is Answer.REJECTED


def test_unknown_is_no_verdict_where_all_pairs_are_proved() -> None:
    claims = tuple(claim(number, "common-lock mutex") for number in (1, 2, 3))
    for verdict, scope, expected in (
        (Verdict.UNKNOWN, None, Answer.REJECTED),
        (Verdict.RACE_FREE, Scope.ALL_INPUTS, Answer.ACCEPTED),
        (Verdict.RACE_FREE, None, Answer.REJECTED),
    ):
        case = replace(subject(*claims), report=ReportClaims(verdict, scope, claims))
        assert judge(case)[0].answer is expected


def test_a_proof_without_a_scope_is_worth_the_least() -> None:
    claims = (claim(1, "x"), claim(2, "x"), replace(claim(3, "x"), scope=None))
    case = replace(subject(), report=ReportClaims(Verdict.RACE_FREE, Scope.BOUNDED, claims))
    assert judge(case)[0].answer is Answer.ACCEPTED


def test_a_place_that_is_not_known() -> None:
    cp = concurrent_program()
    nowhere = replace(cp, accesses={**cp.accesses, READ: replace(cp.accesses[READ], pos=None)})
    told = claim(1)
    first, second = told.accesses
    for line, column, fits in ((0, 0, True), (1, 0, False), (0, 1, False), (10, 5, False)):
        case = subject(replace(told, accesses=(replace(first, line=line, column=column), second)), cp=nowhere)
        if fits:
            assert judge(case)[0].answer is Answer.ACCEPTED
        else:
            with pytest.raises(InputError, match="pair 1"):
                judge(case)


def test_an_atomic_access_is_not_a_plain_one() -> None:
    told = claim(1, is_atomic=True)
    with pytest.raises(InputError, match="pair 1"):
        judge(subject(told))


def test_a_proof_of_nobody_is_not_checked() -> None:
    judgement = judge(subject(replace(claim(1, "x"), engine=None)))[1]
    assert (judgement.kind, judgement.answer) == ("?", Answer.NOT_CHECKED)


def test_a_net_without_a_scope() -> None:
    unscoped = replace(claim(1, "a net", engine="petri"), scope=None, certificate=NET)
    [judgement] = check_nets(subject(unscoped), [unscoped], Budget.unlimited())
    assert judgement.answer is Answer.REJECTED


def test_a_net_without_the_code_of_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that holds says nothing about accesses that the net does not have."""
    made = SimpleNamespace(digest="d", net=None)
    lost: list[str | None] = [None]
    monkeypatch.setattr(nets, "program_net", lambda *given: made)
    monkeypatch.setattr(nets, "unreached", lambda *given: lost[0])
    monkeypatch.setattr(nets, "check_certificate", lambda *given: None)
    claimed = replace(claim(1, "a net", engine="petri"), certificate=NET)

    def answer() -> Answer:
        [judgement] = check_nets(subject(claimed), [claimed], Budget.unlimited())
        return judgement.answer

    assert answer() is Answer.ACCEPTED
    lost[0] = "nobody makes the access"
    assert answer() is Answer.REJECTED


# -- static proofs


def with_atomic(told: Claim, number: AccessId) -> Claim:
    first, second = (
        replace(access, is_atomic=key == number) for key, access in zip(told.key, told.accesses, strict=True)
    )
    return replace(told, accesses=(first, second))


@pytest.mark.parametrize("number", [PAIRS[0].first, PAIRS[0].second])
def test_one_atomic_access_is_not_enough(number: AccessId) -> None:
    cp = concurrent_program()
    half = replace(cp, accesses={**cp.accesses, number: replace(cp.accesses[number], order=MemoryOrder.SEQ_CST)})
    claims = (with_atomic(told, number) for told in (claim(1, "both-atomic"), claim(2), claim(3)))
    assert judge(subject(*claims, cp=half))[1].answer is Answer.REJECTED


def test_the_number_of_combinations_is_told() -> None:
    judgement = judge(subject(claim(1, "common-lock mutex")))[1]
    assert judgement.ruling.why == "confirmed for 1 combination of threads and contexts"


def test_all_rules_that_are_wrong_are_told() -> None:
    claimed = ["common-lock other", "ordered in the same thread"]
    judgement = judge(subject(claim(1, claimed)))[1]
    assert judgement.answer is Answer.REJECTED
    assert all(text.split()[0] in judgement.ruling.why for text in claimed)


def test_the_first_doubt_is_told() -> None:
    judgement = judge(subject(claim(1, ["ordered by magic", "ordered by chance"])))[1]
    assert judgement.answer is Answer.NOT_CHECKED
    assert "magic" in judgement.ruling.why
