"""Which objects a symbol that only the linker defines may lead to.

    extern int __start_counters[], __stop_counters[];     the variables with __attribute__((section("counters")))
    extern char __bss_start, _end;                        any variable of the program

Such a symbol is not an object of its own. The front end replaces its address by a constant that points anywhere in the
objects that the symbol may lead to; its exact value is not known. An undefined variable with any other name may stand
in a linker script and is treated like `_end`, unless it is a variable of the C library, or a complete object that the
program only reads and writes by name: then it is taken to be a variable of some library, and the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from raceproof.frontend.llvm_lexer import unquote
from raceproof.ir import LIBRARY_VARIABLES, Address

_NAME: Final = r'"[^"]*"|[\w$.\-]+'
_VARIABLE: Final = re.compile(
    rf"@(?P<name>{_NAME}) = (?P<words>(?:[a-z_]+(?:\([^)]*\))? )*?)(?P<kind>global|constant) (?P<type>.*)"
)
_FUNCTION: Final = re.compile(rf"define [^@]*@(?P<name>{_NAME})\(")
_SECTION: Final = re.compile(r', section "([^"]*)"')
_FUNCTION_SECTION: Final = re.compile(r' section "([^"]*)"')
_BOUND: Final = re.compile(r"__(?:start|stop)_(\w+)")
_ARRAY: Final = re.compile(r"\[|\{\}")
_SYMBOL: Final = re.compile(rf"@(?:{_NAME})")
_NAMES: Final = """
    end _end edata _edata etext _etext __etext __bss_start __bss_start__ __bss_end__ _bss_end__ __end__ __data_start
    data_start __executable_start __ehdr_start _GLOBAL_OFFSET_TABLE_ _DYNAMIC _PROCEDURE_LINKAGE_TABLE_
    __preinit_array_start __preinit_array_end __init_array_start __init_array_end __fini_array_start __fini_array_end
    __rela_iplt_start __rela_iplt_end __rel_iplt_start __rel_iplt_end __GNU_EH_FRAME_HDR _TLS_MODULE_BASE_
"""
_LINKER: Final = frozenset(_NAMES.split())


def linker_symbols(
    variables: Sequence[str], functions: Sequence[str], bodies: Iterable[str], in_assembly: frozenset[str] = frozenset()
) -> Mapping[str, tuple[Address, ...]]:
    """Symbols of the linker, each with what it may lead to, itself included; from the lines of a module that define
    variables, the headers of its functions, the lines in their bodies, and the words in assembly, which may make
    aliases of its own. Over-approximates."""
    undefined: dict[str, re.Match[str]] = {}
    sections: dict[str, list[Address]] = {}
    writable: list[Address] = []
    for line in variables:
        match = _VARIABLE.match(line)
        if match is None or "thread_local" in match["words"]:
            continue
        name, words = unquote(match["name"]), match["words"].split()
        if name.startswith("llvm."):
            continue
        if "external" in words or "extern_weak" in words:
            undefined[name] = match
            continue
        if match["kind"] == "global":
            writable.append(Address(name))
        if section := _SECTION.search(line):
            sections.setdefault(section[1], []).append(Address(name))
    suspects = [name for name in undefined if name not in LIBRARY_VARIABLES]
    if not suspects:
        return {}
    for line in functions:
        match, section = _FUNCTION.match(line), _FUNCTION_SECTION.search(line)
        if match is not None and section is not None:
            sections.setdefault(section[1], []).append(Address(unquote(match["name"])))
    by_name_only = _used_by_name_only(
        {n for n in suspects if not _is_linkers(n) and n not in in_assembly and not _ARRAY.match(undefined[n]["type"])},
        variables,
        bodies,
    )
    meant = [name for name in suspects if name not in by_name_only]
    everything = (*(Address(name) for name in meant), *writable)
    found: dict[str, tuple[Address, ...]] = {}
    for name in meant:
        bound = _BOUND.fullmatch(name)
        found[name] = (Address(name), *sections.get(bound[1], ())) if bound is not None else everything
    return found


def _is_linkers(name: str) -> bool:
    return name in _LINKER or _BOUND.fullmatch(name) is not None


def _used_by_name_only(names: set[str], variables: Iterable[str], bodies: Iterable[str]) -> set[str]:
    """Of these variables, those whose address is used for nothing but loads and stores there."""
    tokens = {f"@{name}": name for name in names} | {f'@"{name}"': name for name in names}
    left = set(names)
    for line in (*variables, *bodies) if names else ():
        if "@" not in line:
            continue
        mentioned = [tokens[token] for token in _SYMBOL.findall(line) if token in tokens]
        for name in mentioned:
            is_definition = line.startswith("@") and line.startswith((f"@{name} ", f'@"{name}" '))
            if len(mentioned) > 1 or not (is_definition or _is_access(line, name)):
                left.discard(name)
    return left


def _is_access(line: str, name: str) -> bool:
    """Whether the line loads from the variable, or stores into it, at its address."""
    place = rf'(?:getelementptr [^@(]*\([^@(]*, ptr )?@"?{re.escape(name)}"?(?:[, )]|$)'
    return re.match(rf"\s+(?:%\S+ = load|store) [^@(]*, ptr {place}", line) is not None
