"""What a search by several workers knows and has found, whoever found it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from raceproof.explore.protocol import (
    BoundedRecord,
    Facts,
    KnownRecord,
    OtherRecord,
    OutputRecord,
    RaceRecord,
    Record,
    StatRecord,
    VisibleRecord,
)
from raceproof.ir import SiteId
from raceproof.model import AccessId

RaceOrder = tuple[bool, tuple[int, ...]]
"""Races of one pair: those that stand before their accesses together come first, then those of the first subtree."""


@dataclass(slots=True)
class Ledger:
    """`threads`: ids by first sight, as (parent, number); `totals` of `StatRecord`, of work that is done and will not
    be done again; `partial`: of work that was begun, and will be; `seconds` that all took; `lost`: items whose worker
    was lost, and of which nothing counts; `given_up`: why parts of the search will not be done."""

    threads: list[tuple[int, int]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    visible: set[AccessId] = field(default_factory=set)
    races: dict[tuple[AccessId, AccessId], tuple[RaceOrder, RaceRecord]] = field(default_factory=dict)
    others: dict[tuple[str, SiteId | None], OtherRecord] = field(default_factory=dict)
    bounds: dict[str, BoundedRecord] = field(default_factory=dict)
    output: OutputRecord | None = None
    totals: Counter[str] = field(default_factory=Counter)
    partial: Counter[str] = field(default_factory=Counter)
    items: int = 0
    seconds: float = 0.0
    lost: int = 0
    given_up: list[str] = field(default_factory=list)

    def take(self, record: Record, behind: tuple[int, ...]) -> None:
        """What was found `behind` the choices of a prefix."""
        match record:
            case RaceRecord():
                first, second = sorted(record.accesses)
                order = (not record.together, behind)
                known = self.races.get((first, second))
                if known is None or order < known[0]:
                    self.races[first, second] = (order, record)
            case OtherRecord():
                self.others.setdefault((record.kind, record.site), record)
            case BoundedRecord():
                self.bounds.setdefault(record.reason, record)
            case OutputRecord():
                self.output = self.output or record  # of the first worker: others follow another schedule
            case KnownRecord():
                self.known.add(record.name)
            case VisibleRecord():
                self.visible.add(record.access)

    def names_thread(self, thread: int, parent: int, number: int) -> bool:
        """Ids are given by first sight; False: the id means another thread already."""
        if thread == len(self.threads):
            self.threads.append((parent, number))
        return self.threads[thread] == (parent, number)

    def facts(self) -> Facts:
        return Facts(frozenset(self.known), frozenset(self.visible), frozenset(self.races))

    def count(self, stats: Mapping[str, int | float], is_done: bool) -> None:
        counts = self.totals if is_done else self.partial
        for name, value in stats.items():
            if name == "threads":
                counts[name] = max(counts[name], int(value))
            elif name != "seconds":
                counts[name] += int(value)

    def records(self) -> list[Record]:
        stats = self.totals + self.partial
        for counts in (self.totals, self.partial):  # of which a sum keeps none
            for name in counts:
                stats[name] += 0
        stats["threads"] = max(self.totals["threads"], self.partial["threads"])
        if not stats["threads"]:
            del stats["threads"]
        counted: list[Record] = [StatRecord(name, value) for name, value in stats.items()]
        counted += [StatRecord("seconds", self.seconds), StatRecord("items", self.items)]
        counted += [StatRecord("items_lost", self.lost)] if self.lost else []
        races = [record for _, record in sorted(self.races.values(), key=lambda race: race[0])]
        output = [self.output] if self.output is not None else []
        return [*output, *races, *self.others.values(), *self.bounds.values(), *counted]
