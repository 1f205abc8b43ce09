"""The printed module as functions, blocks and instructions, with their rows: what `live_frames` rewrites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from raceproof.core import Unsupported

NAME = r'"[^"]*"|[\w$.\-]+'
_DEFINE = re.compile(rf"define [^@]*@({NAME})\(")
_LABEL = re.compile(rf"({NAME}):")
_RESULT = re.compile(rf"  (%(?:{NAME})) = (.*)", re.DOTALL)
_CALL = re.compile(r"(?:^  |= )((?:tail |musttail |notail )?call )")
CALLEE = re.compile(rf"([@%](?:{NAME}))\(")
VALUE = re.compile(rf"%(?:{NAME})")
_LABELS = re.compile(rf"label (%(?:{NAME}))")
_STRING = re.compile(r'c"[^"]*"')


@dataclass(frozen=True, slots=True)
class Instruction:
    """Its rows as they stand, what it defines, and its text: without strings, labels taken out."""

    rows: tuple[str, ...]
    text: str
    result: str | None
    targets: tuple[str, ...] = ()

    @property
    def is_phi(self) -> bool:
        return " = phi " in self.text

    @property
    def callee(self) -> str | None:
        """`@name`, a register, or None if it is no call."""
        found = _CALL.search(self.text)
        if found is None or " asm " in self.text:
            return None
        callee = CALLEE.search(self.text, found.end())
        if callee is None:
            raise Unsupported(f"telling states at {self.text.strip()[:80]!r}")
        return callee.group(1)


@dataclass(slots=True)
class Block:
    label: str
    head: tuple[str, ...]
    instructions: list[Instruction] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Function:
    name: str  # with its @
    first: int
    last: int
    header: str
    blocks: tuple[Block, ...]

    @property
    def called(self) -> frozenset[str]:
        return frozenset(callee for b in self.blocks for i in b.instructions if (callee := i.callee) is not None)


def functions_of(lines: Sequence[str]) -> Iterable[Function]:
    at = 0
    while at < len(lines):
        match = _DEFINE.match(lines[at])
        if match is None:
            at += 1
            continue
        end = next(n for n in range(at, len(lines)) if lines[n] == "}")
        yield Function(f"@{match.group(1)}", at, end, lines[at], _blocks(lines[at + 1 : end]))
        at = end


def _blocks(rows: Sequence[str]) -> tuple[Block, ...]:
    blocks = [Block("", ())]
    gap: list[str] = []
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        label = _LABEL.match(row)
        if label is not None:
            if not blocks[-1].instructions and len(blocks) == 1:
                blocks.pop()
            blocks.append(Block(f"%{label.group(1)}", (*gap, row)))
            gap = []
        elif not row.strip():
            gap.append(row)
        else:
            many = [row]
            while many[-1].count("[") + sum(r.count("[") for r in many[:-1]) > sum(r.count("]") for r in many):
                many.append(rows[at])
                at += 1
            blocks[-1].instructions.append(_instruction(many))
    return tuple(blocks)


def _instruction(rows: list[str]) -> Instruction:
    text = _STRING.sub("", "\n".join(rows))
    found = _RESULT.match(text)
    targets = tuple(_LABELS.findall(text))
    return Instruction(tuple(rows), _LABELS.sub("", text), found.group(1) if found else None, targets)


def closing(text: str, at: int) -> int:
    """Where the bracket at this place is closed."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "([{<") - (text[place] in ")]}>")
        if depth == 0:
            return place
    raise Unsupported(f"telling states at {text.strip()[:80]!r}")


def split_at_commas(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for place, c in enumerate(text):
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]
