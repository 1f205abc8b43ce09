"""Which locations keep their value as long as anybody could disagree about it.

A location is *stable* if a single thread writes it, and only while no other thread that touches it is running:
configuration that is set before the threads start, a global pointer to a shared structure. Every thread that
reads it then lives between two writes, so threads that run at the same time read the same value.

The writer itself could keep an old value over a write of its own; for it, a load counts only if no write can
follow in the same function (`may_change_after`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raceproof.facts.flow.contexts import SHARED, AccessKey, ThreadRecord
from raceproof.facts.flow.function_info import FunctionInfo
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Call, Instr, SiteId, successors
from raceproof.model import AccessKind, Linear, MemLoc, ObjectId, ThreadId, View

UNSTABLE = ThreadId(-1)


class Stability:
    """Answers from the views of a finished flow."""

    def __init__(
        self,
        world: World,
        records: Iterable[ThreadRecord],
        touched: Mapping[AccessKey, TargetedTouch],
        views: Mapping[AccessKey, tuple[View, ...]],
    ) -> None:
        self._world = world
        self._records = {r.id: r for r in records}
        self._views = views
        self._touched = touched
        self._by_object: dict[ObjectId, list[tuple[MemLoc, AccessKey]]] = {}
        for key, touch in touched.items():
            world.budget.check()
            for target in touch.targets:
                self._by_object.setdefault(target.object, []).append((target, key))
        self._overlapping: dict[MemLoc, frozenset[AccessKey]] = {}
        self._writers: dict[tuple[MemLoc, ...], ThreadId | None] = {}
        self._special: dict[ThreadId, int] | None = None
        self._users: dict[tuple[MemLoc, ...], set[ThreadId]] = {}
        self._only_writers: dict[tuple[MemLoc, ...], ThreadId | None] = {}
        self._users_at: dict[int, tuple[tuple[MemLoc, ...], set[ThreadId]]] = {}  # by identity, as is the next
        self._writer_at: dict[int, tuple[tuple[MemLoc, ...], ThreadId | None]] = {}
        self._places: dict[Linear, frozenset[MemLoc]] = {}
        self._changes: dict[tuple[str, SiteId, frozenset[MemLoc]], bool] = {}

    def holds(
        self, thread: ThreadId, info: FunctionInfo, site: SiteId, address: Linear, size: int, touch: TargetedTouch
    ) -> bool:
        """A load at `site` gives a value that all threads agree on."""
        if not touch.targets:
            return False
        writer = self.writer(touch.targets)
        if writer == UNSTABLE:
            return False
        places = frozenset(touch.targets)
        self._places[address] = self._places.get(address, frozenset()) | places
        is_anothers = writer not in (None, thread)  # with none, who made the object writes it until others get it
        return is_anothers or not self._may_write_after(info, site, places)

    def special(self, thread: ThreadId) -> int:
        """Objects, as bits, with a location that is this thread's own or is written by it alone, whenever that is."""
        if self._special is None:
            self._special = {}
            for targets in {touch.targets for touch in self._touched.values()}:
                bits = sum(1 << o for o in {t.object for t in targets})
                users = self._users_of(self._keys(targets))
                for special in {*(users if len(users) == 1 else ()), self.writer(targets), self._only_writer(targets)}:
                    if special is not None:
                        self._special[special] = self._special.get(special, 0) | bits
        return self._special.get(thread, 0)

    def is_own(self, thread: ThreadId, targets: tuple[MemLoc, ...]) -> bool:
        """No other thread ever touches the location, or it is stable and only this thread writes it."""
        if thread == SHARED or self._records[thread].many or not targets:
            return False
        return self._alone(targets) <= {thread} or self.writer(targets) == thread

    def _alone(self, targets: tuple[MemLoc, ...]) -> set[ThreadId]:
        """Who touches the location; `UNSTABLE`, too, if others may that nobody sees."""
        known = self._users_at.get(id(targets))  # tuples of many places take long to compare
        if known is None or known[0] is not targets:
            if targets not in self._users:
                unseen = any(map(self._world.may_change_unseen, targets))
                self._users[targets] = self._users_of(self._keys(targets)) | ({UNSTABLE} if unseen else set())
            known = self._users_at[id(targets)] = targets, self._users[targets]
        return known[1]

    def writes_alone(self, thread: ThreadId, targets: tuple[MemLoc, ...]) -> bool:
        """Nobody but this thread, of which there is one, ever writes the location, whoever reads it meanwhile: what it
        reads there is what it has written last, or what was there before."""
        return thread != SHARED and bool(targets) and self._only_writer(targets) == thread

    def _only_writer(self, targets: tuple[MemLoc, ...]) -> ThreadId | None:
        if targets not in self._only_writers:
            writing = [key for key in self._keys(targets) if self._touched[key].touch.kind.writes]
            threads = {view.thread for key in writing for view in self._views.get(key, ()) if not view.private}
            only = threads.pop() if len(threads) == 1 else None
            is_one = only is not None and only != SHARED and not self._records[only].many
            unseen = any(map(self._world.may_change_unseen, targets))
            self._only_writers[targets] = only if is_one and not unseen else None
        return self._only_writers[targets]

    def writer(self, targets: tuple[MemLoc, ...]) -> ThreadId | None:
        """The one thread that writes a stable location; None if nobody does; `UNSTABLE` if it is not stable."""
        known = self._writer_at.get(id(targets))
        if known is None or known[0] is not targets:
            if targets not in self._writers:
                self._writers[targets] = self._find_writer(targets)
            known = self._writer_at[id(targets)] = targets, self._writers[targets]
        return known[1]

    def may_change_after(self, thread: ThreadId, info: FunctionInfo, site: SiteId, address: Linear) -> bool:
        """This thread may write the stable location behind `site`, in the same function."""
        return self._may_write_after(info, site, self._places.get(address, frozenset()))

    def _find_writer(self, targets: tuple[MemLoc, ...]) -> ThreadId | None:
        if any(map(self._world.may_change_unseen, targets)):
            return UNSTABLE
        keys = self._keys(targets)
        users = self._users_of(keys)
        writer: ThreadId | None = None
        for key in sorted(keys):
            if not self._touched[key].touch.kind.writes:
                continue
            for view in self._views.get(key, ()):
                if view.private:
                    continue
                if self._records[view.thread].many or writer not in (None, view.thread):
                    return UNSTABLE
                writer = view.thread
                if any(self._may_run(view, other) for other in users if other != writer):
                    return UNSTABLE
        return writer

    def _keys(self, targets: tuple[MemLoc, ...]) -> set[AccessKey]:
        """Accesses that may touch the same bytes."""
        self._world.budget.check()
        found: set[AccessKey] = set()
        for target in targets:
            if target not in self._overlapping:
                others = self._by_object.get(target.object, ())
                self._overlapping[target] = frozenset(key for other, key in others if overlap(target, other))
            found |= self._overlapping[target]
        return found

    def _users_of(self, keys: set[AccessKey]) -> set[ThreadId]:
        return {view.thread for key in keys for view in self._views.get(key, ())}

    def _may_run(self, view: View, other: ThreadId) -> bool:
        """`other` may be running at `view`, as far as the thread of `view` can tell."""
        current: ThreadId | None = other
        while current is not None and current != view.thread:
            if current in view.moment.may_run:
                return True
            current = self._records[current].parent
        return current is None  # not a descendant: nothing is known

    def _may_write_after(self, info: FunctionInfo, site: SiteId, places: frozenset[MemLoc]) -> bool:
        key = (info.function.name, site, places)
        if key not in self._changes:
            self._changes[key] = self._search_write(info, site, places)
        return self._changes[key]

    def _search_write(self, info: FunctionInfo, site: SiteId, places: frozenset[MemLoc]) -> bool:
        start = info.block_of[site]
        reached: dict[str, None] = {}
        work = list(successors(info.blocks[start].terminator))
        while work:
            label = work.pop()
            if label not in reached:
                reached[label] = None
                work.extend(successors(info.blocks[label].terminator))
        later = [i for i in info.blocks[start].body if start in reached or i.id > site]
        return self._may_write(info, later, places) or any(
            self._may_write(info, info.blocks[label].body, places) for label in reached if label != start
        )

    def may_write_in(self, info: FunctionInfo, labels: Iterable[str], places: frozenset[MemLoc]) -> bool:
        """The blocks, or what is called there, may write one of the places."""
        return any(self._may_write(info, info.blocks[label].body, places) for label in labels)

    def _may_write(self, info: FunctionInfo, instructions: Iterable[Instr], places: frozenset[MemLoc]) -> bool:
        """What is called is only known by the objects that it may write. Behind a free nobody looks any more."""
        bits = sum(1 << o for o in {place.object for place in places})
        for instr in instructions:
            touches = self._world.touches(info.function, instr)
            writes = (t for t in touches if t.touch.kind.writes and t.touch.kind is not AccessKind.FREE)
            written = (target for touch in writes for target in touch.targets)
            if any(overlap(place, target) for target in written for place in places):
                return True
            if isinstance(instr, Call) and any(
                self._world.may_modify[name] & bits for name in self._world.called_now(instr)
            ):
                return True
        return False
