"""The printed text of an LLVM module -> `ir.Program`.

Reads the subset of LLVM's textual IR that clang emits for C at -O0, before or after SROA. What it does
not know it refuses with `Unsupported`, naming the construct and, where there is one, the source position.

Sites are numbered from 1 in order of appearance over the whole module; everything that ends up in the
`Program` has a number, debug records and hints to the optimiser have none.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from raceproof.core import Unsupported
from raceproof.frontend.debug_info import Metadata
from raceproof.frontend.debug_types import SourceTypes
from raceproof.frontend.file_assembly import LINE, names_in_assembly
from raceproof.frontend.linker_symbols import linker_symbols
from raceproof.frontend.llvm_calls import CallParser
from raceproof.frontend.llvm_functions import UNREADABLE, FunctionParser, Header, parse_header
from raceproof.frontend.llvm_globals import GlobalParser, Symbols
from raceproof.frontend.llvm_instructions import InstructionParser
from raceproof.frontend.llvm_lexer import unquote
from raceproof.frontend.llvm_operands import Reader
from raceproof.frontend.llvm_types import DataLayout, TypeTable
from raceproof.frontend.prototypes import PrototypeReader, placed, plain_name
from raceproof.ir import (
    ExternalFunction,
    Function,
    GlobalVariable,
    Origin,
    Program,
    Prototype,
)

_METADATA = re.compile(r"!(\d+) = (.*)")
_LAYOUT = re.compile(r'target datalayout = "([^"]*)"')
_TYPE = re.compile(r'(%(?:"[^"]*"|[\w$.\-]+)) = type (.*)')
_ALIAS = re.compile(r'(@(?:"[^"]*"|[\w$.\-]+)) = (?:[a-z_]+(?:\([a-z]*\))? )*?alias (.*)')
_WEAK = re.compile(r'(?:declare extern_weak .*?)?@("[^"]*"|[\w$.\-]+)(?:\(| = extern_weak )')
_SYMBOL = re.compile(r'@("[^"]*"|[\w$.\-]+)\(')
_SUBPROGRAM = re.compile(r" !dbg !(\d+)")
_ATTRIBUTES = re.compile(r"attributes (#\d+) = \{(.*)\}")
_IGNORED = ("source_filename", "target triple", "$", "uselistorder", "^", ";")


@dataclass(slots=True)
class _Sections:
    """The lines of a module, sorted by what they define."""

    layout: str = ""
    types: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    globals: list[str] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)
    definitions: list[tuple[str, list[str]]] = field(default_factory=list)
    noreturn_groups: set[str] = field(default_factory=set)
    metadata: dict[int, str] = field(default_factory=dict)
    assembly: list[str] = field(default_factory=list)


def parse_module(
    text: str,
    origin: Origin,
    entry: str = "main",
    asked: Collection[str] = (),
    declared: Mapping[str, Prototype] = MappingProxyType({}),
) -> Program:
    """Parse a whole module; raises `Unsupported` for anything outside the known subset.

    `asked`: functions whose prototypes are wanted; `declared`: what is known of those that the module only declares.
    """
    with _collector_paused():
        sections = _split(text)
        program = _parse(sections, origin, entry)
        return replace(program, prototypes=_prototypes(program, sections, asked, declared)) if asked else program


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Nothing that the parser makes is garbage or cyclic: looking for it would take a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _parse(sections: _Sections, origin: Origin, entry: str) -> Program:
    types = TypeTable(DataLayout.parse(sections.layout), sections.types)
    symbols = Symbols(sections.aliases, types)
    bodies = (line for _, body in sections.definitions for line in body)
    headers = [header for header, _ in sections.definitions]
    provided = linker_symbols(sections.globals, headers, bodies, names_in_assembly(sections.assembly))
    reader = Reader(types, symbols.address, _undefined(sections), provided)
    metadata = Metadata(sections.metadata, origin.root)
    source_types = SourceTypes(metadata, types.layout.pointer_size)

    globals_: dict[str, GlobalVariable] = {}
    global_parser = GlobalParser(reader, metadata, source_types)
    for line in sections.globals:
        with _reading(line):
            variable = global_parser.parse(line)
        globals_[variable.name] = variable

    declared = [_header(reader, line, sections) for line in sections.declarations]
    defined = [(_header(reader, line, sections), body) for line, body in sections.definitions]
    noreturn = {h.name for h in declared if h.noreturn} | {h.name for h, _ in defined if h.noreturn}
    calls = CallParser(reader, noreturn, sections.noreturn_groups)
    function_parser = FunctionParser(InstructionParser(reader, calls), metadata, source_types)
    functions: dict[str, Function] = {}
    for header, body in defined:
        with _reading(f"@{header.name}"):
            functions[header.name] = function_parser.parse(header, body)
    externals = {
        h.name: ExternalFunction(h.name, tuple(p.type for p in h.params), h.returns, h.is_variadic)
        for h in declared
        if not h.name.startswith("llvm.")
    }
    with _reading(f"alias of {entry}"):
        entry = symbols.name(entry)
    return Program(
        functions=functions,
        externals=externals,
        globals=globals_,
        source_types=source_types.types,
        entry=entry,
        pointer_size=types.layout.pointer_size,
        origin=origin,
    )


def _prototypes(
    program: Program, sections: _Sections, asked: Collection[str], declared: Mapping[str, Prototype]
) -> dict[str, Prototype]:
    metadata = Metadata(sections.metadata)
    reader = PrototypeReader(metadata, SourceTypes(metadata, program.pointer_size))
    found: dict[str, Prototype | None] = {}
    for line in (*sections.declarations, *(line for line, _ in sections.definitions)):
        match = _SYMBOL.search(line)
        symbol = unquote(match[1]) if match is not None else ""
        function, external = program.functions.get(symbol), program.externals.get(symbol)
        hidden, subprogram = " sret(" in line, _SUBPROGRAM.search(line)
        if function is not None and function.source_name in asked and subprogram is not None:
            prototype = reader.of_subprogram(int(subprogram[1]))
            found[symbol] = placed(prototype, len(function.params), function.is_variadic, hidden)
        elif external is not None and plain_name(symbol) in asked:
            prototype = declared.get(plain_name(symbol))
            found[symbol] = placed(prototype, len(external.params), external.is_variadic, hidden)
    return {symbol: prototype for symbol, prototype in found.items() if prototype is not None}


def _undefined(sections: _Sections) -> frozenset[str]:
    """Symbols that nobody need define, whose address is null then."""
    lines = (line for line in (*sections.globals, *sections.declarations) if "extern_weak " in line)
    found = (match for line in lines if (match := _WEAK.match(line)) is not None)
    return frozenset(unquote(match.group(1)) for match in found)


def _header(reader: Reader, line: str, sections: _Sections) -> Header:
    with _reading(line):
        return parse_header(reader, line, sections.noreturn_groups)


class _reading:
    """Turns a failure to read `line` into `Unsupported` that quotes it."""

    def __init__(self, line: str) -> None:
        self._line = line

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UNREADABLE):
            raise Unsupported(f"LLVM construct {self._line[:300]!r} ({error})") from error


def _split(text: str) -> _Sections:
    """Sort the lines of the module; nothing is parsed here except attribute groups."""
    s = _Sections()
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        first = line[0]
        if first == "!":
            match = _METADATA.match(line)
            if match is not None:
                s.metadata[int(match.group(1))] = match.group(2)
        elif line.startswith("define "):
            body: list[str] = []
            for row in lines:
                if row[:1] == "}":
                    break
                body.append(row)
            else:
                raise Unsupported(f"LLVM text that ends inside a function: {line!r}")
            s.definitions.append((line, body))
        elif line.startswith("declare "):
            s.declarations.append(line)
        else:
            _sort_line(line, s)
    return s


def _sort_line(line: str, s: _Sections) -> None:
    if match := _ALIAS.match(line):
        s.aliases[match.group(1)] = match.group(2)
    elif line[0] == "@":
        s.globals.append(line)
    elif match := _TYPE.match(line):
        s.types[match.group(1)] = match.group(2)
    elif match := _ATTRIBUTES.match(line):
        if "noreturn" in match.group(2).split():
            s.noreturn_groups.add(match.group(1))
    elif match := _LAYOUT.match(line):
        s.layout = match.group(1)
    elif line.startswith(LINE):
        s.assembly.append(line)
    elif not line.startswith(_IGNORED):
        raise Unsupported(f"LLVM construct {line[:300]!r}")
