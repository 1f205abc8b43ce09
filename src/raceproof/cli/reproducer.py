"""When engines contradict one another: keep everything that is needed to find out which one is wrong."""

from __future__ import annotations

import platform
import shlex
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from raceproof import __version__, frontend, ir
from raceproof.core import Contradiction

_LIBRARIES = ("ziglang", "llvmlite")


def save_reproducer(error: Contradiction, program: ir.Program, request: frontend.CompileRequest | None) -> Path | None:
    """A new directory with program, flags, both pieces of evidence and versions; None if it cannot be written."""
    try:
        directory = Path(tempfile.mkdtemp(prefix="raceproof-contradiction-"))
        for number, text in enumerate(error.evidence, start=1):
            _write(directory / f"evidence-{number}.txt", text)
        _write(directory / "contradiction.txt", str(error))
        _write(directory / "program.txt", ir.format_program(program))
        _write(directory / "commands.txt", "\n".join(shlex.join(command) for command in program.origin.commands))
        _write(directory / "versions.txt", _versions())
        if request is not None:
            _write(directory / "request.txt", repr(request))
            _copy_sources(directory / "sources", request)
    except OSError:
        return None
    return directory


def _copy_sources(directory: Path, request: frontend.CompileRequest) -> None:
    directory.mkdir()
    for number, unit in enumerate(request.units, start=1):
        source = unit.directory / unit.file
        (directory / f"{number}-{source.name}").write_bytes(source.read_bytes())


def _write(path: Path, text: str) -> None:
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8", errors="surrogateescape")


def _versions() -> str:
    lines = [f"raceproof {__version__}", f"Python {platform.python_version()}", platform.platform()]
    for name in _LIBRARIES:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name}: not installed as a package")
    return "\n".join(lines)
