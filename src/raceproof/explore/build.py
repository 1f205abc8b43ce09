"""Builds what runs: the runtime once for all programs, and each instrumented program."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache as remember
from pathlib import Path
from typing import Final

from raceproof.explore.library32 import library_of
from raceproof.frontend import HOOKS, MACHINES, Cache, HookPlan, build_shared_object, instrument, zig_program
from raceproof.ir import Program
from raceproof.native import NATIVE, build_native, digest, kept, sanitizing_compiler

# Not of options that the assembler has no use for.
_WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-command-line-argument")
_FLAGS = (
    "-std=gnu11",
    "-O3",
    "-g",
    *_WARNINGS,
    "-fno-stack-protector",
    "-fno-omit-frame-pointer",
    "-rdynamic",
    "-pthread",
)
# Only hooks and replaced functions: what a program does not define must not be found among the runtime's own names.
_HIDDEN = ("-fvisibility=hidden",)
_LIBRARIES = ("-ldl", "-lm", "-lrt")
# The hot path goes through several files: optimised as one, the search is some per cent faster.
_WHOLE = ("-flto",) if sys.platform == "linux" else ()
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
# gcc takes the jump buffer of a cancellation, which has no signal mask, for too short.
_SANITIZED = ("-Wno-stringop-overflow", "-Wno-maybe-uninitialized")
_REPLACED = re.compile(r"^RP_LIB .*?\brp_lib_(\w+)\(", re.MULTILINE)

# For other machines the runtime has its C library in it: nothing can be expected to be there. No machine can be
# expected to have one of 32 bits, so that this is so for 32-bit programs on this machine, too.
_STATIC: Final = ("-static", "-DRP_STATIC", "-g0")
# A 32-bit program that does nothing but end, by exit(0): is there a system that runs it?
_CODE: Final = bytes.fromhex("31db31c040cd80")
_AT: Final = 0x08048000
_TINY: Final = (
    b"\x7fELF\x01\x01\x01" + bytes(9)
    + b"".join(n.to_bytes(size, "little") for n, size in (
        (2, 2), (3, 2), (1, 4), (_AT + 84, 4), (52, 4), (0, 4), (0, 4), (52, 2), (32, 2), (1, 2), (40, 2), (0, 2),
        (0, 2), (1, 4), (0, 4), (_AT, 4), (_AT, 4), (84 + len(_CODE), 4), (84 + len(_CODE), 4), (5, 4), (4096, 4),
    ))
    + _CODE
)  # fmt: skip


@remember
def replaced_functions() -> frozenset[str]:
    """The library functions that the runtime implements, as its source says."""
    return frozenset(name for file in _sources() for name in _REPLACED.findall(file.read_text(encoding="utf-8")))


@remember
def runtime_digest() -> str:
    """What the runtime says of itself, on whatever machine it runs: of which sources it was built."""
    files = (*_sources(), *_headers())
    return digest(*(f"{file.name}\0{file.read_text(encoding='utf-8')}" for file in files))


def build_host(
    cache: Cache | None = None,
    sanitized: bool = False,
    machine: str | None = None,
    on_progress: Callable[[str], None] = lambda text: None,
) -> Path:
    """The runtime as a program, for programs of this machine or of another one (`frontend.MACHINES`); `sanitized`: one
    that checks itself, for tests (slow)."""
    headers, build = _headers(), f'-DRP_BUILD="{runtime_digest()}"'
    if machine is not None:
        target = ("-target", MACHINES[machine].runtime)
        whole = _WHOLE if machine != "riscv64" else ()  # where it forgets which instructions there are
        command = (zig_program(), "cc", "-fno-sanitize=undefined", *target, *whole, *_FLAGS, *_STATIC, build, *_HIDDEN)
        sources = [*_sources(), _symbols(machine, cache)]
        tell = f"engine explore: building the runtime and the C library for {machine}, once: some two minutes"
        return build_native(
            f"rp_host-{machine}", command, sources, headers, _LIBRARIES, cache, lambda: on_progress(tell)
        )
    if sanitized:
        command = (*sanitizing_compiler("gcc", "clang", "cc"), *_FLAGS, build, *_SANITIZED, *_HIDDEN, *_SANITIZERS)
    else:
        command = (zig_program(), "cc", "-fno-sanitize=undefined", *_WHOLE, *_FLAGS, build, *_HIDDEN)
    return build_native("rp_host", command, _sources(), headers, _LIBRARIES, cache)


def build_program(text: str, program: Program, plan: HookPlan, cache: Cache | None = None) -> Path:
    """The program with its hooks as a shared object; `text` is what `program` was parsed from."""
    instrumented = instrument(text, program, plan)

    def make(output: Path, scratch: Path) -> None:
        build_shared_object(instrumented, output, scratch)

    return kept(cache, f"program-{digest(instrumented, zig_program(), _code_digest())}.so", make)


@remember
def why_not_32_bits() -> str | None:
    """Why this machine does not run 32-bit programs; None if it does. It is tried, once."""
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine.lower() not in ("x86_64", "amd64"):
        return f"the explorer runs those on Linux on x86-64 only, not on {platform.system()} on {machine}"

    def make(output: Path, scratch: Path) -> None:
        output.write_bytes(_TINY)
        output.chmod(0o700)

    tiny = kept(None, f"tiny32-{hashlib.sha256(_TINY).hexdigest()}", make)
    try:
        done = subprocess.run([tiny], check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except OSError as error:
        return f"this system does not run them ({error.strerror})"
    except subprocess.TimeoutExpired:
        return "this system does not run them (exit(0) does not end)"
    return None if done.returncode == 0 else f"this system does not run them (status {done.returncode} at exit(0))"


def _symbols(machine: str, cache: Cache | None) -> Path:
    """What a program finds in a runtime that loads it: a table of names and addresses, in the order of the names."""
    word = ".quad" if MACHINES[machine].bits == 64 else ".long"
    library = library_of(machine)
    known = {name: name for name in (*HOOKS, "rp_site", *(f"rp_lib_{name}" for name in replaced_functions()))} | library
    names = sorted(known, key=str.encode)
    lines = ['.section .rodata,"a",%progbits', ".globl rp_symbols, rp_symbol_count", ".p2align 3", "rp_symbols:"]
    lines += [f".weak {name}" for name in names if "int128" in name]  # which 32-bit machines do not have
    lines += [f"  {word} .Lname{number}, {known[name]}" for number, name in enumerate(names)]
    lines += [f"rp_symbol_count: .long {len(names)}"]
    lines += [f'.Lname{number}: .asciz "{name}"' for number, name in enumerate(names)]
    text = "\n".join([*lines, '.section .note.GNU-stack,"",%progbits', ""])

    def make(output: Path, scratch: Path) -> None:
        output.write_text(text, encoding="utf-8")

    return kept(cache, f"symbols-{machine}-{digest(text)}.s", make)


def _sources() -> list[Path]:
    return sorted(NATIVE.glob("*.c"))


def _headers() -> list[Path]:
    return sorted(NATIVE.glob("*.[hS]"))


@remember
def _code_digest() -> str:
    """A hash of the code that compiles and links: what other code made is not ours."""
    file = Path(__file__).parents[1] / "frontend" / "emit.py"
    return hashlib.sha256(file.read_bytes()).hexdigest()
