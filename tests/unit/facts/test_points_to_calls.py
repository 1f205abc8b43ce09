"""points_to: the call graph, threads, library functions, the outside world, copies of wrappers."""

from __future__ import annotations

from unit.facts.points_to_programs import solved

from raceproof.facts.pointers.calls import EntryKind
from raceproof.ir import Reg

GLOBALS = """
%struct.node = type { ptr, i64 }
%struct.pair = type { ptr, ptr, i64, i64 }
@x = global i32 0
@y = global i32 0
@z = global i32 0
@handler = global ptr null
@first = global ptr null
@second = global ptr null
@numbers = global [100 x i32] zeroinitializer
@once = global i32 0
@key = global i32 0
"""
MAIN = "define i32 @main(i32 %n, ptr %argv) {\nentry:\n"


def test_indirect_calls_are_found_while_solving() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  store ptr @a, ptr @handler
  call void @dispatch()
  ret i32 0
}
define void @dispatch() {
  %h = load ptr, ptr @handler
  %r = call ptr %h(ptr @x)
  ret void
}
define ptr @a(ptr %p) {
  store ptr @b, ptr @handler
  ret ptr %p
}
define ptr @b(ptr %p) {
  ret ptr @y
}
define ptr @never(ptr %p) {
  ret ptr @z
}
"""
    )
    call = s.instr("dispatch", "r")
    assert s.result.callees(call.id) == ("a", "b")
    assert s.at("dispatch", "r") == {"x+0", "y+0"}
    assert s.at("b", "p") == {"x+0"}
    assert s.result.call_sites("b") == (("dispatch", call.id),)
    assert s.result.call_sites("never") == ()
    assert s.result.reachable_functions("main") == {"main", "dispatch", "a", "b"}


def test_a_call_with_too_few_or_too_many_arguments() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  %a = call ptr @two(ptr @x)
  %b = call ptr @two(ptr @x, ptr @y, ptr @z)
  ret i32 0
}
define ptr @two(ptr %p, ptr %q) {
  %r = call ptr @two(ptr %q, ptr %p)
  ret ptr %q
}
"""
    )
    assert s.at("main", "a") == {"x+0", "y+0"}


# Copies.

WRAPPERS = """
define ptr @new_node() {
  %p = call ptr @checked_malloc(i64 16)
  %f = getelementptr %struct.node, ptr %p, i32 0, i32 1
  store i64 0, ptr %f
  ret ptr %p
}
define ptr @checked_malloc(i64 %size) {
entry:
  %p = call ptr @malloc(i64 %size)
  %failed = icmp eq ptr %p, null
  br i1 %failed, label %bad, label %good
bad:
  ret ptr null
good:
  ret ptr %p
}
"""


def test_each_call_of_an_allocation_wrapper_has_its_object() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  %a = call ptr @new_node()
  %b = call ptr @new_node()
  %c = call ptr @checked_malloc(i64 40)
  store ptr @x, ptr %a
  store ptr @y, ptr %b
  %d = load ptr, ptr %a
  ret i32 0
}
"""
        + WRAPPERS
    )
    a, b, c = (s.result.targets("main", Reg(r)) for r in "abc")
    assert len({loc.object for loc in (*a, *b, *c)}) == 3
    assert s.at("main", "d") == {"x+0"}
    assert len(s.result.object_of_site(s.call("checked_malloc", "malloc"))) == 3
    assert len(s.result.targets("checked_malloc", Reg("p"))) == 3
    assert sorted(o.size or 0 for o in s.heap()) == [16, 16, 40]
    assert all(o.is_single for o in s.heap())


def test_a_recursive_function_is_no_wrapper() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  %a = call ptr @tree(i32 3)
  %b = call ptr @tree(i32 4)
  ret i32 0
}
define ptr @tree(i32 %depth) {
entry:
  %p = call ptr @malloc(i64 16)
  %end = icmp eq i32 %depth, 0
  br i1 %end, label %leaf, label %inner
leaf:
  ret ptr %p
inner:
  %q = call ptr @tree(i32 0)
  store ptr %q, ptr %p
  ret ptr %q
}
"""
    )
    assert s.result.targets("main", Reg("a")) == s.result.targets("main", Reg("b"))
    assert [o.is_single for o in s.heap()] == [False]


def test_small_helpers_on_pointers_do_not_mix_their_callers() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  call void @put(ptr @first, ptr @x)
  call void @put(ptr @second, ptr @y)
  %a = call ptr @get(ptr @first)
  %b = call ptr @get(ptr @second)
  ret i32 0
}
define void @put(ptr %where, ptr %what) {
  store ptr %what, ptr %where
  ret void
}
define ptr @get(ptr %where) {
  %p = load ptr, ptr %where
  ret ptr %p
}
"""
    )
    assert s.at("main", "a") == {"x+0"}
    assert s.at("main", "b") == {"y+0"}
    assert s.at("get", "p") == {"x+0", "y+0"}


# Threads.

THREADS = (
    GLOBALS
    + MAIN
    + """
  %id1 = alloca i64
  %id2 = alloca i64
  %result = alloca ptr
  %c1 = call i32 @pthread_create(ptr %id1, ptr null, ptr @work, ptr @x)
  %c2 = call i32 @pthread_create(ptr %id2, ptr null, ptr @other, ptr @y)
  %t = load i64, ptr %id1
  %j = call i32 @pthread_join(i64 %t, ptr %result)
  %r = load ptr, ptr %result
  ret i32 0
}
define ptr @work(ptr %arg) {
  %self = call i64 @pthread_self()
  ret ptr %arg
}
define ptr @other(ptr %arg) {
  call void @leave()
  ret ptr %arg
}
define void @leave() {
  ret void
}
"""
)


def test_thread_ids_and_results_are_followed() -> None:
    s = solved(THREADS)
    created = s.instr("main", "c1").id
    assert s.result.thread_starts(created) == ("work",)
    assert s.result.start_kind(created) is EntryKind.THREAD
    assert s.at("work", "arg") == {"x+0"}
    assert [t.object for t in s.result.targets("main", Reg("t"))] == list(s.result.object_of_site(created))
    assert s.at("main", "r") == {"x+0"}
    assert s.at("work", "self") == {"main thread+0", "thread+0"}
    assert s.result.call_sites("work") == ()
    assert s.result.reachable_functions("main") == {"main"}
    assert s.result.reachable_functions("other") == {"other", "leave"}


def test_pthread_exit_gives_a_result_too() -> None:
    s = solved(THREADS.replace("define void @leave() {", "define void @leave() {\n  call void @pthread_exit(ptr @z)"))
    assert s.at("main", "r") == {"x+0", "z+0"}


def test_once_and_thread_specific_data() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  %o = call i32 @pthread_once(ptr @once, ptr @init)
  %k = call i32 @pthread_key_create(ptr @key, ptr @destroy)
  %kk = load i32, ptr @key
  %w = call i32 @pthread_setspecific(i32 %kk, ptr @x)
  %v = call ptr @pthread_getspecific(i32 %kk)
  ret i32 0
}
define void @init() {
  store ptr @y, ptr @first
  ret void
}
define void @destroy(ptr %p) {
  ret void
}
"""
    )
    assert s.result.thread_starts(s.instr("main", "o").id) == ("init",)
    assert s.result.start_kind(s.instr("main", "o").id) is EntryKind.ONCE
    assert s.at("main", "v") == {"x+0"}
    assert s.at("destroy", "p") == {"x+0"}
    assert s.result.reachable_functions("main") == {"main", "init", "destroy"}


# The library.


def test_callbacks_get_elements() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  call void @qsort(ptr @numbers, i64 100, i64 4, ptr @compare)
  %found = call ptr @bsearch(ptr @x, ptr @numbers, i64 100, i64 4, ptr @compare)
  ret i32 0
}
define i32 @compare(ptr %a, ptr %b) {
  ret i32 0
}
"""
    )
    assert s.at("compare", "b") == {"numbers+0/4"}
    assert s.at("compare", "a") == {"numbers+0/4", "x+0"}
    assert s.at("main", "found") == {"numbers+0/4"}
    assert s.result.start_kind(s.call("main", "qsort")) is EntryKind.CALLBACK


def test_results_of_string_functions() -> None:
    s = solved(
        GLOBALS
        + "@text = global [20 x i8] zeroinitializer\n"
        + MAIN
        + """
  %end = alloca ptr
  %c = call ptr @strchr(ptr @text, i32 1)
  %d = call ptr @strdup(ptr @text)
  %l = call i64 @strtol(ptr @text, ptr %end, i32 10)
  %e = load ptr, ptr %end
  %t = call ptr @localtime(ptr @x)
  ret i32 0
}
"""
    )
    assert s.at("main", "c") == s.at("main", "e") == {"text+0/1"}
    assert s.at("main", "d") == {"strdup+0"}
    (static,) = s.result.targets("main", Reg("t"))
    assert s.result.static_location(s.result.objects[static.object].name) == (static,)


def test_variadic_arguments() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  %r = call ptr (i32, ...) @last(i32 2, ptr @x, ptr @y)
  ret i32 0
}
define ptr @last(i32 %n, ...) {
  %list = alloca { i32, i32, ptr, ptr }
  call void @llvm.va_start.p0(ptr %list)
  %at = getelementptr i8, ptr %list, i64 8
  %area = load ptr, ptr %at
  %slot = getelementptr i8, ptr %area, i64 8
  %value = load ptr, ptr %slot
  ret ptr %value
}
"""
    )
    assert s.at("main", "r") == {"x+0", "y+0"}


def test_structs_passed_in_memory_are_copies() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  %p = alloca %struct.pair
  store ptr @x, ptr %p
  %r = call ptr @use(ptr byval(%struct.pair) %p)
  %q = load ptr, ptr %p
  ret i32 0
}
define ptr @use(ptr byval(%struct.pair) %s) {
  %a = load ptr, ptr %s
  store ptr @y, ptr %s
  ret ptr %a
}
"""
    )
    assert s.at("main", "q") == {"x+0"}
    assert s.at("main", "r") == {"x+0", "y+0"}
    assert s.at("use", "s") == {"s+0"}


# The outside world.


def test_an_unknown_function_may_do_anything_with_what_it_reaches() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  store ptr @x, ptr @first
  %r = call ptr @mystery(ptr @first)
  %p = load ptr, ptr @first
  %q = load ptr, ptr @second
  ret i32 0
}
"""
    )
    outside = {"memory outside the program+?", "first+0", "x+0"}
    assert s.at("main", "r") == s.at("main", "p") == outside
    assert s.at("main", "q") == set()
    assert s.result.unknown_calls == (("mystery", s.instr("main", "r").id),)
    names = {s.result.objects[o].name for o in s.result.escaped_objects}
    assert names == {"first", "x"}


def test_an_escaped_function_is_called_with_anything() -> None:
    s = solved(
        GLOBALS
        + MAIN
        + """
  call void @keep(ptr @callback)
  call void @keep(ptr @x)
  %g = call ptr @give()
  ret i32 0
}
define ptr @callback(ptr %p) {
  %m = call ptr @malloc(i64 8)
  ret ptr %m
}
"""
    )
    assert s.result.escaped_functions == {"callback"}
    assert {"x+0", "malloc+0", "memory outside the program+?"} <= s.at("callback", "p")
    assert "malloc+0" in s.at("main", "g")
    assert [o.is_single for o in s.heap()] == [False]


def test_a_function_pointer_from_outside() -> None:
    s = solved(GLOBALS + MAIN + "  %f = call ptr @give()\n  %r = call ptr %f(ptr @x)\n  ret i32 0\n}\n")
    assert "x+0" in s.at("main", "r")
    assert [name for name, _ in s.result.unknown_calls] == ["a function from outside", "give"]


def test_external_variables() -> None:
    s = solved(
        GLOBALS
        + "@theirs = external global ptr\n@stdin = external global ptr\n"
        + MAIN
        + """
  store ptr @x, ptr @theirs
  %a = load ptr, ptr @theirs
  %f = load ptr, ptr @stdin
  ret i32 0
}
"""
    )
    assert s.at("main", "a") == {"memory outside the program+?", "theirs+0", "x+0"}
    assert s.at("main", "f") == {"stream of stdin+0"}


def test_destructors_run_too() -> None:
    table = "[{ i32, ptr, ptr } { i32 1, ptr @setup, ptr null }]"
    s = solved(
        GLOBALS
        + f"@llvm.global_dtors = appending global [1 x {{ i32, ptr, ptr }}] {table}\n"
        + MAIN
        + """
  %p = load ptr, ptr @first
  ret i32 0
}
define void @setup() {
  store ptr @x, ptr @first
  ret void
}
"""
    )
    assert s.at("main", "p") == {"x+0"}
