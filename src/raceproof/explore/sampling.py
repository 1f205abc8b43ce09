"""Run a program by schedules that are drawn, before anything is known about it: `raceproof run`.

Every access is told to the runtime, but for those to variables that a function keeps to itself. Each execution detects
races by happens-before; its trace is then searched for races that another order of the same events would show, and
those are executed. A race counts when it was executed once more. Nothing is proved by that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from raceproof.core import Budget, InternalError, Unsupported
from raceproof.explore.build import build_host, build_program, replaced_functions
from raceproof.explore.hooks import hooks_for
from raceproof.explore.options import ExploreOptions
from raceproof.explore.preparation import Prepared, isolation_of, known_of, module_hash, name_of
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import (
    SAMPLE,
    BoundedRecord,
    Control,
    OtherRecord,
    PossibleRecord,
    ProgressRecord,
    RaceRecord,
    of_kind,
)
from raceproof.explore.repeated_accesses import repeated_accesses
from raceproof.explore.replay import attempts_of, repeated
from raceproof.explore.shortening import shortened
from raceproof.ir import SiteId
from raceproof.model import AccessId, ConcurrentProgram, Incident, RunSetup, Schedule

DEFAULT_RUNS = 100
DEFAULT_SAMPLING = "mixed"
MAX_STEPS = 4_000_000_000
"""Of one execution: a thread's steps are counted with 32 bits."""
_SHORTENED = 20  # races that are shortened
_SHORTENING = 0.3  # of the time that the runs took, but at least
_LEAST_SHORTENING = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """`runs` executions at most (0: no limit), the first one by `seed`, the next by the number behind it."""

    runs: int = DEFAULT_RUNS
    seed: int = 1
    sampling: str = DEFAULT_SAMPLING
    seconds: float = 0.0
    max_steps: int = MAX_STEPS
    on_progress: Callable[[str], None] = field(default=lambda text: None, compare=False)


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the runs showed. `races`: executed and repeated; `unrepeated`: seen, but not again; `possible`: predicted,
    but not executed. `end`: why there were no more runs."""

    races: tuple[Schedule, ...]
    unrepeated: tuple[RaceRecord, ...]
    possible: tuple[PossibleRecord, ...]
    incidents: tuple[Incident, ...]
    bounds: tuple[tuple[str, SiteId | None], ...]
    end: str
    stats: dict[str, int | float]
    setup: RunSetup
    notes: tuple[str, ...]
    interrupted: bool
    seconds: float


def prepare_all(cp: ConcurrentProgram, options: ExploreOptions, budget: Budget) -> Prepared:
    """Build the program so that it tells of every access."""
    if options.module is None:
        raise InternalError("nothing to run: the options of the explorer have no module")
    repeated = repeated_accesses(cp.program)
    told = {access.id for access in cp.accesses.values() if access.site not in repeated}
    if cp.program.pointer_size != 8:
        raise Unsupported("sampling the runs of a 32-bit program: `raceproof explore` runs it")
    hooks = hooks_for(cp, told, replaced_functions(), tells_all=True)
    budget.check()
    isolation, why = isolation_of(cp, options)
    runtime = build_host(on_progress=options.on_progress)
    program = build_program(options.module.text, cp.program, hooks.plan)
    return Prepared(
        host=runtime,
        program=program,
        name=name_of(cp),
        pairs=(),
        isolation=isolation,
        why_isolation=why,
        unobserved=hooks.unobserved,
        module=module_hash(options.module),
        known=known_of(cp) - {"weaker", "validity"},
        told=len(cp.accesses) + 1,
    )


def sample(
    cp: ConcurrentProgram, prepared: Prepared, options: ExploreOptions, sampling: SamplingOptions, budget: Budget
) -> Sampled:
    """Run it, repeat what was found, and make that short."""
    start = time.monotonic()
    host_run, prepared, notes = _run(prepared, options, sampling, budget)
    races, unrepeated = _races(prepared, options, host_run, budget, start)
    return Sampled(
        races=races,
        unrepeated=unrepeated,
        possible=tuple(of_kind(host_run.records, PossibleRecord)),
        incidents=tuple(_incident(cp, record) for record in of_kind(host_run.records, OtherRecord)),
        bounds=tuple((record.reason, record.site) for record in of_kind(host_run.records, BoundedRecord)),
        end=host_run.end or f"the run failed: {host_run.problem}",
        stats=host_run.stats(),
        setup=RunSetup(
            module=prepared.module,
            algorithm=SAMPLE,
            pairs=(),
            arguments=options.arguments,
            isolation=prepared.isolation,
            spurious=options.spurious,
            max_steps=sampling.max_steps,
            surroundings=options.surroundings,
        ),
        notes=notes,
        interrupted=host_run.interrupted,
        seconds=time.monotonic() - start,
    )


def _run(
    prepared: Prepared, options: ExploreOptions, sampling: SamplingOptions, budget: Budget
) -> tuple[HostRun, Prepared, tuple[str, ...]]:
    """In a process for each execution if the program took the host down without."""
    notes = [f"a child process for each execution: {prepared.why_isolation}"] if prepared.why_isolation else []
    host_run = run_samples(prepared, options, sampling, budget)
    is_lost = host_run.end is None and not host_run.interrupted
    if is_lost and prepared.isolation == "memory" and options.isolation == "auto" and budget.remaining() > 0:
        notes.append(f"a child process for each execution: without, the run failed ({host_run.problem})")
        prepared = replace(prepared, isolation="fork")
        host_run = run_samples(prepared, options, sampling, budget)
    return host_run, prepared, tuple(notes)


def run_samples(prepared: Prepared, options: ExploreOptions, sampling: SamplingOptions, budget: Budget) -> HostRun:
    """The runs alone, and what they say."""
    budget.check()
    left = budget.remaining()
    # A third of the time is for repeating what is found.
    limit = min([t for t in (left * 2 / 3, sampling.seconds or left) if t != float("inf")], default=0.0)
    races = 0

    def show(progress: ProgressRecord) -> None:
        sampling.on_progress(f"run: {progress.executions:,} runs, {races} races")

    control = Control(
        algorithm=SAMPLE,
        find_all=True,
        max_executions=sampling.runs,
        time_limit=limit,
        max_steps=sampling.max_steps,
        isolation=prepared.isolation,
        spurious=options.spurious,
        arguments=(prepared.name, *options.arguments),
        pairs=(),
        known=prepared.known,
        told=prepared.told,
        seed=sampling.seed,
        sampling=sampling.sampling,
        surroundings=options.surroundings,
    )
    return run_host(prepared.host, prepared.program, control, show)


def _races(
    prepared: Prepared, options: ExploreOptions, host_run: HostRun, budget: Budget, start: float
) -> tuple[tuple[Schedule, ...], tuple[RaceRecord, ...]]:
    """Each race once more; and those that were seen, but not again."""
    by_pair: dict[tuple[AccessId, ...], list[RaceRecord]] = {}
    for record in of_kind(host_run.records, RaceRecord):
        by_pair.setdefault(tuple(sorted(record.accesses)), []).append(record)
    races: list[Schedule] = []
    unrepeated: list[RaceRecord] = []
    for records in by_pair.values():
        options.on_progress(f"run: repeating race {len(races) + 1} of {len(by_pair)}")
        found = None
        for record in sorted(records, key=lambda r: (not r.together, len(r.run.turns))):
            if budget.remaining() <= 0:
                break
            schedule = Schedule(record.run, record.accesses, record.threads, record.together)
            attempts = (repeated(prepared, options, schedule) for _ in range(attempts_of(options)))
            replayed = next((again for again in attempts if again is not None), None)
            if replayed is not None:
                found = replayed.kept_in(schedule)
                break
        if found is not None:
            races.append(found)
        else:
            unrepeated.append(records[0])
    until = budget.part(max(_LEAST_SHORTENING, _SHORTENING * (time.monotonic() - start)))
    options.on_progress("run: looking for shorter runs")
    short = tuple(
        shortened(prepared, options, schedule, until) if number < _SHORTENED else schedule
        for number, schedule in enumerate(races)
    )
    return short, tuple(unrepeated)


def _incident(cp: ConcurrentProgram, record: OtherRecord) -> Incident:
    site = record.site
    if record.kind == "use after free" and site is not None:  # the access
        access = cp.accesses.get(AccessId(site))
        site = access.site if access is not None else None
    return Incident(record.kind, record.message, record.thread, site, record.run)
