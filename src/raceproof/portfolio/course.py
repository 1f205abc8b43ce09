"""Who works when, on which pairs, for how long.

Cheap engines first, to their end. Then those that can take a first look take it: the common program is decided by
then, by a proof or by a race. What is still open goes to all the others: side by side if there are processes for them,
otherwise one after the other, each with a fair part of the time that is left, and what one leaves the next one has.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from raceproof import explore, lockset
from raceproof.core import Budget, InternalError, LimitReached, ToolMissing, Unsupported
from raceproof.model import (
    NO_SPURIOUS_WAKEUPS,
    Assumption,
    ClassFindings,
    ConcurrentProgram,
    EngineReport,
    EngineResult,
    Incident,
    ObjectId,
    Property,
    RacePair,
    RacePairs,
    RunSetup,
    Scope,
    Verdict,
    representatives,
)
from raceproof.portfolio.deadlocks import DeadlockLedger
from raceproof.portfolio.engines import ENGINES, Settings
from raceproof.portfolio.ledger import Doubt, Ledger
from raceproof.portfolio.side_by_side import Say, run_side_by_side

log = logging.getLogger(__name__)

MOST_ASKED = 20_000
"""So many pairs at most are shown to an engine whose work grows with them; the others stay open."""
MAX_REASONS = 50_000
"""Where an engine speaks of more pairs one by one, its reasons not to decide them are not kept."""


class Course:
    """One run of the engines on one program: what they found is in the ledger, how they did in `reports`."""

    def __init__(self, cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> None:
        self.outlived = lockset.may_be_outlived(cp)
        self.ledger = Ledger(pairs, _doubts(cp, pairs, self.outlived), settings.accepted)
        self.reports: dict[str, EngineReport] = {}
        self.incidents: list[Incident] = []
        self.deadlocks = DeadlockLedger(settings.accepted)
        self.setup: RunSetup | None = None
        self.interrupted_at: str | None = None
        self._cp = cp
        self.settings = self._settings = replace(settings, outlived=frozenset(self.outlived))
        self._budget = budget
        self._exhausted: set[str] = set()  # engines that would say the same again

    def assumptions(self) -> tuple[Assumption, ...]:
        """That no thread outlives the local variables that it uses, where it could; and that waits do not end without a
        signal, if the user says so and there are any."""
        return taken_for_granted(self._cp, self.outlived, self._settings.search.spurious)

    def run(self, names: Sequence[str], is_last: bool = True) -> None:
        """All phases; ends when no pair is open, the time is up, the user stops it, or a race was seen. `is_last`: no
        other property needs a part of the time."""
        whole = self._budget
        if not is_last:
            self._budget = whole.part(whole.remaining() / 2)
        self._decide_pairs(names)
        self._budget = whole

    def _decide_pairs(self, names: Sequence[str]) -> None:
        names = [name for name in names if Property.DATA_RACE in ENGINES[name].decides]
        cheap = [name for name in names if ENGINES[name].is_cheap]
        thorough = [name for name in names if not ENGINES[name].is_cheap]
        for name in cheap:
            self._turn(name, self._budget)
        if self._settings.looks and not self._is_over():
            for name in self._by_promise(thorough):
                if ENGINES[name].look > 0:
                    self._turn(name, self._budget, ENGINES[name].look)
        if self._has_race() and not self._settings.search.find_all:
            return
        thorough = [name for name in thorough if name not in self._exhausted]
        if self._settings.jobs > 1 and len(thorough) > 1 and not self._is_over():
            self._side_by_side(thorough)
            return
        for number, name in enumerate(thorough):
            remaining = self._budget.remaining()
            self._turn(name, self._budget.part(remaining / (len(thorough) - number)))

    def _by_promise(self, names: Sequence[str]) -> Sequence[str]:
        """Where more is open than most engines are shown, a race is likelier than a proof of all: first who runs it."""
        if self.ledger.open_count() <= MOST_ASKED:
            return names
        return sorted(names, key=lambda name: not ENGINES[name].takes_all)

    def run_cheap(self, names: Sequence[str]) -> None:
        """Only what costs little: data races are not asked about, but what cannot race need not be scheduled for."""
        for name in names:
            if ENGINES[name].is_cheap and Property.DATA_RACE in ENGINES[name].decides:
                self._turn(name, self._budget)

    def prove_deadlock_free(self, names: Sequence[str]) -> None:
        """The cheap engines that can say something about deadlocks."""
        for name in names:
            engine = ENGINES[name]
            if engine.is_cheap and Property.DEADLOCK in engine.decides and self.interrupted_at is None:
                self._look_for_deadlocks(name)

    def execute_deadlocks(self, names: Sequence[str]) -> None:
        """The others, as long as the question is open."""
        for name in names:
            engine = ENGINES[name]
            if engine.is_cheap or Property.DEADLOCK not in engine.decides or self.interrupted_at is not None:
                continue
            if not self.deadlocks.is_decided() or name in self._settings.always:
                self._look_for_deadlocks(name)

    def _look_for_deadlocks(self, name: str) -> None:
        self._settings.on_progress(f"engine {name}: deadlocks")
        settings = self._for_another_turn()
        algorithm = settings.search.algorithm
        if algorithm not in explore.FINDS_DEADLOCKS:
            algorithm = explore.FINDS_DEADLOCKS[0]
        settings = replace(settings, search=replace(settings.search, algorithm=algorithm, deadlocks=True))
        try:
            result = _run_engine(name, self._cp, self.ledger, settings, self._budget)
        except KeyboardInterrupt:
            result = EngineResult(name, (), 0.0, stopped="interrupted", interrupted=True)
        self._take(name, result)

    def _is_over(self) -> bool:
        return self.interrupted_at is not None or not self.ledger.open_count()

    def _has_race(self) -> bool:
        return any(report.witnessed for report in self.reports.values())

    def _turn(self, name: str, budget: Budget, look: float = 0.0) -> None:
        """One engine on what is open; `look`: seconds for a first look."""
        if self.interrupted_at is not None or (self._is_over() and name not in self._settings.always):
            return
        self._settings.on_progress(f"engine {name}")
        try:
            settings = replace(self._for_another_turn(), look=look)
            result = _run_engine(name, self._cp, self.ledger, settings, budget)
        except KeyboardInterrupt:
            result = EngineResult(name, (), 0.0, stopped="interrupted", interrupted=True)
        self._take(name, result)

    def _side_by_side(self, names: Sequence[str]) -> None:
        """Each in its own process; the processes that are left over go to the last one, which can use them."""
        shares = dict.fromkeys(names, 1)
        shares[names[-1]] = max(1, self._settings.jobs - len(names) + 1)
        tasks = {name: partial(self._alone, name, shares[name]) for name in names}
        self._settings.on_progress(f"engines {', '.join(names)}")
        try:
            for done in run_side_by_side(tasks, self._settings.on_progress):
                result = done.value or EngineResult(done.name, (), done.seconds, stopped=done.problem)
                self._take(done.name, result)
        except KeyboardInterrupt:
            self.interrupted_at = f"engines {', '.join(names)}"

    def _alone(self, name: str, jobs: int, say: Say) -> EngineResult:
        settings = replace(self._for_another_turn(), jobs=jobs, on_progress=say)
        return _run_engine(name, self._cp, self.ledger, settings, self._budget)

    def _for_another_turn(self) -> Settings:
        """Settings that tell of what was executed before."""
        if self.setup is None:
            return self._settings
        found = (self.ledger.pairs.named(*key) for key in self.setup.pairs)
        watched = tuple(pair for pair in found if pair is not None)
        search = replace(self._settings.search, watched=watched, known_races=self.ledger.races())
        return replace(self._settings, search=search)

    def _take(self, name: str, result: EngineResult) -> None:
        self.ledger.add(result)
        self.deadlocks.add(result)
        known = {(incident.kind, incident.site) for incident in self.incidents}
        self.incidents += [i for i in result.incidents if (i.kind, i.site) not in known]
        self.setup = result.setup or self.setup
        if result.stats.get("complete"):
            self._exhausted.add(name)
        report = _report(result, self.ledger.open_count())
        self.reports[name] = _added(self.reports[name], report) if name in self.reports else report
        log.info("engine %s: %s", name, report)
        if result.interrupted:
            self.interrupted_at = f"engine {name}"


def taken_for_granted(
    cp: ConcurrentProgram, outlived: Mapping[ObjectId, str], spurious: bool
) -> tuple[Assumption, ...]:
    """What the engines assume beside what the facts do."""
    found = ((cp.objects[identity], function) for identity, function in sorted(outlived.items()))
    assumed = [Assumption(f"`{o.name}` is not used when `{name}` has returned", o.pos) for o, name in found]
    if not spurious and explore.has_waits(cp):
        assumed.append(Assumption(NO_SPURIOUS_WAKEUPS))
    return tuple(assumed)


def _doubts(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], outlived: Mapping[ObjectId, str]
) -> dict[RacePair, Doubt]:
    """About pairs, or the first ones of classes, on local variables whose function may have returned. If it waits for
    something, that may be enough, and what was executed shows it."""
    found: dict[RacePair, Doubt] = {}
    for pair in representatives(pairs) if outlived else ():
        first, second = ({t.object for t in cp.accesses[number].targets} for number in (pair.first, pair.second))
        for identity in sorted(first & second & outlived.keys()):
            name, function = cp.objects[identity].name, outlived[identity]
            text = f"`{name}` may be used when `{function}` has returned, whose variable it is: then it is gone"
            executed = frozenset({Scope.THIS_INPUT}) if cp.lifetimes[identity].may_wait else frozenset()
            found[pair] = Doubt(text, frozenset(Scope) - executed - {Scope.BOUNDED})
    return found


def _run_engine(name: str, cp: ConcurrentProgram, ledger: Ledger, settings: Settings, budget: Budget) -> EngineResult:
    start = time.monotonic()
    try:
        budget.check()
        pairs: Sequence[RacePair] = ledger.open_pairs()
        if not ENGINES[name].takes_all:
            pairs = pairs if len(pairs) <= MOST_ASKED else tuple(islice(pairs, MOST_ASKED))
        settings = replace(settings, proved=ledger.proved_for_all_inputs())
        result = ENGINES[name].run(cp, pairs, settings, budget)
    except (Unsupported, LimitReached, ToolMissing) as stop:
        return EngineResult(name, (), time.monotonic() - start, stopped=str(stop))
    if isinstance(result.findings, ClassFindings):
        return result
    if len(result.findings) > MAX_REASONS:
        result = replace(result, findings=[f for f in result.findings if f.verdict is not Verdict.UNKNOWN])
    asked = pairs if isinstance(pairs, RacePairs) else set(pairs)
    for finding in result.findings:
        if finding.pair not in asked:
            raise InternalError(f"engine {name} decides a pair that it was not asked about: {finding.pair}")
    return result


def _report(result: EngineResult, still_open: int) -> EngineReport:
    found = result.findings
    counted = found.counted() if isinstance(found, ClassFindings) else [(finding, 1) for finding in found]
    verdicts = [(finding.verdict, count) for finding, count in counted if finding.scope is not Scope.BOUNDED]
    return EngineReport(
        name=result.engine,
        seconds=result.seconds,
        proved=sum(count for verdict, count in verdicts if verdict is Verdict.RACE_FREE),
        witnessed=sum(count for verdict, count in verdicts if verdict is Verdict.RACE),
        open=still_open,
        stats=result.stats,
        stopped=result.stopped,
        notes=result.notes,
    )


def _added(look: EngineReport, whole: EngineReport) -> EngineReport:
    """What an engine did in two turns. The statistics are those of the second, which saw everything again."""
    return replace(
        whole,
        seconds=look.seconds + whole.seconds,
        proved=look.proved + whole.proved,
        witnessed=look.witnessed + whole.witnessed,
        stats=whole.stats or look.stats,
        notes=tuple(dict.fromkeys((*look.notes, *whole.notes))),
    )
