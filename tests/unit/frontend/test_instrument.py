"""The instrumented text: what is put where, and that LLVM accepts it."""

from __future__ import annotations

import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from raceproof.core import Unsupported
from raceproof.frontend import (
    AccessHook,
    Appended,
    Block,
    Extent,
    Fixed,
    Guard,
    HookPlan,
    Product,
    Result,
    Role,
    Stop,
    Stopped,
    String,
    StringUpTo,
    instrument,
)
from raceproof.frontend.llvm_functions import instruction_rows
from raceproof.frontend.llvm_parser import parse_module
from raceproof.frontend.spin_loops import natural_loops, spin_loops
from raceproof.ir import Call, Load, Origin, Program, SiteId, Store

LAYOUT = 'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
MAIN = "\ndefine i32 @main() {\n  ret i32 0\n}\n"
LOCKS = {
    "pthread_mutex_lock": Role.LOCK,
    "pthread_mutex_unlock": Role.UNLOCK,
    "sched_yield": Role.QUIET,
}
DECLARED = (
    "declare i32 @pthread_mutex_lock(ptr)\ndeclare i32 @pthread_mutex_unlock(ptr)\ndeclare i32 @sched_yield()\n"
    "@m = global i64 0, align 8\n@x = global i32 0, align 4\n@c = constant i32 7, align 4\n"
)


def module(text: str) -> tuple[str, Program]:
    whole = LAYOUT + text + (MAIN if "@main(" not in text else "")
    return whole, parse_module(whole, Origin(("t.c",), (), "LP64"))


def hooked(text: str, plan: HookPlan | None = None) -> str:
    """The instrumented module, after LLVM has read and verified it."""
    whole, program = module(text)
    made = instrument(whole, program, plan or HookPlan({}))
    llvm.parse_assembly(made).verify()
    return made


def body(made: str, function: str = "f") -> list[str]:
    found = re.search(rf"^define [^\n]*@{function}\([^\n]*\n(.*?)^}}", made, re.MULTILINE | re.DOTALL)
    assert found is not None
    return [line.strip() for line in found.group(1).splitlines() if line.strip()]


def all_accesses(text: str) -> HookPlan:
    """A hook for each load and store; the access is the site."""
    _, program = module(text)
    hooks = {}
    for site, (_, instr) in program.instructions_by_site().items():
        if isinstance(instr, Load | Store):
            hooks[site] = (AccessHook(int(site), "read" if isinstance(instr, Load) else "write"),)
    return HookPlan(hooks)


# --- sites


def test_the_rows_with_a_site_are_the_instructions_of_the_program(compile_c) -> None:
    text = compile_c(Path(__file__).with_name("every_construct.c"), promoted=True)
    program = parse_module(text, Origin(("every_construct.c",), (), "LP64"))
    lines = text.split("\n")
    site = 1
    for at, line in enumerate(lines):
        if line.startswith("define "):
            rows = lines[at + 1 : lines.index("}", at)]
            name = re.search(r'@("[^"]*"|[\w$.\-]+)\(', line)
            assert name is not None
            instructions = list(program.functions[name.group(1)].instructions())
            numbered = [found for found in instruction_rows(rows) if found.has_site]
            assert [site + n for n in range(len(numbered))] == [i.id for i in instructions]
            for found, instr in zip(numbered, instructions, strict=True):
                result = re.match(r"  %(\S+) = ", rows[found.first])
                expected = getattr(instr, "result", None)
                assert (result.group(1) if result else None) == (expected.name if expected else None)
                if isinstance(instr, Load | Store | Call):
                    assert re.search(rf"\b{type(instr).__name__.lower()}\b", rows[found.first])
            site += len(numbered)
    assert site > 100


# --- loads, stores, atomics


def test_plain_accesses() -> None:
    text = "@x = global i32 0, align 4\ndefine void @f(ptr %p) {\n  %1 = load i32, ptr @x, align 4\n"
    text += (
        "  store ptr null, ptr getelementptr inbounds (i8, ptr @x, i64 0), align 8\n  store i64 3, ptr %p, align 8\n"
    )
    text += "  ret void\n}\n"
    assert body(hooked(text, all_accesses(text))) == [
        "call void @rp_read(ptr @x, i32 1, i32 4)",
        "%1 = load i32, ptr @x, align 4",
        "call void @rp_write(ptr getelementptr inbounds ( i8 , ptr @x , i64 0 ), i32 2, i32 8)",
        "store ptr null, ptr getelementptr inbounds (i8, ptr @x, i64 0), align 8",
        "call void @rp_write(ptr %p, i32 3, i32 8)",
        "store i64 3, ptr %p, align 8",
        "ret void",
    ]


def test_accesses_that_nobody_watches_are_left_alone() -> None:
    text = "@x = global i32 0\ndefine void @f() {\n  %1 = load i32, ptr @x, align 4\n  ret void\n}\n"
    assert body(hooked(text)) == ["%1 = load i32, ptr @x, align 4", "ret void"]


def test_atomics_are_always_told() -> None:
    text = "@x = global i32 0\ndefine i1 @f() {\n  %1 = load atomic i32, ptr @x acquire, align 4\n"
    text += "  %2 = atomicrmw add ptr @x, i32 1 monotonic, align 4\n"
    text += "  %3 = cmpxchg ptr @x, i32 0, i32 3 acq_rel acquire, align 4\n"
    text += "  fence release\n  store atomic i32 5, ptr @x seq_cst, align 4\n"
    text += "  %4 = extractvalue { i32, i1 } %3, 1\n  ret i1 %4\n}\n"
    rows = body(hooked(text, HookPlan({SiteId(2): (AccessHook(9, "update"),)})))
    none = 0xFFFFFFFF
    assert rows[:9] == [
        "store i32 1, ptr @rp_site, align 4",
        f"call void @rp_atomic_load(ptr @x, i32 {none}, i32 4, i32 2)",
        "%1 = load atomic i32, ptr @x acquire, align 4",
        "store i32 2, ptr @rp_site, align 4",
        "call void @rp_atomic_rmw(ptr @x, i32 9, i32 4, i32 1)",
        "%2 = atomicrmw add ptr @x, i32 1 monotonic, align 4",
        "store i32 3, ptr @rp_site, align 4",
        f"call void @rp_cas(ptr @x, i32 {none}, i32 4, i32 4, i32 2)",
        "%3 = cmpxchg ptr @x, i32 0, i32 3 acq_rel acquire, align 4",
    ]
    assert rows[9:12] == [
        "%rp.1 = extractvalue { i32, i1 } %3, 1",
        "%rp.2 = zext i1 %rp.1 to i32",
        "call void @rp_cas_done(i32 %rp.2)",
    ]
    assert "call void @rp_fence(i32 3)" in rows
    assert f"call void @rp_atomic_store(ptr @x, i32 {none}, i32 4, i32 5)" in rows


# --- library calls


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        (AccessHook(5, "write", 0, Fixed(8)), "call void @rp_write_range(ptr %p, i32 5, i64 8)"),
        (AccessHook(5, "read", 1, Product((2,))), "call void @rp_read_range(ptr @x, i32 5, i64 %n)"),
        (AccessHook(5, "read", 1, String()), "call void @rp_read_string(ptr @x, i32 5)"),
        (
            AccessHook(5, "read", 1, Stopped(Stop.DIFFERENCE, String(), 7, other=0, number=2)),
            "call void @rp_read_stopped(ptr @x, i32 5, i32 7, ptr %p, i64 %n, i32 7)",
        ),
        (AccessHook(5, "check", 1, Stopped(Stop.FLOAT, String(), 7)), "call void @rp_check_string(ptr @x, i32 5)"),
        (AccessHook(5, "free", 0, Block()), "call void @rp_free_access(ptr %p, i32 5)"),
    ],
)
def test_what_a_call_touches_is_told_before(hook: AccessHook, expected: str) -> None:
    text = "@x = global i32 0\ndeclare i32 @lib(ptr, ptr, i64)\ndefine void @f(ptr %p, i64 %n) {\n"
    text += "  %1 = call i32 @lib(ptr noundef align 4 %p, ptr @x, i64 noundef %n)\n  ret void\n}\n"
    rows = body(hooked(text, HookPlan({SiteId(1): (hook,)})))
    assert rows == [expected, "%1 = call i32 @lib(ptr noundef align 4 %p, ptr @x, i64 noundef %n)", "ret void"]


@pytest.mark.parametrize(
    ("extent", "guard", "last"),
    [
        (String(), Guard.ALWAYS, "call void @rp_write_string(ptr %p, i32 5)"),
        (String(), Guard.ABOVE, r"call void @rp_write_string\(ptr %rp\.\d+, i32 5\)"),
        (Fixed(4), Guard.ABOVE, r"call void @rp_write_range\(ptr %p, i32 5, i64 %rp\.\d+\)"),
        (Result(), Guard.ALWAYS, r"call void @rp_write_range\(ptr %p, i32 5, i64 %rp\.\d+\)"),
        (Result(times=2), Guard.ALWAYS, r"call void @rp_write_range\(ptr %p, i32 5, i64 %rp\.\d+\)"),
        (Result(plus=1, limit=2), Guard.ALWAYS, r"call void @rp_write_range\(ptr %p, i32 5, i64 %rp\.\d+\)"),
    ],
)
def test_what_only_the_result_tells_is_told_behind(extent: Extent, guard: Guard, last: str) -> None:
    text = "declare i32 @lib(ptr, ptr, i64)\ndefine void @f(ptr %p, i64 %n) {\n"
    text += "  %1 = call i32 @lib(ptr %p, ptr null, i64 %n)\n  ret void\n}\n"
    hook = AccessHook(5, "write", 0, extent, behind=True, guard=guard, bound=1)
    rows = body(hooked(text, HookPlan({SiteId(1): (hook,)})))
    assert rows[0] == "%1 = call i32 @lib(ptr %p, ptr null, i64 %n)"
    assert rows[-2] == last or re.fullmatch(last, rows[-2])


def test_a_bounded_string_is_measured_first() -> None:
    text = "declare i32 @lib(ptr, i32)\ndefine void @f(ptr %p, i32 %n) {\n  %1 = call i32 @lib(ptr %p, i32 %n)\n"
    rows = body(hooked(text + "  ret void\n}\n", HookPlan({SiteId(1): (AccessHook(5, "read", 0, StringUpTo(1)),)})))
    assert any("@strnlen(ptr %p" in row for row in rows)
    assert rows.index("%1 = call i32 @lib(ptr %p, i32 %n)") == len(rows) - 2


NARROW = 'target datalayout = "e-m:e-p:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"\n'


def test_lengths_in_a_32_bit_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come as 32 bits and are told as 64; a limit of all bits set is one."""
    monkeypatch.setitem(globals(), "LAYOUT", NARROW)
    text = "declare i32 @lib(ptr, i32)\ndefine void @f(ptr %p, i32 %n) {\n"
    text += "  %1 = call i32 @lib(ptr %p, i32 %n)\n  ret void\n}\n"

    def rows(*hooks: AccessHook) -> list[str]:
        return body(hooked(text, HookPlan({SiteId(1): hooks})))

    measured = rows(AccessHook(5, "read", 0, StringUpTo(1)))
    assert any(re.search(r"zext i32 %n to i64", row) for row in measured)
    assert any(re.search(r"call i32 @strnlen\(ptr %p, i32 %rp\.\d+\)", row) for row in measured)
    copied = rows(AccessHook(5, "read", 0, Product((1,))))
    assert any(re.search(r"sext i32 %n to i64", row) for row in copied)
    behind = rows(AccessHook(5, "write", 0, Appended(), behind=True))
    assert any(re.search(r"call i32 @strlen\(ptr %p\)", row) for row in behind)


# --- calls


def test_replaced_functions_get_the_runtimes_name_everywhere() -> None:
    text = '@t = global ptr @lib\n@s = constant [5 x i8] c"@lib\\00"\ndeclare void @lib()\ndeclare void @lib2()\n'
    text += "define void @f() {\n  call void @lib()\n  call void @lib2()\n  ret void\n}\n"
    made = hooked(text, HookPlan({}, replaced={"lib": "rp_lib_lib"}))
    assert "@t = global ptr @rp_lib_lib" in made
    assert 'c"@lib\\00"' in made
    assert body(made) == [
        "store i32 1, ptr @rp_site, align 4",
        "call void @rp_lib_lib()",
        "call void @lib2()",
        "ret void",
    ]


def test_two_names_of_one_replaced_function() -> None:
    text = "declare i32 @open(ptr, i32, ...)\ndeclare i32 @open64(ptr, i32, ...)\n"
    made = hooked(text, HookPlan({}, replaced={"open": "rp_lib_open", "open64": "rp_lib_open"}))
    assert made.count("@rp_lib_open(") == 1


def test_calls_that_may_reach_a_hook_are_on_the_stack() -> None:
    text = "@x = global i32 0\n@p = global ptr @leaf\ndefine void @leaf() {\n  store i32 1, ptr @x\n  ret void\n}\n"
    text += "define void @idle() {\n  ret void\n}\ndefine void @f(ptr %g) {\n  call void @leaf()\n  call void @idle()\n"
    text += "  call void %g()\n  ret void\n}\n"
    rows = body(hooked(text, HookPlan({SiteId(1): (AccessHook(0, "write"),)})))
    assert rows == [
        "call void @rp_enter(i32 4)",
        "call void @leaf()",
        "call void @rp_leave()",
        "call void @idle()",
        "call void @rp_enter(i32 6)",
        "store i32 6, ptr @rp_site, align 4",
        "call void %g()",
        "call void @rp_leave()",
        "ret void",
    ]


def test_functions_that_are_one_step() -> None:
    text = "define i32 @__VERIFIER_atomic_f() {\n  ret i32 1\n}\n"
    plan = HookPlan({}, atomic_functions=frozenset({"__VERIFIER_atomic_f"}))
    rows = body(hooked(text, plan), "__VERIFIER_atomic_f")
    assert rows == [
        "store i32 1, ptr @rp_site, align 4",
        "call void @rp_lib___VERIFIER_atomic_begin()",
        "store i32 1, ptr @rp_site, align 4",
        "call void @rp_lib___VERIFIER_atomic_end()",
        "ret i32 1",
    ]


# --- thread-local variables, exports


def test_thread_local_variables_become_images() -> None:
    text = "@t = internal thread_local global i32 3, align 4\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n"
    text += "define i32 @f() {\n  %1 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @t)\n"
    text += "  %2 = load i32, ptr %1, align 4\n  store i32 4, ptr @t, align 4\n  ret i32 %2\n}\n"
    made = hooked(text)
    assert '@t = internal global i32 3, align 4, section "rptls"' in made
    assert body(made) == [
        "%1 = call ptr @rp_tls(ptr @t)",
        "%2 = load i32, ptr %1, align 4",
        "%rp.1 = call ptr @rp_tls(ptr @t)",
        "store i32 4, ptr %rp.1, align 4",
        "ret i32 %2",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "@t = external thread_local global i32, align 4\n",
        "@t = thread_local global i32 0\n@p = global ptr @t\n",
    ],
)
def test_thread_local_variables_that_cannot_be_images(text: str) -> None:
    with pytest.raises(Unsupported, match="thread-local"):
        hooked(text)


def test_exports() -> None:
    text = "@g = global [2 x i64] zeroinitializer\n@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] "
    text += "[{ i32, ptr, ptr } { i32 65535, ptr @b, ptr null }, { i32, ptr, ptr } { i32 101, ptr @a, ptr null }]\n"
    text += "define void @a() {\n  ret void\n}\ndefine void @b() {\n  ret void\n}\n"
    text += "define void @main(i32 %0, ptr %1) {\n  ret void\n}\n"
    made = hooked(text, HookPlan({}, tokens=(("g", 8), ("g", 0))))
    assert "@rp_destructors = constant [3 x ptr] [ptr @b, ptr @a, ptr null]" in made
    assert "@rp_tokens = constant [3 x ptr] [ptr getelementptr (i8, ptr @g, i64 8), ptr @g, ptr null]" in made
    assert "llvm.global_dtors" not in made
    assert "{ ptr @g, ptr @rp.name.0, i64 16 }" in made
    assert body(made, "rp_program_main") == ["call void @main(i32 %argc, ptr %argv)", "ret i32 0"]


def test_names_of_the_runtime_are_refused() -> None:
    with pytest.raises(Unsupported, match="rp_site"):
        hooked("@rp_site = global i32 0, align 4\n")


def test_purity_is_forgotten_and_debug_information_left_out() -> None:
    text = "define i32 @f(ptr %p) #0 !dbg !5 {\n    #dbg_value(ptr %p, !6, !DIExpression(), !7)\n"
    text += "  %1 = load i32, ptr %p, align 4, !dbg !7\n  ret i32 %1\n}\n"
    text += 'attributes #0 = { nounwind willreturn memory(read) "target-features"="+sse2,-avx" }\n'
    whole, program = module(text)
    made = instrument(whole, program, HookPlan({}))
    assert 'attributes #0 = { noinline null_pointer_is_valid nounwind "target-features"="+sse2" }' in made
    assert "!dbg" not in made
    assert "#dbg" not in made


# --- loops that wait


def spins(text: str) -> tuple[str, Program]:
    _, program = module(DECLARED + text)
    return hooked(DECLARED + text, HookPlan({}, roles=LOCKS)), program


def test_a_loop_that_only_reads_waits() -> None:
    text = "define i32 @f() {\n  br label %1\n\n1:\n  %2 = phi i32 [ 0, %0 ], [ %2, %1 ]\n"
    text += "  %3 = load i32, ptr @x, align 4\n  %4 = load i32, ptr @c, align 4\n  %5 = icmp eq i32 %3, 0\n"
    text += "  br i1 %5, label %1, label %6\n\n6:\n  ret i32 %2\n}\n"
    made, _ = spins(text)
    assert body(made) == [
        "br label %1",
        "1:",
        '%2 = phi i32 [ 0, %0 ], [ %2, %"rp.back.1.1" ]',
        "call void @rp_loop(i32 2)",
        "call void @rp_round()",
        "call void @rp_poll(ptr @x, i32 4)",
        "%3 = load i32, ptr @x, align 4",
        "%4 = load i32, ptr @c, align 4",
        "%5 = icmp eq i32 %3, 0",
        'br i1 %5, label %"rp.back.1.1", label %6',
        '"rp.back.1.1":',
        "call void @rp_spin(i32 2)",
        "br label %1",
        "6:",
        "call void @rp_leave_loop()",
        "ret i32 %2",
    ]


LOCKED_ROUND = (
    "  %2 = call i32 @pthread_mutex_lock(ptr @m)\n  %3 = load i32, ptr @x, align 4\n"
    "  %4 = call i32 @pthread_mutex_unlock(ptr @m)\n  %5 = icmp eq i32 %3, 0\n"
)
CAS_ROUND = "  %2 = cmpxchg ptr @x, i32 0, i32 1 acquire monotonic\n  %5 = extractvalue { i32, i1 } %2, 1\n"


@pytest.mark.parametrize(
    ("round_", "waits"),
    [
        (LOCKED_ROUND, True),
        (CAS_ROUND, True),
        ("  %2 = call i32 @sched_yield()\n  %5 = load i1, ptr @x\n", True),
        ("  %2 = call i32 @get()\n  %5 = icmp eq i32 %2, 0\n", True),
        ("  %2 = call i32 @put()\n  %5 = icmp eq i32 %2, 0\n", False),
        ("  %2 = call i32 @pthread_mutex_lock(ptr @m)\n  %5 = icmp eq i32 %2, 0\n", False),
        ("  store i32 1, ptr @x\n  %5 = load i1, ptr @x\n", False),
        ("  %2 = phi i32 [ 0, %0 ], [ %3, %1 ]\n  %3 = add i32 %2, 1\n  %5 = icmp eq i32 %3, 9\n", False),
        ("  %2 = phi i32 [ 0, %0 ], [ 1, %1 ]\n  %5 = icmp eq i32 %2, 0\n", True),
        ("  %2 = phi i32 [ 1, %0 ], [ 1, %1 ]\n  %5 = icmp eq i32 %2, 0\n", True),
        ("  call void @unknown()\n  %5 = load i1, ptr @x\n", False),
    ],
)
def test_which_loops_wait(round_: str, waits: bool) -> None:
    text = "declare void @unknown()\ndefine i32 @get() {\n  %1 = load i32, ptr @x\n  ret i32 %1\n}\n"
    text += "define i32 @put() {\n  store i32 1, ptr @x\n  ret i32 1\n}\n"
    named = re.sub(r"%([2-5])\b", r"%v\1", round_)
    text += f"define void @f() {{\n  br label %1\n\n1:\n{named}  br i1 %v5, label %2, label %1\n\n2:\n"
    text += "  ret void\n}\n"
    made, _ = spins(text)
    assert ("call void @rp_spin" in made) == waits


def test_of_nested_loops_the_inner_one_waits() -> None:
    text = "define void @f() {\n  br label %1\n\n1:\n  br label %2\n\n2:\n  %a = load i1, ptr @x\n"
    text += "  br i1 %a, label %2, label %3\n\n3:\n  %b = load i1, ptr @x\n  br i1 %b, label %1, label %4\n\n4:\n"
    _, program = module(DECLARED + text + "  ret void\n}\n")
    loops = natural_loops(program.functions["f"])
    assert {header: sorted(inside) for header, (inside, _) in loops.items()} == {"1": ["1", "2", "3"], "2": ["2"]}
    assert list(spin_loops(program, HookPlan({})).headers) == [("f", "2")]


def test_a_switch_back_to_the_header_is_one_way() -> None:
    text = "define void @f() {\n  br label %1\n\n1:\n  %p = phi i32 [ 0, %0 ], [ %p, %1 ], [ %p, %1 ]\n"
    text += (
        "  %v = load i32, ptr @x\n  switch i32 %v, label %2 [\n    i32 0, label %1\n    i32 1, label %1\n  ]\n\n2:\n"
    )
    made, _ = spins(text + "  ret void\n}\n")
    assert '%p = phi i32 [ 0, %0 ], [ %p, %"rp.back.1.1" ]' in body(made)
