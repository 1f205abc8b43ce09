"""Assembly at file scope, indirect functions, weak aliases: what the text of a module becomes, and what is proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceproof.cli import main
from raceproof.core import Unsupported
from raceproof.frontend.file_assembly import take_over_symbols, with_unknown_code
from raceproof.frontend.gcc_dialect import with_weak_aliases
from raceproof.frontend.indirect_functions import replace_indirect_functions

MODULE = """source_filename = "a.c"
{assembly}
@x = global i32 0, align 4, !dbg !0
@y = external global i32, align 4
define void @f() {{
  ret void
}}
declare void @g(i32) #1
declare i64 @strlen(ptr)
"""


def module(*statements: str) -> str:
    return MODULE.format(assembly="\n".join(f'module asm "{line}"' for line in statements))


def test_aliases_of_the_assembly_are_aliases() -> None:
    made = take_over_symbols(module(".globl y; .set y, x", ".weak g", "g = f # as f", ".symver f, f@V1"))
    assert "module asm" not in made
    assert "@y = alias i32, ptr @x\n" in made
    assert "@g = weak alias i8, ptr @f\n" in made
    assert "@y = external" not in made
    assert "declare void @g" not in made


@pytest.mark.parametrize("statement", [".set y, x+4", ".weak g", "y: .long 1", ".set y, elsewhere", "h: jmp f"])
def test_what_is_not_understood_stays(statement: str) -> None:
    made = take_over_symbols(module(".globl y", statement))
    assert made.count("module asm") == 1
    assert f'module asm "{statement}"' in made
    assert made.startswith("source_filename")


def test_functions_of_the_assembly_call_unknown_code_with_what_it_names() -> None:
    made, obstacles = with_unknown_code(module("g:", "  incl x(%rip)", "  call f", "  ret"))
    assert "define void @g(i32 %0) {\n  call void (...) @raceproof.assembly.0(i32 %0, ptr @x, ptr @f)\n" in made
    assert "declare i64 @strlen(ptr)" in made
    assert obstacles == []


def test_functions_that_hide_those_of_the_library_are_unknown_too() -> None:
    made, _ = with_unknown_code(module(".globl strlen", "strlen: xor %eax, %eax", "ret"))
    assert "define i64 @strlen(ptr %0) {\n  %result = call i64 (...) @raceproof.assembly.0(ptr %0)\n" in made


@pytest.mark.parametrize(
    "statement", [".section .init_array", ".macro m", ".include \\22a.s\\22", ".pushsection table"]
)
def test_sections_and_macros_are_obstacles(statement: str) -> None:
    assert with_unknown_code(take_over_symbols(module(statement, ".quad f")))[1]


def test_an_indirect_function_is_what_its_resolver_returned() -> None:
    text = "@f = ifunc i32 (i32, ptr), ptr @choose\n@g = internal ifunc void (), ptr @choose\ndeclare ptr @choose()\n"
    made = replace_indirect_functions(text)
    assert " ifunc " not in made
    assert "define i32 @f(i32 %0, ptr %1) {\n  %code = load ptr, ptr @raceproof.ifunc.f, align 8\n" in made
    assert "define internal void @g() {" in made
    assert "{ i32 -2, ptr @raceproof.resolve.f, ptr null }" in made
    with pytest.raises(Unsupported, match="ifunc"):
        replace_indirect_functions("@f = ifunc i32 (ptr, ...), ptr @choose\n")


def test_weak_aliases_by_pragma() -> None:
    assert with_weak_aliases("int x;\n#pragma weak f\n") is None
    assert with_weak_aliases("# pragma weak f = g\nint x;\n") == '__asm__(".weak f\\n.set f, g");\nint x;\n'


FUNCTION = r"""
#include <pthread.h>
int total, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void count(void);
__asm__(".text\n\t.globl count\ncount:\n\tincl total(%rip)\n\tret");
static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    other++;
    BEFORE count(); AFTER
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    total = 2;
    other++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
"""


@pytest.mark.parametrize("is_racy", [False, True])
def test_a_function_of_the_assembly_may_race(tmp_path: Path, is_racy: bool) -> None:
    """Nobody runs it; a proof takes the lock at the call."""
    unlock = "pthread_mutex_unlock(&lock);"
    source, out = tmp_path / "count.c", tmp_path / "out.json"
    before, after = (unlock, "") if is_racy else ("", unlock)
    source.write_text(FUNCTION.replace("BEFORE", before).replace("AFTER", after))
    status = main(["check", "--no-config", "--json", str(out), "--time-limit", "60", str(source)])
    report = json.loads(out.read_text())
    assert (report["verdict"], status) == (("unknown", 3) if is_racy else ("race-free", 0))
    open_targets = {pair["target"] for pair in report["pairs"] if pair["verdict"] == "unknown"}
    assert open_targets == ({"total"} if is_racy else set())


@pytest.mark.parametrize("engine", ["lockset", "petri", "transactions", "bmc", "shapes", "explore"])
def test_no_engine_alone_proves_a_race_in_assembly_away(tmp_path: Path, engine: str) -> None:
    source = tmp_path / "count.c"
    source.write_text(FUNCTION.replace("BEFORE", "pthread_mutex_unlock(&lock);").replace("AFTER", ""))
    assert main(["check", "--no-config", "--engines", engine, "--time-limit", "60", str(source)]) == 3
