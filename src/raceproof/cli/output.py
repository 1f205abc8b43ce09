"""What is written where: standard output that may be closed, terminals that may want colour, files."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TextIO

from raceproof.core import InputError


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


class ResultFile:
    """The target of `--json`, `--html` and the like: a path, or `-` for standard output.

    Use as a context manager around the analysis. A target that cannot be written fails before it; when the
    analysis fails, no result of an earlier run is left behind to be taken for this one's.
    """

    def __init__(self, option: str, target: str, inputs: Iterable[str]) -> None:
        self.option = option
        self._path = None if target == "-" else Path(target)
        self._inputs = tuple(inputs)
        self._is_written = False

    def __enter__(self) -> ResultFile:
        path = self._path
        if path is None:
            return self
        try:
            for name in self._inputs:
                if path.exists() and Path(name).exists() and path.samefile(name):
                    raise InputError(f"{self.option} would overwrite the input {name}; give it another file")
            with path.open("a", encoding="utf-8"):
                pass
        except OSError as error:
            raise self._failure(path, error) from error
        return self

    def write(self, text: str) -> None:
        if self._path is None:
            sys.stdout.write(text)
            return
        try:
            self._path.write_text(text, encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise self._failure(self._path, error) from error
        self._is_written = True

    def __exit__(self, *error: object) -> None:
        if self._path is not None and not self._is_written and self._path.is_file():
            self._path.unlink()

    def _failure(self, path: Path, error: OSError) -> InputError:
        return InputError(f"cannot write {path}: {error.strerror}; give {self.option} another file")


def json_file(target: str | None, inputs: Iterable[str]) -> AbstractContextManager[ResultFile | None]:
    """The target of `--json`, if there is one."""
    return ResultFile("--json", target, inputs) if target is not None else nullcontext()
