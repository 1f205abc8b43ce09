"""Assembly that is not understood becomes a call of unknown code, with all that it can reach as arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.core import Budget
from raceproof.facts import analyse
from raceproof.frontend import Cache, from_files, load
from raceproof.frontend.opaque_assembly import with_opaque_assembly
from raceproof.ir import OPAQUE_ASSEMBLY, SYSTEM_CALL_ASSEMBLY, Address, Call, IntConst, Program, Switch

MODULE = """target triple = "x86_64-unknown-linux-gnu"
@total = internal global i32 0
@_f.n = internal global i32 0
define i32 @f(ptr %0) {{
  {row}
  ret i32 0
}}
"""


def unknown_call(row: str) -> str:
    text = with_opaque_assembly(MODULE.format(row=row))
    (line,) = (line for line in text.split("\n") if " call " in line)
    return line.strip()


@pytest.mark.parametrize(
    ("template", "given"),
    [
        ("frob $0", "ptr %0"),
        ("incl total(%rip)", "ptr %0, ptr @total"),
        ("movl $$total, %eax", "ptr %0, ptr @total"),
        ("lock; incl _f.n", "ptr %0, ptr @_f.n"),
        ("rep stosb; call elsewhere", "ptr %0, ptr @elsewhere"),
        ("frob ${0:w}", "ptr %0"),
        (".macro x y\\0Aincl \\5Cy\\0A.endm\\0Ax total", "ptr %0, ptr @total, ptr @_f.n, ptr @f"),
    ],
)
def test_the_call_gets_operands_and_symbols(template: str, given: str) -> None:
    line = unknown_call(f'call void asm sideeffect "{template}", "=*m,~{{memory}}"(ptr elementtype(i32) %0) #1')
    assert line == f'call void (...) @"{OPAQUE_ASSEMBLY}"({given})'


def test_symbols_of_other_files_are_declared() -> None:
    text = with_opaque_assembly(MODULE.format(row='call void asm "incl elsewhere", ""()'))
    assert "@elsewhere = external global i8" in text


def test_understood_assembly_stays() -> None:
    text = MODULE.format(row='%2 = call i32 asm "bswap $0", "=r,0"(i32 1)')
    assert with_opaque_assembly(text) == text


def test_number_of_a_system_call_comes_first() -> None:
    row = '%2 = call i64 asm sideeffect "syscall", "={ax},0,{di},~{memory}"(i64 39, ptr %0)'
    assert unknown_call(row) == f'%2 = call i64 (...) @"{SYSTEM_CALL_ASSEMBLY}"(i64 39, i64 39, ptr %0)'
    row = 'call void asm sideeffect "syscall", "r"(i64 39)'
    assert unknown_call(row) == f'call void (...) @"{SYSTEM_CALL_ASSEMBLY}"(i64 undef, i64 39)'


def program(tmp_path: Path, text: str) -> Program:
    file = tmp_path / "program.c"
    file.write_text(text)
    return load(from_files([file]), cache=Cache(None))


NAKED = """
static int total;
__attribute__((naked)) int bump(int *p) { __asm__("lock; incl (%rdi); incl total(%rip); ret"); }
int main(void) { int n = total; return bump(&n); }
"""


def test_naked_functions_hand_on_their_parameters_and_return(tmp_path: Path) -> None:
    function = program(tmp_path, NAKED).functions["bump"]
    (call,) = (i for i in function.instructions() if isinstance(i, Call))
    assert call.callee == Address(OPAQUE_ASSEMBLY)
    assert len(call.args) == 2
    assert call.args[1] == Address("total")


GOTO = """
static int f(int n) {
    __asm__ goto("testl %0, %0; jz %l1" : : "r"(n) : "cc" : zero);
    return 1;
zero:
    return 0;
}
int main(int argc, char **argv) { return f(argc); }
"""


def test_assembly_with_jumps_goes_to_any_label(tmp_path: Path) -> None:
    function = program(tmp_path, GOTO).functions["f"]
    (switch,) = (block.terminator for block in function.blocks if isinstance(block.terminator, Switch))
    assert len({switch.default, *(label for _, label in switch.cases)}) == 2


SYSTEM_CALL = """
static long raw(long number, void *p) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(p) : "rcx", "r11", "memory");
    return result;
}
int main(int argc, char **argv) { return raw(NUMBER, &argc); }
"""


@pytest.mark.parametrize(("number", "is_obstacle"), [("39", True), ("argc", True)])
def test_system_calls_that_may_create_threads_are_obstacles(tmp_path: Path, number: str, is_obstacle: bool) -> None:
    """The number is a parameter here: it is not known."""
    cp = analyse(program(tmp_path, SYSTEM_CALL.replace("NUMBER", number)), Budget.unlimited())
    assert any("raw system call" in text for text in cp.program.obstacles) == is_obstacle


def test_other_system_calls_are_no_obstacles(tmp_path: Path) -> None:
    text = SYSTEM_CALL.replace('"0"(number)', '"0"(39L)').replace("NUMBER", "0")
    loaded = program(tmp_path, text)
    calls = (i for i in loaded.functions["raw"].instructions() if isinstance(i, Call))
    assert [call.args[0] for call in calls] == [IntConst(39, 64)]
    assert not analyse(loaded, Budget.unlimited()).program.obstacles
