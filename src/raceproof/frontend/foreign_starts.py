"""Functions outside the program that threads run, or that end them, as functions of the program that call those.

    call i32 @pthread_create(ptr %1, ptr null, ptr @outside, ptr %2)               becomes
    call i32 @pthread_create(ptr %1, ptr null, ptr @raceproof.run.ptr.outside, ptr %2)
    define internal ptr @raceproof.run.ptr.outside(ptr %0) { ... call ptr @outside(ptr %0) ... }

So what such a thread touches is what the table of the library says of the function, or what an unknown function may
touch while it is called, from the creation of the thread to its end. In the same way two names of one variable of the
C library (`environ`, `__environ`) become one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from raceproof.frontend.module_exports import symbol
from raceproof.ir import LIBRARY_ALIASES

_NAME: Final = r'"[^"]*"|[\w$.\-]+'
_TAKES: Final = {
    "pthread_create": (2, "ptr", "ptr"),
    "thrd_create": (1, "i32", "ptr"),
    "pthread_key_create": (1, "void", "ptr"),
    "tss_create": (1, "void", "ptr"),
    "signal": (1, "void", "i32"),
    "bsd_signal": (1, "void", "i32"),
    "atexit": (0, "void", ""),
}
"""Functions of the library -> the argument that it runs, what that returns and takes."""
_CALL: Final = re.compile(
    rf"@(?P<name>{'|'.join(_TAKES)})\((?P<arguments>[^()]*(?:\([^()]*\)[^()]*)*)\)(?P<attached>[^\n]*)"
)
_GIVEN: Final = re.compile(rf"ptr (?:[a-z]+ )*@(?P<name>{_NAME})")
_DECLARED: Final = re.compile(
    rf"^declare [^@\n]*?(?P<returns>void|ptr|i\d+) @(?P<name>{_NAME})\((?P<parameters>[^\n()]*)\)", re.MULTILINE
)


def with_own_starts(text: str) -> str:
    """The linked module, in which threads and destructors run functions of the program."""
    text = _with_one_name(text)
    if not any(f"@{name}(" in text for name in _TAKES):
        return text
    declared = {match["name"]: match for match in _DECLARED.finditer(text)}
    added: dict[str, str] = {}

    def call(match: re.Match[str]) -> str:
        arguments = match["arguments"].split(", ")
        index, returns, takes = _TAKES[match["name"]]
        given = _GIVEN.fullmatch(arguments[index]) if index < len(arguments) else None
        known = declared.get(given["name"]) if given is not None else None
        if known is None or not _fits(known, takes):
            return match[0]
        name = symbol(f"raceproof.run.{returns}." + known["name"].strip('"'))
        if name not in added:
            place = _Place.of(text, known["name"], match["attached"], len(added))
            added[name] = _definition(name, known, returns, takes, place)
        arguments[index] = f"ptr {name}"
        return f"@{match['name']}({', '.join(arguments)}){match['attached']}"

    return _CALL.sub(call, text) + "".join(added.values())


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a function is registered, as LLVM's metadata: what the definition, and the call in it, refer to."""

    function: str = ""
    call: str = ""
    lines: str = ""

    @staticmethod
    def of(text: str, name: str, attached: str, count: int) -> _Place:
        number = re.search(r"!dbg !(\d+)", attached)
        found = _metadata(text, number[1]) if number is not None else ""
        where = re.search(r"line: (\d+)(?:, column: (\d+))?, scope: !(\d+)", found)
        scope = _metadata(text, where[3]) if where is not None else ""
        while (outer := re.search(r"!DILexicalBlock(?:File)?\(scope: !(\d+)", scope)) is not None:
            scope = _metadata(text, outer[1])
        file, unit = re.search(r"file: !(\d+)", scope), re.search(r"unit: !(\d+)", scope)
        if where is None or file is None or unit is None:
            return _Place()
        first = max(int(n) for n in re.findall(r"^!(\d+) = ", text, re.MULTILINE)) + 1 + 2 * count
        return _Place(
            f" !dbg !{first}",
            f", !dbg !{first + 1}",
            f'!{first} = distinct !DISubprogram(name: "", scope: !{file[1]}, file: !{file[1]}, line: {where[1]}, '
            f"spFlags: DISPFlagDefinition, unit: !{unit[1]})\n"
            f"!{first + 1} = !DILocation(line: {where[1]}, column: {where[2] or 0}, scope: !{first})\n",
        )


def _metadata(text: str, number: str) -> str:
    found = re.search(rf"^!{number} = ([^\n]*)", text, re.MULTILINE)
    return found[1] if found is not None else ""


def _fits(declared: re.Match[str], takes: str) -> bool:
    parameters = [part.split()[0] for part in declared["parameters"].split(",") if part.strip()]
    is_plain = not declared["name"].startswith("llvm.") and "\\" not in declared["name"]
    return is_plain and parameters in ([], [takes], ["..."])


def _definition(name: str, declared: re.Match[str], returns: str, takes: str, place: _Place) -> str:
    """A function that calls the declared one and returns what that does, if it is of the right type."""
    variadic = " (...)" if declared["parameters"] == "..." else ""
    own = f"{takes} %given" if takes else ""
    call = (
        f"call {declared['returns']}{variadic} @{declared['name']}({own if declared['parameters'] else ''}){place.call}"
    )
    lines = [f"  {call}" if declared["returns"] == "void" else f"  %result = {call}"]
    if declared["returns"] == returns != "void":
        lines.append(f"  ret {returns} %result{place.call}")
    else:
        lines.append(f"  ret {_nothing(returns)}{place.call}")
    body = "\n".join(lines)
    return f"\ndefine internal {returns} {name}({own}){place.function} {{\n{body}\n}}\n{place.lines}"


def _nothing(returns: str) -> str:
    """What is returned where the function has another type than a start function; such a call is undefined."""
    return {"void": "void", "ptr": "ptr null"}.get(returns, f"{returns} 0")


def _with_one_name(text: str) -> str:
    """Aliases that the C library has for its variables."""
    for alias, meant in LIBRARY_ALIASES.items():
        outside = re.compile(rf"^@{alias} = external [^\n]*\n", re.MULTILINE)
        if outside.search(text) and re.search(rf"^@{meant} = external ", text, re.MULTILINE):
            text = re.sub(rf"@{alias}\b(?![\w$.\-])", f"@{meant}", outside.sub("", text, count=1))
    return text
