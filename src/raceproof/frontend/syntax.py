"""The syntax tree of a unit, as clang dumps it: where statements, declarations and expressions stand in the source.

Only what stands in the program's own files is kept; offsets count bytes. For edits and for what debug information
does not say (attributes, the text of a lock's expression); the analysis itself never looks at it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from raceproof.core import Budget, InputError, LimitReached
from raceproof.frontend.cache import Cache
from raceproof.frontend.compile import command_for, zig_program
from raceproof.frontend.diagnostics import compiler_error
from raceproof.frontend.inputs import LLVM_SUFFIXES, CompileRequest, Unit

_DUMP = ("-E", "-Xclang", "-ast-dump=json")  # -E: else zig waits for an output file
_NOT_FOR_SYNTAX = ("-S", "-emit-llvm")
# What an edit may turn into undefined behaviour without a word from a tolerant compiler.
_STRICT = ("-Werror=incompatible-pointer-types", "-Werror=int-conversion", "-Werror=implicit-function-declaration")
_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/local/include/")


@dataclass(frozen=True)
class Node:
    """A declaration, statement or expression. `type` as it is written, `plain_type` without typedefs. `refers`: the
    name of the declaration that a reference means, `refers_to` its kind. `begin` to `end` are offsets in `file`, with
    -1 for what has no place; `at`: of the name. `in_macro`: it is made by a macro, so no edit may touch its inside."""

    kind: str
    name: str
    type: str
    plain_type: str
    file: str
    begin: int
    end: int
    at: int
    in_macro: bool
    refers: str
    refers_to: str
    fields: Mapping[str, Any]
    children: tuple[Node, ...]

    def walk(self) -> Iterator[Node]:
        """The node and all below it, outer ones first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def path_to(self, offset: int) -> list[Node]:
        """From this node to the innermost one that covers the offset."""
        path = [self]
        while True:
            inside = next((c for c in path[-1].children if c.begin <= offset < c.end), None)
            if inside is None:
                return path
            path.append(inside)


@dataclass(frozen=True)
class SyntaxTree:
    """One unit. `top` are the declarations in the program's own files, whose texts are in `texts`, by absolute name."""

    unit: Unit
    top: tuple[Node, ...]
    texts: Mapping[str, bytes]

    @cached_property
    def functions(self) -> tuple[Node, ...]:
        """Those with a body."""
        return tuple(n for n in self.top if n.kind == "FunctionDecl" and body_of(n) is not None)

    def text(self, node: Node) -> str:
        return self.texts[node.file][node.begin : node.end].decode("utf-8", "replace")

    def offset(self, file: str, line: int, column: int) -> int | None:
        """Of a position in the source, lines and columns counted from 1."""
        content = self.texts.get(file)
        if content is None:
            return None
        start = 0
        for _ in range(line - 1):
            start = content.find(b"\n", start) + 1
            if start == 0:
                return None
        return start + max(column - 1, 0)


def body_of(function: Node) -> Node | None:
    return next((c for c in function.children if c.kind == "CompoundStmt"), None)


def syntax_trees(request: CompileRequest, budget: Budget, strict: bool = False) -> tuple[SyntaxTree, ...]:
    """The trees of all C units of the request. Raises `InputError` for what does not compile; `strict`: also for
    pointers of types that do not fit."""
    units = [u for u in request.units if u.file.suffix not in LLVM_SUFFIXES]
    return tuple(_tree(unit, request, budget, strict) for unit in units)


def with_changes(request: CompileRequest, texts: Mapping[str, bytes], directory: Path) -> CompileRequest:
    """The request with other texts in place of files, by absolute name. The texts are kept in `directory`, the files
    stay as they are."""
    roots = []
    for number, (file, content) in enumerate(texts.items()):
        copy = directory / f"{number}-{Path(file).name}"
        copy.write_bytes(content)
        roots.append({"name": file, "type": "file", "external-contents": str(copy)})
    overlay = directory / "overlay.yaml"
    overlay.write_text(json.dumps({"version": 0, "use-external-names": "false", "roots": roots}), encoding="utf-8")
    flags = ("-ivfsoverlay", str(overlay))
    return replace(request, units=tuple(replace(u, flags=(*u.flags, *flags)) for u in request.units))


def _tree(unit: Unit, request: CompileRequest, budget: Budget, strict: bool) -> SyntaxTree:
    budget.check()
    command = [word for word in command_for(unit, request) if word not in _NOT_FOR_SYNTAX]
    extra = _STRICT if strict else ()
    with tempfile.TemporaryDirectory(prefix="raceproof-") as scratch:
        shared = Cache.default().zig_directory() or Path(scratch, "shared")
        environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(shared), "ZIG_LOCAL_CACHE_DIR": f"{scratch}/zig"}
        output = Path(scratch, "tree.json")
        remaining = budget.remaining()
        try:
            with output.open("wb") as stream:
                done = subprocess.run(
                    [*command, *extra, *_DUMP, str(unit.file)],
                    cwd=unit.directory,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.PIPE,
                    timeout=None if remaining == float("inf") else max(remaining, 0.01),
                    check=False,
                )
        except subprocess.TimeoutExpired:
            raise LimitReached(f"{budget.end} while reading {unit.file}") from None
        if done.returncode != 0:
            raise compiler_error(done.stderr.decode("utf-8", "replace"), str(unit.file))
        try:
            dump = json.loads(output.read_bytes())
        except (ValueError, RecursionError) as error:
            raise InputError(f"{unit.file}: its syntax tree cannot be read: {error}") from None
    return _of_dump(unit, dump)


def _of_dump(unit: Unit, dump: Mapping[str, Any]) -> SyntaxTree:
    reader = _Reader(unit.directory)
    top = tuple(node for node in reader.children(dump) if node is not None and node.file)
    texts = {}
    for file in dict.fromkeys(n.file for node in top for n in node.walk() if n.file):
        try:
            texts[file] = _overlaid(unit, file).read_bytes()
        except OSError:
            continue
    return SyntaxTree(unit, tuple(node for node in top if node.file in texts), texts)


def _overlaid(unit: Unit, file: str) -> Path:
    """Where the text of the file is, with `with_changes` in force."""
    flags = unit.flags
    for flag, value in pairwise(flags):
        if flag == "-ivfsoverlay":
            for root in json.loads(Path(value).read_text(encoding="utf-8"))["roots"]:
                if root["name"] == file:
                    return Path(root["external-contents"])
    return Path(file)


class _Reader:
    """Clang writes the name of a file only where it differs from the last one written: what is read must be read in
    order."""

    def __init__(self, directory: Path) -> None:
        self._directory = str(directory)
        self._file = ""
        self._zig = os.path.realpath(os.path.dirname(zig_program()))

    def children(self, raw: Mapping[str, Any]) -> list[Node | None]:
        return [self._node(child) for child in raw.get("inner", ())]

    def _node(self, raw: Mapping[str, Any]) -> Node | None:
        """None for what stands in a header of the system."""
        at_file, at, _, _ = self._location(raw.get("loc"))
        where = raw.get("range", {})
        begin_file, begin, _, begin_macro = self._location(where.get("begin"))
        _, end, length, end_macro = self._location(where.get("end"))
        file = begin_file or at_file
        file = os.path.normpath(os.path.join(self._directory, file)) if file else ""
        is_foreign = not file or file.startswith((*_SYSTEM, self._zig))
        children = tuple(c for c in self.children(raw) if c is not None or not is_foreign)
        if is_foreign and raw.get("kind", "").endswith("Decl"):
            return None
        type_, meant = raw.get("type", {}), raw.get("referencedDecl", {})
        return Node(
            kind=raw.get("kind", ""),
            name=raw.get("name", ""),
            type=type_.get("qualType", ""),
            plain_type=type_.get("desugaredQualType", type_.get("qualType", "")),
            file=file,
            begin=begin,
            end=end + length if end >= 0 else -1,
            at=at,
            in_macro=begin_macro or end_macro,
            refers=meant.get("name", ""),
            refers_to=meant.get("kind", ""),
            fields={k: v for k, v in raw.items() if k in _KEPT},
            children=tuple(c for c in children if c is not None),
        )

    def _location(self, raw: Mapping[str, Any] | None) -> tuple[str, int, int, bool]:
        """File, offset, length of the token; where a macro is used, the place of its use."""
        if not raw:
            return "", -1, 0, False
        if "expansionLoc" in raw:
            self._location(raw["spellingLoc"])
            file, offset, length, _ = self._location(raw["expansionLoc"])
            return file, offset, length, True
        if "offset" not in raw:
            return "", -1, 0, False
        self._file = raw.get("file", self._file)
        return self._file, int(raw["offset"]), int(raw.get("tokLen", 0)), False


_KEPT = (
    "isArrow",
    "opcode",
    "storageClass",
    "hasElse",
    "tagUsed",
    "inline",
    "completeDefinition",
    "isPostfix",
    "value",
)


def children_of_kind(nodes: Sequence[Node], kind: str) -> Iterator[Node]:
    """All nodes of a kind in the trees."""
    for node in nodes:
        yield from (found for found in node.walk() if found.kind == kind)
