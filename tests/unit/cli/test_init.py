"""`raceproof init`: what it finds, and that the file it writes can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceproof import config
from raceproof.cli import Exit, main

MAIN = "int main(void) { return 0; }\n"


def written(directory: Path, files: dict[str, str]) -> config.Config:
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    assert main(["init", str(directory)]) == Exit.RACE_FREE
    found = config.load_config(directory)
    assert found is not None
    return found


def test_the_files_of_one_program(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        {"src/a.c": MAIN, "src/b.c": "int b;\n", "tests/t.c": MAIN, "include/b.h": "", "lone.c": "int c;\n"},
    )
    assert found.sources == ("src/*.c", "lone.c")
    assert [flag.endswith("include") for flag in found.flags] == [True]
    assert {file.name for file in config.source_files(found)} == {"a.c", "b.c", "lone.c"}


def test_one_of_several_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = written(tmp_path, {"one.c": MAIN, "two.c": MAIN, "both.c": "int x;\n", "Makefile": "all:\n"})
    assert found.sources == ("one.c", "both.c")
    shown = capsys.readouterr().out
    assert "There are other programs" in shown
    assert "two.c" in shown
    assert 'make CC="raceproof cc"' in shown


def test_a_compilation_database(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    entries = [{"directory": str(tmp_path), "file": f"{name}.c", "command": f"cc {name}.c"} for name in ("a", "b")]
    database = {"a.c": MAIN, "b.c": MAIN, "build/compile_commands.json": json.dumps(entries)}
    found = written(tmp_path, database)
    assert found.compile_commands is not None
    assert found.compile_commands.resolve() == (tmp_path / "build" / "compile_commands.json").resolve()
    assert found.target == "a"


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path)]) == Exit.BAD_INPUT
    assert "no C files" in capsys.readouterr().err
    (tmp_path / "raceproof.toml").write_text("time_limit = 3\n")
    assert main(["init", str(tmp_path)]) == Exit.BAD_INPUT
    assert (tmp_path / "raceproof.toml").read_text() == "time_limit = 3\n"
