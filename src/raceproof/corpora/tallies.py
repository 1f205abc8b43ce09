"""Results put together: by category, by engine, and over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raceproof.corpora.results import TaskResult
from raceproof.corpora.scoring import POINTS, Outcome, outcome_of


@dataclass(frozen=True, slots=True)
class Tally:
    """Programs together. `best`: the score of one who answers all of them rightly; times in seconds."""

    programs: int
    correct_true: int
    correct_false: int
    unknown: int
    wrong: int
    error: int
    score: int
    best: int
    cpu: float
    wall: float


def tally(results: Iterable[TaskResult]) -> Tally:
    entries = tuple(results)
    outcomes = [entry.outcome for entry in entries]
    return Tally(
        programs=len(entries),
        correct_true=outcomes.count(Outcome.CORRECT_TRUE),
        correct_false=outcomes.count(Outcome.CORRECT_FALSE),
        unknown=outcomes.count(Outcome.UNKNOWN),
        wrong=sum(outcome.is_wrong for outcome in outcomes),
        error=outcomes.count(Outcome.ERROR),
        score=sum(entry.points for entry in entries),
        best=sum(POINTS[outcome_of(entry.expected, entry.expected)] for entry in entries),
        cpu=sum(entry.cpu for entry in entries),
        wall=sum(entry.wall for entry in entries),
    )


def by_category(results: Iterable[TaskResult]) -> tuple[tuple[str, Tally], ...]:
    """A tally for each category, by name."""
    groups: dict[str, list[TaskResult]] = {}
    for result in results:
        groups.setdefault(result.category, []).append(result)
    return tuple((name, tally(group)) for name, group in sorted(groups.items()))


@dataclass(frozen=True, slots=True)
class EngineTally:
    """What one engine is worth. `alone`, `together`: programs answered rightly that it decided by itself, or with
    others; `proved`, `witnessed`: pairs of accesses that it decided, in all programs."""

    engine: str
    alone: int
    together: int
    proved: int
    witnessed: int


def by_engine(results: Sequence[TaskResult], engines: Sequence[str]) -> tuple[EngineTally, ...]:
    """For each engine, those of the settings first."""
    names = dict.fromkeys([*engines, *(share.engine for result in results for share in result.shares)])
    solved = [result.decided_by for result in results if result.outcome.is_correct]
    shares = [share for result in results for share in result.shares]
    return tuple(
        EngineTally(
            engine=name,
            alone=solved.count((name,)),
            together=sum(name in by and len(by) > 1 for by in solved),
            proved=sum(share.proved for share in shares if share.engine == name),
            witnessed=sum(share.witnessed for share in shares if share.engine == name),
        )
        for name in names
    )


def quantiles(results: Iterable[TaskResult]) -> tuple[tuple[int, float], ...]:
    """The score that is reached when no program may take more than so many seconds of CPU: SV-COMP's quantile plot.

    Mistakes count from the beginning, so the first point may be below zero; each point is one program that is answered
    rightly, the quickest first.
    """
    entries = tuple(results)
    score = sum(entry.points for entry in entries if entry.outcome.is_wrong)
    points = []
    for entry in sorted((e for e in entries if e.outcome.is_correct), key=lambda e: e.cpu):
        score += entry.points
        points.append((score, entry.cpu))
    return tuple(points)
