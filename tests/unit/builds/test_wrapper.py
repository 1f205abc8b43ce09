"""`raceproof cc` in place of a compiler: what it makes runs as usual, and says what it was made of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.builds import read_records
from raceproof.core import InputError

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="programs of this machine are no ELF files"
)

CC = (sys.executable, "-m", "raceproof", "cc")
FILES = {
    "main.c": '#include "lib.h"\nint main(void) { return answer() + WRONG; }\n',
    "lib.c": '#include "lib.h"\nint answer(void) { return 42; }\n',
    "lib.h": "int answer(void);\n",
}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RACEPROOF_CC", raising=False)
    return tmp_path


def cc(*arguments: str, status: int = 0) -> None:
    done = subprocess.run([*CC, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr


def sources(program: str = "prog") -> list[str]:
    return sorted(found.source for found in read_records(Path(program)).compilations)


def in_steps() -> None:
    cc("-DWRONG=0", "-O2", "-c", "main.c", "-o", "main.o")
    cc("-c", "lib.c")
    cc("main.o", "lib.o", "-o", "prog")


def at_once() -> None:
    cc("-DWRONG=0", "-o", "prog", "main.c", "lib.c")


def with_an_archive() -> None:
    cc("-DWRONG=0", "-c", "main.c")
    cc("-c", "lib.c")
    subprocess.run(
        [sys.executable, "-c", "from raceproof.builds.wrapper import archive; archive()", "rcs", "libl.a", "lib.o"],
        check=True,
    )
    cc("main.o", "-L.", "-ll", "-o", "prog")


def with_a_shared_object() -> None:
    cc("-fPIC", "-shared", "lib.c", "-o", "libl.so")
    cc("-DWRONG=0", "main.c", "-L.", "-ll", "-Wl,-rpath,.", "-o", "prog")


def stripped() -> None:
    in_steps()
    subprocess.run(["strip", "prog"], check=True)


@pytest.mark.parametrize("build", [in_steps, at_once, with_an_archive, with_a_shared_object, stripped])
def test_what_is_built_runs_and_says_what_it_is_made_of(build: Callable[[], None], directory: Path) -> None:
    if build is stripped and shutil.which("strip") is None:
        pytest.skip("there is no strip")
    build()
    assert subprocess.run(["./prog"], check=False).returncode == 42
    assert sources() == ["lib.c", "main.c"]
    request = frontend.from_executable(Path("prog"))
    assert {unit.path for unit in request.units} == {directory / "main.c", directory / "lib.c"}
    assert "-DWRONG=0" in next(unit.flags for unit in request.units if unit.file.name == "main.c")
    assert request.left_out == ()
    assert "answer" in frontend.load(request).functions


def test_members_of_an_archive_that_are_not_used_are_not_in_the_program(directory: Path) -> None:
    (directory / "other.c").write_text("int other;\n", encoding="utf-8")
    cc("-c", "lib.c", "other.c")
    subprocess.run(["ar", "rcs", "libl.a", "lib.o", "other.o"], check=True)
    cc("-DWRONG=0", "main.c", "libl.a", "-o", "prog")
    assert sources() == ["lib.c", "main.c"]


def test_errors_are_the_compilers(directory: Path) -> None:
    cc("-c", "nowhere.c", status=1)
    (directory / "main.c").write_text("int main(void) { return 1 }", encoding="utf-8")
    cc("-c", "main.c", status=1)


def test_what_makes_no_object_is_passed_on(directory: Path) -> None:
    cc("-E", "lib.c", "-o", "lib.i")
    assert "return 42" in (directory / "lib.i").read_text(encoding="utf-8")
    cc("--version")
    cc("-c", "lib.c", "-o", "/dev/null")


def test_the_lists_that_a_build_asks_for_are_as_it_wants_them(directory: Path) -> None:
    cc("-MMD", "-MF", "deps", "-c", "lib.c")
    assert (directory / "deps").read_text(encoding="utf-8").split() == ["lib.o:", "lib.c", "lib.h"]
    cc("-DWRONG=0", "main.c", "lib.o", "-o", "prog")
    read = {name for found in read_records(Path("prog")).compilations for name, _ in found.read}
    assert read == {str(directory / name) for name in FILES}
    assert not list(directory.glob("*.d"))


@pytest.mark.parametrize("name", FILES)
def test_a_source_that_has_changed_is_noticed(name: str, directory: Path) -> None:
    in_steps()
    (directory / name).write_text(FILES[name] + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"not what they were when it was built.*{name}"):
        frontend.from_executable(Path("prog"))
    (directory / name).unlink()
    with pytest.raises(InputError, match=rf"are gone.*{name}"):
        frontend.from_executable(Path("prog"))


def test_an_object_that_nobody_recorded_is_named(directory: Path) -> None:
    subprocess.run([*CC[:-1], "cc", "-c", "lib.c", "-E", "-o", "unused"], check=True)
    compiler = next(found for name in ("gcc", "clang", "cc") if (found := shutil.which(name)))
    subprocess.run([compiler, "-c", "lib.c"], check=True)
    cc("-DWRONG=0", "main.c", "lib.o", "-o", "prog")
    request = frontend.from_executable(Path("prog"))
    assert request.left_out == (f"{directory}/lib.o was not compiled by raceproof cc: what it does is not known",)
    assert frontend.load(request).obstacles == request.left_out


def test_assembly_is_named(directory: Path) -> None:
    (directory / "empty.s").write_text('.section .note.GNU-stack,"",@progbits\n', encoding="utf-8")
    cc("-DWRONG=0", "main.c", "lib.c", "empty.s", "-o", "prog")
    left_out = frontend.from_executable(Path("prog")).left_out
    assert left_out == (f"{directory}/empty.s is not C: what it does is not known",)


def test_a_program_of_another_compiler(directory: Path) -> None:
    with pytest.raises(InputError, match="was not built by `raceproof cc`"):
        frontend.from_executable(Path(os.path.realpath(sys.executable)))


def test_another_compiler_may_be_named(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = directory / "mycc"
    script.write_text('#!/bin/sh\necho "$@" > seen\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("RACEPROOF_CC", f"{script} -DMINE")
    cc("-c", "lib.c", "-flto")
    seen = (directory / "seen").read_text(encoding="utf-8").split()
    assert seen[:3] == ["-DMINE", "-c", "lib.c"]
    assert "-flto" not in seen
    monkeypatch.setenv("RACEPROOF_CC", "/nowhere/cc")
    cc("-c", "lib.c", status=127)


def test_link_time_optimisation_is_left_out(directory: Path) -> None:
    cc("-flto", "-DWRONG=0", "-c", "main.c")
    cc("-flto", "main.o", "lib.c", "-o", "prog")
    assert sources() == ["lib.c", "main.c"]
