"""Accesses in the source: the statement that makes one, what it accesses, and what stands around it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from raceproof.core import SourcePos
from raceproof.frontend import Node, SyntaxTree, body_of
from raceproof.repair.edits import Edit

_PLAIN_WORD = re.compile(r"[A-Za-z_]\w*")
_BESIDE = re.compile(rb"(?:\s|/\*.*?\*/|//[^\n]*\n)*", re.DOTALL)
_REMARK = re.compile(rb"[ \t]*(?:/\*[^\n]*?\*/[ \t]*|//[^\n]*)(?=\r?\n)")
_JUMPS = ("ReturnStmt", "BreakStmt", "ContinueStmt", "GotoStmt")
_LOOPS = ("WhileStmt", "DoStmt", "ForStmt")
_BODY = {"IfStmt": (1, 2), "WhileStmt": (1,), "DoStmt": (0,), "ForStmt": (-1,), "SwitchStmt": (1,)}
_LABELS = ("CaseStmt", "DefaultStmt", "LabelStmt")


@dataclass(frozen=True)
class Spot:
    """Where an access stands: `statement` is the innermost statement around it, `parent` what that is in. `path`: from
    the function to the innermost expression. `is_condition`: it is in what the statement decides by."""

    tree: SyntaxTree
    function: Node
    path: tuple[Node, ...]
    depth: int
    offset: int

    @property
    def statement(self) -> Node:
        return self.path[self.depth]

    @property
    def parent(self) -> Node:
        return self.path[self.depth - 1]

    @cached_property
    def is_condition(self) -> bool:
        """The access is in the condition of the statement, not in a statement of its own."""
        return self.statement.kind in _BODY

    @property
    def in_block(self) -> bool:
        return self.parent.kind == "CompoundStmt" or self.parent.kind in _LABELS

    @property
    def end(self) -> int:
        """Behind the statement and its semicolon."""
        return end_of(self.tree, self.statement)

    def places(self) -> Iterator[Node]:
        """Expressions of the statement that name a variable or a member, those at the access first."""
        found = [n for n in self.statement.walk() if n.kind in ("MemberExpr", "DeclRefExpr") and not n.in_macro]
        yield from sorted(found, key=lambda n: (not n.begin <= self.offset < n.end, -(n.end - n.begin)))


def last_part(statement: Node) -> Node:
    """The one whose semicolon, if it has one, is that of the statement."""
    while statement.kind in ("IfStmt", "WhileStmt", "ForStmt", "SwitchStmt") or statement.kind in _LABELS:
        statement = statement.children[-1]
    return statement


def end_of_line(tree: SyntaxTree, file: str, offset: int) -> int:
    """Behind a remark that follows on the same line; `offset` itself if anything else does."""
    remark = _REMARK.match(tree.texts[file], offset)
    return remark.end() if remark is not None else offset


def end_of(tree: SyntaxTree, statement: Node) -> int:
    """Behind the statement and its semicolon."""
    statement = last_part(statement)
    if statement.kind == "CompoundStmt":
        return statement.end
    content = tree.texts[statement.file]
    gap = _BESIDE.match(content, statement.end)
    after = gap.end() if gap is not None else statement.end
    return after + 1 if content[after : after + 1] == b";" else statement.end


def spots(trees: Sequence[SyntaxTree], pos: SourcePos, root: str) -> Iterator[Spot]:
    """The statements at a position, one for each unit that has it (in a header there may be several)."""
    file = os.path.normpath(os.path.join(root, pos.file))
    for tree in trees:
        offset = tree.offset(file, pos.line, pos.column)
        function = next((f for f in tree.functions if f.file == file and f.begin <= (offset or -1) < f.end), None)
        if offset is None or function is None:
            continue
        path = function.path_to(offset)
        depth = max((i for i in range(2, len(path)) if _is_statement(path[i], path[i - 1])), default=0)
        if depth and not path[depth].in_macro:
            yield Spot(tree, function, tuple(path), depth, offset)


def _is_statement(node: Node, parent: Node) -> bool:
    if node.kind in ("CompoundStmt", "NullStmt"):
        return False
    if parent.kind == "CompoundStmt":
        return True
    if parent.kind in _LABELS:
        return node is parent.children[-1]
    return any(-len(parent.children) <= i < len(parent.children) and parent.children[i] is node
               for i in _BODY.get(parent.kind, ()))  # fmt: skip


def opening_of(spot: Spot) -> tuple[int, str]:
    """Where the brace goes that makes a block of the only statement of a branch, and how it is written there."""
    before = spot.tree.texts[spot.statement.file][: spot.statement.begin].rstrip()
    if before.endswith((b")", b"else", b"do")):
        return len(before), " {"
    return spot.statement.begin, "{ "


def indentation(tree: SyntaxTree, file: str, offset: int) -> str:
    content = tree.texts[file]
    start = content.rfind(b"\n", 0, offset) + 1
    line = content[start:offset]
    return line[: len(line) - len(line.lstrip())].decode("utf-8", "replace")


def is_simple(node: Node) -> bool:
    """It calls nothing and does not leave the block: another statement's critical section may go on over it."""
    return all(n.kind not in ("CallExpr", "GCCAsmStmt", *_JUMPS, *_LABELS) for n in node.walk())


def leaves(node: Node) -> bool:
    """Whether control may leave the statement otherwise than at its end."""
    inner_loops = {id(n) for loop in node.walk() if loop.kind in (*_LOOPS, "SwitchStmt") for n in loop.walk()}
    return any(
        n.kind in ("ReturnStmt", "GotoStmt") or (n.kind in ("BreakStmt", "ContinueStmt") and id(n) not in inner_loops)
        for n in node.walk()
    )


def insertion(node: Node, offset: int, text: str, order: int) -> Edit:
    return Edit(node.file, offset, offset, order, text)


def is_plain(text: str) -> bool:
    """The expression has no effect and may be written twice."""
    return not re.search(r"\+\+|--|=|\w\s*\(", text)


def global_variables(trees: Sequence[SyntaxTree]) -> Iterator[tuple[SyntaxTree, Node]]:
    for tree in trees:
        for node in tree.top:
            if node.kind == "VarDecl":
                yield tree, node


def locals_of(function: Node) -> Iterator[Node]:
    yield from (n for n in function.walk() if n.kind in ("VarDecl", "ParmVarDecl"))


def words(text: str) -> list[str]:
    return _PLAIN_WORD.findall(text)


def return_type(function: Node) -> str:
    return function.type.partition("(")[0].strip()


def top_level_statement(function: Node, offset: int) -> Node | None:
    """The statement of the function's body around the offset."""
    body = body_of(function)
    return next((c for c in body.children if c.begin <= offset < c.end), None) if body is not None else None
