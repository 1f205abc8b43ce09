"""Which registers nothing depends on, and when thread functions need not return what they return."""

from __future__ import annotations

import pytest

from raceproof.frontend.idle_values import needed_values, without_results
from raceproof.frontend.module_rows import functions_of

SUM = """define internal ptr @f(ptr noundef %0) #0 {
  br label %2

2:
  %3 = phi i32 [ 0, %1 ], [ %7, %5 ]
  %4 = phi i32 [ 0, %1 ], [ %8, %5 ]
  %9 = icmp slt i32 %4, 4
  br i1 %9, label %5, label %10

5:
  %6 = load i32, ptr %0, align 4
  %7 = add nsw i32 %3, %6
  %8 = add nsw i32 %4, 1
  br label %2

10:
  %11 = icmp ne i32 %3, 0
  br i1 %11, label %12, label %13

12:
  TRUE
  br label %14

13:
  br label %14

14:
  %15 = phi ptr [ %0, %12 ], [ null, %13 ]
  ret ptr RESULT
}"""


def _needed(true: str, result: str) -> set[str]:
    rows = [row for row in SUM.replace("TRUE", true).replace("RESULT", result).split("\n") if row.strip()]
    (function,) = functions_of(rows)
    return {value for value in needed_values(function) if value in {"%0", "%3", "%4", "%7", "%11", "%15", "%30"}}


def test_a_sum_that_nobody_looks_at_is_idle() -> None:
    assert _needed("%30 = xor i32 %3, 1", "null") == {"%0", "%4"}


@pytest.mark.parametrize(
    ("true", "result"),
    [
        ("%30 = xor i32 %3, 1", "%15"),  # which way was taken is returned
        ("store i32 1, ptr %0, align 4", "null"),  # what is done on one way only
        ("call void @g()", "null"),
        ("%30 = sdiv i32 1, %3", "null"),  # may trap
    ],
)
def test_a_sum_that_decides_something_is_needed(true: str, result: str) -> None:
    assert {"%3", "%7", "%11"} <= _needed(true, result)


def test_a_sum_that_is_stored_is_needed() -> None:
    rows = (
        SUM.replace("TRUE", "%30 = xor i32 %3, 1")
        .replace("RESULT", "null")
        .replace("ret ", "store i32 %3, ptr %0\n  ret ")
    )
    (function,) = functions_of([row for row in rows.split("\n") if row.strip()])
    assert "%7" in needed_values(function)
    assert "%11" not in needed_values(function)


MODULE = [
    "define internal ptr @f(ptr noundef %0) #0 {",
    "  ret ptr %0",
    "}",
    "define i32 @main() #0 {",
    "  %1 = alloca i64, align 8",
    "  %2 = call i32 @rp_lib_pthread_create(ptr noundef %1, ptr noundef null, ptr noundef @f, ptr noundef @x) #3",
    "  %3 = call i32 @rp_lib_pthread_join(i64 noundef %2, ptr noundef null) #3",
    "  ret i32 %3",
    "}",
    "declare i32 @rp_lib_pthread_join(i64 noundef, ptr noundef) #2",
]


def test_results_that_no_join_asks_for_are_null() -> None:
    found = without_results(MODULE, "@main")
    assert found[1] == "  ret ptr null"
    assert found[7] == "  ret i32 %3"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i64 noundef %2, ptr noundef null)", "i64 noundef %2, ptr noundef %1)"),  # a join asks
        ("  ret i32 %3", "  store ptr @rp_lib_pthread_join, ptr %1"),  # so may one through a pointer
        ("  ret i32 %3", "  %4 = call ptr @f(ptr null)"),  # called, too
        ("  ret i32 %3", "  store ptr @f, ptr %1"),
        ("ptr noundef @f, ptr noundef @x", "ptr noundef @f, ptr noundef @f"),  # given to a thread
        ("  ret i32 %3", "  %4 = call i32 @rp_lib_thrd_join(i64 %2, ptr @x)"),
    ],
)
def test_results_that_somebody_may_see_stay(old: str, new: str) -> None:
    changed = [row.replace(old, new) for row in MODULE]
    assert changed != MODULE
    assert without_results(changed, "@main") == changed
