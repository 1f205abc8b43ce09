"""What the loader runs before main and after it, made part of the program.

Constructors, and functions whose pointers stand in `.preinit_array` or `.init_array`, are called one after the other
by a function of our own, `START`, which then calls main and is the entry of the program in its place:

    define i32 @raceproof.start(i32 %argc, ptr %argv, ptr %envp) {
      call void @open_log()                                    ; __attribute__((constructor(101)))
      %status = call i32 @main(i32 %argc, ptr %argv)
      ret i32 %status
    }

So no engine has to know about them: they are the beginning of main's thread. Entries of `.fini_array` become
destructors, in LLVM's own table. The order is the loader's: priorities, then files as they are linked, then the place
in the file.
"""

from __future__ import annotations

import re
from typing import Final

from raceproof.core import Unsupported
from raceproof.frontend.llvm_lexer import split_attachments
from raceproof.frontend.module_exports import symbol
from raceproof.ir import START

CONSTRUCTORS: Final = "llvm.global_ctors"
DESTRUCTORS: Final = "llvm.global_dtors"
RESOLVERS: Final = -2
"""Priority of what runs while the program is loaded: resolvers of indirect functions."""
_PREINIT: Final = -1
_LAST: Final = 65535

_NAME: Final = r'"[^"]*"|[\w$.\-]+'
_PLACED: Final = re.compile(rf'^@(?P<name>{_NAME}) = [^\n]*, section "\.(?P<section>[a-z_]+)(?:\.(?P<number>\d+))?"')
_VALUE: Final = re.compile(r" (?:global|constant) (?:ptr|\[\d+ x ptr\]) (?P<value>.*?), section ")
_POINTER: Final = re.compile(rf"(?:ptr )?@(?P<name>{_NAME})")
_TABLE: Final = re.compile(r"^@llvm\.global_ctors = [^\n]*\n", re.MULTILINE)
_ENTRY: Final = re.compile(rf"\{{ i32 (?P<priority>-?\d+), ptr (?P<value>@(?:{_NAME})|[^,]*), ptr [^}}]*\}}")
_TABLES: Final = {
    "preinit_array": CONSTRUCTORS,
    "init_array": CONSTRUCTORS,
    "fini_array": DESTRUCTORS,
}
_PLAIN: Final = re.compile(r"i\d+|ptr|void|float|double")
_SPLICED: Final = re.compile(r'^define [^\n]*@(?P<name>\S+?)\([^\n]* section "\.(?P<section>init|fini)"', re.MULTILINE)


def collect_entries(text: str) -> str:
    """The module of one file with what stands in the loader's sections in LLVM's tables instead.

    In one file such variables come before the functions that the compiler lists: that is the order in which both end up
    in the object file.
    """
    if spliced := _SPLICED.search(text):
        raise Unsupported(f"`{spliced['name']}` in section .{spliced['section']}: code without a function around it")
    if ', section ".' not in text:
        return text
    lines = text.split("\n")
    found: dict[str, list[str]] = {}
    for at, line in enumerate(lines):
        match = _PLACED.match(line)
        if match is None:
            continue
        section = match["section"]
        if section in ("ctors", "dtors"):
            raise Unsupported(f"`{match['name']}` in section .{section}: whether it runs depends on the linker")
        if section not in _TABLES:
            continue
        priority = _PREINIT if section == "preinit_array" else int(match["number"] or _LAST)
        entries = [f"{{ i32, ptr, ptr }} {{ i32 {priority}, ptr {f}, ptr null }}" for f in _functions(line, section)]
        found.setdefault(_TABLES[section], []).extend(entries)
        lines[at] = re.sub(r', section "[^"]*"', "", line, count=1)
    for table, entries in found.items():
        _extend(lines, table, entries)
    return "\n".join(lines)


def _functions(line: str, section: str) -> list[str]:
    """The functions, as printed, that the variable on this line points to."""
    match = _VALUE.search(line)
    value = match["value"].strip("[]") if match is not None else "?"
    if value == "zeroinitializer":
        value = "null"
    names = [part.strip() for part in value.split(",")]
    pointers = [_POINTER.fullmatch(name) for name in names]
    if any(pointer is None for pointer in pointers):
        raise Unsupported(f"what is not a function in section .{section}: {split_attachments(line)[0][:200]}")
    return [f"@{pointer['name']}" for pointer in pointers if pointer is not None]


def _extend(lines: list[str], table: str, entries: list[str]) -> None:
    at = next((n for n, line in enumerate(lines) if line.startswith(f"@{table} = ")), None)
    if at is not None:
        entries = entries + [f"{{ i32, ptr, ptr }} {entry[0]}" for entry in _ENTRY.finditer(lines[at])]
    made = f"@{table} = appending global [{len(entries)} x {{ i32, ptr, ptr }}] [{', '.join(entries)}]"
    if at is not None:
        lines[at] = made
    else:
        first = next((n for n, line in enumerate(lines) if line.startswith(("define ", "declare "))), len(lines))
        lines.insert(first, made)


def add_constructor(text: str, function: str, priority: int) -> str:
    """The module of one file with one more constructor, which comes before the others of its priority."""
    lines = text.split("\n")
    _extend(lines, CONSTRUCTORS, [f"{{ i32, ptr, ptr }} {{ i32 {priority}, ptr {function}, ptr null }}"])
    return "\n".join(lines)


def with_start(text: str, entry: str) -> tuple[str, str]:
    """The linked module, and the name of the function with which it begins; `entry` is main, or what the user names."""
    table = _TABLE.search(text)
    if table is None:
        return text, entry
    listed = [(int(match["priority"]), at, match["value"]) for at, match in enumerate(_ENTRY.finditer(table[0]))]
    functions = [value for _, _, value in sorted(listed)]
    if len(functions) != table[0].count("{ i32, ptr, ptr } {") or any(value[0] != "@" for value in functions):
        raise Unsupported(f"a constructor that is not a function: {table[0][:300]}")
    returns, types = _signature(text, symbol(entry))
    given = [(type_, f"%{number}") for number, type_ in enumerate(types)]
    body = []
    for function in functions:
        wanted = _signature(text, function)[1] if re.search(_definition(function), text, re.MULTILINE) else []
        arguments = ", ".join(_argument(type_, number, given) for number, type_ in enumerate(wanted))
        body.append(f"  call void {function}({arguments})")
    call = f"call {returns} {symbol(entry)}({', '.join(map(' '.join, given))})"
    if returns == "void":
        body += [f"  {call}", "  ret void"]
    else:
        body += [f"  %status = {call}", f"  ret {returns} %status"]
    header = f"define {returns} @{START}({', '.join(map(' '.join, given))}) {{"
    return "\n".join([text.replace(table[0], "", 1), header, *body, "}", ""]), START


def _definition(function: str) -> str:
    return rf"^define [^@\n]*?(?P<returns>\S+) {re.escape(function)}\((?P<parameters>[^\n]*)$"


def _signature(text: str, function: str) -> tuple[str, list[str]]:
    """What a function of the module returns and takes, as types; only plain ones can be passed on."""
    match = re.search(_definition(function), text, re.MULTILINE)
    if match is None:
        raise Unsupported(f"constructors in a program in which {function[1:]} has another name")
    inside = match["parameters"]
    depth, end = 1, 0
    while depth and end < len(inside):
        depth += {"(": 1, ")": -1}.get(inside[end], 0)
        end += 1
    types = [part.split()[0] for part in inside[: end - 1].split(",") if part.strip()]
    for type_ in (match["returns"], *types):
        if _PLAIN.fullmatch(type_) is None:
            raise Unsupported(f"constructors in a program in which {function[1:]} takes or returns {type_}")
    return match["returns"], types


def _argument(type_: str, number: int, given: list[tuple[str, str]]) -> str:
    """The loader passes argc, argv and envp on to constructors that take them; anything, where main does not."""
    is_there = number < len(given) and given[number][0] == type_
    return f"{type_} {given[number][1] if is_there else 'undef'}"
