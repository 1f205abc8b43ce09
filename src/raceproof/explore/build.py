"""Builds what runs: the runtime once for all programs, and each instrumented program.

Both are kept in the user's cache by content. A file appears there whole or not at all, so that several runs may build
at the same time.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache as remember
from pathlib import Path

from raceproof.core import InternalError, ToolMissing
from raceproof.frontend import Cache, HookPlan, build_shared_object, instrument, zig_program
from raceproof.ir import Program

log = logging.getLogger(__name__)

NATIVE = Path(__file__).parents[1] / "native"
SIZE_LIMIT = 200_000_000
_FLAGS = ("-std=gnu11", "-O3", "-g", "-fno-stack-protector", "-fno-omit-frame-pointer", "-rdynamic", "-pthread")
_LIBRARIES = ("-ldl", "-lm", "-lrt")
# The hot path goes through several files: optimised as one, the search is some per cent faster.
_WHOLE = ("-flto",) if sys.platform == "linux" else ()
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
_REPLACED = re.compile(r"^RP_LIB .*?\brp_lib_(\w+)\(", re.MULTILINE)


@remember
def replaced_functions() -> frozenset[str]:
    """The library functions that the runtime implements, as its source says."""
    return frozenset(name for file in _sources() for name in _REPLACED.findall(file.read_text(encoding="utf-8")))


def build_host(cache: Cache | None = None, sanitized: bool = False) -> Path:
    """The runtime as a program; `sanitized`: one that checks itself, for tests (slow)."""
    sources = _sources()
    if not sources:
        raise InternalError(f"the runtime's source is not in {NATIVE}")
    compiler = _sanitizing_compiler() if sanitized else (zig_program(), "cc", "-fno-sanitize=undefined", *_WHOLE)
    command = (*compiler, *_FLAGS, *(_SANITIZERS if sanitized else ()))
    parts = [repr(command), *(f"{p.name}\0{p.read_text(encoding='utf-8')}" for p in sorted(NATIVE.glob("*.[chS]")))]

    def make(output: Path, scratch: Path) -> None:
        log.info("building the runtime")
        _run((*command, *map(str, sources), *_LIBRARIES, "-o", str(output)), scratch, cache)

    return _kept(cache, "rp_host-" + _digest(*parts), make)


def build_program(text: str, program: Program, plan: HookPlan, cache: Cache | None = None) -> Path:
    """The program with its hooks as a shared object; `text` is what `program` was parsed from."""
    instrumented = instrument(text, program, plan)

    def make(output: Path, scratch: Path) -> None:
        build_shared_object(instrumented, output, scratch)

    return _kept(cache, f"program-{_digest(instrumented, zig_program(), _code_digest())}.so", make)


def _sources() -> list[Path]:
    return sorted(NATIVE.glob("*.c"))


def _sanitizing_compiler() -> tuple[str, ...]:
    """gcc or clang: zig has no runtime library of the address sanitizer."""
    for name in ("gcc", "clang", "cc"):
        if (found := shutil.which(name)) is not None:
            return (found,)
    raise ToolMissing("a sanitized runtime needs gcc or clang on the PATH")


def _run(command: tuple[str, ...], scratch: Path, cache: Cache | None) -> None:
    zig = (cache or Cache.default()).zig_directory() or scratch / "zig"
    environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(zig), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig-local")}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=environment
        )
    except OSError as error:
        raise ToolMissing(f"cannot run the compiler {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise InternalError(f"the explorer's runtime does not compile:\n{done.stderr.strip()[:4000]}")


def _kept(cache: Cache | None, name: str, make: Callable[[Path, Path], None]) -> Path:
    """The file of that name, made if it is not there; in a directory of this process if there is no cache."""
    directory = _directory(cache)
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
    _prune(directory, path)
    return path


def _directory(cache: Cache | None) -> Path:
    root = (cache or Cache.default()).root
    if root is not None:
        directory = root / "builds"
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


def _prune(directory: Path, newest: Path) -> None:
    """Delete what was used least recently until the rest fits the limit."""
    entries = []
    for path in directory.glob("*-*"):
        try:
            status = path.stat()
        except OSError:
            continue
        if path.is_file() and path != newest:
            entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= SIZE_LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= size


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


@remember
def _code_digest() -> str:
    """A hash of the code that compiles and links: what other code made is not ours."""
    file = Path(__file__).parents[1] / "frontend" / "emit.py"
    return hashlib.sha256(file.read_bytes()).hexdigest()
