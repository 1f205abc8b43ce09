"""`raceproof explore` and `raceproof replay` on real programs, from the C file to the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raceproof.cli import Exit, main

EXAMPLES = Path(__file__).parent.parent / "examples"
PREAMBLE = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
TWO_THREADS = """
int main(int argc, char **argv) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""
DEADLOCK = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return p; }
void *two(void *p) { pthread_mutex_lock(&n); pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return p; }
"""
LOCKED = """
int data; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) { pthread_mutex_lock(&m); data++; pthread_mutex_unlock(&m); return p; }
void *two(void *p) { pthread_mutex_lock(&m); data--; pthread_mutex_unlock(&m); return p; }
"""
# The lockset engine does not follow the hand-over; only one order of the two threads exists.
HANDED_OVER = """
int data, turn; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) { data = 1; pthread_mutex_lock(&m); turn++; pthread_mutex_unlock(&m); return p; }
void *two(void *p) { pthread_mutex_lock(&m); int go = turn * 2 == 2; pthread_mutex_unlock(&m);
    if (go) data = 2; return p; }
"""
# A race only with the right argument.
BY_ARGUMENT = """
int data, on;
void *one(void *p) { if (on) data = 1; return p; }
void *two(void *p) { if (on) data = 2; return p; }
"""


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def explore(source: str | Path, *arguments: str) -> tuple[int, Any]:
    """The exit status and the report."""
    if isinstance(source, str):
        text = PREAMBLE + source + ("" if "int main" in source else TWO_THREADS)
        source = Path("program.c")
        source.write_text(text, encoding="utf-8")
    status = main(["explore", str(source), "--json", "report.json", "--time-limit", "30", *arguments])
    return status, json.loads(Path("report.json").read_text(encoding="utf-8"))


def test_a_race_is_found_and_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    status, report = explore(EXAMPLES / "bank_race.c")
    assert (status, report["verdict"], report["scope"]) == (Exit.RACE, "race", None)
    [race] = [pair for pair in report["pairs"] if pair["verdict"] == "race"]
    assert {access["line"] for access in race["accesses"]} == {22, 37}
    assert race["engine"] == "explore"
    assert race["schedule"]["steps"]
    assert "replay: raceproof replay report.json" in capsys.readouterr().out
    traces = []
    for _ in range(2):
        assert main(["replay", "report.json", "--race", str(race["id"])]) == Exit.RACE
        traces.append(capsys.readouterr().out)
    assert traces[0] == traces[1]
    assert "data race on account.balance" in traces[0]
    assert "bank_race.c:22" in traces[0]


def test_a_program_is_proved_without_help() -> None:
    status, report = explore(LOCKED, "--pairs", "all")
    assert (status, report["verdict"], report["scope"]) == (Exit.RACE_FREE, "race-free", "this-input")
    assert report["stats"]["complete"] is True
    assert report["stats"]["executions"] >= 1
    assert {pair["engine"] for pair in report["pairs"]} == {"explore"}


def test_what_the_static_engine_proves_stays_proved_for_all_inputs() -> None:
    status, report = explore(EXAMPLES / "bank_locked.c")
    assert (status, report["scope"]) == (Exit.RACE_FREE, "all-inputs")
    assert report["stats"]["executions"] >= 1


def test_what_the_static_engine_leaves_open_is_proved() -> None:
    status, report = explore(HANDED_OVER)
    assert (status, report["scope"]) == (Exit.RACE_FREE, "this-input")
    assert {pair["engine"] for pair in report["pairs"]} == {"lockset", "explore"}


@pytest.mark.parametrize(("arguments", "verdict"), [((), "race-free"), (("yes",), "race")])
def test_arguments_reach_the_program(arguments: tuple[str, ...], verdict: str) -> None:
    source = BY_ARGUMENT + TWO_THREADS.replace("pthread_t a, b;", "pthread_t a, b; on = argc > 1;")
    assert explore(source, "--", *arguments)[1]["verdict"] == verdict


def test_a_deadlock_is_reported_beside_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    status, report = explore(DEADLOCK, "--algorithm", "optimal")
    assert (status, report["verdict"]) == (Exit.RACE_FREE, "race-free")
    [other] = report["other"]
    assert other["kind"] == "deadlock"
    assert other["schedule"]["steps"]
    assert "\ndeadlock: an execution e" in capsys.readouterr().out


def test_a_limit_proves_nothing() -> None:
    status, report = explore(HANDED_OVER, "--max-executions", "1", "--algorithm", "dfs")
    assert (status, report["stats"]["complete"]) == (Exit.UNKNOWN, False)
    assert "limit of 1 execution" in report["reason"]


@pytest.mark.parametrize("isolation", ["memory", "fork"])
def test_both_isolations_agree(isolation: str) -> None:
    assert explore(EXAMPLES / "bank_race.c", "--isolation", isolation)[1]["verdict"] == "race"
    status, report = explore(HANDED_OVER, "--isolation", isolation)
    assert (status, report["replay"]["isolation"]) == (Exit.RACE_FREE, isolation)


def test_check_explores_what_is_open() -> None:
    command = ["check", str(EXAMPLES / "bank_race.c"), "--json", "report.json", "--time-limit", "30"]
    assert main(command) == Exit.RACE
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert [engine["name"] for engine in report["engines"]] == ["lockset", "shapes", "petri", "transactions", "explore"]
    assert main(["replay", "report.json"]) == Exit.RACE
