"""`raceproof run`: what sampled executions have shown, as a result like any other.

It never says race-free: what was not executed may race.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from raceproof import __version__, explore, facts
from raceproof.core import Budget, LimitReached, Unsupported
from raceproof.ir import Program
from raceproof.model import (
    SAMPLING,
    AccessId,
    CheckResult,
    ConcurrentProgram,
    EngineReport,
    Finding,
    PairResult,
    RacePair,
    Reason,
    Verdict,
    fingerprints,
)
from raceproof.portfolio.check import given_input, sources_of, traced, undecided
from raceproof.portfolio.engines import Settings
from raceproof.portfolio.ledger import Decision
from raceproof.portfolio.naming import Namer

_PREDICTED = "possible: another order of what a run did would show this race, but the program did not go that way"
_SEEN_ONCE = "possible: a run showed this race, but the same schedule did not show it again"

OnStage = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What runs showed, and the facts in whose terms it is told."""

    cp: ConcurrentProgram
    sampled: explore.Sampled


def sample(
    program: Program,
    budget: Budget,
    settings: Settings,
    sampling: explore.SamplingOptions,
    on_stage: OnStage = lambda stage: None,
) -> CheckResult:
    """Run the program as often as was asked for, or as there is time."""
    start = time.monotonic()
    files = program.origin.files
    try:
        outcome = execute(program, budget, settings, sampling, on_stage)
    except (Unsupported, LimitReached) as stop:
        return undecided(files, f"the program was not run: {stop}", time.monotonic() - start)
    except KeyboardInterrupt:
        return undecided(files, "interrupted: nothing decided", time.monotonic() - start, interrupted=True)
    on_stage("result")
    return _result(outcome, settings, start)


def execute(
    program: Program, budget: Budget, settings: Settings, sampling: explore.SamplingOptions, on_stage: OnStage
) -> Outcome:
    if settings.search.module is None:
        raise Unsupported("running a program whose sources are not known")
    on_stage("what to watch")
    cp = facts.surface(program)
    options = replace(settings.search, arguments=settings.arguments, on_progress=on_stage)
    on_stage("building the program")
    seconds = budget.remaining()
    explore.build_host(on_progress=on_stage)  # once, however long that takes: not on the user's time
    budget = Budget.seconds(seconds) if seconds != float("inf") else budget
    prepared = explore.prepare_all(cp, options, budget)
    on_stage("run")
    return Outcome(cp, explore.sample(cp, prepared, options, replace(sampling, on_progress=on_stage), budget))


def _result(outcome: Outcome, settings: Settings, start: float) -> CheckResult:
    cp, sampled = outcome.cp, outcome.sampled
    namer = Namer(cp)
    pairs = [*_executed(namer, cp, sampled), *_possible(namer, cp, sampled)]
    pairs = [replace(pair, id=number) for number, pair in enumerate(pairs, start=1)]
    named = tuple(
        replace(traced(namer, pair), fingerprint=fingerprint)
        for pair, fingerprint in zip(pairs, fingerprints(pairs), strict=True)
    )
    has_race = bool(sampled.races)
    report = EngineReport(
        name=SAMPLING,
        seconds=sampled.seconds,
        proved=0,
        witnessed=len(sampled.races),
        open=len(pairs) - len(sampled.races),
        stats=sampled.stats,
        stopped=_why_stopped(sampled),
        notes=(*sampled.notes, *(f"bounded: {_place(namer, *bound)}" for bound in sampled.bounds)),
    )
    return CheckResult(
        verdict=Verdict.RACE if has_race else Verdict.UNKNOWN,
        scope=None,
        reason=None if has_race else _reason(sampled, len(pairs)),
        files=cp.program.origin.files,
        pairs=named,
        engines=(report,),
        assumptions=(),
        seconds=time.monotonic() - start,
        version=__version__,
        other=tuple(namer.incident(number, incident) for number, incident in enumerate(sampled.incidents, start=1)),
        interrupted=sampled.interrupted,
        input=given_input(cp, settings),
        setup=sampled.setup,
        sources=sources_of(settings, cp.program.origin),
    )


def _executed(namer: Namer, cp: ConcurrentProgram, sampled: explore.Sampled) -> list[PairResult]:
    found = []
    for schedule in sampled.races:
        pair = _pair(cp, schedule.accesses)
        finding = Finding(pair, Verdict.RACE, schedule, SAMPLING)
        decision = Decision(Verdict.RACE, None, finding)
        found.append(namer.pair(0, pair, decision, (finding,), (str(schedule),)))
    return sorted(found, key=lambda pair: pair.target)


def _possible(namer: Namer, cp: ConcurrentProgram, sampled: explore.Sampled) -> list[PairResult]:
    """Those that were seen before those that were only predicted; of these, those of one location together."""
    executed = {tuple(sorted(schedule.accesses)) for schedule in sampled.races}
    told = [(record.accesses, _SEEN_ONCE) for record in sampled.unrepeated]
    told += [(record.accesses, _PREDICTED) for record in sampled.possible]
    found: dict[tuple[AccessId, ...], PairResult] = {}
    for accesses, text in told:
        key = tuple(sorted(accesses))
        if key in executed or key in found:
            continue
        pair = _pair(cp, accesses)
        finding = Finding(pair, Verdict.UNKNOWN, Reason(text), SAMPLING)
        decision = Decision(Verdict.UNKNOWN, None, finding)
        made = namer.pair(0, pair, decision, (finding,), (text,))
        names = [facts.place_name(cp.program, cp.accesses[a].site, cp.accesses[a].touch) for a in accesses]
        name = next((name for name in names if name is not None), made.target)
        found[key] = replace(made, target=name)
    return list(found.values())


def _pair(cp: ConcurrentProgram, accesses: Sequence[AccessId]) -> RacePair:
    first, second = sorted(accesses)
    targets = (cp.accesses[first].targets[0], cp.accesses[second].targets[0])
    known = [t for t in targets if t.offset is not None]
    return RacePair(first, second, known[0] if known else targets[0])


def _reason(sampled: explore.Sampled, open_pairs: int) -> str:
    runs = int(sampled.stats.get("executions", 0))
    seen = f"no race in {runs:,} run{'s' if runs != 1 else ''}"
    if runs == 0:
        return f"the program was not run to its end once: {sampled.end}"
    parts = [seen]
    if any(reason == explore.WAITS_FOR_CLIENT for reason, _ in sampled.bounds):
        parts.append(explore.WAITS_FOR_CLIENT)
    elif int(sampled.stats.get("threads", 0)) <= 1:
        parts.append(f"{explore.ENDED_ALONE}: give other arguments, or what it reads with --stdin FILE")
    if open_pairs:
        parts.append(f"{open_pairs} possible: see below")
    if (stopped := _why_stopped(sampled)) is not None:
        parts.append(stopped)
    return "; ".join(parts)


def _why_stopped(sampled: explore.Sampled) -> str | None:
    match sampled.end:
        case "executions" | "complete":
            return None
        case "time":
            return "time limit reached"
        case "failure":
            return "every run ended in the same failure"
        case reason:
            return reason


def _place(namer: Namer, reason: str, site: object) -> str:
    _, pos = namer.site(site)  # type: ignore[arg-type]
    return f"{reason} (see {pos.file}:{pos.line})" if pos is not None else reason
