"""Where the machine's own C library is: zig is asked once, so that it does not ask `cc` four times for every file."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

log = logging.getLogger(__name__)


def libc_description(zig: str, directory: Path) -> Path | None:
    """The file that zig takes as `ZIG_LIBC`, kept in `directory`; None if zig does not find a C library.

    It is made anew when zig or the compiler that zig asks is another one, or when the headers have gone away.
    """
    compiler = shutil.which(os.environ.get("CC") or "cc") or ""
    key = "\0".join((_identity(zig), _identity(compiler), os.environ.get("CC", "")))
    return _described(zig, directory, hashlib.sha256(key.encode()).hexdigest()[:16])


@lru_cache(maxsize=8)
def _described(zig: str, directory: Path, key: str) -> Path | None:
    file = directory / f"libc-{key}.txt"
    if _is_valid(file):
        return file
    try:
        text = subprocess.run(
            [zig, "libc"], check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
        ).stdout
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as scratch:
            scratch.write(text)
        os.replace(scratch.name, file)
    except (OSError, subprocess.SubprocessError) as error:
        log.debug("zig finds no C library: %s", error)
        return None
    return file if _is_valid(file) else None


def _is_valid(file: Path) -> bool:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    directories = [line.partition("=")[2] for line in lines if line.startswith(("include_dir=", "sys_include_dir="))]
    return len(directories) == 2 and (Path(directories[0]) / "stdlib.h").is_file() and Path(directories[1]).is_dir()


def _identity(program: str) -> str:
    """What tells one version of a program from another, without running it."""
    try:
        status = os.stat(program)
    except OSError:
        return ""
    return f"{os.path.realpath(program)} {status.st_size} {status.st_mtime_ns}"
