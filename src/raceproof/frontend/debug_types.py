"""Source types from debug information: what the programmer declared, for reports and field names.

Only what is asked for (and what that reaches) is built. Typedefs and qualifiers are looked through;
an anonymous struct or union takes the name of its typedef. Equal types have the same `TypeId`, except
that each definition of a struct or union is a type of its own.
"""

from __future__ import annotations

from raceproof.frontend.debug_info import Metadata, Node, reference, string
from raceproof.ir import (
    Member,
    SourceKind,
    SourceType,
    TypeId,
)

_TRANSPARENT = frozenset(
    [
        "DW_TAG_typedef",
        "DW_TAG_const_type",
        "DW_TAG_volatile_type",
        "DW_TAG_restrict_type",
        "DW_TAG_atomic_type",
        "DW_TAG_immutable_type",
    ]
)
_POINTERS = frozenset(["DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"])
_RECORDS = frozenset(["DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"])
_KEYWORDS = {
    "DW_TAG_structure_type": "struct",
    "DW_TAG_union_type": "union",
    "DW_TAG_class_type": "class",
    "DW_TAG_enumeration_type": "enum",
}


class SourceTypes:
    """Builds `SourceType`s; `types` is the result, numbered in order of first use."""

    def __init__(self, metadata: Metadata, pointer_size: int) -> None:
        self.types: dict[TypeId, SourceType] = {}
        self._metadata = metadata
        self._pointer_size = pointer_size
        self._ids: dict[int, TypeId | None] = {}
        self._made: dict[SourceType, TypeId] = {}
        self._unfinished: list[tuple[TypeId, int]] = []
        self._typedef_of = self._typedefs()

    def type_of(self, node: Node, field: str = "type") -> TypeId | None:
        """The source type that a field of a node refers to; None for void and unknown."""
        found = self._id(reference(node.get(field, "")))
        while self._unfinished:
            record, number = self._unfinished.pop()
            self.types[record] = self._record(number)
        return found

    def _typedefs(self) -> dict[int, str]:
        """Node -> the name of the first typedef of it."""
        names: dict[int, str] = {}
        for number, line in self._metadata.lines.items():
            if "DW_TAG_typedef" in line:
                node = self._metadata.node(number)
                base = reference(node.get("baseType", ""))
                if base is not None:
                    names.setdefault(base, string(node, "name"))
        return names

    def text(self, number: int | None) -> str:
        """The type as written in C."""
        return self._declare(number, "")

    def look_through(self, number: int | None) -> int | None:
        """The node behind typedefs and qualifiers; None for void."""
        seen: set[int] = set()
        while number is not None and number not in seen:
            seen.add(number)
            node = self._metadata.node(number)
            if node.get("tag") not in _TRANSPARENT:
                return number
            number = reference(node.get("baseType", ""))
        return None

    def _base(self, node: Node) -> int | None:
        return self.look_through(reference(node.get("baseType", "")))

    def _id(self, number: int | None) -> TypeId | None:
        """The id of a node's type. Members of records are left for later: they may lead back to it."""
        number = self.look_through(number)
        if number is None:
            return None
        if number not in self._ids:
            self._ids[number] = self._build(number)
        return self._ids[number]

    def _add(self, made: SourceType) -> TypeId:
        found = self._made.get(made)
        if found is None:
            found = self._made[made] = TypeId(len(self.types) + 1)
            self.types[found] = made
        return found

    def _build(self, number: int) -> TypeId | None:
        node = self._metadata.node(number)
        kind, tag = self._metadata.kind(number), node.get("tag", "")
        if not kind:
            return None
        if kind == "DISubroutineType":
            return self._add(SourceType(SourceKind.FUNCTION, self._declare(number, ""), 0))
        if tag in _POINTERS:
            target = self._id(reference(node.get("baseType", "")))
            size = _bytes(node) or self._pointer_size
            return self._add(SourceType(SourceKind.POINTER, self._declare(number, ""), size, target=target))
        if tag == "DW_TAG_array_type":
            return self._array(node)
        if tag in _RECORDS:
            record = TypeId(len(self.types) + 1)
            self.types[record] = SourceType(SourceKind.STRUCT, "", 0)  # its place, filled in by `type_of`
            self._unfinished.append((record, number))
            return record
        return self._add(SourceType(SourceKind.BASE, self._declare(number, ""), _bytes(node)))

    def _record(self, number: int) -> SourceType:
        node = self._metadata.node(number)
        kind = SourceKind.UNION if node.get("tag") == "DW_TAG_union_type" else SourceKind.STRUCT
        return SourceType(kind, self._declare(number, ""), _bytes(node), self._members(node))

    def _members(self, node: Node) -> tuple[Member, ...]:
        members: list[Member] = []
        for number in self._metadata.elements(reference(node.get("elements", ""))):
            member = self._metadata.node(number)
            flags = member.get("flags", "")
            if member.get("tag") not in ("DW_TAG_member", "DW_TAG_inheritance") or "DIFlagStaticMember" in flags:
                continue
            type_ = self._id(reference(member.get("baseType", "")))
            if type_ is None:
                continue
            name, offset = string(member, "name"), int(member.get("offset", "0"))
            if "DIFlagBitField" in flags:
                members.append(Member(name, offset // 8, type_, int(member.get("size", "0")), offset))
            else:
                members.append(Member(name, offset // 8, type_))
        return tuple(members)

    def _counts(self, node: Node) -> list[int | None]:
        """The dimensions of an array; None where the length is variable or open."""
        counts: list[int | None] = []
        for number in self._metadata.elements(reference(node.get("elements", ""))):
            text = self._metadata.node(number).get("count", "")
            counts.append(int(text) if text.isdigit() else None)
        return counts or [None]

    def _array(self, node: Node) -> TypeId | None:
        """`int[3][4]` is one node with two dimensions: each becomes an array type of its own."""
        counts = self._counts(node)
        base = self._base(node)
        made = self._id(base)
        size = self._size(base)
        for depth in range(len(counts) - 1, -1, -1):
            size *= counts[depth] or 0
            name = self._declare(base, "".join(_brackets(count) for count in counts[depth:]))
            made = self._add(SourceType(SourceKind.ARRAY, name, size, (), made, counts[depth]))
        return made

    def _size(self, number: int | None) -> int:
        node = self._metadata.node(number)
        return _bytes(node) or (self._pointer_size if node.get("tag") in _POINTERS else 0)

    def _declare(self, number: int | None, declarator: str) -> str:
        """The type as written in C, inside out: `declarator` is what has been wrapped around it so far."""
        number = self.look_through(number)
        if number is None:
            return _spaced("void", declarator)
        node = self._metadata.node(number)
        tag = node.get("tag", "")
        if tag in _POINTERS:
            star = "*" if tag == "DW_TAG_pointer_type" else "&"
            target = self._base(node)
            return self._declare(target, f"({star}{declarator})" if self._is_postfix(target) else star + declarator)
        if tag == "DW_TAG_array_type":
            dimensions = "".join(_brackets(count) for count in self._counts(node))
            return self._declare(self._base(node), declarator + dimensions)
        if self._metadata.kind(number) == "DISubroutineType":
            types = self._metadata.elements(reference(node.get("types", "")))
            params = [self._declare(n, "") if n is not None else "..." for n in types[1:]]
            return self._declare(types[0] if types else None, f"{declarator}({', '.join(params) or 'void'})")
        name = string(node, "name")
        if tag in _KEYWORDS:
            keyword = _KEYWORDS[tag]
            name = f"{keyword} {name}" if name else self._typedef_of.get(number, f"{keyword} <anonymous>")
        return _spaced(name or "<unknown>", declarator)

    def _is_postfix(self, number: int | None) -> bool:
        """Arrays and functions are declared behind the name, so a pointer to them needs parentheses."""
        if number is None:
            return False
        is_array = self._metadata.node(number).get("tag") == "DW_TAG_array_type"
        return is_array or self._metadata.kind(number) == "DISubroutineType"


def _bytes(node: Node) -> int:
    return int(node.get("size", "0")) // 8


def _brackets(count: int | None) -> str:
    return f"[{count}]" if count is not None else "[]"


def _spaced(name: str, declarator: str) -> str:
    return f"{name} {declarator}" if declarator and declarator[0] != "[" else name + declarator
