"""What `check` calls race-free: all inputs, or a program that has no other; and what it says otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raceproof.cli import main

INPUTS = Path(__file__).with_name("programs") / "inputs"
FREE, UNKNOWN = 0, 3
ENGINES = "lockset,explore"  # the others could only prove more


def check(path: Path, tmp_path: Path, *options: str, arguments: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
    out = tmp_path / "report.json"
    command = ["check", "--no-config", "--engines", ENGINES, "--json", str(out), *options, str(path)]
    status = main([*command, *(["--", *arguments] if arguments else [])])
    return status, json.loads(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "name", ["address", "argument", "number", "time", "random", "variable", "process", "thread_id"]
)
def test_twins_that_differ_in_whether_they_look_at_their_input(name: str, tmp_path: Path) -> None:
    status, report = check(INPUTS / f"given_{name}.c", tmp_path)
    assert (status, report["verdict"], report["scope"]) == (FREE, "race-free", "this-input"), report["reason"]
    assert report["input"]["reads"] == []
    racy = INPUTS / f"given_{name}_race.c"
    status, report = check(racy, tmp_path)
    assert (status, report["verdict"], report["scope"]) == (UNKNOWN, "unknown", None)
    assert report["reason"].startswith("no race with this input (arguments: none; standard input: empty; ")
    assert report["input"]["reads"]
    assert {pair["verdict"] for pair in report["pairs"] if pair["scope"] == "this-input"} == {"unknown"}
    status, report = check(racy, tmp_path, "--accept", "this-input")
    assert (status, report["verdict"], report["scope"]) == (FREE, "race-free", "this-input")
    assert report["input"]["accepted"]


def test_the_input_is_spelled_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACEPROOF_TEST_HURRY", raising=False)
    _, report = check(INPUTS / "given_variable_race.c", tmp_path, arguments=("a", "b c"))
    given = report["input"]
    assert (given["arguments"], given["stdin"], given["clients"]) == (["a", "b c"], "", [])
    assert given["environment"] == {"RACEPROOF_TEST_HURRY": None}
    assert [(read["kind"], read["what"], read["name"]) for read in given["reads"]] == [
        ("environment", "getenv", "RACEPROOF_TEST_HURRY")
    ]
    assert "arguments: a b c; standard input: empty; RACEPROOF_TEST_HURRY not set" in report["reason"]


def test_another_input_shows_the_race(tmp_path: Path) -> None:
    status, report = check(INPUTS / "given_argument_race.c", tmp_path, arguments=("hurry",))
    assert (status, report["verdict"]) == (1, "race")


@pytest.mark.parametrize("options", [(), ("--accept", "this-input")])
def test_a_run_without_a_second_thread_proves_nothing(options: tuple[str, ...], tmp_path: Path) -> None:
    path = INPUTS / "given_usage_race.c"
    status, report = check(path, tmp_path, *options)
    assert (status, report["verdict"]) == (UNKNOWN, "unknown")
    why = "the program ended before it created a thread, and ran without arguments: give some after `--`"
    assert report["reason"] == why
    assert not any(pair["verdict"] == "race-free" and pair["engine"] == "explore" for pair in report["pairs"])
    out = tmp_path / "explored.json"
    assert main(["explore", "--no-config", "--json", str(out), str(path)]) == UNKNOWN
    assert main(["explore", "--no-config", "--json", str(out), str(path), "--", "hurry"]) == 1


def test_explore_answers_for_the_given_input(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    assert main(["explore", "--no-config", "--json", str(out), str(INPUTS / "given_variable_race.c")]) == FREE
    assert json.loads(out.read_text(encoding="utf-8"))["scope"] == "this-input"


def test_a_program_that_never_creates_a_thread_is_said_to(tmp_path: Path) -> None:
    path = tmp_path / "alone.c"
    path.write_text("int x;\nint main(int argc, char **argv) { x = argc; return x; }\n", encoding="utf-8")
    status, report = check(path, tmp_path)
    assert (status, report["scope"], report["reason"]) == (FREE, "all-inputs", "no thread is ever created")


def test_ignored_pragmas_leave_the_verdict_unknown(tmp_path: Path) -> None:
    path = tmp_path / "omp.c"
    path.write_text(
        "int x;\nint main(void) {\n#pragma omp parallel\n  x++;\n  return 0; }\n",
        encoding="utf-8",
    )
    for options in ((), ("--accept", "this-input")):
        status, report = check(path, tmp_path, *options)
        assert (status, report["verdict"], len(report["obstacles"])) == (UNKNOWN, "unknown", 1)
        assert "#pragma omp parallel" in report["reason"]
        assert "omp.c:3" in report["reason"]
    assert main(["check", "--no-config", "--cflag=-fopenmp", str(path)]) == 2


def test_the_configuration_may_accept_this_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raceproof.toml").write_text('accept = "this-input"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--engines", ENGINES, str(INPUTS / "given_variable_race.c")]) == FREE
