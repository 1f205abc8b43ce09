"""Global variables and their initial values.

    @optab = internal global [2 x %struct.ops] [%struct.ops { ptr @f, i64 7 }, ...], align 16, !dbg !9

An initial value becomes cells (offset, size, value). Addresses are always recorded, because points-to
facts depend on them; numbers only up to a limit per global, because tables can be long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raceproof.core import Unsupported
from raceproof.frontend.debug_info import Metadata, reference, string
from raceproof.frontend.debug_types import SourceTypes
from raceproof.frontend.llvm_lexer import SyntaxMismatch, split_attachments, tokenize, unescape, unquote
from raceproof.frontend.llvm_operands import Reader, addresses_in
from raceproof.frontend.llvm_types import TypeTable
from raceproof.ir import (
    MOST_NUMBERS,
    Address,
    ArrayType,
    FloatType,
    GlobalVariable,
    InitialCell,
    IntConst,
    IntType,
    IrType,
    Operand,
    OtherConst,
    PtrType,
    StructType,
    VectorType,
)

_ZERO_FLOATS = frozenset(["0.000000e+00", "0xH0000", "0xR0000", "0xK" + "0" * 20, "0xL" + "0" * 32, "0xM" + "0" * 32])


class Symbols:
    """Maps `@name` to its address; an alias stands for its aliasee, with the offset."""

    def __init__(self, aliases: Mapping[str, str], types: TypeTable) -> None:
        self._aliases = aliases
        self._types = types
        self._being_resolved: set[str] = set()

    def address(self, token: str) -> Operand:
        """The meaning of `@name` as an operand."""
        definition = self._aliases.get(token)
        if definition is None:
            return Address(unquote(token[1:]))
        if token in self._being_resolved:
            raise SyntaxMismatch(f"alias {token} of itself")
        self._being_resolved.add(token)
        reader = Reader(self._types, self.address)
        reader.start(tokenize(definition))
        reader.type()
        if reader.peek() == "(":
            reader.skip_group()
        reader.expect(",")
        found = reader.pointer()
        self._being_resolved.discard(token)
        return found

    def name(self, symbol: str) -> str:
        """The symbol that `symbol` stands for."""
        found = self.address("@" + symbol)
        return found.symbol if isinstance(found, Address) and found.offset == 0 else symbol


@dataclass(slots=True)
class _Cells:
    cells: list[InitialCell] = field(default_factory=list)
    numbers: int = 0
    complete: bool = True

    def add(self, offset: int, size: int, value: Operand) -> None:
        match value:
            case Address():
                self.cells.append(InitialCell(offset, size, value))
            case IntConst(value=0):
                pass
            case IntConst():
                if self.numbers < MOST_NUMBERS:
                    self.cells.append(InitialCell(offset, size, value))
                    self.numbers += 1
                else:
                    self.complete = False
            case _:
                self.complete = False
                if isinstance(value, OtherConst):  # part of an address, a difference of two, a symbol of the linker
                    self.cells.extend(InitialCell(offset, size, address, is_exact=False) for address in value.addresses)


class GlobalParser:
    def __init__(self, reader: Reader, metadata: Metadata, source_types: SourceTypes) -> None:
        self._r = reader
        self._metadata = metadata
        self._source_types = source_types

    def parse(self, line: str) -> GlobalVariable:
        r = self._r
        head, attachments = split_attachments(line)
        r.start(tokenize(head))
        name = unquote(r.next()[1:])
        r.expect("=")
        is_thread_local = is_external = False
        while (word := r.next()) not in ("global", "constant"):
            if word == "ifunc":
                raise Unsupported(f"indirect function (ifunc) {name}")
            if not word[:1].isalpha():
                raise SyntaxMismatch(f"'{word}' in a global")
            is_thread_local = is_thread_local or word == "thread_local"
            is_external = is_external or word in ("external", "extern_weak")
            if r.peek() == "(":
                r.skip_group()
        type_ = r.type()
        cells = _Cells()
        text: str | None = None
        if r.peek()[:1] not in ("", ",", "#"):
            is_external = False
            if word == "constant" and r.peek().startswith('c"'):
                text = _text(r.next())
                cells.complete = False
            else:
                self._initial(type_, 0, cells)
        if r.peek()[:1] not in ("", ",", "#"):
            raise SyntaxMismatch(f"'{r.peek()}' behind a global")
        return self._with_debug_info(
            attachments,
            GlobalVariable(
                name=name,
                source_name=name,
                type=type_,
                source_type=None,
                is_constant=word == "constant",
                is_thread_local=is_thread_local,
                is_external=is_external,
                initial=tuple(cells.cells),
                initial_complete=cells.complete and not is_external,
                pos=None,
                text=text,
            ),
        )

    def _with_debug_info(self, attachments: str, made: GlobalVariable) -> GlobalVariable:
        _, found, rest = attachments.partition("!dbg ")
        expression = reference(rest.partition(",")[0]) if found else None
        if expression is None:
            return made
        is_wrapped = self._metadata.kind(expression) == "DIGlobalVariableExpression"
        number = reference(self._metadata.node(expression).get("var", "")) if is_wrapped else expression
        node = self._metadata.node(number)
        return GlobalVariable(
            name=made.name,
            source_name=string(node, "name") or made.name,
            type=made.type,
            source_type=self._source_types.type_of(node),
            is_constant=made.is_constant,
            is_thread_local=made.is_thread_local,
            is_external=made.is_external,
            initial=made.initial,
            initial_complete=made.initial_complete,
            pos=self._metadata.declared_at(number),
            text=made.text,
        )

    def _initial(self, type_: IrType, offset: int, cells: _Cells) -> None:
        r = self._r
        token = r.peek()
        if token == "zeroinitializer":
            r.next()
        elif token.startswith('c"'):
            for at, byte in enumerate(unescape(r.next()[2:-1])):
                if byte:
                    cells.add(offset + at, 1, IntConst(byte - 256 if byte > 127 else byte, 8))
        elif token in ("[", "{", "<"):
            self._initial_elements(type_, offset, cells)
        elif isinstance(type_, FloatType) and token in _ZERO_FLOATS:
            r.next()
        elif isinstance(type_, IntType | FloatType | PtrType):
            cells.add(offset, type_.size, r.value(type_))
        else:  # undef, splat and the like
            cells.complete = False
            value = r.value(type_)
            if addresses_in([value]):
                raise Unsupported(f"initial value {value} of type {type_}")

    def _initial_elements(self, type_: IrType, offset: int, cells: _Cells) -> None:
        r = self._r
        opening = r.next()
        closing = {"[": "]", "{": "}", "<": ">"}[opening]
        is_packed = opening == "<" and r.accept("{")
        if is_packed:
            closing = "}"
        index = 0
        while not r.accept(closing):
            if index:
                r.expect(",")
            element = r.type()
            self._initial(element, offset + self._offset_of(type_, element, index), cells)
            index += 1
        if is_packed:
            r.expect(">")

    def _offset_of(self, type_: IrType, element: IrType, index: int) -> int:
        if isinstance(type_, StructType):
            return type_.offsets[index]
        if isinstance(type_, ArrayType):
            return index * self._r.types.padded_size(element)
        if isinstance(type_, VectorType):
            return index * element.size
        raise SyntaxMismatch(f"elements for type {type_}")


def _text(token: str) -> str:
    content = unescape(token[2:-1])
    return (content[:-1] if content.endswith(b"\0") else content).decode("utf-8", "surrogateescape")
