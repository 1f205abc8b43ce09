"""Backward coverability as [PN] prints it: minimal configurations, backwards, without invariants or forward searches.

Follows: [PN, Fig. 4] and section 5.
Paper -> here: C_init -> `Net.initial` and `Net.unbounded`, C_fin -> `Net.targets`, WorkList -> `work`, Explored ->
`_Explored`, Pre(c) -> `_Transitions.predecessors`, ⪯ -> `_is_below`.
Differs:
- "Remove some c" takes the oldest, so that the work list is gone through in rounds, the sets I_0, I_1, ... of section
  5; a round is what `iterations` counts.
- Each configuration remembers the step that it comes from, so that a run can be given.
- Pre_t(c) is left out where t gives no token that c has: it has more tokens than c, and Fig. 4 would discard it.
- A configuration that was in the work list before is discarded at once: what is in Explored covers it already.
- ∃ c' ∈ Explored, c' ⪯ c looks only at configurations one of whose places c has; c ⪯ c' only at those that have all of
  c's places.
None of these changes which configurations are kept, nor the number of rounds; tests/unit/petri/figure_4.py has the
algorithm without them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from raceproof.core import Budget, LimitReached
from raceproof.petri.net import Marking, Net, NetCertificate, Safe, Solution, Undecided, Unsafe

_Origin = tuple[Marking, int] | None
"""The configuration that this one is a predecessor of, and by which transition; None for a target."""


def solve_plainly(net: Net, budget: Budget) -> Solution:
    """`stats`: kept (Explored at the end, with the configuration that ends an unsafe search), subsumed (discarded, or
    replaced by a smaller one), skipped (predecessors that were left out), iterations (rounds), seconds."""
    start = time.monotonic()
    transitions = _Transitions(net)
    explored = _Explored(len(net.places))
    work = list(net.targets)
    origins: dict[Marking, _Origin] = dict.fromkeys(net.targets)
    done: set[Marking] = set()
    subsumed = skipped = iterations = last = 0

    def stats() -> dict[str, int | float]:
        seconds = round(time.monotonic() - start, 3)
        counts = {"kept": len(explored) + last, "subsumed": subsumed, "skipped": skipped, "iterations": iterations}
        return {**counts, "seconds": seconds}

    is_followed = bool(work)
    try:
        while is_followed:  # WorkList ≠ ∅, if only because of predecessors that were skipped
            iterations += 1
            is_followed = False
            later: list[Marking] = []
            for c in work:
                budget.check()
                if _is_initial(net, c):
                    last = 1
                    return _run(net, c, origins, stats())
                if c in done or explored.has_below(c):
                    subsumed += 1
                    continue
                done.add(c)
                before = len(later)
                for number, previous in transitions.predecessors(c):
                    origins.setdefault(previous, (c, number))
                    later.append(previous)
                skipped += len(net.transitions) - (len(later) - before)
                is_followed = is_followed or bool(net.transitions)
                subsumed += explored.add(c)
            work = later
    except LimitReached as limit:
        return Undecided(f"{limit.message}; {len(explored)} markings kept, {len(work)} to look at", stats())
    return Safe(NetCertificate(tuple(explored)), stats())


class _Transitions:
    """`giving`: by place, the transitions that give tokens there."""

    def __init__(self, net: Net) -> None:
        self._sides = [(t.pre, t.post) for t in net.transitions]
        self._giving: dict[int, list[int]] = {}
        for number, (_, post) in enumerate(self._sides):
            for place, _ in post:
                self._giving.setdefault(place, []).append(number)

    def predecessors(self, marking: Marking) -> Iterator[tuple[int, Marking]]:
        """Pre_t, in the order of transitions: what t gives is removed, as far as it is there, what t takes is added."""
        for number in sorted({t for place, _ in marking for t in self._giving.get(place, ())}):
            pre, post = self._sides[number]
            tokens = dict(marking)
            for place, count in post:
                tokens[place] = max(tokens.get(place, 0) - count, 0)
            for place, count in pre:
                tokens[place] = tokens.get(place, 0) + count
            yield number, tuple(sorted((p, n) for p, n in tokens.items() if n > 0))


class _Explored:
    """The set Explored: markings none of which is below another.

    Each is filed under its last place, with its outline: a bit for each place that has a token, and one for each that
    has two. Where no place has more than two, outlines decide which marking is below which.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._filed: dict[int, dict[Marking, int]] = {}
        self._using: dict[int, dict[Marking, int]] = {}  # by each of its places
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Marking]:
        for markings in self._filed.values():
            yield from markings

    def _outline(self, marking: Marking) -> int:
        bits = 0
        for place, count in marking:
            bits |= (1 << place) if count == 1 else (1 << place | 1 << (place + self._places))
        return bits

    def has_below(self, c: Marking) -> bool:
        """∃ c' ∈ Explored, c' ⪯ c."""
        missing = ~self._outline(c)
        return any(
            not outline & missing and _is_below(smaller, c)
            for place in (-1, *(place for place, _ in c))
            for smaller, outline in self._filed.get(place, {}).items()
        )

    def add(self, c: Marking) -> int:
        """Explored := {c} and every c' ∈ Explored with c ⋠ c'. Returns how many are gone."""
        outline = self._outline(c)
        users = [self._using.get(place, {}) for place, _ in c] or list(self._filed.values())
        candidates = min(users, key=len) if c else {m: o for filed in users for m, o in filed.items()}
        gone = [other for other, bits in candidates.items() if not outline & ~bits and _is_below(c, other)]
        for other in gone:
            del self._filed[_file(other)][other]
            for place, _ in other:
                del self._using[place][other]
        self._filed.setdefault(_file(c), {})[c] = outline
        for place, _ in c:
            self._using.setdefault(place, {})[c] = outline
        self._count += 1 - len(gone)
        return len(gone)


def _file(marking: Marking) -> int:
    return marking[-1][0] if marking else -1


def _is_initial(net: Net, marking: Marking) -> bool:
    tokens = dict(net.initial)
    return all(p in net.unbounded or tokens.get(p, 0) >= n for p, n in marking)


def _is_below(a: Marking, b: Marking) -> bool:
    if len(a) > len(b):
        return False
    tokens = dict(b)
    return all(tokens.get(p, 0) >= n for p, n in a)


def _run(net: Net, first: Marking, origins: dict[Marking, _Origin], stats: dict[str, int | float]) -> Unsafe:
    firing = []
    origin = origins[first]
    while origin is not None:
        marking, number = origin
        firing.append(number)
        origin = origins[marking]
    tokens = dict(net.initial)
    for place, count in first:
        tokens[place] = max(tokens.get(place, 0), count)
    return Unsafe(tuple(sorted(tokens.items())), tuple(firing), stats)
