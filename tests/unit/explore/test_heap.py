"""The program's heap and the replaced library functions: C tests in tests/native, run as they are and sanitized."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from raceproof.frontend import zig_program

ROOT = Path(__file__).parents[3]
NATIVE = ROOT / "src" / "raceproof" / "native"
TESTS = ROOT / "tests" / "native"
HEAP = (TESTS / "heap_test.c", NATIVE / "heap.c")
LIBC = (TESTS / "libc_test.c", NATIVE / "heap.c", *sorted(NATIVE.glob("libc_*.c")))
FLAGS = ("-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-iquote", str(NATIVE))
SANITIZERS = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
STANDARD_INPUT = "12 abc\nline two\nrest"


def compiled(sources: tuple[Path, ...], directory: Path, *command: str) -> Path:
    program = directory / "test"
    done = subprocess.run(
        (*command, *FLAGS, *map(str, sources), "-ldl", "-o", str(program)), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, *arguments: str) -> str:
    done = subprocess.run(
        (str(program), *arguments), input=STANDARD_INPUT, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def sanitized(sources: tuple[Path, ...], directory: Path) -> Path:
    """With gcc or clang, if the machine has one: zig has no runtime library of the address sanitizer."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler with sanitizers")
    return compiled(sources, directory, compiler, *SANITIZERS)


def test_heap_agrees_with_its_model(tmp_path: Path) -> None:
    program = compiled(HEAP, tmp_path, zig_program(), "cc", "-O2", "-fno-sanitize=undefined")
    assert run(program) == run(program, "1")  # the address of the heap


def test_heap_is_clean_under_sanitizers(tmp_path: Path) -> None:
    run(sanitized(HEAP, tmp_path), "3")


def test_library_functions_behave_the_same_in_every_execution(tmp_path: Path) -> None:
    run(compiled(LIBC, tmp_path, zig_program(), "cc", "-O2", "-fno-sanitize=undefined"))


def test_library_functions_are_clean_under_sanitizers(tmp_path: Path) -> None:
    run(sanitized(LIBC, tmp_path))
