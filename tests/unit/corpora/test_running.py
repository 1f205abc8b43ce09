"""Many checks at a time, by a check that says what it is told to."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from unit.corpora.handmade_runs import SETTINGS, corpus, fake_check

from raceproof.corpora import checking, running
from raceproof.corpora.checking import command_for
from raceproof.corpora.results import EngineShare, TaskResult
from raceproof.corpora.running import interruptions, run_tasks
from raceproof.corpora.scoring import Outcome
from raceproof.corpora.tasks import Task, read_corpus
from raceproof.model import Verdict


@pytest.fixture(autouse=True)
def _fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "CHECK", fake_check(tmp_path))
    monkeypatch.setattr(running, "_LAST_WORDS", 0.2)


def results(
    tmp_path: Path, *programs: tuple[str, str, str], jobs: int = 2, limit: float = 60.0
) -> dict[str, TaskResult]:
    tasks = read_corpus(corpus(tmp_path / "demo", *programs)).tasks
    settings = replace(SETTINGS, jobs=jobs, time_limit=limit)
    found = list(run_tasks(tasks, settings, tmp_path / "wrong", lambda: False, grace=0.2))
    assert len(found) == len(programs)
    return {result.name: result for result in found}


def test_verdicts_and_shares(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        ("proved.c", "race-free", "race-free 0"),
        ("racy.c", "race", "race 1"),
        ("open.c", "race", "unknown 3"),
    )
    assert [found[f"{name}.c"].outcome for name in ("proved", "racy", "open")] == [
        Outcome.CORRECT_TRUE, Outcome.CORRECT_FALSE, Outcome.UNKNOWN,
    ]  # fmt: skip
    assert found["racy.c"].shares == (EngineShare("lockset", 1, 0), EngineShare("explore", 0, 1))
    assert found["racy.c"].decided_by == ("explore",)
    assert found["proved.c"].decided_by == ("lockset", "explore")
    assert found["open.c"].detail == "not decided"
    assert 0 < found["racy.c"].cpu < 10
    assert 0 < found["racy.c"].wall < 10
    assert not (tmp_path / "wrong").exists()


@pytest.mark.parametrize(
    ("told", "detail"),
    [
        ("crash", "ended by SIGKILL: the last words"),
        ("silent 0", "it wrote no report"),
        ("silent 2", "ended with status 2"),
        ("race-free 1", "ended with status 1, but its report says race-free"),
        ("race-free 3", "ended with status 3, but its report says race-free"),
        ("race-free 4", "ended with status 4"),
    ],
)
def test_what_is_no_verdict_is_an_error(tmp_path: Path, told: str, detail: str) -> None:
    [found] = results(tmp_path, ("a.c", "race", told)).values()
    assert (found.outcome, found.detail) == (Outcome.ERROR, detail)


def test_reports_of_wrong_verdicts_are_kept(tmp_path: Path) -> None:
    found = results(tmp_path, ("x y.c", "race", "race-free 0"), ("b.c", "race-free", "race 1"))
    assert found["x y.c"].outcome is Outcome.WRONG_TRUE
    assert found["b.c"].outcome is Outcome.WRONG_FALSE
    assert found["x y.c"].report == "wrong/1-x_y.c.json"
    assert (tmp_path / "wrong" / "1-x_y.c.json").is_file()


def test_who_is_late_is_ended_while_others_go_on(tmp_path: Path) -> None:
    start = time.monotonic()
    found = results(
        tmp_path, ("late.c", "race", "sleep"), ("a.c", "race", "race 1"), ("b.c", "race", "race 1"), limit=0.5
    )
    assert time.monotonic() - start < 20
    assert found["late.c"].outcome is Outcome.ERROR
    assert found["late.c"].detail.startswith("killed after")
    assert found["b.c"].outcome is Outcome.CORRECT_FALSE


def test_a_stop_ends_what_is_running_and_starts_nothing(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "demo", ("a.c", "race", "race 1"), ("b.c", "race", "sleep"), ("c.c", "race", "race 1"))
    tasks = read_corpus(folder).tasks
    found = []

    def is_stopped() -> bool:
        return (folder / "b.c.started").exists()

    for result in run_tasks(tasks, replace(SETTINGS, jobs=1), tmp_path / "wrong", is_stopped):
        found.append(result.name)
    assert found == ["a.c"]
    assert _children() == []


def test_leaving_early_leaves_nobody_behind(tmp_path: Path) -> None:
    tasks = read_corpus(corpus(tmp_path / "demo", ("a.c", "race", "race 1"), ("b.c", "race", "sleep"))).tasks
    going_on = run_tasks(tasks, replace(SETTINGS, jobs=2), tmp_path / "wrong", lambda: False)
    assert next(going_on).name == "a.c"
    assert len(_children()) == 1
    going_on.close()
    assert _children() == []


def _children() -> list[int]:
    """Processes that this one has started and not yet seen the end of."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not listed.exists():
        pytest.skip("this system does not tell")
    return [pid for pid in map(int, listed.read_text().split()) if "fake_check" in _command(pid)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_become_a_question(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with interruptions() as is_stopped:
        assert not is_stopped()
        os.kill(os.getpid(), number)
        assert is_stopped()
    assert signal.getsignal(number) is before


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "CHECK", ("raceproof", "check"))
    settings = replace(SETTINGS, cflags=("-DX",), data_model="ILP32", headers="bundled", time_limit=2.5)
    common = [
        "raceproof", "check", "--no-config", "--json", "r.json", "--pairs-detail", "--time-limit", "2.5",
        "--engines", "lockset,explore", "--headers", "bundled", "--cflag=-DX",
    ]  # fmt: skip
    program = Task("a.c", "demo", Path("/demo/a.c"), Verdict.RACE)
    definition = Task("a.yml", "demo", Path("/demo/a.yml"), Verdict.RACE)
    assert command_for(program, settings, Path("r.json")) == [*common, "--data-model", "ILP32", "/demo/a.c"]
    assert command_for(definition, settings, Path("r.json")) == [*common, "--task", "/demo/a.yml"]
