"""Pairs with equal facts and equal evidence are one entry of a large result: the first one stands for all.

A location that is accessed in a thousand places has half a million pairs. What is said of them differs by little more
than the line: by the thread that makes the access, under which locks, and by what is known of the pair. Pairs that
agree in all of that are alike. A race that was executed is like no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from raceproof.model import Access, AccessId, ConcurrentProgram, Evidence, RacePair, Reason
from raceproof.portfolio.ledger import Entry, Ledger

MAX_PAIRS = 500
"""So many are told one by one in any case."""


@dataclass(slots=True)
class Alike:
    """`first`, the `number`-th pair of the ledger, and how many are like it, itself included; `others`: what they
    access, beside what the first one does, on either side."""

    number: int
    first: RacePair
    count: int = 1
    others: tuple[tuple[AccessId, ...], tuple[AccessId, ...]] = ((), ())


def one_by_one(ledger: Ledger) -> list[Alike]:
    return [Alike(number, pair) for number, pair in enumerate(ledger.pairs, start=1)]


def alike_pairs(cp: ConcurrentProgram, ledger: Ledger) -> list[Alike]:
    """The pairs of the ledger, those together that are alike; in the order of the first ones."""
    kinds = _kinds(cp.accesses.values())
    words = _Words()
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in ledger.entries():
        pair = entry.first
        said = tuple([(f.engine, f.verdict, f.scope, words.of(f.evidence)) for f in entry.findings])
        groups.setdefault((kinds[pair.first], kinds[pair.second], pair.target, said), []).append(entry)
    number_of = _numbers(ledger)
    return sorted((_together(entries, number_of) for entries in groups.values()), key=lambda found: found.number)


def _numbers(ledger: Ledger) -> Callable[[RacePair], int]:
    if ledger.pairs.is_by_classes:
        return ledger.pairs.number_of
    return {pair: number for number, pair in enumerate(ledger.pairs, start=1)}.__getitem__


def _together(entries: Sequence[Entry], number_of: Callable[[RacePair], int]) -> Alike:
    first = min((entry.first for entry in entries), key=lambda pair: (pair.first, pair.second))
    sides: tuple[set[AccessId], set[AccessId]] = (set(), set())
    for entry in entries:
        alone = (entry.first.first,), (entry.first.second,)
        both = alone if entry.together is None else entry.together.sides(entry.without)
        for side, accesses in zip(sides, both, strict=True):
            side.update(accesses)
    others = tuple(sorted(sides[0] - {first.first})), tuple(sorted(sides[1] - {first.second}))
    return Alike(number_of(first), first, sum(entry.count for entry in entries), others)


def _kinds(accesses: Iterable[Access]) -> dict[AccessId, int]:
    """Accesses of one number differ in nothing that is told of them but the line."""
    numbers: dict[tuple[object, ...], int] = {}
    found: dict[AccessId, int] = {}
    for a in accesses:
        function = a.function if a.pos is None else ""
        ways = frozenset((view.thread, view.held) for view in a.views)
        key = (function, a.kind, a.is_atomic, ways, a.unknown, a.operation)
        found[a.id] = numbers.setdefault(key, len(numbers))
    return found


class _Words:
    """What is told of evidence, as a number; engines give one object for all pairs that they decide together."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._known: dict[int, tuple[Evidence, int]] = {}

    def of(self, evidence: Evidence) -> int:
        known = self._known.get(id(evidence))
        if known is None:
            number = self._numbers.setdefault(_told(evidence), len(self._numbers))
            known = self._known[id(evidence)] = evidence, number
        return known[1]


def _told(evidence: Evidence) -> object:
    match evidence:
        case Reason(text=text, views=views):
            return text, tuple((view.thread, view.held) for view in views or ())
        case tuple():
            return evidence
    return id(evidence)
