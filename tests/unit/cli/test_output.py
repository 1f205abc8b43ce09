"""Files of results: whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raceproof.cli.output import ResultFile
from raceproof.core import InputError


def test_the_file_is_there_once_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("of an earlier run")
    with ResultFile("--json", str(target), ()) as file:
        assert list(tmp_path.iterdir()) == []  # a process that is killed now leaves nothing
        file.write("new")
        assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_run_that_fails_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("of an earlier run")
    with pytest.raises(KeyboardInterrupt), ResultFile("--json", str(target), ()):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    with ResultFile("--json", str(link), ()) as file:
        file.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_what_is_no_file_is_written_to_directly(capfd: pytest.CaptureFixture[str]) -> None:
    with ResultFile("--json", "/dev/stdout", ()) as file:
        file.write("text")
    assert capfd.readouterr().out == "text"


def test_a_directory_that_takes_no_new_files(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    tmp_path.chmod(0o555)
    try:
        with ResultFile("--json", str(target), ()) as file:
            file.write("new")
        assert target.read_text() == "new"
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("name", ["no/such/out", ".", "a\0b", "x" * 300])
def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot write"), ResultFile("--json", name, ()):
        pass


def test_inputs_are_not_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int x;")
    os.link(source, tmp_path / "b.c")
    with (
        pytest.raises(InputError, match="overwrite the input"),
        ResultFile("--json", str(tmp_path / "b.c"), [str(source)]),
    ):
        pass
    assert source.read_text() == "int x;"
