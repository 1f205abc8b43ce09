"""Which reads need no order: only the thread itself, or an ancestor before the thread was created, can have written.

Such a read is looked up in what these have written. All others are left to the encoding. Errs on the side of fewer:
what is called settled is so in every execution of the unwound program.
"""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.bmc.conflicts import Conflicts
from raceproof.bmc.events import WRITING, Event, Instance
from raceproof.bmc.memory import Memory
from raceproof.ir import SiteId
from raceproof.model import MAIN, AccessId, ThreadId


class Settling:
    """`threads` grows while the program is unwound; those that are finished have all their events."""

    def __init__(
        self, conflicts: Conflicts, threads: Sequence[Instance], memory: Memory, uses_facts: bool = True
    ) -> None:
        self._conflicts = conflicts
        self._cp = cp = conflicts.cp
        self._threads = threads
        self._memory = memory
        self._uses_facts = uses_facts
        self._writers = conflicts.writers
        self._objects = {a.id: frozenset(t.object for t in a.targets) for a in cp.accesses.values()}
        self._by_start: dict[tuple[str, SiteId | None], set[ThreadId]] = {}
        for thread in cp.threads.values():
            if thread.id != MAIN:
                self._by_start.setdefault((thread.start, thread.created_at), set()).add(thread.id)

    def kinds_of(self, thread: Instance) -> set[ThreadId]:
        """The threads of the facts that it may be one of."""
        if thread.created is None:
            return {MAIN}
        return self._by_start.get((thread.function, thread.created.site), set())

    def is_single(self, thread: Instance) -> bool:
        """No other thread of its kind exists, at any time. What the facts call private is so for all of a kind."""
        kinds = self.kinds_of(thread)
        return len(kinds) == 1 and all(kind == MAIN or self._cp.threads[kind].instances == 1 for kind in kinds)

    def is_settled(self, event: Event) -> bool:
        """May its value be looked up? Not without facts, as soon as there are other threads."""
        if self._conflicts.may_be_written_outside(event.accesses):
            return False
        if len(self._threads) == 1:
            return True  # nobody else exists yet
        if not self._uses_facts or (not self.is_single(event.thread) and self._may_be_handed_on(event)):
            return False
        return all(self._is_known(event, writer) for own in event.accesses for writer, _ in self._writers.get(own, ()))

    def _may_be_handed_on(self, event: Event) -> bool:
        """By a thread of the same kind that ran before: the facts do not speak of such pairs."""
        if not event.accesses:
            return True
        kinds = self.kinds_of(event.thread)
        touched = frozenset().union(*(self._objects[own] for own in event.accesses))
        return any(
            access.kind.writes and touched & self._objects[access.id] and kinds & {v.thread for v in access.views}
            for access in self._cp.accesses.values()
        )

    def _is_known(self, event: Event, writer: AccessId) -> bool:
        access = self._cp.accesses[writer]
        mine = self.kinds_of(event.thread)
        for kind in {view.thread for view in access.views}:
            if kind in mine:
                if self._cp.threads[kind].many or len(mine) > 1:
                    return False
                continue  # this thread: what it has written so far is on its list
            if kind != MAIN and self._cp.threads[kind].parent != MAIN:
                return False  # somebody who is not unwound yet may create more of them
            instances = [t for t in self._threads if kind in self.kinds_of(t)]
            if not instances or not all(t.is_finished for t in instances):
                return False
            if not all(self._is_harmless(event, other) for t in instances for other in t.at_site(access.site)):
                return False
        return True

    def _is_harmless(self, event: Event, other: Event) -> bool:
        if other.kind not in WRITING:
            return True
        thread: Instance = event.thread
        while thread.created is not None:
            created = thread.created
            if other.thread is created.thread and other.index < created.index:
                return True
            thread = created.thread
        return not self._memory.may_overlap(event.address, event.size, other.address, other.size)
