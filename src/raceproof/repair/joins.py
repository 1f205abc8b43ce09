"""The missing join: wait for the thread before its result is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof.core import SourcePos
from raceproof.frontend import Node, SyntaxTree
from raceproof.repair.edits import Edit
from raceproof.repair.locks import is_call
from raceproof.repair.source import Spot, end_of, indentation, insertion, spots

_CREATES = {"pthread_create": "pthread_join({}, NULL);", "thrd_create": "thrd_join({}, NULL);"}
_DETACHES = ("pthread_detach", "thrd_detach")
_NONE = ("NULL", "0", "nullptr", "(void *)0", "((void *)0)")
_JOINS = {"pthread_create": "pthread_join", "thrd_create": "thrd_join"}


def joins(access: SourcePos, created: SourcePos, trees: Sequence[SyntaxTree], root: str) -> Iterator[list[Edit]]:
    """Ways to wait, before the access, for what was created there: a join that comes later is moved, else one is put
    in. Both must be in one function, one after the other."""
    for made in spots(trees, created, root):
        call = next((n for n in made.statement.walk() if is_call(n, _CREATES)), None)  # type: ignore[arg-type]
        if call is None or len(call.children) < 2:
            continue
        function = is_call(call, _CREATES)  # type: ignore[arg-type]
        handle = made.tree.text(call.children[1]).strip().removeprefix("&").strip()
        if not _can_be_joined(made, call, function, handle):
            continue
        for used in spots([made.tree], access, root):
            if used.function is not made.function:
                continue
            siblings, before, creating = _apart(made, used)
            if before is None or creating is None or siblings.index(before) <= siblings.index(creating):
                continue
            later = _later_join(siblings, siblings.index(before), _JOINS[function], handle, creating)
            yield from _edits(made.tree, before, creating, later, function, handle)


def _can_be_joined(made: Spot, call: Node, function: str, handle: str) -> bool:
    """The thread is certainly not detached: it has no attributes, and nobody detaches what the handle names."""
    if function == "pthread_create" and made.tree.text(call.children[2]).strip() not in _NONE:
        return False
    return all(
        not is_call(n, _DETACHES) or handle not in made.tree.text(n) for f in made.tree.functions for n in f.walk()
    )


def _apart(made: Spot, used: Spot) -> tuple[list[Node], Node | None, Node | None]:
    """The statements of the innermost block around both: all of them, the one with the access, the one that creates."""
    for block in reversed([n for n in used.path if n.kind == "CompoundStmt"]):
        siblings = list(block.children)
        with_use = next((s for s in siblings if s.begin <= used.offset < end_of(used.tree, s)), None)
        creating = next((s for s in siblings if s.begin <= made.offset < end_of(made.tree, s)), None)
        if creating is not None:
            return siblings, with_use, creating
    return [], None, None


def _later_join(siblings: Sequence[Node], after: int, join: str, handle: str, creating: Node) -> Node | None:
    for statement in siblings[after + 1 :]:
        call = next((n for n in statement.walk() if is_call(n, [join])), None)
        if call is not None and (statement.kind == "ForStmt") == (creating.kind == "ForStmt"):
            return statement
    return None


def _edits(
    tree: SyntaxTree, before: Node, creating: Node, later: Node | None, function: str, handle: str
) -> Iterator[list[Edit]]:
    indent = indentation(tree, before.file, before.begin)
    if later is not None:
        end = end_of(tree, later)
        content = tree.texts[later.file]
        line = content.rfind(b"\n", 0, later.begin) + 1
        start = line if not content[line : later.begin].strip() else later.begin
        text = content[later.begin : end].decode("utf-8", "replace")
        stop = end + 1 if content[end : end + 1] == b"\n" and start == line else end
        yield [
            insertion(before, before.begin, f"{text}\n{indent}", 1),
            Edit(later.file, start, stop, 0, ""),
        ]
        return
    join = _CREATES[function].format(handle)
    if creating.kind == "ForStmt":
        header = tree.texts[creating.file][creating.begin : creating.children[-1].begin].decode("utf-8", "replace")
        join = f"{header.rstrip()}\n{indent}    {join}"
    yield [insertion(before, before.begin, f"{join}\n{indent}", 1)]
