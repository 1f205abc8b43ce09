"""Locations: what a reader decides about. Pairs of accesses of one variable or field, put together and ranked.

Accesses of a location with equal facts (kind, thread, locks) are one class. Locations come in the order in which they
deserve a look: executed races, then what is open, most suspicious first, then what is proved. `_suspicion` has the
signs; it changes the order only, never a verdict.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from raceproof.core import SourcePos
from raceproof.model import SHARED_MARK, AccessKind, AccessResult, CheckResult, PairResult, Verdict

_LIMITED = ("ended early", "limit", "not supported", "was up", "proved by", "too large", "has looked", "bounded")
_UP_TO_A_BOUND = "up to a bound only"
_ANY_TIME = "may call at any time"
_SITES = tuple[SourcePos | None, str]


@dataclass(frozen=True, slots=True)
class AccessClass:
    """Accesses of one location with equal facts; `sites` are their places, with the function for those without one."""

    kind: AccessKind
    is_atomic: bool
    thread: str
    locks: tuple[str, ...]
    note: str
    sites: tuple[_SITES, ...]
    is_open: bool
    """Whether one of them is in a pair that is not proved."""


@dataclass(eq=False)
class Location:
    """A variable, field or block with all its pairs; `rank` counts from 1, the one to look at first. Nothing else of it
    changes once it is made."""

    name: str
    pairs: tuple[PairResult, ...]
    rank: int = 0

    @cached_property
    def verdict(self) -> Verdict:
        """That of its worst pair."""
        verdicts = {pair.verdict for pair in self.pairs}
        return next(v for v in (Verdict.RACE, Verdict.UNKNOWN, Verdict.RACE_FREE) if v in verdicts)

    @cached_property
    def is_for_this_input(self) -> bool:
        """Nothing is open but that the program may be given other inputs than the one it was executed with."""
        open_pairs = [p for p in self.pairs if p.verdict is Verdict.UNKNOWN]
        return self.verdict is Verdict.UNKNOWN and all(p.is_for_this_input for p in open_pairs)

    @cached_property
    def undecided(self) -> tuple[PairResult, ...]:
        """Its races and open pairs: races first, then those that look most like one."""
        found = [p for p in self.pairs if p.verdict is not Verdict.RACE_FREE and not p.is_for_this_input]
        return tuple(sorted(found, key=lambda p: (p.verdict is not Verdict.RACE, -_pair_suspicion(p), p.id)))

    @cached_property
    def classes(self) -> tuple[AccessClass, ...]:
        """In the order of the program; those of open pairs first."""
        sites: dict[tuple[object, ...], dict[_SITES, None]] = {}
        shown: dict[tuple[object, ...], AccessResult] = {}
        is_open: dict[tuple[object, ...], bool] = {}
        for pair in self.pairs:
            for access in pair.accesses:
                key = (access.kind, access.is_atomic, access.thread, access.held, access.note)
                shown.setdefault(key, access)
                places = sites.setdefault(key, {})
                places.update(dict.fromkeys([(access.pos, access.function), *access.also]))
                is_open[key] = is_open.get(key, False) or pair.verdict is not Verdict.RACE_FREE
        found = [
            AccessClass(a.kind, a.is_atomic, a.thread, a.held, a.note, tuple(sorted(sites[k], key=_order)), is_open[k])
            for k, a in shown.items()
        ]
        return tuple(sorted(found, key=lambda c: (not c.is_open, not c.kind.writes, _order(c.sites[0]), c.thread)))

    @cached_property
    def usual_lock(self) -> tuple[str, int, int] | None:
        """The lock that most accesses hold, in whatever mode, how many do, and how many accesses there are; None if
        there is none, or if all hold it. The end of the object needs none."""
        used = [c for c in self.classes if c.kind is not AccessKind.FREE]
        always: dict[_SITES, frozenset[str]] = {}  # the locks that are held at a place whoever comes there
        for c in used:
            held = frozenset(map(without_mode, c.locks))
            for site in c.sites:
                always[site] = always[site] & held if site in always else held
        holding = Counter(lock for locks in always.values() for lock in locks)
        lock, count = max(holding.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        return (lock, count, len(always)) if 2 * count > len(always) > count else None

    @cached_property
    def bound(self) -> str | None:
        """Of an open location: up to what there is no race, if an engine got so far."""
        texts = self.undecided[0].evidence if self.verdict is Verdict.UNKNOWN and self.undecided else ()
        return next((text for text in texts if _UP_TO_A_BOUND in text), None)

    def short(self, lock: str) -> str:
        """A lock's name without where its object was allocated, if that is said of the location already."""
        mark = self.name.rfind(" (allocated at ")
        return lock.removesuffix(self.name[mark:]) if mark >= 0 else lock

    @cached_property
    def cause(self) -> str | None:
        """What would have to be known first to prove it: of an open location; the end of a budget is no cause."""
        if self.verdict is not Verdict.UNKNOWN or not self.undecided:
            return None
        known = [text for text in self.undecided[0].evidence if not any(word in text for word in _LIMITED)]
        return known[0] if known else "no engine could tell whether the two accesses can happen at the same time"


def locations_of(result: CheckResult) -> tuple[Location, ...]:
    """All locations of the result, ranked."""
    groups: dict[tuple[str, object], list[PairResult]] = {}
    for pair in result.pairs:
        groups.setdefault((pair.target, pair.pair.target.object), []).append(pair)
    found = [Location(name, tuple(pairs)) for (name, _), pairs in groups.items()]
    order = (Verdict.RACE, Verdict.UNKNOWN, Verdict.RACE_FREE)

    def place(found: Location) -> tuple[int, bool, int, int]:
        return order.index(found.verdict), found.is_for_this_input, -_suspicion(found), found.pairs[0].id

    ranked = sorted(found, key=place)
    for rank, location in enumerate(ranked, start=1):
        location.rank = rank
    return tuple(ranked)


def _suspicion(location: Location) -> int:
    """How much an open location looks like a race."""
    if not location.undecided:
        return 0
    score = max(map(_pair_suspicion, location.undecided))
    if location.usual_lock is not None:
        score += 4  # a discipline, and somebody who does not keep it
    return score


def _pair_suspicion(pair: PairResult) -> int:
    """Signs of a race, and signs that the analysis has merged what stays apart."""
    first, second = pair.accesses
    score = 0
    score += 2 * all(access.kind in (AccessKind.WRITE, AccessKind.UPDATE) for access in pair.accesses)
    score += 2 * (pair.pair.target.offset is not None and pair.pair.target.stride is None)
    score += bool(first.held) != bool(second.held)
    score -= 2 * any(access.kind is AccessKind.FREE for access in pair.accesses)
    score -= 4 * any(access.note and not access.of_object for access in pair.accesses)
    score -= 3 * any(_ANY_TIME in access.thread for access in pair.accesses)
    score -= 2 * ("(allocated at" in pair.target)
    return score


def without_mode(lock: str) -> str:
    """The name of a held lock, however it is held."""
    return lock.removesuffix(SHARED_MARK)


def _order(site: _SITES) -> tuple[str, int, int, str]:
    pos, function = site
    return (pos.file, pos.line, pos.column, function) if pos is not None else ("", 0, 0, function)
