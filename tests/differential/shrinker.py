"""Makes a failing program smaller while it still fails: `python -m differential.shrinker FILE` (from `tests`).

FILE is the text of a generated program, without headers. Lines, then statements, then pieces of expressions are left
out as long as what is left compiles and the judges still contradict each other.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from differential.judge import judge
from differential.preamble import as_source

MAX_EXECUTIONS = 3000
SECONDS = 5.0

_STATEMENT = re.compile(r"[^;{}]+;")
_SIMPLER: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bif \([^{};]*\) (?=[\w*({])"), ""),
    (re.compile(r"\bfor \([^{}]*?;[^{}]*?;[^{}]*?\) (?=[\w*({])"), ""),
    (re.compile(r"\bwhile \([^{};]*\) (?=[\w*({])"), ""),
    (re.compile(r"else (?=[\w{])"), ""),
    (re.compile(r"\{ ([^{}]*) \}"), r"\1"),
    (re.compile(r"__VERIFIER_nondet_int\(\)"), "1"),
    (re.compile(r"\b(\w+) \? "), "1 ? "),
    (re.compile(r" [+\-*/&%] \d+"), ""),
)


def shrink(text: str, still_fails: Callable[[str], bool]) -> str:
    """The smallest text found for which `still_fails` holds, as it must for `text`."""
    while True:
        for candidate in candidates(text):
            if candidate != text and still_fails(candidate):
                text = candidate
                break
        else:
            return text


def candidates(text: str) -> Iterator[str]:
    lines = text.splitlines()
    size = max(len(lines) // 2, 1)
    while size:
        for start in range(0, len(lines) - size + 1, max(size // 2, 1)):
            yield "\n".join(lines[:start] + lines[start + size :]) + "\n"
        size //= 2
    for match in _STATEMENT.finditer(text):
        yield text[: match.start()] + text[match.end() :]
    for pattern, replacement in _SIMPLER:
        for match in pattern.finditer(text):
            yield text[: match.start()] + match.expand(replacement) + text[match.end() :]


def shrink_unsound(text: str) -> str:
    """Shrink a program for which the analysis proves a race away; a race that comes first, if the program has one."""
    with tempfile.TemporaryDirectory(prefix="shrink-") as directory:

        def verdicts(candidate: str) -> set[bool]:
            try:
                found = judge(candidate, Path(directory), MAX_EXECUTIONS, SECONDS)
            except RecursionError:
                return set()
            return {item.is_first for item in found.unsound}

        wanted = max(verdicts(text), default=False)
        return shrink(text, lambda candidate: wanted in verdicts(candidate))


def shrink_crash(text: str) -> str:
    """Shrink a program on which the analysis raises something that it should not."""
    with tempfile.TemporaryDirectory(prefix="shrink-") as directory:

        def last_line(candidate: str) -> str | None:
            crash = judge(candidate, Path(directory), MAX_EXECUTIONS, SECONDS).crash
            return crash.strip().splitlines()[-1] if crash is not None else None

        wanted = last_line(text)
        return shrink(text, lambda candidate: last_line(candidate) == wanted)


def main() -> None:
    for name in sys.argv[1:]:
        text = Path(name).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="shrink-") as directory:
            found = judge(text, Path(directory), MAX_EXECUTIONS, SECONDS)
        if found.crash is not None:
            small = shrink_crash(text)
        elif found.unsound:
            small = shrink_unsound(text)
        else:
            print(f"{name}: nothing to shrink")
            continue
        print(as_source(small))
        with tempfile.TemporaryDirectory(prefix="shrink-") as directory:
            for item in judge(small, Path(directory), MAX_EXECUTIONS, SECONDS).unsound:
                print(f"// {item} (lines without the headers)")


if __name__ == "__main__":
    main()
