"""Spell a pair out for people: names of locations, threads and locks, and which views to show."""

from __future__ import annotations

from itertools import islice, product

from raceproof import facts
from raceproof.core import SourcePos
from raceproof.model import (
    MAIN,
    Access,
    AccessResult,
    ConcurrentProgram,
    Finding,
    HeldLock,
    Linear,
    LockMode,
    MemLoc,
    PairResult,
    RacePair,
    Reason,
    ThreadId,
    View,
)
from raceproof.portfolio.ledger import Decision

# Enough to find two threads that may meet; an access in a library function can have thousands of views.
_MAX_COMBINATIONS = 1000


class Namer:
    """Makes `PairResult`s of one program; names are worked out once, as many pairs share them."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        self._cp = cp
        self._locations: dict[MemLoc, str] = {}
        self._locks: dict[Linear, str] = {}
        self._threads: dict[ThreadId, str] = {}

    def pair(self, number: int, pair: RacePair, decision: Decision, evidence: tuple[str, ...]) -> PairResult:
        first, second = self._cp.accesses[pair.first], self._cp.accesses[pair.second]
        view_1, view_2 = self._views(first, second, decision.finding)
        return PairResult(
            id=number,
            pair=pair,
            verdict=decision.verdict,
            scope=decision.scope,
            engine=decision.finding.engine if decision.finding is not None else None,
            target=self.location(pair.target),
            accesses=(self._access(first, view_1), self._access(second, view_2)),
            evidence=evidence,
        )

    def location(self, location: MemLoc) -> str:
        if location not in self._locations:
            self._locations[location] = facts.describe_location(self._cp, location)
        return self._locations[location]

    def thread(self, thread_id: ThreadId) -> str:
        if thread_id not in self._threads:
            self._threads[thread_id] = self._describe_thread(thread_id)
        return self._threads[thread_id]

    def lock(self, held: HeldLock) -> str:
        if held.address not in self._locks:
            self._locks[held.address] = facts.describe_lock(self._cp, held.address)
        return self._locks[held.address] + (" (shared)" if held.mode is LockMode.SHARED else "")

    def _describe_thread(self, thread_id: ThreadId) -> str:
        if thread_id == MAIN:
            return "main thread"
        thread = self._cp.threads[thread_id]
        created = f", created at {_line(thread.pos)}" if thread.pos is not None else ""
        return f"thread `{self._function(thread.start)}`{created}" + (" (several at once)" if thread.many else "")

    def _function(self, name: str) -> str:
        function = self._cp.program.functions.get(name)
        return function.source_name if function is not None else name

    def _access(self, access: Access, view: View | None) -> AccessResult:
        return AccessResult(
            pos=access.pos,
            function=self._function(access.function),
            kind=access.kind,
            thread=self.thread(view.thread) if view is not None else "unknown thread",
            is_atomic=access.is_atomic,
            held=tuple(sorted(map(self.lock, view.held))) if view is not None else (),
            call_stack=view.call_stack if view is not None else (),
        )

    def _views(self, first: Access, second: Access, finding: Finding | None) -> tuple[View | None, View | None]:
        """The two that the evidence names, else the first two that are not one and the same thread instance."""
        if finding is not None and isinstance(finding.evidence, Reason) and finding.evidence.views is not None:
            return finding.evidence.views
        for a, b in islice(product(first.views, second.views), _MAX_COMBINATIONS):
            if a.thread != b.thread or self._cp.threads[a.thread].many:
                return a, b
        return next(iter(first.views), None), next(iter(second.views), None)


def _line(pos: SourcePos) -> str:
    return f"{pos.file}:{pos.line}"
