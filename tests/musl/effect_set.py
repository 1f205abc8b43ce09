"""What a function does, in words that a row and a body can both be put into.

    ("reads", "arg 0")            ("writes", "*arg 1")          ("frees", "arg 0")        ("returns", "static environ")
    ("stores arg 0 in", "static stream buffers")                ("calls", "arg 3")

A place is `arg i`, `*arg i`, `**arg i` (two pointers or more behind it), `variadic` (what the variadic arguments
lead to), `static NAME`, `*static NAME` or `fresh` (memory that the function allocates).
"""

from __future__ import annotations

from typing import NamedTuple


class Did(NamedTuple):
    """One effect. `end`: for reads and writes, the byte after the last one that is touched, if all are known."""

    what: str
    place: str
    end: int | None = None

    def __str__(self) -> str:
        return f"{self.what} {self.place}"


def argument(index: int, depth: int, fixed: int) -> str:
    if index >= fixed:
        return "variadic"
    return "*" * min(depth, 2) + f"arg {index}"
