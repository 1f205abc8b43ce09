"""Which searches the explorer makes in a run of several engines: schedules, and states where those are too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raceproof import explore
from raceproof.core import Budget, LimitReached, Unsupported
from raceproof.model import ConcurrentProgram, EngineResult, RacePair, Scope, Verdict

_SHARE = 1 / 3  # of the time, for the search that comes first


def explore_in_turn(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], options: explore.ExploreOptions, budget: Budget
) -> EngineResult:
    """Search with the algorithm of the options and with `states`, until one of the two decides.

    `race` had its first look and was not through: there `states` comes first. `optimal`, which looks for deadlocks, had
    none, and decides most programs at once: there it comes second. A program whose states cannot be told, and a run
    without a time limit, get the one search.
    """
    other = replace(options, algorithm=explore.STATES, cluster=None)
    for one in (options, other) if options.deadlocks else (other, options):
        is_last = one is (other if options.deadlocks else options)
        part = budget if is_last else budget.part(budget.remaining() * _SHARE)
        try:
            result = explore.run(cp, pairs, one, part)
        except (Unsupported, LimitReached):
            if one is options:
                raise
            continue
        if is_last or result.interrupted or _decides(result):
            return result
        kept = result
    return kept


def may_search_states(options: explore.ExploreOptions, budget: Budget) -> bool:
    """Whether there is a search to choose: not if the user has chosen it."""
    default = explore.FINDS_DEADLOCKS[0] if options.deadlocks else explore.DEFAULT_ALGORITHM
    return options.algorithm == default and not options.max_executions and budget.remaining() < float("inf")


def _decides(result: EngineResult) -> bool:
    if any(finding.verdict is Verdict.RACE for finding in result.findings) or result.deadlocks:
        return True
    if result.deadlock is not None:
        return result.deadlock.scope is Scope.THIS_INPUT
    return bool(result.findings) and all(finding.scope is Scope.THIS_INPUT for finding in result.findings)
