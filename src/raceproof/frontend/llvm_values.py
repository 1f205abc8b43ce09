"""Operands as they stand in a line of LLVM text: what a hook in front of the line is called with.

The parser reads operands into `ir` values, which cannot be printed back (constant expressions lose their form).
Here they stay text; only values that a hook can take, pointers and integers, are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raceproof.frontend.llvm_lexer import tokenize

_OPENING, _CLOSING = frozenset("([{<"), frozenset(")]}>")
_EXPRESSIONS = frozenset(
    ["getelementptr", "inttoptr", "ptrtoint", "ptrtoaddr", "bitcast", "addrspacecast", "trunc", "add", "sub", "xor"]
)
_PLAIN = frozenset(["null", "undef", "poison", "true", "false", "zeroinitializer", "none"])


@dataclass(frozen=True, slots=True)
class TextArgument:
    """An argument of a call: `type` is its first word, `value` None where no hook could use it."""

    type: str
    value: str | None


def access_address(head: str) -> str | None:
    """The address of a load or store: what follows the last `, ptr` outside of brackets."""
    tokens = tokenize(head)
    found = None
    for at, depth in _depths(tokens):
        if depth == 0 and tokens[at] == "," and tokens[at + 1] == "ptr":
            found = at + 2
    return None if found is None else _value(tokens, found)


def atomic_address(head: str) -> str | None:
    """The address of an atomicrmw or cmpxchg: what follows the first `ptr`."""
    tokens = tokenize(head)
    return _value(tokens, tokens.index("ptr") + 1) if "ptr" in tokens else None


def call_arguments(head: str) -> list[TextArgument]:
    """The arguments of a call; empty if the callee is not a plain name."""
    tokens = tokenize(head)
    opening = None
    for at, depth in _depths(tokens):
        if depth == 0 and tokens[at][:1] in ("%", "@") and tokens[at + 1] == "(":
            opening = at + 1
    if opening is None:
        return []
    arguments: list[TextArgument] = []
    begin = opening + 1
    for at, depth in _depths(tokens, opening):
        ends = depth == 1 and tokens[at] == ","
        closes = depth == 0 and at > opening
        if (ends or closes) and begin < at:
            arguments.append(_argument(tokens, begin, at))
            begin = at + 1
        if closes:
            break
    return arguments


def _argument(tokens: Sequence[str], begin: int, end: int) -> TextArgument:
    type_ = tokens[begin]
    is_usable = type_ == "ptr" or (type_[0] == "i" and type_[1:].isdigit())
    at = begin + 1
    while is_usable and at < end:
        token = tokens[at]
        if token[0] in "%@-" or token[0].isdigit() or token in _PLAIN or token in _EXPRESSIONS:
            return TextArgument(type_, _value(tokens, at))
        at += 1
        if token == "align" and tokens[at] != "(":
            at += 1
        elif tokens[at] == "(":
            at = _behind_group(tokens, at)
    return TextArgument(type_, None)


def _value(tokens: Sequence[str], at: int) -> str | None:
    token = tokens[at]
    if token in _EXPRESSIONS:
        opening = at + 1
        while tokens[opening] not in ("(", ""):
            opening += 1
        return " ".join(tokens[at : _behind_group(tokens, opening)])
    if token[:1] in ("%", "@", "-") or token[:1].isdigit() or token in _PLAIN:
        return token
    return None


def _behind_group(tokens: Sequence[str], opening: int) -> int:
    for at, depth in _depths(tokens, opening):
        if depth == 0:
            return at + 1
    return len(tokens)


def _depths(tokens: Sequence[str], begin: int = 0) -> list[tuple[int, int]]:
    """Each token's position with the number of brackets around it; an opening one counts as inside."""
    result = []
    depth = 0
    for at in range(begin, len(tokens)):
        token = tokens[at]
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
        result.append((at, depth))
    return result
