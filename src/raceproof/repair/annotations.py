"""clang's `guarded_by`: read where the sources have it, written where a lock is always held."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raceproof.core import SourcePos
from raceproof.frontend import Node, SyntaxTree
from raceproof.repair.declarations import declarations
from raceproof.repair.edits import Edit
from raceproof.repair.source import words

_ATTRIBUTES = ("GuardedByAttr", "PtGuardedByAttr")


@dataclass(frozen=True, slots=True)
class Guard:
    """A declaration that names its lock, as `lock` in the attribute. `owner`: the structure, if it is a member."""

    name: str
    owner: str
    lock: str
    pos: SourcePos

    def is_of(self, location: str, types: frozenset[str]) -> bool:
        """Whether a location, by its plain name, may be this one. `types`: of the variable that it begins with."""
        parts = words(re.sub(r"\[[^\]]*\]", "", location))
        if not self.owner:
            return parts[:1] == [self.name] and len(parts) == 1
        return parts[-1:] == [self.name] and len(parts) > 1 and (self.owner in types or parts[0] == self.owner)

    def is_lock(self, held: str) -> bool:
        """Whether a lock that is held, by its plain name, is the one of the attribute."""
        wanted, parts = words(self.lock), words(re.sub(r"\[[^\]]*\]", "", held))
        return parts[-len(wanted) :] == wanted


def guards(trees: Sequence[SyntaxTree]) -> Iterator[Guard]:
    """Each once, though a header is in several units."""
    seen = set()
    for tree in trees:
        for top in tree.top:
            members = [(c, top.name) for c in top.children if c.kind == "FieldDecl"] if top.kind == "RecordDecl" else []
            for node, owner in [(top, ""), *members]:
                attribute = next((c for c in node.children if c.kind in _ATTRIBUTES), None)
                key = (node.file, node.at)
                if attribute is None or key in seen or node.kind not in ("VarDecl", "FieldDecl"):
                    continue
                seen.add(key)
                text = tree.texts[node.file]
                line = text.count(b"\n", 0, node.at) + 1
                pos = SourcePos(node.file, line, node.at - text.rfind(b"\n", 0, node.at))
                yield Guard(node.name, owner, ".".join(_names(attribute)), pos)


def _names(node: Node) -> list[str]:
    """The variable and the members that the expression of an attribute names, also where a macro has written it."""
    return [name for child in node.children for name in _names(child)] + [n for n in (node.refers or node.name,) if n]


def variable_types(trees: Sequence[SyntaxTree]) -> dict[str, frozenset[str]]:
    """The names of structures in the type of each variable, by the name of the variable."""
    found: dict[str, frozenset[str]] = {}
    for tree in trees:
        for node in tree.top:
            if node.kind == "VarDecl":
                found[node.name] = found.get(node.name, frozenset()) | set(words(node.plain_type))
    return found


def with_guard(location: str, lock: str, trees: Sequence[SyntaxTree]) -> list[Edit]:
    """Edits that add the attribute to the declarations of a location; none if they cannot name the lock."""
    edits = []
    for tree, node in declarations(location, trees):
        written = _written(node, location, lock, tree)
        if written is None or node.in_macro or any(c.kind in _ATTRIBUTES for c in node.children):
            return []
        value = next((c for c in node.children if not c.kind.endswith("Attr")), None)
        end = node.end
        if node.kind == "VarDecl" and value is not None and value.begin > node.at:
            end = tree.texts[node.file].rfind(b"=", node.at, value.begin + 1)
            end = len(tree.texts[node.file][:end].rstrip())
        edits.append(Edit(node.file, end, end, 0, f" __attribute__((guarded_by({written})))"))
    return list(dict.fromkeys(edits))


def _written(node: Node, location: str, lock: str, tree: SyntaxTree) -> str | None:
    """The lock as the declaration may name it: a member of the same structure, declared before, or a variable."""
    parts = words(re.sub(r"\[[^\]]*\]", "", lock))
    if node.kind == "FieldDecl":
        own = re.sub(r"\[[^\]]*\]", "", location).rpartition(".")[0]
        record = next((r for r in tree.top if r.kind == "RecordDecl" and any(c is node for c in r.children)), None)
        siblings = [c.name for c in record.children if c.kind == "FieldDecl" and c.at < node.at] if record else []
        if re.sub(r"\[[^\]]*\]", "", lock).rpartition(".")[0] == own and parts[-1] in siblings:
            return parts[-1]
    variables = [v for v in tree.top if v.kind == "VarDecl" and v.name == parts[0] and v.begin < node.begin]
    return lock if variables and "[" not in lock else None
