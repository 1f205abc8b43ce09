"""Which accesses may race: every two that may touch the same bytes in different threads, one of them writing.

Accesses with equal facts are one class; what is asked of two accesses is asked of two classes. The plain form, access
by access, is the oracle in tests/pairwise.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NewType

from raceproof.core import Budget
from raceproof.facts.flow.locations import overlap
from raceproof.facts.pointers.propagation import members as members_of
from raceproof.model import (
    Access,
    AccessId,
    ConcurrentProgram,
    MemLoc,
    ObjectId,
    ObjectKind,
    RacePairs,
    Thread,
    ThreadId,
    pair_classes,
)

_ClassId = NewType("_ClassId", int)
_last_pairs: list[tuple[ConcurrentProgram, RacePairs]] = []
"""Of the last program that was asked about: every engine asks."""


def race_pairs(cp: ConcurrentProgram, budget: Budget = Budget.unlimited()) -> RacePairs:  # noqa: B008  frozen
    """Every two accesses that may touch the same bytes in different threads, one of them writing."""
    if not _last_pairs or _last_pairs[0][0] is not cp:
        _last_pairs[:] = [(cp, _find_race_pairs(cp, budget))]
    return _last_pairs[0][1]


def _find_race_pairs(cp: ConcurrentProgram, budget: Budget) -> RacePairs:
    classes = _access_classes(cp)
    by_object: dict[ObjectId, dict[_ClassId, None]] = {}
    for number, found_class in enumerate(classes):
        for target in cp.accesses[found_class[0]].targets:
            by_object.setdefault(target.object, {})[_ClassId(number)] = None

    def is_nameless(entry: tuple[ObjectId, object]) -> bool:
        return cp.objects[entry[0]].kind is ObjectKind.UNKNOWN

    found: dict[tuple[int, int], MemLoc] = {}
    partners: dict[_ClassId, int] = {}  # as bits: with which others it makes pairs already
    shown = [cp.accesses[members[0]] for members in classes]
    alone = [_only_user(access, cp.threads) for access in shown]
    for shared, users in sorted(by_object.items(), key=is_nameless):  # a pair is named by its first object
        groups = _alike(cp, shared, users, shown, alone)
        for i, (kind, members, _) in enumerate(groups):
            for other, _, both in groups[i:]:
                met = _meeting(kind, other)
                if met is None:
                    continue
                for a in members:
                    budget.check()
                    new = both & ~partners.get(a, 0)
                    if not new:
                        continue
                    partners[a] = partners.get(a, 0) | new
                    for b in map(_ClassId, members_of(new)):
                        partners[b] = partners.get(b, 0) | 1 << a
                        found[(a, b) if a <= b else (b, a)] = met
    return RacePairs(pair_classes(classes, sorted(found.items())))


def _access_classes(cp: ConcurrentProgram) -> list[tuple[AccessId, ...]]:
    """The accesses that differ in nothing but where they stand in one function, in the order of the first ones."""
    found: dict[tuple[object, ...], list[AccessId]] = {}
    for identity, a in sorted(cp.accesses.items()):
        file = a.pos.file if a.pos is not None else ""
        facts = (a.function, file, a.kind, a.size, a.targets, a.order, a.views, a.has_others, a.unknown, a.operation)
        found.setdefault(facts, []).append(identity)
    return [tuple(members) for members in found.values()]


@dataclass(frozen=True, slots=True)
class _Part:
    """What an access may do to one object, as far as it decides which others it makes a pair with. `places`: all that
    it may touch there; `alone`: the thread that makes it, if it is one alone; `foreign`: unknown code makes it, to
    memory that it has kept or not, where no name is known for that."""

    places: tuple[MemLoc, ...]
    writes: bool
    alone: ThreadId | None
    foreign: bool | None


def _alike(
    cp: ConcurrentProgram,
    shared: ObjectId,
    users: Mapping[_ClassId, None],
    shown: Sequence[Access],
    alone: Sequence[ThreadId | None],
) -> list[tuple[_Part, list[_ClassId], int]]:
    """The classes that access an object, those together that make pairs with the same others; also as bits."""
    groups: dict[_Part, list[_ClassId]] = {}
    is_foreign = cp.objects[shared].kind is ObjectKind.UNKNOWN
    for number in users:
        access = shown[number]
        places = tuple(target for target in access.targets if target.object == shared)
        kept = access.unknown.kept if is_foreign and access.unknown is not None else None
        part = _Part(places, access.kind.writes, alone[number], kept)
        groups.setdefault(part, []).append(number)
    return [(part, members, sum(1 << member for member in members)) for part, members in groups.items()]


def _meeting(a: _Part, b: _Part) -> MemLoc | None:
    """Where the two may race. Unknown code on both sides, in memory of its own that the call is not given: that is no
    race of the program's."""
    if not (a.writes or b.writes) or (a.alone is not None and a.alone == b.alone):
        return None
    if a.foreign is not None and b.foreign is not None and (a.foreign or b.foreign):
        return None
    return next((_narrower(x, y) for x in a.places for y in b.places if overlap(x, y)), None)


def _only_user(access: Access, threads: Mapping[ThreadId, Thread]) -> ThreadId | None:
    """The thread that makes the access, if it is one alone."""
    users = {view.thread for view in access.views}
    return users.pop() if len(users) == 1 and not any(threads[t].many for t in users) else None


def _narrower(a: MemLoc, b: MemLoc) -> MemLoc:
    def width(loc: MemLoc) -> tuple[bool, bool, int]:
        return (loc.offset is None, loc.stride is not None, loc.size if loc.size is not None else 1 << 60)

    return min((a, b), key=width)
