"""Machine types with sizes and offsets, computed from the module's data layout.

`size` of an integer is what a load or store of it touches (an i24 of a bit-field touches 3 bytes);
offsets, strides and the sizes of arrays and structs use the padded size. An x86_fp80 counts with its
padding, which nothing else can occupy.

Invariant: types are interned, equal text gives the same object; alignments are kept by identity
because a packed and an unpacked struct may have the same fields and offsets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raceproof.core import Unsupported
from raceproof.frontend.llvm_lexer import SyntaxMismatch, tokenize, unquote
from raceproof.ir import (
    ArrayType,
    FloatType,
    IntType,
    IrType,
    PtrType,
    StructType,
    VectorType,
    VoidType,
)

_FLOAT_BITS = {
    "half": 16,
    "bfloat": 16,
    "float": 32,
    "double": 64,
    "x86_fp80": 80,
    "fp128": 128,
    "ppc_fp128": 128,
}
_INT = re.compile(r"i[1-9]\d*$")
_ENTRY = re.compile(r"([pifva])(\d*):(\d+)(?::(\d+))?")


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _power_of_two_above(value: int) -> int:
    return 1 << max(0, value - 1).bit_length()


@dataclass(frozen=True, slots=True)
class DataLayout:
    """Alignments in bytes; the defaults are those of LLVM's language reference."""

    pointer_size: int = 8
    pointer_align: int = 8
    ints: Mapping[int, int] = field(default_factory=lambda: {1: 1, 8: 1, 16: 2, 32: 4, 64: 4})
    floats: Mapping[int, int] = field(default_factory=lambda: {16: 2, 32: 4, 64: 8, 128: 16})
    vectors: Mapping[int, int] = field(default_factory=lambda: {64: 8, 128: 16})

    @staticmethod
    def parse(text: str) -> DataLayout:
        """Read the string of `target datalayout`; what does not concern sizes is ignored."""
        default = DataLayout()
        pointer_size, pointer_align = default.pointer_size, default.pointer_align
        tables = {"i": dict(default.ints), "f": dict(default.floats), "v": dict(default.vectors)}
        for entry in text.split("-"):
            match = _ENTRY.match(entry)
            if match is None:
                continue
            kind, bits, first, second = match.groups()
            if kind == "p" and bits in ("", "0"):
                pointer_size = max(1, int(first) // 8)
                pointer_align = max(1, int(second) // 8) if second else pointer_size
            elif kind in tables and bits:
                tables[kind][int(bits)] = max(1, int(first) // 8)
        return DataLayout(pointer_size, pointer_align, tables["i"], tables["f"], tables["v"])

    def int_align(self, bits: int) -> int:
        """The next larger integer that the layout names decides, or else the largest one."""
        larger = [b for b in self.ints if b >= bits]
        return self.ints[min(larger)] if larger else self.ints[max(self.ints)]


class TypeTable:
    """Parses, lays out and interns the types of one module."""

    def __init__(self, layout: DataLayout, definitions: Mapping[str, str]) -> None:
        self.layout = layout
        self.pointer = PtrType(layout.pointer_size)
        self.void = VoidType()
        self.simple: dict[str, IrType] = {"ptr": self.pointer, "void": self.void}
        self._definitions = definitions
        self._being_defined: set[str] = set()
        self._align: dict[int, int] = {id(self.pointer): layout.pointer_align, id(self.void): 1}
        self._interned: dict[tuple[object, ...], IrType] = {}

    def align(self, type_: IrType) -> int:
        return self._align[id(type_)]

    def padded_size(self, type_: IrType) -> int:
        """The distance between two such values in an array."""
        return _round_up(type_.size, self._align[id(type_)])

    def parse(self, tokens: Sequence[str], at: int) -> tuple[IrType, int]:
        """The type that starts at `tokens[at]`, and the index behind it."""
        token = tokens[at]
        found = self.simple.get(token)
        if found is None:
            return self._parse_compound(tokens, at)
        at += 1
        if token == "ptr" and tokens[at] == "addrspace":
            at += 4
        return found, at

    def is_start(self, token: str) -> bool:
        """Whether a type may begin with this token (anything else in its place is an attribute)."""
        if token in self.simple or token in ("[", "{", "<") or token in _FLOAT_BITS or token[:1] == "%":
            return True
        return token in ("metadata", "label", "token", "target", "x86_amx") or _INT.match(token) is not None

    def _parse_compound(self, tokens: Sequence[str], at: int) -> tuple[IrType, int]:
        token = tokens[at]
        if token == "[":
            count, element, at = self._parse_sequence(tokens, at + 1, "]")
            return self._array(count, element), at
        if token == "<" and tokens[at + 1] == "{":
            fields, at = self._parse_fields(tokens, at + 2)
            if tokens[at] != ">":
                raise SyntaxMismatch("'>' of a packed struct")
            return self._struct("", fields, packed=True), at + 1
        if token == "<":
            count, element, at = self._parse_sequence(tokens, at + 1, ">")
            return self._vector(count, element), at
        if token == "{":
            fields, at = self._parse_fields(tokens, at + 1)
            return self._struct("", fields, packed=False), at
        if token[:1] == "%":
            return self._named(token), at + 1
        return self._scalar(token), at + 1

    def _parse_sequence(self, tokens: Sequence[str], at: int, closing: str) -> tuple[int, IrType, int]:
        if tokens[at] == "vscale":
            raise Unsupported("scalable vector type")
        count = int(tokens[at])
        if tokens[at + 1] != "x":
            raise SyntaxMismatch("'x' of an array type")
        element, at = self.parse(tokens, at + 2)
        if tokens[at] != closing:
            raise SyntaxMismatch(f"'{closing}' of a type")
        return count, element, at + 1

    def _parse_fields(self, tokens: Sequence[str], at: int) -> tuple[list[IrType], int]:
        fields: list[IrType] = []
        while tokens[at] != "}":
            if fields:
                if tokens[at] != ",":
                    raise SyntaxMismatch("',' between the fields of a struct")
                at += 1
            field_type, at = self.parse(tokens, at)
            fields.append(field_type)
        return fields, at + 1

    def _scalar(self, token: str) -> IrType:
        made: IrType
        if _INT.match(token):
            bits = int(token[1:])
            made, align = IntType(bits, (bits + 7) // 8), self.layout.int_align(bits)
        elif token in _FLOAT_BITS:
            bits = _FLOAT_BITS[token]
            align = self.layout.floats.get(bits) or _power_of_two_above(bits // 8)
            made = FloatType(token, _round_up(bits // 8, align))
        elif token in ("metadata", "label", "token"):
            made, align = VoidType(), 1
        else:
            raise Unsupported(f"LLVM type {token}")
        self.simple[token] = made
        self._align[id(made)] = align
        return made

    def _array(self, count: int, element: IrType) -> IrType:
        key = ("array", count, id(element))
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = ArrayType(count, element, count * self.padded_size(element))
            self._align[id(found)] = self.align(element)
        return found

    def _vector(self, count: int, element: IrType) -> IrType:
        key = ("vector", count, id(element))
        found = self._interned.get(key)
        if found is None:
            bits = element.bits if isinstance(element, IntType) else element.size * 8
            found = self._interned[key] = VectorType(count, element, (count * bits + 7) // 8)
            align = self.layout.vectors.get(count * bits) or _power_of_two_above(found.size)
            self._align[id(found)] = align
        return found

    def _struct(self, name: str, fields: Sequence[IrType], packed: bool) -> IrType:
        key = ("struct", name, packed, *map(id, fields))
        found = self._interned.get(key)
        if found is None:
            offsets: list[int] = []
            size, align = 0, 1
            for one in fields:
                if not packed:
                    size = _round_up(size, self.align(one))
                    align = max(align, self.align(one))
                offsets.append(size)
                size += self.padded_size(one)
            found = StructType(name, tuple(fields), tuple(offsets), _round_up(size, align))
            self._interned[key] = found
            self._align[id(found)] = align
        return found

    def _named(self, token: str) -> IrType:
        """Lay out `%struct.S` from its definition line, on first use because it may use later ones."""
        definition = self._definitions.get(token)
        if definition is None or token in self._being_defined:
            raise SyntaxMismatch(f"definition of type {token}")
        self._being_defined.add(token)
        name = unquote(token[1:])
        tokens = tokenize(definition)
        if tokens[0] == "opaque":
            made = self._struct(name, (), packed=False)
        elif tokens[0] == "<" and tokens[1] == "{":
            fields, _ = self._parse_fields(tokens, 2)
            made = self._struct(name, fields, packed=True)
        elif tokens[0] == "{":
            fields, _ = self._parse_fields(tokens, 1)
            made = self._struct(name, fields, packed=False)
        else:
            made, _ = self.parse(tokens, 0)
        self.simple[token] = made
        return made
