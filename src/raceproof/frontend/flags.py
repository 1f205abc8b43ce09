"""Which compiler flags matter for the meaning of a program.

A build's command line is full of flags about its outputs: where the object file goes, dependency files,
optimisation, warnings, the linker. They are dropped, because raceproof chooses its own output and must see
every access that optimisation would remove.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from raceproof.core import InputError

DataModel = Literal["LP64", "ILP32"]

# Flags whose value may be the next argument.
_SEPARATE_KEPT = (
    "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
    "-isysroot", "--sysroot",
)  # fmt: skip
_SEPARATE_DROPPED = (
    "-o", "-MF", "-MT", "-MQ", "-MJ", "-L", "-l", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-arch",
    "-target", "-T", "-u", "-z", "-e", "-x", "--param", "-framework", "-aux-info", "-dumpbase", "-dumpdir", "-G", "-A",
)  # fmt: skip
# Dropped wherever they come from: they choose outputs, optimisation, warnings, instrumentation or the CPU.
_DROPPED = frozenset({"-c", "-S", "-E", "-w", "-p", "-pg", "-s", "-v", "-m32", "-m64", "-pipe", "-shared", "-rdynamic"})
_DROPPED_PREFIXES = (
    "-o", "-M", "-O", "-g", "-W", "-l", "-L", "-fsanitize", "-fno-sanitize", "-flto", "-fno-lto", "-fprofile",
    "-fcoverage", "--coverage", "-ftest-coverage", "-march=", "-mcpu=", "-mtune=", "-static", "-save-temps",
    "-fdiagnostics", "-fcolor-diagnostics", "-pedantic", "-ftime", "-fstack-protector", "-fplugin",
)  # fmt: skip
# All that is kept from a compilation database; gcc's other -f flags are unknown to clang or mean nothing here.
_MEANINGFUL = (
    "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
    "-isysroot", "--sysroot", "-std=", "--std=", "-ansi", "-nostdinc", "-undef", "-trigraphs", "-fsigned-char",
    "-funsigned-char", "-fno-signed-char", "-fno-unsigned-char", "-fshort-enums", "-fshort-wchar", "-fpack-struct",
    "-fgnu89-inline", "-fms-extensions", "-fplan9-extensions", "-fcommon", "-fno-common", "-fwrapv", "-fblocks",
    "-ffreestanding", "-fhosted", "-fno-builtin", "-fbuiltin", "-fdollars-in-identifiers", "-fchar8_t", "-fopenmp",
    "-msse", "-mavx", "-mmmx", "-mbmi", "-maes", "-mpclmul", "-mpopcnt", "-mlzcnt", "-mfma", "-mcx16",
    "-mrdrnd", "-mcrc32", "-fno-openmp", "-pthread",
)  # fmt: skip

# Flags of the linker, however they are passed on to it, that change which symbol is which.
_LINKER = re.compile(r"(?:-Wl,(?:.*,)?)?(--?(?:wrap|defsym|script|just-symbols)|-T)(?:[=,].*)?")


def data_model_of(flags: Iterable[str]) -> DataModel | None:
    """What -m32 or -m64 asks for, None if neither is there."""
    chosen: DataModel | None = None
    for flag in flags:
        if flag in ("-m32", "-m64"):
            chosen = "ILP32" if flag == "-m32" else "LP64"
    return chosen


def without_build_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """The user's own flags less those that raceproof decides; an unknown flag is kept, clang will say so."""
    _check_linker_flags(flags)
    return tuple(flag for group in _grouped(flags) if not _is_dropped(group[0]) for flag in group)


def meaningful_flags(arguments: Sequence[str]) -> tuple[str, ...]:
    """From the arguments of a build's compiler command, those that change what the program means."""
    _check_linker_flags(arguments)
    return tuple(flag for group in _grouped(arguments) if group[0].startswith(_MEANINGFUL) for flag in group)


def _check_linker_flags(flags: Sequence[str]) -> None:
    """Refuse flags that tell the linker to take one symbol for another, or to follow a script: a verdict about what is
    linked without them would be about another program."""
    for flag in flags:
        if match := _LINKER.fullmatch(flag):
            raise InputError(
                f"`{flag}` is not supported: raceproof links the files itself, and `{match[1]}` changes what names mean"
            )


def output_of(arguments: Sequence[str]) -> str | None:
    """The value of -o."""
    for group in _grouped(arguments):
        if group[0].startswith("-o"):
            return group[1] if len(group) == 2 else group[0][2:]
    return None


def _is_dropped(flag: str) -> bool:
    return flag in _DROPPED or flag.startswith(_DROPPED_PREFIXES)


def _grouped(arguments: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each flag, together with the next argument where that is its value."""
    position = 0
    while position < len(arguments):
        flag = arguments[position]
        has_value = flag in _SEPARATE_KEPT or flag in _SEPARATE_DROPPED
        width = 2 if has_value and position + 1 < len(arguments) else 1
        yield tuple(arguments[position : position + width])
        position += width
