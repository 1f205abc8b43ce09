"""Measure a command, and the size of a C program in IR instructions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm

_IR_FLAGS = (
    "-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-sanitize=undefined",
    "-fno-stack-protector", "-mcpu=baseline", "-Wno-unused-command-line-argument",
)  # fmt: skip
_INSTRUCTION = re.compile(r"^  (?:%\S+ = )?[a-z]")
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


# A process counts the memory of the one that started it until it has its own, so a small one stands between.
_LAUNCHER = """
import json, os, signal, sys, time
limit, report, out, err, *command = sys.argv[1:]
started = time.perf_counter()
files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
files += [(os.POSIX_SPAWN_OPEN, n, f, os.O_WRONLY | os.O_CREAT, 0o600) for n, f in ((1, out), (2, err))]
pid = os.posix_spawnp(command[0], command, os.environ, file_actions=files, setpgroup=0)
signal.signal(signal.SIGALRM, lambda *_: os.killpg(pid, signal.SIGKILL))
signal.alarm(int(limit))
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - started
figures = [os.waitstatus_to_exitcode(status), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]
with open(report, "w") as file:
    json.dump(figures, file)
"""


def run_measured(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    limit: int = 3600,
    directory: Path | None = None,
) -> Run:
    """Run a command to its end, or kill it after `limit` seconds (its status is then negative)."""
    with tempfile.TemporaryDirectory() as results:
        report, out, err = (Path(results) / name for name in ("report", "out", "err"))
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(limit), str(report), str(out), str(err)]
        subprocess.run([*launcher, *command], check=True, cwd=directory, env={**os.environ, **(environment or {})})
        status, wall, cpu, peak = json.loads(report.read_text(encoding="utf-8"))
        return Run(status, wall, cpu, peak, out.read_text(errors="replace"), err.read_text(errors="replace"))


def forked(work: Callable[[], dict[str, object]]) -> tuple[dict[str, object], float]:
    """What `work` returns in a process of its own, and the megabytes it took, with what was loaded before."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with os.fdopen(writing, "w") as pipe:
                json.dump(work(), pipe)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"a search ended with {os.waitstatus_to_exitcode(status)}")
    return json.loads(text), usage.ru_maxrss / 1024


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
