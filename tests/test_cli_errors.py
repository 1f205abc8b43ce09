"""Bad input through the command line: exit status 2, one message that says what and where, no traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from raceproof.cli import Exit, main

GOOD = "int main(void) { return 0; }\n"


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Check that the command fails as bad input must; return its message."""
    status = main(list(arguments))
    output = capsys.readouterr()
    assert status == Exit.BAD_INPUT, output.err
    assert output.out == ""
    assert output.err.count("raceproof: error: ") == 1
    assert output.err.startswith("raceproof: error: ")
    assert "Traceback" not in output.err
    return output.err


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode()
    Path(name).write_bytes(data)
    return name


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.c" in fails(capsys, "check", "nowhere.c")


def test_one_of_several_files_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.c" in fails(capsys, "check", write("a.c", GOOD), "nowhere.c")


def test_directory(capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder.c").mkdir()
    message = fails(capsys, "check", "folder.c")
    assert "folder.c" in message
    assert "directory" in message


def test_unreadable_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path(write("secret.c", GOOD)).chmod(0)
    if os.access("secret.c", os.R_OK):
        pytest.skip("this user may read everything")
    assert "secret.c" in fails(capsys, "check", "secret.c")


@pytest.mark.parametrize("content", ["", "\n  \n", "/* nothing */\n"])
def test_empty_file(capsys: pytest.CaptureFixture[str], content: str) -> None:
    assert "empty.c" in fails(capsys, "check", write("empty.c", content))


def test_binary(capsys: pytest.CaptureFixture[str]) -> None:
    assert "tool.c" in fails(capsys, "check", write("tool.c", b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 8))


def test_a_file_of_another_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert "notes.txt" in fails(capsys, "check", write("notes.txt", "Dear diary\n"))


def test_syntax_error_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    message = fails(capsys, "check", write("bad.c", "int main(void)\n{\n    return 0\n}\n"))
    assert "bad.c:3:" in message
    assert "expected ';'" in message


def test_no_main(capsys: pytest.CaptureFixture[str]) -> None:
    library = write("library.c", "int twice(int x) { return 2 * x; }\n")
    for words in (["dump", "ir"], ["check", "--entry", "run"]):
        message = fails(capsys, *words, library)
        assert "no function" in message
        assert "raceproof harness" in message


def test_two_mains(capsys: pytest.CaptureFixture[str]) -> None:
    message = fails(capsys, "check", write("a.c", GOOD), write("b.c", GOOD))
    assert "main" in message


def test_missing_header(capsys: pytest.CaptureFixture[str]) -> None:
    message = fails(capsys, "check", write("a.c", '#include "not_there.h"\n' + GOOD))
    assert "not_there.h" in message
    assert "a.c:1" in message


def test_inline_assembly_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    source = 'int main(void)\n{\n    int x = 1;\n    __asm__ volatile("call main" : "+m"(x));\n    return x;\n}\n'
    assert main(["check", write("a.c", source)]) == Exit.RACE_FREE  # under an assumption, which has its place
    message = capsys.readouterr().out
    assert "a.c:4" in message
    assert "assembl" in message


@pytest.mark.parametrize("target", ["no/such/dir/out.json", "."])
def test_unwritable_json(capsys: pytest.CaptureFixture[str], target: str) -> None:
    """Before the analysis starts: the input does not even exist."""
    message = fails(capsys, "check", "nowhere.c", "--json", target)
    assert "cannot write" in message
    assert "nowhere.c" not in message


def test_bad_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--no-such-option" in fails(capsys, "check", write("a.c", GOOD), "--no-such-option")


def test_bad_flag_for_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    assert "-fno-such-flag" in fails(capsys, "check", write("a.c", GOOD), "--cflag=-fno-such-flag")


def test_missing_clang(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no/such/clang" in fails(capsys, "check", write("a.c", GOOD), "--clang", "no/such/clang")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "compile_commands.json"),
        ("{", "compile_commands.json"),
        ("{}", "compile_commands.json"),
        ("[]", "compile_commands.json"),
        ('[{"directory": ".", "file": "gone.c", "command": "cc -c gone.c"}]', "gone.c"),
    ],
)
def test_bad_compile_commands(capsys: pytest.CaptureFixture[str], content: str, words: str) -> None:
    assert words in fails(capsys, "check", "-p", write("compile_commands.json", content))


def test_missing_compile_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.json" in fails(capsys, "check", "-p", "nowhere.json")


def test_several_programs_in_compile_commands(capsys: pytest.CaptureFixture[str]) -> None:
    entries = [
        {"directory": str(Path.cwd()), "file": name, "command": f"cc -c {name}"}
        for name in (write("one.c", GOOD), write("two.c", GOOD))
    ]
    message = fails(capsys, "check", "-p", write("compile_commands.json", json.dumps(entries)))
    assert "target" in message
    assert "one.c" in message
    assert "two.c" in message


def task(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Like `fails`, but a task says `unknown` on the last line in any case."""
    status = main(["check", "--task", *arguments])
    output = capsys.readouterr()
    assert status == Exit.BAD_INPUT, output.err
    assert output.out == "unknown\n"
    assert output.err.startswith("raceproof: error: ")
    assert "Traceback" not in output.err
    return output.err


@pytest.mark.parametrize("content", ["", "{", "format_version: '2.0'\n", "- 1\n", "input_files: 'gone.c'\n"])
def test_bad_task(capsys: pytest.CaptureFixture[str], content: str) -> None:
    message = task(capsys, write("task.yml", content))
    assert "task.yml" in message or "gone.c" in message


def test_missing_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.yml" in task(capsys, "nowhere.yml")


@pytest.mark.parametrize("content", ["", "int main(void) { return 0 }\n"])
def test_explore_fails_the_same_way(capsys: pytest.CaptureFixture[str], content: str) -> None:
    assert "nowhere.c" in fails(capsys, "explore", "nowhere.c")
    assert "bad.c" in fails(capsys, "explore", write("bad.c", content), "--json", "out.json")
    assert not Path("out.json").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "not a report"),
        ("{}", "not a report"),
        ('{"verdict": "race"}', "'pairs'"),
        ('{"verdict": "race-free", "pairs": [], "other": []}', "nothing to replay"),
        (
            '{"verdict": "race", "pairs": [{"id": 1, "schedule": {"steps": []}}], "replay": null}',
            "nothing was executed",
        ),
        ('{"verdict": "race", "pairs": [{"id": 1, "schedule": {"steps": []}}], "replay": {}}', "'files'"),
        ('{"verdict": "race", "pairs": 5}', "can be replayed"),
    ],
)
def test_replay_of_what_is_no_report(capsys: pytest.CaptureFixture[str], content: str | None, words: str) -> None:
    name = write("report.json", content) if content is not None else "nowhere.json"
    message = fails(capsys, "replay", name)
    assert name in message
    assert words in message


@pytest.mark.parametrize("stage", ["ir", "facts"])
def test_dump_fails_the_same_way(capsys: pytest.CaptureFixture[str], stage: str) -> None:
    assert "nowhere.c" in fails(capsys, "dump", stage, "nowhere.c")
