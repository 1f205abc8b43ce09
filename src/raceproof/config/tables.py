"""A table of a TOML file, read key by key: every key has a type, and a key that nobody reads is an error.

Messages name file, table and key, and say what to write:

    raceproof.toml: [[lock]] number 2: there is no key `aquire`; did you mean `acquire`?
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from raceproof.core import InputError, suggestion


class Table:
    """`where` is the name of the table in messages, empty for the whole file."""

    def __init__(self, file: Path, where: str, data: Mapping[str, object]) -> None:
        self._file = file
        self._where = where
        self._data = data
        self._asked: dict[str, None] = {}

    def error(self, message: str) -> NoReturn:
        place = f" {self._where}:" if self._where else ""
        raise InputError(f"{self._file}:{place} {message}")

    def wrong(self, key: str, wanted: str, value: object) -> NoReturn:
        self.error(f"`{key}` must be {wanted}, not {json.dumps(value, ensure_ascii=False, default=str)}")

    @property
    def place(self) -> str:
        """The file, and the table in it, for messages."""
        return f"{self._file}: {self._where}" if self._where else str(self._file)

    def has(self, key: str) -> bool:
        return key in self._data

    def text(self, key: str) -> str | None:
        value = self._value(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            self.wrong(key, "a string that is not empty", value)
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str | None:
        value = self.text(key)
        if value is not None and value not in choices:
            self.wrong(key, f"one of {', '.join(choices)}", value)
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of strings. An empty string may be an argument of the program."""
        value = self._value(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.wrong(key, "a list of strings", value)
        return tuple(value)

    def names(self, key: str) -> tuple[str, ...]:
        """One name or a list of them; none if the key is not there."""
        if isinstance(self._data.get(key), str):
            return (self.text(key) or "",)
        found = self.texts(key)
        if found is not None and (not found or not all(name.strip() for name in found)):
            self.wrong(key, "a name or a list of names", list(found))
        return found or ()

    def integer(self, key: str, least: int | None = None) -> int | None:
        value = self._value(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or (least is not None and value < least):
            self.wrong(key, "an integer" + (f" of at least {least}" if least is not None else ""), value)
        return value

    def integers(self, key: str, least: int = 1) -> tuple[int, ...] | None:
        """One number or a list of them; None if the key is not there."""
        found = self.items(key)
        if found is None:
            return None
        numbers = tuple(n for n in found if isinstance(n, int) and not isinstance(n, bool) and n >= least)
        if len(numbers) != len(found):
            self.wrong(key, f"a number or a list of numbers, from {least}", self._value(key))
        return numbers

    def items(self, key: str) -> tuple[object, ...] | None:
        """One thing or a list of them; None if the key is not there."""
        value = self._value(key)
        return None if value is None else tuple(value) if isinstance(value, list) else (value,)

    def is_text(self, key: str) -> bool:
        return isinstance(self._data.get(key), str)

    def code(self, key: str) -> int | None:
        """A result of a C function: an integer, or true and false as C has them."""
        value = self._value(key)
        return int(value) if isinstance(value, bool) else self.integer(key)

    def number(self, key: str) -> float | None:
        """A number greater than 0."""
        value = self._value(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            self.wrong(key, "a number greater than 0", value)
        return float(value)

    def flag(self, key: str, default: bool = False) -> bool:
        value = self._value(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.wrong(key, "true or false", value)
        return value

    def tables(self, key: str) -> list[Table]:
        """The tables written as [[key]]."""
        value = self._value(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.error(f"`{key}` must be tables: write [[{key}]]")
        return [Table(self._file, f"[[{key}]] number {i}", item) for i, item in enumerate(value, start=1)]

    def finish(self, hints: Mapping[str, str] | None = None) -> None:
        """Raise for a key that was not asked for; `hints` say more about some of them."""
        unknown = next((key for key in self._data if key not in self._asked), None)
        if unknown is None:
            return
        near = suggestion(unknown, self._asked) or f"; there are: {', '.join(sorted(self._asked))}"
        hint = (hints or {}).get(unknown)
        self.error(f"there is no key `{unknown}`{near if hint is None else f'; {hint}'}")

    def _value(self, key: str) -> object | None:
        self._asked[key] = None
        return self._data.get(key)
