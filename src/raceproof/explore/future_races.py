"""Whether two threads may still race, from the tables of `futures`: the plain form of the check in the native search.

Follows [PDP, Fig. 4 and 5]. Paper -> here: SubspaceRaceFree(s) -> not `may_race`; ComputeLocksets -> `_may_reach`;
lsSet(t_i) and mayUse(t, x) -> the locksets of each access.
Differs: locksets start from the points where threads stand now instead of from a trace; threads that are not created
yet take part, two of each start function; a lock that both hold shared does not protect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from raceproof.explore.futures import Futures, LockChange
from raceproof.model import AccessId, RacePair

Held = frozenset[tuple[int, bool]]
"""Tokens that are held; True: shared."""


@dataclass(frozen=True, slots=True)
class StandingThread:
    """Where a thread stands: numbers of points, innermost first, and the tokens that it holds."""

    stack: tuple[int, ...]
    held: Held = frozenset()


def may_race(futures: Futures, threads: Sequence[StandingThread], pairs: Iterable[RacePair]) -> bool:
    """Whether some pair may be executed by two different threads without a lock that protects it."""
    if not futures.is_usable:
        return True
    reach = [_may_reach(futures, thread) for thread in threads]
    for function in sorted(_may_create(futures, threads)):
        new = _may_reach(futures, StandingThread((futures.entries[function],)))
        reach += [new, new]
    for pair in pairs:
        for i, one in enumerate(reach):
            for j, two in enumerate(reach):
                if i != j and not _is_protected(one.get(pair.first, ()), two.get(pair.second, ())):
                    return True
    return False


def _may_reach(futures: Futures, thread: StandingThread) -> dict[AccessId, set[Held]]:
    """The locksets with which each access may happen in the thread."""
    found: dict[AccessId, set[Held]] = {}
    held = thread.held
    for number in thread.stack:
        point = futures.points[number]
        for access in point.accesses:
            found.setdefault(access.access, set()).add(_changed(held, access.change))
        if point.leave is None:
            break
        held = _changed(held, point.leave)
    return found


def _changed(held: Held, change: LockChange) -> Held:
    if change.released is None:
        return frozenset(change.acquired)
    return frozenset(h for h in held if h[0] not in change.released) | frozenset(change.acquired)


def _may_create(futures: Futures, threads: Sequence[StandingThread]) -> set[int]:
    """Start functions of threads that may still be created, by these threads or by those that they create."""
    created: set[int] = set()
    work = [function for thread in threads for function in _created_by(futures, thread.stack)]
    while work:
        function = work.pop()
        if function not in created:
            created.add(function)
            work.extend(_created_by(futures, (futures.entries[function],)))
    return created


def _created_by(futures: Futures, stack: tuple[int, ...]) -> Iterable[int]:
    for number in stack:
        yield from futures.points[number].creates
        if futures.points[number].leave is None:
            break


def _is_protected(first: Collection[Held], second: Collection[Held]) -> bool:
    return all(
        any(a == b and not (shared_a and shared_b) for a, shared_a in one for b, shared_b in two)
        for one in first
        for two in second
    )
