"""Bodies of C99 inline functions: which units are compiled again, and what becomes of the bodies."""

from __future__ import annotations

from pathlib import Path

from raceproof.frontend import Cache, from_files, load
from raceproof.frontend.inline_bodies import keep_bodies, units_to_repeat

CALLER = "declare i32 @next(i32)\ndeclare i32 @puts(ptr)\ndefine i32 @main() {\n}\n"
NEXT = "define available_externally dso_local i32 @next(i32 noundef %0) #1 {\n"


def test_a_unit_is_repeated_for_an_inline_function_that_nobody_defines(tmp_path: Path) -> None:
    header = tmp_path / "next.h"
    header.write_text("extern __inline__ int\nnext(int x) { return x + 1; }\n")
    other = "define i32 @next(i32 %0) {\n}\n"
    assert units_to_repeat([CALLER], [[header]]) == [0]
    assert units_to_repeat([CALLER, other], [[header], []]) == []
    assert units_to_repeat([CALLER], [[tmp_path / "missing.h"]]) == []


def test_only_functions_that_are_called_and_missing_count(tmp_path: Path) -> None:
    header = tmp_path / "other.h"
    header.write_text("static inline int other(int x) { return x; }\nint next(int);\n")
    assert units_to_repeat([CALLER], [[header]]) == []
    assert units_to_repeat([b"BC"], [[header]]) == []


def test_a_body_becomes_the_units_own_unless_it_is_defined() -> None:
    assert keep_bodies(NEXT, frozenset()) == "define internal i32 @next(i32 noundef %0) #1 {\n"
    assert keep_bodies(NEXT, frozenset({"next"})) == NEXT


def test_two_units_keep_bodies_of_their_own(tmp_path: Path) -> None:
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text(
        "int x; inline int get(void) { return x; } int other(void); int main(void) { return get() + other(); }"
    )
    second.write_text("int y; inline int get(void) { return y; } int other(void) { return get(); }")
    program = load(from_files([first, second]), cache=Cache(None))
    assert [f.source_name for f in program.functions.values()].count("get") == 2
    assert "get" not in program.externals


def test_the_c_librarys_own_functions_stay_outside(tmp_path: Path) -> None:
    file = tmp_path / "main.c"
    text = "#include <stdlib.h>\ninline int twice(int x) { return 2 * x; }\n"
    text += "int main(int c, char **v) { return twice(atoi(v[c - 1])); }"
    file.write_text(text)
    program = load(from_files([file]), cache=Cache(None))
    assert sorted(program.functions) == ["main", "twice"]
    assert "atoi" in program.externals


def test_an_extern_inline_definition_is_the_one_that_counts(tmp_path: Path) -> None:
    file = tmp_path / "main.c"
    file.write_text(
        "inline int one(void) { return 1; }\nextern inline int one(void);\nint main(void) { return one(); }"
    )
    program = load(from_files([file]), cache=Cache(None))
    assert sorted(program.functions) == ["main", "one"]
    assert "-disable-llvm-passes" not in program.origin.commands[0]
