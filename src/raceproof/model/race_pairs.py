"""Race pairs by classes of accesses: accesses with equal facts form a class, and classes are compared.

A location that is accessed in a thousand places has half a million pairs, and few classes:

    accesses    1 3 4 of class A, 2 5 of class B
    pair classes    A-A: 1-3 1-4 3-4    A-B: 1-2 1-5 3-5 4-5    B-A: 2-3 2-4    B-B: 2-5

A pair of accesses is spelled out where somebody iterates; all else here costs what the classes cost. Invariant: no two
pair classes have a pair in common.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import final, overload

from raceproof.core import InternalError
from raceproof.model.concurrency import AccessId, RacePair
from raceproof.model.memory import MemLoc


@final
@dataclass(frozen=True, slots=True)
class PairClass:
    """The pairs whose first access is in the class `first`, and the second one in `second`, both in the order of their
    numbers; the first access of a pair has the smaller number. `is_same`: the two are one access, in two threads.

    `number` tells it from the other pair classes of the program. There is at least one pair.
    """

    number: int
    first: tuple[AccessId, ...] = field(compare=False)
    second: tuple[AccessId, ...] = field(compare=False)
    target: MemLoc = field(compare=False)
    is_same: bool = field(compare=False)
    count: int = field(compare=False, default=0)

    def __post_init__(self) -> None:
        count = sum(self.number_with(access) for access in self.first)
        if not count:
            raise InternalError("a class of race pairs without a pair")
        object.__setattr__(self, "count", count)

    def number_with(self, access: AccessId, behind: AccessId | None = None) -> int:
        """How many pairs the access is the first of; only those with an access `behind` that one."""
        if self.is_same:
            return int(behind is None or behind < access)
        return len(self.second) - bisect_right(self.second, access if behind is None else max(access, behind))

    def partners(self, access: AccessId) -> Sequence[AccessId]:
        """What the access, one of `first`, makes pairs with."""
        return (access,) if self.is_same else self.second[bisect_right(self.second, access) :]

    @property
    def representative(self) -> RacePair:
        """The first pair of the class."""
        return RacePair(self.first[0], self.partners(self.first[0])[0], self.target)

    def __iter__(self) -> Iterator[RacePair]:
        for access in self.first:
            for other in self.partners(access):
                yield RacePair(access, other, self.target)

    def sides(self, without: Collection[RacePair] = ()) -> tuple[tuple[AccessId, ...], tuple[AccessId, ...]]:
        """The accesses that are first, and second, in a pair of the class, but for the pairs `without`."""
        missing = Counter(pair.first for pair in without), Counter(pair.second for pair in without)
        if self.is_same:
            left = tuple(access for access in self.first if not missing[0][access])
            return left, left
        return (
            tuple(a for a in self.first if self.number_with(a) > missing[0][a]),
            tuple(b for b in self.second if bisect_left(self.first, b) > missing[1][b]),
        )


@final
class RacePairs(Sequence[RacePair]):
    """Pairs of a program, in the order of their accesses: all of some pair classes, but for those in `without`, which
    are in one of them, and others one by one: `beside`. Immutable.

    No two classes of accesses have an access in common, so that the first one of a class names it.
    """

    def __init__(
        self,
        classes: Iterable[PairClass] = (),
        without: Iterable[RacePair] = (),
        beside: Iterable[RacePair] = (),
    ) -> None:
        self.classes = tuple(classes)
        self.without = frozenset(without)
        self.beside = dict.fromkeys(beside)
        self._count = sum(c.count for c in self.classes) - len(self.without) + len(self.beside)
        self._having: dict[AccessId, list[PairClass]] | None = None
        self._before: dict[AccessId, int] = {}
        self._home: dict[AccessId, AccessId] = {}  # the first access of the class that an access is in
        self._of: dict[tuple[AccessId, AccessId, bool], PairClass] = {}  # by the first accesses of its classes

    @property
    def is_by_classes(self) -> bool:
        """These are all pairs of their classes, and no others."""
        return not self.without and not self.beside

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[RacePair]:
        if not self.classes:
            yield from self.beside
            return
        having = self._by_first()
        singles: dict[AccessId, list[RacePair]] = {}
        for pair in self.beside:
            singles.setdefault(pair.first, []).append(pair)
        for access in sorted({*having, *singles}):
            found = [
                RacePair(access, other, together.target)
                for together in having.get(access, ())
                for other in together.partners(access)
            ]
            if self.without:
                found = [pair for pair in found if pair not in self.without]
            yield from sorted([*found, *singles.get(access, ())], key=_second)

    @overload
    def __getitem__(self, index: int) -> RacePair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RacePair, ...]: ...
    def __getitem__(self, index: int | slice) -> RacePair | tuple[RacePair, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        position = index if index >= 0 else index + self._count
        for pair in islice(self, position, position + 1) if position >= 0 else ():
            return pair
        raise IndexError(index)

    def __contains__(self, pair: object) -> bool:
        if not isinstance(pair, RacePair):
            return False
        if pair in self.beside:
            return True
        return pair not in self.without and self.class_of(pair) is not None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, whose hash would have to spell all pairs out

    def __repr__(self) -> str:
        return f"RacePairs({list(self)!r})"

    def named(self, first: AccessId, second: AccessId) -> RacePair | None:
        """The pair of these two accesses."""
        found = self._class_of(first, second)
        pair = RacePair(first, second, found.target) if found is not None else None
        if pair is not None and pair not in self.without:
            return pair
        return next((p for p in self.beside if (p.first, p.second) == (first, second)), None)

    def class_of(self, pair: RacePair) -> PairClass | None:
        """The class that the pair is in, if it is one of these, whether the pair itself is left out or not."""
        found = self._class_of(pair.first, pair.second)
        return found if found is not None and found.target == pair.target else None

    def _class_of(self, first: AccessId, second: AccessId) -> PairClass | None:
        if not self._home:
            for found in self.classes:
                self._of[found.first[0], found.second[0], found.is_same] = found
                for members in (found.first, found.second):
                    if members[0] not in self._home:
                        self._home.update(dict.fromkeys(members, members[0]))
        one, other = self._home.get(first), self._home.get(second)
        if one is None or other is None or first > second:
            return None
        return self._of.get((one, other, first == second))

    def number_of(self, pair: RacePair) -> int:
        """Its place among these, from 1. Requires that it is one, and that none is left out or beside."""
        if not self.is_by_classes:
            raise InternalError("pairs are numbered among all those of their classes")
        having = self._by_first()
        if not self._before:
            before = 0
            for access in sorted(having):
                self._before[access] = before
                before += sum(found.number_with(access) for found in having[access])
        return self._before[pair.first] + sum(
            found.number_with(pair.first) - found.number_with(pair.first, behind=pair.second)
            for found in having[pair.first]
        )

    def _by_first(self) -> dict[AccessId, list[PairClass]]:
        """The classes in which an access is the first one of a pair."""
        if self._having is None:
            self._having = {}
            for found in self.classes:
                for access in found.first:
                    self._having.setdefault(access, []).append(found)
        return self._having


def _second(pair: RacePair) -> AccessId:
    return pair.second


def pair_classes(
    members: Sequence[tuple[AccessId, ...]], meeting: Iterable[tuple[tuple[int, int], MemLoc]]
) -> Iterator[PairClass]:
    """The pair classes of access classes, of which `meeting` names those that make pairs, the smaller number first."""
    number = 0
    for (one, other), target in meeting:
        a, b = members[one], members[other]
        sides = [(a, b, False), (b, a, False)] if one != other else [(a, a, True), (a, a, False)]
        for first, second, is_same in sides:
            if is_same or first[0] < second[-1]:
                yield PairClass(number, first, second, target, is_same)
                number += 1


def representatives(pairs: Sequence[RacePair]) -> Iterator[RacePair]:
    """A pair of each class, and those that are in no class: what holds for their facts holds for all."""
    if not isinstance(pairs, RacePairs):
        yield from pairs
        return
    yield from (found.representative for found in pairs.classes)
    yield from pairs.beside
