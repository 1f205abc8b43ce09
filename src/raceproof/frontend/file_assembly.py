"""Assembly at file scope: what it says about symbols is taken over, functions that it defines are unknown code.

    __asm__(".set shared, counter");            an alias of `counter`, as __attribute__((alias)) would make it
    __asm__(".symver old_open, open@V1");       nothing that a program in C can see
    __asm__("bump: incl counter(%rip); ret");   `bump` calls unknown code with all that the assembly names:
                                                    define void @bump() {
                                                      call void (...) @raceproof.assembly(ptr @counter)
                                                      ret void
                                                    }

What is left, such as data in sections of the loader, becomes an obstacle of the program. A program with assembly that
is not understood is not run: `instrument` refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from raceproof.frontend.llvm_lexer import unescape, unquote
from raceproof.frontend.module_exports import symbol

UNKNOWN: Final = "raceproof.assembly"
LINE: Final = 'module asm "'
_ASSEMBLY: Final = re.compile(r'^module asm "(.*)"$', re.MULTILINE)
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_.$][\w.$]*")
_IDENTIFIER: Final = r"[A-Za-z_][\w$]*"
_HARMLESS: Final = re.compile(
    r"\.(?:symver|globl|global|hidden|protected|internal|local|type|size|ident|file|loc|p2align|align|balign|previous"
    r"|popsection|text|data|bss|code64|cfi_\w+)\b.*"
    r'|\.(?:section|pushsection)\s+"?\.(?:text|data|rodata|bss|note|comment|eh_frame|gnu)[\w.\-]*"?.*'
)
_WEAK: Final = re.compile(rf"\.weak\s+({_IDENTIFIER})")
_SET: Final = re.compile(rf"(?:\.(?:set|equ)\s+({_IDENTIFIER})\s*,|({_IDENTIFIER})\s*=)\s*({_IDENTIFIER})")
_DEFINES: Final = re.compile(
    rf"^\s*({_IDENTIFIER})\s*:|\.(?:globl|global|comm|lcomm|set|equ|weak)\s+({_IDENTIFIER})|^\s*({_IDENTIFIER})\s*=",
    re.MULTILINE,
)
_OPAQUE: Final = re.compile(r"\.(?:macro|include|incbin|irp|irpc|rept|altmacro)\b|\\")
_SECTION: Final = re.compile(r"\.(?:section|pushsection)\b")
_DECLARED: Final = re.compile(
    r'^declare (?P<words>[^@\n]*?)(?P<returns>void|ptr|i\d+|float|double) @(?P<name>"[^"]*"|[\w$.\-]+)'
    r"\((?P<parameters>[^\n()]*)\)[^\n]*\n",
    re.MULTILINE,
)
_DEFINED: Final = re.compile(
    r'^(?:define [^@\n]*@(?P<function>"[^"]*"|[\w$.\-]+)\('
    r'|@(?P<variable>"[^"]*"|[\w$.\-]+) = (?P<words>[^\n]*))',
    re.MULTILINE,
)
_PLAIN: Final = re.compile(r"ptr|i\d+|float|double")


def take_over_symbols(text: str) -> str:
    """The module of one file: aliases that its assembly makes are LLVM's, what says nothing else is gone."""
    if LINE not in text:
        return text
    defined = {unquote(m["function"] or m["variable"]) for m in _DEFINED.finditer(text) if not _is_external(m)}
    weak: set[str] = set()
    aliases: list[tuple[str, str]] = []
    left: list[str] = []
    for statement in _statements(_assembly(text)):
        if match := _WEAK.fullmatch(statement):
            weak.add(match[1])
        elif (match := _SET.fullmatch(statement)) and match[3] in defined:
            aliases.append((match[1] or match[2], match[3]))
        elif not _HARMLESS.fullmatch(statement):
            left.append(statement)
    left += [f".weak {name}" for name in sorted(weak - defined - {name for name, _ in aliases})]
    lines = "\n".join(f'{LINE}{_escaped(statement)}"' for statement in left)
    text = _ASSEMBLY.sub("", _ASSEMBLY.sub("raceproof.here", text, count=1)).replace("raceproof.here", lines, 1)
    for name, target in aliases:
        text = _with_alias(text, name, target, "weak " if name in weak else "")
    return text


def with_unknown_code(text: str) -> tuple[str, list[str]]:
    """The linked module, in which functions that assembly defines call unknown code; and what is still left out."""
    if LINE not in text:
        return text, []
    assembly = _assembly(text)
    words = set(_WORD.findall(assembly))
    made_there = {name for match in _DEFINES.finditer(assembly) for name in match.groups() if name}
    is_open = _OPAQUE.search(assembly) is not None
    obstacles = ["assembly at file scope with sections, macros or files of its own"] * (
        is_open or _SECTION.search(assembly) is not None
    )
    known = [unquote(m["function"] or m["variable"]) for m in _DEFINED.finditer(text) if not _is_hidden(m)]
    named = [name for name in known if is_open or re.sub(r"\.\d+$", "", name) in words or name in words]
    given = ", ".join(f"ptr {symbol(name)}" for name in named)
    bodies: list[str] = []

    def body(match: re.Match[str]) -> str:
        name = unquote(match["name"])
        if name not in made_there or name.startswith("llvm."):
            return match[0]
        types = [part.split()[0] for part in match["parameters"].split(",") if part.strip()]
        if any(_PLAIN.fullmatch(type_) is None for type_ in types):
            obstacles.append(f"`{name}`, which assembly defines and which takes {match['parameters']}")
            return match[0]
        own = [f"{type_} %{number}" for number, type_ in enumerate(types)]
        arguments = ", ".join([*own, *([given] if given else [])])
        header = f"define {match['returns']} {symbol(name)}({', '.join(own)}) {{\n"
        call = f"call {match['returns']} (...) @{UNKNOWN}.{len(bodies)}({arguments})\n"
        result = "  ret void\n" if match["returns"] == "void" else f"  ret {match['returns']} %result\n"
        bodies.append(f"declare {match['returns']} @{UNKNOWN}.{len(bodies)}(...)\n")
        return header + ("  " if match["returns"] == "void" else "  %result = ") + call + result + "}\n"

    text = _DECLARED.sub(body, text)
    return text + "".join(bodies), obstacles


def names_in_assembly(lines: list[str]) -> frozenset[str]:
    """Words in the lines `module asm ...` of a module: symbols that assembly may define."""
    return frozenset(word for line in lines for word in _WORD.findall(_decoded(line[len(LINE) : -1])))


def _assembly(text: str) -> str:
    return "\n".join(_decoded(match[1]) for match in _ASSEMBLY.finditer(text))


def _decoded(text: str) -> str:
    return unescape(text).decode("utf-8", "replace")


def _escaped(text: str) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())


def _statements(assembly: str) -> Iterator[str]:
    for line in _COMMENT.sub(" ", assembly).split("\n"):
        for statement in line.split(";"):
            if statement.strip():
                yield statement.strip()


def _is_external(match: re.Match[str]) -> bool:
    words = (match["words"] or "").split()
    return "external" in words[:3] or "extern_weak" in words[:3]


def _is_hidden(match: re.Match[str]) -> bool:
    """Variables that only LLVM has, and thread-local ones, whose address is no constant."""
    name = match["function"] or match["variable"]
    words = (match["words"] or "").split(" global ")[0].split()
    return name.startswith("llvm.") or any(word.startswith("thread_local") for word in words)


def _with_alias(text: str, name: str, target: str, linkage: str) -> str:
    printed = re.escape(symbol(name))
    rest = r"(?:, (?:align|!)[^\n]*)?\n"
    variable = re.compile(rf"^{printed} = external (?:[a-z_]+ )*(?:global|constant) ([^\n]*?){rest}", re.MULTILINE)
    function = re.compile(rf"^declare [^@\n]*{printed}\([^\n]*\n", re.MULTILINE)
    type_ = found[1] if (found := variable.search(text)) else "i8"
    text = function.sub("", variable.sub("", text))
    alias = f"{symbol(name)} = {linkage}alias {type_}, ptr {symbol(target)}\n"
    first = re.search(r"^(?:define|declare) ", text, re.MULTILINE)
    at = first.start() if first is not None else len(text)
    return text[:at] + alias + text[at:]
