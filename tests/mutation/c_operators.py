"""The faults that are put into C, by its text: comparisons, logic, arithmetic, bits, conditions, statements left out.

Comments, texts, lines of the preprocessor and what ends the program where memory is short stay as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from mutation.mutants import Edit

_MASKED = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^#(?:[^\n]*\\\n)*[^\n]*|if \(\*?\w+ == NULL\) abort\(\);',
    re.DOTALL | re.MULTILINE,
)
_FUNCTION = re.compile(r"^[a-z][^\n;={}()]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
_CHANGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(?<=\s)<(?=\s)", ("<=",)),
    (r"(?<=\s)<=(?=\s)", ("<",)),
    (r"(?<=\s)>(?=\s)", (">=",)),
    (r"(?<=\s)>=(?=\s)", (">",)),
    (r"(?<=\s)==(?=\s)", ("!=",)),
    (r"(?<=\s)!=(?=\s)", ("==",)),
    (r"(?<=\s)&&(?=\s)", ("||",)),
    (r"(?<=\s)\|\|(?=\s)", ("&&",)),
    (r"(?<=\s)\+(?=\s)", ("-",)),
    (r"(?<=\s)-(?=\s)", ("+",)),
    (r"(?<=\s)&(?=\s)", ("|",)),
    (r"(?<=\s)\|(?=\s)", ("&",)),
    (r" \^ 1\b", ("",)),
    (r" >> 1\b", ("",)),
    (r"\b2 \* ", ("",)),
    (r" / 2\b", ("",)),
    (r"(?<=[\s(])[-~!](?=[\w(])", ("",)),
    (r"(?<=\s)\|=(?=\s)", ("=",)),
    (r"(?<=\s)&=(?=\s)", ("=",)),
    (r"(?<=\breturn )0(?=;)", ("1",)),
    (r"(?<=\breturn )1(?=;)", ("0",)),
    (r"(?<=\breturn )true(?=;)", ("false",)),
    (r"(?<=\breturn )false(?=;)", ("true",)),
    (r"(?<== )0(?=;)", ("1",)),
    (r"(?<== )true(?=;)", ("false",)),
    (r"(?<== )false(?=;)", ("true",)),
    (r"\+\+(?=;)", ("--",)),
)
_NO_STATEMENT = (
    r"(?!(?:return|else|for|if|while|do|case|default|goto|break|static|const|struct|enum|typedef|void|char|int|unsigned"
    r"|size_t|u?int\d+_t)\b)"
)  # a declaration that is missing is noticed by the compiler; a break that is missing only falls through
_STATEMENT = re.compile(rf"(?:^ +|\) |\{{ |else )({_NO_STATEMENT}[a-z*][^;{{}}\n]*;)", re.MULTILINE)
_IF = re.compile(r"\bif \(")


def c_edits(source: str) -> list[Edit]:
    masked = _MASKED.sub(lambda match: re.sub(r"[^\n]", "~", match.group()), source)
    functions = [(match.start(), match.group(1)) for match in _FUNCTION.finditer(masked)]
    ends = [start for start, _ in functions[1:]] + [len(source)]
    edits = []
    for start, end, text, change in _changes(source, masked):
        number = bisect_right(functions, start, key=lambda function: function[0]) - 1
        if number < 0:
            continue
        first, name = functions[number]
        places = (start, end, first, ends[number])
        before, after, *scope = (len(source[:place].encode()) for place in places)
        line = source.count("\n", 0, start) + 1
        edits.append(Edit(name, change, before, after, text, (line, line), line, (scope[0], scope[1])))
    return edits


def _changes(source: str, masked: str) -> Iterator[tuple[int, int, str, str]]:
    for pattern, replacements in _CHANGES:
        for match in re.finditer(pattern, masked):
            for text in replacements:
                yield match.start(), match.end(), text, _shown(source, match.start(), match.end(), text)
    for match in _STATEMENT.finditer(masked):
        yield match.start(1), match.end(1), ";", f"{_flat(source[slice(*match.span(1))])} -> (left out)"
    for match in _IF.finditer(masked):
        end = _closing(masked, match.end())
        condition = source[match.end() : end]
        for text in (f"!({condition})", "0"):
            yield match.end(), end, text, f"if ({_flat(condition)}) -> if ({_flat(text)})"


def _shown(source: str, start: int, end: int, text: str) -> str:
    """The line before and after."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end)
    line, changed = source[first:last], source[first:start] + text + source[end:last]
    return f"{_flat(line)} -> {_flat(changed)}"


def _closing(text: str, at: int) -> int:
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at - 1


def _flat(text: str) -> str:
    return " ".join(re.sub(r"/\*.*?\*/", "", text).split())
