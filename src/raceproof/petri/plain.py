"""Backward coverability without any acceleration.

Follows: the algorithm of [PN, Fig. 4], as written.
Paper -> here: C_init -> `Net.initial` and `Net.unbounded`, C_fin -> `Net.targets`, WorkList -> `work`, Explored ->
`explored`, Pre(c) -> `_predecessors`.
Differs: "remove some c" takes the oldest, so that the work list is gone through in rounds, the sets I_0, I_1, ... of
section 5; a round is what `iterations` counts. Each configuration remembers the step that it comes from, so that a run
can be given.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from raceproof.core import Budget, LimitReached
from raceproof.petri.net import Marking, Net, NetCertificate, Safe, Solution, Undecided, Unsafe

_Origin = tuple[Marking, int] | None
"""The configuration that this one is a predecessor of, and by which transition; None for a target."""


def solve_plainly(net: Net, budget: Budget) -> Solution:
    """`stats`: kept (configurations in Explored at the end), subsumed, iterations (rounds), seconds."""
    start = time.monotonic()
    work = list(net.targets)
    origins: dict[Marking, _Origin] = dict.fromkeys(net.targets)
    explored: list[Marking] = []
    subsumed = iterations = 0

    def stats() -> dict[str, int | float]:
        seconds = round(time.monotonic() - start, 3)
        return {"kept": len(explored), "subsumed": subsumed, "iterations": iterations, "seconds": seconds}

    try:
        while work:
            iterations += 1
            later: list[Marking] = []
            for c in work:
                budget.check()
                if _is_initial(net, c):
                    return _run(net, c, origins, stats())
                if any(_is_below(smaller, c) for smaller in explored):
                    subsumed += 1
                    continue
                for number, before in _predecessors(net, c):
                    origins.setdefault(before, (c, number))
                    later.append(before)
                kept = [c, *(other for other in explored if not _is_below(c, other))]
                subsumed += len(explored) + 1 - len(kept)
                explored = kept
            work = later
    except LimitReached as limit:
        return Undecided(f"{limit.message}; {len(explored)} markings kept, {len(work)} to look at", stats())
    return Safe(NetCertificate(tuple(explored)), stats())


def _is_initial(net: Net, marking: Marking) -> bool:
    tokens = dict(net.initial)
    return all(p in net.unbounded or tokens.get(p, 0) >= n for p, n in marking)


def _is_below(a: Marking, b: Marking) -> bool:
    if len(a) > len(b):
        return False
    tokens = dict(b)
    return all(tokens.get(p, 0) >= n for p, n in a)


def _predecessors(net: Net, marking: Marking) -> Iterator[tuple[int, Marking]]:
    """Pre_t for each transition t: what t gives is removed, as far as it is there, what t takes is added."""
    for number, transition in enumerate(net.transitions):
        tokens = dict(marking)
        for place, count in transition.post:
            tokens[place] = max(tokens.get(place, 0) - count, 0)
        for place, count in transition.pre:
            tokens[place] = tokens.get(place, 0) + count
        yield number, tuple(sorted((p, n) for p, n in tokens.items() if n > 0))


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
