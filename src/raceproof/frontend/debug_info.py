"""The metadata of a module: source positions, variables, and (in `debug_types`) source types.

Metadata lines are kept as text and parsed on demand: most of a module's types are never asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from raceproof.core import SourcePos
from raceproof.frontend.llvm_lexer import unescape

_LOCATION = re.compile(r"!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)")
_FIELD = re.compile(r'(\w+): ("[^"]*"|![\w]*(?:\([^()]*\))?|[^,()]+(?:\([^()]*\))?)')
_REFERENCE = re.compile(r"!(\d+)$")
_ATTACHED_LOCATION = re.compile(r"!dbg !(\d+)")

Node = Mapping[str, str]
_NO_FIELDS: Node = {}


class Metadata:
    """Access to numbered metadata nodes: `!7 = distinct !DISubprogram(name: "f", line: 3, ...)`.

    Files below `root`, if there is one, are named relative to it; the current directory has no part in it.
    """

    def __init__(self, lines: Mapping[int, str], root: str = "") -> None:
        self.lines = lines
        self.root = root
        self._nodes: dict[int, Node] = {}
        self._files: dict[int, str | None] = {}
        self._paths: dict[int | None, str | None] = {}
        self._positions: dict[int, SourcePos | None] = {}

    def kind(self, number: int) -> str:
        """The class of a node (`DISubprogram`), empty for tuples and unknown numbers."""
        text = self.lines.get(number, "").removeprefix("distinct ")
        return text[1 : text.find("(")] if text.startswith("!DI") else ""

    def node(self, number: int | None) -> Node:
        """The fields of a node as text; empty if there is none."""
        if number is None:
            return _NO_FIELDS
        found = self._nodes.get(number)
        if found is None:
            text = self.lines.get(number, "")
            body = text[text.find("(") + 1 : text.rfind(")")]
            found = self._nodes[number] = {m.group(1): m.group(2) for m in _FIELD.finditer(body)}
        return found

    def elements(self, number: int | None) -> list[int | None]:
        """The references of a tuple `!{!1, null, !3}`; None for null and for inline values."""
        text = self.lines.get(number, "") if number is not None else ""
        inner = text[text.find("{") + 1 : text.rfind("}")].strip()
        return [reference(part.strip()) for part in inner.split(",")] if inner else []

    def attached(self, attachments: str) -> SourcePos | None:
        """The position in a list of attachments such as ", !dbg !12, !llvm.loop !5"."""
        match = _ATTACHED_LOCATION.search(attachments)
        return self.position(int(match.group(1))) if match else None

    def position(self, number: int) -> SourcePos | None:
        """Where a DILocation stands; line 0 is the compiler's own code and has no position."""
        if number not in self._positions:
            self._positions[number] = self._locate(number)
        return self._positions[number]

    def _locate(self, number: int) -> SourcePos | None:
        match = _LOCATION.search(self.lines.get(number, ""))
        if match is None or match.group(1) == "0":
            return None
        file = self.file_of(int(match.group(3)))
        return SourcePos(file, int(match.group(1)), int(match.group(2) or 0)) if file is not None else None

    def declared_at(self, number: int | None) -> SourcePos | None:
        """The `file` and `line` of a variable or function."""
        node = self.node(number)
        file = self.file_of(number) if number is not None else None
        line = int(node.get("line", "0"))
        return SourcePos(file, line) if file is not None and line else None

    def file_of(self, scope: int) -> str | None:
        """The file of a scope, which is its own `file` or that of the scope around it."""
        if scope not in self._files:
            seen: set[int] = set()
            at: int | None = scope
            while at is not None and at not in seen and "file" not in self.node(at):
                seen.add(at)
                at = reference(self.node(at).get("scope", ""))
            self._files[scope] = self._path(reference(self.node(at).get("file", "")))
        return self._files[scope]

    def _path(self, number: int | None) -> str | None:
        if number not in self._paths:
            self._paths[number] = self._find_path(number)
        return self._paths[number]

    def _find_path(self, number: int | None) -> str | None:
        """A DIFile's path as the user would type it at the root.

        The compiler splits paths into directory and name as it likes; the directory is put back only
        where the name alone would not lead to the file from the root.
        """
        path = self._as_compiled(number)
        if path is None or not self.root or not path.startswith(self.root.rstrip("/") + "/"):
            return path
        return path[len(self.root.rstrip("/")) + 1 :]

    def _as_compiled(self, number: int | None) -> str | None:
        node = self.node(number)
        name, directory = string(node, "filename"), string(node, "directory")
        if not name:
            return None
        if os.path.isabs(name) or not directory:
            return name
        joined = os.path.join(self.root, directory, name)
        named = os.path.join(self.root, name)
        if not os.path.exists(named):
            return joined
        return joined if os.path.exists(joined) and not os.path.samefile(named, joined) else name


def reference(text: str) -> int | None:
    """7 for "!7"; None for anything else."""
    match = _REFERENCE.match(text)
    return int(match.group(1)) if match else None


def string(node: Node, field: str) -> str:
    """The content of a string field, empty if absent."""
    text = node.get(field, "")
    return unescape(text[1:-1]).decode("utf-8", "backslashreplace") if text.startswith('"') else ""
