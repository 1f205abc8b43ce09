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
    analysis fails or is killed, no result of an earlier run is left behind to be taken for this one's, and no part of
    one: the file is there once it is whole.
    """

    def __init__(self, option: str, target: str, inputs: Iterable[str]) -> None:
        self.option = option
        self._path = None if target == "-" else Path(target)
        self._inputs = tuple(inputs)
        self._beside: Path | None = None  # where it is written first; None for what is no file, as /dev/stdout

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
            if path.is_file():
                self._prepare(path)
        except (OSError, ValueError) as error:
            raise self._failure(path, error) from error
        return self

    def _prepare(self, path: Path) -> None:
        """Take away what is there. The file is written under another name first, if its directory lets us."""
        real = path.resolve()
        beside = real.with_name(f".raceproof-{os.getpid()}-{real.name}"[:200])
        try:
            beside.touch()
            beside.unlink()
            real.unlink()
        except OSError:
            with path.open("w", encoding="utf-8"):
                return
        self._beside = beside

    def write(self, text: str) -> None:
        if self._path is None:
            sys.stdout.write(text)
            return
        try:
            (self._beside or self._path).write_text(text, encoding="utf-8", errors="surrogateescape")
            if self._beside is not None:
                self._beside.replace(self._path.resolve())
        except OSError as error:
            raise self._failure(self._path, error) from error

    def __exit__(self, *error: object) -> None:
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)

    def _failure(self, path: Path, error: OSError | ValueError) -> InputError:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return InputError(f"cannot write {path}: {reason}; give {self.option} another file")


def json_file(target: str | None, inputs: Iterable[str]) -> AbstractContextManager[ResultFile | None]:
    """The target of `--json`, if there is one."""
    return ResultFile("--json", target, inputs) if target is not None else nullcontext()
