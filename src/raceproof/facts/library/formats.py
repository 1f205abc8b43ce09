"""What printf and scanf touch through their variadic arguments, read off the format string.

    printf_touches("%s: %*d%n\\n", 1)  ->  (1, reads a string), (4, writes 4 bytes)
    scanf_touches("%d %9s", 2)        ->  (2, writes 4 bytes), (3, writes 10 bytes)

Follows C11 7.21.6 and POSIX (`%1$s`, `%m[`), with C23's and glibc's extensions. An argument that is printed as a
number or a pointer is not touched and does not appear. Over-approximates: a string may be read up to its precision, a
scanned string is written to an unknown end unless a width bounds it, and a conversion that is not known reads and
writes what its argument points to. What follows a `%` that begins no conversion is not read: the standard gives such a
format no meaning.

The formats of wprintf and wscanf are wide strings, and mean the same (C11 7.29.2); but a width or precision of theirs
counts wide characters, so that it does not bound the bytes of a string of characters (`wide`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from raceproof.facts.library.effects import ArgBytes, Bytes, CString, Extent, WholeObject
from raceproof.ir import MOST_NUMBERS, Address, ArrayType, GlobalVariable, IntConst, IntType, Operand, Program


class FormatTouch(NamedTuple):
    """Memory behind argument `arg` (counted as in the call) that the function reads, or else writes."""

    arg: int
    reads: bool
    extent: Extent


_POSITION: Final = r"(?:(?P<position>[1-9][0-9]*)\$)?"
_LENGTH: Final = r"(?P<length>hh|h|ll|l|q|L|j|z|Z|t|wf?[0-9]+)?"
_NUMBER: Final = r"\*(?:[1-9][0-9]*\$)?|-?[0-9]+"
_PRINTF: Final = re.compile(
    rf"%{_POSITION}(?P<flags>[-+ #0'I]*)(?P<width>{_NUMBER})?(?:\.(?P<precision>{_NUMBER}|))?"
    rf"{_LENGTH}(?P<conversion>[%a-zA-Z])",
)
_SCANF: Final = re.compile(
    rf"%{_POSITION}(?P<flags>[*'I]*)(?P<width>[0-9]+)?(?P<fresh>m)?{_LENGTH}"
    r"(?P<conversion>\[\^?\]?[^\]]*\]|[%a-zA-Z])",
)
_COUNTING: Final = re.compile(r"%[^%a-zA-Z]*(?:hh|h|ll|l|q|L|j|z|Z|t|wf?[0-9]+)?n")
_PRINTED_VALUES: Final = frozenset("diouxXbBaAeEfFgGcCp")
_SCANNED_INTEGERS: Final = frozenset("diouxXbn")
_SCANNED_FLOATS: Final = frozenset("aAeEfFgG")


class FormatText(NamedTuple):
    """A format that is known; `wide`: a string of wchar_t."""

    text: str
    wide: bool


def printf_touches(fmt: str, first: int, pointer_size: int = 8, *, wide: bool = False) -> tuple[FormatTouch, ...]:
    """Say what a printf with format `fmt` touches; its first variadic argument has index `first`."""
    touches: list[FormatTouch] = []
    following = first  # the next argument that no %n$ names
    for match in _conversions(_PRINTF, fmt):
        conversion = match["conversion"]
        limit: int | None = None
        for number in (match["width"], match["precision"]):
            limit = None
            if number is not None and number.startswith("*"):
                limit, following = _argument(number[1:-1], first, following)
        if conversion in "%m":  # %m prints errno
            continue
        at, following = _argument(match["position"], first, following)
        if conversion in "sS":
            touches.append(FormatTouch(at, True, _printed_string(match, limit, wide)))
        elif conversion == "n":
            touches.append(FormatTouch(at, False, Bytes(_integer_size(match["length"], pointer_size))))
        elif conversion not in _PRINTED_VALUES:
            touches += [FormatTouch(at, True, WholeObject()), FormatTouch(at, False, WholeObject())]
    return tuple(touches)


def scanf_touches(fmt: str, first: int, pointer_size: int = 8, *, wide: bool = False) -> tuple[FormatTouch, ...]:
    """Say what a scanf with format `fmt` touches; its first variadic argument has index `first`."""
    return tuple(
        FormatTouch(at, False, Bytes(pointer_size) if match["fresh"] else _scanned(match, pointer_size, wide))
        for at, match in _scanned_arguments(fmt, first)
    )


def scanf_fresh(fmt: str, first: int) -> tuple[int, ...]:
    """The arguments where a scanf stores the address of a new string (`%ms`, `%m[`, `%mc`)."""
    return tuple(at for at, match in _scanned_arguments(fmt, first) if match["fresh"])


def counts_characters(program: Program) -> bool:
    """Whether some literal of the program may be a format with `%n`; those that it puts together have none."""
    return _may_count(_ById(program.globals))


@dataclass(frozen=True, slots=True, eq=False)
class _ById:
    """The variables of one program, as a key."""

    variables: Mapping[str, GlobalVariable]

    def __hash__(self) -> int:
        return id(self.variables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.variables is self.variables


@lru_cache(maxsize=4)
def _may_count(key: _ById) -> bool:
    return any(text is None or _COUNTING.search(text) for text in initial_texts(key.variables.values()))


def initial_texts(variables: Iterable[GlobalVariable]) -> Iterator[str | None]:
    """The initial values of variables as strings: of characters, and of wide ones; None where one is not known."""
    for variable in variables:
        if variable.text is not None:
            yield variable.text
        elif not variable.initial_complete and len(variable.initial) >= MOST_NUMBERS:
            yield None
        elif variable.initial:
            yield from _texts_of_cells(variable)


def _texts_of_cells(variable: GlobalVariable) -> Iterator[str]:
    """Neighbours of one size, as characters."""
    found: list[str] = []
    size, end = 0, 0
    for cell in sorted(variable.initial, key=lambda cell: cell.offset):
        if not isinstance(cell.value, IntConst) or cell.size not in (1, 2, 4):
            continue
        if found and (cell.size != size or cell.offset != end):
            yield "".join(found)
            found = []
        size, end = cell.size, cell.offset + cell.size
        found.append(chr(cell.value.value) if 0 < cell.value.value < 128 else " ")
    if found:
        yield "".join(found)


def format_text(program: Program, operand: Operand) -> FormatText | None:
    """A format that is a literal, or another string that nobody writes."""
    text = constant_text(program, operand)
    if text is not None:
        return FormatText(text, wide=False)
    if not isinstance(operand, Address) or operand.offset != 0 or operand.symbol not in program.globals:
        return None
    wide = _wide_text(program.globals[operand.symbol])
    return FormatText(wide, wide=True) if wide is not None else None


def _wide_text(variable: GlobalVariable) -> str | None:
    """Up to the first NUL. Characters that are not ASCII belong to no conversion."""
    type_ = variable.type
    if not isinstance(type_, ArrayType) or type_.element != IntType(32, 4):
        return None
    if not variable.is_constant or not variable.initial_complete or variable.is_external:
        return None
    numbers = {cell.offset // 4: cell.value for cell in variable.initial}
    text = ""
    for index in range(type_.count):
        value = numbers.get(index)
        if value is None:
            break
        if not isinstance(value, IntConst):
            return None
        text += chr(value.value) if 0 < value.value < 128 else "?"
    return text


def constant_text(program: Program, operand: Operand) -> str | None:
    """The text of a literal, or of another variable that nobody writes."""
    if isinstance(operand, Address) and operand.offset == 0 and operand.symbol in program.globals:
        return program.globals[operand.symbol].text
    return None


def _scanned_arguments(fmt: str, first: int) -> Iterator[tuple[int, re.Match[str]]]:
    following = first
    for match in _conversions(_SCANF, fmt):
        if match["conversion"] != "%" and "*" not in match["flags"]:
            at, following = _argument(match["position"], first, following)
            yield at, match


def _conversions(pattern: re.Pattern[str], fmt: str) -> Iterator[re.Match[str]]:
    """All conversions in order, up to the first percent sign that begins none."""
    at = fmt.find("%")
    while at >= 0 and (match := pattern.match(fmt, at)) is not None:
        yield match
        at = fmt.find("%", match.end())


def _argument(position: str | None, first: int, following: int) -> tuple[int, int]:
    """The argument of a conversion, or of a `*`, and the next one after it."""
    return (first + int(position) - 1, following) if position else (following, following + 1)


def _printed_string(match: re.Match[str], limit: int | None, in_wide: bool) -> Extent:
    """`limit`: the argument with the precision, if it is one. If its value is negative, it is as none."""
    precision = match["precision"]
    wide = match["conversion"] == "S" or match["length"] == "l"
    if precision is None or precision.startswith("-") or (in_wide and not wide):
        return CString()
    unit = 4 if wide else 1
    return ArgBytes(limit, unit=unit) if limit is not None else Bytes(int(precision or "0") * unit)


def _integer_size(length: str | None, pointer_size: int) -> int:
    match length:
        case None:
            return 4
        case "hh" | "w8":
            return 1
        case "h" | "w16":
            return 2
        case "w32":
            return 4
        case "l" | "z" | "Z" | "t" | "wf16" | "wf32":
            return pointer_size
        case "wf8":
            return 1
        case _:  # ll, q, L, j, w64, wf64
            return 8


def _scanned(match: re.Match[str], pointer_size: int, in_wide: bool) -> Extent:
    conversion, length = match["conversion"], match["length"]
    width = int(match["width"]) if match["width"] else None
    unit = 4 if length == "l" or conversion in ("S", "C") else 1
    if in_wide and unit == 1 and conversion[0] in "sc[":
        return CString()
    if conversion in ("s", "S") or conversion.startswith("["):
        return CString() if width is None else Bytes((width + 1) * unit)
    if conversion in ("c", "C"):
        return Bytes((1 if width is None else width) * unit)
    if conversion == "p":
        return Bytes(pointer_size)
    if conversion in _SCANNED_INTEGERS:
        return Bytes(_integer_size(length, pointer_size))
    if conversion in _SCANNED_FLOATS:
        long_double = 16 if pointer_size == 8 else 12
        return Bytes({None: 4, "l": 8}.get(length, long_double))
    return WholeObject()
