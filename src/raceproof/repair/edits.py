"""Edits of source files, and what they come to as a patch."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from raceproof.model import TextChange


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the bytes from `begin` to `end` of a file, given by its absolute name. Several insertions at one offset
    are made in the order of `order`: what ends there first, then what begins there."""

    file: str
    begin: int
    end: int
    order: int
    text: str


def apply(texts: Mapping[str, bytes], edits: Iterable[Edit]) -> dict[str, bytes] | None:
    """The files that change, as they are then; None if two edits replace the same bytes."""
    changed: dict[str, bytes] = {}
    by_file: dict[str, list[Edit]] = {}
    for edit in sorted(set(edits)):
        by_file.setdefault(edit.file, []).append(edit)
    for file, wanted in by_file.items():
        old, pieces, done = texts[file], [], 0
        for edit in wanted:
            if edit.begin < done:
                return None
            pieces += [old[done : edit.begin], edit.text.encode()]
            done = edit.end
        changed[file] = b"".join([*pieces, old[done:]])
    return changed


def as_patch(old: Mapping[str, bytes], new: Mapping[str, bytes], root: str) -> str:
    """A unified diff with names as seen from `root`, for `patch -p1` and `git apply`."""
    return "".join(text for file in sorted(new) for text in _file_patch(old[file], new[file], file, root))


def _file_patch(old: bytes, new: bytes, file: str, root: str) -> Sequence[str]:
    name = os.path.relpath(file, root)
    if name.startswith(".."):
        name = file.lstrip("/")
    before, after = (text.decode("utf-8", "surrogateescape").splitlines(keepends=True) for text in (old, new))
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines]


def as_changes(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> tuple[TextChange, ...]:
    """Whole lines of the old files that are replaced; raises `ValueError` for a file that is not UTF-8."""
    return tuple(change for file in sorted(new) for change in _file_changes(old[file], new[file], file))


def _file_changes(old: bytes, new: bytes, file: str) -> Sequence[TextChange]:
    before, after = (text.decode("utf-8").splitlines(keepends=True) for text in (old, new))
    found = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        TextChange(file, begin + 1, 1, *_end_of(before, end), "".join(after[i:j]))
        for kind, begin, end, i, j in found
        if kind != "equal"
    ]


def _end_of(lines: Sequence[str], count: int) -> tuple[int, int]:
    """The position behind so many lines: the next line begins there, if there is a line end."""
    if count and not lines[count - 1].endswith(("\n", "\r")):
        return count, len(lines[count - 1].encode("utf-16-le")) // 2 + 1
    return count + 1, 1
