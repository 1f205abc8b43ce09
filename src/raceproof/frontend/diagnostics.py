"""What the compiler complained about, as one message that a user can act on."""

from __future__ import annotations

import re

from raceproof.core import InputError, SourcePos

_ERROR = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
_PLAIN_ERROR = re.compile(r"^(?:[\w.+-]+: )?error: (?P<message>.*)$", re.MULTILINE)
_INCLUDED = re.compile(r"^In file included from (?P<place>.*?)[:,]?$", re.MULTILINE)
_EXCERPT = re.compile(r"\n *\d* \|[^\n]*")
_MISSING_HEADER = re.compile(r"^'(?P<header>[^']+)' file not found")
_WARNING_NAME = re.compile(r" \[-W[\w,=+-]+\]$")


def compiler_error(stderr: str, file: str) -> InputError:
    """The first error in clang's output, with the source line that clang shows and where it was included from.

    `file` is named where clang says nothing of use.
    """
    first = _ERROR.search(stderr)
    if first is None:
        plain = _PLAIN_ERROR.search(stderr)
        reason = plain["message"] if plain else stderr.strip().rpartition("\n")[2] or "no reason given"
        return InputError(f"{file}: the compiler refuses the file or a flag: {reason}")
    headline = _WARNING_NAME.sub("", first["message"])
    if missing := _MISSING_HEADER.match(headline):
        headline = f"header {missing['header']} not found; add its directory with --cflag=-I<directory>"
    lines = [headline, *_excerpt(stderr, first.end())]
    lines += [f"    included from {match['place']}" for match in _INCLUDED.finditer(stderr, 0, first.start())]
    more = len(_ERROR.findall(stderr)) - 1
    if more:
        lines.append(f"    (and {more} more error{'s' if more > 1 else ''})")
    return InputError("\n".join(lines), SourcePos(first["file"], int(first["line"]), int(first["column"])))


def _excerpt(stderr: str, start: int) -> list[str]:
    """The lines `   3 | source` and `     |   ^` that follow an error."""
    lines: list[str] = []
    while match := _EXCERPT.match(stderr, start):
        lines.append(match.group()[1:])
        start = match.end()
    return lines
