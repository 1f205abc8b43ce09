"""Which locations keep their value as long as anybody could disagree about it.

A location is *stable* if a single thread writes it, and only while no other thread that touches it is running:
configuration that is set before the threads start, a global pointer to a shared structure. Every thread that
reads it then lives between two writes, so threads that run at the same time read the same value.

The writer itself could keep an old value over a write of its own; for it, a load counts only if no write can
follow in the same function (`may_change_after`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from raceproof.facts.flow.contexts import SHARED, AccessKey, ThreadRecord
from raceproof.facts.flow.function_info import FunctionInfo
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Call, Instr, SiteId, successors
from raceproof.model import AccessKind, Linear, MemLoc, ObjectId, ThreadId, View

UNSTABLE = ThreadId(-1)


@dataclass(frozen=True, slots=True)
class _Users:
    """Threads, as bits, that touch a location, and that write it where others may look."""

    used_by: int = 0
    written_by: int = 0

    def __or__(self, other: _Users) -> _Users:
        return _Users(self.used_by | other.used_by, self.written_by | other.written_by)


@dataclass(slots=True)
class _Place:
    """What is known of a location; `set` is `targets`; `is_unseen`: others may write it that no flow sees. `writer` as
    in `Stability.writer`, once it `is_decided`."""

    targets: tuple[MemLoc, ...]
    set: frozenset[MemLoc]
    users: _Users
    is_unseen: bool
    writer: ThreadId | None = None
    is_decided: bool = False


def _bits(threads: Iterable[ThreadId]) -> int:
    found = 0
    for thread in threads:
        found |= 1 << thread
    return found


def _sole(bits: int) -> ThreadId | None:
    """The one thread there is."""
    return ThreadId(bits.bit_length() - 1) if bits and not bits & (bits - 1) else None


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
        self._used_by = {key: _bits(view.thread for view in views.get(key, ())) for key in touched}
        self._written_by = {
            key: _bits(view.thread for view in views.get(key, ()) if not view.private)
            for key, touch in touched.items()
            if touch.touch.kind.writes
        }
        self._at: dict[MemLoc, _Users] = {}
        self._of: dict[tuple[MemLoc, ...], _Place] = {}
        self._of_same: dict[int, _Place] = {}  # by identity: tuples of many places take long to compare
        self._special: dict[ThreadId, int] | None = None
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
        places = self._place(touch.targets).set
        known = self._places.get(address, places)
        self._places[address] = places if known is places else known | places
        is_anothers = writer not in (None, thread)  # with none, who made the object writes it until others get it
        return is_anothers or not self._may_write_after(info, site, places)

    def special(self, thread: ThreadId) -> int:
        """Objects, as bits, with a location that is this thread's own or is written by it alone, whenever that is."""
        if self._special is None:
            self._special = {}
            for targets in {id(touch.targets): touch.targets for touch in self._touched.values()}.values():
                bits = sum(1 << o for o in {t.object for t in targets})
                users = self._place(targets).users.used_by
                only_user = _sole(users) if users else None
                for special in {only_user, self.writer(targets), self._only_writer(targets)}:
                    if special is not None:
                        self._special[special] = self._special.get(special, 0) | bits
        return self._special.get(thread, 0)

    def is_own(self, thread: ThreadId, targets: tuple[MemLoc, ...]) -> bool:
        """No other thread ever touches the location, or it is stable and only this thread writes it."""
        if thread == SHARED or self._records[thread].many or not targets:
            return False
        place = self._place(targets)
        is_alone = not place.is_unseen and not place.users.used_by & ~_bits((thread,))
        return is_alone or self.writer(targets) == thread

    def writes_alone(self, thread: ThreadId, targets: tuple[MemLoc, ...]) -> bool:
        """Nobody but this thread, of which there is one, ever writes the location, whoever reads it meanwhile: what it
        reads there is what it has written last, or what was there before."""
        return thread != SHARED and bool(targets) and self._only_writer(targets) == thread

    def _only_writer(self, targets: tuple[MemLoc, ...]) -> ThreadId | None:
        place = self._place(targets)
        only = _sole(place.users.written_by)
        if place.is_unseen or only is None or only == SHARED or self._records[only].many:
            return None
        return only

    def writer(self, targets: tuple[MemLoc, ...]) -> ThreadId | None:
        """The one thread that writes a stable location; None if nobody does; `UNSTABLE` if it is not stable."""
        place = self._place(targets)
        if not place.is_decided:
            place.writer, place.is_decided = self._find_writer(targets, place), True
        return place.writer

    def may_change_after(self, thread: ThreadId, info: FunctionInfo, site: SiteId, address: Linear) -> bool:
        """This thread may write the stable location behind `site`, in the same function."""
        return self._may_write_after(info, site, self._places.get(address, frozenset()))

    def _find_writer(self, targets: tuple[MemLoc, ...], place: _Place) -> ThreadId | None:
        if place.is_unseen:
            return UNSTABLE
        if not place.users.written_by:
            return None
        writer = _sole(place.users.written_by)
        if writer is None or self._records[writer].many:
            return UNSTABLE
        self._world.budget.check()
        others = [r for r in self._records if r != writer and place.users.used_by & _bits((r,))]
        written = {key for target in targets for key in self._overlapping(target) if key in self._written_by}
        beside = {v.moment.may_run for key in written for v in self._views.get(key, ()) if not v.private}
        return UNSTABLE if any(self._may_run(writer, m, other) for m in beside for other in others) else writer

    def _place(self, targets: tuple[MemLoc, ...]) -> _Place:
        known = self._of_same.get(id(targets))
        if known is None or known.targets is not targets:
            known = self._of.get(targets)
            if known is None:
                self._world.budget.check()
                users = _Users()
                for target in targets:
                    users |= self._users_at(target)
                unseen = any(map(self._world.may_change_unseen, targets))
                known = self._of[targets] = _Place(targets, frozenset(targets), users, unseen)
            self._of_same[id(targets)] = known if known.targets is targets else replace(known, targets=targets)
        return self._of_same[id(targets)]

    def _users_at(self, target: MemLoc) -> _Users:
        known = self._at.get(target)
        if known is None:
            known = _Users()
            for key in self._overlapping(target):
                known |= _Users(self._used_by[key], self._written_by.get(key, 0))
            self._at[target] = known
        return known

    def _overlapping(self, target: MemLoc) -> list[AccessKey]:
        """Accesses that may touch the same bytes."""
        return [key for other, key in self._by_object.get(target.object, ()) if overlap(target, other)]

    def _may_run(self, thread: ThreadId, may_run: frozenset[ThreadId], other: ThreadId) -> bool:
        """`other` may be running where `may_run` holds, as far as the thread can tell."""
        current: ThreadId | None = other
        while current is not None and current != thread:
            if current in may_run:
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
