"""Measure a command, and the size of a C program in IR instructions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm

_IR_FLAGS = (
    "-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-sanitize=undefined",
    "-fno-stack-protector", "-mcpu=baseline", "-Wno-unused-command-line-argument",
)  # fmt: skip
_INSTRUCTION = re.compile(r"^  (?:%\S+ = )?[a-z]")
_CASE = re.compile(r"^    ")
ZIG_CC = (sys.executable, "-m", "ziglang", "cc")


@dataclass(frozen=True, slots=True)
class Run:
    """What one command took. `peak_mb` is the largest of the process and its children, not their sum."""

    status: int
    wall: float
    cpu: float
    peak_mb: float
    output: str
    errors: str


def run_measured(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end with its output kept."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env={**os.environ, **(environment or {})}
        )
        _, wait_status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(wait_status)
        output.seek(0)
        errors.seek(0)
        return Run(
            process.returncode,
            wall,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024,
            output.read().decode(errors="replace"),
            errors.read().decode(errors="replace"),
        )


def compile_to_ir(source: Path, flags: Sequence[str] = ()) -> str:
    """The IR of a C file as the front end gets it from clang, before SROA."""
    with tempfile.TemporaryDirectory() as directory:
        target = Path(directory) / "program.ll"
        command = [*ZIG_CC, *_IR_FLAGS, *flags, str(source), "-o", str(target)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return target.read_text(encoding="utf-8")


def simplified_ir(ir: str) -> str:
    """The IR after SROA and simplify-cfg, as text."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(ir)
    machine = llvm.Target.from_triple(module.triple).create_target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=0)
    builder = llvm.create_pass_builder(machine, options)
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)
    return str(module)


def count_instructions(source: Path, flags: Sequence[str] = ()) -> int:
    """IR instructions of a C file after SROA, in all function bodies."""
    return sum(count_by_function(simplified_ir(compile_to_ir(source, flags))).values())


def count_by_function(ir: str) -> dict[str, int]:
    """IR instructions of each function; debug records, labels and the cases of a switch do not count."""
    counts: dict[str, int] = {}
    name: str | None = None
    for line in ir.splitlines():
        if line.startswith("define "):
            name = line[line.index("@") + 1 : line.index("(", line.index("@"))].strip('"')
            counts[name] = 0
        elif line == "}":
            name = None
        elif name is not None and _INSTRUCTION.match(line):
            counts[name] += 1
    return counts
