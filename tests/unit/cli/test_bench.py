"""`raceproof bench`: mostly with a check that says what it is told to; once with the real one."""

from __future__ import annotations

import json
import os
import shlex
import signal
import threading
import time
from pathlib import Path

import pytest
from unit.corpora.handmade_runs import corpus, fake_check

from raceproof.cli import Exit, main
from raceproof.corpora import checking, read_run, running

GOOD = (("a.c", "race-free", "race-free 0"), ("b.c", "race", "race 1"), ("c.c", "race", "unknown 3"))
PROGRAM = """#include <pthread.h>
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {{
    {before}
    counter++;
    {after}
    return arg;
}}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}}
"""


@pytest.fixture
def _fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "CHECK", fake_check(tmp_path))
    monkeypatch.setattr(running, "_LAST_WORDS", 0.2)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["bench", *arguments]) == Exit.BAD_INPUT
    return capsys.readouterr().err


@pytest.mark.usefixtures("_fake")
def test_lines_table_and_page(capsys: pytest.CaptureFixture[str]) -> None:
    corpus(Path("demo"), *GOOD)
    assert main(["bench", "demo", "--out", "run", "--html", "page.html", "--jobs", "1"]) == 0
    output = capsys.readouterr()
    lines = output.out.splitlines()
    assert lines[0].startswith("1/3  race-free  correct true")
    assert lines[2].endswith("c.c")
    assert "demo             3       1      1        1      0      0    3/4" in output.out
    assert "The page: run/index.html" in output.out
    assert "WRONG" not in output.out
    assert output.err == ""
    assert Path("page.html").read_text() == Path("run/index.html").read_text()
    assert len(read_run(Path("run")).results) == 3


@pytest.mark.usefixtures("_fake")
def test_a_new_directory_for_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    corpus(Path("demo"), *GOOD)
    assert main(["bench", "demo"]) == 0
    [made] = Path("raceproof-bench").iterdir()
    assert made.name.startswith("demo-")
    settings = read_run(made).settings
    assert (settings.time_limit, settings.jobs) == (60.0, max(1, (os.cpu_count() or 1) // 2))


@pytest.mark.usefixtures("_fake")
def test_wrong_verdicts_are_said_last_and_change_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    corpus(Path("demo"), *GOOD, ("bad.c", "race", "race-free 0"), ("failed.c", "race", "crash"))
    assert main(["bench", "demo", "--out", "run"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:-1] == ["WRONG: 1 of 5 verdicts", "  bad.c: PROVED RACE-FREE, BUT IT HAS A RACE (-32 points)"]
    kept = Path("run", lines[-1].split()[-1])
    assert json.loads(kept.read_text())["verdict"] == "race-free"
    assert "  failed.c: ended by SIGKILL: the last words" in lines


@pytest.mark.usefixtures("_fake")
def test_when_nothing_can_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    corpus(Path("demo"), ("a.c", "race", "silent 2"))
    assert "none of the programs could be checked" in fails(capsys, "demo", "--out", "run")


@pytest.mark.usefixtures("_fake")
def test_the_same_command_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """A run that ends at a program that never does, interrupted; then that program gets better."""
    folder = corpus(Path("demo"), *GOOD, ("slow.c", "race", "sleep"))
    started = folder / "slow.c.started"

    def interrupt() -> None:
        while not started.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    command = ["bench", "demo", "--time-limit", "30", "--jobs", "1", "--out", "my run"]
    assert main(command) == Exit.INTERRUPTED
    thread.join()
    output = capsys.readouterr()
    assert "interrupted: 3 of 4 programs are done and kept" in output.err
    advice = shlex.split(output.err.splitlines()[-1].removeprefix("To go on: "))
    assert advice[0] == "raceproof"
    assert "demo             3       1      1        1      0      0    3/4" in output.out  # of what is done
    assert len(read_run(Path("my run")).results) == 3
    assert Path("my run/index.html").exists()

    refused = fails(capsys, "demo", "--time-limit", "5", "--out", "my run")
    assert "--time-limit (30.0, now 5.0)" in refused
    [done] = [result for result in read_run(Path("my run")).results if result.name == "a.c"]

    interrupted = threading.Thread(target=interrupt)
    started.unlink()
    interrupted.start()
    assert main(advice[1:]) == Exit.INTERRUPTED
    interrupted.join()
    assert "3 of 4 programs were done before" in capsys.readouterr().out
    assert done in read_run(Path("my run")).results


@pytest.mark.usefixtures("_fake")
def test_a_finished_run_is_not_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    corpus(Path("demo"), *GOOD)
    assert main(["bench", "demo", "--out", "run"]) == 0
    before = Path("run/results.jsonl").read_text()
    assert main(["bench", "demo", "--out", "run"]) == 0
    assert "3 of 3 programs were done before, in run" in capsys.readouterr().out
    assert Path("run/results.jsonl").read_text() == before
    Path("demo/a.c").write_text("// race-free 0 changed\n")
    assert "the programs or their expected verdicts" in fails(capsys, "demo", "--out", "run")


@pytest.mark.usefixtures("_fake")
def test_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    folder = corpus(Path("demo"), *GOOD)
    assert main(["bench", "demo", "--out", "first"]) == 0
    corpus(folder, *GOOD[:2], ("c.c", "race", "race-free 0"))
    assert main(["bench", "demo", "--out", "second"]) == 1
    capsys.readouterr()
    assert main(["bench", "--compare", "first", "second", "--html", "page.html"]) == 1
    output = capsys.readouterr().out
    assert "WRONG NOW: 1 program\n  c.c: unknown -> wrong true" in output
    assert "score: -32" in output
    assert "comparison" in Path("page.html").read_text()
    assert main(["bench", "--compare", "second", "first"]) == 0
    assert "not wrong any more: 1 program" in capsys.readouterr().out


@pytest.mark.usefixtures("_here")
def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert "give a corpus, or --compare" in fails(capsys)
    Path("demo").mkdir()
    assert "give a corpus, or --compare" in fails(capsys, "demo", "--compare", "a", "b")
    assert "no programs with a known verdict" in fails(capsys, "demo")
    assert "not the directory of a run" in fails(capsys, "--compare", "demo", "demo")
    assert "there is no engine `magic`" in fails(capsys, "demo", "--engines", "magic")
    assert "leave out what stands after --" in fails(capsys, "demo", "--", "x")
    assert "unexpected argument more" in fails(capsys, "demo", "more")
    corpus(Path("demo"), *GOOD)
    assert "cannot write" in fails(capsys, "demo", "--html", "nowhere/page.html")
    assert not Path("raceproof-bench").exists()


@pytest.mark.usefixtures("_here")
def test_real_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """One as an SV-COMP task, one from a table; both are checked as a user would."""
    Path("demo/tasks").mkdir(parents=True)
    Path("demo/listed").mkdir()
    locked = {"before": "pthread_mutex_lock(&lock);", "after": "pthread_mutex_unlock(&lock);"}
    Path("demo/tasks/locked.c").write_text(PROGRAM.format(**locked))
    Path("demo/tasks/locked.yml").write_text(
        "format_version: '2.0'\ninput_files: locked.c\nproperties:\n  - property_file: ../no-data-race.prp\n"
        "    expected_verdict: true\noptions: {language: C, data_model: LP64}\n"
    )
    Path("demo/listed/racy program.c").write_text(PROGRAM.format(before="", after=""))
    Path("demo/listed/expected.tsv").write_text("racy program.c\trace\n")
    assert main(["bench", "demo", "--out", "run", "--jobs", "1"]) == 0, capsys.readouterr()
    found = {result.name: result for result in read_run(Path("run")).results}
    assert {name: result.points for name, result in found.items()} == {
        "tasks/locked.yml": 2,
        "listed/racy program.c": 1,
    }
    assert found["tasks/locked.yml"].decided_by == ("lockset",)
    assert "explore" in found["listed/racy program.c"].decided_by
    assert found["tasks/locked.yml"].cpu > 0.1
    assert "all" in capsys.readouterr().out
