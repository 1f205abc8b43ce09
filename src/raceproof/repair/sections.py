"""Critical sections: edits that hold a lock around statements.

A statement gets the lock before it and its release behind it. A value that is returned, or that a branch or a loop
decides by, is computed under the lock and kept: the lock is given back before the program goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raceproof.frontend import Node
from raceproof.repair.edits import Edit
from raceproof.repair.locks import LockExpression
from raceproof.repair.source import (
    Spot,
    end_of,
    end_of_line,
    indentation,
    insertion,
    is_simple,
    leaves,
    opening_of,
    return_type,
)

_BEFORE, _BEHIND = 1, 0  # at one offset, what ends there comes first


@dataclass(frozen=True, slots=True)
class Held:
    """A lock to be held at a spot; `writes`: some access there writes. `whole`: over the statement with all that is in
    it, where the access alone cannot be wrapped, or where what is tested is used."""

    spot: Spot
    lock: LockExpression
    writes: bool
    whole: bool = False

    @property
    def is_plain(self) -> bool:
        """Lines before and behind the statement are all that is needed."""
        spot = self.spot
        return spot.in_block and (self.whole or not spot.is_condition) and spot.statement.kind != "ReturnStmt"

    def is_inside(self, other: Held) -> bool:
        outer, inner = other.spot.statement, self.spot.statement
        return outer is not inner and outer.file == inner.file and outer.begin <= inner.begin < outer.end


def sections(wanted: Sequence[Held]) -> list[Edit] | None:
    """Edits for all of them; statements of one block that stand together get one section. None if a statement is of a
    kind that cannot be wrapped."""
    found = _merged(wanted)
    if found is None:
        return None
    edits: list[Edit] = []
    blocks: dict[tuple[int, str], list[Held]] = {}
    for held in found:
        if held.is_plain:
            blocks.setdefault((id(held.spot.parent), held.lock.text), []).append(held)
            continue
        hoisted = _hoisted(held)
        if hoisted is None:
            return None
        edits += hoisted
    for group in blocks.values():
        for run in _runs(group):
            edits += _around(run)
    return edits


def _merged(wanted: Sequence[Held]) -> list[Held] | None:
    """One for each statement, none inside one that is held as a whole; None if a statement cannot be."""
    by_statement: dict[int, Held] = {}
    for held in wanted:
        whole = _is_whole(held.spot)
        if whole is None:
            return None
        known = by_statement.get(id(held.spot.statement))
        writes = held.writes or (known is not None and known.writes)
        whole = whole or (known is not None and known.whole)
        by_statement[id(held.spot.statement)] = replace(held, writes=writes, whole=whole)
    outer = [held for held in by_statement.values() if held.whole]
    result = []
    for held in by_statement.values():
        around = [other for other in outer if held.is_inside(other)]
        if any(other.lock.text != held.lock.text for other in around):
            return None
        if not around:
            inside = [other for other in by_statement.values() if held.whole and other.is_inside(held)]
            result.append(replace(held, writes=held.writes or any(other.writes for other in inside)))
    return result


def _is_whole(spot: Spot) -> bool | None:
    """Whether the lock has to be held over the whole statement; None if that cannot be, as the statement is left."""
    statement = spot.statement
    match statement.kind:
        case "IfStmt":
            return not leaves(statement) and _acts_on_what_it_tests(spot)
        case "DoStmt":
            return None if leaves(statement) else True
        case "ForStmt":
            condition = statement.children[2]
            if condition.begin <= spot.offset < condition.end:
                return False
            return None if leaves(statement) else True
    return False


def _acts_on_what_it_tests(spot: Spot) -> bool:
    """Checking and acting stay together."""
    condition, *branches = spot.statement.children
    tested = {n.name or n.refers for n in condition.walk() if n.kind in ("MemberExpr", "DeclRefExpr")}
    used = {n.name or n.refers for b in branches for n in b.walk() if n.kind in ("MemberExpr", "DeclRefExpr")}
    name = next((n.name or n.refers for n in spot.places()), "")
    return name in tested & used


def _runs(group: Sequence[Held]) -> Iterator[list[Held]]:
    """Statements with nothing but simple ones between them."""
    siblings = list(group[0].spot.parent.children)
    place = {id(node): i for i, node in enumerate(siblings)}
    ordered = sorted(group, key=lambda held: place[id(held.spot.statement)])
    run = [ordered[0]]
    for held in ordered[1:]:
        last, this = place[id(run[-1].spot.statement)], place[id(held.spot.statement)]
        if all(is_simple(node) for node in siblings[last + 1 : this]):
            run.append(held)
        else:
            yield run
            run = [held]
    yield run


def _calls(held: Held, writes: bool) -> tuple[str, str]:
    type_ = held.lock.type
    take = type_.take if writes or type_.read is None else type_.read
    return f"{take}({held.lock.text});", f"{type_.release}({held.lock.text});"


def _around(run: Sequence[Held]) -> list[Edit]:
    first, last = run[0].spot, run[-1].spot
    take, release = _calls(run[0], any(held.writes for held in run))
    indent = indentation(first.tree, first.statement.file, first.statement.begin)
    return [
        insertion(first.statement, first.statement.begin, f"{take}\n{indent}", _BEFORE),
        insertion(
            last.statement, end_of_line(last.tree, last.statement.file, last.end), f"\n{indent}{release}", _BEHIND
        ),
    ]


def _hoisted(held: Held) -> list[Edit] | None:
    """For a statement that decides or returns, or is the only one of a branch."""
    spot, statement = held.spot, held.spot.statement
    take, release = _calls(held, held.writes)
    indent = indentation(spot.tree, statement.file, statement.begin)
    if statement.in_macro:
        return None
    match statement.kind:
        case "ReturnStmt":
            edits = _returned(spot, take, release, indent)
        case "IfStmt" if not held.whole:
            edits = _decided(spot, statement.children[0], take, release, indent)
        case "SwitchStmt":
            edits = _kept_value(spot, statement.children[0], take, release, indent)
        case "WhileStmt" | "ForStmt" if not held.whole:
            edits = _loop(spot, take, release, indent)
        case _:
            edits = [
                insertion(statement, statement.begin, f"{take}\n{indent}", _BEFORE),
                insertion(statement, _after(spot), f"\n{indent}{release}", _BEHIND),
            ]
    if edits is None or spot.in_block:
        return edits
    outer = indentation(spot.tree, spot.parent.file, spot.parent.begin)
    opening, brace = opening_of(spot)
    return [
        insertion(statement, opening, brace, _BEFORE - 1),
        *edits,
        insertion(statement, _after(spot), f"\n{outer}}}", _BEHIND + 2),
    ]


def _after(spot: Spot) -> int:
    return end_of_line(spot.tree, spot.statement.file, spot.end)


def _fresh(name: str, spot: Spot) -> str:
    """A name that the function does not use."""
    used = {text for n in spot.function.walk() for text in (n.name, n.refers)}
    return next(found for found in (name, *(f"{name}_{i}" for i in range(2, 1000))) if found not in used)


def _returned(spot: Spot, take: str, release: str, indent: str) -> list[Edit] | None:
    statement = spot.statement
    type_ = return_type(spot.function)
    if not statement.children or type_ == "void":
        return None
    value = spot.tree.text(statement.children[0])
    space, name = "" if type_.endswith("*") else " ", _fresh("result", spot)
    before = f"{take}\n{indent}{type_}{space}{name} = {value};\n{indent}{release}\n{indent}"
    return [
        insertion(statement, statement.begin, before, _BEFORE),
        Edit(statement.file, statement.begin, spot.end, _BEFORE + 1, f"return {name};"),
    ]


def _decided(spot: Spot, condition: Node, take: str, release: str, indent: str) -> list[Edit] | None:
    name = _fresh("is_so", spot)
    if condition.in_macro:
        return None
    text = f"{take}\n{indent}int {name} = ({spot.tree.text(condition)}) != 0;\n{indent}{release}\n{indent}"
    return [
        insertion(spot.statement, spot.statement.begin, text, _BEFORE),
        Edit(condition.file, condition.begin, condition.end, 1, name),
    ]


def _kept_value(spot: Spot, condition: Node, take: str, release: str, indent: str) -> list[Edit] | None:
    if condition.in_macro:
        return None
    name = _fresh("value", spot)
    text = f"{take}\n{indent}{condition.type} {name} = {spot.tree.text(condition)};\n{indent}{release}\n{indent}"
    return [
        insertion(spot.statement, spot.statement.begin, text, _BEFORE),
        Edit(condition.file, condition.begin, condition.end, 1, name),
    ]


def _loop(spot: Spot, take: str, release: str, indent: str) -> list[Edit] | None:
    """The condition becomes a test at the beginning of the body."""
    statement = spot.statement
    condition, body = statement.children[-2 if statement.kind == "WhileStmt" else 2], statement.children[-1]
    if condition.kind == "" or condition.in_macro or not condition.begin <= spot.offset <= condition.end:
        return None
    name = _fresh("go_on", spot)
    inner = indent + "    "
    test = (
        f"{take}\n{inner}int {name} = ({spot.tree.text(condition)}) != 0;\n{inner}{release}\n"
        f"{inner}if (!{name})\n{inner}    break;"
    )
    if statement.kind == "WhileStmt":
        # In place of the text, so that what is between the parentheses and behind them stays.
        head = [Edit(statement.file, statement.begin, statement.begin + len("while"), 0, "for"),
                Edit(statement.file, condition.begin, condition.end, 0, ";;")]  # fmt: skip
    else:
        head = [Edit(statement.file, condition.begin, condition.end, 0, "")]
    if body.kind == "CompoundStmt":
        return [*head, insertion(body, body.begin + 1, f"\n{inner}{test}", 0)]
    end = end_of(spot.tree, body)
    if body.kind == "NullStmt":
        return [*head, Edit(body.file, body.begin, end, 0, f"{{\n{inner}{test}\n{indent}}}")]
    return [
        *head,
        insertion(body, body.begin, f"{{\n{inner}{test}\n{inner}", _BEFORE - 2),
        insertion(body, end, f"\n{indent}}}", _BEHIND + 3),
    ]
