"""One program before every engine: does anybody claim what an execution refutes, do two of them contradict each other?

The oracle is `dfs`: it executes every order of the visible operations, with the values of the inputs that the
explorer tries. A race is C11's: the host keeps vector clocks by the memory order of each atomic and fence, so that an
execution of a program with weaker atomics has a race where these orders leave two accesses unordered. What holds:

- A race that any search executed is one. No engine may prove such a pair, whatever the program.
- Where `dfs` came to its end, with all inputs, there is no other race *in sequentially consistent executions*. Nobody
  may execute one, and the searches must agree (`compare`). Executions that only weaker hardware has are not tried:
  they are judged on small programs, by `tests/weaker`.
- The interpreter of the differential tests shares no code with the explorer, and watches all memory, not only what the
  static analysis calls shared. What it sees racing must be a pair that nobody proves; where it and `dfs` both came to
  their end, they agree.
- ThreadSanitizer watches some runs of the compiled program on the real machine: what it reports must be a pair that
  nobody proves, and where `dfs` came to its end one that this executed.
- What `check` reports must not be rejected by `check-evidence`.
- Of programs of the families `inputs` and `limits` the generator knows whether they race: nobody may say otherwise, and
  within every limit `explore` has to decide.
- Of programs of the family `loops` `bmc` misses no race that it should find (`bmc_agreement`).

A program that some execution leads into undefined behaviour other than a race (`UNDEFINED`) is left alone: proofs
assume that there is none. An engine that gives up decides nothing; any other exception is a problem.
"""

from __future__ import annotations

import collections
import contextlib
import io
import json
import random
import re
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from metamorphic.changes import CHANGES, Claim
from unit.cli.commands import run_command

from exploration import bmc_agreement, given, library_judging, library_pairs, sanitizer
from exploration import limits as near_limits
from exploration.compare import Compiled, Problem, compile_text, disagreements, lines_of, never_waits, places
from exploration.families import Specimen
from exploration.searches import OPEN, ORACLE, SWEEP, Key, Limits, Lines, Outcome, Searches, key_of
from raceproof import facts, lockset, petri, portfolio, report, shapes, transactions
from raceproof.cli import check_evidence
from raceproof.core import Budget, InputError, LimitReached, ToolMissing, Unsupported
from raceproof.explore import ExploreOptions
from raceproof.explore.outside import unseen_order
from raceproof.interpreter import NotSupported
from raceproof.interpreter import explore as interpret
from raceproof.ir import Program
from raceproof.model import ConcurrentProgram, EngineResult, InputKind, RacePair, Verdict

LIMITS: Final = Limits(executions=20_000, seconds=3.0)
UNDEFINED: Final = frozenset(
    ("unlock", "initialise", "destroy", "wait", "join", "crash", "stack overflow", "double free", "invalid free")
)
"""Incidents of an execution that has no meaning in C, race or not."""
_MORE_TRIED: Final = re.compile(r"nondet|\bif \([^;]*cond_wait")
"""Where `dfs` goes further than the interpreter: other inputs, waits at conditions that end without a signal."""
_OUTSIDE: Final = re.compile(
    r"bytes -?\d+ to |access to |comparison of (?:an undefined value|pointers to different objects)$"
    r"|argument \d+ of \w+ is undefined$"
    r"|.* of an object that (?:was not initialised|is initialised already)$"
)
"""How the interpreter says that an access is not within its object, that what nobody has written or what C leaves open
decides, or that a call is about no object or makes one again."""
_GIVES_UP: Final = (Unsupported, LimitReached, ToolMissing)

Prover = Callable[[ConcurrentProgram, Sequence[RacePair], Budget], EngineResult]
PROVERS: Final[dict[str, Prover]] = {
    "lockset": lambda cp, pairs, budget: lockset.run(cp, pairs, lockset.LocksetOptions(), budget),
    "shapes": lambda cp, pairs, budget: shapes.run(cp, pairs, shapes.ShapesOptions(), budget),
    "petri": lambda cp, pairs, budget: petri.run(cp, pairs, petri.PetriOptions(), budget),
    "transactions": lambda cp, pairs, budget: transactions.run(cp, pairs, transactions.TransactionsOptions(), budget),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Who looks at a program beside `dfs`. `narrowed`: `race` once more, for the open pairs alone; `checked`: the
    engines of a run of `check`, whose report is checked; `change`: what is done to the program before the same engines
    look at it again (`metamorphic.changes`)."""

    searches: tuple[str, ...] = ()
    provers: tuple[str, ...] = ("lockset",)
    narrowed: bool = False
    bmc: bool = False
    checked: tuple[str, ...] = ()
    interpreted: bool = False
    sanitized: bool = False
    change: str | None = None


@dataclass(slots=True)
class Judged:
    """What one program showed. `skipped`: why nothing was compared; `seconds` by who looked at it; `racing_lines` and
    `proved_lines`: the lines of the pairs that were executed as races, and of those that an engine proved; `truth`:
    what is known beforehand; `rests_on_addresses`: they decide something, so two builds may go different ways."""

    skipped: str | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    racing_lines: frozenset[Lines] = frozenset()
    proved_lines: dict[str, frozenset[Lines]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    truth: library_pairs.Truth | None = None
    rests_on_addresses: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(problem.kind for problem in self.problems)

    @property
    def races(self) -> frozenset[Key]:
        """What some search executed."""
        return frozenset(key for outcome in self.outcomes.values() for key in outcome.races)

    @property
    def is_complete(self) -> bool:
        return ORACLE in self.outcomes and self.outcomes[ORACLE].is_complete

    def __str__(self) -> str:
        lines = [f"skipped: {self.skipped}"] if self.skipped is not None else []
        lines += [*map(str, self.problems), *map(str, self.outcomes.values())]
        return "\n".join([*lines, ", ".join(f"{name} {number}" for name, number in sorted(self.counts.items()))])


def judge(specimen: Specimen, plan: Plan, directory: Path, limits: Limits = LIMITS) -> Judged:
    """Compile the program in `directory`, and let everybody in the plan look at it."""
    found = Judged()
    if specimen.family == library_pairs.MODE:
        _judge_library(specimen.seed, directory, limits, found)
        return found
    with _timed(found, "compiling"):
        try:
            compiled = compile_text(specimen.text, directory)[0]
        except (InputError, Unsupported) as error:
            if specimen.source is not None:
                found.problems.append(Problem("front end", str(error)))
            else:  # a text that was spoiled need not be C any more
                found.skipped = "front end"
            return found
    court = _Court(specimen, plan, compiled, directory, limits, found)
    court.sit()
    if found.problems and specimen.source is None and leads_out(specimen.text, compiled.program, directory, limits):
        found.problems = [problem for problem in found.problems if problem.kind.startswith("crash")]
        found.skipped = "undefined behaviour"
    if plan.change is not None and found.skipped is None and not found.problems:
        _judge_changed(specimen, plan, plan.change, compiled.program, directory, limits, found)
    return found


def _judge_library(seed: int, directory: Path, limits: Limits, found: Judged) -> None:
    """The oracle of these is not `dfs`, which knows what the tables know, but the standards."""
    pair = library_pairs.generate(seed)
    with _timed(found, "library"):
        judged = library_judging.judge_pair(pair, directory, limits.seconds)
    found.truth = pair.truth
    found.problems += [Problem(f"library: {text.splitlines()[0]}", text) for text in judged.problems]
    found.counts.update({f"library, {name}": number for name, number in judged.counts.items()})


def leads_out(text: str, program: Program, directory: Path, limits: Limits) -> bool:
    """A text that was spoiled may leave its arrays in some schedule, or never make what it uses: anything goes then."""
    with contextlib.suppress(NotSupported):
        ends = interpret(program, limits.executions, 10 * limits.seconds).ends
        if any(_OUTSIDE.match(end) for end in ends):
            return True
    try:
        return sanitizer.leads_out(text, directory)
    except ToolMissing:
        return False


def _judge_changed(
    specimen: Specimen, plan: Plan, name: str, program: Program, directory: Path, limits: Limits, found: Judged
) -> None:
    """Change the program, judge it again, and compare the two."""
    change = CHANGES[name]
    changed = change.apply(specimen, program, random.Random(f"{name} {specimen.seed}"))
    if changed is None or changed.text == specimen.text:
        return
    changed = replace(changed, text=near_limits.without_truth(changed.text))
    with _timed(found, "changed"):
        after = judge(changed, replace(plan, change=None, checked=(), sanitized=False), directory, limits)
    found.problems += [Problem(f"{name}: {p.kind}", f"{p.text}\n{changed.text}") for p in after.problems]
    if after.skipped is not None:
        return
    found.counts[f"changed, {name}"] += 1
    found.counts[f"changed, {name}: from race-free to racy"] += bool(after.races) and not found.races
    for text in difference(change.claim, found, after):
        found.problems.append(Problem(f"{name} makes a difference", f"{text}\n{changed.text}\n{after}"))


def difference(claim: Claim, before: Judged, after: Judged) -> Iterator[str]:
    """What is not as the change claims; nothing is known of the races of a program that `dfs` did not finish."""
    if claim is Claim.SAME_LINES:
        first, second = (found.proved_lines.get("lockset", frozenset()) for found in (before, after))
        if first != second:
            yield f"lockset proves lines {sorted(first - second)} only before, {sorted(second - first)} only behind"
    if not before.is_complete or not after.is_complete or before.rests_on_addresses:
        return
    if claim is Claim.SAME_LINES and before.racing_lines != after.racing_lines:
        yield f"races at lines {sorted(before.racing_lines)}, then {sorted(after.racing_lines)}"
    if claim is Claim.SAME_VERDICT and bool(before.races) != bool(after.races):
        yield f"races at lines {sorted(before.racing_lines)}, then {sorted(after.racing_lines)}"
    if claim is Claim.STAYS_RACE_FREE and after.races and not before.races:
        yield f"a race at lines {sorted(after.racing_lines)}"


@contextlib.contextmanager
def _timed(found: Judged, name: str) -> Iterator[None]:
    start = time.monotonic()
    try:
        yield
    finally:
        found.seconds[name] = found.seconds.get(name, 0.0) + time.monotonic() - start


class _Court:
    """One program, and what has been said about it."""

    def __init__(
        self, specimen: Specimen, plan: Plan, compiled: Compiled, directory: Path, limits: Limits, found: Judged
    ) -> None:
        self.specimen, self.plan, self.compiled = specimen, plan, compiled
        self.directory, self.limits, self.found = directory, limits, found
        self.proved: dict[str, frozenset[Key]] = {}
        self.all_inputs = True

    def sit(self) -> None:
        found = self.found
        try:
            with _timed(found, "facts"):
                self.cp = facts.analyse(self.compiled.program, Budget.seconds(self.limits.seconds))
                self.pairs = facts.race_pairs(self.cp)
        except _GIVES_UP:
            found.skipped = "facts"
            return
        except Exception:
            self._crash("facts")
            return
        self.keys = {key_of(pair): pair for pair in self.pairs}
        found.rests_on_addresses = any(asked.kind is InputKind.ADDRESSES for asked in self.cp.inputs)
        found.counts["pairs"] = len(self.pairs)
        truth_near_limits = near_limits.truth_of(self.specimen.text)
        if not self._search():
            if truth_near_limits is not None:
                self._problem("not judged", str(found.skipped))
            return
        for engine in self.plan.provers:
            self._prove(engine)
        if self.plan.narrowed:
            self._search_open()
        if self.plan.bmc:
            self._solve()
        if self.plan.checked:
            self._check()
        if self.plan.interpreted:
            self._interpret()
        if self.plan.sanitized:
            self._sanitize()
        if (truth := given.is_racy(self.specimen.text)) is not None:
            self._hold_against_truth(truth)
        if truth_near_limits is not None:
            self._hold_near_limits(truth_near_limits)

    def _problem(self, kind: str, text: str) -> None:
        self.found.problems.append(Problem(kind, text))

    def _crash(self, who: str) -> None:
        self._problem(f"crash of {who}", traceback.format_exc())

    def _note(self, engine: str, proved: frozenset[Key], races: frozenset[Key] = frozenset()) -> None:
        """Count what an engine decided, and hold it against the executions."""
        found = self.found
        self.proved[engine] = proved
        found.proved_lines[engine] = frozenset(lines_of(self.cp, key) for key in proved)
        found.counts[f"{engine}: programs"] += 1
        found.counts[f"{engine}: pairs"] += len(self.pairs)
        found.counts[f"{engine}: proved"] += len(proved)
        found.counts[f"{engine}: races"] += len(races)
        for key in sorted(proved & found.races):
            self._problem(f"{engine} is unsound", f"proves {places(self.cp, key)}, which is executed as a race")
        if self._is_exhausted:
            for key in sorted(races - found.races):
                self._problem(f"race of {engine} alone", f"{places(self.cp, key)}: dfs has no such race")

    @property
    def _is_exhausted(self) -> bool:
        """Whether `dfs` knows all races, as far as sequentially consistent executions have them."""
        return self.found.is_complete and self.all_inputs and not self.found.rests_on_addresses

    # -- the explorer

    def _search(self) -> bool:
        """The oracle, then the other searches; False if there is no oracle."""
        found = self.found
        if unseen_order(self.cp):  # in files, say: another search may come to them in another order
            found.skipped = "order outside of memory"
            return False
        try:
            with _timed(found, "building"):
                searches = Searches(self.cp, self.pairs, self.compiled.module, self.limits)
        except _GIVES_UP:
            found.skipped = "building"
            return False
        except Exception:
            self._crash("explore, which builds")
            return False
        for algorithm in (ORACLE, *self.plan.searches):
            try:
                with _timed(found, algorithm):
                    outcome = searches.run(algorithm)
            except _GIVES_UP:
                found.skipped = algorithm
                return False
            except Exception:
                self._crash(algorithm)
                return False
            found.outcomes[algorithm] = outcome
            if outcome.end is None:
                self._problem(f"no end of {algorithm}", str(outcome))
        if any(UNDEFINED.intersection(outcome.incidents) for outcome in found.outcomes.values()):
            found.skipped = "undefined behaviour"
            return False
        oracle = found.outcomes[ORACLE]
        self.all_inputs = oracle.has_all_inputs or self.specimen.family == "loops"
        found.racing_lines = frozenset(lines_of(self.cp, key) for key in found.races)
        for key in sorted(found.races - self.keys.keys()):
            self._problem("race of no pair", places(self.cp, key))
        if self.found.is_complete:
            found.problems += disagreements(self.cp, found.outcomes, is_exact=never_waits(self.specimen.text))
        for outcome in found.outcomes.values():
            self._count_search(outcome, searches, self.pairs)
        return True

    def _search_open(self) -> None:
        found = self.found
        pairs = [pair for pair in self.pairs if key_of(pair) not in self.proved["lockset"]]
        if not pairs or len(pairs) == len(self.pairs):
            return
        try:
            with _timed(found, OPEN):
                searches = Searches(self.cp, pairs, self.compiled.module, self.limits)
                outcome = replace(searches.run(SWEEP), algorithm=OPEN)
        except _GIVES_UP:
            return
        except Exception:
            self._crash(OPEN)
            return
        if found.is_complete and not found.rests_on_addresses:
            found.problems += disagreements(self.cp, {ORACLE: found.outcomes[ORACLE], OPEN: outcome})
        self._count_search(outcome, searches, pairs)
        found.outcomes[OPEN] = outcome

    def _count_search(self, outcome: Outcome, searches: Searches, pairs: Sequence[RacePair]) -> None:
        counts, name = self.found.counts, outcome.algorithm
        is_proof = outcome.is_complete and outcome.has_all_inputs and not searches.has_blind_spots
        counts[f"{name}: programs"] += 1
        counts[f"{name}: pairs"] += len(pairs)
        counts[f"{name}: races"] += len(outcome.races)
        counts[f"{name}: proved"] += len(pairs) - len(outcome.races) if is_proof else 0
        counts[f"{name}: executions"] += outcome.executions

    # -- the others

    def _prove(self, engine: str) -> None:
        try:
            with _timed(self.found, engine):
                findings = PROVERS[engine](self.cp, self.pairs, Budget.seconds(self.limits.seconds)).findings
        except _GIVES_UP:
            self._note(engine, frozenset())
            return
        except Exception:
            self._crash(engine)
            return
        self._note(engine, frozenset(key_of(f.pair) for f in findings if f.verdict is Verdict.RACE_FREE))

    def _solve(self) -> None:
        if self.specimen.family == "loops":
            missing = bmc_agreement.values_not_tried(self.compiled.program, self.specimen.text)
            if missing:
                self._problem("inputs", f"dfs does not try {missing}")
                return
        try:
            with _timed(self.found, "bmc"):
                checked = bmc_agreement.solved(self.compiled.program, self.compiled.request, self.limits.seconds)
        except Exception:
            self._crash("bmc")
            return
        proved = frozenset(key_of(p.pair) for p in checked.pairs if p.verdict is Verdict.RACE_FREE)
        self._note("bmc", proved, frozenset(key_of(p.pair) for p in checked.pairs if p.verdict is Verdict.RACE))
        if self._is_exhausted and self.specimen.family == "loops":
            oracle = self.found.outcomes[ORACLE]
            self.found.problems += bmc_agreement.disagreements(self.pairs, oracle, checked, self.found.counts)

    def _check(self) -> None:
        """What a user gets, and whether its evidence is accepted."""
        settings = portfolio.Settings(request=self.compiled.request, search=ExploreOptions(find_all=True))
        counts = self.found.counts
        try:
            with _timed(self.found, "check"):
                checked = portfolio.check(
                    self.compiled.program, self.plan.checked, Budget.seconds(self.limits.seconds), settings
                )
            proved = frozenset(key_of(p.pair) for p in checked.pairs if p.verdict is Verdict.RACE_FREE)
            self._note("check", proved, frozenset(key_of(p.pair) for p in checked.pairs if p.verdict is Verdict.RACE))
            with _timed(self.found, "check-evidence"):
                claims = self._claims(report.to_json(checked))
        except Exception:
            self._crash(f"check with {', '.join(self.plan.checked)}")
            return
        for claim in claims:
            counts[f"evidence: {claim['answer']}"] += 1
            if claim["answer"] == "rejected":
                self._problem("evidence rejected", f"{claim['kind']}: {claim['why']}")

    def _hold_against_truth(self, is_racy: bool) -> None:
        """Races that need an input are not executed: the generator says where there is one. An engine alone, and all
        together, must not call such a program race-free, and must prove its twin without input."""
        for engines in (("lockset", "explore"), ("explore",)):
            settings = portfolio.Settings(request=self.compiled.request, unaided="lockset" not in engines)
            try:
                with _timed(self.found, "check"):
                    seconds = max(10.0, 3 * self.limits.seconds)
                    checked = portfolio.check(self.compiled.program, engines, Budget.seconds(seconds), settings)
            except Exception:
                self._crash(f"check with {', '.join(engines)}")
                return
            is_free = checked.verdict is Verdict.RACE_FREE
            said = f"{', '.join(engines)}: {checked.verdict.value}, {checked.reason}"
            if is_racy and is_free:
                self._problem("an input is forgotten", said)
            elif not is_racy and checked.verdict is Verdict.UNKNOWN:  # a changed program may race without any input
                self._problem("an input too many", said)
            self.found.counts[f"inputs: {'racy, not' if is_racy else 'race-free,'} proved"] += is_racy != is_free

    def _hold_near_limits(self, truth: near_limits.Truth) -> None:
        """What lies past a limit may be left open; nothing else may be said of it than what is true."""
        found = self.found
        for name, outcome in found.outcomes.items():
            if truth.is_racy and outcome.is_complete and not outcome.races:
                self._problem("a limit is forgotten", str(outcome))
            if not truth.is_racy and outcome.races:
                self._problem("race of a race-free program", str(outcome))
            found.counts[f"limits: no end of {name}"] += outcome.end != "complete"
        if truth.is_racy:
            for engine, proved in self.proved.items():
                if len(proved) == len(self.pairs):
                    self._problem("a limit is forgotten", f"{engine} proves all {len(proved)} pairs")
        for engines in (("lockset", "explore"), ("explore",)):
            settings = portfolio.Settings(request=self.compiled.request, unaided="lockset" not in engines)
            try:
                with _timed(found, "check"):
                    seconds = max(10.0, 3 * self.limits.seconds)
                    checked = portfolio.check(self.compiled.program, engines, Budget.seconds(seconds), settings)
            except Exception:
                self._crash(f"check with {', '.join(engines)}")
                return
            said = f"{', '.join(engines)}: {checked.verdict.value}, {checked.reason}"
            is_open = checked.verdict is Verdict.UNKNOWN
            if is_open and not truth.is_racy:  # a named semaphore may be there already, which is an input
                is_open = any(p.verdict is Verdict.UNKNOWN and not p.is_for_this_input for p in checked.pairs)
            if truth.is_racy and checked.verdict is Verdict.RACE_FREE:
                self._problem("a limit is forgotten", said)
            elif not truth.is_racy and checked.verdict is Verdict.RACE:
                self._problem("race of a race-free program", said)
            elif is_open and truth.is_within:
                self._problem("not decided within the limits", said)
            kind = (
                f"{'racy' if truth.is_racy else 'race-free'}, {'within' if truth.is_within else 'near or past a limit'}"
            )
            found.counts[f"limits: {kind}: {'left open' if is_open else 'decided'}"] += 1

    def _claims(self, written: report.Json) -> list[dict[str, str]]:
        path, answers = self.directory / "report.json", self.directory / "answers.json"
        path.write_text(json.dumps(written), encoding="utf-8")
        seconds = str(3 * self.limits.seconds)
        with contextlib.redirect_stdout(io.StringIO()):
            run_command(
                check_evidence.add_parser, "check-evidence", str(path), "--json", str(answers), "--time-limit", seconds
            )
        claims: list[dict[str, str]] = json.loads(answers.read_text(encoding="utf-8"))["claims"]
        return claims

    def _interpret(self) -> None:
        """Another oracle, which shares no code with the explorer."""
        try:
            with _timed(self.found, "interpreter"):
                seen = interpret(self.compiled.program, self.limits.executions // 10, self.limits.seconds)
        except NotSupported:
            return
        ends: dict[tuple[tuple[int, str], ...], Key] = {}
        for key in self.keys:
            accesses = [self.cp.accesses[number] for number in key]  # type: ignore[index]
            ends[tuple(sorted((int(a.site), a.kind.value) for a in accesses))] = key
        self.found.counts["interpreter: programs"] += 1
        for sites, race in sorted(seen.races.items()):
            known = ends.get(tuple(sites))
            where = f"{race.object}, sites {sites}"
            if known is None:
                self._problem("race of no pair", f"the interpreter sees one at {where}")
                continue
            for engine, proved in self.proved.items():
                if known in proved:
                    self._problem(f"{engine} is unsound", f"the interpreter sees a race at {where}")
            if self._is_exhausted and known not in self.found.races:
                self._problem("interpreter disagrees", f"dfs has no race at {where}")
        if not seen.gaps() and self._is_exhausted and _MORE_TRIED.search(self.specimen.text) is None:
            alone = [key for key in self.found.races if not any(ends[s] == key for s in seen.races if s in ends)]
            for key in sorted(alone):
                self._problem("interpreter disagrees", f"it has no race at {places(self.cp, key)}")

    def _sanitize(self) -> None:
        try:
            with _timed(self.found, "sanitizer"):
                seen = sanitizer.races(self.specimen.text, self.directory)
        except ToolMissing:
            return
        if seen is None:
            return
        counts = self.found.counts
        counts["sanitizer: programs"] += 1
        counts["sanitizer: races"] += len(seen)
        counts["sanitizer: racy programs"] += bool(seen)
        for lines in sorted(seen):
            fitting = {key for key in self.keys if lines_of(self.cp, key) == lines}
            if not fitting:
                self._problem("race of no pair", f"ThreadSanitizer sees one at lines {lines}")
                continue
            for engine, proved in self.proved.items():
                if fitting <= proved:
                    self._problem(f"{engine} is unsound", f"ThreadSanitizer sees a race at lines {lines}")
            if self._is_exhausted and not fitting & self.found.races:
                self._problem("sanitizer disagrees", f"dfs has no race at lines {lines}")
