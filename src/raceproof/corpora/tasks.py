"""Which programs does a corpus have, and what is the truth about each of them?

A corpus is a directory, an SV-COMP set, one task definition, or an `expected.tsv`:

    corpus/locks/expected.tsv          counter.c<TAB>race-free    one program a line, seen from the file
    corpus/arrays/sum.yml              input_files: sum.i         an SV-COMP task definition
    corpus/Concurrency.set             arrays/*.yml               patterns, one a line

In a directory everything is found, at any depth; where an `expected.tsv` is, it speaks for all that is below. Task
definitions that say nothing about data races are left out. What is named must be there: a corpus with a mistake is
refused before anything is run.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raceproof import frontend
from raceproof.core import InputError, SourcePos
from raceproof.model import Verdict

_LONGEST_PATTERN = 4096  # as long as paths can be
EXPECTED = "expected.tsv"
_DEFINITIONS = (".yml", ".yaml")
_PROPERTY = b"no-data-race.prp"
_TRUTHS = {"race": Verdict.RACE, "race-free": Verdict.RACE_FREE}


@dataclass(frozen=True, slots=True)
class Task:
    """One program with its truth, RACE or RACE_FREE. `name` is its path seen from the corpus, `category` the folder."""

    name: str
    category: str
    file: Path
    expected: Verdict

    @property
    def is_definition(self) -> bool:
        """Whether `file` is a task definition and not the program itself."""
        return self.file.suffix in _DEFINITIONS


@dataclass(frozen=True, slots=True)
class Corpus:
    """`digest` changes when a program or its truth does; `notes` is what the user should know."""

    name: str
    path: Path
    tasks: tuple[Task, ...]
    digest: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """`sources`: the files whose content is the program."""

    file: Path
    expected: Verdict
    sources: tuple[Path, ...]


def read_corpus(path: Path) -> Corpus:
    """All programs of the corpus; raises `InputError` if one of them is missing or has no truth that makes sense."""
    path = path.absolute()
    root = path if path.is_dir() else path.parent
    name = root.resolve().name if path.is_dir() or path.name == EXPECTED else path.stem
    notes: list[str] = []
    found = list(_found(path, notes))
    if not found:
        raise InputError(
            f"{path}: no programs with a known verdict: no {EXPECTED}, and no task definition (.yml) about data races"
        )
    tasks, hashed = [], hashlib.sha256()
    for entry in found:
        relative = Path(os.path.relpath(entry.file, root))
        folder = str(relative.parent)
        tasks.append(Task(str(relative), name if folder == "." else folder, entry.file, entry.expected))
        for part in (os.fsencode(relative), entry.expected.value.encode(), *map(_content, entry.sources)):
            hashed.update(hashlib.sha256(part).digest())
    _refuse_twins(tasks)
    return Corpus(name, path, tuple(tasks), hashed.hexdigest(), tuple(notes))


def _found(path: Path, notes: list[str]) -> Iterator[_Found]:
    if path.is_dir():
        yield from _in_directory(path, notes)
    elif path.name == EXPECTED:
        yield from _listed(path)
    elif path.suffix == ".set":
        yield from _of_definitions(_of_set(path, notes), notes)
    elif path.suffix in _DEFINITIONS:
        yield from _of_definitions([path], notes)
    elif not path.exists():
        raise InputError(f"{path}: no such file or directory")
    else:
        raise InputError(f"{path}: no corpus: give a directory, an {EXPECTED}, an SV-COMP .set or a task .yml")


def _in_directory(root: Path, notes: list[str]) -> Iterator[_Found]:
    definitions = []
    for folder, folders, files in os.walk(root, onerror=_unreadable):
        folders.sort()
        if EXPECTED in files:
            folders.clear()
            yield from _listed(Path(folder, EXPECTED))
        else:
            definitions += [Path(folder, file) for file in sorted(files) if Path(file).suffix in _DEFINITIONS]
    yield from _of_definitions(definitions, notes)


def _unreadable(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be read: {error.strerror}")


def _listed(table: Path) -> Iterator[_Found]:
    for number, line in enumerate(_content(table).decode("utf-8", "surrogateescape").split("\n"), start=1):
        if not line.strip():
            continue
        name, tab, truth = line.removesuffix("\r").partition("\t")
        file, truth = table.parent / name, truth.strip()
        if not tab or not name or truth not in _TRUTHS:
            pos = SourcePos(str(table), number)
            raise InputError("each line is a file, a tab, and `race` or `race-free`", pos)
        if not os.path.isfile(file):
            raise InputError(f"no such file: {file}", SourcePos(str(table), number))
        yield _Found(file, _TRUTHS[truth], (file,))


def _of_set(path: Path, notes: list[str]) -> Iterator[Path]:
    for number, line in enumerate(_content(path).decode("utf-8", "surrogateescape").splitlines(), start=1):
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        if len(pattern) > _LONGEST_PATTERN:
            raise InputError(f"a pattern of {len(pattern)} characters", SourcePos(str(path), number))
        fitting = sorted(glob.glob(pattern, root_dir=path.parent, recursive=True))
        if not fitting:
            notes.append(f"{path}:{number}: nothing fits {pattern}")
        for name in fitting:
            file = path.parent / name
            if file.suffix not in _DEFINITIONS:
                raise InputError(f"{name}: not a task definition (.yml)", SourcePos(str(path), number))
            yield file


def _of_definitions(files: Sequence[Path] | Iterator[Path], notes: list[str]) -> Iterator[_Found]:
    """Each once, those that say nothing about data races left out."""
    left_out = 0
    for file in dict.fromkeys(files):
        # Most of a benchmark set is about other properties and not worth the time of a YAML parser.
        request = frontend.from_task(file) if _PROPERTY in _content(file) else None
        if request is None or request.expected is None:
            left_out += 1
            continue
        truth = Verdict.RACE_FREE if request.expected else Verdict.RACE
        yield _Found(file, truth, (file, *(unit.path for unit in request.units)))
    if left_out:
        notes.append(f"task definitions that say nothing about data races, left out: {left_out}")


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None


def _refuse_twins(tasks: Sequence[Task]) -> None:
    seen: set[str] = set()
    for task in tasks:
        if task.name in seen:
            raise InputError(f"{task.file}: is listed twice")
        seen.add(task.name)
