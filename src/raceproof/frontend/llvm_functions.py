"""Functions: header, blocks, and the source variables that debug records tie to registers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from raceproof.core import RaceproofError, SourcePos, Unsupported
from raceproof.frontend.assembly import Assembly, assembly_in
from raceproof.frontend.debug_info import Metadata, string
from raceproof.frontend.debug_types import SourceTypes
from raceproof.frontend.llvm_calls import does_nothing
from raceproof.frontend.llvm_instructions import InstructionParser
from raceproof.frontend.llvm_lexer import SyntaxMismatch, split_attachments, tokenize, unquote
from raceproof.frontend.llvm_operands import Reader
from raceproof.ir import (
    Block,
    Branch,
    Function,
    IndirectJump,
    Instr,
    IrType,
    Jump,
    Param,
    Return,
    SiteId,
    Switch,
    Terminator,
    Unreachable,
    Variable,
)

# What reading a line in an unexpected form may raise; anything else is a bug to be seen.
UNREADABLE = (SyntaxMismatch, ValueError, IndexError, KeyError, RecursionError)

_LABEL = re.compile(r'("[^"]*"|[\w$.\-]+):')
_RECORD = re.compile(r"#dbg_(value|declare|assign)\([^!]*? (%(?:\"[^\"]*\"|[\w$.\-]+)), !(\d+), !DIExpression\(\)")
_CALLED_RECORD = re.compile(
    r"call void @llvm\.dbg\.(value|declare|assign)\(metadata [^!]*? (%(?:\"[^\"]*\"|[\w$.\-]+)), "
    r"metadata !(\d+), metadata !DIExpression\(\)"
)
_SUBPROGRAM = re.compile(r" !dbg !(\d+)")
_HINT = re.compile(r'(?:(?:tail|musttail|notail) )?call [^@"]*@("[^"]*"|[\w$.\-]+)\(')
_TERMINATORS = (Jump, Branch, Switch, IndirectJump, Return, Unreachable)


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a definition, or a declaration."""

    name: str
    params: tuple[Param, ...]
    returns: IrType
    is_variadic: bool
    noreturn: bool
    subprogram: int | None


def parse_header(reader: Reader, line: str, noreturn_groups: Collection[str]) -> Header:
    """Read `define ... {` or `declare ...`; parameters without a name get the number LLVM gives them."""
    r = reader
    r.start(tokenize(line), 1)
    while r.peek().startswith("!"):  # `declare !dbg !7 void @f()`
        r.next()
    r.skip_attributes()
    returns = r.type()
    symbol = r.next()
    if symbol[:1] != "@":
        raise SyntaxMismatch(f"expected a function's name, found '{symbol}'")
    params: list[Param] = []
    is_variadic = False
    unnamed = 0
    r.expect("(")
    while not r.accept(")"):
        if params or is_variadic:
            r.expect(",")
        if r.accept("..."):
            is_variadic = True
            continue
        type_ = r.type()
        by_value = r.skip_parameter_attributes()
        token = r.next() if r.peek()[:1] == "%" else f"%{unnamed}"
        name = unquote(token[1:])
        unnamed += name.isdigit()
        params.append(Param(name, type_, by_value))
    rest = r.tokens[r.at :]
    noreturn = "noreturn" in rest or any(t in noreturn_groups for t in rest)
    match = _SUBPROGRAM.search(line)
    return Header(
        name=unquote(symbol[1:]),
        params=tuple(params),
        returns=returns,
        is_variadic=is_variadic,
        noreturn=noreturn,
        subprogram=int(match.group(1)) if match else None,
    )


class FunctionParser:
    """Reads the bodies of functions, one after the other, numbering the sites through all of them."""

    def __init__(self, instructions: InstructionParser, metadata: Metadata, source_types: SourceTypes) -> None:
        self._instructions = instructions
        self._metadata = metadata
        self._source_types = source_types
        self._variables: dict[str, Variable] = {}
        self._attachments: dict[str, tuple[SourcePos | None, bool]] = {"": (None, False)}

    def parse(self, header: Header, lines: Sequence[str]) -> Function:
        self._variables = {}
        blocks: list[Block] = []
        label: str | None = str(sum(p.name.isdigit() for p in header.params))
        body: list[Instr] = []
        rows = iter(lines)
        for row in rows:
            line = row.strip()
            if not line or line[0] == ";":
                continue
            if row[0] != " ":
                new_label = _LABEL.match(row)
                if new_label is None or body or (label is not None and blocks):
                    raise Unsupported(f"LLVM construct {row!r}")
                label = unquote(new_label.group(1))
                continue
            if line.startswith("#dbg_"):
                self._record(_RECORD.match(line))
                continue
            if line.startswith("switch "):
                line = _whole_switch(line, rows)
            if label is None:
                raise Unsupported(f"LLVM construct {line!r} behind the end of a block")
            made = self._instruction(line)
            if made is None:
                continue
            self._instructions.site = SiteId(self._instructions.site + 1)
            if isinstance(made, _TERMINATORS):
                blocks.append(Block(label, tuple(body), made))
                body = []
                label = None
            else:
                body.append(made)
        if label is not None or not blocks:
            raise Unsupported(f"LLVM function {header.name} without an end")
        node = self._metadata.node(header.subprogram)
        return Function(
            name=header.name,
            source_name=string(node, "name") or header.name,
            params=header.params,
            returns=header.returns,
            is_variadic=header.is_variadic,
            blocks=tuple(blocks),
            variables=self._variables,
            pos=self._metadata.declared_at(header.subprogram),
        )

    def _instruction(self, line: str) -> Instr | Terminator | None:
        head, attachments = split_attachments(line)
        known = self._attachments.get(attachments)
        if known is None:
            known = (self._metadata.attached(attachments), "!raceproof.plain " in attachments)
            self._attachments[attachments] = known
        pos, made_volatile = known
        if "@llvm.dbg." in line:
            self._record(_CALLED_RECORD.search(line))
        try:
            return self._instructions.parse(tokenize(head), pos, made_volatile)
        except RaceproofError as error:
            if error.pos is None and pos is not None:
                raise type(error)(error.message, pos) from error
            raise
        except UNREADABLE as error:
            raise Unsupported(f"LLVM construct {line!r} ({error})", pos) from error

    def _record(self, match: re.Match[str] | None) -> None:
        """Tie a register to a variable. The storage of a variable outranks a copy of its value; of several
        variables with the same value the first is kept, which is the parameter."""
        if match is None:
            return
        kind, token, number = match.groups()
        register = unquote(token[1:])
        if kind == "value" and register in self._variables:
            return
        node = self._metadata.node(int(number))
        name = string(node, "name")
        if name:
            self._variables[register] = Variable(name, self._source_types.type_of(node))


def _whole_switch(line: str, rows: Iterator[str]) -> str:
    """Join the lines of a switch: its cases stand on lines of their own, up to the closing bracket."""
    parts = [line]
    if "]" not in line:
        for row in rows:
            parts.append(row.strip())
            if parts[-1].startswith("]"):
                break
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class InstructionRows:
    """The rows `first` to `last` of a body are one instruction, which `FunctionParser` gives a site if `has_site`."""

    first: int
    last: int
    has_site: bool


def instruction_rows(lines: Sequence[str]) -> Iterator[InstructionRows]:
    """The instructions of a body without parsing them: those with a site are exactly those that `parse` keeps."""
    number = 0
    while number < len(lines):
        row = lines[number]
        first = number
        number += 1
        if not row.startswith("  ") or (line := row.lstrip())[:1] in (";", "#", ""):
            continue
        if line.startswith("switch ") and "]" not in line:
            while number < len(lines) and not lines[number].lstrip().startswith("]"):
                number += 1
            number += 1
        yield InstructionRows(first, number - 1, not _is_nothing(line))


def _is_nothing(line: str) -> bool:
    """What the instruction parser drops: hints, assembly without a result, fences against signal handlers."""
    if line[0] not in "ctmnf":
        return False
    if line.startswith("fence "):
        return 'syncscope("singlethread")' in line
    match = _HINT.match(line)
    if match is not None:
        return does_nothing(unquote(match.group(1)))
    return assembly_in(line) in (Assembly.NOTHING, Assembly.VALUE)
