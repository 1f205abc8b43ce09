"""The discipline that the program keeps, per variable and field: which lock protects it, and where it is not held.

location       protected by  held at  not held at
pool.pending   pool.mu       7 of 8   pool.c:73
pool.done      pool.mu       4 of 4
stop           atomic        3 of 3

Accesses that the order of threads keeps apart from all others (before the first thread is created, after the last one
is joined) need no lock and are not counted.
Locations of one name are one: the same member of objects that different calls allocate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raceproof.core import SourcePos
from raceproof.model import AccessKind, CheckResult, PairResult, Rule, Verdict
from raceproof.report.locations import locations_of, without_mode

ATOMIC = "atomic"
MAX_PLACES = 4
_WITHOUT_LOCK = tuple(rule.value for rule in (Rule.ORDERED, Rule.OWNED, Rule.NOT_SHARED, Rule.DISJOINT, Rule.REGION))


@dataclass(frozen=True, slots=True)
class Place:
    """A place that accesses the location. `locks`: held there whoever comes; `is_open`: in a pair that is not proved.
    `needs_none`: the order of threads, or whose the object is, keeps every other access away."""

    pos: SourcePos | None
    function: str
    locks: frozenset[str]
    is_atomic: bool
    is_open: bool
    needs_none: bool

    def __str__(self) -> str:
        where = f"{self.pos.file}:{self.pos.line}" if self.pos is not None else f"`{self.function}`"
        return where if self.is_open else f"{where} (proved without)"


@dataclass(frozen=True, slots=True)
class Discipline:
    """Of one location: what protects it at most of the `places` that need it, None if nothing does; `missing`: those
    without it. `alone`: the places that need nothing."""

    name: str
    lock: str | None
    places: tuple[Place, ...]
    missing: tuple[Place, ...]
    alone: tuple[Place, ...]
    verdict: Verdict

    @property
    def is_kept(self) -> bool:
        """Wherever the protection is missing, the accesses are proved without it."""
        return self.lock is not None and not any(place.is_open for place in self.missing)

    def without(self, lock: str) -> tuple[Place, ...]:
        """The places at which that lock is not held, and which are not proved without it."""
        return tuple(place for place in self.places if lock not in place.locks and place.is_open)


def plain_name(name: str) -> str:
    """Of a location or lock, without where its object was made."""
    return name.partition(" (")[0].removeprefix("struct ")


def disciplines(result: CheckResult) -> tuple[Discipline, ...]:
    """Of all locations that threads share while one writes, in the order of their names."""
    groups: dict[str, list[PairResult]] = {}
    for location in locations_of(result):
        groups.setdefault(plain_name(location.name), []).extend(location.pairs)
    return tuple(_of(name, pairs) for name, pairs in sorted(groups.items()))


def _of(name: str, pairs: Sequence[PairResult]) -> Discipline:
    found = _places(pairs)
    places, alone = tuple(p for p in found if not p.needs_none), tuple(p for p in found if p.needs_none)
    counts = Counter(lock for place in places for lock in place.locks)
    counts.update(ATOMIC for place in places if place.is_atomic)
    lock, count = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    protected = lock if places and 2 * count >= len(places) else None
    missing = tuple(p for p in places if protected is not None and not _has(p, protected))
    verdicts = {pair.verdict for pair in pairs}
    worst = next(v for v in (Verdict.RACE, Verdict.UNKNOWN, Verdict.RACE_FREE) if v in verdicts)
    return Discipline(name, protected, places, missing, alone, worst)


def _has(place: Place, protection: str) -> bool:
    return place.is_atomic if protection == ATOMIC else protection in place.locks


def _places(pairs: Sequence[PairResult]) -> tuple[Place, ...]:
    """By position: locks that are held in every pair, atomic if always, open if in one pair that is not proved."""
    found: dict[tuple[SourcePos | None, str], Place] = {}
    for pair in pairs:
        needs_none = pair.verdict is Verdict.RACE_FREE and all(e.startswith(_WITHOUT_LOCK) for e in pair.evidence)
        is_open = pair.verdict is not Verdict.RACE_FREE
        for access in pair.accesses:
            if access.kind is AccessKind.FREE:
                continue
            locks = frozenset(plain_name(without_mode(lock)) for lock in access.held)
            key = (access.pos, access.function)
            known = found.get(key)
            this = Place(access.pos, access.function, locks, access.is_atomic, is_open, needs_none)
            found[key] = this if known is None else _both(known, this)
    return tuple(sorted(found.values(), key=_order))


def _both(first: Place, second: Place) -> Place:
    """One place in two pairs. What is held where nothing is needed says nothing."""
    if first.needs_none != second.needs_none:
        return second if first.needs_none else first
    return replace(
        first,
        locks=first.locks & second.locks,
        is_atomic=first.is_atomic and second.is_atomic,
        is_open=first.is_open or second.is_open,
    )


def _order(place: Place) -> tuple[str, int, int, str]:
    pos = place.pos
    return (pos.file, pos.line, pos.column, place.function) if pos is not None else ("", 0, 0, place.function)


def discipline_table(found: Sequence[Discipline]) -> list[str]:
    """The lines of the table."""
    rows = [("location", "protected by", "held at", "not held at")]
    for each in found:
        held = f"{len(each.places) - len(each.missing)} of {len(each.places)}" if each.lock is not None else "-"
        rows.append((each.name, each.lock or _without_lock(each), held, _where(each.missing)))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return ["  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[3]]).rstrip() for row in rows]


def _without_lock(each: Discipline) -> str:
    return "order (proved)" if each.verdict is Verdict.RACE_FREE else "nothing that is always the same"


def _where(places: Sequence[Place]) -> str:
    shown = ", ".join(map(str, places[:MAX_PLACES]))
    return shown + (f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else "")
