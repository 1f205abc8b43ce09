"""What a command line for a C compiler asks for, as far as `raceproof cc` has to know."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Options whose value is the next argument, if it does not follow at once.
_SEPARATE: Final = frozenset(
    (
        "-o", "-I", "-D", "-U", "-L", "-l", "-x", "-include", "-imacros", "-isystem", "-iquote", "-idirafter",
        "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "--sysroot", "-MF", "-MT", "-MQ", "-Xlinker",
        "-Xassembler", "-Xpreprocessor", "-Xclang", "-T", "-u", "-z", "-e", "-arch", "-target", "--param", "-framework",
        "-aux-info", "-dumpbase", "-dumpdir", "-G", "-A", "-B", "-specs",
    )
)  # fmt: skip
# With one of these nothing is compiled to an object, or the compiler only talks about itself.
_NO_OBJECT: Final = frozenset(("-E", "-S", "-M", "-MM", "-fsyntax-only", "-###", "--version", "-dumpversion", "--help"))
_TALK: Final = ("-print-", "--print-", "-dump", "--help")
_OWN_DEPENDENCIES: Final = ("-M",)
_LANGUAGES: Final = {
    **dict.fromkeys((".c", ".i"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".C", ".ii", ".cp"), "c++"),
    **dict.fromkeys((".s", ".S", ".sx", ".asm"), "assembly"),
}
_OBJECTS: Final = (".o", ".lo", ".obj", ".a")


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    language: str


@dataclass(frozen=True, slots=True)
class CompilerRun:
    """`makes`: `object` or `executable` (or a shared object), None for anything else. `flags`: all that is neither a
    source nor the name of the output. `inputs` of the linker: objects, archives, shared objects. `libraries`: -l and
    -L, as they are. `has_dependencies`: the build asks for a list of headers itself."""

    makes: str | None
    sources: tuple[Source, ...]
    output: str | None
    flags: tuple[str, ...]
    inputs: tuple[str, ...]
    libraries: tuple[str, ...]
    has_dependencies: bool

    def object_of(self, source: Source) -> str:
        """Where the object of a source goes."""
        return self.output or Path(source.name).with_suffix(".o").name


def parse(arguments: Sequence[str], directory: Path) -> CompilerRun:
    """`directory`: where the compiler runs; files of arguments (`@FILE`) are read from there."""
    sources: list[Source] = []
    flags: list[str] = []
    inputs: list[str] = []
    libraries: list[str] = []
    output = None
    language = None
    makes: str | None = "executable"
    for group in _grouped(list(_expanded(arguments, directory))):
        option, value = group[0], group[-1]
        if option.startswith("-o"):
            output = value if len(group) == 2 else option[2:]
        elif option == "-x" or option.startswith("-x"):
            word = value if len(group) == 2 else option[2:]
            language = None if word == "none" else "assembly" if word.startswith("assembler") else word
            flags += group
        elif option in ("-l", "-L") or option.startswith(("-l", "-L")):
            libraries += group
        elif option.startswith("-") and option != "-":
            flags += group
            if option == "-c" and makes is not None:
                makes = "object"
            if option in _NO_OBJECT or option.startswith(_TALK):
                makes = None
        elif language is not None or (suffix := Path(option).suffix) in _LANGUAGES:
            sources.append(Source(option, language or _LANGUAGES[suffix]))
        else:
            inputs.append(option)
    return CompilerRun(
        makes=makes if sources or inputs else None,
        sources=tuple(sources),
        output=output,
        flags=tuple(flags),
        inputs=tuple(inputs),
        libraries=tuple(libraries),
        has_dependencies=any(flag.startswith(_OWN_DEPENDENCIES) for flag in flags),
    )


def _expanded(arguments: Sequence[str], directory: Path, depth: int = 0) -> Iterator[str]:
    for argument in arguments:
        if argument.startswith("@") and depth < 8:
            try:
                text = (directory / argument[1:]).read_text(encoding="utf-8", errors="surrogateescape")
                yield from _expanded(shlex.split(text), directory, depth + 1)
                continue
            except (OSError, ValueError):
                pass  # the compiler says what is wrong with it
        yield argument


def _grouped(arguments: Sequence[str]) -> Iterator[tuple[str, ...]]:
    position = 0
    while position < len(arguments):
        width = 2 if arguments[position] in _SEPARATE and position + 1 < len(arguments) else 1
        yield tuple(arguments[position : position + width])
        position += width
