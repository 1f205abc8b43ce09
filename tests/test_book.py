"""The commands of the book print what the book says, and the code that it quotes is that of its programs.

Each chapter runs in a copy of `examples/book`, its commands one after the other. A line `...` stands for any lines.
`pytest tests/test_book.py --accept` writes what was printed where it differs; then leave out again what says nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "docs" / "book"
PROGRAMS = ROOT / "examples" / "book"
CHAPTERS = sorted(path.name for path in BOOK.glob("*.md"))
QUICK = "proof.md"  # in every run of the tests; the others take seconds
BLOCK = re.compile(r"^```(?P<kind>console|c)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
VARYING = re.compile(r"\d+\.\d\d s\b|[\d,]+ executions?\b")
ANY = "..."


def blocks(chapter: str, kind: str) -> list[str]:
    return [m["text"] for m in BLOCK.finditer((BOOK / chapter).read_text(encoding="utf-8")) if m["kind"] == kind]


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Each with the lines that it prints."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def matches(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Line by line, but for numbers that differ from run to run; `...` stands for any lines, or none."""
    if not shown:
        return not printed
    if shown[0].strip() == ANY:
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and _same(shown[0], printed[0]) and matches(shown[1:], printed[1:])


def _same(shown: str, printed: str) -> bool:
    return VARYING.sub("#", shown.rstrip()) == VARYING.sub("#", printed.rstrip())


def run(command: str, directory: Path, tools: Path) -> list[str]:
    paths = (str(tools), os.environ["PATH"])
    environment = {**os.environ, "PATH": os.pathsep.join(paths), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment, cwd=directory, check=False
    )
    assert "raceproof: error" not in done.stderr, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A directory with the command `raceproof`."""
    command = tmp_path / "bin" / "raceproof"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m raceproof "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return command.parent


def test_the_book_has_chapters_with_commands() -> None:
    assert len(CHAPTERS) >= 6
    for chapter in CHAPTERS:
        assert blocks(chapter, "console"), chapter
    assert QUICK in CHAPTERS


@pytest.mark.parametrize("chapter", [pytest.param(c, marks=[] if c == QUICK else [pytest.mark.slow]) for c in CHAPTERS])
def test_commands_print_what_the_book_says(chapter: str, tmp_path: Path, tools: Path, accept: bool) -> None:
    directory = tmp_path / "book"
    shutil.copytree(PROGRAMS, directory)
    for block in blocks(chapter, "console"):
        printed = [(command, shown, run(command, directory, tools)) for command, shown in commands(block)]
        if accept and not all(matches(shown, lines) for _, shown, lines in printed):
            text = "".join(
                "\n".join([f"$ {command}", *(shown if matches(shown, lines) else lines)]) + "\n"
                for command, shown, lines in printed
            )
            (BOOK / chapter).write_text((BOOK / chapter).read_text().replace(block, text))
            continue
        for command, shown, lines in printed:
            assert matches(shown, lines), "\n".join([f"$ {command}", *lines])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_code_in_the_book_is_that_of_its_programs(chapter: str) -> None:
    programs = [path.read_text(encoding="utf-8") for path in sorted(PROGRAMS.glob("*.c"))]
    for block in blocks(chapter, "c"):
        assert any(block in program for program in programs), block


def test_what_matches() -> None:
    assert matches(["a", "...", "0.10 s"], ["a", "b", "c", "1.27 s"])
    assert matches(["..."], [])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a", "...", "d"], ["a", "b", "c"])
