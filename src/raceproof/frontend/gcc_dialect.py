"""What gcc takes, or leaves in a preprocessed file, and clang does not, in words that both understand.

gcc knows `_Float32` and its kin itself; clang knows only `_Float16`. And gcc's <stdatomic.h> hands `_Atomic` objects to
`__atomic_store` and the like, which clang refuses: for these there is another type of pointer, to the same object and
without the word. `(void)0, *p` has the type of what `*p` holds.
"""

from __future__ import annotations

import platform
import re
from typing import Final

_FLOATS: Final = (
    b"typedef float _Float32; typedef double _Float64; typedef double _Float32x; typedef long double _Float64x;"
    b" typedef %s _Float128;\n"
)
_FLOAT: Final = re.compile(rb"\b_Float(?:32|64|128)x?\b")
_ATOMIC: Final = re.compile(rb"\b_Atomic\b")
_BUILTIN: Final = re.compile(
    rb"\b__atomic_(?:(?:load|store|exchange|compare_exchange)(?:_n)?"
    rb"|fetch_(?:add|sub|and|or|xor|nand)|(?:add|sub|and|or|xor|nand)_fetch)\s*\("
)
_WEAK_ALIAS: Final = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+weak[ \t]+(\w+)[ \t]*=[ \t]*(\w+)[ \t]*$", re.MULTILINE)
_NEXT: Final = re.compile(rb'[()\[\]{},]|"(?:[^"\\\n]|\\.)*"|' rb"'(?:[^'\\\n]|\\.)*'")


def for_clang(content: bytes, file: str) -> bytes:
    """The preprocessed file; unchanged if it has nothing of the kind. Lines keep their numbers."""
    types = b""
    if _FLOAT.search(content):
        quad = b"__float128" if platform.machine() in ("x86_64", "AMD64", "i386", "i686") else b"long double"
        types = _FLOATS % quad
    is_refused = _ATOMIC.search(content) is not None and _BUILTIN.search(content) is not None
    if not types and not is_refused:
        return content
    return types + f'# 1 "{file}"\n'.encode() + (_with_plain_pointers(content) if is_refused else content)


def with_weak_aliases(text: str) -> str | None:
    """A preprocessed file with `#pragma weak y = x` told as assembly; None if it has none. Lines keep their numbers.

    Clang takes such a `y` for another function than one that was declared before, and calls of it for ambiguous.
    """
    changed, count = _WEAK_ALIAS.subn(r'__asm__(".weak \1\\n.set \1, \2");', text)
    return changed if count else None


def _with_plain_pointers(content: bytes) -> bytes:
    parts: list[bytes] = []
    position = 0
    while match := _BUILTIN.search(content, position):
        end = _end_of_argument(content, match.end())
        parts.append(content[position : match.end()])
        pointer = _with_plain_pointers(content[match.end() : end])
        in_one_line = b" ".join(line for line in pointer.split(b"\n") if not line.lstrip().startswith(b"#"))
        parts.append(b"(__typeof__((void)0, *(%s)) *)(%s)" % (in_one_line, pointer))
        position = end
    return b"".join([*parts, content[position:]])


def _end_of_argument(content: bytes, start: int) -> int:
    """Where the argument that begins at `start` ends: before a comma or the parenthesis that closes the call."""
    depth = 0
    for match in _NEXT.finditer(content, start):
        if match[0] in b"([{":
            depth += 1
        elif depth == 0 and match[0] in b",)":
            return match.start()
        elif match[0] in b")]}":
            depth -= 1
    return len(content)
