"""The engine `bmc`: inputs and a schedule under which two accesses meet, or a proof that there are none.

The unwinding grows step by step. At each step every open pair is asked for an execution in which both threads stand
before its accesses; a model is executed on the real program, and only that makes it a race. Pairs without one are
then asked about in an unwinding for proofs, in which everything may happen that C and POSIX allow and reads are
believed only as `trust` says, all together: a pair that is not proved takes its help from the others, until no more
are lost. If no execution comes to where the unwinding ends, that is a proof for all inputs, and otherwise one up to
the bound.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from raceproof.bmc.conflicts import Conflicts, Key
from raceproof.bmc.encoding import Encoding
from raceproof.bmc.interrupts import Watch, as_usual, watched
from raceproof.bmc.library import call_library
from raceproof.bmc.options import BmcOptions, Executor
from raceproof.bmc.slicing import Slice, Slicer
from raceproof.bmc.solving import Answer, Solved, Solver
from raceproof.bmc.terms import either, term
from raceproof.bmc.trust import Trust
from raceproof.bmc.unwinding import Unwinder
from raceproof.bmc.unwound import Mode, Unwound, why_unprovable
from raceproof.bmc.witnesses import Witness, read_witness
from raceproof.core import Budget, LimitReached, ToolMissing, Unsupported
from raceproof.model import (
    ConcurrentProgram,
    EngineResult,
    Finding,
    RacePair,
    Reason,
    Scope,
    Unwinding,
    Verdict,
)

log = logging.getLogger(__name__)

NAME = "bmc"


def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: BmcOptions, budget: Budget) -> EngineResult:
    """Find races and execute them, or prove pairs, as far as the budget reaches."""
    start = time.monotonic()
    stopped: str | None = None
    with watched(budget) as watch:
        deciding = _Deciding(Conflicts(cp), pairs, options, watch)
        try:
            deciding.run()
        except LimitReached as limit:
            stopped = limit.message
        except KeyboardInterrupt:
            watch.is_interrupted = True
    if watch.is_interrupted:
        stopped = "interrupted"
    return EngineResult(
        engine=NAME,
        findings=deciding.findings(stopped),
        seconds=time.monotonic() - start,
        stats=deciding.told(complete=stopped is None),
        stopped=stopped,
        notes=tuple(deciding.notes),
        setup=deciding.executor.setup if deciding.executor is not None and deciding.executed else None,
        interrupted=watch.is_interrupted,
    )


def unwind(conflicts: Conflicts, bound: int, mode: Mode, options: BmcOptions, watch: Watch) -> Unwound:
    return Unwinder(conflicts, bound, mode, call_library, watch, options.max_events).run()


class _Deciding:
    """What is known so far about each pair."""

    def __init__(self, conflicts: Conflicts, pairs: Sequence[RacePair], options: BmcOptions, watch: Watch) -> None:
        self.notes: dict[str, None] = {}
        self.executor: Executor | None = None
        self.executed = 0
        self._pairs = list(pairs)
        self._options = options
        self._watch = watch
        self._conflicts = conflicts
        self._trust = Trust(conflicts)
        self._decided: dict[RacePair, Finding] = {}
        self._bounded: dict[RacePair, Finding] = {}
        self._reasons: dict[RacePair, str] = {}
        self._attempts: Counter[RacePair] = Counter()
        self._counts: Counter[str] = Counter()
        self._seconds = 0.0
        self._megabytes = 0.0
        self._bound = 0
        self._depths: list[int] = []
        self._ranges = {known.access: known for known in options.ranges if options.uses_ranges}
        self._proved: frozenset[Key] = frozenset((p.first, p.second) for p in options.proved)

    def findings(self, stopped: str | None) -> tuple[Finding, ...]:
        return tuple(self._finding(pair, stopped) for pair in self._pairs)

    def _finding(self, pair: RacePair, stopped: str | None) -> Finding:
        for known in (self._decided, self._bounded):
            if pair in known:
                return known[pair]
        why = self._reasons.get(pair) or (f"not decided: {stopped}" if stopped else "not decided")
        return Finding(pair, Verdict.UNKNOWN, Reason(why), NAME)

    def told(self, complete: bool) -> dict[str, int | float | str]:
        names = ("encodings", "satisfiable", "unsatisfiable", "timeouts", "executed", "not_executed")
        stats: dict[str, int | float | str] = {"pairs": len(self._pairs), "complete": complete}
        stats |= {name: self._counts[name] for name in names}
        stats |= {"unwinding": self._bound, "events": self._counts["events"], "assertions": self._counts["assertions"]}
        stats["orders"] = self._counts["orders"]
        stats |= {"solver_seconds": round(self._seconds, 3), "peak_memory_mb": round(self._megabytes, 1)}
        if self._depths:
            stats["depth"] = max(self._depths)
            stats["depths"] = " ".join(map(str, self._depths))
        return stats

    def _open(self) -> list[RacePair]:
        return [pair for pair in self._pairs if pair not in self._decided]

    # -- step by step

    def run(self) -> None:
        if not self._pairs:
            return
        finds, proves = self._options.finds, self._options.proves
        for bound in self._options.bounds:
            self._bound = bound
            self._options.on_progress(f"engine bmc: loops unwound {bound} times, {len(self._open())} pairs open")
            if finds:
                finds = not self._find(bound)
            if proves and self._open():
                proves = not self._prove(bound)
            if not self._open() or not (finds or proves):
                return
        self._decide_nothing(f"not decided with loops unwound {self._bound} times")

    def _decide_nothing(self, why: str) -> None:
        for pair in self._open():
            self._reasons.setdefault(pair, why)

    # -- races

    def _find(self, bound: int) -> bool:
        """Look for executions with races; say whether the unwinding has all of them."""
        mode = Mode(False, self._options.uses_facts, self._options.argc)
        unwound = unwind(self._conflicts, bound, mode, self._options, self._watch)
        slicer = Slicer(unwound, self._watch)
        solvers: dict[Slice, tuple[Encoding, Solver]] = {}
        asked = self._open()
        for number, pair in enumerate(asked):
            self._watch.check()
            share = self._watch.remaining() / (2 * (len(asked) - number))
            part = slicer.slice((pair.first, pair.second)) if self._options.slices else slicer.everything()
            if part not in solvers:
                solvers[part] = self._encoded(unwound, part)
            self._look(pair, *solvers[part], min(share, self._options.seconds))
        if unwound.is_final:
            return True
        if not self._open():
            return False
        encoding, solver = self._encoded(unwound, slicer.slice((), with_cuts=True))
        return self._ask(solver, [either(*(t for _, t in encoding.cuts()))]).answer is Answer.NO

    def _encoded(self, unwound: Unwound, part: Slice, proved: Iterable[Key] | None = None) -> tuple[Encoding, Solver]:
        believed = part.bound if proved is None else self._believed(part, frozenset(proved))
        sees_last = self._trust.sees_last if proved is not None else (lambda event: True)
        encoding = Encoding(
            unwound,
            self._watch,
            part.kept.__contains__,
            believed.__contains__,
            sees_last,
            self._options.sections,
            self._ranges if proved is None else {},
        )
        self._counts["encodings"] += 1
        self._counts["events"] = max(self._counts["events"], len(encoding.events))
        self._counts["orders"] = max(self._counts["orders"], encoding.orders)
        self._counts["assertions"] = max(self._counts["assertions"], len(encoding.constraints))
        solver = Solver(encoding.constraints, self._options.memory, self._watch)
        self._seconds += solver.seconds
        return encoding, solver

    def _believed(self, part: Slice, proved: frozenset[Key]) -> frozenset[object]:
        found = set()
        for event in part.bound:
            self._watch.check()
            if self._trust.is_trusted(event, proved):
                found.add(event)
        return frozenset(found)

    def _ask(self, solver: Solver, question: Sequence[object], *assumptions: object, seconds: float = 0.0) -> Solved:
        self._watch.check()
        limit = max(min(seconds or self._options.seconds, self._watch.remaining()), 0.1)
        before = solver.seconds
        solved = solver.ask([term(q, 1) for q in question], assumptions, limit)
        self._seconds += solver.seconds - before
        self._megabytes = max(self._megabytes, solver.megabytes)
        self._counts["timeouts" if solved.answer is Answer.UNKNOWN else solved.answer.value] += 1
        return solved

    def _look(self, pair: RacePair, encoding: Encoding, solver: Solver, seconds: float) -> None:
        """Executions with a race on the pair, until one runs."""
        meetings = encoding.races(pair)
        if not meetings:
            return
        left = list(meetings)
        until = time.monotonic() + seconds
        while left and self._attempts[pair] < self._options.models:
            wanted = [either(*(meets for _, _, meets in left))]
            solved = self._ask(solver, wanted, encoding.signalled, seconds=until - time.monotonic())
            if solved.answer is Answer.NO and encoding.has_waits:
                solved = self._ask(solver, wanted, seconds=until - time.monotonic())
            if solved.answer is not Answer.YES or solved.model is None:
                if solved.answer is Answer.UNKNOWN:
                    self._reasons[pair] = f"not decided: {solved.reason}"
                return
            witness = read_witness(encoding, solved.model, pair, self._watch)
            self._attempts[pair] += 1
            if self._execute(witness):
                return
            left = [(a, b, meets) for a, b, meets in left if (a, b) != witness.racers]

    def _execute(self, witness: Witness) -> bool:
        """Only what was executed counts."""
        pair = witness.pair
        if self._options.executor is None:
            self._reasons[pair] = f"possible: {witness}"
            return False
        budget = self._watch.budget
        try:
            with as_usual(self._watch):
                if self.executor is None:
                    self._options.on_progress("engine bmc: building the program")
                    self.executor = self._options.executor(budget)
                self._options.on_progress("engine bmc: executing a model")
                found = self.executor.execute(witness.guide, budget)
        except (ToolMissing, Unsupported) as problem:
            self._reasons[pair] = f"possible: {witness} (not executed: {problem})"
            return False
        if isinstance(found, str):
            self._counts["not_executed"] += 1
            self._reasons[pair] = f"possible: {witness} (executed otherwise: {found})"
            log.info("a model of %s was not executed: %s; %s", pair, found, witness)
            return False
        self._counts["executed"] += 1
        self.executed += 1
        self._depths.append(witness.depth)
        self._decided[pair] = Finding(pair, Verdict.RACE, found, NAME)
        return True

    # -- proofs

    def _prove(self, bound: int) -> bool:
        """Prove what can be; say whether a larger bound would change nothing."""
        unwound = unwind(self._conflicts, bound, Mode(True, self._options.uses_facts), self._options, self._watch)
        obstacle = why_unprovable(self._conflicts.cp, unwound)
        if obstacle is not None:
            self._decide_nothing(f"not proved: {obstacle}")
            return True
        slicer = Slicer(unwound, self._watch)
        candidates = [
            pair for pair in self._open() if not self._attempts[pair] and not self._conflicts.is_outside(pair)
        ]
        lost = True
        while lost and candidates:
            lost = False
            together = self._proved | {(p.first, p.second) for p in candidates}
            solvers: dict[Slice, tuple[Encoding, Solver]] = {}
            for pair in list(candidates):
                part = slicer.slice((pair.first, pair.second)) if self._options.slices else slicer.everything()
                if part not in solvers:
                    solvers[part] = self._encoded(unwound, part, together)
                why = self._why_not(pair, *solvers[part])
                if why is not None:
                    self._reasons.setdefault(pair, why)
                    candidates.remove(pair)
                    lost = True
        is_complete = self._is_complete(unwound, slicer, candidates)
        scope = Scope.ALL_INPUTS if is_complete else Scope.BOUNDED
        keys = tuple((pair.first, pair.second) for pair in candidates)
        ends = () if is_complete else tuple(unwound.ends)
        evidence = Unwinding(keys, bound, unwound.events, is_complete, self._relied_on(slicer, keys), ends)
        for pair in candidates:
            finding = Finding(pair, Verdict.RACE_FREE, evidence, NAME, scope)
            (self._decided if is_complete else self._bounded)[pair] = finding
        return is_complete or unwound.is_final

    def _why_not(self, pair: RacePair, encoding: Encoding, solver: Solver) -> str | None:
        meetings = encoding.races(pair)
        if not meetings:
            return None
        solved = self._ask(solver, [either(*(meets for _, _, meets in meetings))])
        match solved.answer:
            case Answer.NO:
                return None
            case Answer.YES:
                return (
                    "not proved: both threads may come to their accesses if reads that no proof covers return anything"
                )
            case Answer.UNKNOWN:
                return f"not decided: {solved.reason}"

    def _is_complete(self, unwound: Unwound, slicer: Slicer, candidates: Sequence[RacePair]) -> bool:
        """No execution comes to where the unwinding ends."""
        if not unwound.has_cuts:
            return True
        together = self._proved | {(p.first, p.second) for p in candidates}
        part = slicer.slice((), with_cuts=True) if self._options.slices else slicer.everything()
        encoding, solver = self._encoded(unwound, part, together)
        return self._ask(solver, [either(*(truth for _, truth in encoding.cuts()))]).answer is Answer.NO

    def _relied_on(self, slicer: Slicer, keys: Sequence[Key]) -> tuple[Key, ...]:
        found: set[Key] = set()
        for event in slicer.everything().bound:
            self._watch.check()
            needed = self._trust.needs(event)
            if needed is not None and not event.is_resolved:
                found |= needed
        return tuple(sorted((found & self._proved) - set(keys)))
