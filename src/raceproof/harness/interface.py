"""The public functions of some files, by what they are for: constructors, destructors, and what threads call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from raceproof.core import InputError, NoEntry, suggestion
from raceproof.frontend import Node, SyntaxTree

_MAKES = re.compile(r"(?:^|_)(?:new|create|make|alloc|open|init|setup|start)(?:$|_|\d)", re.IGNORECASE)
_ENDS = re.compile(r"(?:^|_)(?:free|destroy|delete|del|close|fini|deinit|cleanup|term|release_all|shutdown)(?:$|_|\d)",
                   re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """`type` as it is written; `plain` without typedefs."""

    name: str
    type: str
    plain: str


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    result: str
    parameters: tuple[Parameter, ...]
    is_variadic: bool

    def takes(self, record: str) -> bool:
        return any(pointee(p.plain) == record for p in self.parameters)


@dataclass(frozen=True, slots=True)
class Object:
    """A structure that threads share. `made_by` returns one, or fills one in; None: it is zero at first. `ended_by`:
    what main calls when the threads have ended. `is_whole`: its members are known, so that one can be declared."""

    record: str
    made_by: Function | None
    ended_by: Function | None
    is_whole: bool

    @property
    def name(self) -> str:
        return "shared_" + re.sub(r"\W", "_", self.record.removeprefix("struct ").removeprefix("union "))

    @property
    def is_returned(self) -> bool:
        return (
            self.made_by is not None
            and pointee(self.made_by.result) is not None
            and not self.made_by.takes(self.record)
        )


@dataclass(frozen=True, slots=True)
class Interface:
    """`called`: by the threads; `left_out`: functions that no arguments can be made for, with the reason."""

    objects: tuple[Object, ...]
    called: tuple[Function, ...]
    left_out: tuple[tuple[str, str], ...]


def pointee(type_: str) -> str | None:
    """The structure that a pointer is to; None for another type."""
    found = re.fullmatch(
        r"(?:const |volatile )*((?:struct|union) \w+|\w+) ?\*(?: ?(?:const|restrict|__restrict))*", type_
    )
    return found[1] if found is not None else None


def interface_of(trees: Sequence[SyntaxTree], named: Sequence[str] = ()) -> Interface:
    """The functions that others can call, or those named. Raises `InputError` if there are none to call."""
    functions = [
        _function(node) for tree in trees for node in tree.functions if node.fields.get("storageClass") != "static"
    ]
    known = {function.name for function in functions}
    wrong = next((name for name in named if name not in known), None)
    if wrong is not None:
        raise InputError(f"there is no public function `{wrong}`{suggestion(wrong, known)}")
    records = _records(trees)
    used = dict.fromkeys(
        record
        for f in functions
        for p in f.parameters
        if (record := pointee(p.plain)) is not None and record in records
    )
    objects = tuple(found for record in used if (found := _object(record, functions, records)) is not None)
    special = {f.name for o in objects for f in (o.made_by, o.ended_by) if f is not None}
    ends = {f.name for f in functions if _ENDS.search(f.name) and any(f.takes(o.record) for o in objects)}
    chosen = [f for f in functions if (f.name in named if named else f.name not in special | ends)]
    reasons = {f.name: _why_not(f, objects, records) for f in chosen}
    called = tuple(f for f in chosen if reasons[f.name] is None)
    if not called:
        raise NoEntry("there is no public function that threads could call; name the function that begins with --entry")
    left_out = tuple((f.name, reason) for f in chosen if (reason := reasons[f.name]) is not None)
    return Interface(objects, called, left_out)


def _function(node: Node) -> Function:
    parameters = tuple(Parameter(c.name, c.type, c.plain_type) for c in node.children if c.kind == "ParmVarDecl")
    return Function(node.name, node.type.partition("(")[0].strip(), parameters, "..." in node.type)


def _records(trees: Sequence[SyntaxTree]) -> dict[str, bool]:
    """Structures by their name in types, and whether they are complete."""
    found: dict[str, bool] = {}
    for tree in trees:
        for before, node in zip([None, *tree.top], tree.top, strict=False):
            if node.kind == "RecordDecl" and node.name:
                tag = f"{node.fields.get('tagUsed', 'struct')} {node.name}"
                found[tag] = found.get(tag, False) or bool(node.fields.get("completeDefinition"))
            elif node.kind == "TypedefDecl" and before is not None and before.kind == "RecordDecl" and not before.name:
                found[node.name] = True
    return found


def _object(record: str, functions: Sequence[Function], records: dict[str, bool]) -> Object | None:
    """None if there is no way to get one."""
    returning = [f for f in functions if pointee(f.result) == record and not f.takes(record)]
    filling = [
        f for f in functions if f.takes(record) and _MAKES.search(f.name) and pointee(f.parameters[0].plain) == record
    ]
    ending = [f for f in functions if f.takes(record) and _ENDS.search(f.name) and len(f.parameters) == 1]
    made = next(iter(returning or (filling if records[record] else [])), None)
    if made is None and not records[record]:
        return None
    return Object(record, made, next(iter(ending), None), records[record])


def _why_not(function: Function, objects: Sequence[Object], records: dict[str, bool]) -> str | None:
    if function.is_variadic:
        return "its number of arguments is open"
    for parameter in function.parameters:
        record = pointee(parameter.plain)
        if "(*" in parameter.plain or "(^" in parameter.plain:
            return f"`{parameter.name}` is a function"
        if record in records and all(o.record != record for o in objects):
            return f"nothing makes a {record}"
    return None
