"""Pragmas that ask for threads and that the compiler ignores."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import InputError
from raceproof.frontend.cache import Cache
from raceproof.frontend.parallel_pragmas import check_flags, left_out, obstacles_in, with_obstacles

LOOP = "int x[9];\nint main(void) {\n%s\n  for (int i = 0; i < 9; i++) x[i] = i;\n  return 0; }\n"


def obstacles(text: str, tmp_path: Path, name: str = "program.c") -> tuple[str, ...]:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return frontend.load(frontend.from_files([file]), cache=Cache(tmp_path / "cache")).obstacles


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("#pragma omp parallel for", "#pragma omp parallel for"),
        (
            "  #  pragma   omp   parallel for num_threads(2) \\\n  schedule(static)",
            "#pragma omp parallel for num_threads(2)",
        ),
        ('_Pragma("omp parallel for")', "#pragma omp parallel for"),
        ("#prag\\\nma om\\\np parallel for", "#pragma omp parallel for"),
        ("#define EACH(how) _Pragma(#how)\nEACH(omp parallel for)", "#pragma omp parallel for"),
        ("#pragma acc parallel loop", "#pragma acc parallel loop"),
        ("#pragma /* a comment */ omp parallel for", "#pragma omp parallel for"),
    ],
)
def test_a_pragma_that_asks_for_threads_is_named(before: str, line: str, tmp_path: Path) -> None:
    (found,) = obstacles(LOOP % before, tmp_path)
    assert found.startswith(f"`{line}")
    assert "program.c:" in found


def test_a_pragma_in_a_header_and_in_a_preprocessed_file(tmp_path: Path) -> None:
    (tmp_path / "each.h").write_text('#define EACH _Pragma("omp parallel for")\n', encoding="utf-8")
    assert len(obstacles('#include "each.h"\n' + LOOP % "EACH", tmp_path)) == 1
    assert len(obstacles(LOOP % "#pragma omp parallel for", tmp_path, "program.i")) == 1


def test_a_pragma_that_a_header_of_the_system_makes(tmp_path: Path) -> None:
    system = tmp_path / "usr" / "include"
    system.mkdir(parents=True)
    (system / "each.h").write_text("#define EACH(how) _Pragma(#how)\n#define GLUE(a, b) EACH(a##b parallel)\n")
    include = '#include "usr/include/each.h"\n'
    assert len(obstacles(include + LOOP % "EACH(omp parallel for)", tmp_path)) == 1
    assert obstacles(include + LOOP % "", tmp_path) == ()
    (system / "parallel.h").write_text("#define PARALLEL EACH(omp parallel for)\n")
    both = include + '#include "usr/include/parallel.h"\n'
    assert len(obstacles(both + LOOP % "PARALLEL", tmp_path)) == 1


def test_a_file_that_cannot_be_read_may_have_any(tmp_path: Path) -> None:
    assert left_out([tmp_path / "gone.h"], (), lambda: "#pragma omp parallel\n") != ()


def test_a_pragma_in_the_flags(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(LOOP % "EACH", encoding="utf-8")
    request = frontend.from_files([file], cflags=['-DEACH=_Pragma("omp parallel for")'])
    assert len(frontend.load(request, cache=Cache(tmp_path / "cache")).obstacles) == 1


@pytest.mark.parametrize(
    "before",
    ["", "#pragma omp simd", "#pragma once", "#pragma GCC unroll 2", '/* #pragma omp parallel */ char *s = "omp";'],
)
def test_others_are_none_of_our_business(before: str, tmp_path: Path) -> None:
    assert obstacles(LOOP % before, tmp_path) == ()


def test_a_program_that_differs_in_the_pragma_alone_is_another_one(tmp_path: Path) -> None:
    assert obstacles(LOOP % "#pragma omp parallel for", tmp_path) != ()
    assert obstacles(LOOP % "", tmp_path) == ()
    assert obstacles(LOOP % "#pragma omp parallel for", tmp_path) != ()


def test_a_program_with_constructors_keeps_its_obstacles(tmp_path: Path) -> None:
    constructor = "__attribute__((constructor)) static void begin(void) {}\n"
    assert len(obstacles(constructor + LOOP % "#pragma omp parallel for", tmp_path)) == 1


def test_obstacles_stand_in_front_of_the_text() -> None:
    assert obstacles_in(with_obstacles("define void @f()\n", ["a", "b", "a"])) == ("a", "b")
    assert obstacles_in("define void @f()\n; raceproof: left out: x\n") == ()


@pytest.mark.parametrize("flags", [["-fopenmp"], ["-fno-openmp", "-fopenmp=libomp"], ["-fopenacc"], ["-qopenmp"]])
def test_flags_that_make_threads_are_refused(flags: list[str]) -> None:
    with pytest.raises(InputError, match="not supported"):
        check_flags(flags, "program.c")


@pytest.mark.parametrize("flags", [[], ["-fopenmp-simd"], ["-fopenmp", "-fno-openmp"], ["-pthread"]])
def test_other_flags_are_not(flags: list[str]) -> None:
    check_flags(flags, "program.c")
