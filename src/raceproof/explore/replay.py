"""Run one schedule again: to confirm a race before it is reported, and to show it step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace

from raceproof.explore.options import ExploreOptions
from raceproof.explore.preparation import Prepared
from raceproof.explore.process import run_host
from raceproof.explore.protocol import Control, OtherRecord, RaceRecord, of_kind
from raceproof.model import Block, Role, Run, RunStep, Schedule, Turn

TIME_LIMIT = 60.0
"""Seconds for one execution, which the search has already seen end."""


_ATTEMPTS = 5


def attempts_of(options: ExploreOptions) -> int:
    """How often a run is tried until it repeats: what clients and servers send arrives in other parts at times, as when
    the machine is busy."""
    return _ATTEMPTS if options.surroundings.clients or options.surroundings.servers else 1


KEPT_STEPS = 5000
"""Of a long run, the last ones are enough to see what happened."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One execution as it went; `record` has the steps and what else was told of them, in order."""

    steps: tuple[RunStep, ...]
    races: tuple[RaceRecord, ...]
    others: tuple[OtherRecord, ...]
    problem: str | None
    record: tuple[RunStep, ...] = ()
    blocks: tuple[Block, ...] = ()

    def kept_in(self, schedule: Schedule) -> Schedule:
        """The schedule with the steps of this execution; of a long one the last.

        Where the two accesses were made, and the threads stand before others in the end, they did not stand together.
        Threads may take their inputs in another order than in the run that the schedule comes from.
        """
        is_long = len(self.record) > KEPT_STEPS
        record = () if is_long else self.record
        sites = next((race.run.input_sites for race in self.races if shows(race, schedule)), None)
        if sites is not None:
            schedule = replace(schedule, run=replace(schedule.run, input_sites=sites))
        return replace(
            schedule,
            steps=self.steps[-KEPT_STEPS:],
            record=record,
            together=self.shows_as_well(schedule),
            blocks=self.blocks,
        )

    def shows_as_well(self, schedule: Schedule) -> bool:
        """Whether both threads stand before the accesses of the schedule, if they are to."""
        return schedule.together and any(race.together for race in self.races if shows(race, schedule))


def repeated(prepared: Prepared, options: ExploreOptions, schedule: Schedule) -> Replayed | None:
    """Run the schedule again; None unless that shows the same race: the same accesses in the same threads."""
    replayed = repeat(prepared, options, schedule.run, drive_of(schedule))
    return replayed if any(shows(found, schedule) for found in replayed.races) else None


def shows(found: RaceRecord, schedule: Schedule) -> bool:
    expected = zip(schedule.accesses, schedule.racers, strict=True)
    return sorted(zip(found.accesses, found.threads, strict=True)) == sorted(expected)


def drive_of(schedule: Schedule) -> tuple[Turn, Turn] | None:
    """Where both threads stand at the end of a run that brings them there together."""
    if not schedule.together:
        return None
    first, second = schedule.racers
    return (first, schedule.run.steps_of(first)), (second, schedule.run.steps_of(second))


def repeat(
    prepared: Prepared, options: ExploreOptions, run: Run, drive: tuple[Turn, Turn] | None, last: int = 0
) -> Replayed:
    """Run the program once, as `run` says, to its end; `last`: tell so many steps of it, of the last ones (0: all, or
    of a program that tells of every access as many as are kept)."""
    control = Control(
        algorithm=options.algorithm,
        find_all=True,
        max_executions=1,
        time_limit=TIME_LIMIT,
        max_steps=options.max_steps,
        isolation=prepared.isolation,
        spurious=options.spurious,
        arguments=(prepared.name, *options.arguments),
        pairs=prepared.pairs,
        candidates=prepared.candidates,
        futures=prepared.futures,
        replay=run,
        drive=drive,
        told=prepared.told,
        last=last or (KEPT_STEPS + 1 if prepared.told else 0),
        surroundings=options.surroundings,
    )
    host_run = run_host(prepared.host, prepared.program, control)
    if host_run.interrupted:
        raise KeyboardInterrupt
    record = tuple(of_kind(host_run.records, RunStep))
    return Replayed(
        steps=tuple(step for step in record if step.role is Role.STEP),
        races=tuple(of_kind(host_run.records, RaceRecord)),
        others=tuple(of_kind(host_run.records, OtherRecord)),
        problem=host_run.problem,
        record=record,
        blocks=tuple(of_kind(host_run.records, Block)),
    )
