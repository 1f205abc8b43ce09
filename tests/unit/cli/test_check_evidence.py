"""`raceproof check-evidence` around facts made by hand: what it reads, prints and returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from unit.cli.commands import run_command
from unit.handmade import PAIRS, access_result, check_result, concurrent_program, pair_result, program

from raceproof import facts, frontend
from raceproof.cli import Exit, check_evidence
from raceproof.core import InputError
from raceproof.model import (
    AccessKind,
    AccessResult,
    EngineReport,
    LockAction,
    LockModel,
    Models,
    SafeFunction,
    SourceFile,
    Sources,
    Verdict,
)
from raceproof.report import to_json

Change = Callable[[dict[str, Any]], object]
SOURCES = Sources((SourceFile("demo.c", (), "/src"),), "LP64", "auto", None, "main")


def shown(line: int, function: str, kind: AccessKind) -> AccessResult:
    return replace(access_result(line, kind), function=function)


READ, WRITE = shown(10, "worker", AccessKind.READ), shown(10, "worker", AccessKind.WRITE)
MAIN_READ = shown(22, "main", AccessKind.READ)


def report() -> dict[str, Any]:
    """Two pairs with the lock that they hold, one that is open."""
    lock = ("common-lock mutex",)
    pairs = (
        replace(pair_result(1, Verdict.RACE_FREE, READ, WRITE, evidence=lock), pair=PAIRS[0]),
        replace(pair_result(2, Verdict.RACE_FREE, WRITE, WRITE, evidence=lock), pair=PAIRS[1]),
        replace(pair_result(3, Verdict.UNKNOWN, WRITE, MAIN_READ), pair=PAIRS[2]),
    )
    engines = (EngineReport("lockset", 0.25, 3, 0, 1, {}), EngineReport("oracle", 0.25, 1, 0, 0, {}))
    return to_json(replace(check_result(*pairs), sources=SOURCES, engines=engines))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(frontend, "load", lambda request, budget: program())
    monkeypatch.setattr(facts, "analyse", lambda *given: concurrent_program())
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


def test_a_forged_lock(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def forge(data: dict[str, Any]) -> None:
        data["pairs"][2].update(verdict="race-free", scope="all-inputs", evidence=["common-lock mutex"])
        data.update(verdict="race-free", scope="all-inputs")

    assert check(forge) is Exit.RACE
    out = capsys.readouterr().out
    assert "rejected: pair 3, lockset: common-lock mutex: the two do not both hold it" in out.replace("\n  ", " ")
    assert out.endswith("3 accepted, 1 rejected, 0 not confirmed, 0 not checked\n")


def test_what_cannot_be_checked(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(lambda data: data["pairs"][0].update(engine="oracle")) is Exit.UNKNOWN
    assert "not checked: pair 1, oracle: there is no checker" in capsys.readouterr().out


def test_a_forged_verdict(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(lambda data: data.update(verdict="race-free", scope="all-inputs")) is Exit.RACE
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
    monkeypatch.setattr(facts, "analyse", lambda program, budget, told: given.append(told) or concurrent_program())
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
