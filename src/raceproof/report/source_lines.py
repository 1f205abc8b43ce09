"""Lines of the user's source with a caret below the column:

23 |     account.balance += amount;
   |                     ^
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from raceproof.core import SourcePos

_MARGIN = 7  # digits of the line number, right-aligned with the indentation
_TAB = 4
_LARGEST_FILE = 100_000_000


class SourceLines:
    """Reads each file once; a file that is gone, or a line that it does not have, gives no excerpt.

    `root` is what relative names are seen from; empty for the current directory.
    """

    def __init__(self, root: str = "") -> None:
        self._root = root
        self._files: dict[str, list[bytes]] = {}

    def excerpt(self, pos: SourcePos, width: int) -> list[str]:
        """The line and the caret, at most `width` wide; a long line is cut around the column."""
        lines = self._lines(pos.file)
        if not 1 <= pos.line <= len(lines):
            return []
        raw = lines[pos.line - 1]
        text = _printable(raw)
        room = width - _MARGIN - 3
        # clang counts columns in bytes; 0 or one beyond the line means that there is nothing to point at.
        caret = len(_printable(raw[: pos.column - 1])) if 0 < pos.column <= len(raw) else None
        text, caret = _cut(text.rstrip(), caret, room)
        result = [f"{pos.line:>{_MARGIN}} | {text}"]
        if caret is not None:
            result.append(" " * _MARGIN + " | " + " " * caret + "^")
        return result

    def text(self, pos: SourcePos, width: int) -> str:
        """The line alone, without its indentation; empty if it is not there."""
        lines = self._lines(pos.file)
        if not 1 <= pos.line <= len(lines):
            return ""
        return _cut(_printable(lines[pos.line - 1]).strip(), None, max(width, 20))[0]

    def _lines(self, file: str) -> list[bytes]:
        if file not in self._files:
            self._files[file] = read_lines(os.path.join(self._root, file))
        return self._files[file]


def read_lines(file: str) -> list[bytes]:
    """None if the file is gone, or is no source: a `#line` can name anything, also a device that never ends."""
    try:
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            return []
        return Path(file).read_bytes().splitlines()
    except (OSError, ValueError):
        return []


def _printable(raw: bytes) -> str:
    """Tabs become spaces; whatever could steer the terminal becomes a question mark."""
    text = raw.decode("utf-8", errors="replace").expandtabs(_TAB)
    return "".join(c if c.isprintable() else "?" for c in text)


def _cut(text: str, caret: int | None, room: int) -> tuple[str, int | None]:
    if len(text) <= room:
        return text, caret
    start = max(0, min((caret or 0) - room // 2, len(text) - room))
    piece = text[start : start + room]
    if start > 0:
        piece = "…" + piece[1:]
    if start + room < len(text):
        piece = piece[:-1] + "…"
    return piece, caret - start if caret is not None else None
