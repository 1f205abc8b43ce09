"""The source text that the page shows: whole files if they are small, else the lines around what matters."""

from __future__ import annotations

from raceproof.core import SourcePos
from raceproof.report.json_format import Json
from raceproof.report.source_lines import read_lines

WHOLE_FILE = 400  # lines
AROUND_STEPS = 12
AROUND_PROOFS = 3


class Places:
    """Numbers positions, remembers which lines are wanted around them, and reads these in the end.

    A place is `[file, line, column]`: the number of the file, and the column in units of JavaScript strings, from 0,
    or -1 where there is nothing to point at.
    """

    def __init__(self) -> None:
        self._numbers: dict[SourcePos, int] = {}
        self._files: dict[str, int] = {}
        self._around: dict[SourcePos, int] = {}

    def number(self, pos: SourcePos | None, around: int = AROUND_STEPS) -> int:
        """The number of the place, -1 for one that is not known; `around`: how many lines to show before and after."""
        if pos is None:
            return -1
        self._around[pos] = max(around, self._around.get(pos, 0))
        self._files.setdefault(pos.file, len(self._files))
        return self._numbers.setdefault(pos, len(self._numbers))

    def read(self) -> tuple[list[Json], list[Json]]:
        """All places and all files; a file has `blocks` of `[number of the first line, lines]`, none if it is gone."""
        raw = {file: read_lines(file) for file in self._files}
        places: list[Json] = [[self._files[pos.file], pos.line, _column(raw[pos.file], pos)] for pos in self._numbers]
        wanted: dict[str, set[int]] = {file: set() for file in self._files}
        for pos, around in self._around.items():
            wanted[pos.file].update(range(pos.line - around, pos.line + around + 1))
        files: list[Json] = []
        for file, lines in raw.items():
            shown = range(1, len(lines) + 1)
            numbers = list(shown) if len(lines) < WHOLE_FILE else sorted(wanted[file].intersection(shown))
            files.append({"name": file, "lines": len(lines), "blocks": _blocks(numbers, lines)})
        return places, files


def _blocks(numbers: list[int], lines: list[bytes]) -> list[Json]:
    blocks: list[tuple[int, list[Json]]] = []
    for number in numbers:
        if not blocks or number != blocks[-1][0] + len(blocks[-1][1]):
            blocks.append((number, []))
        blocks[-1][1].append(_printable(lines[number - 1]))
    return [[first, texts] for first, texts in blocks]


def _column(lines: list[bytes], pos: SourcePos) -> int:
    """clang counts bytes, JavaScript UTF-16 units."""
    if not 1 <= pos.line <= len(lines) or not 0 < pos.column <= len(lines[pos.line - 1]):
        return -1
    before = _printable(lines[pos.line - 1][: pos.column - 1])
    return len(before.encode("utf-16-le")) // 2


def _printable(raw: bytes) -> str:
    """What is not to be seen, such as marks that turn the direction of writing, is made visible."""
    text = raw.decode("utf-8", errors="replace")
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)
