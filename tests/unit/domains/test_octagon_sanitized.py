"""The octagon kernel with every access and every sum checked."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest

from raceproof.core import ToolMissing
from raceproof.native import NATIVE, sanitizing_compiler

FLAGS = ("-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def test_no_overflow_and_no_access_outside(tmp_path: Path) -> None:
    try:
        compiler = sanitizing_compiler("gcc", "clang")
    except ToolMissing as missing:
        pytest.skip(str(missing))
    sources = (Path(__file__).parent / "octagon_driver.c", NATIVE / "octagon" / "octagon.c")
    program = tmp_path / "driver"
    command = (*compiler, *FLAGS, *SANITIZERS, f"-I{NATIVE / 'octagon'}", *map(str, sources), "-o", str(program))
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run(
        [program], check=False, capture_output=True, text=True, timeout=120, preexec_fn=_lift_the_limit_of_memory
    )
    assert (done.returncode, done.stderr) == (0, "")


def _lift_the_limit_of_memory() -> None:
    """The sanitizer reserves more than there is."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
