"""`raceproof check-evidence` around facts made by hand: what it reads, prints and returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from unit.cli.commands import run_command
from unit.handmade import PAIRS, check_result, concurrent_program, pair_result, program

from raceproof import facts, frontend, portfolio
from raceproof.cli import Exit, check_evidence
from raceproof.core import InputError
from raceproof.ir import Program
from raceproof.model import (
    Assumption,
    ConcurrentProgram,
    EngineReport,
    LockAction,
    LockModel,
    Models,
    PairResult,
    SafeFunction,
    SourceFile,
    Sources,
    Strength,
    Verdict,
)
from raceproof.report import to_json

Change = Callable[[dict[str, Any]], object]
SOURCES = Sources((SourceFile("demo.c", (), "/src"),), "LP64", "auto", None, "main", digest="the digest")


def shown(number: int, verdict: Verdict, *lock: str) -> PairResult:
    """The pair in the words that the facts have for it."""
    namer, pair = portfolio.Namer(concurrent_program()), PAIRS[number - 1]
    first, second = (namer.ways(access)[0] for access in (pair.first, pair.second))
    result = pair_result(number, verdict, first, second, evidence=lock)
    return replace(result, pair=pair, target=namer.location(pair.target))


def compiled() -> Program:
    made = program()
    return replace(made, origin=replace(made.origin, digest=SOURCES.digest))


def report() -> dict[str, Any]:
    """Two pairs with the lock that they hold, one that is open."""
    lock = "common-lock mutex"
    pairs = (shown(1, Verdict.RACE_FREE, lock), shown(2, Verdict.RACE_FREE, lock), shown(3, Verdict.UNKNOWN))
    engines = (EngineReport("lockset", 0.25, 3, 0, 1, {}), EngineReport("oracle", 0.25, 1, 0, 0, {}))
    return to_json(replace(check_result(*pairs), sources=SOURCES, engines=engines))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(frontend, "load", lambda request, budget: compiled())
    monkeypatch.setattr(facts, "analyse", lambda *given, with_waits, strongest: concurrent_program())
    monkeypatch.setattr(facts, "race_pairs", lambda cp: PAIRS)
    return tmp_path


def check(change: Change = lambda data: None, *arguments: str) -> Exit:
    data = report()
    change(data)
    Path("report.json").write_text(json.dumps(data), encoding="utf-8")
    return run_command(check_evidence.add_parser, "check-evidence", "report.json", *arguments)


def test_all_is_accepted(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check() is Exit.RACE_FREE
    assert capsys.readouterr().out.splitlines() == [
        "evidence       accepted       rejected  not confirmed    not checked",
        "verdict               1              0              0              0",
        "lockset               2              0              0              0",
        "3 accepted, 0 rejected, 0 not confirmed, 0 not checked",
    ]


def say_race_free(data: dict[str, Any]) -> None:
    data.pop("locations")  # as an earlier version writes it: they would give the forgery away by themselves
    for answer in (data, data["properties"][0]):
        answer.update(verdict="race-free", scope="all-inputs")


def test_a_forged_lock(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def forge(data: dict[str, Any]) -> None:
        data["pairs"][2].update(verdict="race-free", scope="all-inputs", evidence=["common-lock mutex"])
        say_race_free(data)

    assert check(forge) is Exit.RACE
    out = capsys.readouterr().out
    assert "rejected: pair 3, lockset: common-lock mutex: the two do not both hold it" in out.replace("\n  ", " ")
    assert out.endswith("3 accepted, 1 rejected, 0 not confirmed, 0 not checked\n")


def test_what_cannot_be_checked(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(lambda data: data["pairs"][0].update(engine="oracle")) is Exit.UNKNOWN
    assert "not checked: pair 1, oracle: there is no checker" in capsys.readouterr().out


def test_a_forged_verdict(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(say_race_free) is Exit.RACE
    assert "rejected: the verdict: it says race-free" in capsys.readouterr().out


def test_answers_as_json(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(lambda data: data["pairs"][0].update(engine="oracle"), "--json", "-") is Exit.UNKNOWN
    answers = json.loads(capsys.readouterr().out)
    assert (answers["status"], answers["accepted"], answers["rejected"], answers["not_checked"]) == (3, 2, 0, 1)
    assert [(c["pair"], c["kind"], c["answer"]) for c in answers["claims"]] == [
        (None, "verdict", "accepted"),
        (1, "oracle", "not checked"),
        (2, "lockset", "accepted"),
    ]
    assert check(lambda data: None, "--json", "answers.json") is Exit.RACE_FREE
    assert json.loads(Path("answers.json").read_text(encoding="utf-8"))["accepted"] == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.pop("pairs"), "pairs"),
        (lambda data: data.pop("sources"), "sources"),
        (lambda data: data.update(sources=None), "what was compiled"),
        (lambda data: data["pairs"][0].pop("access_ids"), "access_ids"),
        (lambda data: data["pairs"][0].update(access_ids=[1]), "can be checked"),
        (lambda data: data["pairs"][0].update(verdict="fine"), "fine"),
        (lambda data: data["pairs"][0].update(id=2), "numbers"),
        (lambda data: data["pairs"][0].update(schedule={"steps": 1}), "can be checked"),
        (lambda data: data["pairs"].pop(), "changed"),
        (lambda data: data["pairs"][1].update(access_ids=[1, 2]), "changed"),
        (lambda data: data["pairs"][1]["accesses"][0].update(line=11), "changed"),
    ],
)
def test_reports_that_are_damaged_or_of_another_program(directory: Path, change: Change, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check(change)


def test_what_the_user_said_about_functions_is_said_again(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = Models((LockModel("take", LockAction.ACQUIRE, argument=2, shared=True),), (SafeFunction("log", "fine"),))
    given: list[object] = []

    def analyse(
        program: Program, budget: object, told: object, with_waits: bool, strongest: Strength
    ) -> ConcurrentProgram:
        given.append(told)
        return concurrent_program()

    monkeypatch.setattr(facts, "analyse", analyse)
    sources = to_json(replace(check_result(), sources=replace(SOURCES, models=models)))["sources"]
    assert check(lambda data: data.update(sources=sources)) is Exit.RACE_FREE
    assert given == [models]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"verdict": "race-free"}', "\0\1"])
def test_files_that_are_no_report(directory: Path, text: str) -> None:
    Path("bad.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.json"):
        run_command(check_evidence.add_parser, "check-evidence", "bad.json")


def test_a_truncated_report(directory: Path) -> None:
    text = json.dumps(report())
    for length in range(0, len(text), 97):
        Path("bad.json").write_text(text[:length], encoding="utf-8")
        with pytest.raises(InputError, match="not JSON"):
            run_command(check_evidence.add_parser, "check-evidence", "bad.json")


def test_the_report_is_not_overwritten(directory: Path) -> None:
    with pytest.raises(InputError, match="overwrite"):
        check(lambda data: None, "--json", "report.json")


def rejected(change: Change, capsys: pytest.CaptureFixture[str]) -> str:
    """Why the verdict of the changed report is rejected."""
    assert check(change) is Exit.RACE
    lines = capsys.readouterr().out.replace("\n  ", " ").splitlines()
    return next(line for line in lines if line.startswith("rejected: the verdict"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data["program"].update(files=["other.c"]), "it is about other.c, and demo.c was compiled"),
        (lambda data: data.update(root="/elsewhere"), "its root"),
        (lambda data: data["properties"][0].update(verdict="race-free", scope="all-inputs"), "its verdict is not"),
        (lambda data: data["properties"][0].update(reason="none"), "its reason is not"),
        (lambda data: data["properties"][0].update(engine="lockset"), "not of one engine"),
        (lambda data: data.update(obstacles=["a pragma"]), "other obstacles than the program has: none"),
        (lambda data: data["pairs"][2].update(target="elsewhere"), "not elsewhere"),
        (lambda data: data["pairs"][2]["accesses"][0].update(locks=["mutex2"]), "no thread makes in this way"),
        (lambda data: data["pairs"][2]["accesses"][1].update(thread="thread `nobody`"), "no thread makes in this way"),
    ],
)
def test_reports_that_do_not_agree_with_the_program(
    directory: Path, change: Change, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in rejected(change, capsys)


def test_without_executions_any_input_may_be_said_to_be_given(directory: Path) -> None:
    reads = {"kind": "stream", "what": "fgets", "name": None, "file": "demo.c", "line": 1, "column": 1}
    given = {
        "arguments": ["-n"],
        "stdin": "words",
        "environment": {},
        "clients": [],
        "reads": [reads],
        "accepted": False,
    }
    assert check(lambda data: data.update(input=given)) is Exit.RACE_FREE


def test_a_report_without_the_digest_of_its_program(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(lambda data: data["sources"].pop("digest")) is Exit.UNKNOWN
    assert "not confirmed: the verdict: the report does not have the digest" in capsys.readouterr().out


def test_what_was_believed_is_told(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Assumption("the user says that accesses in `log` are no races: fine")
    cp = replace(concurrent_program(), assumptions=(*concurrent_program().assumptions, told))
    monkeypatch.setattr(facts, "analyse", lambda *given, with_waits, strongest: cp)
    assert "it does not say that it assumes: the user says that" in rejected(lambda data: None, capsys)
    assert check(lambda data: data["assumptions"].append({"text": told.text})) is Exit.RACE_FREE
    assert f"trusted: {told.text}" in capsys.readouterr().out


def on_deadlocks(**answer: object) -> Change:
    """A report on deadlocks, with this answer."""
    entry = {
        "property": "deadlock",
        "verdict": "unknown",
        "scope": None,
        "reason": None,
        "engine": None,
        "evidence": [],
    }

    def change(data: dict[str, Any]) -> None:
        data["properties"] = [{**entry, **answer}]
        data.update({name: data["properties"][0][name] for name in ("verdict", "scope", "reason")})

    return change


def test_answers_on_deadlocks(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(on_deadlocks()) is Exit.RACE_FREE
    for answer, words in (
        ({"verdict": "deadlock"}, "none that was executed"),
        ({"verdict": "deadlock-free", "scope": "all-inputs", "engine": "explore"}, "does not prove this"),
        ({"verdict": "deadlock-free", "scope": None, "engine": "lockset"}, "does not prove this"),
        ({"verdict": "deadlock-free", "scope": "all-inputs", "engine": "oracle"}, "does not prove this"),
        ({"scope": "all-inputs"}, "says unknown"),
    ):
        assert check(on_deadlocks(**answer)) is Exit.RACE
        assert words in capsys.readouterr().out.replace("\n  ", " ")
    for damaged in ({"verdict": "race-free"}, {"property": "data-deadlock"}):
        with pytest.raises(InputError, match="can be checked"):
            check(on_deadlocks(**damaged))
