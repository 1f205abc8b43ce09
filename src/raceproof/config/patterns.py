"""Patterns for names: `*` stands for any text, `?` for one character.

Brackets stand for themselves, because names have them: `accounts[*].balance` is the name of a target and matches it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath


def matches(pattern: str, name: str) -> bool:
    return _compiled(pattern).fullmatch(name) is not None


def matches_path(pattern: str, path: str) -> bool:
    """`src/log.c` matches the path, and every longer path that ends in it."""
    parts = PurePosixPath(path).parts
    endings = ("/".join(parts[start:]) for start in range(len(parts)))
    wanted = str(PurePosixPath(pattern))
    return matches(wanted, path) or any(matches(wanted, ending) for ending in endings)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    words = {"*": ".*", "?": "."}
    return re.compile("".join(words.get(c, re.escape(c)) for c in pattern), re.DOTALL)
