"""The C prototypes of functions that the user's models number the arguments of.

A declaration in LLVM IR does not tell what C declares: a struct that is passed by value may be two arguments. Debug
information tells, but at -O0 clang writes it for definitions only. A unit that only declares such a function is
compiled again the way `inline_bodies` does it, which describes every function that is called by its name. Only the
prototypes are taken from that. They are kept in the cache as a comment behind the module's text, and are not part of
the program's digest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from raceproof.frontend.debug_info import Metadata, Node, reference
from raceproof.frontend.debug_types import SourceTypes
from raceproof.frontend.inline_bodies import WITH_BODIES
from raceproof.frontend.llvm_lexer import unquote
from raceproof.ir import ParameterType, Passing, Prototype, positions_in_ir

WITH_PROTOTYPES: Final = (*WITH_BODIES, "-gdwarf-5")

_COMMENT: Final = "; raceproof: prototypes: "
_NAME: Final = r'@(?P<name>"[^"\n]*"|[-\w$.]+)\('
_DECLARED: Final = re.compile(rf"^declare [^\n@]*{_NAME}", re.MULTILINE)
_DESCRIBED: Final = re.compile(rf"^declare !dbg !(?P<number>\d+) [^\n@]*{_NAME}", re.MULTILINE)
_METADATA: Final = re.compile(r"^!(\d+) = (.*)", re.MULTILINE)
_POINTERS: Final = frozenset(["DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"])
_NUMBERS: Final = frozenset(
    f"DW_ATE_{name}"
    for name in ("boolean", "signed", "unsigned", "signed_char", "unsigned_char", "UTF", "signed_fixed",
                 "unsigned_fixed")
)  # fmt: skip
_WIDEST: Final = 64  # bits of an integer that is one argument everywhere


def plain_name(symbol: str) -> str:
    """The name without LLVM's mark of names that are given with asm()."""
    return unquote(symbol).removeprefix("\x01")


def declares(text: str | bytes, names: Collection[str]) -> bool:
    """Whether the text of a unit declares one of the functions."""
    return isinstance(text, str) and any(plain_name(match["name"]) in names for match in _DECLARED.finditer(text))


def declared_prototypes(text: str, names: Collection[str]) -> dict[str, Prototype]:
    """Of the functions that the unit's text declares and describes; those without a prototype are left out."""
    lines = {int(match[1]): match[2] for match in _METADATA.finditer(text)}
    metadata = Metadata(lines)
    reader = PrototypeReader(metadata, SourceTypes(metadata, 8))
    found: dict[str, Prototype] = {}
    for match in _DESCRIBED.finditer(text):
        name = plain_name(match["name"])
        prototype = reader.of_subprogram(int(match["number"])) if name in names else None
        if prototype is not None:
            found[name] = prototype
    return found


def joined(units: Iterable[Mapping[str, Prototype]]) -> dict[str, Prototype]:
    """The prototypes of all units, but for those that two units declare differently."""
    found: dict[str, Prototype] = {}
    differing = set()
    for unit in units:
        for name, prototype in unit.items():
            if _shape(found.setdefault(name, prototype)) != _shape(prototype):
                differing.add(name)
    return {name: prototype for name, prototype in found.items() if name not in differing}


def _shape(prototype: Prototype) -> object:
    passing = [param.passing for param in prototype.params]
    called = [param.called and [inner.passing for inner in param.called] for param in prototype.params]
    returns = prototype.returns.passing if prototype.returns is not None else None
    return passing, called, returns, prototype.is_variadic


def with_prototypes(text: str, prototypes: Mapping[str, Prototype]) -> str:
    if not prototypes:
        return text
    fields = {name: asdict(prototypes[name]) for name in sorted(prototypes)}
    return f"{text.rstrip()}\n{_COMMENT}{json.dumps(fields, default=lambda value: value.value)}\n"


def split_prototypes(text: str) -> tuple[str, dict[str, Prototype]]:
    """The text, and what `with_prototypes` has put behind it."""
    start = text.rfind(f"\n{_COMMENT}")
    if start < 0:
        return text, {}
    fields = json.loads(text[start + 1 + len(_COMMENT) :])
    return text[: start + 1], {name: _prototype(value) for name, value in fields.items()}


def _prototype(fields: Mapping[str, Any]) -> Prototype:
    returns = fields["returns"]
    params = tuple(_parameter(value) for value in fields["params"])
    return Prototype(params, _parameter(returns) if returns is not None else None, bool(fields["is_variadic"]))


def _parameter(fields: Mapping[str, Any]) -> ParameterType:
    called = fields["called"]
    inner = tuple(_parameter(value) for value in called) if called is not None else None
    return ParameterType(Passing(fields["passing"]), str(fields["text"]), bool(fields["is_function"]), inner)


def placed(prototype: Prototype | None, count: int, is_variadic: bool, has_hidden_result: bool) -> Prototype | None:
    """The prototype with the positions in a function of the IR with `count` parameters; None where they disagree."""
    if prototype is None or prototype.is_variadic != is_variadic:
        return None
    positions = positions_in_ir(prototype.params, count, int(has_hidden_result))
    return replace(prototype, positions=positions, has_hidden_result=has_hidden_result)


class PrototypeReader:
    """Reads prototypes off debug information."""

    def __init__(self, metadata: Metadata, source_types: SourceTypes) -> None:
        self._metadata = metadata
        self._source_types = source_types

    def of_subprogram(self, number: int | None) -> Prototype | None:
        """Without positions; None if the function is declared without a prototype."""
        node = self._metadata.node(number)
        if "DIFlagPrototyped" not in node.get("flags", ""):
            return None
        types = self._types(reference(node.get("type", "")))
        if not types:
            return None
        is_variadic = len(types) > 1 and types[-1] is None
        params = types[1:-1] if is_variadic else types[1:]
        returns = self._type(types[0], is_inner=False) if types[0] is not None else None
        return Prototype(tuple(self._type(t, is_inner=False) for t in params), returns, is_variadic)

    def _types(self, subroutine: int | None) -> list[int | None]:
        return self._metadata.elements(reference(self._metadata.node(subroutine).get("types", "")))

    def _type(self, number: int | None, *, is_inner: bool) -> ParameterType:
        found = self._source_types.look_through(number)
        node = self._metadata.node(found)
        text = self._source_types.text(found)
        if node.get("tag") not in _POINTERS:
            return ParameterType(Passing.NUMBER if self._is_number(found, node) else Passing.PARTS, text)
        target = self._source_types.look_through(reference(node.get("baseType", "")))
        is_function = target is not None and self._metadata.kind(target) == "DISubroutineType"
        called = self._called(target) if is_function and not is_inner else None
        return ParameterType(Passing.POINTER, text, is_function, called)

    def _called(self, subroutine: int | None) -> tuple[ParameterType, ...] | None:
        """None for `void (*)()`, and where there are more arguments than parameters."""
        types = self._types(subroutine)
        if not types or None in types[1:]:
            return None
        return tuple(self._type(t, is_inner=True) for t in types[1:])

    def _is_number(self, number: int | None, node: Node) -> bool:
        if node.get("tag") == "DW_TAG_enumeration_type":
            return int(node.get("size", "0")) <= _WIDEST
        if number is None or self._metadata.kind(number) != "DIBasicType":
            return False
        if node.get("encoding") == "DW_ATE_float":
            return True
        return node.get("encoding") in _NUMBERS and 0 < int(node.get("size", "0")) <= _WIDEST
