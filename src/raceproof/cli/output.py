"""What is written where: standard output that may be closed, terminals that may want colour, the JSON file."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from raceproof import report
from raceproof.core import InputError
from raceproof.model import CheckResult


def is_interactive(stream: TextIO, environment: Mapping[str, str]) -> bool:
    return stream.isatty() and environment.get("TERM", "") not in ("", "dumb")


def wants_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """A terminal, and no `NO_COLOR` (no-color.org: set and not empty)."""
    return is_interactive(stream, environment) and not environment.get("NO_COLOR")


def make_robust() -> None:
    """A terminal that cannot show a character of a file name gets an escape instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard() -> None:
    """Give the interpreter somewhere to flush what a closed pipe did not take."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


class JsonFile:
    """The target of `--json`: a path, `-` for standard output, None for nowhere.

    Use as a context manager around the analysis. A target that cannot be written fails before it; when the
    analysis fails, no result of an earlier run is left behind to be taken for this one's.
    """

    def __init__(self, target: str | None, inputs: Iterable[str]) -> None:
        self._target = target
        self._inputs = tuple(inputs)
        self._written = False

    @property
    def _path(self) -> Path | None:
        return None if self._target in (None, "-") else Path(str(self._target))

    def __enter__(self) -> JsonFile:
        path = self._path
        if path is None:
            return self
        try:
            for name in self._inputs:
                if path.exists() and Path(name).exists() and path.samefile(name):
                    raise InputError(f"--json would overwrite the input {name}; give it another file")
            with path.open("a", encoding="utf-8"):
                pass
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}; give --json another file") from error
        return self

    def write(self, result: CheckResult) -> None:
        if self._target is None:
            return
        text = json.dumps(report.to_json(result), indent=2) + "\n"
        path = self._path
        if path is None:
            sys.stdout.write(text)
            return
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}; give --json another file") from error
        self._written = True

    def __exit__(self, *error: object) -> None:
        path = self._path
        if path is not None and not self._written and path.is_file():
            path.unlink()
