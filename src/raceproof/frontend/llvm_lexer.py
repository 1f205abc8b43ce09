"""Tokens of LLVM's textual IR, one line at a time.

The printer of LLVM puts every instruction on one line (only `switch` takes several) and its metadata
attachments at the end, so a line is cut into its instruction and its attachments first:

    %7 = load i32, ptr %6, align 4, !dbg !31      ->  tokens %7 = load i32 , ptr %6 , align 4
                                                      attachments ", !dbg !31"

Attachments repeat from line to line and are looked up as a whole; only the rest is cut into tokens.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r'[%@](?:"[^"]*"|[\w$.\-]+)'  # names of values, types and symbols
    r'|!"[^"]*"|![\w.$\-\\]*'  # metadata
    r'|c?"[^"]*"'  # strings
    r"|\.\.\."
    r"|[#$]?[\w.+\-]+"  # words, numbers, attribute groups
    r"|\S"
)
_ATTACHMENTS = re.compile(r"(?:, ![\w.$\-\\]+ !(?:\w+|\{\}))+$")
_ESCAPE = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})")


class SyntaxMismatch(ValueError):
    """A line does not have the form that its first words promise; the caller adds the line and position."""


def tokenize(text: str) -> list[str]:
    """Cut into tokens, with an empty one at the end so that a reader may look one token ahead."""
    tokens: list[str] = _TOKEN.findall(text)
    tokens.append("")
    return tokens


def split_attachments(line: str) -> tuple[str, str]:
    """Separate an instruction or global from its metadata attachments (", !dbg !7, !llvm.loop !9")."""
    if '"' in line:  # a string or quoted name may contain anything: cut from the right
        match = _ATTACHMENTS.search(line)
        return (line[: match.start()], match.group()) if match else (line, "")
    cut = line.find(", !")
    return (line, "") if cut < 0 else (line[:cut], line[cut:])


def unescape(text: str) -> bytes:
    r"""Decode LLVM's `\xx` escapes of the inside of a string."""
    raw = text.encode("utf-8", "surrogateescape")
    if b"\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda m: b"\\" if m.group(1) == b"\\" else bytes.fromhex(m.group(1).decode()), raw)


def unquote(name: str) -> str:
    """The plain name in `%name`, `@name` or `"name"` (the sigil already removed).

    A quoted name of digits only keeps its quotes: `%"5"` is a named value and must not be taken for
    the unnamed value `%5`.
    """
    if not name.startswith('"'):
        return name
    inner = unescape(name[1:-1]).decode("utf-8", "backslashreplace")
    return name if inner.isdigit() else inner
