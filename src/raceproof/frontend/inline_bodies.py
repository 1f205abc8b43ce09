"""Bodies of functions that C99 calls inline and that no file defines otherwise.

    inline long next(long *p) { return *p + 1; }     /* in a header; no file says `extern inline long next(long *)` */

At -O0 clang leaves such a body out and expects the function elsewhere (C11 6.7.4p7), so the program would call
something unknown. Real builds optimise, and run the body that stands there. A unit that has one is compiled again in
the way in which clang does write it down, with no optimisation all the same; each unit then has a function of its own,
since two units may define an inline function differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# As if optimising, but that nothing is done: no passes, no marks of lifetimes or types, none of the macros that make
# headers of the C library define functions of their own.
WITH_BODIES = (
    "-Xclang", "-O1", "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers", "-U__OPTIMIZE__",
    "-Xclang", "-relaxed-aliasing",
)  # fmt: skip

_NAME = r'@("[^"\n]*"|[-\w$.]+)\('
_DEFINED = re.compile(rf"^define [^\n@]*{_NAME}", re.MULTILINE)
_DECLARED = re.compile(rf"^declare [^\n@]*{_NAME}", re.MULTILINE)
_INLINE = re.compile(r"\b(?:inline|__inline|__inline__)\b[^;{}()]*?\b(\w+)\s*\(")
_AVAILABLE = re.compile(
    r"^define available_externally ((?:dso_local |dso_preemptable |hidden |protected )*)(?P<rest>[^\n@]*@"
    r'(?P<name>"[^"\n]*"|[-\w$.]+)\()',
    re.MULTILINE,
)


def units_to_repeat(texts: Sequence[str | bytes], files: Sequence[Iterable[Path]]) -> list[int]:
    """Numbers of the units that call a function which no unit defines and one of the unit's files may define inline.

    May name a unit in vain, if a comment reads like a definition. It misses functions that macros name.
    """
    defined = defined_in(texts)
    found = []
    known: dict[Path, frozenset[str]] = {}
    for number, text in enumerate(texts):
        missing = {name for name in _names(_DECLARED, text) if name not in defined and not name.startswith("llvm.")}
        if missing and any(missing & _inline_in(file, known) for file in files[number]):
            found.append(number)
    return found


def defined_in(texts: Iterable[str | bytes]) -> frozenset[str]:
    return frozenset(name for text in texts for name in _names(_DEFINED, text))


def keep_bodies(text: str, defined: frozenset[str]) -> str:
    """Make functions of the unit's own out of bodies that LLVM would drop, but for those of functions in `defined`."""

    def keep(match: re.Match[str]) -> str:
        return match[0] if match["name"].strip('"') in defined else f"define internal {match['rest']}"

    return _AVAILABLE.sub(keep, text)


def _names(pattern: re.Pattern[str], text: str | bytes) -> Iterator[str]:
    if isinstance(text, str):
        for match in pattern.finditer(text):
            yield match[1].strip('"')


def _inline_in(file: Path, known: dict[Path, frozenset[str]]) -> frozenset[str]:
    if file not in known:
        try:
            content = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            content = ""
        known[file] = frozenset(_INLINE.findall(content)) if "inline" in content else frozenset()
    return known[file]
