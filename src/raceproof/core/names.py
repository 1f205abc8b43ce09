"""Names that people mistype: which known one was meant?"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?`, to be put behind a message; empty if no known name is like this one."""
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
