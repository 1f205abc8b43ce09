"""The names of types do not depend on what the process has read before."""

from __future__ import annotations

from pathlib import Path

from raceproof import frontend
from raceproof.frontend.link import _with_own_numbers
from raceproof.ir import format_program

TEXT = """struct point { int x, y; }; struct point p[2]; struct { int a; } one; struct { long b; } two;
int main(int n, char **v) {"""


def _printed(directory: Path, name: str, body: str) -> str:
    file = directory / name
    file.write_text(f"{TEXT} {body} }}\n", encoding="utf-8")
    return format_program(frontend.load(frontend.from_files([file])))


def test_a_second_program_with_the_same_types_is_named_as_the_first(tmp_path: Path) -> None:
    first = _printed(tmp_path, "a.c", "p[n].y = 1; one.a = 2; two.b = 3; return 0;")
    second = _printed(tmp_path, "b.c", "p[n].y = 1; one.a = 2; two.b = 3; return  0;")
    assert first.replace("a.c", "b.c") == second
    assert "%struct.point" in second
    assert "%struct.point." not in second


def test_numbers_upon_numbers_are_told_apart() -> None:
    """LLVM makes `anon.0.7` of an `anon.0` if another program in this process has that name."""
    names = ("%struct.anon.2", "%struct.anon.5", "%struct.anon.0.7")
    text = "".join(f"{name} = type {{ i{8 << n} }}\n" for n, name in enumerate(names))
    text += "@x = global %struct.anon.0.7 zeroinitializer"
    rows = _with_own_numbers(text).splitlines()
    assert [row.split(" = ")[0] for row in rows] == ["%struct.anon", "%struct.anon.0", "%struct.anon.1", "@x"]
    assert rows[-1] == "@x = global %struct.anon.1 zeroinitializer"
