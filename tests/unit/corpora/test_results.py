"""What is kept of a run, and when a run may go on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from unit.corpora.handmade_runs import SETTINGS, result

from raceproof.core import InputError
from raceproof.corpora.results import EngineShare, open_store, read_run
from raceproof.corpora.settings import code_digest
from raceproof.model import Verdict

FIRST = result("a\udcff\n.c", Verdict.RACE, Verdict.RACE, shares=(EngineShare("explore", 1, 2),))
SECOND = replace(result("b.c", verdict=None, detail="ended"), report="wrong/1.json", scope="all-inputs")


def test_results_come_back(tmp_path: Path) -> None:
    with open_store(tmp_path / "run", SETTINGS) as store:
        store.add(FIRST)
        assert read_run(tmp_path / "run").results == (FIRST,)  # at once, not at the end
        store.add(SECOND)
        assert not store.run.is_complete
    run = read_run(tmp_path / "run")
    assert (run.settings, run.results) == (SETTINGS, (FIRST, SECOND))
    with open_store(tmp_path / "run", SETTINGS) as store:
        store.add(result("c.c"))
        assert store.run.is_complete
    lines = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in lines] == ["correct false", "error", "correct true"]


def test_a_line_that_was_not_finished_does_not_count(tmp_path: Path) -> None:
    with open_store(tmp_path, SETTINGS) as store:
        store.add(FIRST)
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('{"name": "b.c", "cat')
    with open_store(tmp_path, SETTINGS) as store:
        assert store.run.results == (FIRST,)
        store.add(SECOND)
    assert read_run(tmp_path).results == (FIRST, SECOND)


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"time_limit": 5.0}, r"--time-limit \(60.0, now 5.0\)"),
        ({"engines": ("lockset",)}, r"--engines \(lockset explore, now lockset\)"),
        ({"digest": "other"}, "the programs or their expected verdicts"),
        ({"code": "other"}, "the code of raceproof"),
        ({"cflags": ("-DX",)}, r"--cflag \(none, now -DX\)"),
        ({"headers": "bundled", "data_model": "ILP32"}, r"--data-model \(None, now ILP32\), --headers"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, changed: dict[str, object], word: str) -> None:
    with open_store(tmp_path, SETTINGS) as store:
        store.add(FIRST)
    with pytest.raises(InputError, match=word):
        open_store(tmp_path, replace(SETTINGS, **changed))  # type: ignore[arg-type]
    assert read_run(tmp_path).results == (FIRST,)


def test_a_run_may_go_on_from_elsewhere_with_more_processes(tmp_path: Path) -> None:
    open_store(tmp_path, SETTINGS).__exit__()
    with open_store(tmp_path, replace(SETTINGS, jobs=8, path="/elsewhere")) as store:
        assert store.run.results == ()


def test_nobody_elses_files_are_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not a run of raceproof"):
        open_store(tmp_path, SETTINGS)
    with pytest.raises(InputError, match="not the directory of a run"):
        read_run(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        open_store(tmp_path / "file" / "run", SETTINGS)


def test_two_runs_at_once_in_one_directory(tmp_path: Path) -> None:
    with open_store(tmp_path, SETTINGS), pytest.raises(InputError, match="another run is going on"):
        open_store(tmp_path, SETTINGS)
    open_store(tmp_path, SETTINGS).__exit__()


@pytest.mark.parametrize("line", ["[]", "{}", "x", '{"name": "a.c"}'])
def test_files_that_are_damaged(tmp_path: Path, line: str) -> None:
    with open_store(tmp_path, SETTINGS) as store:
        store.add(FIRST)
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match=r"results\.jsonl:2: not a result"):
        read_run(tmp_path)
    (tmp_path / "run.json").write_text(line)
    with pytest.raises(InputError, match="not the settings"):
        read_run(tmp_path)


def test_a_program_twice(tmp_path: Path) -> None:
    with open_store(tmp_path, SETTINGS) as store:
        store.add(SECOND)
        store.add(SECOND)
    with pytest.raises(InputError, match=r":2: b\.c is there twice"):
        read_run(tmp_path)


def test_the_truth_of_a_result_is_known(tmp_path: Path) -> None:
    with open_store(tmp_path, SETTINGS) as store:
        store.add(SECOND)
    path = tmp_path / "results.jsonl"
    path.write_text(path.read_text().replace('"expected": "race-free"', '"expected": "unknown"'))
    with pytest.raises(InputError, match="not a result"):
        read_run(tmp_path)


def test_the_digest_of_the_code_is_the_same_twice() -> None:
    assert code_digest() == code_digest()
