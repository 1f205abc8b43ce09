"""Run clang: each unit of a request becomes LLVM IR text.

The default compiler is zig's clang from the Python package `ziglang`. Two of its habits matter here:

* its cache ignores the directory that a file was compiled in, and hands out debug information of another
  directory; so each unit gets a fresh local cache, and raceproof keeps its own (see `cache`);
* `zig cc` does not compile preprocessed files; `zig clang`, the plain driver without headers, does.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import llvmlite

from raceproof.core import Budget, InputError, LimitReached, ToolMissing
from raceproof.frontend.diagnostics import compiler_error
from raceproof.frontend.gcc_dialect import for_clang, with_weak_aliases
from raceproof.frontend.inline_bodies import WITH_BODIES, defined_in, keep_bodies, units_to_repeat
from raceproof.frontend.inputs import (
    CPP_SUFFIXES,
    LLVM_SUFFIXES,
    PREPROCESSED_SUFFIXES,
    CompileRequest,
    Unit,
)
from raceproof.frontend.machines import MACHINES
from raceproof.frontend.parallel_pragmas import check_flags, left_out
from raceproof.frontend.prototypes import WITH_PROTOTYPES, declared_prototypes, declares
from raceproof.ir import Prototype

log = logging.getLogger(__name__)

# No warnings, and no error for what older C allows and clang 22 refuses: much real code was written for that C.
_TOLERANT = (
    "-w",
    "-Qunused-arguments",
    *(
        f"-Wno-error={name}"
        for name in (
            "implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types",
            "incompatible-function-pointer-types", "return-mismatch", "return-type", "deprecated-non-prototype",
            "main-return-type", "address-of-packed-member", "strict-prototypes", "c23-extensions",
        )
    ),
)  # fmt: skip
_OUTPUT = ("-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-stack-protector")
_ZIG_ONLY = ("-fno-sanitize=undefined", "-mcpu=baseline")
# Variables that clang takes include directories from.
_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT")
_DIRECTIVE = re.compile(rb"^\s*#\s*[a-z]", re.MULTILINE)
_AMBIGUOUS = "is ambiguous"  # clang, of a function with a declaration and an alias by `#pragma weak`
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}


@dataclass(frozen=True, slots=True)
class CompiledUnit:
    """A unit as IR. `dependencies` are all files that were read, the unit's own file first; `left_out` names what the
    source has and the IR has not, though it concerns threads; `prototypes` are those of the request that the unit
    declares."""

    text: str | bytes
    command: tuple[str, ...]
    dependencies: tuple[Path, ...]
    left_out: tuple[str, ...] = ()
    prototypes: Mapping[str, Prototype] = field(default_factory=dict)


class UnitStore(Protocol):
    """Keeps compiled units, by what they were made of; `extra`: flags beside those of the unit."""

    def find(self, unit: Unit, extra: tuple[str, ...]) -> CompiledUnit | None: ...
    def keep(self, unit: Unit, extra: tuple[str, ...], compiled: CompiledUnit, started: float) -> None: ...


def compile_units(
    request: CompileRequest, zig_cache: Path | None, budget: Budget, store: UnitStore | None = None
) -> list[CompiledUnit]:
    """Compile all units, several at a time; the first error in the order of the units is raised.

    `zig_cache` is where zig may keep what it builds once for all programs; None if there is no such place. What is in
    the `store` is not compiled again.
    """
    check_compiler(request)
    with tempfile.TemporaryDirectory(prefix="raceproof-") as scratch:
        shared = zig_cache if zig_cache is not None else Path(scratch, "zig")

        def work(number: int, extra: tuple[str, ...] = ()) -> CompiledUnit:
            unit = request.units[number]
            found = store.find(unit, extra) if store is not None else None
            if found is not None:
                return found
            started, own = time.time(), Path(tempfile.mkdtemp(dir=scratch))
            made = _compile_unit(unit, request, own, shared, budget, extra)
            if store is not None:
                store.keep(unit, extra, made, started)
            return made

        def again(number: int) -> CompiledUnit:
            try:
                unit = work(number, WITH_BODIES)
            except InputError:  # a clang that does not know the flags
                return compiled[number]
            return replace(unit, text=keep_bodies(str(unit.text), defined))

        def prototypes(number: int) -> dict[str, Prototype]:
            try:
                unit = work(number, WITH_PROTOTYPES)
            except InputError:  # as above: they remain unknown
                return {}
            return declared_prototypes(str(unit.text), request.prototypes)

        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            compiled = list(pool.map(work, range(len(request.units))))
            texts = [unit.text for unit in compiled]
            defined = defined_in(texts)
            numbers = units_to_repeat(texts, [unit.dependencies for unit in compiled])
            for number, unit in zip(numbers, list(pool.map(again, numbers)), strict=True):
                compiled[number] = unit
            numbers = [n for n, unit in enumerate(compiled) if declares(unit.text, request.prototypes)]
            for number, found in zip(numbers, list(pool.map(prototypes, numbers)), strict=True):
                compiled[number] = replace(compiled[number], prototypes=found)
        return compiled


def check_compiler(request: CompileRequest) -> None:
    """Raise `ToolMissing` or `InputError` if the compiler of the request cannot be used."""
    if request.compiler is None:
        zig_program()
        return
    try:
        shown = subprocess.run(
            [request.compiler, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise _not_runnable(str(request.compiler), error) from None
    if re.search(r"\bclang version \d+", shown.stdout) is None:
        raise InputError(f"{request.compiler} is not clang: raceproof needs a compiler that writes LLVM IR")


def _not_runnable(program: str, error: OSError) -> ToolMissing:
    return ToolMissing(f"cannot run the compiler {program}: {error.strerror}; name another clang with --clang")


def zig_program() -> str:
    """The zig program inside the Python package; run directly because `python -m ziglang` costs a second start."""
    spec = importlib.util.find_spec("ziglang")
    program = Path(spec.origin).with_name("zig.exe" if os.name == "nt" else "zig") if spec and spec.origin else None
    if program is None or not program.exists():
        raise ToolMissing("the Python package ziglang (raceproof's clang) is missing: pip install ziglang")
    return str(program)


def tool_identity(request: CompileRequest) -> tuple[str, ...]:
    """What tells one compiler from another, without running it: part of the cache's key."""
    program = str(request.compiler) if request.compiler is not None else zig_program()
    environment = [os.environ.get(name, "") for name in _ENVIRONMENT]
    try:
        status = os.stat(program)
    except OSError as error:
        raise _not_runnable(program, error) from None
    file = f"{os.path.realpath(program)} {status.st_size} {status.st_mtime_ns}"
    return (file, llvmlite.__version__, platform.machine(), platform.release(), *environment)


def command_for(unit: Unit, request: CompileRequest) -> tuple[str, ...]:
    """The whole command less the names of input and output; empty for a file that is LLVM IR already."""
    suffix = unit.file.suffix
    if suffix in LLVM_SUFFIXES:
        return ()
    is_cpp = suffix in CPP_SUFFIXES
    if suffix in PREPROCESSED_SUFFIXES:
        language = ("-x", "c++-cpp-output" if is_cpp else "cpp-output")
    else:
        language = ("-x", "c++" if is_cpp else "c")
    cpp = ("-fno-exceptions",) if is_cpp else ()
    tail = (*unit.flags, *cpp, *_OUTPUT, *_TOLERANT)
    if request.compiler is not None:
        if request.headers == "bundled":
            raise InputError("bundled headers belong to raceproof's own compiler, not to another clang")
        if request.machine is not None:
            raise InputError("programs for a target are compiled with raceproof's own compiler, not with another clang")
        model = ("-m32",) if request.data_model == "ILP32" else ()
        return (str(request.compiler), *model, *tail, *language)
    if suffix in PREPROCESSED_SUFFIXES:
        return (zig_program(), "clang", *_plain_target(request), *tail, *language)
    return (zig_program(), "c++" if is_cpp else "cc", *_zig_target(request), *tail, *_ZIG_ONLY, *language)


def _architecture() -> str:
    machine = platform.machine().lower()
    return _ARCHITECTURES.get(machine, machine)


def _plain_target(request: CompileRequest) -> tuple[str, ...]:
    if request.machine is not None:
        machine = MACHINES[request.machine]
        return (f"--target={machine.plain}", *machine.flags)
    if request.data_model == "ILP32":
        return ("--target=i386-linux-gnu",)
    return () if sys.platform == "darwin" else (f"--target={_architecture()}-linux-gnu",)


def _zig_target(request: CompileRequest) -> tuple[str, ...]:
    """None for the machine's own headers; otherwise zig's, and the system's last for third-party headers."""
    if request.machine is not None:  # nothing of this machine's headers
        machine = MACHINES[request.machine]
        return ("-target", machine.program, *machine.flags)
    architecture = "x86" if request.data_model == "ILP32" else _architecture()
    has_system = sys.platform == "darwin" or Path("/usr/include/stdio.h").exists()
    if request.data_model == "LP64" and (request.headers == "system" or (request.headers == "auto" and has_system)):
        return ()
    directories = ("/usr/local/include", "/usr/include", f"/usr/include/{platform.machine()}-linux-gnu")
    after = [flag for directory in directories if Path(directory).is_dir() for flag in ("-idirafter", directory)]
    return ("-target", f"{architecture}-linux-gnu", *after)


def _compile_unit(
    unit: Unit, request: CompileRequest, scratch: Path, zig_cache: Path, budget: Budget, extra: tuple[str, ...]
) -> CompiledUnit:
    budget.check()
    check_flags(unit.flags, str(unit.file))
    command = command_for(unit, request)
    if command:
        command = (*command, *extra)
    else:
        content = unit.path.read_bytes()
        is_binary = unit.file.suffix == ".bc"
        return CompiledUnit(content if is_binary else content.decode("utf-8", "replace"), (), (unit.path,))
    output, headers = scratch / "unit.ll", scratch / "headers"
    record = ("-Xclang", "-header-include-file", "-Xclang", str(headers), "-Xclang", "-sys-header-deps")
    source = _source_for(unit, scratch)
    run = (*command, *record, source, "-o", str(output))
    environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(zig_cache), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig")}
    try:
        stderr = _run(run, unit, environment, budget)
    except InputError as error:
        if _AMBIGUOUS not in str(error) or unit.file.suffix in PREPROCESSED_SUFFIXES:
            raise
        plain = scratch / f"{unit.file.stem}.i"
        _run((*command, *record, "-E", source, "-o", str(plain)), unit, environment, budget)
        changed = with_weak_aliases(plain.read_text(encoding="utf-8", errors="replace"))
        if changed is None:
            raise
        plain.write_text(changed, encoding="utf-8")
        again = command_for(replace(unit, file=plain), request)
        stderr = _run((*again, *extra, str(plain), "-o", str(output)), unit, environment, budget)
    try:
        text = output.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise compiler_error(stderr, str(unit.file)) from None
    dependencies = tuple(dict.fromkeys([unit.path, *_headers_read(headers, unit)]))

    def preprocess() -> str:
        if unit.file.suffix in PREPROCESSED_SUFFIXES:
            return unit.path.read_text(encoding="utf-8", errors="replace")
        preprocessed = scratch / "unit.i"
        _run((*command, "-E", source, "-o", str(preprocessed)), unit, environment, budget)
        return preprocessed.read_text(encoding="utf-8", errors="replace")

    return CompiledUnit(text, (*command, str(unit.file)), dependencies, left_out(dependencies, unit.flags, preprocess))


def _run(command: tuple[str, ...], unit: Unit, environment: Mapping[str, str], budget: Budget) -> str:
    """Run the compiler and return what it wrote to stderr; errors of the program are raised."""
    remaining = budget.remaining()
    log.debug("%s", " ".join(command))
    try:
        done = subprocess.run(
            command,
            cwd=unit.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=None if remaining == float("inf") else max(remaining, 0.01),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitReached(f"{budget.end} while compiling {unit.file}") from None
    except OSError as error:
        raise _not_runnable(command[0], error) from None
    stderr = done.stderr.decode("utf-8", "replace")
    if done.returncode < 0:
        raise InputError(f"{unit.file}: the compiler crashed (signal {-done.returncode})")
    if done.returncode != 0:
        if re.search(r"failed (?:to parse|parsing) '(?s:.*)\.d':", stderr):  # zig's own list of what was read
            raise InputError(f"{str(unit.path)!r}: the compiler cannot bear this name: rename the file or directory")
        raise compiler_error(stderr, str(unit.file))
    return stderr


def _source_for(unit: Unit, scratch: Path) -> str:
    """The file to compile: the unit's own, or a copy without what only gcc knows."""
    name = str(unit.file)
    if name.startswith(("-", "@")):  # not an option, not a file with options
        name = f"./{name}"
    if unit.file.suffix not in (".i", ".c"):
        return name
    try:
        content = unit.path.read_bytes()
    except OSError:
        return name  # the compiler says why
    if unit.file.suffix == ".c" and _DIRECTIVE.search(content):  # not preprocessed, whatever else
        return name
    changed = for_clang(content, str(unit.file))
    if changed == content:
        return name
    copy = scratch / unit.file.name
    copy.write_bytes(changed)
    return str(copy)


def _headers_read(record: Path, unit: Unit) -> Iterator[Path]:
    """Files that clang recorded as included; seen from the directory it ran in."""
    if record.exists():
        for line in record.read_text(encoding="utf-8", errors="replace").splitlines():
            yield unit.directory / line.strip()
