"""Atomic updates that are written as inline assembly, as LLVM's own instructions.

Kernels, and code that is older than C11, have `lock; incl %0` and the like in functions of one line. What such a
statement does to its operands is exact: one atomic read-modify-write, which on x86 is sequentially consistent. If the
statement does not say that it changes memory, the compiler may move other accesses across it: then it orders nothing
but itself, and is relaxed. Where a
template is one of those below and nothing else, and its operands are what it needs, the call is replaced by
`atomicrmw`, `cmpxchg` or `fence`: then all that reads the program knows it, and it can be run. Everything else stays.

    lock; incl|decl m                          lock; xaddl r, m         r gets the old value
    lock; addl|subl|andl|orl|xorl v, m         xchgl r, m
    one of these; sete|sets c                  lock; cmpxchgl v, m      with the expected value in %eax
    mfence
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Final

from raceproof.frontend.llvm_lexer import unescape

# Notes for a kernel that runs on one processor where the prefix is, in a section of their own.
LOCK_NOTE: Final = re.compile(
    r'\.(?:push)?section \.smp_locks, ?"a"\s*\n\s*\.balign \d+\s*\n\s*\.(?:long|quad) 671f(?: - \.)?\s*\n'
    r"\s*\.(?:previous|popsection)\s*\n\s*671:\s*"
)
_ROW: Final = re.compile(
    r'^  (?:(?P<result>%\S+) = )?(?:tail )?call (?P<type>void|i\d+) asm (?:sideeffect )?"(?P<template>[^"]*)", '
    r'"(?P<constraints>[^"]*)"\((?P<args>.*)\)(?: #\d+)?(?P<metadata>(?:, ![\w.]+ !\d+)*)$'
)
_ARGUMENT: Final = re.compile(
    r"(?:ptr elementtype\((?P<element>i\d+)\)|(?P<type>i\d+)(?: (?:sign|zero)ext)?) (?P<value>.+)"
)
_OUTPUT_RESULT: Final = re.compile(r"=&?(?:[a-zA-Z]+|\{\w+\})")
_INPUT_VALUE: Final = re.compile(r"[a-zA-Z]+|\d+")
_SIZES: Final = {"b": "i8", "w": "i16", "l": "i32", "q": "i64"}
_CLOBBERS: Final = "~{memory}"
_UPDATE: Final = re.compile(r"lock (add|sub|and|or|xor)([bwlq]) \$(\d+), ?\$(\d+)")
_COUNT: Final = re.compile(r"lock (inc|dec)([bwlq]) \$(\d+)")
_TEST: Final = re.compile(r"set([esz]) \$(\d+)")
_EXCHANGE: Final = re.compile(r"(lock xadd|(?:lock )?xchg)([bwlq]) \$(\d+), ?\$(\d+)")
_COMPARE: Final = re.compile(r"lock cmpxchg([bwlq]) \$(\d+), ?\$(\d+)")


@dataclass(frozen=True, slots=True)
class _Operand:
    """`kind`: a `place` in memory, a `value`, or the `result`; `type` is that of what is there."""

    kind: str
    type: str
    text: str


def translate(text: str) -> str:
    """LLVM's text with such calls replaced."""
    if " asm " not in text:
        return text
    names = (f"%raceproof.asm.{number}" for number in count())
    lines: list[str] = []
    for line in text.split("\n"):
        match = _ROW.match(line) if " asm " in line else None
        rows = _translated(match, names) if match is not None else None
        lines += [line] if rows is None else rows
    return "\n".join(lines)


def _translated(row: re.Match[str], names: Iterator[str]) -> list[str] | None:
    operands = _operands(row)
    statements = _statements(unescape(row["template"]).decode("utf-8", "replace"))
    if operands is None or not 1 <= len(statements) <= 2:
        return None
    debug = "".join(f", {part}" for part in row["metadata"].split(", ") if part.startswith("!dbg "))
    order = "seq_cst" if _CLOBBERS in row["constraints"].split(",") else "monotonic"
    if statements == ["mfence"] and row["result"] is None and not operands and order == "seq_cst":
        return [f"  fence seq_cst{debug}"]
    results = [operand for operand in operands.values() if operand.kind == "result"]
    if len(statements) == 1 and (match := _COMPARE.fullmatch(statements[0])):
        return _compare(match, operands, results, next(names), order, debug)
    if len(statements) == 1 and (match := _EXCHANGE.fullmatch(statements[0])):
        return _exchange(match, operands, results, order, debug)
    update = _update(statements[0], operands)
    if update is None:
        return None
    op, place, value = update
    old, new, holds = next(names), next(names), next(names)
    rows = [f"  {old} = atomicrmw {op} ptr {place.text}, {place.type} {value} {order}{debug}"]
    if len(statements) == 1:
        return rows if not results else None
    test = _TEST.fullmatch(statements[1])
    target = operands.get(test[2]) if test is not None else None
    if test is None or target is None or target.type != "i8" or target is place or results not in ([], [target]):
        return None
    rows += [
        f"  {new} = {op} {place.type} {old}, {value}{debug}",
        f"  {holds} = icmp {'slt' if test[1] == 's' else 'eq'} {place.type} {new}, 0{debug}",
    ]
    if target.kind == "result":
        return [*rows, f"  {target.text} = zext i1 {holds} to i8{debug}"]
    if target.kind != "place":
        return None
    truth = next(names)
    return [*rows, f"  {truth} = zext i1 {holds} to i8{debug}", f"  store i8 {truth}, ptr {target.text}{debug}"]


def _update(statement: str, operands: Mapping[str, _Operand]) -> tuple[str, _Operand, str] | None:
    """What is done, where, and with which value."""
    if match := _COUNT.fullmatch(statement):
        place, size = operands.get(match[3]), match[2]
        op, value = ("add" if match[1] == "inc" else "sub"), "1"
    elif match := _UPDATE.fullmatch(statement):
        given, place, size = operands.get(match[3]), operands.get(match[4]), match[2]
        if given is None or given.kind != "value" or given.type != _SIZES[size]:
            return None
        op, value = match[1], given.text
    else:
        return None
    if place is None or place.kind != "place" or place.type != _SIZES[size]:
        return None
    return op, place, value


def _exchange(
    match: re.Match[str], operands: Mapping[str, _Operand], results: list[_Operand], order: str, debug: str
) -> list[str] | None:
    result, place, given = operands.get(match[3]), operands.get(match[4]), operands.get(f"={match[3]}")
    if result is None or place is None or given is None or results != [result] or place.kind != "place":
        return None
    if {place.type, result.type, given.type} != {_SIZES[match[2]]}:
        return None
    op = "add" if "xadd" in match[1] else "xchg"
    return [f"  {result.text} = atomicrmw {op} ptr {place.text}, {place.type} {given.text} {order}{debug}"]


def _compare(
    match: re.Match[str], operands: Mapping[str, _Operand], results: list[_Operand], both: str, order: str, debug: str
) -> list[str] | None:
    """The expected value comes in the register that the old one is returned in."""
    new, place = operands.get(match[2]), operands.get(match[3])
    number = next((n for n, operand in operands.items() if operand.kind == "result"), "")
    expected = operands.get(f"={number}")
    if new is None or place is None or expected is None or len(results) != 1 or "={ax}" not in operands:
        return None
    if new.kind != "value" or place.kind != "place":
        return None
    if {new.type, place.type, expected.type, results[0].type} != {_SIZES[match[1]]}:
        return None
    kind = place.type
    return [
        f"  {both} = cmpxchg ptr {place.text}, {kind} {expected.text}, {kind} {new.text} {order} {order}{debug}",
        f"  {results[0].text} = extractvalue {{ {kind}, i1 }} {both}, 0{debug}",
    ]


def _statements(template: str) -> list[str]:
    """Without notes and spaces; the prefix stands with what it belongs to."""
    found = [" ".join(part.lower().split()) for part in re.split(r"[;\n]", LOCK_NOTE.sub("", template))]
    found = [part for part in found if part]
    while "lock" in found[:-1]:
        first = found.index("lock")
        found[first : first + 2] = [f"lock {found[first + 1]}"]
    return found


def _operands(row: re.Match[str]) -> dict[str, _Operand] | None:
    """By number; what an output starts with, by `=` and its number; `={ax}` if that is the register of the result.

    None if there is an operand of a kind that is not understood, or two that must be the same are not.
    """
    arguments = _arguments(row["args"])
    constraints = [part for part in row["constraints"].split(",") if part and not part.startswith("~")]
    found: dict[str, _Operand] = {}
    places: set[str] = set()
    for number, constraint in enumerate(constraints):
        if _OUTPUT_RESULT.fullmatch(constraint):
            found[str(number)] = _Operand("result", row["type"], row["result"] or "")
            if constraint == "={ax}":
                found["={ax}"] = _Operand("register", row["type"], "")
            continue
        argument = _ARGUMENT.fullmatch(arguments.pop(0)) if arguments else None
        if argument is None:
            return None
        if constraint.startswith("=*") and argument["element"] is not None:
            places.add(argument["value"])
            found[str(number)] = _Operand("place", argument["element"], argument["value"])
        elif constraint == "*m" and argument["value"] in places:
            continue  # an operand that is read as well
        elif _INPUT_VALUE.fullmatch(constraint) and argument["type"] is not None:
            name = f"={constraint}" if constraint.isdigit() else str(number)
            found[name] = _Operand("value", argument["type"], argument["value"])
        else:
            return None
    if (row["type"] == "void") != all(operand.kind != "result" for operand in found.values()):
        return None
    return None if arguments else found


def _arguments(text: str) -> list[str]:
    """Split at commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts
