"""The tables in docs/results.md: each stands between two marks and is replaced as a whole."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.sections import INTRO, SECTIONS

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results.md"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table whose first `left` columns are text and the others numbers."""
    align = ["---" if column < left else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, align, *rows))


def machine() -> str:
    """What a reader needs to judge the times."""
    return f"{os.cpu_count()} cores"


def replace_block(name: str, body: str, path: Path = RESULTS) -> None:
    """Put `body` between the marks of `name`, and what is said before it as `SECTIONS` has it.

    Adds the file if it is not there, and the section at its place.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path.parent):
        _replace(name, body, path)


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Scripts that run side by side write one after the other."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _replace(name: str, body: str, path: Path) -> None:
    begin, end = f"<!-- bench:{name} begin -->", f"<!-- bench:{name} end -->"
    text = path.read_text(encoding="utf-8") if path.exists() else INTRO
    title, intro = SECTIONS[name]
    section = f"{title}\n\n{intro}\n\n{begin}\n{body.strip()}\n{end}"
    start, stop = text.find(begin), text.find(end)
    if start >= 0 and stop > start:
        text = text[: _heading(text, start)] + section + text[stop + len(end) :]
    else:
        place = _place(name, text)
        text = f"{text[:place].rstrip()}\n\n{section}\n\n{text[place:]}".rstrip() + "\n"
    path.write_text(text, encoding="utf-8")


def read_block(name: str, path: Path = RESULTS) -> str:
    """What stands between the marks of `name`; nothing if there is no such section."""
    text = path.read_text(encoding="utf-8")
    _, begin, rest = text.partition(f"<!-- bench:{name} begin -->\n")
    return rest.partition(f"<!-- bench:{name} end -->")[0] if begin else ""


def _place(name: str, text: str) -> int:
    """Where a new section goes: before the first one that comes later and is there, otherwise at the end."""
    names = list(SECTIONS)
    for later in names[names.index(name) + 1 :]:
        mark = text.find(f"<!-- bench:{later} begin -->")
        if mark >= 0:
            return _heading(text, mark)
    return len(text)


def _heading(text: str, mark: int) -> int:
    """Where the section of a mark begins."""
    found = text.rfind("\n#", 0, mark)
    return found + 1 if found >= 0 else mark
