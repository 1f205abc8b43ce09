"""Damage to texts: what an unlucky disk, an editor or a hostile hand could leave behind."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

NUMBERS = (
    b"0", b"-1", b"1", b"255", b"65536", b"2147483648", b"-9223372036854775809", b"18446744073709551616",
    b"1e999", b"0x", b"9" * 60, b"9" * 5000, b"1.5", b"007",
)  # fmt: skip
PIECES = (
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"\n", b"\t", b" ", b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b"<b>",
    b"&amp;", b"(", b")", b"[", b"]", b"{", b"}", b",", b";", b":", b"=", b"#", b"!", b"%", b"@", b"*", b"/*", b"//",
    b"-->", b"null", b"true", b"\xe2\x80\xae", b"\xf0\x9f\x92\xa3", b"x" * 300, b"&a; ", b"<!--", b"]]>", b"NaN",
    b"Infinity", b"&x *x", b"!!python/object:os.system",
)  # fmt: skip
OPENING = (b"(", b"[", b"{", b"- ", b"<a>", b"[[", b'{"a":', b"{ ptr, ", b"if * { ")
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**30, 1.5, 1e308 * 10, float("nan"), "", "x", "\0", "\ud800", "race", "race-free",
    [], {}, [[]], [1], [1, 2], [1, 2, 3], {"a": 1}, ["x"], [None], "-1", "../../../etc/passwd", "/dev/null", "<script>",
)  # fmt: skip


def mutate(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """One to four kinds of damage, one after the other."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        data = rng.choice(DAMAGES)(rng, data, others)
    return data


def mutate_json(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Valid JSON in which some values are others, or missing; now and then not JSON at all."""
    if rng.random() < 0.3:
        return mutate(rng, data, others)
    try:
        value = json.loads(data)
    except ValueError:
        return mutate(rng, data, others)
    for _ in range(rng.choice((1, 1, 2, 3))):
        value = _replaced(rng, value)
    return json.dumps(value).encode()


def _replaced(rng: random.Random, value: Any) -> Any:
    """Go down to a random place and change what is there."""
    if isinstance(value, dict) and value and rng.random() < 0.92:
        key = rng.choice(list(value))
        if rng.random() < 0.08:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _replaced(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        index = rng.randrange(len(value))
        match rng.randrange(12):
            case 0:
                return value[:index] + value[index + 1 :]
            case 1:
                return [*value, value[index]]
            case _:
                return [*value[:index], _replaced(rng, value[index]), *value[index + 1 :]]
    return rng.choice(VALUES)


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 2, 5, 20, 100)))


def _cut(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _truncate(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _repeat(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 1, 3, 200)) + data[end:]


def _insert(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES + NUMBERS) + data[at:]


def _overwrite(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + bytes(rng.randrange(256) for _ in range(end - start)) + data[end:]


def _nest(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(OPENING) * rng.choice((3, 200, 20000)) + data[at:]


def _renumber(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    chosen = rng.choice(numbers)
    return data[: chosen.start()] + rng.choice(NUMBERS) + data[chosen.end() :]


def _exchange_words(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    words = list(re.finditer(rb"[\w.@%!-]+", data))
    source = re.findall(rb"[\w.@%!-]+", rng.choice(others))
    if not words or not source:
        return data
    chosen = rng.choice(words)
    return data[: chosen.start()] + rng.choice(source) + data[chosen.end() :]


def _move_lines(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    source = rng.choice(others).splitlines(keepends=True)
    if not lines or not source:
        return data
    at, taken = rng.randrange(len(lines)), rng.randrange(len(source))
    lines[at : at + rng.choice((0, 1))] = source[taken : taken + rng.choice((1, 3))]
    return b"".join(lines)


DAMAGES: tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...] = (
    _cut, _cut, _truncate, _repeat, _insert, _insert, _overwrite, _nest, _renumber, _renumber, _exchange_words,
    _exchange_words, _move_lines,
)  # fmt: skip
