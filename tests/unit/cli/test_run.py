"""`raceproof run`: what it says, its exit status, and that its report can be replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceproof.builds import run_compiler
from raceproof.cli.command_line import main

RACE = """
#include <pthread.h>
struct counter { int lock, value; };
static struct counter *c;
static void *up(void *u) { c->value++; return u; }
int main(int argc, char **argv) {
    static struct counter only;
    (void)argv;
    c = &only;
    if (argc < 2) return 0;
    pthread_t t, v;
    pthread_create(&t, 0, up, 0);
    pthread_create(&v, 0, up, 0);
    pthread_join(t, 0);
    pthread_join(v, 0);
}
"""


@pytest.fixture
def racy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "racy.c"
    path.write_text(RACE, encoding="utf-8")
    return path


def test_a_race_is_told_and_replayed(racy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(racy), "--runs", "5", "--json", "r.json", "--", "go"]) == 1
    assert "race: only.value" in capsys.readouterr().out
    report = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert (report["verdict"], report["scope"], report["engines"][0]["name"]) == ("race", None, "run")
    assert main(["replay", "r.json", "--last", "4"]) == 1
    out = capsys.readouterr().out
    assert "data race on only.value" in out
    assert "pthread_create" not in out.partition("data race")[0]
    assert main(["check-evidence", "r.json"]) == 2


UNTYPED = """
#include <pthread.h>
#include <stdlib.h>
struct counter { int lock, value; };
static void *shared;
static void *(*start)(void *);
static void *up(void *u) { struct counter *c = shared; c->value++; return u; }
static void set(void *(*f)(void *)) { start = f; shared = calloc(1, 64); }
int main(void) {
    set(up);
    pthread_t t, v;
    pthread_create(&t, 0, start, 0);
    pthread_create(&v, 0, start, 0);
    pthread_join(t, 0);
    pthread_join(v, 0);
}
"""


def test_places_and_threads_have_names_that_only_the_run_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("untyped.c").write_text(UNTYPED, encoding="utf-8")
    assert main(["run", "untyped.c", "--runs", "5"]) == 1
    out = capsys.readouterr().out
    assert "race: c->value (allocated at " in out
    assert "thread 1 `up`" in out
    assert "thread 2 `up`" in out
    assert "?" not in out


def test_no_race_is_unknown(racy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(racy), "--runs", "7"]) == 3
    out = capsys.readouterr().out
    assert "no race in 7 runs" in out
    assert "ended before it created a thread" in out


def test_the_arguments_of_an_executable_are_its_own(racy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_compiler(["-g", "-pthread", "-o", "racy", str(racy)]) == 0
    assert main(["run", "--runs", "3", "./racy", "--runs"]) == 1
    assert "race: only.value" in capsys.readouterr().out


def test_a_seed_is_a_number(racy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(racy), "--seed", "-1"]) == 2
    assert "--seed" in capsys.readouterr().err
