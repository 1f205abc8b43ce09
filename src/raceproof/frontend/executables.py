"""From an executable that was built with `raceproof cc` to a `CompileRequest`: its sources and flags, as recorded.

The sources are compiled again, as the front end needs them; so a source that is gone, or has changed since, is an
error: the answer would be about another program than the one that was named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from raceproof.builds import Compilation, Recorded, digest_of, is_elf, read_records
from raceproof.core import InputError
from raceproof.frontend.flags import meaningful_flags, without_build_flags
from raceproof.frontend.inputs import CompileRequest, Headers, Unit, check_source, check_words, find_compiler

_LANGUAGES = ("c", "c++", "cpp-output", "c++-cpp-output")
_MAX_NAMED = 5


def is_executable(path: Path) -> bool:
    """Whether it is what a linker makes, and not a source."""
    return is_elf(path)


def from_executable(
    path: Path,
    cflags: Sequence[str] = (),
    *,
    headers: Headers = "auto",
    compiler: Path | None = None,
) -> CompileRequest:
    """The program that `path` was linked from; `cflags` are added to the flags of each file."""
    recorded = read_records(path)
    if not recorded.compilations:
        raise InputError(
            f"{path}: was not built by `raceproof cc`, so its sources are not known: build it again with"
            ' CC="raceproof cc" (make and ./configure take it; for cmake -DCMAKE_C_COMPILER=raceproof-cc), or give'
            " its C files"
        )
    _check_fresh(path, recorded)
    units = tuple(_units(recorded, cflags))
    if not units:
        raise InputError(f"{path}: was not built from C")
    for unit in units:
        check_source(unit.path)
    return CompileRequest(
        units,
        "ILP32" if recorded.bits == 32 else "LP64",
        headers,
        find_compiler(compiler),
        left_out=tuple(dict.fromkeys(_left_out(recorded))),
    )


def _check_fresh(path: Path, recorded: Recorded) -> None:
    read = dict.fromkeys(entry for found in recorded.compilations for entry in found.read)
    gone = [name for name, digest in read if digest and not Path(name).is_file()]
    changed = [name for name, digest in read if digest and name not in gone and digest_of(Path(name)) != digest]
    for names, what in ((gone, "gone, and were there when"), (changed, "not what they were when")):
        if names:
            more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
            files = ", ".join(dict.fromkeys(names[:_MAX_NAMED]))
            raise InputError(f"{path}: sources are {what} it was built: build it again ({files}{more})")


def _units(recorded: Recorded, cflags: Sequence[str]) -> Iterator[Unit]:
    for found in recorded.compilations:
        if found.language in _LANGUAGES:
            directory = Path(found.directory)
            check_words((found.source, found.directory, *found.arguments), "the records of the build")
            flags = meaningful_flags(found.arguments) + without_build_flags(cflags)
            yield Unit(directory / found.source, flags, directory)


def _left_out(recorded: Recorded) -> Iterator[str]:
    """Code that is in the program and not in the sources that are known."""
    for found in recorded.compilations:
        if found.language not in _LANGUAGES:
            yield f"{_name(found)} is not C: what it does is not known"
    for linking in recorded.linkings:
        for name in linking.unrecorded:
            yield f"{name} was not compiled by raceproof cc: what it does is not known"


def _name(found: Compilation) -> str:
    return str(Path(found.directory) / found.source)
