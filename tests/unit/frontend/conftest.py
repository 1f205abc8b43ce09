"""Reads snippets of LLVM IR, and compiles C where only a real compiler's output will do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from raceproof.frontend.llvm_parser import parse_module
from raceproof.ir import Instr, Origin, Program, Terminator, check_program

LAYOUT_64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
LAYOUT_32 = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
ORIGIN = Origin(("test.c",), (), "LP64")

Parse = Callable[..., Program]


@pytest.fixture
def parse() -> Parse:
    """Module text -> checked program; the layout is that of x86-64 unless `bits=32`."""

    def run(text: str, bits: int = 64, entry: str = "main") -> Program:
        layout = LAYOUT_64 if bits == 64 else LAYOUT_32
        program = parse_module(f'target datalayout = "{layout}"\n\n{text}', ORIGIN, entry)
        check_program(program)
        return program

    return run


@pytest.fixture
def parse_body(parse: Parse) -> Callable[..., list[Instr | Terminator]]:
    """Instructions for the only block of a function -> what became of them, without the final return.

    The function has the parameters %p, %q (pointers), %i (i32), %n (i64), %c (i1), %f (float); `before`
    stands in front of the function, and the symbols @g (an array of ten ints), @h (i32) and @f exist.
    """

    def run(body: str, before: str = "", bits: int = 64) -> list[Instr | Terminator]:
        text = (
            "%struct.S = type { i32, ptr, [4 x i16], i64 }\n"
            f"{before}\n"
            "@g = global [10 x i32] zeroinitializer, align 16\n"
            "@h = global i32 0, align 4\n"
            "@t = thread_local global i32 0, align 4\n\n"
            "declare void @f(ptr)\n\n"
            "define void @test(ptr %p, ptr %q, i32 %i, i64 %n, i1 %c, float %f) {\n"
            + "".join(f"  {line.strip()}\n" for line in body.strip().splitlines())
            + "  ret void\n}\n"
        )
        return list(parse(text, bits).functions["test"].instructions())[:-1]

    return run


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """C file -> the text that clang emits, with `promoted=True` after SROA."""
    directory = tmp_path_factory.mktemp("compile")
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(directory), "ZIG_LOCAL_CACHE_DIR": str(directory)}
    known: dict[tuple[Path, tuple[str, ...]], str] = {}

    def run(source: Path, *flags: str, promoted: bool = False) -> str:
        key = (source, flags)
        if key not in known:
            out = directory / f"{source.stem}-{len(known)}.ll"
            command = [sys.executable, "-m", "ziglang", "cc", "-S", "-emit-llvm", "-g", "-O0", "-w"]
            command += ["-Xclang", "-disable-O0-optnone", "-fno-sanitize=undefined", "-fno-stack-protector"]
            subprocess.run([*command, *flags, str(source), "-o", str(out)], check=True, env=environment)
            known[key] = out.read_text()
        return _promote(known[key]) if promoted else known[key]

    return run


def _promote(text: str) -> str:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_triple(module.triple).create_target_machine()
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return str(module)
