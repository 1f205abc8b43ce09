"""`raceproof init`: write a raceproof.toml for the project that is here."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raceproof.cli.options import Commands
from raceproof.cli.status import Exit
from raceproof.core import InputError

NAME = "raceproof.toml"
_DATABASES = ("compile_commands.json", "build/compile_commands.json", "builddir/compile_commands.json")
_LEFT_OUT = (
    "test",
    "tests",
    "example",
    "examples",
    "bench",
    "benchmarks",
    "build",
    "builddir",
    "third_party",
    "vendor",
)
_MAIN = re.compile(r"^\s*(?:int|void)?\s*main\s*\(", re.MULTILINE)
_MOST_FILES = 5000
_BUILDS = (
    ("CMakeLists.txt", "cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
    ("meson.build", "meson setup builddir"),
    ("configure", 'CC="raceproof cc" ./configure && make, and then raceproof check ./PROGRAM'),
    ("configure.ac", 'autoreconf -i && CC="raceproof cc" ./configure && make, and then raceproof check ./PROGRAM'),
    ("Makefile", 'make CC="raceproof cc", and then raceproof check ./PROGRAM'),
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the file is to say, and what the user should know."""

    lines: tuple[str, ...]
    remarks: tuple[str, ...]


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "init",
        help="write a raceproof.toml for this project",
        description="Look at the project in this directory (compilation database, C files with and without main, "
        "include directories) and write raceproof.toml. Exit status: 0, or 2 if there is nothing to write.",
    )
    parser.add_argument("directory", type=Path, nargs="?", default=Path(), metavar="DIR", help="(default: here)")
    parser.add_argument("-v", "--verbose", action="count", default=0, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    directory: Path = args.directory
    if not directory.is_dir():
        raise InputError(f"{directory}: there is no such directory")
    file = directory / NAME
    if file.exists():
        raise InputError(f"{file} is there already: it is not overwritten")
    proposal = proposed(directory)
    file.write_text("\n".join(["# See docs/configuration.md for all keys.", *proposal.lines]) + "\n", encoding="utf-8")
    print(f"written: {file}\n")
    print("\n".join(f"    {line}" for line in proposal.lines))
    if proposal.remarks:
        print("\n" + "\n".join(proposal.remarks))
    print("\nNext: raceproof check")
    return Exit.RACE_FREE


def proposed(directory: Path) -> Proposal:
    """By the compilation database, else by the files. Raises `InputError` if there is no C at all."""
    build = next((f"{name} is here: {how}" for name, how in _BUILDS if (directory / name).is_file()), None)
    for name in _DATABASES:
        if (directory / name).is_file():
            return _of_database(directory, name)
    files = sorted(_c_files(directory))
    if not files:
        raise InputError(f"{directory}: there are no C files here; give a directory with sources: raceproof init DIR")
    mains = [file for file in files if _has_main(directory / file)]
    remarks = [f"For exact files and flags, {build}"] if build is not None else []
    chosen = mains[0] if mains else None
    if len(mains) > 1:
        others = ", ".join(map(str, mains[1:]))
        remarks.append(
            f"There are other programs, which need a file of their own or names on the command line: {others}"
        )
    if not mains:
        remarks.append("No file has a main: raceproof check makes a harness (docs/findings.md)")
    sources = [*([chosen] if chosen is not None else []), *(file for file in files if file not in mains)]
    lines = [f"sources = {_listed(_patterns(directory, sources))}"]
    includes = [d for d in ("include", "inc", "src") if any((directory / d).glob("*.h"))]
    if includes:
        lines.append(f"flags = {_listed(f'-I{d}' for d in includes)}")
    return Proposal((*lines, "time_limit = 60"), tuple(remarks))


def _of_database(directory: Path, name: str) -> Proposal:
    try:
        entries = json.loads((directory / name).read_text(encoding="utf-8"))
        files = {Path(entry["directory"], entry["file"]) for entry in entries}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{directory / name}: not a compilation database: {error}") from None
    mains = sorted({file.stem for file in files if _has_main(file)})
    remarks = [f"It builds several programs, so one has to be chosen: {', '.join(mains)}"] if len(mains) > 1 else []
    target = [f'target = "{mains[0]}"'] if len(mains) > 1 else []
    return Proposal((f'compile_commands = "{name}"', *target, "time_limit = 60"), tuple(remarks))


def _c_files(directory: Path) -> Iterator[Path]:
    """Relative to the directory; tests, examples and what was built are not part of the program."""
    count = 0
    for root, directories, files in os.walk(directory):
        directories[:] = sorted(d for d in directories if not d.startswith(".") and d.lower() not in _LEFT_OUT)
        for file in sorted(files):
            count += 1
            if count > _MOST_FILES:
                return
            if file.endswith(".c"):
                yield Path(root, file).relative_to(directory)


def _has_main(file: Path) -> bool:
    try:
        return _MAIN.search(file.read_text(encoding="utf-8", errors="replace")) is not None
    except OSError:
        return False


def _patterns(directory: Path, sources: Sequence[Path]) -> Iterator[str]:
    """`src/*.c` where all C files of a directory are meant, else their names."""
    by_directory: dict[Path, list[Path]] = {}
    for file in sources:
        by_directory.setdefault(file.parent, []).append(file)
    for parent, files in by_directory.items():
        is_all = {file.name for file in (directory / parent).glob("*.c")} == {file.name for file in files}
        if is_all and len(files) > 1:
            yield (parent / "*.c").as_posix()
        else:
            yield from (file.as_posix() for file in files)


def _listed(texts: Iterable[str]) -> str:
    """As TOML has it, whose strings are JSON's here."""
    return json.dumps(list(texts), ensure_ascii=False)
