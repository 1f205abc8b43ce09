"""All searches of the explorer on one build of a program, each told only its name: what did they see?

The tests build once for all six, with the tables that the pruning ones need; `explore.run` builds for one of them, and
says what follows from what it saw. Here only that is told: races, whether the search came to its end, what was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from raceproof import explore
from raceproof.core import Budget
from raceproof.explore.engine import control
from raceproof.explore.preparation import Prepared
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import BoundedRecord, OtherRecord, RaceRecord, of_kind
from raceproof.frontend import LinkedModule
from raceproof.model import ConcurrentProgram, RacePair
from raceproof.portfolio import ordered_pairs

ORACLE: Final = "dfs"
ALL: Final = ("dfs", "dpor", "pdp", "dhtc", "optimal", "race")
CLASSES: Final = "classes"
"""Not a search of its own: it goes through all schedules as `dfs` does, and counts classes of equivalent ones."""
SWEEP: Final = "sweep"
"""`race` without its hunts, which find many races by luck: what it proves rests on the sweep alone."""
UNHUNTED: Final = "unhunted"
"""`dhtc` without its hunts."""
OPEN: Final = "sweep, open pairs"
"""The sweep as `check` runs it: it is told only of the pairs that lockset leaves open."""
BY_HAPPENS_BEFORE: Final = ("dfs", "optimal", "race")
"""Those that detect races by happens-before. The others ask whether both threads stand before their accesses, which
is the same only without weaker atomics."""
NOT_ALL_INPUTS: Final = "not all values of the inputs were tried"

Key = tuple[int, int]
"""The two accesses of a pair, the smaller number first."""
Lines = tuple[int, int]
"""Their lines, the smaller one first; 0 is none."""


@dataclass(frozen=True, slots=True)
class Limits:
    """For one search on one program, seconds also for each of the other engines."""

    executions: int = 200_000
    seconds: float = 30.0


LIMITS: Final = Limits()


def key_of(pair: RacePair) -> Key:
    first, second = sorted((int(pair.first), int(pair.second)))
    return first, second


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search saw. `together`: races with a run after which both threads stand before their accesses.

    `end` is "complete" if the search came to its end; `bounds`: what was cut on the way; `problem`: how it failed;
    `classes`: of equivalent executions, if they were counted.
    """

    algorithm: str
    races: frozenset[Key]
    together: frozenset[Key]
    end: str | None
    bounds: tuple[str, ...]
    executions: int
    blocked: int
    incidents: tuple[str, ...]
    problem: str | None
    classes: int = 0

    @property
    def is_racy(self) -> bool:
        return bool(self.races)

    @property
    def is_complete(self) -> bool:
        """Every schedule was tried, with some values of the inputs."""
        return self.end == "complete" and set(self.bounds) <= {NOT_ALL_INPUTS}

    @property
    def has_all_inputs(self) -> bool:
        return NOT_ALL_INPUTS not in self.bounds

    def __str__(self) -> str:
        verdict = f"races {sorted(self.races)}" if self.races else "no race"
        rest = f", blocked {self.blocked}" if self.blocked else ""
        rest += "".join(f", {what}" for what in (self.problem or self.end, *self.bounds, *self.incidents) if what)
        return f"{self.algorithm:8} {self.executions:7} executions{rest}: {verdict}"


class Searches:
    """A program, built. Raises what `explore.prepare` raises."""

    def __init__(
        self, cp: ConcurrentProgram, pairs: Sequence[RacePair], module: LinkedModule, limits: Limits = LIMITS
    ) -> None:
        budget = Budget.seconds(limits.seconds)
        self._limits = limits
        self.options = explore.ExploreOptions(
            module=module,
            algorithm="race",
            find_all=True,
            max_executions=limits.executions,
            ordered=ordered_pairs(cp, pairs, budget),
            confirmations=0,
        )
        prepared = explore.prepare(cp, pairs, self.options, budget)
        # Orders of steps are compared: whether weaker atomics allow other executions is not asked.
        self.prepared: Prepared = replace(prepared, known=prepared.known - {"weaker"})

    @property
    def has_blind_spots(self) -> bool:
        """Whether library code touches something unseen."""
        return bool(self.prepared.unobserved)

    def run(self, algorithm: str) -> Outcome:
        # The oracle's limit says which programs are small enough; the others try inputs in another way.
        executions = self._limits.executions * (1 if algorithm == ORACLE else 4)
        options = replace(self.options, algorithm=algorithm, max_executions=executions)
        found = self._run(options)
        if found.end is None and self.prepared.isolation == "memory":  # the program took the host down with it
            self.prepared = replace(self.prepared, isolation="fork")
            found = self._run(options)
        races = of_kind(found.records, RaceRecord)
        stats = found.stats()
        return Outcome(
            algorithm=algorithm,
            races=frozenset(_key(race) for race in races),
            together=frozenset(_key(race) for race in races if race.together),
            end=found.end,
            bounds=tuple(dict.fromkeys(record.reason for record in of_kind(found.records, BoundedRecord))),
            executions=int(stats.get("executions", 0)),
            blocked=int(stats.get("blocked", 0)),
            incidents=tuple(sorted({record.kind for record in of_kind(found.records, OtherRecord)})),
            problem=found.problem,
            classes=int(stats.get("classes", 0)),
        )

    def _run(self, options: explore.ExploreOptions) -> HostRun:
        return run_host(
            self.prepared.host, self.prepared.program, control(self.prepared, options, self._limits.seconds)
        )


def _key(race: RaceRecord) -> Key:
    first, second = sorted(map(int, race.accesses))
    return first, second
