"""What engines say of a small program with atomics against all executions that C11 allows: `python -m
weaker.against_rc11 FIRST COUNT`, to be started in `tests`."""

from __future__ import annotations

import collections
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from exploration.compare import Compiled, compile_text

from raceproof import explore, facts, portfolio
from raceproof.core import Budget
from raceproof.model import CheckResult, Scope, Verdict
from weaker.litmus import Litmus, generate, render
from weaker.rc11 import TooManyGraphs, allowed_races

ENGINES: Final = ("lockset", "petri", "transactions", "bmc", "explore")
SECONDS: Final = 10.0


def problems(
    litmus: Litmus, engines: Sequence[str], directory: Path, counts: collections.Counter[str]
) -> Iterator[str]:
    """What an engine by itself says wrongly of the program; `counts` is told how often it said what."""
    truth = allowed_races(litmus)
    compiled = compile_text(render(litmus), directory)[0]
    counts["racy" if truth else "race-free"] += 1
    for engine in engines:
        checked = checked_by(engine, compiled)
        for threads, said in _said(compiled, checked):
            races = threads in truth
            counts[f"{engine}: {said}, {'race' if races else 'no race'}"] += 1
            if said == ("proved" if races else "race"):
                yield f"{engine} says {said} of threads {threads}; races: {sorted(truth)}\n{render(litmus)}"


def checked_by(engine: str, compiled: Compiled) -> CheckResult:
    search = explore.ExploreOptions(find_all=True)
    settings = portfolio.Settings(request=compiled.request, search=search, looks=False)
    return portfolio.check(compiled.program, (engine,), Budget.seconds(SECONDS), settings)


def _said(compiled: Compiled, checked: CheckResult) -> Iterator[tuple[tuple[int, int], str]]:
    """About the accesses to the plain variable, by the numbers of their threads. What is no pair is proved."""
    accesses = facts.analyse(compiled.program, Budget.unlimited()).accesses
    for result in checked.pairs:
        first, second = accesses[result.pair.first], accesses[result.pair.second]
        if first.is_atomic or second.is_atomic:
            continue
        low, high = sorted(int(access.function.removeprefix("thread")) for access in (first, second))
        is_proved = result.verdict is Verdict.RACE_FREE and result.scope is not Scope.BOUNDED
        yield (low, high), "proved" if is_proved else "race" if result.verdict is Verdict.RACE else "open"


def main() -> int:
    first, count = int(sys.argv[1]), int(sys.argv[2])
    counts: collections.Counter[str] = collections.Counter()
    wrong = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            try:
                for problem in problems(generate(seed), ENGINES, Path(name), counts):
                    wrong += 1
                    print(f"seed {seed}: {problem}", flush=True)
            except TooManyGraphs:
                counts["too many graphs"] += 1
    for what, number in sorted(counts.items()):
        print(f"{number:7,}  {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
