"""The tables in docs/results.md: each stands between two marks and is replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results.md"

_INTRO = """# Results

What raceproof was measured to do. Each table stands below the command that makes it; the command
replaces the table.
"""
_SECTIONS = {
    "static": (
        "## Generated programs: time and memory by size",
        """`bench/generate.py` writes programs with threads of a given size: modules with global and heap state
under locks, atomics, read-only and private state, pure functions, services that call them, 4 to 12
start functions, two phases. A program without planted races has none; three races are planted in the
others. *cold* is a run with an empty cache, *warm* the run after it. Times are wall-clock seconds.""",
    ),
    "portfolio": (
        "## The portfolio: what each engine is worth",
        """All programs of `tests/programs`, whose truth stands on their lines, by engines alone and together.
*pairs by*: race pairs that this engine decided.""",
    ),
    "corpus": (
        "## Programs with known verdicts",
        "The SV-COMP tasks *pthread-race-challenges* at hand, each checked alone, as a user would.",
    ),
    "explore": (
        "## The explorer: executions a second, and how many are needed",
        """Programs with a known number of Mazurkiewicz traces, in `bench/explore/`; named `TxI`: T threads, each
I times lock, increment, unlock. CPU seconds of one core, for the search alone.""",
    ),
    "tables-pdp": (
        "## Property-driven pruning: Table 1 of [PDP]",
        """Programs of our own of the same kind, in `bench/tables/`: `gvar` variables with accesses that may conflict,
`accs` places of such accesses in the source, `race` racing pairs found. The search ends with the first race; a
figure behind `>` is where the time limit ended it. Times are CPU seconds of the search.""",
    ),
    "tables-dhtc": (
        "## Thread states and locksets: Table 3 of [DHTC]",
        """A coding and communication program with 2 to 6 threads, `bench/tables/coding.c`; in `coding-bug` two status
words race. All races are looked for. Columns as above.""",
    ),
    "real": (
        "## Real programs",
        "Sources as Debian distributes them, fetched by `bench/real/fetch.py`, analysed whole.",
    ),
}


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table whose first `left` columns are text and the others numbers."""
    align = ["---" if column < left else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, align, *rows))


def machine() -> str:
    """What a reader needs to judge the times."""
    return f"{os.cpu_count()} cores"


def replace_block(name: str, body: str, path: Path = RESULTS) -> None:
    """Put `body` between the marks of `name`; adds the file or the section if it is not there yet."""
    begin, end = f"<!-- bench:{name} begin -->", f"<!-- bench:{name} end -->"
    text = path.read_text(encoding="utf-8") if path.exists() else _INTRO
    block = f"{begin}\n{body.strip()}\n{end}"
    start, stop = text.find(begin), text.find(end)
    if start >= 0 and stop > start:
        text = text[:start] + block + text[stop + len(end) :]
    else:
        title, intro = _SECTIONS[name]
        text = f"{text.rstrip()}\n\n{title}\n\n{intro}\n\n{block}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
