"""What the formats for other programs need to know of the run of a race: who raced, who created whom, who held what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raceproof.core import InternalError
from raceproof.model import AccessResult, PairResult, RaceResult, ThreadResult, Trace, TraceStep

_CREATIONS = ("pthread_create", "thrd_create")


@dataclass(frozen=True, slots=True)
class Hold:
    """A thread has a lock from the step at index `start` on; `end` is the step that gave it up, None if none did."""

    thread: int
    lock: str
    start: int
    end: int | None


def race_of(pair: PairResult) -> RaceResult:
    if pair.race is None:
        raise InternalError(f"pair {pair.id} is no race")
    return pair.race


def racing(pair: PairResult) -> tuple[tuple[int, AccessResult], ...]:
    """The two accesses with the numbers of their threads, as the trace has them or, without a trace, the schedule."""
    race = race_of(pair)
    if race.trace is not None and race.trace.racing:
        return race.trace.racing
    first, second = race.schedule.racers
    if race.schedule.accesses[0] != pair.pair.first:
        first, second = second, first
    return ((first, pair.accesses[0]), (second, pair.accesses[1]))


def threads_of(race: RaceResult) -> tuple[ThreadResult, ...]:
    return race.trace.threads if race.trace is not None else race.threads


def steps_of(race: RaceResult) -> tuple[TraceStep, ...]:
    return race.trace.steps if race.trace is not None else ()


def holds(trace: Trace) -> Iterator[Hold]:
    """Every lock that was held, in the order in which they were given up; those never given up at the end."""
    taken: dict[tuple[int, str], int] = {}
    for i, step in enumerate(trace.steps):
        mine = [lock for thread, lock in taken if thread == step.thread]
        for lock in mine:
            if lock not in step.held:
                yield Hold(step.thread, lock, taken.pop((step.thread, lock)), i)
        for lock in step.held:
            taken.setdefault((step.thread, lock), i)
    for (thread, lock), start in taken.items():
        yield Hold(thread, lock, start, None)


def creations(trace: Trace) -> Iterator[tuple[int, int]]:
    """(index of the step, thread that it created): a thread creates others in the order of their numbers.

    Counted from the end, because of a long run the trace has only the last steps.
    """
    children: dict[int, list[int]] = {}
    for thread in sorted(trace.threads, key=lambda t: t.id):
        if thread.id != 0:
            children.setdefault(thread.parent, []).append(thread.id)
    for i, step in reversed(list(enumerate(trace.steps))):
        if step.operation in _CREATIONS and children.get(step.thread):
            yield i, children[step.thread].pop()
