"""Execute what a guide tells: find out how many steps each thread takes for it, and drive the race at its end.

The guide is followed one turn at a time: the thread runs on from where the turns so far have brought it, and the steps
that it then shows tell at which one its turn must end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from raceproof.core import Budget
from raceproof.explore.options import ExploreOptions
from raceproof.explore.preparation import Prepared
from raceproof.explore.replay import repeat, repeated
from raceproof.explore.shortening import shortened
from raceproof.model import AccessId, Guide, GuideStep, Run, RunStep, Schedule, Turn

AHEAD = 20_000
"""Steps that are looked at for the end of a turn."""
SHORTENING = 0.5
"""Seconds for leaving out turns that do not matter."""


@dataclass(frozen=True, slots=True)
class Followed:
    """`schedule` if the race was executed and repeated; otherwise `problem` says how far it went."""

    schedule: Schedule | None
    problem: str = ""


def follow(prepared: Prepared, options: ExploreOptions, guide: Guide, budget: Budget) -> Followed:
    """Execute the guide; a race counts if it repeats as often as the options ask. Raises `LimitReached` without
    time."""
    following = _Following(prepared, options, guide, budget)
    try:
        return following.run()
    except _Strayed as strayed:
        return Followed(None, strayed.text)


class _Strayed(Exception):
    """The program did not go where the guide leads."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class _Following:
    """`turns` and `inputs` so far; `kept`: inputs of a thread that its next turn takes."""

    def __init__(self, prepared: Prepared, options: ExploreOptions, guide: Guide, budget: Budget) -> None:
        watched = {number for pair in prepared.pairs for number in pair}
        self._shown: set[AccessId] = watched - prepared.unobserved
        self._prepared = prepared
        self._options = options
        self._guide = guide
        self._budget = budget
        self._turns: list[Turn] = []
        self._inputs: list[int] = []
        self._done: dict[int, int] = {}
        self._kept: dict[int, list[int]] = {}

    def run(self) -> Followed:
        for thread, group in groupby(self._stops(), key=lambda step: step.thread):
            self._turn(thread, list(group))
        stops = [self._stand(racer) for racer in self._guide.racers]
        for racer in reversed(self._guide.racers):  # of threads that have not begun, the second is started first
            self._inputs += self._kept.pop(racer.thread, [])
        return self._drive((stops[0], stops[1]))

    def _stand(self, racer: GuideStep) -> Turn:
        """Bring the thread to its access. One that has nothing to do before is not started here."""
        kept = self._kept.get(racer.thread, [])
        self._inputs += kept
        stop = self._ahead(racer.thread, [racer])[0].number - 1
        if stop > self._done.get(racer.thread, 0):
            self._end_turn(racer.thread, stop)
            self._kept.pop(racer.thread, None)
        elif kept:
            del self._inputs[-len(kept) :]
        return racer.thread, stop

    def _stops(self) -> list[GuideStep]:
        """The steps at which a thread can be held. It runs through all others, and takes their inputs on its way."""
        stops: list[GuideStep] = []
        last: dict[int, int] = {}
        for step in self._guide.steps:
            if step.accesses and not self._is_shown(step):
                at = last[step.thread]
                stops[at] = replace(stops[at], inputs=(*stops[at].inputs, *step.inputs))
            else:
                last[step.thread] = len(stops)
                stops.append(step)
        return stops

    def _is_shown(self, step: GuideStep) -> bool:
        return step.is_shown and (not step.accesses or not self._shown.isdisjoint(step.accesses))

    def _turn(self, thread: int, steps: Sequence[GuideStep]) -> None:
        kept = self._kept.setdefault(thread, [])
        last = max((i for i, step in enumerate(steps) if self._is_shown(step)), default=-1)
        for i, step in enumerate(steps):
            if i == last + 1 and last >= 0:
                self._inputs += kept
                kept.clear()
            kept += step.inputs
        if last < 0:
            return
        if last == len(steps) - 1:
            self._inputs += kept
            kept.clear()
        found = self._ahead(thread, [step for step in steps if self._is_shown(step)])
        self._end_turn(thread, found[-1].number)

    def _end_turn(self, thread: int, until: int) -> None:
        if until > self._done.get(thread, 0):
            self._turns.append((thread, until))
            self._done[thread] = until

    def _ahead(self, thread: int, steps: Sequence[GuideStep]) -> list[RunStep]:
        """The steps of a run in which the thread goes on, as the guide has them."""
        self._budget.check()
        done = self._done.get(thread, 0)
        limit = min(self._options.max_steps, sum(self._done.values()) + AHEAD)
        run = self._run((*self._turns, (thread, done + AHEAD)))
        replayed = repeat(self._prepared, replace(self._options, max_steps=limit), run, None)
        ahead = iter([s for s in replayed.steps if s.thread == thread and s.number > done])
        found = []
        for step in steps:
            match = next((shown for shown in ahead if self._fits(step, shown)), None)
            if match is None:
                raise _Strayed(f"thread {thread} does not come to step {len(self._turns) + 1} of the order")
            found.append(match)
        return found

    def _fits(self, step: GuideStep, shown: RunStep) -> bool:
        if step.accesses:
            return shown.access in step.accesses
        return step.operation in ("", shown.operation) and (shown.site == step.site or step.site < 0)

    def _run(self, turns: tuple[Turn, ...]) -> Run:
        return Run(turns, tuple(self._inputs), self._guide.threads)

    def _drive(self, drive: tuple[Turn, Turn]) -> Followed:
        replayed = repeat(self._prepared, self._options, self._run(tuple(self._turns)), drive)
        threads = sorted(racer.thread for racer in self._guide.racers)
        for race in replayed.races:
            if sorted(race.accesses) != sorted(self._guide.accesses) or sorted(race.threads) != threads:
                continue
            schedule = Schedule(race.run, race.accesses, race.threads, race.together)
            for _ in range(self._options.confirmations):
                again = repeated(self._prepared, self._options, schedule)
                if again is None:
                    return Followed(None, "the race was executed once, but not again by the same schedule")
                schedule = again.kept_in(schedule)
            return Followed(shortened(self._prepared, self._options, schedule, self._budget.part(SHORTENING)))
        return Followed(None, "both threads came to their accesses, but the run did not show the race")
