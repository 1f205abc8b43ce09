"""What is different between two runs: verdicts, score, time?

Only programs that both have done are compared; the others are named.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique

from raceproof.core import InputError
from raceproof.corpora.results import Run, TaskResult


@unique
class Kind(Enum):
    """How the answer about one program has changed, the worst first."""

    WRONG = "wrong now"
    LOST = "lost"
    REPAIRED = "not wrong any more"
    GAINED = "gained"
    OTHER = "changed"  # from unknown to an error, or back


@dataclass(frozen=True, slots=True)
class Change:
    """A program that is answered otherwise than before."""

    kind: Kind
    before: TaskResult
    after: TaskResult

    @property
    def name(self) -> str:
        return self.after.name


@dataclass(frozen=True, slots=True)
class Comparison:
    """`changes`: the worst first. `score`: what the programs of both gained. `solved`: both answered them rightly.

    `ratio` is the geometric mean of the seconds of CPU after to those before, on `solved`; None if there are none.
    """

    first: Run
    second: Run
    common: tuple[tuple[TaskResult, TaskResult], ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def score(self) -> int:
        return sum(after.points - before.points for before, after in self.common)

    @property
    def solved(self) -> tuple[tuple[TaskResult, TaskResult], ...]:
        return tuple(
            (before, after) for before, after in self.common if before.outcome.is_correct and after.outcome.is_correct
        )

    @property
    def ratio(self) -> float | None:
        logs = [math.log(_positive(after.cpu) / _positive(before.cpu)) for before, after in self.solved]
        return math.exp(sum(logs) / len(logs)) if logs else None

    @property
    def is_worse(self) -> bool:
        """Whether something is wrong that was not before."""
        return any(change.kind is Kind.WRONG for change in self.changes)


def _positive(seconds: float) -> float:
    """A clock may say that nothing was used; a ratio wants a number."""
    return max(seconds, 0.001)


def compare(first: Run, second: Run) -> Comparison:
    """Raises `InputError` if the two do not agree on the truth, or have nothing in common."""
    before = {result.name: result for result in first.results}
    after = {result.name: result for result in second.results}
    common = tuple((before[name], after[name]) for name in before if name in after)
    if not common:
        raise InputError("the two runs have no program in common")
    for one, other in common:
        if one.expected is not other.expected:
            raise InputError(
                f"{one.name}: expected to be {one.expected.value} in one run and {other.expected.value} in the other"
            )
    return Comparison(
        first=first,
        second=second,
        common=common,
        only_first=tuple(name for name in before if name not in after),
        only_second=tuple(name for name in after if name not in before),
        changes=_changes(common),
    )


def _changes(common: Iterable[tuple[TaskResult, TaskResult]]) -> tuple[Change, ...]:
    found = [Change(_kind(one, other), one, other) for one, other in common if one.outcome is not other.outcome]
    order = list(Kind)
    return tuple(sorted(found, key=lambda change: (order.index(change.kind), change.name)))


def _kind(before: TaskResult, after: TaskResult) -> Kind:
    if after.outcome.is_wrong:
        return Kind.WRONG
    if before.outcome.is_wrong:
        return Kind.REPAIRED
    if after.outcome.is_correct:
        return Kind.GAINED
    return Kind.LOST if before.outcome.is_correct else Kind.OTHER
