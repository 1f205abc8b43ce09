"""The explore engine: run the real program under every schedule that matters, and say what was seen.

A race counts when it was executed again, twice, with the same two accesses in the same threads. A pair without a
race is proved for this input when the search was complete, and everything that the pairs touch was observed: what
an unobserved access does to the order of things could open ways that the search has not gone. So one blind spot,
one cut execution, one run that does not repeat takes the proof away from all pairs, not only from its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from raceproof import facts
from raceproof.core import Budget, Contradiction, InternalError
from raceproof.explore.checkpoint import kept_isolation
from raceproof.explore.deadlocks import LIVELOCK, executed_deadlocks, judge
from raceproof.explore.diagnoses import FAILS_ALIKE, why_it_shows_little
from raceproof.explore.options import FINDS_DEADLOCKS, ExploreOptions
from raceproof.explore.outside import lasting_effects, unseen_order
from raceproof.explore.parallel import run_hosts
from raceproof.explore.preparation import Prepared, prepare
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import (
    STATES,
    BoundedRecord,
    Control,
    Deadlocks,
    OtherRecord,
    ProgressRecord,
    RaceRecord,
    of_kind,
)
from raceproof.explore.replay import attempts_of, repeated
from raceproof.explore.shared import run_shared
from raceproof.explore.shortening import shortened
from raceproof.explore.timed_waits import telling_wakeups
from raceproof.explore.weak_exchanges import telling_failures
from raceproof.ir import CompareExchange, Instr, Load, Rmw, SiteId, Store, Terminator
from raceproof.model import (
    AccessId,
    ConcurrentProgram,
    EngineResult,
    Exhausted,
    Finding,
    Incident,
    InputKind,
    PairClass,
    RacePair,
    RacePairs,
    Reason,
    RunSetup,
    Schedule,
    Scope,
    Verdict,
)

log = logging.getLogger(__name__)

NAME = "explore"
_COUNTS = (
    "executions", "blocked", "transitions", "subspace_checks", "subspace_race_free", "backtracks_skipped",
    "data_conflicts",
)  # fmt: skip
_RESERVE = 0.5  # seconds of the budget that are kept for repeating what was found
_SHORTENED = 10  # races: with more, nobody looks at each
_REPEATED = 50  # races: so many are repeated as long as there is time at all, more only in the time of the search
_SHORTENING = 1.0  # seconds for all of them
_BEHIND_RACES = ("dfs", "optimal")  # searches that find every race, whatever others there are
_CANCELS = "pthread_cancel"
_MAKES_ROBUST = ("pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np")
_TOGETHER = ("dpor", "pdp", "dhtc", STATES)  # searches that do not ask what happens before what

Key = tuple[AccessId, AccessId]


def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: ExploreOptions, budget: Budget) -> EngineResult:
    """Search, repeat each race that was found, and decide the pairs as far as the search has reached."""
    start = time.monotonic()
    watched = watched_pairs(cp, pairs, options)
    options.on_progress("engine explore: building the program")
    prepared = prepare(cp, watched, options, budget)
    prepared, host_run, notes = _search(cp, prepared, options, budget)
    races, unconfirmed, left = _races(cp, pairs, prepared, options, host_run, budget)
    deadlocks, is_doubtful = executed_deadlocks(prepared, options, of_kind(host_run.records, OtherRecord))
    executions = int(host_run.stats().get("executions", 0))
    proof = Exhausted(executions, options.algorithm, _all_bounds(cp, options, host_run, races))
    findings = _findings(cp, pairs, prepared, options, host_run, races, unconfirmed, left, proof)
    deadlock = None
    if options.deadlocks:
        obstacle = _no_proof(cp, pairs, prepared, options, host_run, unconfirmed, "no deadlock")
        has_race = bool(races or options.known_races)
        has_livelock = any(other.kind == LIVELOCK for other in of_kind(host_run.records, OtherRecord))
        deadlock = judge(NAME, deadlocks, is_doubtful, obstacle, has_race, proof, has_livelock=has_livelock)
    return EngineResult(
        engine=NAME,
        findings=findings,
        seconds=time.monotonic() - start,
        stats=_stats(options, host_run),
        stopped=_why_stopped(host_run, options, budget) or why_it_shows_little(cp, host_run, options),
        notes=notes,
        incidents=tuple(_incidents(cp, host_run)),
        setup=setup_of(prepared, options),
        interrupted=host_run.interrupted,
        deadlocks=deadlocks,
        deadlock=deadlock,
    )


def watched_pairs(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: ExploreOptions) -> tuple[RacePair, ...]:
    """Pairs whose accesses the program is to show: those asked about, and those of an earlier search."""
    return tuple(dict.fromkeys((*options.watched, *(pairs if options.trust else facts.race_pairs(cp)))))


def setup_of(prepared: Prepared, options: ExploreOptions) -> RunSetup:
    """What a run of the prepared program can be repeated with."""
    return RunSetup(
        module=prepared.module,
        algorithm=options.algorithm,
        pairs=prepared.pairs,
        arguments=options.arguments,
        isolation=prepared.isolation,
        spurious=options.spurious,
        max_steps=options.max_steps,
        surroundings=options.surroundings,
    )


def control(prepared: Prepared, options: ExploreOptions, time_limit: float) -> Control:
    """The search that the options ask for; `time_limit` 0 is none."""
    return Control(
        algorithm=options.algorithm,
        find_all=options.find_all or options.deadlocks,
        max_executions=options.max_executions,
        time_limit=time_limit,
        max_steps=options.max_steps,
        isolation=prepared.isolation,
        spurious=options.spurious,
        pruning=options.pruning,
        arguments=(prepared.name, *options.arguments),
        pairs=prepared.pairs,
        candidates=prepared.candidates,
        futures=prepared.futures,
        known=prepared.known,
        found=tuple((pair.first, pair.second) for pair in options.known_races),
        deadlocks=_looks_for(options),
        max_states=options.max_states,
        exact_states=options.exact_states,
        symmetry=options.symmetry and not prepared.tells_apart,
        monitors=options.monitors,
        persistent=options.persistent,
        surroundings=options.surroundings,
    )


def _looks_for(options: ExploreOptions) -> Deadlocks:
    if not options.deadlocks:
        return Deadlocks.NOT
    if options.algorithm not in FINDS_DEADLOCKS:
        raise InternalError(f"algorithm {options.algorithm} leaves out deadlocks")
    return Deadlocks.ALL if options.find_all else Deadlocks.FIRST


def _search(
    cp: ConcurrentProgram, prepared: Prepared, options: ExploreOptions, budget: Budget
) -> tuple[Prepared, HostRun, tuple[str, ...]]:
    """Run the host; again in fork mode if the program took it down, and nobody asked for the memory mode."""
    notes = [f"run on {options.target.triple}"] if options.target is not None else []
    if options.jobs > 1 and options.algorithm == STATES:
        notes.append("one process: the search over states does not divide its table")
    notes += [f"a child process for each execution: {prepared.why_isolation}"] if prepared.why_isolation else []
    may_fork = prepared.isolation == "memory" and options.isolation == "auto"
    if may_fork and options.checkpoint is not None and kept_isolation(options.checkpoint) == "fork":
        may_fork, prepared = False, replace(prepared, isolation="fork")
        notes.append("a child process for each execution, as before the checkpoint")
    host_run = _run_once(prepared, options, budget)
    may_fork = may_fork and not (host_run.interrupted or host_run.is_lost)
    if host_run.end is None and may_fork and budget.remaining() > _RESERVE:
        notes.append(f"a child process for each execution: without, the run failed ({host_run.problem})")
        prepared = replace(prepared, isolation="fork")
        if options.checkpoint is not None:
            options.checkpoint.unlink(missing_ok=True)
        host_run = _run_once(prepared, options, budget)
    bounds = _bounds(cp, host_run)
    if status := int(host_run.stats().get("client_failed", 0)):
        notes.append(f"a client ended with status {status}: does it ask for what the program serves?")
    return prepared, host_run, (*notes, *host_run.notes, *(f"bounded: {reason}" for reason in bounds))


def _bounds(cp: ConcurrentProgram, host_run: HostRun) -> tuple[str, ...]:
    """Why the search was not of everything, as the host says."""
    sites = cp.program.instructions_by_site()
    found: dict[str, None] = {}
    for record in of_kind(host_run.records, BoundedRecord):
        position = sites[record.site][1].pos if record.site in sites else None
        found[record.reason + (f" (see {position.file}:{position.line})" if position is not None else "")] = None
    return tuple(found)


def _assumes_no_spurious_wakeup(cp: ConcurrentProgram, options: ExploreOptions) -> bool:
    """POSIX allows a wait to return without a signal, and the user has told the search not to try that. A search for
    deadlocks says itself where that could matter."""
    return not options.deadlocks and not options.spurious and has_waits(cp)


def has_waits(cp: ConcurrentProgram) -> bool:
    """Whether the program may wait at a condition variable."""
    operations = map(facts.sync_op, cp.program.externals)
    return any(op is not None and op.kind is facts.Sync.WAIT for op in operations)


def _may_hide_races(cp: ConcurrentProgram) -> str | None:
    """What may keep two accesses apart without ordering them; None if there is nothing."""
    instructions = (i for function in cp.program.functions.values() for i in function.instructions())
    if not all(map(_synchronises, instructions)):
        return "atomics that do not acquire what they read, or release what they write, keep some apart"
    for name in cp.program.externals:
        operation = facts.sync_op(name)
        if name in _MAKES_ROBUST:
            return "robust mutexes that can no longer be locked keep some apart"
        if name == _CANCELS or (operation is not None and (operation.may_fail or operation.tells)):
            return f"`{name}` keeps some apart"
    ending = facts.may_end_thread(cp.program, cp.calls) if cp.calls is not None else frozenset()
    for targets in cp.calls.targets.values() if cp.calls is not None else ():
        if ending.intersection(targets.callbacks):
            return "initialisers in which their thread may end keep some apart"
    return None


def _synchronises(instr: Instr | Terminator) -> bool:
    """Whether reading comes after what is read from, if it is atomic."""
    match instr:
        case Load(order=order) if order is not None:
            return order.acquires
        case Store(order=order) if order is not None:
            return order.releases
        case Rmw(order=order):
            return order.acquires and order.releases
        case CompareExchange(order=order, failure_order=failure):
            return order.acquires and order.releases and failure.acquires
    return True


def _handler(cp: ConcurrentProgram) -> str | None:
    """A function that the system may run whenever it likes, such as a handler of signals."""
    if cp.calls is None:
        return None
    known = sorted({name for targets in cp.calls.targets.values() for name in targets.any_time} | cp.calls.from_outside)
    return known[0] if known else None


def _run_once(prepared: Prepared, options: ExploreOptions, budget: Budget) -> HostRun:
    budget.check()
    remaining = budget.remaining()
    limits = [max(remaining - _RESERVE, 0.1)] if remaining != float("inf") else []
    limit = min([*limits, options.seconds] if options.seconds else limits, default=0.0)
    start = time.monotonic()

    def show(progress: ProgressRecord) -> None:
        seconds = max(time.monotonic() - start, 0.001)
        if options.algorithm == STATES:
            options.on_progress(
                f"engine explore: {progress.blocked:,} states, {progress.blocked / seconds:,.0f}/s, frontier"
                f" {progress.depth:,}, {progress.open_pairs} pairs open"
            )
            return
        rate = progress.executions / seconds
        options.on_progress(
            f"engine explore: {progress.executions:,} executions, {rate:,.0f}/s, depth {progress.depth},"
            f" {progress.open_pairs} pairs open" + (f", {progress.more}" if progress.more else "")
        )

    asked = control(prepared, options, limit)
    if options.cluster is not None or options.checkpoint is not None:
        host_run = run_shared(prepared, asked, options, show)
    elif options.jobs == 1 or options.algorithm == STATES:  # its table of states is that of one process
        host_run = run_host(prepared.host, prepared.program, asked, show)
    else:
        host_run = run_hosts(prepared.host, prepared.program, asked, options.jobs, show, sharing=options.sharing)
    log.info("host: end %s, problem %s, %.2f s", host_run.end, host_run.problem, host_run.seconds)
    if host_run.end is None and prepared.isolation == "fork" and host_run.problem is not None:
        log.info("the host failed in fork mode: %s", host_run.problem)
    return host_run


def _races(
    cp: ConcurrentProgram,
    pairs: Sequence[RacePair],
    prepared: Prepared,
    options: ExploreOptions,
    host_run: HostRun,
    budget: Budget,
) -> tuple[dict[Key, Schedule], set[Key], set[Key]]:
    """Races by pair, each repeated; the pairs of those that did not repeat; and those for which there was no time.

    A location that is accessed in a hundred places may have thousands: one of each class of pairs comes first.
    """
    asked = {_key((pair.first, pair.second)) for pair in pairs}
    known = {_key((pair.first, pair.second)) for pair in options.known_races}
    by_pair: dict[Key, list[RaceRecord]] = {}
    for record in of_kind(host_run.records, RaceRecord):
        key = _key(record.accesses)
        if key in known:
            continue
        if key not in asked:
            if options.outlived:
                continue
            raise _contradiction(cp, key, record)
        by_pair.setdefault(key, []).append(record)
    races: dict[Key, Schedule] = {}
    unconfirmed: set[Key] = set()
    left: set[Key] = set()
    repeating = _time_for_many(options, budget)
    for number, key in enumerate(_one_of_each_class_first(pairs, by_pair)):
        if number and (repeating if number >= _REPEATED else budget).remaining() <= 0:
            left.add(key)
            continue
        records = by_pair[key]
        # A run in which both stand before their accesses is the one to show.
        for record in sorted(records, key=lambda r: (not r.together, len(r.run.turns))):
            options.on_progress("engine explore: repeating a race")
            found = _confirmed(prepared, options, record)
            if found is not None:
                races[key] = found
                break
        else:
            unconfirmed.add(key)
    if len(races) <= _SHORTENED:
        options.on_progress("engine explore: looking for shorter runs")
        until = budget.part(_SHORTENING)
        races = {key: shortened(prepared, options, schedule, until) for key, schedule in races.items()}
    return races, unconfirmed, left


def _time_for_many(options: ExploreOptions, budget: Budget) -> Budget:
    return budget.part(options.seconds) if options.seconds else budget


def _one_of_each_class_first(pairs: Sequence[RacePair], found: Iterable[Key]) -> list[Key]:
    """Of pairs that static facts cannot tell apart, the first one; then all others."""
    first: dict[PairClass | Key, Key] = {}
    for key in found:
        pair = pairs.named(*key) if isinstance(pairs, RacePairs) else None
        together = pairs.class_of(pair) if isinstance(pairs, RacePairs) and pair is not None else None
        first.setdefault(together or key, key)
    return list(dict.fromkeys((*first.values(), *found)))


def _confirmed(prepared: Prepared, options: ExploreOptions, record: RaceRecord) -> Schedule | None:
    """The race of the record, if it happens again as often as it must."""
    schedule = Schedule(record.run, record.accesses, record.threads, record.together)
    for _ in range(options.confirmations):
        attempts = (repeated(prepared, options, schedule) for _ in range(attempts_of(options)))
        replayed = next((found for found in attempts if found is not None), None)
        if replayed is None:
            return None
        schedule = replayed.kept_in(schedule)
    return schedule


def _contradiction(cp: ConcurrentProgram, key: Key, record: RaceRecord) -> Contradiction:
    known = {_key((pair.first, pair.second)) for pair in facts.race_pairs(cp)}
    what = "is proved race-free" if key in known else "cannot touch the same bytes"
    first, second = (cp.accesses.get(number) for number in key)
    places = " and ".join(str(access.pos or access.function) if access else "?" for access in (first, second))
    pair = f"the pair of accesses {key[0]} and {key[1]} ({places})"
    proof = f"{pair} {what}: {first!r} {second!r}"
    return Contradiction(f"contradiction: {pair} {what}, but a run has the race", (proof, repr(record)))


def _findings(
    cp: ConcurrentProgram,
    pairs: Sequence[RacePair],
    prepared: Prepared,
    options: ExploreOptions,
    host_run: HostRun,
    races: dict[Key, Schedule],
    unconfirmed: set[Key],
    left: set[Key],
    proof: Exhausted,
) -> tuple[Finding, ...]:
    scope = Scope.BOUNDED if proof.bounds else Scope.THIS_INPUT
    obstacle = _no_proof(cp, pairs, prepared, options, host_run, unconfirmed, "no race between these two")
    findings = []
    for pair in pairs:
        key = _key((pair.first, pair.second))
        if key in races:
            findings.append(Finding(pair, Verdict.RACE, races[key], NAME))
        elif key in unconfirmed:
            text = "possible: one execution showed this race, but the same schedule did not show it again"
            findings.append(_unknown(pair, text))
        elif key in left:
            findings.append(_unknown(pair, "possible: one execution showed this race; there was no time to repeat it"))
        elif obstacle is not None:
            findings.append(_unknown(pair, obstacle))
        else:
            findings.append(Finding(pair, Verdict.RACE_FREE, proof, NAME, scope))
    return tuple(findings)


def _no_proof(
    cp: ConcurrentProgram,
    pairs: Sequence[RacePair],
    prepared: Prepared,
    options: ExploreOptions,
    host_run: HostRun,
    unconfirmed: set[Key],
    what: str,
) -> str | None:
    """Why the search proves nothing where it found nothing, `what` it was; None if it does."""
    stray = _stray(cp, pairs, options, host_run) or why_it_shows_little(cp, host_run, options)
    return stray or _obstacle(cp, prepared, host_run, unconfirmed, what)


def _untried_waits(cp: ConcurrentProgram) -> tuple[str, ...]:
    """Waits that the runtime does not have."""
    names = {name for external in cp.program.externals for name in facts.names_of(external)}
    found: tuple[str, ...] = ()
    if "pthread_rwlockattr_setkind_np" in names:
        found += ("that readers of a rwlock wait for a writer that waits was not tried",)
    if names & {"flockfile", "ftrylockfile"}:
        found += ("that functions of stdio.h wait for a stream which another thread has locked was not tried",)
    return found


def _all_bounds(
    cp: ConcurrentProgram, options: ExploreOptions, host_run: HostRun, races: dict[Key, Schedule]
) -> tuple[str, ...]:
    """What was not tried, though the search has come to its end."""
    bounds = _bounds(cp, host_run)
    if _assumes_no_spurious_wakeup(cp, options):
        bounds += ("waits that end without a signal were not tried",)
    if facts.unwatched_sites(cp, options.models):
        bounds += ("accesses that the user vouches for were not scheduled for",)
    if (handler := _handler(cp)) is not None:
        bounds += (f"`{handler}` may run at any time, which was not tried",)
    if unseen := unseen_order(cp):
        shown = ", ".join(f"`{name}`" for name in unseen[:3]) + (" and others" if len(unseen) > 3 else "")
        bounds += (f"in which order threads call {shown} was not tried",)
    if libraries := options.surroundings.libraries:
        shown = ", ".join(f"`{Path(name).name}`" for name in libraries)
        bounds += (f"what {shown} does by itself was not scheduled for",)
    if lasting := lasting_effects(cp):
        shown = ", ".join(f"`{name}`" for name in lasting[:3]) + (" and others" if len(lasting) > 3 else "")
        bounds += (f"what {shown} of one execution left in the file system may have changed the next one",)
    if (weak := next(telling_failures(cp.program), None)) is not None:
        where = f" at {weak.pos.file}:{weak.pos.line}" if weak.pos is not None else ""
        bounds += (f"that the weak compare-exchange{where} fails for no reason was not tried",)
    if (wait := next(telling_wakeups(cp.program), None)) is not None:
        where = f" at {wait.pos.file}:{wait.pos.line}" if wait.pos is not None else ""
        bounds += (f"that the timed wait{where} returns 0 without a signal was not tried",)
    if (asked := _asked_of_machine(cp)) is not None:
        if options.cluster is not None and not options.cluster.is_here:
            bounds += (f"{asked} may differ between the machines of the cluster",)
        if host_run.is_taken_up:
            bounds += (f"{asked} may have changed since the checkpoint",)
    if options.deadlocks:
        bounds += _untried_waits(cp)
    if cp.overwriting_late:
        sites = cp.program.instructions_by_site()
        pos = sites[min(cp.overwriting_late)][1].pos
        where = f" at {pos.file}:{pos.line}" if pos is not None else ""
        bounds += (f"a lock is overwritten while threads run{where}, and not all orders of that were tried",)
    if options.algorithm in _TOGETHER and (hidden := _may_hide_races(cp)) is not None:
        bounds += (f"`{options.algorithm}` looks only for threads that stand before their accesses together: {hidden}",)
    if options.pruning == "printed":
        bounds += (f"`{options.algorithm}` as printed leaves out executions that may have races",)
    if options.algorithm == "optimal" and _CANCELS in cp.program.externals:
        bounds += (f"`optimal` does not try all orders of `{_CANCELS}`",)
    if races and options.algorithm not in _BEHIND_RACES:
        bounds += ("not all that may come behind the races that were executed was tried",)
    return bounds


def _asked_of_machine(cp: ConcurrentProgram) -> str | None:
    """What the program may ask of the machine that it runs on; None if nothing. Arguments and standard input are sent
    with it, but a stream may be another one."""
    if cp.inputs is None:
        return "what the program asks of its machine"
    first = next((asked for asked in cp.inputs if asked.kind is not InputKind.ARGUMENTS), None)
    return f"what the program gets from {first}" if first is not None else None


def _stray(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: ExploreOptions, host_run: HostRun) -> str | None:
    """Two accesses have met that could not but for a variable which is gone: nothing follows from such a run."""
    known = {_key((pair.first, pair.second)) for pair in (*pairs, *options.known_races)}
    for record in of_kind(host_run.records, RaceRecord) if options.outlived else ():
        if _key(record.accesses) not in known:
            names = ", ".join(f"`{cp.objects[identity].name}`" for identity in sorted(options.outlived))
            places = " and ".join(dict.fromkeys(_place(cp, number) for number in record.accesses))
            return f"a run uses {names} when the function whose variable that is has returned: see {places}"
    return None


def _unknown(pair: RacePair, text: str) -> Finding:
    return Finding(pair, Verdict.UNKNOWN, Reason(text), NAME)


def _obstacle(
    cp: ConcurrentProgram,
    prepared: Prepared,
    host_run: HostRun,
    unconfirmed: set[Key],
    what: str,
) -> str | None:
    """Why what was not found is not proved; None if it is."""
    executions = int(host_run.stats().get("executions", 0))
    seen = f"{what} in {_count(executions, 'execution')}"
    match host_run.end:
        case None:
            return f"the run failed: {host_run.problem}"
        case "race":
            return f"{seen}; the search ended with the first race"
        case "deadlock":
            return f"{seen}; the search ended with the first deadlock"
        case "time":
            return f"{seen}; then its time was up"
        case "executions":
            return f"{seen}, as many as were allowed"
        case "interrupted":
            return f"{seen}; then it was interrupted"
        case "failure":
            return f"{seen}; {FAILS_ALIKE}"
        case "given up":
            return f"{seen}; a part of the search was given up, because its worker was lost each time"
        case "pairs":
            return f"{seen}; the search ended with more races than it can keep"
        case "replayed":
            raise InternalError("the host replayed where it was to search")
    if executions == 0:
        return "the program was not executed"
    if unconfirmed:
        return f"{seen}; but the program does not do the same under the same schedule"
    watched = {number for pair in prepared.pairs for number in pair}
    blind = sorted(prepared.unobserved & watched)
    if blind:
        places = ", ".join(dict.fromkeys(_place(cp, number) for number in blind[:3]))
        return f"{seen}; but what library code does at {places} cannot be observed"
    return None


def _place(cp: ConcurrentProgram, number: AccessId) -> str:
    access = cp.accesses[number]
    return f"{access.pos.file}:{access.pos.line}" if access.pos is not None else f"`{access.function}`"


def _why_stopped(host_run: HostRun, options: ExploreOptions, budget: Budget) -> str | None:
    match host_run.end:
        case "complete" | "race" | "deadlock":  # what it was asked for
            return None
        case None:
            return f"the run failed: {host_run.problem}"
        case "time":
            return budget.end
        case "pairs":
            return "more races than it can keep"
        case "failure":
            return FAILS_ALIKE
        case "given up":
            return "a part of the search was given up"
        case "executions":
            return f"limit of {_count(options.max_executions, 'execution')} reached"
        case reason:
            return reason


def _incidents(cp: ConcurrentProgram, host_run: HostRun) -> Iterable[Incident]:
    for record in of_kind(host_run.records, OtherRecord):
        yield Incident(record.kind, record.message, record.thread, _site(cp, record), record.run)


def _site(cp: ConcurrentProgram, record: OtherRecord) -> SiteId | None:
    """Where it happened; a use after free names the access."""
    if record.kind != "use after free" or record.site is None:
        return record.site
    access = cp.accesses.get(AccessId(record.site))
    return access.site if access is not None else None


def _stats(options: ExploreOptions, host_run: HostRun) -> dict[str, int | float | str]:
    told = host_run.stats()
    stats: dict[str, int | float | str] = {"algorithm": options.algorithm, "complete": host_run.end == "complete"}
    stats |= {name: told.get(name, 0) for name in _COUNTS}
    seconds = float(told.get("seconds", host_run.seconds)) or host_run.seconds
    rate = told.get("executions_per_second", float(stats["executions"]) / max(seconds, 1e-6))
    stats["executions_per_second"] = round(float(rate), 1)
    return stats | {name: value for name, value in told.items() if name not in stats}


def _key(accesses: tuple[AccessId, AccessId]) -> Key:
    first, second = accesses
    return (first, second) if first <= second else (second, first)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
