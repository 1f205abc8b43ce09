"""What the loader runs before and after main: entries of its tables, their order, the function that calls them."""

from __future__ import annotations

import pytest

from raceproof.core import Unsupported
from raceproof.frontend.startup import START, collect_entries, with_start

FUNCTIONS = """define internal void @a() {
  ret void
}
define void @b(i32 %0, ptr %1) {
  ret void
}
define i32 @main(i32 %0, ptr noundef %1) {
  ret i32 0
}
"""


def placed(section: str, value: str = "ptr @a") -> str:
    return f'@entry = internal constant {value}, section "{section}", align 8\n'


def calls(text: str) -> list[str]:
    made, entry = with_start(text, "main")
    assert entry == START
    assert "llvm.global_ctors" not in made
    body = made.partition(f"@{START}(")[2].splitlines()
    return [line.partition("call ")[2] for line in body if "call " in line]


def test_a_program_without_constructors_begins_with_main() -> None:
    assert with_start(FUNCTIONS, "main") == (FUNCTIONS, "main")
    assert collect_entries(FUNCTIONS) == FUNCTIONS


def test_the_order_is_the_loaders() -> None:
    table = "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @a, "
    table += "ptr null }, { i32, ptr, ptr } { i32 101, ptr @b, ptr null }]\n"
    text = placed(".init_array.00050") + placed(".preinit_array", "ptr @b").replace("@entry", "@other") + table
    collected = collect_entries(text + FUNCTIONS)
    assert "section" not in collected
    assert calls(collected) == [
        "void @b(i32 %0, ptr %1)",
        "void @a()",
        "void @b(i32 %0, ptr %1)",
        "void @a()",
        "i32 @main(i32 %0, ptr %1)",
    ]


def test_entries_in_an_array_and_without_a_priority_come_before_what_the_compiler_lists() -> None:
    table = "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @a, "
    text = placed(".init_array", "[2 x ptr] [ptr @b, ptr @a]") + table + "ptr null }]\n" + FUNCTIONS
    assert [call.split("(")[0] for call in calls(collect_entries(text))] == [
        "void @b",
        "void @a",
        "void @a",
        "i32 @main",
    ]


def test_entries_of_fini_array_are_destructors() -> None:
    made = collect_entries(placed(".fini_array.00007") + FUNCTIONS)
    assert "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @a" in made
    assert with_start(made, "main") == (made, "main")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (placed(".ctors"), "depends on the linker"),
        (placed(".dtors.1"), "depends on the linker"),
        (placed(".init_array", "i64 ptrtoint (ptr @a to i64)"), "not a function"),
        (placed(".init_array", "ptr null"), "not a function"),
        ('define void @c() section ".init" {\n  ret void\n}\n', "code without a function"),
    ],
)
def test_what_cannot_be_called_is_refused(text: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        collect_entries(text + FUNCTIONS)


def test_an_entry_that_takes_a_structure_is_refused() -> None:
    text = FUNCTIONS.replace("@main(i32 %0, ptr noundef %1)", "@main({ i64, i64 } %0)")
    with pytest.raises(Unsupported, match="takes or returns"):
        with_start(collect_entries(placed(".init_array") + text), "main")
