"""The tables in docs/results.md: each stands between two marks and is replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
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
    """Put `body` between the marks of `name`; adds the file if it is not there, and the section at its place."""
    begin, end = f"<!-- bench:{name} begin -->", f"<!-- bench:{name} end -->"
    text = path.read_text(encoding="utf-8") if path.exists() else INTRO
    block = f"{begin}\n{body.strip()}\n{end}"
    start, stop = text.find(begin), text.find(end)
    if start >= 0 and stop > start:
        text = text[:start] + block + text[stop + len(end) :]
    else:
        title, intro = SECTIONS[name]
        place = _place(name, text)
        text = f"{text[:place].rstrip()}\n\n{title}\n\n{intro}\n\n{block}\n\n{text[place:]}".rstrip() + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
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
            heading = text.rfind("\n#", 0, mark)
            return heading + 1 if heading >= 0 else mark
    return len(text)
