"""execution_counts: what certainly happens at most once, and which objects exist once."""

from __future__ import annotations

import pytest
from unit.facts.points_to_programs import Solved, solved

LOOP = """
  br label %loop
loop:
  {inside}
  %more = icmp eq i32 %n, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 0
}}
"""
MAIN = "@once = global i32 0\n@flag = global i32 0\ndefine i32 @main(i32 %n, ptr %argv) {\nentry:\n"
WORKER = "define ptr @work(ptr %a) {\n  %p = call ptr @malloc(i64 4)\n  ret ptr %p\n}\n"
CREATE = "call i32 @pthread_create(ptr %id, ptr null, ptr @work, ptr null)"
HELPER = (
    "define void @helper() {\n  %v = alloca i32\n  %p = call ptr @malloc(i64 4)\n  store i32 1, ptr %p\n  ret void\n}\n"
)


def is_single(s: Solved, function: str, register: str) -> bool:
    return all(o.is_single for o in s.objects_at(function, register))


def runs_once(s: Solved, function: str) -> bool:
    return s.result.executions.runs_once(function)


def test_main_and_what_it_calls_once() -> None:
    s = solved(MAIN + "  %v = alloca i32\n  call void @helper()\n  ret i32 0\n}\n" + HELPER)
    assert runs_once(s, "main")
    assert runs_once(s, "helper")
    assert s.result.executions.executes_once(s.call("main", "helper"))
    assert is_single(s, "main", "v")
    assert is_single(s, "helper", "v")
    assert is_single(s, "helper", "p")


@pytest.mark.parametrize(
    "calls",
    [
        "  call void @helper()\n  call void @helper()\n  ret i32 0\n}\n",
        LOOP.format(inside="call void @helper()"),
    ],
)
def test_two_calls_or_a_loop_are_many(calls: str) -> None:
    s = solved(MAIN + calls + HELPER)
    assert not runs_once(s, "helper")
    assert not is_single(s, "helper", "v")
    assert not is_single(s, "helper", "p")
    assert runs_once(s, "main")


def test_an_object_made_in_a_loop_is_not_single() -> None:
    s = solved(MAIN + LOOP.format(inside="%p = call ptr @malloc(i64 4)\n  %v = alloca i32"))
    assert not is_single(s, "main", "p")
    assert not is_single(s, "main", "v")
    assert not s.result.executions.executes_once(s.call("main", "malloc"))


def test_recursion_is_many() -> None:
    helper = "define void @helper() {\n  %v = alloca i32\n  call void @helper()\n  ret void\n}\n"
    s = solved(MAIN + "  call void @helper()\n  ret i32 0\n}\n" + helper)
    assert not runs_once(s, "helper")


def test_main_called_again_is_many() -> None:
    s = solved(MAIN + "  %v = alloca i32\n  %r = call i32 @main(i32 0, ptr null)\n  ret i32 0\n}\n")
    assert not runs_once(s, "main")
    assert not is_single(s, "main", "v")


def test_a_thread_created_once() -> None:
    s = solved(MAIN + f"  %id = alloca i64\n  %c = {CREATE}\n  %t = load i64, ptr %id\n  ret i32 0\n}}\n" + WORKER)
    assert runs_once(s, "work")
    assert is_single(s, "work", "p")
    assert is_single(s, "main", "t")


@pytest.mark.parametrize(
    "body",
    [
        f"  %id = alloca i64\n  %c = {CREATE}\n  %d = {CREATE}\n  ret i32 0\n}}\n",
        "  %id = alloca i64" + LOOP.format(inside=f"%c = {CREATE}"),
        f"  %id = alloca i64\n  %c = {CREATE}\n  %d = call ptr @work(ptr null)\n  ret i32 0\n}}\n",
    ],
)
def test_a_thread_created_often_or_called_besides(body: str) -> None:
    s = solved(MAIN + body + WORKER)
    assert not runs_once(s, "work")


def test_indirect_calls_count_for_every_target() -> None:
    text = (
        MAIN
        + "  %f = select i1 true, ptr @helper, ptr @helper2\n  call void %f()\n  call void @helper()\n  ret i32 0\n}\n"
    )
    s = solved(text + HELPER + HELPER.replace("@helper", "@helper2"))
    assert not runs_once(s, "helper")
    assert runs_once(s, "helper2")


def test_once_initialisers_run_once_however_often_they_are_asked_for() -> None:
    ask = "%o = call i32 @pthread_once(ptr @once, ptr @helper)"
    s = solved(MAIN + LOOP.format(inside=ask) + HELPER)
    assert runs_once(s, "helper")
    assert is_single(s, "helper", "p")
    other = MAIN + f"  {ask}\n  %q = call i32 @pthread_once(ptr @flag, ptr @helper)\n  ret i32 0\n}}\n"
    assert not runs_once(solved(other + HELPER), "helper")


def test_callbacks_and_escaped_functions_are_many() -> None:
    s = solved(MAIN + "  %r = call i32 @atexit(ptr @helper)\n  ret i32 0\n}\n" + HELPER)
    assert not runs_once(s, "helper")
    s = solved(MAIN + "  call void @keep(ptr @helper)\n  ret i32 0\n}\n" + HELPER)
    assert not runs_once(s, "helper")


def test_setjmp_repeats_the_whole_function() -> None:
    s = solved(
        MAIN + "  %v = alloca i32\n  %j = call i32 @_setjmp(ptr %v)\n  call void @helper()\n  ret i32 0\n}\n" + HELPER
    )
    assert not runs_once(s, "helper")


def test_functions_that_never_run() -> None:
    s = solved(MAIN + "  ret i32 0\n}\n" + HELPER)
    assert runs_once(s, "helper")
