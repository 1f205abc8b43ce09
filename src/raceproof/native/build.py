"""Builds programs from the sources in this directory, and keeps what was built in the user's cache, by content.

A file appears there whole or not at all, so that several runs may build at the same time.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache as remember
from pathlib import Path

from raceproof.core import InternalError, ToolMissing, prune
from raceproof.frontend import Cache, zig_program

log = logging.getLogger(__name__)

NATIVE = Path(__file__).parent
SIZE_LIMIT = 200_000_000
BUILDS, TOOLS = "builds", "tools"
"""Directories of the cache: what was built of programs, which are many, and our own, which takes minutes to build."""
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def build_native(
    name: str,
    command: tuple[str, ...],
    sources: Sequence[Path],
    headers: Sequence[Path] = (),
    libraries: tuple[str, ...] = (),
    cache: Cache | None = None,
    before: Callable[[], None] = lambda: None,
) -> Path:
    """The program that `command` (compiler and flags) makes of C sources; `headers`: what else it depends on.

    `before` is called if it has to be built.
    """
    if not sources:
        raise InternalError(f"the source of {name} is not in {NATIVE}")

    def make(output: Path, scratch: Path) -> None:
        log.info("building %s", name)
        before()
        run_compiler((*command, *map(str, sources), *libraries, "-o", str(output)), scratch, cache)

    return kept(cache, f"{name}-{_content(repr((command, libraries)), [*sources, *headers])}", make, TOOLS)


def build_cxx(name: str, directory: Path, cache: Cache | None = None, sanitized: bool = False) -> Path:
    """The program of the C++ sources in the directory, compiled as one file.

    It is linked like C: nothing of the C++ library but its headers may be used, no exceptions, no streams, no strings.
    Building that library would take a minute before the first run. `sanitized`: one that checks itself, for tests.
    """
    sources = sorted(directory.glob("*.cpp"))
    if not sources:
        raise InternalError(f"the source of {name} is not in {directory}")
    flags = ("-std=c++20", "-O3", "-g", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror")
    if sanitized:
        compiler = linker = (*sanitizing_compiler("g++", "clang++"), *_SANITIZERS)
    else:
        zig = zig_program()
        # Linked as everything else is: for another level zig would first build its support library anew, half a minute.
        compiler, linker = (zig, "c++", "-fno-sanitize=undefined"), (zig, "cc", "-O3")

    def make(output: Path, scratch: Path) -> None:
        log.info("building %s", name)
        whole, compiled = scratch / "whole.cpp", scratch / "whole.o"
        whole.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
        run_compiler((*compiler, *flags, "-c", str(whole), "-o", str(compiled)), scratch, cache)
        run_compiler((*linker, str(compiled), "-lm", "-o", str(output)), scratch, cache)

    return kept(cache, f"{name}-{_content(repr((compiler, flags)), [*sources, *directory.glob('*.h')])}", make, TOOLS)


def sanitizing_compiler(*names: str) -> tuple[str, ...]:
    """One of the system's compilers: zig has no runtime library of the address sanitizer."""
    for name in names:
        if (found := shutil.which(name)) is not None:
            return (found,)
    raise ToolMissing(f"a sanitized build needs {' or '.join(names)} on the PATH")


def run_compiler(command: tuple[str, ...], scratch: Path, cache: Cache | None = None) -> None:
    zig = (cache or Cache.default()).zig_directory() or scratch / "zig"
    environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(zig), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig-local")}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=environment
        )
    except OSError as error:
        raise ToolMissing(f"cannot run the compiler {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise InternalError(f"raceproof's own native code does not compile:\n{done.stderr.strip()[:4000]}")


def kept(cache: Cache | None, name: str, make: Callable[[Path, Path], None], kind: str = BUILDS) -> Path:
    """The file of that name, made if it is not there; in a directory of this process if there is no cache.

    `make(output, scratch)` writes it.
    """
    directory = _directory(cache, kind)
    path = directory / name
    if path.exists():
        try:
            os.utime(path)
        except OSError as error:
            log.debug("not touched: %s", error)
        return path
    with tempfile.TemporaryDirectory(prefix=".new-", dir=directory) as scratch:
        output = Path(scratch, "output")
        make(output, Path(scratch))
        output.replace(path)
    try:
        prune(directory, [directory], SIZE_LIMIT)
    except OSError as error:
        log.debug("not pruned: %s", error)
    return path


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def _content(command: str, files: Sequence[Path]) -> str:
    return digest(command, *(f"{p.name}\0{p.read_text(encoding='utf-8')}" for p in sorted(files)))


def _directory(cache: Cache | None, kind: str) -> Path:
    root = (cache or Cache.default()).root
    if root is not None:
        directory = root / kind
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            log.debug("no directory for builds: %s", error)
        if directory.is_dir() and os.access(directory, os.W_OK | os.X_OK):
            return directory
    return _own_directory()


@remember
def _own_directory() -> Path:
    path = tempfile.mkdtemp(prefix="raceproof-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)
