"""musl's sources, as the compiler's wheel ships them: which file defines a function, and the IR of some of them.

The wheel has no C for what zig implements itself (most of string.h, parts of stdlib.h, search.h and math.h): these
functions are in no file. The generic C is compiled, not the variants of one architecture in assembly; `include/` has
replacements for the headers with inline assembly.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from raceproof.core import Budget, InputError
from raceproof.frontend import CompileRequest, Unit, parse_module, zig_program
from raceproof.frontend.compile import CompiledUnit
from raceproof.frontend.link import link
from raceproof.ir import Origin, Program

_SHIMS: Final = Path(__file__).with_name("include")
_FLAGS: Final = (
    *("--target=x86_64-linux-musl", "-nostdinc", "-std=c99", "-ffreestanding", "-D_XOPEN_SOURCE=700", "-w"),
    *("-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-stack-protector", "-fno-builtin"),
)
_DEFINITION: Final = re.compile(
    r"^(?!#|typedef|hidden|extern)(?P<static>static )?[A-Za-z_][\w \t*]*?[\s*]"
    r"(?P<name>[A-Za-z_]\w*) ?\((?P<rest>[^;{]*?)\)\s*\{",
    re.MULTILINE,
)
_VARIABLE: Final = re.compile(
    r"^(?!static|#|typedef|return|extern)[A-Za-z_][\w \t*]*?[\s*](\w+)(?:\[[^;]*?\])?(?: = [^;]*)?;", re.MULTILINE
)
_ALIAS: Final = re.compile(r"^weak_alias\((\w+), *(\w+)\);", re.MULTILINE)
_DECLARED: Final = re.compile(r"^(?:declare [^\n@]*|)@(?P<name>[\w.$]+)(?:\(| = external )", re.MULTILINE)


def root() -> Path:
    return Path(zig_program()).with_name("lib") / "libc" / "musl"


@cache
def _includes() -> tuple[str, ...]:
    wheel = root().parent / "include"
    own = [root() / part for part in ("arch/x86_64", "arch/generic", "src/include", "src/internal", "include")]
    directories = [_SHIMS, *own, wheel / "x86_64-linux-musl", wheel / "generic-musl"]
    return tuple(f"-I{directory}" for directory in directories)


@cache
def _texts() -> dict[Path, str]:
    files = sorted((root() / "src").glob("*/*.c"))
    return {file: file.read_text(encoding="utf-8", errors="replace") for file in files}


@cache
def functions() -> dict[str, Path]:
    """The file of each function with external linkage, aliases too."""
    found: dict[str, Path] = {}
    for file, text in _texts().items():
        defined = {match["name"]: match["static"] is not None for match in _DEFINITION.finditer(text)}
        own = [name for name, is_static in defined.items() if not is_static]
        own += [f"__{name}" for name in own if name.startswith("tre_")]  # a header gives them these names
        aliases = [name for internal, name in _ALIAS.findall(text) if internal in defined]
        for name in (*own, *aliases):
            found.setdefault(name, file)
    return found


@cache
def definitions() -> dict[str, Path]:
    """The file of each function and variable with external linkage."""
    found = dict(functions())
    for file, text in _texts().items():
        for name in (*_VARIABLE.findall(text), *(name for _, name in _ALIAS.findall(text))):
            found.setdefault(name, file)
    return found


@cache
def public_names() -> dict[str, str]:
    """What musl calls by an internal name, and programs by this one: `__clock_gettime` is `clock_gettime`."""
    found: dict[str, str] = {}
    for text in _texts().values():
        for internal, name in _ALIAS.findall(text):
            found.setdefault(internal, name)
    return found


@cache
def compile_file(file: Path) -> str:
    """One translation unit as LLVM IR text."""
    command = [zig_program(), "clang", *_FLAGS, *_includes(), str(file), "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"{file.name}: {done.stderr.strip()[:300]}")
    return done.stdout


def undefined_in(text: str) -> frozenset[str]:
    """Symbols that a unit uses and does not define."""
    return frozenset(match["name"] for match in _DECLARED.finditer(text) if not match["name"].startswith("llvm."))


def link_files(files: tuple[Path, ...], entry: str) -> Program:
    """The program of these units; what they leave undefined is outside of it."""
    units = tuple(Unit(Path(file.name), (), file.parent) for file in files)
    compiled = [CompiledUnit(compile_file(file), (), (file,)) for file in files]
    text = link(CompileRequest(units), compiled, Budget.unlimited())
    return parse_module(text, Origin(tuple(file.name for file in files), (), "LP64"), entry)


def digest() -> str:
    """Tells one wheel's sources from another's."""
    whole = hashlib.sha256()
    for file in sorted(root().rglob("*.[ch]")):
        whole.update(file.read_bytes())
    return whole.hexdigest()
