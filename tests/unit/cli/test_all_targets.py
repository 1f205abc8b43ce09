"""`--all-targets`: which programs there are, what each check is told, and what all of them come to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from unit.cli.commands import run_command

from raceproof.cli import Exit, all_targets, check
from raceproof.cli.all_targets import file_for, worst
from raceproof.core import InputError

RACY = "static int x; int main(void) { return x; }"


def database(directory: Path, *names: str) -> None:
    entries = []
    for name in names:
        (directory / f"{name}.c").write_text(RACY if name != "library" else "int f(void) { return 1; }")
        output = f"CMakeFiles/{name}.dir/{name}.c.o"
        entries.append(
            {"directory": str(directory), "file": f"{name}.c", "command": f"cc -c {name}.c", "output": output}
        )
    (directory / "compile_commands.json").write_text(json.dumps(entries))


def test_every_program_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database(tmp_path, "server", "client", "library")
    monkeypatch.chdir(tmp_path)
    calls: list[list[str]] = []
    answers = iter([Exit.RACE_FREE, Exit.UNKNOWN])
    monkeypatch.setattr(all_targets, "_checked", lambda words: calls.append(words) or next(answers))
    words = ("-p", ".", "--all-targets", "--json", "out.json", "--sarif=r.sarif", "--time-limit", "9")
    assert run_command(check.add_parser, "check", *words) is Exit.UNKNOWN
    shared = ["-p", ".", "--json"]
    assert calls == [
        [*shared, f"out-{name}.json", f"--sarif=r-{name}.sarif", "--time-limit", "9", f"--target={name}"]
        for name in ("server", "client")
    ]
    assert capsys.readouterr().out.endswith("server: race-free\nclient: unknown\n")


def test_without_a_database_or_with_one_program_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database(tmp_path, "server", "client")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="only one of: --target, --all-targets"):
        run_command(check.add_parser, "check", "-p", ".", "--target", "server", "--all-targets")
    with pytest.raises(InputError, match="needs a compile_commands"):
        run_command(check.add_parser, "check", "server.c", "--all-targets")
    with pytest.raises(InputError, match="check --all-targets"):
        run_command(check.add_parser, "check", "-p", ".")


def test_the_worst_counts() -> None:
    assert worst([Exit.RACE_FREE, Exit.UNKNOWN, Exit.RACE]) is Exit.RACE
    assert worst([Exit.RACE_FREE, Exit.BAD_INPUT, Exit.UNKNOWN]) is Exit.BAD_INPUT
    assert worst([Exit.RACE_FREE, Exit.RACE_FREE]) is Exit.RACE_FREE


def test_files_are_told_apart() -> None:
    assert file_for("out/a.json", "/src/tool.c", ["/src/tool.c", "/src/other.c"]) == "out/a-tool.c.json"
    assert file_for("a.json", "/two/tool.c", ["/one/tool.c", "/two/tool.c"]) == "a-tool.c-2.json"
    assert file_for("-", "tool", ["tool"]) == "-"
