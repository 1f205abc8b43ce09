"""Hostile inputs through the command line: names, texts and files that nobody writes by accident. Never a crash."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from raceproof.cli import Exit, main

RACY = """#include <pthread.h>
int shared;
static void *worker(void *p) { shared = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); shared = 2; pthread_join(t, 0); return 0; }
"""
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(list(arguments))
    output = capsys.readouterr()
    text = output.out + output.err
    assert status in (Exit.RACE_FREE, Exit.RACE, Exit.BAD_INPUT, Exit.UNKNOWN), text
    assert "Traceback" not in text
    return status, text


OUTPUTS = ("--json", "o.json", "--html", "o.html", "--sarif", "o.sarif", "--witness", "o.yml", "--trace", "o.trace")


@pytest.mark.parametrize(
    "name", ["a b.c", f"{MARKUP}.c", "-o.c", "@x.c", "é名.c", os.fsdecode(b"\xff\xfe.c"), "$(touch y);`z`&%s#.c", "'.c"]
)
def test_names_of_files(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, _ = run(capsys, "check", write(f"./{name}", RACY), *OUTPUTS)
    assert status == Exit.RACE
    assert MARKUP not in Path("o.html").read_text(errors="surrogateescape")
    for file in ("o.json", "o.sarif", "o.trace"):
        json.loads(Path(file).read_bytes())
    assert not Path("y").exists()


@pytest.mark.parametrize("name", ["a\nb.c", '"x.c', "a:b.c", "a\\b.c"])
def test_names_that_the_compiler_cannot_bear(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, message = run(capsys, "check", write(name, RACY))
    assert status == Exit.RACE or (status == Exit.BAD_INPUT and "rename" in message)


@pytest.mark.parametrize(
    "text",
    [
        f'#line 1 "{MARKUP}.c"\n' + RACY,
        RACY.replace("shared", "été_名"),
        RACY.replace("int shared;", f'int shared __asm__("{MARKUP}\\"\\\\");'),
        RACY + "// \xe9\n",
        "\ufeff" + RACY.replace("\n", "\r\n"),
        RACY.replace("shared", "s" * 5000),
        RACY.replace("shared = 1;", "shared = 1;" + " " * 100_000 + "/*" + "y" * 100_000 + "*/"),
        RACY + "void deep(void) { " + "{" * 1000 + "}" * 1000 + " }\n",
        RACY + "struct a { struct b *b; struct a *(*f)(struct a *); }; struct b { struct a a[2]; } bb;\n",
    ],
    ids=["line", "letters", "symbol", "latin", "mark", "long name", "long line", "deep", "recursive"],
)
def test_texts_are_judged_and_shown_as_text(capsys: pytest.CaptureFixture[str], text: str) -> None:
    content = text.encode("latin-1") if "// \xe9" in text else text.encode()
    status, _ = run(capsys, "check", write("a.c", content), *OUTPUTS)
    assert status == Exit.RACE
    page = Path("o.html").read_text()
    assert MARKUP not in page
    assert len(re.findall("<script", page)) == len(re.findall("</script", page)) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('#include "a.c"\n' + RACY, "nested too deeply"),
        (RACY + "int f(int x) { return " + "(" * 5000 + "x" + ")" * 5000 + "; }\n", "nesting"),
        ("int main;\n", "no function `main`"),
        (RACY.replace("int shared;", 'int shared __asm__("\\xff");'), "not UTF-8"),
    ],
)
def test_texts_that_are_refused(capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    status, message = run(capsys, "check", write("a.c", text))
    assert status == Exit.BAD_INPUT
    assert words in message


def test_a_symbol_that_the_linker_refuses_costs_the_run_only(capsys: pytest.CaptureFixture[str]) -> None:
    text = RACY.replace("int shared;", 'int shared __asm__("a@b");')
    status, message = run(capsys, "check", write("a.c", text), "--engines", "lockset,explore")
    assert status == Exit.UNKNOWN
    assert "linker" in message


def test_an_array_that_no_machine_has(capsys: pytest.CaptureFixture[str]) -> None:
    text = RACY.replace("int shared;", "int shared; char big[1UL << 60];").replace("= 1;", "= 1; big[1UL << 59]++;")
    status, _ = run(capsys, "check", write("a.c", text), "--time-limit", "20")
    assert status in (Exit.RACE, Exit.UNKNOWN)


def test_a_line_from_a_device_that_never_ends(capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = run(capsys, "check", write("a.c", '#line 1 "/dev/zero"\n' + RACY), "--html", "o.html")
    assert status == Exit.RACE


def test_a_pipe_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("a.c")
    assert run(capsys, "check", "a.c") == (Exit.BAD_INPUT, "raceproof: error: a.c: not a regular file\n")


def test_links_that_go_in_a_circle(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.c").symlink_to("a.c")
    status, message = run(capsys, "check", "a.c")
    assert status == Exit.BAD_INPUT
    assert "symbolic links" in message


def test_an_entry_that_is_not_there_although_the_program_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.c", RACY)
    run(capsys, "check", "a.c", "--engines", "lockset")
    for entry in ("nothing", "worker(", '"'):
        status, message = run(capsys, "check", "a.c", "--entry", entry)
        assert status == Exit.BAD_INPUT
        assert "no function" in message


def test_two_results_in_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    status, message = run(capsys, "check", write("a.c", RACY), "--json", "out", "--html", "./out")
    assert status == Exit.BAD_INPUT
    assert "same place" in message


def test_a_message_without_end_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    write("expected.tsv", "a" * 200_000 + "\trace\n")
    status, message = run(capsys, "bench", ".")
    assert status == Exit.BAD_INPUT
    assert len(message) < 20_000


@pytest.mark.parametrize("command", ["replay", "check-evidence"])
@pytest.mark.parametrize("content", [b"[" * 100_000, b"\x7fELF\xff", b"{}", b'{"verdict": 1e999}', b""])
def test_reports_that_are_none(capsys: pytest.CaptureFixture[str], command: str, content: bytes) -> None:
    write("r.json", content)
    assert run(capsys, command, "r.json")[0] == Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("files", 0, "flags"), ["\0"]),
        (("files", 0, "flags"), [1]),
        (("files", 0, "file"), "\ud800.c"),
        (("files", 0, "directory"), "/nowhere"),
        (("files",), []),
        (("arguments",), ["\0"]),
        (("entry",), "\n"),
        (("compiler",), "/nowhere/clang"),
        (("max_steps",), float("inf")),
        (("pairs",), [[1, 10**30]]),
    ],
)
def test_forged_reports(capsys: pytest.CaptureFixture[str], path: tuple[str | int, ...], value: object) -> None:
    run(capsys, "check", write("a.c", RACY), "--json", "r.json")
    report = json.loads(Path("r.json").read_bytes())
    place = report["replay"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    Path("r.json").write_text(json.dumps(report))
    for command in ("replay", "check-evidence"):
        status, _ = run(capsys, command, "r.json")
        assert status in (Exit.BAD_INPUT, Exit.RACE, Exit.UNKNOWN, Exit.RACE_FREE)
