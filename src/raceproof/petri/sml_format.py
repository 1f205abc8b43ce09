"""Programs of the Simple Multithreaded Language as text, which `parse_sml` reads; and jumps as `if` and `while`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from raceproof.petri.sml_syntax import Action, Block, If, Label, Op, Program, Statement, While, statements_of

_INDENT: Final = "    "
_MAX_DEPTH: Final = 20
"""Jumps that would nest deeper stay jumps."""


def format_sml(program: Program, comments: Sequence[str] = ()) -> str:
    """The program with `job` and `start`, whatever form it was read in; comments stand first."""
    lines = [f"// {comment}" for comment in comments]
    for keyword, names in (("shared", program.shared), ("lock", program.locks), ("cond", program.conditions)):
        if names:
            lines.append(f"{keyword} {', '.join(name.text for name in names)};")
    for job in program.jobs:
        lines += ["", f"job {job.name.text} {{", *_block(job.body, _INDENT), "}"]
    lines.append("")
    for start in program.starts:
        count = {None: " *", 1: ""}.get(start.count, f" {start.count}")
        lines.append(f"start {start.job.text}{count};")
    return "\n".join(lines) + "\n"


def _block(block: Block, indent: str) -> Iterator[str]:
    inner = indent + _INDENT
    for statement in block:
        match statement:
            case Action():
                yield f"{indent}{statement};"
            case Label(name):
                yield f"{indent}{name.text}:"
            case While(body):
                yield f"{indent}while (*) {{"
                yield from _block(body, inner)
                yield f"{indent}}}"
            case If(then, otherwise):
                yield f"{indent}if (*) {{"
                yield from _block(then, inner)
                if otherwise:
                    yield f"{indent}}} else {{"
                    yield from _block(otherwise, inner)
                yield f"{indent}}}"
            case _:
                assert_never(statement)


def structured(code: Sequence[Statement]) -> Block:
    """The same instructions with `if` and `while` for jumps that are just that; labels that are left are jumped to.

    A `branch` is a loop if its body ends in a jump back to it, a choice if it leads forwards to a label in the same
    block. `sml_net` makes the jumps of them again.
    """
    found = list(code)
    for index in range(len(found) - 1, -1, -1):
        if index < len(found):
            _fold(found, index)
    used = Counter(target for statement in statements_of(tuple(found)) if (target := _jumps_to(statement)) is not None)
    return _without_labels(tuple(found), used)


def _fold(code: list[Statement], index: int) -> None:
    """Make the jump at `index` a statement with blocks, if it can be."""
    first = code[index]
    if not isinstance(first, Action) or first.op is not Op.BRANCH:
        return
    out = _position(code, first.operands[0].text, index)
    if out is None or _depth(code[index + 1 : out]) > _MAX_DEPTH:
        return
    body = code[index + 1 : out]
    back = _jumps_to(body[-1]) if body and isinstance(body[-1], Action) and body[-1].op is Op.GOTO else None
    if back is not None and back in _labels_before(code, index):
        code[index:out] = [While(_continued(body[:-1], _labels_before(code, index)), first.pos)]
        return
    join = _position(code, back, out) if back is not None else None
    if join is None:
        code[index:out] = [If(tuple(body), (), first.pos)]
    elif _depth(code[out + 1 : join]) <= _MAX_DEPTH:
        code[index:join] = [If(tuple(body[:-1]), tuple(code[out:join]), first.pos)]


def _continued(body: list[Statement], tops: set[str]) -> Block:
    """The body of a loop; a branch to its beginning is a choice to leave the rest of the body out."""
    for index in range(len(body) - 1, -1, -1):
        statement = body[index]
        is_branch = isinstance(statement, Action) and statement.op is Op.BRANCH and _jumps_to(statement) in tops
        if isinstance(statement, Action) and is_branch and _depth(body[index + 1 :]) < _MAX_DEPTH:
            body = [*body[:index], If(tuple(body[index + 1 :]), (), statement.pos)]
    return tuple(body)


def _position(code: Sequence[Statement], label: str, after: int) -> int | None:
    for position in range(after + 1, len(code)):
        statement = code[position]
        if isinstance(statement, Label) and statement.name.text == label:
            return position
    return None


def _labels_before(code: Sequence[Statement], index: int) -> set[str]:
    found: set[str] = set()
    while index > 0 and isinstance(label := code[index - 1], Label):
        found.add(label.name.text)
        index -= 1
    return found


def _jumps_to(statement: Statement) -> str | None:
    if isinstance(statement, Action) and statement.op in (Op.GOTO, Op.BRANCH) and statement.operands:
        return statement.operands[0].text
    return None


def _depth(block: Sequence[Statement]) -> int:
    return max((_depth((*s.then, *s.otherwise)) + 1 for s in block if isinstance(s, If)), default=0) + max(
        (_depth(s.body) + 1 for s in block if isinstance(s, While)), default=0
    )


def _without_labels(block: Block, used: Counter[str]) -> Block:
    found: list[Statement] = []
    for statement in block:
        match statement:
            case Label(name) if not used[name.text]:
                continue
            case If(then, otherwise, pos):
                found.append(If(_without_labels(then, used), _without_labels(otherwise, used), pos))
            case While(body, pos):
                found.append(While(_without_labels(body, used), pos))
            case _:
                found.append(statement)
    return tuple(found)
