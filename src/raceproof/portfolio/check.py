"""Run the engines in order under one budget and merge what they say into the verdict on the program.

Nothing is analysed here. What an engine does not decide stays open, and an open pair makes the verdict unknown:
a time-out or an unsupported construct never becomes race-free.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from raceproof import __version__, explore, facts
from raceproof.core import Budget, LimitReached, Unsupported, rare_collections
from raceproof.ir import Origin, Program
from raceproof.model import (
    Assumption,
    CheckResult,
    ConcurrentProgram,
    DeadlockAnswer,
    DeadlockVerdict,
    EngineReport,
    Evidence,
    GivenInput,
    InputKind,
    PairResult,
    ProgramInput,
    Property,
    RacePair,
    Scope,
    SourceFile,
    Sources,
    TargetMachine,
    Verdict,
    fingerprints,
    number_of,
)
from raceproof.portfolio.alike import MAX_PAIRS, alike_pairs, one_by_one
from raceproof.portfolio.course import Course
from raceproof.portfolio.deadlocks import describe_deadlock
from raceproof.portfolio.engines import Settings
from raceproof.portfolio.ledger import Ledger, weakest
from raceproof.portfolio.naming import Namer
from raceproof.portfolio.trace import race_trace

log = logging.getLogger(__name__)

OnStage = Callable[[str], None]
RESULT_PER_PAIRS = 4.0
"""How much longer the result takes than to find the pairs that it is about."""
LEAST_RESERVED = 0.25
"""Seconds; for less it is not worth to cut what engines have."""
_REACH = {Scope.THIS_INPUT: "for this input only", Scope.BOUNDED: "up to a bound only"}


def check(
    program: Program,
    engines: Sequence[str],
    budget: Budget,
    settings: Settings = Settings(),  # noqa: B008  frozen
    on_stage: OnStage = lambda stage: None,
) -> CheckResult:
    """Decide every race pair of the program as far as the engines and the budget reach.

    Requires that every name in `engines` is in `ENGINES`. `on_stage` is told what is going on. Ctrl-C ends the
    analysis, and the result says what was known by then.
    """
    with rare_collections():
        return _check(program, engines, budget, settings, on_stage)


def _check(
    program: Program, engines: Sequence[str], budget: Budget, settings: Settings, on_stage: OnStage
) -> CheckResult:
    start = time.monotonic()
    files = program.origin.files
    on_stage("facts")
    try:
        cp = facts.analyse(program, budget, settings.models, with_waits=Property.DEADLOCK in settings.properties)
        asked = time.monotonic()
        pairs = facts.race_pairs(cp, budget)
    except (Unsupported, LimitReached) as stop:
        return undecided(
            files, f"no facts about the program: {stop}", time.monotonic() - start, asked=settings.properties
        )
    except KeyboardInterrupt:
        return undecided(
            files, _interrupted("facts"), time.monotonic() - start, interrupted=True, asked=settings.properties
        )
    log.info("facts: %d threads, %d shared accesses, %d race pairs", len(cp.threads), len(cp.accesses), len(pairs))
    given = given_input(cp, settings)
    accepted = Scope.THIS_INPUT if given.is_accepted or not given.reads else settings.accepted
    engines_budget = _without_result(budget, time.monotonic() - asked)
    course = Course(cp, pairs, replace(settings, accepted=accepted, on_progress=on_stage), engines_budget)
    _run(course, engines, settings.properties)
    on_stage("result")
    conclusion = _conclude(cp, course, given, settings.properties, time.monotonic() - start)
    sources = sources_of(settings, cp.program.origin)
    return replace(conclusion, setup=course.setup, sources=sources, goes_on=settings.search.find_all)


def _without_result(budget: Budget, seconds: float) -> Budget:
    """What the engines may have of it: the result of many pairs takes its time, in proportion to what it took to find
    them."""
    reserved = min(RESULT_PER_PAIRS * seconds, budget.remaining() / 2)
    return budget.part(budget.remaining() - reserved) if reserved >= LEAST_RESERVED else budget


def _run(course: Course, engines: Sequence[str], properties: tuple[Property, ...]) -> None:
    if Property.DEADLOCK in properties:
        course.prove_deadlock_free(engines)
    if Property.DATA_RACE in properties:
        course.run(engines, is_last=Property.DEADLOCK not in properties or course.deadlocks.is_decided())
    else:
        course.run_cheap(engines)
    if Property.DEADLOCK in properties:
        course.execute_deadlocks(engines)


def given_input(cp: ConcurrentProgram, settings: Settings) -> GivenInput:
    """What the program is given where it is executed, and where it may ask for it."""
    unknown = ProgramInput(InputKind.UNKNOWN, "whatever it likes", None)
    reads = cp.inputs if cp.inputs is not None else (unknown,)
    around = settings.search.surroundings
    asked = {read.name: os.environ.get(read.name) for read in reads if read.name is not None}
    return GivenInput(
        arguments=settings.arguments,
        stdin=around.stdin.decode("utf-8", "backslashreplace"),
        environment=tuple((asked | dict(around.environment)).items()),
        reads=reads,
        clients=around.clients,
        is_accepted=settings.accepted is Scope.THIS_INPUT,
        servers=around.servers,
        directory=around.directory,
    )


def undecided(
    files: tuple[str, ...],
    reason: str,
    seconds: float,
    interrupted: bool = False,
    asked: tuple[Property, ...] = (Property.DATA_RACE,),
) -> CheckResult:
    """The result of a run that ended before there were any race pairs."""
    return CheckResult(
        verdict=Verdict.UNKNOWN,
        scope=None,
        reason=reason,
        files=files,
        pairs=(),
        engines=(),
        assumptions=(),
        seconds=seconds,
        version=__version__,
        interrupted=interrupted,
        asked=asked,
        deadlock=DeadlockAnswer(DeadlockVerdict.UNKNOWN, None, reason, None) if Property.DEADLOCK in asked else None,
    )


def _conclude(
    cp: ConcurrentProgram, course: Course, given: GivenInput, asked: tuple[Property, ...], seconds: float
) -> CheckResult:
    namer, ledger = Namer(cp), course.ledger
    reports = tuple(course.reports.values())
    spell_out = course.settings.pairs_detail or len(ledger.pairs) <= MAX_PAIRS
    pairs = [
        namer.alike(
            namer.pair(
                group.number,
                group.first,
                ledger.decide(group.first),
                ledger.findings(group.first),
                _evidence(ledger, group.first, reports),
            ),
            group,
        )
        for group in (one_by_one(ledger) if spell_out else alike_pairs(cp, ledger))
    ]
    named = tuple(
        replace(traced(namer, pair), fingerprint=fingerprint)
        for pair, fingerprint in zip(pairs, fingerprints(pairs), strict=True)
    )
    verdict, scope, reason = _verdict(cp, named, reports, given, course.interrupted_at)
    answer = _deadlock_answer(cp, course, given, named) if Property.DEADLOCK in asked else None
    return CheckResult(
        verdict=verdict,
        scope=scope,
        reason=reason,
        files=cp.program.origin.files,
        pairs=named,
        engines=reports,
        assumptions=(*cp.assumptions, *course.assumptions(), *_without_races(answer, named)),
        seconds=seconds,
        version=__version__,
        other=tuple(namer.incident(number, incident) for number, incident in enumerate(course.incidents, start=1)),
        interrupted=course.interrupted_at is not None,
        input=given,
        obstacles=cp.program.obstacles,
        asked=asked,
        deadlocks=tuple(
            describe_deadlock(namer, number, deadlock)
            for number, deadlock in enumerate(course.deadlocks.executed, start=1)
        ),
        deadlock=answer,
        facts=cp.strength,
    )


def _deadlock_answer(
    cp: ConcurrentProgram, course: Course, given: GivenInput, pairs: Sequence[PairResult]
) -> DeadlockAnswer:
    """Behind a data race the program may do anything: then no proof stands."""
    reports = course.reports.values()
    stopped = tuple(f"engine {r.name} ended early: {r.stopped}" for r in reports if r.stopped is not None)
    obstacles = cp.program.obstacles
    if any(pair.verdict is Verdict.RACE for pair in pairs):
        obstacles = (*obstacles, "the program has a data race, behind which it may do anything")
    return course.deadlocks.answer(given, obstacles, stopped)


def _without_races(answer: DeadlockAnswer | None, pairs: Sequence[PairResult]) -> tuple[Assumption, ...]:
    """What a proof that there is no deadlock takes for granted."""
    left = number_of(pair for pair in pairs if pair.verdict is not Verdict.RACE_FREE)
    if answer is None or answer.verdict is not DeadlockVerdict.DEADLOCK_FREE or not left:
        return ()
    return (Assumption(without_races(left)),)


def without_races(left: int) -> str:
    """What is assumed where so many pairs are not proved race-free."""
    return f"the program has no data race: {_count(left, 'pair')} of accesses not proved race-free"


def traced(namer: Namer, pair: PairResult) -> PairResult:
    race = pair.race
    if race is None or not race.schedule.steps:
        return pair
    trace = race_trace(namer, pair.pair, race.schedule, race.schedule.steps, race.schedule.run)
    return replace(pair, race=replace(race, trace=trace))


def sources_of(settings: Settings, origin: Origin) -> Sources | None:
    request, target = settings.request, settings.search.target
    if request is None:
        return None
    return Sources(
        files=tuple(SourceFile(str(unit.file), unit.flags, str(unit.directory)) for unit in request.units),
        data_model=request.data_model,
        headers=request.headers,
        compiler=str(request.compiler) if request.compiler is not None else None,
        entry=request.entry,
        models=settings.models,
        root=str(request.root),
        digest=origin.digest,
        left_out=request.left_out,
        target=TargetMachine(target.triple, target.vias) if target is not None else None,
    )


def _evidence(ledger: Ledger, pair: RacePair, reports: tuple[EngineReport, ...]) -> tuple[str, ...]:
    """What decides the pair; of an open pair everything that is known, and which engines ended early."""
    decision = ledger.decide(pair)
    if decision.verdict is not Verdict.UNKNOWN and decision.finding is not None:
        return _texts(decision.finding.evidence)
    lines: list[str] = []
    for finding in ledger.findings(pair):
        reach = _REACH.get(finding.scope, "") if finding.scope is not None else ""
        lines.append((f"proved by {finding.engine} {reach}: " if reach else "") + ", ".join(_texts(finding.evidence)))
    silent = {r.name for r in reports} - {finding.engine for finding in ledger.findings(pair)}
    lines += [f"engine {r.name} ended early: {r.stopped}" for r in reports if r.stopped and r.name in silent]
    return tuple(dict.fromkeys(lines)) or ("no engine has looked at this pair",)


def _texts(evidence: Evidence) -> tuple[str, ...]:
    reasons = evidence if isinstance(evidence, tuple) else (evidence,)
    return tuple(dict.fromkeys(map(str, reasons)))


def _verdict(
    cp: ConcurrentProgram,
    pairs: tuple[PairResult, ...],
    reports: tuple[EngineReport, ...],
    given: GivenInput,
    interrupted_at: str | None,
) -> tuple[Verdict, Scope | None, str | None]:
    """Race if any pair races; race-free if every pair is proved, as far as the weakest proof reaches."""
    open_pairs = [p for p in pairs if p.verdict is Verdict.UNKNOWN]
    if any(p.verdict is Verdict.RACE for p in pairs):
        return Verdict.RACE, None, None
    if not open_pairs and cp.program.obstacles:
        return Verdict.UNKNOWN, None, "; ".join(cp.program.obstacles)
    if not pairs:
        return Verdict.RACE_FREE, Scope.ALL_INPUTS, _nothing_to_decide(cp)
    if not open_pairs:
        scope = weakest(p.scope for p in pairs if p.scope is not None)
        return Verdict.RACE_FREE, scope, _whose_input(given) if scope is Scope.THIS_INPUT else None
    undecided = [p for p in open_pairs if not p.is_for_this_input]
    if not undecided:
        here = f"no race with this input ({given.described()})"
        return Verdict.UNKNOWN, None, "; ".join([here, *cp.program.obstacles])
    reason = f"{number_of(undecided)} of {_count(number_of(pairs), 'pair')} of accesses not decided"
    alone = [r.stopped for r in reports if r.stopped is not None and explore.is_diagnosis(r.stopped)]
    stops = [f"engine {r.name} ended early: {r.stopped}" for r in reports if r.stopped not in (None, "interrupted")]
    if interrupted_at is not None:
        stops.append(_interrupted(interrupted_at, decided=number_of(pairs) - number_of(open_pairs)))
    return Verdict.UNKNOWN, None, "; ".join(alone or [reason, *cp.program.obstacles, *stops])


def _nothing_to_decide(cp: ConcurrentProgram) -> str:
    if len(cp.threads) == 1:
        return "no thread is ever created"
    return "no location is shared between threads while one writes"


def _whose_input(given: GivenInput) -> str:
    return given.described() if given.reads else "the program has no input: every run is like the ones executed"


def _interrupted(stage: str, decided: int = 0) -> str:
    return f"interrupted during {stage}: " + (f"{_count(decided, 'pair')} decided" if decided else "nothing decided")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
