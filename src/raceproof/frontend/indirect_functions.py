"""Functions whose code a resolver chooses while the program is loaded (ifunc), as ordinary functions.

    @f = ifunc i32 (i32), ptr @resolve      becomes      @raceproof.ifunc.f = internal global ptr null

                                                         define i32 @f(i32 %0) {
                                                           %code = load ptr, ptr @raceproof.ifunc.f
                                                           %result = call i32 %code(i32 %0)
                                                           ret i32 %result
                                                         }

and a constructor that runs before all others stores what the resolver returns. In an executable the loader calls
resolvers before anything else runs.
"""

from __future__ import annotations

import re
from typing import Final

from raceproof.core import Unsupported
from raceproof.frontend.llvm_lexer import unquote
from raceproof.frontend.startup import RESOLVERS, add_constructor

_NAME: Final = r'"[^"]*"|[\w$.\-]+'
_IFUNC: Final = re.compile(
    rf"^@(?P<name>{_NAME}) = (?P<words>[a-z_ ]*?)ifunc (?P<returns>[^(\n]*?) \((?P<parameters>[^\n]*)\), "
    rf"ptr @(?P<resolver>{_NAME})[^\n]*$",
    re.MULTILINE,
)
_PLAIN: Final = re.compile(r"ptr|i\d+|float|double|void")
_LINKAGES: Final = ("internal", "weak", "weak_odr", "private")


def replace_indirect_functions(text: str) -> str:
    """The module of one file without indirect functions."""
    if " ifunc " not in text:
        return text
    for match in _IFUNC.finditer(text):
        text = _with_function(text.replace(match[0] + "\n", "", 1), match)
    return text


def _with_function(text: str, match: re.Match[str]) -> str:
    name, returns = match["name"], match["returns"]
    types = [part.strip() for part in match["parameters"].split(",") if part.strip()]
    if any(_PLAIN.fullmatch(type_) is None for type_ in (returns, *types)):
        raise Unsupported(
            f"indirect function (ifunc) {unquote(name)} that takes or returns more than numbers and pointers"
        )
    plain = re.sub(r"[^\w$.]", "_", unquote(name))
    place, setter = f"@raceproof.ifunc.{plain}", f"@raceproof.resolve.{plain}"
    parameters = ", ".join(f"{type_} %{number}" for number, type_ in enumerate(types))
    linkage = next((f"{word} " for word in match["words"].split() if word in _LINKAGES), "")
    call = f"call {returns} %code({parameters})"
    first = re.search(r"^(?:define|declare) ", text, re.MULTILINE)
    at = first.start() if first is not None else len(text)
    lines = [
        f"{place} = internal global ptr null, align 8",
        f"define {linkage}{returns} @{name}({parameters}) {{",
        f"  %code = load ptr, ptr {place}, align 8",
        *([f"  {call}", "  ret void"] if returns == "void" else [f"  %result = {call}", f"  ret {returns} %result"]),
        "}",
        f"define internal void {setter}() {{",
        f"  %code = call ptr @{match['resolver']}()",
        f"  store ptr %code, ptr {place}, align 8",
        "  ret void",
        "}",
        "",
    ]
    return add_constructor(text[:at] + "\n".join(lines) + text[at:], setter, RESOLVERS)
