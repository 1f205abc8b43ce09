"""Inline assembly that is not understood, as calls of functions of which nothing is known.

    %5 = call i32 asm sideeffect "incl total(%rip); frob $1, $0", "=r,r"(ptr %4)          becomes
    %5 = call i32 (...) @"inline assembly that is not understood"(ptr %4, ptr @total)

Assembly reaches memory by its operands, by the symbols that its text names, and by what these lead to. So it is given
both, as an unknown function would be: it may read, write, keep, free and call what it was given, give back locks in it,
and end the thread, where it stands. It orders nothing. A text with macros or included files may name any symbol of its
file. The body of a naked function is assembly that finds the parameters where the caller has put them. `asm goto`
becomes such a call (or the assembly itself, where it is understood but for the jump) and a jump to any of its labels.

A system call gets a name of its own, and its number as the first argument: whether it may create a thread is looked
into (`facts.undermining_calls`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from raceproof.frontend.assembly import Assembly, classify, template_text
from raceproof.frontend.llvm_lexer import unquote
from raceproof.frontend.module_exports import symbol
from raceproof.ir import OPAQUE_ASSEMBLY, SYSTEM_CALL_ASSEMBLY

_NAME: Final = r'"[^"]*"|[\w$.\-]+'
_ROW: Final = re.compile(
    r"^(?P<head>  (?:%\S+ = )?)(?P<kind>(?:tail |notail )?call|callbr) (?P<type>[^\"@]*?) ?\basm "
    r"(?P<flags>(?:[a-z]+ )*)"
    r'"(?P<template>[^"]*)", ?"(?P<constraints>[^"]*)"\((?P<args>.*)\)(?P<rest>(?: #\d+)?(?:, ![\w.]+ !\d+)*)$'
)
_TARGETS: Final = re.compile(r"^\s+to label (?P<through>%\S+) \[(?P<labels>[^\]]*)\](?P<rest>.*)$")
_ELEMENT: Final = re.compile(r" elementtype\([^()]*\)")
_SYMBOLS: Final = re.compile(
    rf"^(?:define [^@\n]*@(?P<function>{_NAME})\(|declare [^@\n]*@(?P<declared>{_NAME})\(|"
    rf"@(?P<variable>{_NAME}) = )",
    re.MULTILINE,
)
_X86: Final = re.compile(r'^target triple = "(?:x86_64|i[3-7]86)-', re.MULTILINE)
_NAKED_GROUP: Final = re.compile(r"^attributes (#\d+) = \{(?P<before>[^\n]*?) naked (?P<after>[^\n]*)$", re.MULTILINE)
_DEFINE: Final = re.compile(
    rf"^define (?P<words>[^@\n]*?)(?P<type>(?:void|ptr|[a-z]+\d*|%{_NAME}|\{{[^}}]*\}}|\[[^\]]*\]|<[^>]*>)) "
    rf"@(?P<name>{_NAME})\((?P<parameters>.*)\)(?P<rest>[^()]*?) (?P<group>#\d+)(?P<attached>[^\n]*?) \{{$"
)
_OPAQUE: Final = re.compile(r"\.(?:macro|include|incbin|irp|irpc|rept|altmacro)\b|\\")
_NO_SYMBOL: Final = re.compile(r"/\*.*?\*/|\$\{\d+(?::\w+)?\}", re.DOTALL)
_WORD: Final = re.compile(r"(?<![\w%.@])[A-Za-z_.][\w.$]*")
_PREFIXES: Final = frozenset(["lock", "rep", "repe", "repz", "repne", "repnz", "notrack", "data16"])
_NO_CODE: Final = frozenset(
    [".section", ".pushsection", ".ascii", ".asciz", ".string", ".type", ".align", ".balign", ".p2align"]
)
_BARE_REGISTER: Final = re.compile(
    r"[re]?(?:[abcd]x|[sd]i|[sb]p|ip)|[abcd][lh]|[sd]il|r(?:8|9|1[0-5])[bwd]?|[xyz]mm\d+|[c-gs]s|"
    r"[xwvqdsb]\d+|[xw]zr|sp|lr|[a-z]+_el\d|(?:byte|[dqx]?word|[xyz]mmword)|ptr|offset",
    re.IGNORECASE,
)  # where registers have no sign before them: in Intel's syntax, and of other processors than x86
_SYSTEM_CALL: Final = re.compile(r"\b(?:syscall|sysenter|svc|swi|ecall)\b|\bint\s+\$?\$?(?:0x80|128|80h)")
_NUMBER_REGISTERS: Final = frozenset(["{ax}", "{rax}", "{eax}", "{x8}", "{w8}", "{r7}", "{a7}", "{x17}"])


@dataclass
class _Module:
    """What the file defines and declares, and what assembly names beyond that."""

    known: tuple[str, ...]
    is_x86: bool
    hidden: frozenset[str]
    new: dict[str, None] = field(default_factory=dict)
    declared: dict[str, None] = field(default_factory=dict)

    def named(self, template: str, is_intel: bool) -> list[str]:
        """The symbols that the text of assembly may lead to, as operands."""
        text = _NO_SYMBOL.sub(" ", template)
        if _OPAQUE.search(text) is not None:
            return [f"ptr {symbol(name)}" for name in self.known]
        found: dict[str, None] = {}
        bare = is_intel or not self.is_x86
        for statement in re.split(r"[;\n]", text):
            words = re.sub(r"^\s*(?:[\w.$]+:\s*)*", "", statement)
            while (first := re.match(r"\s*([\w.]+)", words)) is not None:  # what it does is no symbol
                words = words[first.end() :] if first[1] not in _NO_CODE else ""
                if first[1].lower() not in _PREFIXES:
                    break
            for name in _WORD.findall(words):
                if name in self.hidden or name.startswith("."):
                    continue
                if name not in self.known and f"\x01{name}" in self.known:
                    name = f"\x01{name}"  # given with asm(), as it stands
                elif name not in self.known and bare and _BARE_REGISTER.fullmatch(name) is not None:
                    continue
                found[name] = None
                if name not in self.known:
                    self.new[name] = None
        return [f"ptr {symbol(name)}" for name in found]


def with_opaque_assembly(text: str) -> str:
    """The module of one file in which all assembly that is left is understood."""
    if " asm " not in text:
        return text
    names = dict.fromkeys(unquote(m["function"] or m["declared"] or m["variable"]) for m in _SYMBOLS.finditer(text))
    hidden = frozenset(name for name in names if name.startswith("llvm."))
    module = _Module(tuple(n for n in names if n not in hidden), _X86.search(text) is not None, hidden)
    text = _without_naked_functions(text, module)
    lines: list[str] = []
    rows = iter(text.split("\n"))
    for row in rows:
        match = _ROW.match(row) if " asm " in row else None
        if match is None:
            lines.append(row)
        elif match["kind"] == "callbr":
            lines += _jump(match, next(rows, ""), module, len(lines))
        elif classify(match["template"], match["constraints"], "inteldialect" in match["flags"]) is Assembly.ANYTHING:
            lines.append(_call(match, module))
        else:
            lines.append(row)
    if module.new or module.declared:
        at = next((n for n, line in enumerate(lines) if line.startswith(("define ", "declare "))), len(lines))
        lines[at:at] = [f"{symbol(name)} = external global i8" for name in module.new] + list(module.declared)
    return "\n".join(lines)


def _call(row: re.Match[str], module: _Module) -> str:
    template = template_text(row["template"])
    arguments = _ELEMENT.sub("", row["args"])
    name = OPAQUE_ASSEMBLY
    given = [arguments] if arguments else []
    if _SYSTEM_CALL.search(template) is not None:
        name = SYSTEM_CALL_ASSEMBLY
        given = [_system_call_number(row["constraints"], arguments), *given]
    given += module.named(template, "inteldialect" in row["flags"])
    return row["head"] + _unknown(name, row["type"].strip(), given, module) + _debug(row["rest"])


def _unknown(name: str, type_: str, arguments: list[str], module: _Module) -> str:
    module.declared[f"declare void {symbol(name)}(...)"] = None
    return f"call {type_} (...) {symbol(name)}({', '.join(arguments)})"


def _system_call_number(constraints: str, arguments: str) -> str:
    """The operand that goes to the register of the number; one of which nothing is known if that is not told."""
    inputs: list[str] = []
    outputs: list[str] = []
    for part in constraints.split(","):
        if part.startswith("="):
            outputs.append(part.removeprefix("=").removeprefix("&"))
        if part and not part.startswith(("~", "!")) and (not part.startswith("=") or part.startswith("=*")):
            inputs.append(outputs[int(part)] if part.isdigit() and int(part) < len(outputs) else part)
    given = split_arguments(arguments)
    for constraint, argument in zip(inputs, given, strict=False):
        if constraint in _NUMBER_REGISTERS:
            return argument
    return "i64 undef"


def split_arguments(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def _debug(rest: str) -> str:
    return "".join(f", {part}" for part in rest.split(", ") if part.startswith("!dbg "))


def _jump(row: re.Match[str], targets: str, module: _Module, number: int) -> list[str]:
    """Assembly that may jump: what it does, and then a jump to any label."""
    match = _TARGETS.match(targets)
    if match is None:
        return [row[0], targets]
    labels = [part.strip() for part in match["labels"].split(",") if part.strip()]
    without = ",".join(part for part in row["constraints"].split(",") if not part.startswith("!"))
    shown = re.sub(r"\$\{\d+:l\}", "1b", row["template"])
    where = _debug(match["rest"])
    if classify(shown, without, "inteldialect" in row["flags"]) is Assembly.ANYTHING:
        made = _call(row, module) + where
    else:
        body = f'asm {row["flags"]}"{shown}", "{without}"({row["args"]})'
        made = f"{row['head']}call {row['type']} {body}{where}"
    choice = f"%raceproof.jump.{number}"
    cases = " ".join(f"i32 {case}, {label}" for case, label in enumerate(dict.fromkeys(labels), start=1))
    return [
        made,
        f'  {choice} = call i32 asm sideeffect "rdtsc", "={{ax}},~{{dx}}"(){where}',  # any number
        f"  switch i32 {choice}, label {match['through']} [ {cases} ]{where}",
    ]


def _without_naked_functions(text: str, module: _Module) -> str:
    """A naked function hands its parameters to code of which nothing is known, and returns what that gives."""
    groups = {match[1] for match in _NAKED_GROUP.finditer(text)}
    if not groups:
        return text
    lines: list[str] = []
    rows = iter(text.split("\n"))
    for row in rows:
        header = _DEFINE.match(row)
        if header is None or header["group"] not in groups:
            lines.append(row)
            continue
        body = []
        for inner in rows:
            if inner[:1] == "}":
                break
            body.append(inner)
        lines += [*_handing_over(row, header, body, module), "}"]
    return _NAKED_GROUP.sub(lambda m: f"attributes {m[1]} = {{{m['before']} {m['after']}", "\n".join(lines))


def _handing_over(row: str, header: re.Match[str], body: list[str], module: _Module) -> list[str]:
    templates = [template_text(m["template"]) for m in map(_ROW.match, body) if m is not None]
    parameters = [part for part in split_arguments(header["parameters"]) if part != "..."]
    own = [f"{_type_of(part)} {part.split()[-1]}" for part in parameters]
    where = next((_debug(m["rest"]) for m in map(_ROW.match, body) if m is not None), "")
    name = SYSTEM_CALL_ASSEMBLY if any(map(_SYSTEM_CALL.search, templates)) else OPAQUE_ASSEMBLY
    own = ["i64 undef", *own] if name == SYSTEM_CALL_ASSEMBLY else own
    type_ = header["type"]
    made = _unknown(name, type_, [*own, *module.named("\n".join(templates), is_intel=False)], module)
    if type_ == "void":
        return [row, f"  {made}{where}", f"  ret void{where}"]
    return [row, f"  %raceproof.result = {made}{where}", f"  ret {type_} %raceproof.result{where}"]


def _type_of(parameter: str) -> str:
    """The type at the beginning of a parameter: `ptr noundef %0`, `{ i64, i32 } %1`."""
    if parameter[0] in "{[<":
        depth = 0
        for position, character in enumerate(parameter):
            depth += (character in "([{<") - (character in ")]}>")
            if depth == 0:
                return parameter[: position + 1]
    return parameter.split()[0]
