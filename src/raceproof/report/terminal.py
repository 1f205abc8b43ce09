"""A terminal 80 columns wide: lines, folded text, excerpts of the source, counted nouns."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TextIO

from raceproof.core import SourcePos
from raceproof.report.colors import Paint
from raceproof.report.source_lines import SourceLines

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where a report is written to; `verbose`: it wants everything, not only what is needed to act."""

    stream: TextIO
    paint: Paint
    verbose: bool = False
    source: SourceLines = field(default_factory=SourceLines)

    def line(self, text: str = "") -> None:
        self.stream.write(text + "\n")

    def wrapped(self, text: str, first: str, rest: str, break_words: bool = False, most: int | None = None) -> None:
        """Fold at 80 columns; a path stays whole even if it is longer. `most`: so many lines."""
        for line in textwrap.wrap(
            text,
            WIDTH,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=break_words,
            break_on_hyphens=False,
            max_lines=most,
            placeholder=" …",
        ):
            self.line(line)

    def excerpt(self, pos: SourcePos, remark: str = "") -> None:
        """The line of the source and a caret under the column, with a remark beside it if there is room."""
        lines = self.source.excerpt(pos, WIDTH)
        fits = len(lines) == 2 and len(lines[1]) + 1 + len(remark) <= WIDTH
        for number, line in enumerate(lines, start=1):
            text = f"{line[9:]} {self.paint.bold(remark)}" if remark and fits and number == 2 else line[9:]
            self.line(self.paint.dim(line[:9]) + text)
        if remark and not fits:
            self.wrapped(remark, " " * 10, " " * 12)


def place(pos: SourcePos) -> str:
    return f"{pos.file}:{pos.line}"


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
