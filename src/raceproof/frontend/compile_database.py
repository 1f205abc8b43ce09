"""Read a compile_commands.json and pick the files that make one program.

The database lists compilations, not links. What belongs together is told by the build system's object
directories (`CMakeFiles/NAME.dir/`, Meson's `NAME.p/`) and by which files define `main`: a program is the files
of its target and of every target without a `main` (libraries).
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raceproof.core import InputError, SourcePos
from raceproof.frontend.flags import data_model_of, meaningful_flags, output_of, without_build_flags
from raceproof.frontend.inputs import (
    CompileRequest,
    Headers,
    Unit,
    check_source,
    check_words,
    find_compiler,
    read_bytes,
)

_TARGET = re.compile(r"(?:^|/)(?:CMakeFiles/([^/]+)\.dir|([^/]+?)(?:\.p|@exe|@sta|@sha))/")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MAIN = re.compile(r"\bmain\s*\([^(){};]*\)\s*(?:__attribute__[^{;]*)?(?:\w[\w\s*,\[\]]*;\s*)*\{")
_ASSEMBLY = (".s", ".S", ".asm")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One compilation; `target` is the build target it is for, or the file itself where that is unknown."""

    unit: Unit
    target: str
    output: str
    has_main: bool
    arguments: tuple[str, ...]

    @property
    def object(self) -> Path | None:
        """The file that the compilation writes, if the database tells."""
        return Path(os.path.normpath(self.unit.directory / self.output)) if self.output else None


def from_compile_commands(
    path: Path | str,
    target: str | None = None,
    cflags: Sequence[str] = (),
    *,
    headers: Headers = "auto",
    compiler: Path | None = None,
) -> CompileRequest:
    """The program that a compilation database describes, with `cflags` added to each file's own flags.

    `target` chooses where the database has several programs: the name of a build target, the beginning of an
    object file's or source file's path, or several of these with commas between; libraries are added to a
    single choice, several are taken as they are.
    """
    database, entries = _read(path, cflags)
    if not entries:
        raise InputError(f"{database}: the compilation database names no C file")
    chosen = _without_duplicates(database, _choose(database, entries, target))
    models = {data_model_of(entry.arguments) or "LP64" for entry in chosen}
    if len(models) > 1:
        raise InputError(f"{database}: some files are compiled with -m32 and some without; choose with --target")
    for entry in chosen:
        check_source(entry.unit.path)
    return CompileRequest(tuple(entry.unit for entry in chosen), models.pop(), headers, find_compiler(compiler))


def programs_of(path: Path | str) -> tuple[str, ...]:
    """The names of the programs that a compilation database builds, each good for `target`."""
    return tuple(dict.fromkeys(entry.target for entry in _read(path, ())[1] if entry.has_main))


def _read(path: Path | str, cflags: Sequence[str]) -> tuple[Path, list[_Entry]]:
    database = Path(path)
    if database.is_dir():
        database /= "compile_commands.json"
    entries = [_read_entry(database, number, fields, cflags) for number, fields in enumerate(_read_json(database), 1)]
    return database, [entry for entry in entries if entry.unit.file.suffix not in _ASSEMBLY]


def _read_json(database: Path) -> list[Mapping[str, object]]:
    text = read_bytes(database).decode("utf-8", "replace")
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {error.msg}", SourcePos(str(database), error.lineno, error.colno)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{database}: not a compilation database: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{database}: a compilation database is a list of objects")
    return entries


def _read_entry(database: Path, number: int, fields: Mapping[str, object], cflags: Sequence[str]) -> _Entry:
    where = f"{database}: entry {number}"
    file, directory = fields.get("file"), fields.get("directory", ".")
    if not isinstance(file, str) or not isinstance(directory, str):
        raise InputError(f"{where}: `file` and `directory` must be strings")
    arguments = _arguments(where, fields)
    output = str(fields.get("output") or output_of(arguments) or "")
    check_words((file, directory, output, *arguments), where)
    home = (database.parent / directory).resolve()
    if not os.path.isdir(home):
        raise InputError(f"{where}: no such directory: {directory}")
    flags = meaningful_flags(arguments[1:]) + without_build_flags(cflags)
    match = _TARGET.search(output)
    path = Path(os.path.normpath(home / file))
    if not os.path.exists(path):
        path = home / file  # a symbolic link on the way makes `..` mean something else
    target = (match.group(1) or match.group(2)) if match else str(path)
    return _Entry(Unit(path, flags, home), target, output, _defines_main(path), (*arguments, *cflags))


def _arguments(where: str, fields: Mapping[str, object]) -> tuple[str, ...]:
    arguments, command = fields.get("arguments"), fields.get("command")
    if isinstance(arguments, list) and arguments and all(isinstance(argument, str) for argument in arguments):
        return tuple(arguments)
    if isinstance(command, str) and command.strip():
        try:
            return tuple(shlex.split(command))
        except ValueError as error:
            raise InputError(f"{where}: `command` cannot be split into words: {error}") from None
    raise InputError(f"{where}: neither `arguments` (a list of strings) nor `command` (a string)")


def _defines_main(path: Path) -> bool:
    """Does the text look as if it defined `main`? A guess: macros may hide it; linking will tell."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False  # reported for the files that are chosen
    return "main" in text and _MAIN.search(_COMMENT.sub(" ", text)) is not None


def _choose(database: Path, entries: list[_Entry], target: str | None) -> list[_Entry]:
    with_main = {entry.target for entry in entries if entry.has_main}
    if target is None:
        if len(with_main) > 1:
            raise InputError(
                f"{database}: several programs; choose one with --target, or `raceproof check --all-targets`:\n"
                f"{_choices(entries)}"
            )
        return entries
    names = [name for name in target.split(",") if name]
    picked: list[_Entry] = []
    for name in names:
        found = [entry for entry in entries if _is_named(entry, name)]
        if not found:
            raise InputError(f"{database}: no target `{name}`; there are:\n{_choices(entries)}")
        picked += [entry for entry in found if entry not in picked]
    mains = [entry for entry in picked if entry.has_main]
    if len({entry.target for entry in mains}) > 1:
        raise InputError(f"{database}: target `{target}` has several programs:\n{_choices(picked)}")
    if len(names) > 1:
        return picked
    files = {entry.unit.path for entry in picked}
    return picked + [e for e in entries if e.target not in with_main and e not in picked and e.unit.path not in files]


def _is_named(entry: _Entry, name: str) -> bool:
    if entry.target == name:
        return True
    source = entry.unit.path
    if entry.object is not None and str(entry.object).startswith(str(Path(name).absolute())):
        return True
    return bool(entry.output and entry.output.startswith(name)) or source == Path(name).resolve() or source.match(name)


def _choices(entries: list[_Entry]) -> str:
    mains: dict[str, str] = {}
    for entry in entries:
        if entry.has_main:
            mains.setdefault(entry.target, str(entry.unit.path))
    return "\n".join(f"  {name}" + (f" (main in {file})" if name != file else "") for name, file in mains.items())


def _without_duplicates(database: Path, entries: list[_Entry]) -> list[_Entry]:
    """One entry per file; the same file with other flags is another program's, and has to be chosen."""
    by_file: dict[Path, list[_Entry]] = {}
    for entry in entries:
        by_file.setdefault(entry.unit.path, []).append(entry)
    places = {entry.object.parent for entry in entries if entry.has_main and entry.object is not None}
    return [_one_of(database, found, places) for found in by_file.values()]


def _one_of(database: Path, entries: list[_Entry], places: set[Path]) -> _Entry:
    """The compilation of a file that counts; `places`: the directories where the objects of programs are.

    Shared and static objects of a library (`-DPIC`) are one. Of several with one object the last one makes it. Then an
    object beside that of the program is the program's.
    """
    by_flags = {tuple(flag for flag in entry.unit.flags if flag != "-DPIC"): entry for entry in reversed(entries)}
    if len(by_flags) == 1:
        return min(entries, key=lambda entry: "-DPIC" in entry.unit.flags)
    if entries[0].object is not None:
        entries = list({entry.object: entry for entry in entries}.values())
    beside = [entry for entry in entries if entry.object is not None and entry.object.parent in places]
    if len(entries) == 1 or len(beside) == 1:
        return beside[0] if beside else entries[0]
    names = list(dict.fromkeys(entry.target for entry in entries))
    if len(names) < len(entries):
        names = list(dict.fromkeys(str(entry.object or entry.target) for entry in entries))
    if len(names) == 1:  # no name tells them apart: the last one is what the build has left
        return entries[-1]
    listed = "\n".join(f"  {name}" for name in names)
    raise InputError(
        f"{database}: {entries[0].unit.path} is compiled {len(entries)} times with different flags: choose with "
        f"--target=NAME, or with --target=NAME,NAME for exactly these; NAME may be the beginning of an object's path:\n"
        f"{listed}"
    )
