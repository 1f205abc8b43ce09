"""Make a run that shows a race easier to read: fewer turns, only the context switches that matter.

A turn that is left out is made up for by the next one of the same thread, whose end counts steps from the beginning;
a turn that is merged into an earlier one of its thread comes sooner. Each attempt is executed and must show the same
race; what did not is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raceproof.core import Budget
from raceproof.explore.options import ExploreOptions
from raceproof.explore.preparation import Prepared
from raceproof.explore.replay import repeated
from raceproof.model import Schedule, Turn

MAX_TURNS = 200  # of longer runs only whole parts are left out
_MANY = 16  # turns, of which parts are left out first
_LEAST_PART = 2


def shortened(prepared: Prepared, options: ExploreOptions, schedule: Schedule, budget: Budget) -> Schedule:
    """The schedule, or one with fewer turns that shows the same race; as far as the budget reaches."""
    best = schedule
    progress = True
    while progress:
        progress = False
        for turns in _fewer(best.run.turns):
            if budget.remaining() <= 0:
                return best
            attempt = replace(best, run=replace(best.run, turns=turns))
            replayed = repeated(prepared, options, attempt)
            if replayed is None or replayed.shows_as_well(attempt) != attempt.together:
                continue
            if repeated(prepared, options, attempt) is not None:
                best = replayed.kept_in(attempt)
                progress = True
                break
    return best


def _fewer(turns: tuple[Turn, ...]) -> Iterator[tuple[Turn, ...]]:
    """Each way to have fewer turns by one change: those near the end first, where the race is. Of many turns, large
    parts first."""
    part = len(turns) // 2 if len(turns) > _MANY else 0
    while part >= _LEAST_PART:
        for i in range(0, len(turns) - part, part):
            yield _joined((*turns[:i], *turns[i + part :]))
        part //= 2
    if len(turns) > MAX_TURNS:
        return
    for i in reversed(range(len(turns))):
        thread, until = turns[i]
        if any(who == thread for who, _ in turns[i + 1 :]):
            yield _joined((*turns[:i], *turns[i + 1 :]))
        earlier = [j for j in range(i) if turns[j][0] == thread]
        if earlier:
            j = earlier[-1]
            yield _joined((*turns[:j], (thread, until), *turns[j + 1 : i], *turns[i + 1 :]))


def _joined(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Neighbours of one thread are one turn."""
    return tuple(t for i, t in enumerate(turns) if i + 1 == len(turns) or turns[i + 1][0] != t[0])
