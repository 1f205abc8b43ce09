"""Declarations: `_Atomic` for what a location is, and a mutex beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raceproof.frontend import Node, SyntaxTree
from raceproof.repair.edits import Edit
from raceproof.repair.source import Spot, global_variables, words

_STORAGE = re.compile(r"\s*(?:(?:static|extern|volatile|const|register|_Thread_local|inline)\b\s*)*")
_SCALAR = re.compile(r"(?:(?:const|volatile|unsigned|signed|long|short|int|char|_Bool|bool|float|double)\b\s*)+")
_WRITES = ("BinaryOperator", "CompoundAssignOperator", "UnaryOperator")


def declarations(location: str, trees: Sequence[SyntaxTree]) -> Iterator[tuple[SyntaxTree, Node]]:
    """Of the variable or member that the location is: all declarations of it."""
    name = re.sub(r"\[[^\]]*\]", "", re.sub(r" \([^)]*\)", "", location))
    parts = words(name)
    if not parts or "+" in name:
        return
    if "." not in name:
        yield from ((tree, v) for tree, v in global_variables(trees) if v.name == parts[0])
        return
    owner = _owners(parts[0], trees)
    for tree in trees:
        for record in tree.top:
            if record.kind == "RecordDecl" and (not owner or record.name in owner or not record.name):
                fields = (f for f in record.children if f.kind == "FieldDecl" and f.name == parts[-1])
                yield from ((tree, field) for field in fields)


def _owners(name: str, trees: Sequence[SyntaxTree]) -> set[str]:
    """Names of structures that a location beginning with `name` may be in: of the variable's type, or its own."""
    types = [v.plain_type for _, v in global_variables(trees) if v.name == name]
    if not types:
        return {name} if any(n.kind == "RecordDecl" and n.name == name for t in trees for n in t.top) else set()
    start = {re.sub(r"\b(struct|union|const|volatile)\b|\*|\[.*", "", t).strip() for t in types}
    return start | {w for t in trees for n in t.top if n.kind == "RecordDecl" and n.name in start
                    for f in n.children for w in words(f.plain_type)}  # fmt: skip


def atomic(location: str, trees: Sequence[SyntaxTree]) -> list[Edit] | None:
    """Make every declaration of the location atomic; None if it is no scalar, or is atomic already."""
    edits = []
    for tree, node in declarations(location, trees):
        if "_Atomic" in node.type or node.in_macro or node.at < 0:
            return None
        element = node.plain_type.partition("[")[0].strip()
        if element.endswith(("*", "*const", "*volatile")):
            edits.append(Edit(node.file, node.at, node.at, 0, "_Atomic "))
        elif _SCALAR.fullmatch(element + " ") or element.startswith("enum "):
            content = tree.texts[node.file][node.begin : node.at].decode("utf-8", "replace")
            if ";" in content or "," in content:  # declared together with others
                return None
            storage = _STORAGE.match(content)
            at = node.begin + (len(storage[0].encode()) if storage is not None else 0)
            edits.append(Edit(node.file, at, at, 0, "_Atomic "))
        else:
            return None
    return list(dict.fromkeys(edits)) or None


def is_counter_or_flag(location: str, trees: Sequence[SyntaxTree]) -> bool:
    """Every write is one step by itself (`x++`, `x += n`), or stores a constant; there is one at least."""
    parts = words(re.sub(r"\[[^\]]*\]| \([^)]*\)", "", location))
    name = parts[-1] if parts else ""
    writes = [n for tree in trees for f in tree.functions for n in f.walk() if _writes(n, name)]
    return bool(writes) and all(n.kind != "BinaryOperator" or _is_constant(n.children[1]) for n in writes)


def _writes(node: Node, name: str) -> bool:
    if node.kind not in _WRITES or not node.children:
        return False
    opcode = node.fields.get("opcode", "")
    if node.kind == "BinaryOperator" and opcode != "=":
        return False
    if node.kind == "UnaryOperator" and opcode not in ("++", "--"):
        return False
    target = node.children[0]
    return name in (target.name, target.refers)


def _is_constant(node: Node) -> bool:
    return all(n.kind not in ("DeclRefExpr", "MemberExpr", "CallExpr") or n.refers_to == "EnumConstantDecl"
               for n in node.walk())  # fmt: skip


def new_mutex(location: str, spots: Sequence[Spot]) -> tuple[str, list[Edit]] | None:
    """A mutex of its own for data of one unit: its name, and the edit that declares it. It stands before the variable,
    or before the first function with an access."""
    tree = spots[0].tree
    base = words(location)[0] if words(location) else ""
    variable = next((v for _, v in global_variables([tree]) if v.name == base), None)
    place = variable or min((s.function for s in spots), key=lambda f: f.begin)
    is_shared = variable is not None and (variable.fields.get("storageClass") == "extern")
    if any(s.tree is not tree or s.function.file != place.file for s in spots) or place.in_macro or is_shared:
        return None
    used = {text for top in tree.top for n in top.walk() for text in (n.name, n.refers)}
    name = next(n for n in (f"{base if variable else 'data'}_mutex{i}" for i in ("", *range(2, 99))) if n not in used)
    text = tree.texts[place.file]
    start = text.rfind(b"\n", 0, place.begin) + 1
    if re.search(rb"#\s*include\s*<pthread\.h>", text[:start]) is None:
        return None
    declared_here = [n for n in tree.top if n.file == place.file and n.begin < start < n.end]
    if declared_here or text[:start].rstrip().endswith(b"\\"):
        return None
    space = "" if variable is not None else "\n"
    content = f"static pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;\n{space}"
    return name, [Edit(place.file, start, start, 0, content)]
