"""Engines that only prove, before the explorer: what they prove, nobody may execute as a race.

The programs come from `exploration.values`. `dfs` is the oracle; a search that it does not finish refutes all the same
what it has found. An engine that gives up proves nothing; any other exception is a problem, too.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from exploration.compare import Compiled, Limits, Problem, compile_batch, compile_one
from exploration.syntax import Source
from raceproof import explore, facts, lockset, petri
from raceproof.core import Budget, InternalError, LimitReached, Unsupported
from raceproof.explore.build import build_host
from raceproof.model import ConcurrentProgram, EngineResult, RacePair, Verdict

LIMITS: Final = Limits(executions=30_000, seconds=20.0)
Prover = Callable[[ConcurrentProgram, Sequence[RacePair], Budget], EngineResult]


def _lockset(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> EngineResult:
    return lockset.run(cp, pairs, lockset.LocksetOptions(), budget)


def _petri(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> EngineResult:
    return petri.run(cp, pairs, petri.PetriOptions(), budget)


def _transactions(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> EngineResult:
    from raceproof import transactions

    return transactions.run(cp, pairs, transactions.TransactionsOptions(), budget)


PROVERS: Final[dict[str, Prover]] = {"lockset": _lockset, "petri": _petri, "transactions": _transactions}


@dataclass(slots=True)
class Judged:
    """What one program showed. `proved`: pairs by engine; `alone`: those that no engine before it had proved."""

    pairs: int = 0
    racing: int = 0
    complete: bool = False
    proved: dict[str, int] = field(default_factory=dict)
    alone: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(problem.kind for problem in self.problems)

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {number}" for name, number in self.proved.items())
        lines = [f"{self.pairs} pairs, {self.racing} racing; proved: {counts}"]
        return "\n".join([*lines, *map(str, self.problems)])


def judge(compiled: Compiled, engines: Sequence[str], limits: Limits = LIMITS) -> Judged:
    """Run the engines, each on all pairs, and hold what they prove against the executions of `dfs`."""
    found = Judged()
    cp = facts.analyse(compiled.program, Budget.seconds(limits.seconds))
    pairs = facts.race_pairs(cp)
    found.pairs = len(pairs)
    racing = _execute(cp, pairs, compiled, limits, found)
    known: set[RacePair] = set()
    for engine in engines:
        try:
            findings = PROVERS[engine](cp, pairs, Budget.seconds(limits.seconds)).findings
        except (Unsupported, LimitReached):
            continue
        except Exception:
            found.problems.append(Problem(f"crash of {engine}", traceback.format_exc()))
            continue
        proved = {finding.pair for finding in findings if finding.verdict is Verdict.RACE_FREE}
        found.proved[engine] = len(proved)
        found.alone[engine] = len(proved - known)
        known |= proved
        found.problems += [
            Problem(f"{engine} is unsound", f"proves {_describe(cp, pair)}, which dfs executes")
            for pair in pairs
            if pair in proved and pair in racing
        ]
    return found


def _execute(
    cp: ConcurrentProgram, pairs: tuple[RacePair, ...], compiled: Compiled, limits: Limits, found: Judged
) -> frozenset[RacePair]:
    """The pairs that race in some execution."""
    options = explore.ExploreOptions(
        module=compiled.module,
        algorithm="dfs",
        find_all=True,
        max_executions=limits.executions,
        confirmations=0,
    )
    build_host()  # once; not on the time of the search
    try:
        result = explore.run(cp, pairs, options, Budget.seconds(limits.seconds))
    except (Unsupported, LimitReached):
        return frozenset()
    except InternalError as error:
        found.problems.append(Problem("internal error of explore", str(error)))
        return frozenset()
    racing = frozenset(finding.pair for finding in result.findings if finding.verdict is Verdict.RACE)
    found.racing, found.complete = len(racing), result.stopped is None
    return racing


def _describe(cp: ConcurrentProgram, pair: RacePair) -> str:
    ends = [cp.accesses[number] for number in (pair.first, pair.second)]
    places = " and ".join(f"line {end.pos.line if end.pos else '?'} ({end.kind.value})" for end in ends)
    return f"{cp.objects[pair.target.object].name}: {places}"


def judge_all(sources: list[Source], engines: Sequence[str], directory: Path, limits: Limits = LIMITS) -> list[Judged]:
    """Many programs by one run of the compiler."""
    return [judge(compiled, engines, limits) for compiled in compile_batch(sources, directory)]


def judge_one(source: Source, engines: Sequence[str], directory: Path, limits: Limits = LIMITS) -> Judged:
    return judge(compile_one(source, directory), engines, limits)
