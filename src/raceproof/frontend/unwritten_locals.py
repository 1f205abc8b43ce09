"""Local variables begin with a value of their own, that nobody knows.

LLVM takes a variable that was never written to be `undef`, which is whatever suits it: where ways meet on one of which
it has a value, it has that value on all of them. In C it may have any. So each variable that SROA may turn into
registers first gets a value that LLVM knows nothing of:

    %x = alloca i32
    %rp.unwritten.1 = freeze i32 undef         made by `give_values`
    store i32 %rp.unwritten.1, ptr %x

SROA makes it a value like others, and `take_away` drops what nobody uses, as it mostly is. What stays in memory needs
no such value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

PREFIX = "%rp.unwritten."
_RECORD = "    #dbg_"  # which variable a value is of; one that was never written is none
_MOST_PARTS = 32  # of a structure or array: SROA takes such values apart
_ALLOCA = re.compile(r'  (%(?:[-\w$.]+|"[^"]*")) = alloca (?:inalloca )?(.*)$')
_TYPE = re.compile(r'^(%(?:[-\w$.]+|"[^"]*")) = type (.*)$', re.MULTILINE)
_INTEGERS = re.compile(r"i\d+|\[\d+ x i\d+\]")
_DECLARED = "    #dbg_declare(ptr "
_COPY = re.compile(r'@llvm\.memcpy\.[\w.]+\(ptr (?:[a-z]+(?: \d+)? )*(%(?:[-\w$.]+|"[^"]*")),')
_ARRAY = re.compile(r"\[(\d+) x (.*)\]$")
_SCALAR = re.compile(r"i\d+|ptr|half|bfloat|float|double|x86_fp80|fp128")
_REGISTER = re.compile(r'%(?:[-\w$.]+|"[^"]*")')
_STORE = re.compile(rf'  store .* ({re.escape(PREFIX)}[\w.]+), ptr (%(?:[-\w$.]+|"[^"]*"))(?:,|$)')
_PART = re.compile(r'  (%(?:[-\w$.]+|"[^"]*")) = (?:getelementptr|extractvalue|freeze) ')


def types_of(text: str) -> dict[str, str]:
    """The module's types by name."""
    return dict(_TYPE.findall(text))


def give_values(
    lines: list[str], body: range, allocas: Iterable[tuple[int, str]], types: Mapping[str, str], number: int
) -> int:
    """Put a value into each of these variables of a function, (line, register); returns the next free number."""
    passing = _passing(lines, body)
    for line, register in allocas:
        match = _ALLOCA.match(lines[line])
        type_ = _first_type(match.group(2)) if match is not None else None
        if type_ is None or not 0 < _parts(type_, types, 0) <= _MOST_PARTS:
            continue
        if register in passing and _INTEGERS.fullmatch(type_):
            lines[line] += f"\n  store {type_} zeroinitializer, ptr {register}"
            continue
        value = f"{PREFIX}{number}"
        number += 1
        lines[line] += f"\n  {value} = freeze {type_} undef\n  store {type_} {value}, ptr {register}"
    return number


def _passing(lines: list[str], body: range) -> set[str]:
    """Variables that are none of the program's, into which something is copied. One that is an integer, or an array of
    them, has the size of the registers in which a structure is passed (on aarch64, a whole one for 4 bytes): what the
    structure does not fill is nobody's, and may be zero. Which variables are the program's, only debug information
    says."""
    if " !dbg " not in lines[body.start - 1]:
        return set()
    copied, declared = set(), set()
    for at in body:
        line = lines[at]
        if line.startswith(_DECLARED):
            declared.add(line[len(_DECLARED) :].split(",", 1)[0])
        elif "@llvm.memcpy." in line and (match := _COPY.search(line)) is not None:
            copied.add(match.group(1))
    return copied - declared


def _first_type(rest: str) -> str | None:
    """The type that an alloca is of; None if it makes several, as many as a register says."""
    depth = 0
    for at, c in enumerate(rest):
        depth += (c in "[{<(") - (c in "]}>)")
        if c == "," and depth == 0:
            return None if re.match(r", i\d+ ", rest[at:]) else rest[:at]
    return rest


def _parts(type_: str, types: Mapping[str, str], depth: int) -> int:
    """How many scalars it has; many if it has more than are of interest, or is not known."""
    if _SCALAR.fullmatch(type_):
        return 1
    if depth > 8:
        return _MOST_PARTS + 1
    if (array := _ARRAY.match(type_)) is not None:
        return int(array.group(1)) * _parts(array.group(2), types, depth + 1)
    if type_ in types:
        return _parts(types[type_], types, depth + 1)
    if type_.startswith("{ ") and type_.endswith(" }"):
        return sum(_parts(part, types, depth + 1) for part in _fields(type_[2:-2]))
    return _MOST_PARTS + 1


def _fields(text: str) -> Iterator[str]:
    depth, begin = 0, 0
    for at, c in enumerate(text):
        depth += (c in "[{<(") - (c in "]}>)")
        if c == "," and depth == 0:
            yield text[begin:at]
            begin = at + 2
    yield text[begin:]


def take_away(text: str) -> str:
    """Drop the values that went nowhere, and those in variables that stay in memory."""
    if PREFIX not in text:
        return text
    lines = text.split("\n")
    position, end = 0, len(lines)
    while position < end:
        if lines[position].startswith("define "):
            begin = position
            while position < end and lines[position] != "}":
                position += 1
            body = lines[begin:position]
            if any(PREFIX in row for row in body):
                lines[begin:position] = _without_unused(body)
                position += len(lines) - end
                end = len(lines)
        position += 1
    return "\n".join(lines)


def _without_unused(body: list[str]) -> list[str]:
    variables = {match.group(1) for row in body if (match := _ALLOCA.match(row)) is not None}
    rows = [row for row in body if not _is_ours(row, variables) and not (row.startswith(_RECORD) and PREFIX in row)]
    while True:
        used: dict[str, int] = {}
        for row in rows:
            for name in _names(row):
                used[name] = used.get(name, 0) + 1
        kept = [row for row in rows if not _is_unused(row, used)]
        if len(kept) == len(rows):
            return kept
        rows = kept


def _is_ours(row: str, variables: set[str]) -> bool:
    """A store of ours, whole or taken apart: the program's own go through a pointer that it has computed."""
    store = _STORE.match(row)
    return store is not None and (store.group(2) in variables or _is_part_of_aggregate(store.group(2)))


def _is_part_of_aggregate(register: str) -> bool:
    return ".fca." in register and register.rstrip('"0123456789').endswith(".gep")


def _names(row: str) -> list[str]:
    return _REGISTER.findall(row) if PREFIX in row or ".fca." in row else []


def _is_unused(row: str, used: Mapping[str, int]) -> bool:
    match = _PART.match(row)
    if match is None:
        return False
    name = match.group(1)
    return (name.startswith(PREFIX) or _is_part_of_aggregate(name)) and used.get(name, 0) <= 1
