"""JSON as text that people can look through and that is written fast: the outer levels one element a line, what is
inside on one line. (`json` with an indent is written in Python, and takes minutes for the pairs of a large program.)"""

from __future__ import annotations

import json
from collections.abc import Mapping

_REPORT_LEVELS = 2
_INDENT = "  "


def json_text(document: object, levels: int = _REPORT_LEVELS) -> str:
    """`levels`: how many of lists and objects inside one another are broken into lines."""
    return _text(document, levels, "") + "\n"


def _text(value: object, levels: int, indent: str) -> str:
    if levels == 0 or not value or not isinstance(value, (Mapping, list, tuple)):
        return json.dumps(value)
    inner = indent + _INDENT
    if isinstance(value, Mapping):
        rows = [f"{json.dumps(key)}: {_text(part, levels - 1, inner)}" for key, part in value.items()]
        start, end = "{}"
    else:
        rows = [_text(part, levels - 1, inner) for part in value]
        start, end = "[]"
    between = f",\n{inner}"
    return f"{start}\n{inner}{between.join(rows)}\n{indent}{end}"
