"""Locks in the source: the calls that take one, and how one that is known by name is written at an access."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from raceproof.frontend import Node, SyntaxTree
from raceproof.repair.source import Spot, global_variables, is_plain, locals_of, words


@dataclass(frozen=True, slots=True)
class LockType:
    """How locks of a type are taken and given back. `read`: for reading only, if that is another function."""

    name: str
    take: str
    release: str
    read: str | None = None


TYPES = (
    LockType("pthread_mutex_t", "pthread_mutex_lock", "pthread_mutex_unlock"),
    LockType("pthread_rwlock_t", "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_rwlock_rdlock"),
    LockType("pthread_spinlock_t", "pthread_spin_lock", "pthread_spin_unlock"),
    LockType("mtx_t", "mtx_lock", "mtx_unlock"),
)
TAKING = {name: t for t in TYPES for name in (t.take, t.read) if name is not None}
RELEASING = {t.release: t for t in TYPES}


@dataclass(frozen=True, slots=True)
class LockExpression:
    """A lock as it is written at some place, with the `&`."""

    text: str
    type: LockType


def lock_type(type_: str) -> LockType | None:
    bare = re.sub(r"\b(const|volatile)\b|\[[^\]]*\]|\*", "", type_).strip()
    return next((t for t in TYPES if t.name == bare), None)


def is_call(node: Node, names: Sequence[str] | dict[str, LockType]) -> str:
    """The name of the function that is called, if it is one of these."""
    if node.kind != "CallExpr" or not node.children:
        return ""
    called = next((n.refers for n in node.children[0].walk() if n.kind == "DeclRefExpr"), "")
    return called if called in names else ""


def bare_name(lock: str) -> str:
    """The lock's name without where its object was made."""
    return re.sub(r" \([^)]*\)", "", lock)


def written(lock: str, spot: Spot, trees: Sequence[SyntaxTree]) -> Iterator[LockExpression]:
    """How the lock may be written at the spot, the most certain first; nothing if it cannot be reached from there."""
    name = bare_name(lock)
    member = re.sub(r"\[[^\]]*\]", "", re.split(r"\.|->", name)[-1])
    if "." in name or "->" in name:
        yield from _beside(member, spot)
    yield from _global(name, spot)
    yield from _in_function(member, spot)


def beside(spot: Spot) -> Iterator[LockExpression]:
    """Locks in the structure that the access is to, or one of those around it."""
    yield from _beside(None, spot)


def _beside(member: str | None, spot: Spot) -> Iterator[LockExpression]:
    for place in spot.places():
        for expression in place.walk():
            if expression.kind != "MemberExpr" or not expression.children:
                continue
            base = expression.children[0]
            text = spot.tree.text(base)
            record = _record_of(spot.tree, base.plain_type)
            if record is None or not is_plain(text):
                continue
            link = "->" if expression.fields.get("isArrow") else "."
            for found in record.children:
                type_ = lock_type(found.type)
                if found.kind == "FieldDecl" and type_ is not None and member in (None, found.name):
                    yield LockExpression(f"&{text}{link}{found.name}", type_)


def _record_of(tree: SyntaxTree, type_: str) -> Node | None:
    bare = re.sub(r"\b(const|volatile|struct|union)\b|\*", "", type_).strip()
    records = [n for n in tree.top if n.kind == "RecordDecl" and n.fields.get("completeDefinition")]
    found = next((n for n in records if n.name == bare), None)
    if found is None:  # a typedef of a structure without a name: it stands right before the typedef
        for before, node in pairwise(tree.top):
            if node.kind == "TypedefDecl" and node.name == bare and before.kind == "RecordDecl":
                return before
    return found


def _global(name: str, spot: Spot) -> Iterator[LockExpression]:
    base = words(name)[0] if words(name) else ""
    hidden = {n.name for n in locals_of(spot.function)}
    for tree, variable in global_variables([spot.tree]):
        if variable.name != base or base in hidden or not _is_before(tree, variable, spot):
            continue
        text = name
        if "[*]" in name or "[...]" in name:
            index = _index(spot)
            if index is None:
                continue
            text = name.replace("[*]", f"[{index}]", 1).replace("[...]", f"[{index}]", 1)
        type_ = _type_at(tree, variable, text)
        if type_ is not None and "*]" not in text and "+" not in text:
            yield LockExpression(f"&{text}", type_)


def globals_visible(spot: Spot) -> Iterator[LockExpression]:
    """All locks that are variables of their own."""
    for _, variable in global_variables([spot.tree]):
        if lock_type(variable.type) is not None and "[" not in variable.type:
            yield from _global(variable.name, spot)


def _is_before(tree: SyntaxTree, variable: Node, spot: Spot) -> bool:
    order = list(tree.top)
    return order.index(variable) < order.index(spot.function)


def _type_at(tree: SyntaxTree, variable: Node, text: str) -> LockType | None:
    """The type of a place in a variable, by its members."""
    type_, plain = variable.type, variable.plain_type
    for member in re.split(r"\.", text)[1:]:
        record = _record_of(tree, plain.partition("[")[0])
        name = member.partition("[")[0]
        field = next((f for f in record.children if f.kind == "FieldDecl" and f.name == name), None) if record else None
        if field is None:
            return None
        type_, plain = field.type, field.plain_type
    return lock_type(type_)


def _index(spot: Spot) -> str | None:
    """Of the element that is accessed; of the one at the access, if the statement has several."""
    found = [n for n in spot.statement.walk() if n.kind == "ArraySubscriptExpr" and not n.in_macro]
    for place in sorted(found, key=lambda n: not n.begin <= spot.offset < n.end + 1):
        text = spot.tree.text(place.children[1])
        if is_plain(text):
            return text
    return None


def _in_function(member: str, spot: Spot) -> Iterator[LockExpression]:
    """As the same function writes it elsewhere."""
    for call in spot.function.walk():
        name = is_call(call, TAKING)
        if name and len(call.children) > 1 and not call.in_macro:
            text = spot.tree.text(call.children[1])
            if words(text) and words(text)[-1] == member and is_plain(text) and _in_scope(text, spot):
                yield LockExpression(text, TAKING[name])


def _in_scope(text: str, spot: Spot) -> bool:
    """Each local variable that the text names is declared in a block around the spot, before it."""
    around = {id(n) for n in spot.path}
    for block in spot.function.walk():
        for child in block.children:
            is_elsewhere = id(block) not in around or child.begin > spot.offset
            if child.kind == "DeclStmt" and is_elsewhere and _declares(child) & set(words(text)):
                return False
    return True


def _declares(statement: Node) -> set[str]:
    return {n.name for n in statement.walk() if n.kind == "VarDecl"}
