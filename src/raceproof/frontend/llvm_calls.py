"""Calls: direct, indirect, variadic, intrinsics, inline assembly.

A `byval` argument stays the pointer that the caller passes. The copy that the callee gets has no
instruction of its own; `Call.by_value` tells that the call reads the struct.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from raceproof.core import InternalError, SourcePos
from raceproof.frontend.assembly import CALLEE, Assembly, classify
from raceproof.frontend.llvm_lexer import SyntaxMismatch
from raceproof.frontend.llvm_operands import Reader
from raceproof.ir import (
    Address,
    Call,
    Cast,
    Compute,
    IntConst,
    IrType,
    Operand,
    OtherConst,
    Reg,
    SiteId,
)

_SUFFIX = re.compile(r"(?:\.(?:p\d+|i\d+|f\d+|bf16|ppcf128|v\d+(?:i\d+|f\d+|p\d+|bf16)|sl?_\w+))+$")
# Hints to the optimiser: nothing happens at run time.
_DROPPED = frozenset(
    [
        "llvm.lifetime.start",
        "llvm.lifetime.end",
        "llvm.assume",
        "llvm.experimental.noalias.scope.decl",
        "llvm.dbg.declare",
        "llvm.dbg.value",
        "llvm.dbg.assign",
        "llvm.dbg.label",
    ]
)
_COPIES = frozenset(["llvm.memcpy", "llvm.memmove"])


def intrinsic_name(symbol: str) -> str:
    """`llvm.memcpy.p0.p0.i64` -> `llvm.memcpy`; other names as they are."""
    return _SUFFIX.sub("", symbol) if symbol.startswith("llvm.") else symbol


def does_nothing(symbol: str) -> bool:
    """Whether a call of `symbol` is a hint to the optimiser: it is no instruction of the program and has no site."""
    return symbol.startswith("llvm.") and intrinsic_name(symbol) in _DROPPED


class CallParser:
    """Reads what follows the word `call`. `noreturn` holds the symbols and attribute groups that never return."""

    def __init__(self, reader: Reader, noreturn_symbols: Collection[str], noreturn_groups: Collection[str]) -> None:
        self._r = reader
        self._noreturn_symbols = noreturn_symbols
        self._noreturn_groups = noreturn_groups
        self._names: dict[str, str] = {}

    def parse(
        self, site: SiteId, pos: SourcePos | None, result: Reg | None, made_volatile: bool
    ) -> Call | Cast | Compute | None:
        """None for calls that do nothing at run time."""
        r = self._r
        r.skip_attributes()
        returns = r.type()
        if r.peek() == "(":  # the whole function type, printed for variadic callees only
            r.skip_group()
        if r.peek() == "asm":
            return self._assembly(site, pos, result, returns)
        callee = r.place(r.types.pointer)
        args, types, by_value = self._arguments()
        noreturn = self._trailing_attributes()
        if isinstance(callee, Address):
            symbol = callee.symbol
            if symbol.startswith("llvm."):
                name = self._names.get(symbol)
                if name is None:
                    name = self._names[symbol] = intrinsic_name(symbol)
                if name in _DROPPED:
                    return None
                if name == "llvm.threadlocal.address" and result is not None:
                    return Cast(site, pos, result, "threadlocal", args[0], types[0], returns)
                if made_volatile and name in _COPIES:
                    args = (*args[:-1], IntConst(0, 1))
                callee = Address(name)
            noreturn = noreturn or symbol in self._noreturn_symbols
        return Call(site, pos, result, returns, callee, args, types, noreturn, by_value)

    def _arguments(self) -> tuple[tuple[Operand, ...], tuple[IrType, ...], tuple[tuple[int, int], ...]]:
        r = self._r
        args: list[Operand] = []
        types: list[IrType] = []
        by_value: list[tuple[int, int]] = []
        r.expect("(")
        first = True
        while not r.accept(")"):
            if not first:
                r.expect(",")
            first = False
            if r.peek() == "metadata":
                self._skip_metadata()
                continue
            type_ = r.type()
            if r.peek()[:1] not in ("%", "@"):
                copied = r.skip_parameter_attributes()
                if copied is not None:
                    by_value.append((len(args), copied.size))
            args.append(r.value(type_))
            types.append(type_)
        return tuple(args), tuple(types), tuple(by_value)

    def _skip_metadata(self) -> None:
        r = self._r
        while r.peek() not in (",", ")"):
            if r.peek() in ("(", "{"):
                r.skip_group()
            elif r.next() == "":
                raise SyntaxMismatch("metadata argument")

    def _trailing_attributes(self) -> bool:
        """Skip the attributes behind the arguments; true if one says that the call does not return."""
        r = self._r
        noreturn = False
        while (token := r.peek()) != "":
            if token in self._noreturn_groups or token == "noreturn":
                noreturn = True
            if token in ("(", "["):
                r.skip_group()
            elif token[0] in ('#"=') or token[0].isalpha() or token[0].isdigit():
                r.next()
            else:
                raise SyntaxMismatch(f"'{token}' behind a call")
        return noreturn

    def _assembly(
        self, site: SiteId, pos: SourcePos | None, result: Reg | None, returns: IrType
    ) -> Call | Compute | None:
        r = self._r
        r.expect("asm")
        flags = []
        while not r.peek().startswith('"'):
            flags.append(r.next())
            if flags[-1] == "":
                raise SyntaxMismatch("assembly without a template")
        template = r.next()[1:-1]
        r.expect(",")
        kind = classify(template, r.next()[1:-1], "inteldialect" in flags)
        args, types, by_value = self._arguments()
        noreturn = self._trailing_attributes()
        if kind is Assembly.ANYTHING:
            raise InternalError("assembly that is not understood is a call of unknown code by now")
        if kind is Assembly.MEMORY:
            return Call(site, pos, result, returns, OtherConst(CALLEE), args, types, noreturn, by_value)
        op = "asm" if kind is Assembly.NOTHING else "asm value"
        return Compute(site, pos, result, op, args) if result is not None else None
