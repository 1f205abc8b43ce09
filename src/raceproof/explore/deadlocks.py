"""Deadlocks that a search has executed: each is run again before it is reported, and shown with who waits for what.

A search that looked for deadlocks and found none proves that there are none, for this input, under the conditions of
every exhaustive search (`engine`), and if it has met no data race: behind one the program may do anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.explore.options import ExploreOptions
from raceproof.explore.preparation import Prepared
from raceproof.explore.protocol import OtherRecord
from raceproof.explore.replay import KEPT_STEPS, Replayed, repeat
from raceproof.model import (
    Deadlock,
    DeadlockFinding,
    DeadlockVerdict,
    Exhausted,
    Reason,
    Role,
    Scope,
)

KIND = "deadlock"
LIVELOCK = "livelock"
MOST_SHOWN = 10
"""Deadlocks that are repeated: with more, nobody looks at each."""


def executed_deadlocks(
    prepared: Prepared, options: ExploreOptions, records: Sequence[OtherRecord]
) -> tuple[tuple[Deadlock, ...], bool]:
    """The deadlocks among what a search ran into, each repeated; and whether one of them did not repeat."""
    found: list[Deadlock] = []
    is_doubtful = False
    for record in [record for record in records if record.kind == KIND][:MOST_SHOWN]:
        options.on_progress("engine explore: repeating a deadlock")
        deadlock = _confirmed(prepared, options, record)
        if deadlock is None:
            is_doubtful = True
        else:
            found.append(deadlock)
    return tuple(found), is_doubtful


def _confirmed(prepared: Prepared, options: ExploreOptions, record: OtherRecord) -> Deadlock | None:
    """The deadlock of the record, if it happens again as often as it must, with all threads at the same places."""
    first: Deadlock | None = None
    for _ in range(options.confirmations):
        again = deadlock_in(record, repeat(prepared, options, record.run, None))
        if again is None or (first is not None and again != first):
            return None
        first = again
    return first


def deadlock_in(record: OtherRecord, replayed: Replayed) -> Deadlock | None:
    """The deadlock in which a repeated run ends; None if it does not."""
    blocked = tuple(step for step in replayed.record if step.role is Role.NEXT)
    if not blocked or not any(other.kind == KIND for other in replayed.others):
        return None
    kept = replayed.record if len(replayed.record) <= KEPT_STEPS else ()
    return Deadlock(record.run, record.site, blocked, replayed.steps[-KEPT_STEPS:], kept)


def judge(
    engine: str,
    found: tuple[Deadlock, ...],
    is_doubtful: bool,
    obstacle: str | None,
    has_race: bool,
    proof: Exhausted,
    *,
    has_livelock: bool = False,
) -> DeadlockFinding:
    """What follows from a search for deadlocks. `obstacle`: why it proves nothing."""
    if found:
        return DeadlockFinding(DeadlockVerdict.DEADLOCK, found, engine)
    if has_livelock:
        obstacle = "a livelock: a run comes to where no thread can end any more, though all that go on could"
    if is_doubtful:
        obstacle = "possible: an execution ended in a deadlock, but the same schedule did not again"
    elif obstacle is None and has_race:
        obstacle = "no deadlock in any schedule, but the program has a data race, behind which it may do anything"
    if obstacle is not None:
        return DeadlockFinding(DeadlockVerdict.UNKNOWN, Reason(obstacle), engine)
    scope = Scope.BOUNDED if proof.bounds else Scope.THIS_INPUT
    return DeadlockFinding(DeadlockVerdict.DEADLOCK_FREE, proof, engine, scope)
