"""Deadlock freedom from the order of locks, derived anew: in every circle of waits, two exclude each other.

The facts say where threads may wait, for what, and what they may hold meanwhile (`facts.waiting`): an edge from what is
held to what is wanted. All circles of edges are tried, one after the other. Two edges exclude each other only if they
are of one thread, if creation and join keep them apart, or if both hold one exclusive lock. Circles that the engine
rules out by a cleverer rule are not confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raceproof.core import Budget
from raceproof.evidence.claims import Ruling, accepted, not_checked, not_confirmed, rejected
from raceproof.evidence.order import are_plainly_ordered
from raceproof.ir import SiteId
from raceproof.model import ConcurrentProgram, LockKind, LockMode, Resource, ThreadId, View, Waiting

MAX_STEPS = 200_000


@dataclass(frozen=True, slots=True)
class _Edge:
    """The thread may hold `held` while it waits for `wanted` at `site`."""

    held: Resource
    wanted: Resource
    thread: ThreadId
    site: SiteId


class _TooMany(Exception):
    """More circles than can be tried."""


def check_lock_order(cp: ConcurrentProgram, budget: Budget) -> Ruling:
    """Whether no circle of waiting threads is possible, by the plainest rules."""
    waiting = cp.waiting
    if waiting is None:
        return not_checked("nobody has looked where threads may wait")
    if waiting.unaccounted:
        return rejected(f"threads may wait for what is no lock: {waiting.unaccounted[0]}")
    search = _Search(cp, waiting, budget)
    try:
        circle = search.find()
    except _TooMany:
        return not_confirmed(f"there are more circles in the order of locks than {MAX_STEPS} steps can try")
    if circle is not None:
        places = " and ".join(dict.fromkeys(_place(cp, edge) for edge in circle))
        return not_confirmed(f"no plain rule keeps threads from waiting for one another at {places}")
    return accepted(f"at {len(waiting.waits)} places threads may wait, and never in a circle")


class _Search:
    """All circles, by brute force: each is tried from every edge of it."""

    def __init__(self, cp: ConcurrentProgram, waiting: Waiting, budget: Budget) -> None:
        self._cp = cp
        self._views: Mapping[SiteId, tuple[View, ...]] = waiting.views
        self._budget = budget
        self._steps = 0
        edges = [
            _Edge(held, wanted, wait.thread, wait.site)
            for wait in waiting.waits
            for held in wait.may_hold
            for wanted in wait.may_want
        ]
        self._from: dict[Resource, list[_Edge]] = {}
        for edge in sorted(set(edges), key=str):
            self._from.setdefault(edge.held, []).append(edge)

    def find(self) -> tuple[_Edge, ...] | None:
        """A circle in which all may wait at the same time; None if there is none."""
        for edges in self._from.values():
            for edge in edges:
                if (circle := self._extend((edge,))) is not None:
                    return circle
        return None

    def _extend(self, path: tuple[_Edge, ...]) -> tuple[_Edge, ...] | None:
        """A circle that begins with the path. It comes to no resource twice: one that does is made of smaller ones."""
        self._budget.check()
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _TooMany
        first, last = path[0], path[-1]
        if last.wanted == first.held:
            return path
        if any(edge.held == last.wanted for edge in path):
            return None
        for edge in self._from.get(last.wanted, ()):
            if any(self._exclude(edge, other) for other in path):
                continue
            if (circle := self._extend((*path, edge))) is not None:
                return circle
        return None

    def _exclude(self, a: _Edge, b: _Edge) -> bool:
        """Whether two threads never wait there at the same time."""
        if a.thread == b.thread and not self._cp.threads[a.thread].many:
            return True
        views_a, views_b = self._ways_to(a), self._ways_to(b)
        if not views_a or not views_b:
            return False
        return all(
            are_plainly_ordered(self._cp, view_a, view_b) or _holds_same_lock(self._cp, view_a, view_b)
            for view_a in views_a
            for view_b in views_b
        )

    def _ways_to(self, edge: _Edge) -> list[View]:
        return [view for view in self._views.get(edge.site, ()) if view.thread == edge.thread]


def _holds_same_lock(cp: ConcurrentProgram, a: View, b: View) -> bool:
    """Both hold one lock, which cannot be if one of them has it for itself."""
    for mine in a.held:
        for theirs in b.held:
            is_same = mine.address.is_absolute and (mine.address, mine.kind) == (theirs.address, theirs.kind)
            is_lock = mine.kind in (LockKind.MUTEX, LockKind.ATOMIC_SECTION) or mine.address in cp.exclusive
            if is_same and is_lock and LockMode.EXCLUSIVE in (mine.mode, theirs.mode):
                return True
    return False


def _place(cp: ConcurrentProgram, edge: _Edge) -> str:
    pos = cp.program.instructions_by_site()[edge.site][1].pos
    return f"{pos.file}:{pos.line}" if pos is not None else f"site {edge.site}"
