"""`raceproof cc`: a compiler for any build system, that remembers.

The system's compiler does the work, so that objects, archives, shared objects and executables are as they would be
without us; then what was compiled how is written into the object (`records`), where it costs nothing. Nothing is
analysed here, and as little as possible is imported: a build starts us for every file.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from raceproof.builds.arguments import CompilerRun, Source, parse
from raceproof.builds.records import Compilation, Linking, add_records, digest_of, has_records

VARIABLE: Final = "RACEPROOF_CC"
_COMPILERS: Final = ("gcc", "clang", "cc")
_ARCHIVERS: Final = ("ar", "llvm-ar")
_NOT_FOUND: Final = 127
_DROPPED: Final = re.compile(r"-flto(=.*)?|-ffat-lto-objects|-fuse-linker-plugin|-fwhole-program")
_SHARED: Final = re.compile(r"\.so(\.\d+)*$")
_OUR_NAMES: Final = ("raceproof", "raceproof-cc", "raceproof-ar")


def entry_point() -> None:
    """`raceproof-cc`, as it is installed."""
    sys.exit(run_compiler(sys.argv[1:]))


def archive() -> None:
    """`raceproof-ar`: the system's archiver; what stands in objects stands in archives."""
    tool = _first(os.environ.get("RACEPROOF_AR"), _ARCHIVERS)
    sys.exit(_run([*(tool or [_zig(), "ar"]), *sys.argv[1:]]))


def run_compiler(arguments: Sequence[str]) -> int:
    """Compile as the arguments say, and write down how; the status is the compiler's."""
    compiler = _first(os.environ.get(VARIABLE), _COMPILERS)
    if compiler is None:
        compiler = [_zig(), "cc", "-fno-sanitize=undefined"]
    directory = Path.cwd()
    run = parse(arguments, directory)
    kept = [argument for argument in arguments if not _DROPPED.fullmatch(argument)]
    if run.makes is None:
        return _run([*compiler, *arguments])
    with tempfile.TemporaryDirectory(prefix="raceproof-cc-") as scratch:
        headers = Path(scratch, "headers.d")
        wants_headers = bool(run.sources) and not run.has_dependencies and len(run.sources) == 1
        extra = ["-MMD", "-MF", str(headers)] if wants_headers else []
        status = _run([*compiler, *kept, *extra])
        if status == 0:
            listing = headers if wants_headers else _dependency_file(run, directory)
            _record(run, directory, _headers(listing, directory))
    return status


def _record(run: CompilerRun, directory: Path, headers: Sequence[Path]) -> None:
    made = [_compilation(run, source, directory, headers) for source in run.sources]
    if run.makes == "object":
        for source, compilation in zip(run.sources, made, strict=True):
            add_records(directory / run.object_of(source), [compilation])
        return
    add_records(directory / (run.output or "a.out"), [*made, _linking(run, directory)])


def _compilation(run: CompilerRun, source: Source, directory: Path, headers: Sequence[Path]) -> Compilation:
    path = directory / source.name
    read = dict.fromkeys([path, *headers])
    return Compilation(
        source.name,
        str(directory),
        tuple(flag for flag in run.flags if not _DROPPED.fullmatch(flag)),
        source.language,
        tuple((str(file), digest_of(file)) for file in read),
    )


def _linking(run: CompilerRun, directory: Path) -> Linking:
    files = [directory / name for name in run.inputs]
    places = [directory / option[2:] for option in run.libraries if option.startswith("-L") and len(option) > 2]
    for option in run.libraries:
        if option.startswith("-l") and len(option) > 2:
            found = (place / f"lib{option[2:]}{suffix}" for place in places for suffix in (".so", ".a"))
            files += [file for file in found if file.exists()][:1]
    recorded = {file: has_records(file) for file in dict.fromkeys(files) if file.is_file()}
    return Linking(
        str(directory),
        tuple(str(file) for file, is_recorded in recorded.items() if not is_recorded and not _is_shared(file)),
        tuple(str(file.resolve()) for file, is_recorded in recorded.items() if is_recorded and _is_shared(file)),
        run.libraries,
    )


def _is_shared(file: Path) -> bool:
    return _SHARED.search(file.name) is not None


def _dependency_file(run: CompilerRun, directory: Path) -> Path | None:
    """Where the compiler wrote the list of headers that the build asked for."""
    flags = list(run.flags)
    if "-MF" in flags and flags.index("-MF") + 1 < len(flags):
        return directory / flags[flags.index("-MF") + 1]
    named = [flag[3:] for flag in flags if flag.startswith("-MF") and len(flag) > 3]
    named += [flag[len("-Wp,-MMD,") :] for flag in flags if flag.startswith("-Wp,-MMD,")]
    named += [flag[len("-Wp,-MD,") :] for flag in flags if flag.startswith("-Wp,-MD,")]
    if named:
        return directory / named[0]
    return (directory / run.output).with_suffix(".d") if run.output is not None else None


def _headers(listing: Path | None, directory: Path) -> list[Path]:
    """The files of a make rule; those of the system are left out, as they do not change with the project."""
    try:
        text = listing.read_text(encoding="utf-8", errors="replace") if listing is not None else ""
    except OSError:
        return []
    _, _, files = text.replace("\\\n", " ").partition(": ")
    rule = files.partition("\n")[0]
    names = [name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", rule)]
    return [directory / name for name in names if not name.startswith(("/usr/", "/opt/"))]


def _first(named: str | None, candidates: Sequence[str]) -> list[str] | None:
    """The compiler that the user names, with its own arguments, or the first of those on the path that is not us."""
    if named:
        return named.split()
    for name in candidates:
        found = shutil.which(name)
        if found is not None and Path(os.path.realpath(found)).name not in _OUR_NAMES:
            return [found]
    return None


def _zig() -> str:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        print("raceproof cc: there is no C compiler: install gcc or clang, or name one in " + VARIABLE, file=sys.stderr)
        sys.exit(_NOT_FOUND)
    return str(Path(spec.origin).with_name("zig"))


def _run(command: Sequence[str]) -> int:
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        print(f"raceproof cc: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        return _NOT_FOUND
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return status if status >= 0 else 128 - status
