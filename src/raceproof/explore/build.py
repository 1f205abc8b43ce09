"""Builds what runs: the runtime once for all programs, and each instrumented program."""

from __future__ import annotations

import hashlib
import re
import sys
from functools import cache as remember
from pathlib import Path

from raceproof.frontend import Cache, HookPlan, build_shared_object, instrument, zig_program
from raceproof.ir import Program
from raceproof.native import NATIVE, build_native, digest, kept, sanitizing_compiler

_FLAGS = ("-std=gnu11", "-O3", "-g", "-fno-stack-protector", "-fno-omit-frame-pointer", "-rdynamic", "-pthread")
_LIBRARIES = ("-ldl", "-lm", "-lrt")
# The hot path goes through several files: optimised as one, the search is some per cent faster.
_WHOLE = ("-flto",) if sys.platform == "linux" else ()
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
_REPLACED = re.compile(r"^RP_LIB .*?\brp_lib_(\w+)\(", re.MULTILINE)


@remember
def replaced_functions() -> frozenset[str]:
    """The library functions that the runtime implements, as its source says."""
    return frozenset(name for file in _sources() for name in _REPLACED.findall(file.read_text(encoding="utf-8")))


def build_host(cache: Cache | None = None, sanitized: bool = False) -> Path:
    """The runtime as a program; `sanitized`: one that checks itself, for tests (slow)."""
    if sanitized:
        command = (*sanitizing_compiler("gcc", "clang", "cc"), *_FLAGS, *_SANITIZERS)
    else:
        command = (zig_program(), "cc", "-fno-sanitize=undefined", *_WHOLE, *_FLAGS)
    return build_native("rp_host", command, _sources(), sorted(NATIVE.glob("*.[hS]")), _LIBRARIES, cache)


def build_program(text: str, program: Program, plan: HookPlan, cache: Cache | None = None) -> Path:
    """The program with its hooks as a shared object; `text` is what `program` was parsed from."""
    instrumented = instrument(text, program, plan)

    def make(output: Path, scratch: Path) -> None:
        build_shared_object(instrumented, output, scratch)

    return kept(cache, f"program-{digest(instrumented, zig_program(), _code_digest())}.so", make)


def _sources() -> list[Path]:
    return sorted(NATIVE.glob("*.c"))


@remember
def _code_digest() -> str:
    """A hash of the code that compiles and links: what other code made is not ours."""
    file = Path(__file__).parents[1] / "frontend" / "emit.py"
    return hashlib.sha256(file.read_bytes()).hexdigest()
