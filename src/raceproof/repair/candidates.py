"""What could repair a racy location, the most likely first: the lock that other accesses hold, a join, `_Atomic`, a
lock that is there, one of its own. Each is only a proposal: `trial` says whether it is right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from raceproof.core import SourcePos
from raceproof.frontend import SyntaxTree
from raceproof.model import SHARED_MARK, AccessKind, AccessResult, PairResult, Verdict
from raceproof.repair.declarations import atomic, is_counter_or_flag, new_mutex
from raceproof.repair.edits import Edit
from raceproof.repair.joins import joins
from raceproof.repair.locks import LockExpression, bare_name, beside, globals_visible, is_call, lock_type, written
from raceproof.repair.sections import Held, sections
from raceproof.repair.source import Spot, spots
from raceproof.report import Location

Ways = Callable[[Spot], Iterable[LockExpression]]
"""How a lock may be written at a spot, the most certain first."""
_MOST_WAYS = 3
_CREATED = re.compile(r"created at (.*):(\d+)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """`title` says what the edits do, as advice. `waits`: a thread waits for another one where it did not before."""

    title: str
    edits: tuple[Edit, ...]
    waits: bool = False


@dataclass(frozen=True)
class Scene:
    """A racy location in its sources. `root`: what the names of files in it are seen from."""

    location: Location
    trees: Sequence[SyntaxTree]
    root: str

    def accesses(self, everything: bool) -> dict[SourcePos, list[AccessResult]]:
        """By position: of races only, or of all pairs that are not proved."""
        found: dict[SourcePos, list[AccessResult]] = {}
        for pair in self.location.undecided:
            if everything or pair.verdict is Verdict.RACE:
                for access in pair.accesses:
                    if access.pos is not None and access.kind is not AccessKind.FREE:
                        found.setdefault(access.pos, []).append(access)
        return found


def candidates(scene: Scene) -> Iterator[Candidate]:
    """Those that differ; at most a few dozen."""
    seen: set[tuple[Edit, ...]] = set()
    for candidate in _all(scene):
        key = tuple(sorted(candidate.edits))
        if candidate.edits and key not in seen:
            seen.add(key)
            yield candidate


def _all(scene: Scene) -> Iterator[Candidate]:
    held = _held_locks(scene.location)
    yield from _for_writing(scene)
    for lock in held:
        yield from _with_lock(scene, lock)
    yield from _joined(scene)
    if not held and is_counter_or_flag(scene.location.name, scene.trees):
        yield from _atomic(scene)
    yield from _any_lock(scene)
    yield from _own_lock(scene)
    yield from _atomic(scene)


def _held_locks(location: Location) -> list[str]:
    """Locks that some access holds, the one that most hold first."""
    counts: Counter[str] = Counter()
    for pair in location.pairs:
        for access in pair.accesses:
            counts.update(lock.removesuffix(SHARED_MARK) for lock in access.held)
    usual = [location.usual_lock[0]] if location.usual_lock is not None else []
    return list(dict.fromkeys([*usual, *(lock for lock, _ in counts.most_common())]))


def _with_lock(scene: Scene, lock: str) -> Iterator[Candidate]:
    for everything in (True, False):
        missing = {
            pos: found
            for pos, found in scene.accesses(everything).items()
            if not all(_holds(access, lock) for access in found)
        }
        if missing:
            bare = {pos: [a for a in found if not _holds(a, lock)] for pos, found in missing.items()}
            yield from _around(scene, missing, lambda spot: written(lock, spot, scene.trees), bare_name(lock))
            yield from _around_calls(scene, bare, lambda spot: written(lock, spot, scene.trees), bare_name(lock))


def _holds(access: AccessResult, lock: str) -> bool:
    return lock in (held.removesuffix(SHARED_MARK) for held in access.held)


def _around(scene: Scene, missing: dict[SourcePos, list[AccessResult]], ways: Ways, name: str) -> Iterator[Candidate]:
    found = [(spot, any(a.kind.writes for a in accesses)) for pos, accesses in missing.items()
             for spot in spots(scene.trees, pos, scene.root)]  # fmt: skip
    if len({(s.function.file, s.offset) for s, _ in found}) < len(missing):
        return  # an access without a statement that could be wrapped
    yield from _held(found, ways, f"hold {name} at {_places(missing)}")


def _around_calls(
    scene: Scene, missing: dict[SourcePos, list[AccessResult]], ways: Ways, name: str
) -> Iterator[Candidate]:
    """Around the calls of the functions with the accesses, where these are known."""
    calls = {a.call_stack[-1]: a.kind.writes for found in missing.values() for a in found if a.call_stack}
    if calls and all(a.call_stack for found in missing.values() for a in found):
        found = [(spot, writes) for pos, writes in calls.items() for spot in spots(scene.trees, pos, scene.root)]
        if len(found) >= len(calls):
            yield from _held(found, ways, f"hold {name} around the call at {_places(calls)}")


def _held(found: Sequence[tuple[Spot, bool]], ways: Ways, title: str) -> Iterator[Candidate]:
    options = [list(dict.fromkeys(ways(spot))) for spot, _ in found]
    if not options or not all(options):
        return
    for choice in range(min(max(map(len, options)), _MOST_WAYS)):
        wanted = [
            Held(spot, ways_here[min(choice, len(ways_here) - 1)], writes)
            for (spot, writes), ways_here in zip(found, options, strict=True)
        ]
        edits = sections(wanted)
        if edits:
            yield Candidate(title, tuple(edits))


def _for_writing(scene: Scene) -> Iterator[Candidate]:
    """A lock for readers that is held where something is written: take it for writing."""
    edits, places = [], {}
    for pos, found in scene.accesses(True).items():
        if any(a.kind.writes and any(h.endswith(SHARED_MARK) for h in a.held) for a in found):
            for spot in spots(scene.trees, pos, scene.root):
                calls = [n for n in spot.function.walk()
                         if is_call(n, ["pthread_rwlock_rdlock"]) and n.begin < spot.offset]  # fmt: skip
                if calls and not calls[-1].in_macro:
                    at = calls[-1].begin
                    edits.append(
                        Edit(calls[-1].file, at, at + len("pthread_rwlock_rdlock"), 0, "pthread_rwlock_wrlock")
                    )
                    places[pos] = found
    if edits:
        yield Candidate(f"take the lock for writing at {_places(places)}", tuple(dict.fromkeys(edits)))


def _joined(scene: Scene) -> Iterator[Candidate]:
    for pair in scene.location.undecided:
        for used, other in (pair.accesses, pair.accesses[::-1]):
            created = _created(pair, other)
            if used.pos is None or created is None or not used.thread.startswith("main"):
                continue
            for edits in joins(used.pos, created, scene.trees, scene.root):
                where = f"{used.pos.file}:{used.pos.line}"
                title = f"join the thread created at line {created.line} before {where}"
                yield Candidate(title, tuple(edits), waits=True)


def _created(pair: PairResult, access: AccessResult) -> SourcePos | None:
    """Where the thread of the access is created."""
    match = _CREATED.search(access.thread)
    if match is None:
        return None
    if pair.race is not None:
        for thread in pair.race.threads:
            if thread.created is not None and (thread.created.file, str(thread.created.line)) == match.groups():
                return thread.created
    return SourcePos(match[1], int(match[2]), 0)


def _atomic(scene: Scene) -> Iterator[Candidate]:
    edits = atomic(scene.location.name, scene.trees)
    if edits:
        yield Candidate(f"make {scene.location.name} _Atomic", tuple(edits))


def _any_lock(scene: Scene) -> Iterator[Candidate]:
    """A lock beside the data, or one that is a variable."""
    missing = scene.accesses(True)
    if missing:
        yield from _around(scene, missing, beside, "the lock beside it")
        found = [s for pos in missing for s in spots(scene.trees, pos, scene.root)]
        for lock in dict.fromkeys(lock.text for spot in found for lock in globals_visible(spot)):
            yield from _around(scene, missing, _only(lock), lock.removeprefix("&"))


def _own_lock(scene: Scene) -> Iterator[Candidate]:
    missing, type_ = scene.accesses(True), lock_type("pthread_mutex_t")
    found = [spot for pos in missing for spot in spots(scene.trees, pos, scene.root)]
    made = new_mutex(scene.location.name, found) if found else None
    if made is None or type_ is None:
        return
    name, edits = made
    for candidate in _around(scene, missing, lambda spot: [LockExpression(f"&{name}", type_)], f"a new lock, {name},"):
        yield Candidate(candidate.title, (*edits, *candidate.edits))


def _only(text: str) -> Ways:
    return lambda spot: [lock for lock in globals_visible(spot) if lock.text == text]


def _places(positions: Iterable[SourcePos]) -> str:
    return ", ".join(dict.fromkeys(f"{pos.file}:{pos.line}" for pos in sorted(positions, key=_order)))


def _order(pos: SourcePos) -> tuple[str, int, int]:
    return pos.file, pos.line, pos.column
