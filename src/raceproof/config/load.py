"""Find and read the configuration: `raceproof.toml`, or `[tool.raceproof]` in `pyproject.toml`.

The first directory that has one counts, from where the user stands up to the root of the repository. Files above it are
not looked at: what holds for a program stands in one place.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, cast

from raceproof.config.function_tables import function_models
from raceproof.config.lock_tables import lock_models, safe_functions
from raceproof.config.settings import Config, DataModel
from raceproof.config.suppressions import suppressions_of
from raceproof.config.tables import Table
from raceproof.core import InputError
from raceproof.model import Models, Scope

NAME = "raceproof.toml"
PYPROJECT = "pyproject.toml"
_REPOSITORY = (".git", ".hg", ".svn", ".jj")
# Flags of the compiler that are followed by a path, in the same word or in the next.
_PATH_FLAGS = ("-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I")

_Data = dict[str, object]


def load_config(start: Path, explicit: Path | None = None) -> Config | None:
    """The configuration that holds at `start`, or that of the file `explicit`; None if there is none.

    Raises `InputError`, with file and key, if it cannot be used.
    """
    if explicit is not None:
        data = _section(explicit) if explicit.name == PYPROJECT else _read(explicit)
        if data is None:
            raise InputError(f"{explicit}: there is no [tool.raceproof] in it")
        return parse_config(explicit, data)
    here = start.resolve()
    for directory in (here, *here.parents):
        found = _in_directory(Path(os.path.relpath(directory)))
        if found is not None:
            return parse_config(*found)
        if any((directory / name).exists() for name in _REPOSITORY):
            break
    return None


def parse_config(file: Path, data: _Data) -> Config:
    """Check every key. `file` is as seen from the current directory."""
    table = Table(file, "", data)
    sources = table.texts("sources") or ()
    for pattern in sources:
        _check_pattern(table, pattern)
    config = Config(
        file=file,
        sources=sources,
        flags=_from_here(file.parent, table.texts("flags") or ()),
        link=tuple(_linked(file.parent, flag) for flag in table.texts("link") or ()),
        compile_commands=_path(table, file, "compile_commands"),
        target=table.text("target"),
        data_model=cast(DataModel | None, table.choice("data_model", ("ILP32", "LP64"))),  # just checked
        entry=table.text("entry"),
        arguments=table.texts("arguments"),
        engines=table.texts("engines"),
        accept=table.choice("accept", (Scope.THIS_INPUT.value,)),
        time_limit=table.number("time_limit"),
        jobs=table.integer("jobs", least=1),
        models=_models(table),
        suppressions=suppressions_of(table.tables("suppress")),
        baseline=_path(table, file, "baseline"),
    )
    table.finish()
    _check_together(table, config)
    return config


def _models(table: Table) -> Models:
    locks = lock_models(table, table.tables("lock"))
    safe = safe_functions(table.tables("safe"))
    functions = function_models(table.tables("function"), {model.function for model in locks})
    return Models(locks, safe, functions)


def _check_together(table: Table, config: Config) -> None:
    if config.sources and config.compile_commands is not None:
        table.error("give only one of `sources` and `compile_commands`")
    if config.target is not None and config.compile_commands is None:
        table.error("`target` chooses a target of compile_commands.json: it needs `compile_commands`")
    if config.data_model is not None and config.compile_commands is not None:
        table.error("the data model comes with the compilation database: leave `data_model` out")
    if config.engines is not None and not config.engines:
        table.error("`engines` names none")


def _in_directory(directory: Path) -> tuple[Path, _Data] | None:
    own, shared = directory / NAME, directory / PYPROJECT
    section = _section(shared, only_if_ours=True) if shared.is_file() else None
    if own.is_file():
        if section is not None:
            raise InputError(f"both {own} and [tool.raceproof] in {shared.name} beside it: keep one of them")
        return own, _read(own)
    return (shared, section) if section is not None else None


def _section(file: Path, only_if_ours: bool = False) -> _Data | None:
    """[tool.raceproof]; a broken file that does not mention us is not our business, with `only_if_ours`."""
    try:
        data = _read(file)
    except InputError:
        if only_if_ours and b"tool.raceproof" not in file.read_bytes():
            return None
        raise
    tool = data.get("tool")
    section = tool.get("raceproof") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise InputError(f"{file}: `tool.raceproof` must be a table: write [tool.raceproof]")
    return section


def _read(file: Path) -> _Data:
    try:
        with file.open("rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # also: not UTF-8, a number too long
        raise InputError(f"{file}: not TOML: {error}") from error


def _path(table: Table, file: Path, key: Literal["compile_commands", "baseline"]) -> Path | None:
    text = table.text(key)
    return file.parent / text if text is not None else None


def _check_pattern(table: Table, pattern: str) -> None:
    parts = Path(pattern).parts
    if not pattern.strip():
        table.error("`sources`: an empty pattern")
    if Path(pattern).is_absolute():
        table.error(f"`sources`: `{pattern}` must be relative to the file")
    if any("**" in part and part != "**" for part in parts):
        table.error(f"`sources`: in `{pattern}`, ** must stand alone between slashes")
    if "[" in pattern and "]" not in pattern.partition("[")[2]:
        table.error(f"`sources`: in `{pattern}`, a [ is not closed")


def _linked(directory: Path, flag: str) -> str:
    """Directories and shared objects are relative to the file, too."""
    if flag.startswith("-L"):
        return f"-L{directory / flag[2:]}"
    return flag if flag.startswith("-") else str(directory / flag)


def _from_here(directory: Path, flags: Sequence[str]) -> tuple[str, ...]:
    """The flags with their paths, which are relative to the file, as seen from the current directory."""
    if directory == Path("."):
        return tuple(flags)
    return tuple(_moved(directory, flags))


def _moved(directory: Path, flags: Sequence[str]) -> Iterable[str]:
    is_path = False
    for flag in flags:
        prefix = next((p for p in _PATH_FLAGS if flag.startswith(p)), None)
        if is_path:
            yield str(directory / flag)
            is_path = False
        elif prefix is not None and len(flag) > len(prefix):
            yield prefix + str(directory / flag[len(prefix) :])
        else:
            is_path = prefix is not None
            yield flag
