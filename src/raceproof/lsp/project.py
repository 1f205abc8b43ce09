"""Which program a file belongs to, and the command that checks it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

_CONFIG, _PYPROJECT = "raceproof.toml", "pyproject.toml"
_DATABASES = ("compile_commands.json", "build/compile_commands.json")
_REPOSITORY = (".git", ".hg", ".svn", ".jj")


@dataclass(frozen=True, slots=True)
class Project:
    """A program: where it is checked, and what is named there; nothing where its configuration names it."""

    directory: Path
    inputs: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.inputs[0] if self.inputs else self.directory.name


def project_of(file: Path) -> Project:
    """By the nearest `raceproof.toml` that names sources, or compilation database; else the file is the program."""
    for directory in file.resolve().parents:
        if _names_sources(directory):
            return Project(directory, ())
        for name in _DATABASES:
            if (directory / name).is_file():
                return Project(directory, ("-p", name))
        if any((directory / name).exists() for name in _REPOSITORY):
            break
    return Project(file.resolve().parent, (file.name,))


def _names_sources(directory: Path) -> bool:
    for name, path in ((_CONFIG, ()), (_PYPROJECT, ("tool", "raceproof"))):
        try:
            data = tomllib.loads((directory / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        for key in path:
            data = data.get(key, {})
        if "sources" in data or "compile_commands" in data:
            return True
    return False
