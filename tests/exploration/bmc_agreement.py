"""The engine `bmc` against `dfs`, pair by pair: what it must not say, and what it must not miss.

`dfs` tries every schedule with every value of the inputs (`exploration.small_loops` sees to it that there are few), so
that it knows all races. What is compared, beside what holds for every engine (`exploration.judging`):

- `bmc` misses no race, unless its time was up before every loop was unwound, or the race has no run in which both
  threads stand before their accesses: that is behind another race, or behind a weaker atomic (`docs/soundness.md`);
- every model is executed.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import Final

from exploration.compare import Problem
from exploration.searches import Outcome, key_of
from exploration.small_loops import input_ranges
from raceproof import explore, portfolio
from raceproof.core import Budget
from raceproof.explore.candidates import candidates
from raceproof.frontend import CompileRequest
from raceproof.ir import Program
from raceproof.model import CheckResult, PairResult, RacePair, Scope, Verdict

ENGINE: Final = "bmc"
ROUNDS: Final = 3
"""As often a loop of a generated program may go round: beyond it there is nothing to be found."""
_TIME_WAS_UP: Final = "the solver has not answered within"


def values_not_tried(program: Program, text: str) -> list[int]:
    """Values that the inputs of the program may have, and that the explorer does not try."""
    tried = {value for _, value in candidates(program)}
    return [value for low, high in input_ranges(text) for value in range(low, high + 1) if value not in tried]


def solved(program: Program, request: CompileRequest, seconds: float) -> CheckResult:
    """All pairs by `bmc` alone, its models executed."""
    settings = portfolio.Settings(request=request, search=explore.ExploreOptions(find_all=True), looks=False)
    return portfolio.check(program, (ENGINE,), Budget.seconds(seconds), settings)


def disagreements(
    pairs: Sequence[RacePair], oracle: Outcome, checked: CheckResult, counts: collections.Counter[str]
) -> Iterator[Problem]:
    """What `bmc` said wrongly or not at all; `counts` is told how often it said what."""
    stopped = next((report.stopped for report in checked.engines if report.name == ENGINE), None)
    counts["bmc: not finished"] += stopped is not None
    rounds = next((int(report.stats.get("unwinding", 0)) for report in checked.engines if report.name == ENGINE), 0)
    if len(checked.pairs) != len(pairs):
        yield Problem("pairs", f"{len(checked.pairs)} for bmc, {len(pairs)} for dfs")
    for pair in checked.pairs:
        key = key_of(pair.pair)
        said = _said(pair)
        races = key in oracle.races
        counts[f"bmc: {said}, {'race' if races else 'no race'}"] += 1
        if key in oracle.together and said == "open" and any(_TIME_WAS_UP in text for text in pair.evidence):
            counts["bmc: open for want of time, race"] += 1
        elif key in oracle.together and said in ("open", "bounded") and (stopped is None or rounds > ROUNDS):
            yield Problem("race missed", _described(pair, oracle))
        if any(text.startswith("possible") for text in pair.evidence):
            yield Problem("model not executed", _described(pair, oracle))
    for report in checked.engines:
        if report.name == ENGINE and report.stats.get("not_executed", 0):
            yield Problem("model not executed", f"not_executed is {report.stats['not_executed']}")


def _said(pair: PairResult) -> str:
    if pair.verdict is Verdict.RACE:
        return "race"
    if pair.verdict is Verdict.RACE_FREE:
        return "proved"
    return "bounded" if pair.scope is Scope.BOUNDED else "open"


def _described(pair: PairResult, oracle: Outcome) -> str:
    ends = " and ".join(f"line {a.pos.line if a.pos else '?'} ({a.kind.value})" for a in pair.accesses)
    key = key_of(pair.pair)
    known = "no race"
    if key in oracle.races:
        known = "race, both stand before it" if key in oracle.together else "race"
    return f"{pair.target}, {ends}: dfs: {known}; bmc: {_said(pair)}: {'; '.join(pair.evidence)}"
