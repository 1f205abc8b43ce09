"""Try a repair: on a copy of the sources, compile it, check it again, and compare the answers.

A repair is accepted if the program still compiles without new errors, if no pair of the location races any more, if
nothing races that did not race before, and if no deadlock was executed that was not there before.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, unique
from pathlib import Path

from raceproof import frontend, portfolio
from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.model import CheckResult, DeadlockVerdict, Property, Scope, Verdict
from raceproof.repair.candidates import Candidate, Scene, candidates
from raceproof.repair.edits import apply
from raceproof.report import Location, locations_of

SECONDS = 20.0
"""For one check of one candidate, at most."""
MOST_CANDIDATES = 12


@unique
class Outcome(Enum):
    """PROVED: what raced is race-free now. GONE: no race was executed any more, but not all is proved."""

    PROVED = "proved"
    GONE = "gone"
    RACES = "races"
    NEW_RACE = "new race"
    DEADLOCK = "deadlock"
    BROKEN = "does not compile"
    UNKNOWN = "not known"

    @property
    def is_repair(self) -> bool:
        return self in (Outcome.PROVED, Outcome.GONE)


@dataclass(frozen=True)
class Program:
    """What is checked, and how. `texts`: files that differ from those on the disk, by absolute name."""

    request: frontend.CompileRequest
    settings: portfolio.Settings
    engines: tuple[str, ...]
    texts: Mapping[str, bytes]

    def trees(self, budget: Budget, strict: bool = False) -> tuple[frontend.SyntaxTree, ...]:
        with self.changed() as request:
            return frontend.syntax_trees(request, budget, strict)

    def check(self, budget: Budget) -> CheckResult:
        with self.changed() as request:
            prototypes = self.settings.models.numbered()
            program = frontend.load(replace(request, prototypes=prototypes), budget)
            return portfolio.check(program, self.engines, budget, replace(self.settings, request=request))

    def changed(self) -> _Changed:
        return _Changed(self.request, self.texts)


class _Changed:
    """The request with the texts in force, as long as the context lasts."""

    def __init__(self, request: frontend.CompileRequest, texts: Mapping[str, bytes]) -> None:
        self._request, self._texts = request, texts

    def __enter__(self) -> frontend.CompileRequest:
        self._directory = tempfile.TemporaryDirectory(prefix="raceproof-fix-")
        if not self._texts:
            return self._request
        return frontend.with_changes(self._request, self._texts, Path(self._directory.name))

    def __exit__(self, *error: object) -> None:
        self._directory.cleanup()


@dataclass(frozen=True)
class Repair:
    """A candidate that was tried. `texts`: the whole program with it; `after`: what the check then said."""

    candidate: Candidate
    outcome: Outcome
    texts: Mapping[str, bytes]
    after: CheckResult | None


def repairs(
    program: Program,
    before: CheckResult,
    location: Location,
    budget: Budget,
    on_try: Callable[[Candidate], None] = lambda candidate: None,
) -> Iterator[Repair]:
    """Every candidate for a racy location, tried one after the other."""
    trees = program.trees(budget)
    scene = Scene(location, trees, str(program.request.root))
    trial = _Trial(program, before, location, _texts_of(trees), _compiles(program, budget))
    for number, candidate in enumerate(candidates(scene)):
        if number == MOST_CANDIDATES:
            return
        on_try(candidate)
        yield trial.tried(candidate, budget)


def best(found: Iterator[Repair]) -> tuple[Repair | None, tuple[Repair, ...]]:
    """The first that is proved; without one, the first without a race. And all that were tried by then."""
    tried: list[Repair] = []
    for repair in found:
        tried.append(repair)
        if repair.outcome is Outcome.PROVED:
            return repair, tuple(tried)
    gone = (r for r in tried if r.outcome is Outcome.GONE)
    return next(gone, None), tuple(tried)


def _texts_of(trees: tuple[frontend.SyntaxTree, ...]) -> dict[str, bytes]:
    return {file: text for tree in trees for file, text in tree.texts.items()}


@dataclass
class _Trial:
    """All that candidates for one location are held against."""

    program: Program
    before: CheckResult
    location: Location
    texts: Mapping[str, bytes]
    is_strict: bool
    _with_deadlocks: bool = False

    def tried(self, candidate: Candidate, budget: Budget) -> Repair:
        changed = apply(self.texts, candidate.edits)
        if changed is None or not all(os.access(file, os.W_OK) for file in changed):
            return Repair(candidate, Outcome.BROKEN, self.program.texts, None)
        repaired = replace(self.program, texts={**self.program.texts, **changed})
        if self.is_strict and not _compiles(repaired, budget):
            return Repair(candidate, Outcome.BROKEN, repaired.texts, None)
        try:
            after = _checked(repaired, budget)
            found = outcome(self.before, after, self.location, candidate.waits)
            if (
                found is Outcome.DEADLOCK and not candidate.waits and not self._with_deadlocks
            ):  # was it there before? nobody had looked
                self.before, self._with_deadlocks = _both(self.before, _checked(self.program, budget)), True
                found = outcome(self.before, after, self.location)
        except InputError:
            return Repair(candidate, Outcome.BROKEN, repaired.texts, None)
        except (LimitReached, Unsupported):
            return Repair(candidate, Outcome.UNKNOWN, repaired.texts, None)
        return Repair(candidate, found, repaired.texts, after)


def _checked(program: Program, budget: Budget) -> CheckResult:
    asked = replace(program.settings, properties=(Property.DATA_RACE, Property.DEADLOCK))
    asked = replace(asked, search=replace(asked.search, find_all=True))
    return replace(program, settings=asked).check(Budget.seconds(min(SECONDS, budget.remaining())))


def _both(first: CheckResult, second: CheckResult) -> CheckResult:
    """The first, with the incidents and deadlocks of the second."""
    return replace(first, other=second.other, deadlocks=second.deadlocks, deadlock=second.deadlock, asked=second.asked)


def _compiles(program: Program, budget: Budget) -> bool:
    try:
        program.trees(budget, strict=True)
    except InputError:
        return False
    return True


def outcome(before: CheckResult, after: CheckResult, location: Location, waits: bool = False) -> Outcome:
    """What the check after a repair says about it. One that `waits` must be known not to deadlock: that there was a
    deadlock before, in the same functions, does not tell that it is the same."""
    if after.interrupted:
        return Outcome.UNKNOWN
    known = _races(before)
    if any(count > known[name] for name, count in _races(after).items() if name not in known):
        return Outcome.NEW_RACE
    names = {_plain(p.target) for p in location.pairs}
    found = [p for p in after.pairs if _plain(p.target) in names]
    if any(p.verdict is Verdict.RACE for p in found):
        return Outcome.RACES
    if _stuck(after) - _stuck(before) or (waits and after.deadlocks):
        return Outcome.DEADLOCK
    if after.sources is None:  # there were no facts, so nothing is decided
        return Outcome.UNKNOWN
    if waits and not _is_free_of_deadlocks(after):
        return Outcome.UNKNOWN
    open_here = [p for p in found if p.verdict is Verdict.UNKNOWN and not p.is_for_this_input]
    return Outcome.GONE if open_here else Outcome.PROVED


def _is_free_of_deadlocks(result: CheckResult) -> bool:
    """Proved, at least for the input that the program is given."""
    answer = result.deadlock
    return answer is not None and (answer.verdict is DeadlockVerdict.DEADLOCK_FREE or answer.scope is Scope.THIS_INPUT)


def _races(result: CheckResult) -> Counter[str]:
    """By location; lines move."""
    return Counter(_plain(location.name) for location in locations_of(result) if location.verdict is Verdict.RACE)


def _stuck(result: CheckResult) -> set[tuple[str, str]]:
    """Deadlocks, crashes and the like, by kind and function."""
    found = {(incident.kind, incident.function) for incident in result.other}
    return found | {("deadlock", blocked.function) for each in result.deadlocks for blocked in each.blocked}


def _plain(name: str) -> str:
    """Without lines, which move, and without the element of an array."""
    return re.sub(r"\[[^\]]*\]", "[]", name.partition(" (")[0])
