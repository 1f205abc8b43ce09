"""From what the user typed to a `CompileRequest`: files, flags, data model.

Everything that can be wrong with an input before a compiler runs is found here, with one message each:
missing, a directory, unreadable, empty, binary, not a kind of file that raceproof reads.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

import yaml

from raceproof.core import InputError, SourcePos
from raceproof.frontend.flags import DataModel, data_model_of, without_build_flags
from raceproof.frontend.machines import MACHINES

Headers = Literal["auto", "system", "bundled"]

C_SUFFIXES = (".c", ".h")
PREPROCESSED_SUFFIXES = (".i", ".ii")
CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".C", ".c++", ".ii")
LLVM_SUFFIXES = (".ll", ".bc")
_READABLE = tuple(dict.fromkeys([*C_SUFFIXES, *PREPROCESSED_SUFFIXES, *CPP_SUFFIXES, *LLVM_SUFFIXES]))
_RACE_PROPERTY = "no-data-race.prp"
_LARGEST_TASK = 50_000  # characters; the time that YAML takes may grow with the square of it
# The one in C is faster and refuses what is deeply nested. Not everywhere is PyYAML built with it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Unit:
    """One file to compile. `file` and relative paths in `flags` are seen from `directory`."""

    file: Path
    flags: tuple[str, ...]
    directory: Path

    @property
    def path(self) -> Path:
        return self.directory / self.file


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """Everything that determines the program to analyse.

    `headers`: "system" takes /usr/include, "bundled" the headers that come with the compiler (the system's
    are then looked at last), "auto" the system's if they are installed. `compiler` is the path of a clang to
    use in place of the one installed with raceproof. `expected` is what an SV-COMP task says about data races:
    True for race-free. `root`: the directory that relative names of files in results are seen from.
    `prototypes`: functions whose prototypes are asked for. `left_out`: code of the program that is not in the units.
    `machine`: one of `MACHINES` that the program is for, None for this one.
    """

    units: tuple[Unit, ...]
    data_model: DataModel = "LP64"
    headers: Headers = "auto"
    compiler: Path | None = None
    entry: str = "main"
    expected: bool | None = None
    root: Path = field(default_factory=Path.cwd)
    prototypes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    machine: str | None = None

    def for_machine(self, name: str) -> CompileRequest:
        """The same program for another machine, whose data model it has."""
        model: DataModel = "LP64" if MACHINES[name].bits == 64 else "ILP32"
        return replace(self, machine=name, data_model=model)

    def names(self) -> str:
        """The files, for messages."""
        shown = [str(unit.file) for unit in self.units[:5]]
        more = len(self.units) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def from_files(
    paths: Sequence[Path | str],
    cflags: Sequence[str] = (),
    *,
    data_model: DataModel | None = None,
    headers: Headers = "auto",
    compiler: Path | None = None,
    entry: str = "main",
) -> CompileRequest:
    """A program of the given files, each compiled with `cflags` in the current directory."""
    if not paths:
        raise InputError("no input file")
    flags = without_build_flags(cflags)
    units: dict[Path, Unit] = {}
    for path in map(Path, paths):
        check_source(path)
        units.setdefault(path.resolve(), Unit(path, flags, Path.cwd()))
    model = data_model or data_model_of(cflags) or "LP64"
    return CompileRequest(tuple(units.values()), model, headers, find_compiler(compiler), entry)


def find_compiler(name: Path | None) -> Path | None:
    """A compiler given by name is looked for as a shell would; the result does not depend on the directory."""
    found = shutil.which(name) if name is not None else None
    return Path(found or name).absolute() if name is not None else None


def check_source(path: Path) -> None:
    """Raise `InputError` unless `path` is a file that a compiler could make something of."""
    content = read_bytes(path)
    if path.suffix not in _READABLE:
        raise InputError(f"{path}: not a kind of file that raceproof reads ({' '.join(_READABLE)}){_hint(path)}")
    if path.suffix == ".bc":
        return
    if not content.strip():
        raise InputError(f"{path}: the file is empty")
    if b"\0" in content:
        raise InputError(f"{path}: a binary file, not C source")


def _hint(path: Path) -> str:
    if path.suffix in (".yml", ".yaml"):
        return "; give a task definition with --task"
    return "; give a compilation database with -p" if path.suffix == ".json" else ""


def check_words(words: Iterable[str], where: str) -> None:
    """Refuse what no command line and no file system can bear: NUL, and halves of characters."""
    for word in words:
        try:
            is_bad = b"\0" in os.fsencode(word)
        except UnicodeEncodeError:
            is_bad = True
        if is_bad:
            raise InputError(f"{where}: {word[:100]!r} can be no file and no flag")


def read_bytes(path: Path) -> bytes:
    """The content of an input file, or `InputError` with the reason."""
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a directory, not a file")
        if path == Path("-"):
            raise InputError("-: standard input is not read: reports and replays name files; save it as a file first")
        if path.exists() and not path.is_file():  # a pipe would wait for ever, a device never end
            raise InputError(f"{path}: not a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def from_task(
    path: Path | str,
    cflags: Sequence[str] = (),
    *,
    headers: Headers = "auto",
    compiler: Path | None = None,
) -> CompileRequest:
    """The program of an SV-COMP task definition (format 2.0).

    Fields that raceproof has no use for are left alone; one that it needs must be there and make sense.
    """
    task = Path(path)
    fields = _read_yaml(task)
    if str(fields.get("format_version")) not in ("1.0", "2.0", "2.1"):
        found = fields.get("format_version", "missing")
        raise InputError(f"{task}: format_version is {found}; raceproof reads task definitions of format 2.0")
    names = fields.get("input_files")
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{task}: field input_files must name the program's files")
    options = fields.get("options") or {}
    if not isinstance(options, dict):
        raise InputError(f"{task}: field options must be a mapping")
    language, model = options.get("language", "C"), options.get("data_model", "LP64")
    if language not in ("C", "C++"):
        raise InputError(f"{task}: field options.language is {language}; raceproof reads C")
    if model not in ("LP64", "ILP32"):
        raise InputError(f"{task}: field options.data_model is {model}; it must be ILP32 or LP64")
    check_words(names, str(task))
    files = [task.parent / name for name in names]
    request = from_files(files, cflags, data_model=cast(DataModel, model), headers=headers, compiler=compiler)
    expected = _expected_verdict(task, fields.get("properties"))
    return replace(request, expected=expected)


def _read_yaml(task: Path) -> Mapping[str, object]:
    text = read_bytes(task).decode("utf-8", "replace")
    if len(text) > _LARGEST_TASK:
        raise InputError(f"{task}: not a task definition: {len(text)} characters")
    try:
        fields = yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        pos = SourcePos(str(task), mark.line + 1, mark.column + 1) if mark is not None else None
        raise InputError(f"not valid YAML: {error.problem}", pos) from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:  # no such date, a list as a key
        raise InputError(f"{task}: not valid YAML: {error}") from None
    if not isinstance(fields, dict):
        raise InputError(f"{task}: not a task definition: it has no fields")
    return fields


def _expected_verdict(task: Path, properties: object) -> bool | None:
    """`expected_verdict` of the property no-data-race, None if the task does not say."""
    if properties is None:
        return None
    if not isinstance(properties, list) or not all(isinstance(entry, dict) for entry in properties):
        raise InputError(f"{task}: field properties must be a list of mappings")
    for entry in properties:
        if Path(str(entry.get("property_file", ""))).name == _RACE_PROPERTY:
            verdict = entry.get("expected_verdict")
            if verdict is not None and not isinstance(verdict, bool):
                raise InputError(f"{task}: field expected_verdict of {_RACE_PROPERTY} must be true or false")
            return verdict
    return None
