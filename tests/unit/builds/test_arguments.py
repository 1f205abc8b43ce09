"""What a compiler's command line asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.builds.arguments import CompilerRun, Source, parse


def run(text: str, directory: Path = Path("/nowhere")) -> CompilerRun:
    return parse(text.split(), directory)


def test_an_object() -> None:
    found = run("-DX=1 -I inc -O2 -c -o out/a.o src/a.c -MT a.o -MD -MP -MF .deps/a.Tpo")
    assert found.makes == "object"
    assert found.sources == (Source("src/a.c", "c"),)
    assert found.output == "out/a.o"
    assert found.flags == ("-DX=1", "-I", "inc", "-O2", "-c", "-MT", "a.o", "-MD", "-MP", "-MF", ".deps/a.Tpo")
    assert found.has_dependencies


def test_the_object_of_a_source_without_output() -> None:
    found = run("-c src/a.c b.c")
    assert [found.object_of(source) for source in found.sources] == ["a.o", "b.o"]


def test_an_executable() -> None:
    found = run("-oprog main.c a.o libx.a -Lbuild -l z -lm -pthread")
    assert (found.makes, found.output) == ("executable", "prog")
    assert found.sources == (Source("main.c", "c"),)
    assert found.inputs == ("a.o", "libx.a")
    assert found.libraries == ("-Lbuild", "-l", "z", "-lm")
    assert found.flags == ("-pthread",)


@pytest.mark.parametrize(
    "text",
    ["-E a.c", "-S a.c", "-M a.c", "a.c -fsyntax-only", "--version", "-v", "-print-search-dirs", "-c -E a.c", ""],
)
def test_nothing_is_made(text: str) -> None:
    assert run(text).makes is None


def test_languages() -> None:
    found = run("-c a.cc b.S -x c d.txt -x none e.c -x assembler-with-cpp f")
    assert [source.language for source in found.sources] == ["c++", "assembly", "c", "c", "assembly"]


def test_files_of_arguments(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("-DNAME='two words' a.c\n", encoding="utf-8")
    (tmp_path / "args").write_text("-c @more", encoding="utf-8")
    found = run("@args -o a.o", tmp_path)
    assert (found.makes, found.flags, found.sources) == ("object", ("-c", "-DNAME=two words"), (Source("a.c", "c"),))
    assert run("@missing", tmp_path).inputs == ("@missing",)
