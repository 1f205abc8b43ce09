"""What a configuration file says. Paths are as seen from the current directory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from raceproof.config.suppressions import Suppression
from raceproof.core import InputError
from raceproof.model import Models

DataModel = Literal["ILP32", "LP64"]


@dataclass(frozen=True, slots=True)
class Config:
    """Each field is what `file` says; None and empty where it says nothing, so that a default can be taken.

    `sources` are patterns, relative to the file; at most one of `sources` and `compile_commands` is given.
    """

    file: Path
    sources: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    compile_commands: Path | None = None
    target: str | None = None
    data_model: DataModel | None = None
    entry: str | None = None
    arguments: tuple[str, ...] | None = None
    engines: tuple[str, ...] | None = None
    accept: str | None = None
    time_limit: float | None = None
    jobs: int | None = None
    models: Models = field(default_factory=Models)
    suppressions: tuple[Suppression, ...] = ()
    baseline: Path | None = None


def source_files(config: Config) -> tuple[Path, ...]:
    """The files that the patterns of `sources` stand for, in the order of the patterns, then by name."""
    directory = config.file.parent
    found: dict[Path, None] = {}
    for pattern in config.sources:
        matching = sorted(path for path in directory.glob(pattern) if path.is_file())
        if not matching:
            raise InputError(f"{config.file}: `sources`: no file matches `{pattern}` in {directory.absolute()}")
        found.update(dict.fromkeys(matching))
    return tuple(found)
