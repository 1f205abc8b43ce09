"""What a mutant is, and which ones a file has.

A mutant is the text of a file with one small fault in it. It is known by the function that it is in and what was
changed there, not by a line, so that what is written down about it stays true when lines move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes `start` to `end` of a file become `text`; `lines`: of the statement, the first and the last.

    `scope`: where the function that it is in begins and ends.
    """

    function: str
    change: str
    start: int
    end: int
    text: str
    lines: tuple[int, int]
    line: int
    scope: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`lines` is None if nobody knows which tests execute it, as of C: then every test may notice it.

    `identity` stays the same as long as the function that it is in does.
    """

    module: str
    name: str
    line: int
    lines: tuple[int, int] | None
    source: str
    identity: str


def mutants_of(module: str, source: str) -> list[Mutant]:
    """All of them, in the order of the text."""
    from mutation.c_operators import c_edits
    from mutation.python_operators import python_edits

    is_python = module.endswith(".py")
    edits = python_edits(source) if is_python else c_edits(source)
    return [
        Mutant(
            module,
            f"{edit.function}: {edit.change}",
            edit.line,
            edit.lines if is_python else None,
            applied(source, edit),
            _identity(module, source, edit),
        )
        for edit in _numbered(sorted(edits, key=lambda edit: (edit.start, edit.end, edit.change)))
    ]


def applied(source: str, edit: Edit) -> str:
    data = source.encode()
    return (data[: edit.start] + edit.text.encode() + data[edit.end :]).decode()


def _identity(module: str, source: str, edit: Edit) -> str:
    function = source.encode()[edit.scope[0] : edit.scope[1]]
    return sha256(b"\0".join((module.encode(), edit.change.encode(), function))).hexdigest()[:24]


def _numbered(edits: Iterable[Edit]) -> Iterable[Edit]:
    """The same change in the same function twice gets a number."""
    seen: Counter[tuple[str, str]] = Counter()
    for edit in edits:
        key = edit.function, edit.change
        seen[key] += 1
        yield edit if seen[key] == 1 else replace(edit, change=f"{edit.change} ({seen[key]})")


def sampled(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """So many of them, in the order of the text, drawn by what they are: a mutant more hardly changes which others."""
    chosen = sorted(mutants, key=lambda mutant: sha256(f"{seed} {mutant.identity}".encode()).digest())[:size]
    return [mutant for mutant in mutants if mutant in chosen]
