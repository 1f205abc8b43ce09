"""Deadlocks: the property, what was executed, what an engine says about it. The definition is in docs/soundness.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import final

from raceproof.core import InternalError
from raceproof.ir import SiteId
from raceproof.model.findings import Exhausted, Reason, Run, RunStep, Scope


@unique
class Property(Enum):
    """What a program is checked for."""

    DATA_RACE = "data-race"
    DEADLOCK = "deadlock"


@unique
class DeadlockVerdict(Enum):
    DEADLOCK = "deadlock"
    DEADLOCK_FREE = "deadlock-free"
    UNKNOWN = "unknown"


@final
@dataclass(frozen=True, slots=True)
class Deadlock:
    """A deadlock as it was executed, and executed again: at the end of `run` no thread can go on.

    `blocked`: for each thread that has not ended, the operation in which it waits. `site`: one of these, for a place to
    show. `steps` of the run, of a long one the last; `record`: the steps with all that is between and behind them,
    empty for a long run.
    """

    run: Run
    site: SiteId | None
    blocked: tuple[RunStep, ...]
    steps: tuple[RunStep, ...] = field(default=(), compare=False, repr=False)
    record: tuple[RunStep, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.blocked:
            raise InternalError("a deadlock in which no thread waits")

    def __str__(self) -> str:
        return f"executed and repeated: {len(self.blocked)} threads wait, and none can go on"


@final
@dataclass(frozen=True, slots=True)
class LockOrder:
    """Threads never wait for one another in a cycle: all places at which they may wait are known, and what they want
    there comes behind what they hold, in one order.

    `order`: the resources, in an order in which all edges of the graph go forwards but those of the cycles that were
    ruled out. `waits`: at how many places, of which threads; `ruled_out`: cycles of the graph in which two of the
    threads can never wait at the same time, and why.
    """

    order: tuple[str, ...]
    waits: int
    ruled_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = [*self.order[:5], f"{len(self.order) - 5} more"] if len(self.order) > 6 else self.order
        locks = f"lock order {', '.join(shown)}" if self.order else "no lock is waited for while another is held"
        cycles = f"; cycles are ruled out: {'; '.join(self.ruled_out)}" if self.ruled_out else ""
        return f"{locks}{cycles}"


DeadlockEvidence = tuple[Deadlock, ...] | Exhausted | LockOrder | Reason


@dataclass(frozen=True, slots=True)
class DeadlockFinding:
    """What one engine says about the deadlocks of the program: executed ones, a proof with its scope, or why not."""

    verdict: DeadlockVerdict
    evidence: DeadlockEvidence
    engine: str
    scope: Scope | None = None

    def __post_init__(self) -> None:
        evidence = self.evidence
        match self.verdict:
            case DeadlockVerdict.DEADLOCK:
                fits = isinstance(evidence, tuple) and len(evidence) > 0 and self.scope is None
            case DeadlockVerdict.DEADLOCK_FREE if isinstance(evidence, LockOrder):
                fits = self.scope is Scope.ALL_INPUTS
            case DeadlockVerdict.DEADLOCK_FREE:
                reach = Scope.BOUNDED if isinstance(evidence, Exhausted) and evidence.bounds else Scope.THIS_INPUT
                fits = isinstance(evidence, Exhausted) and evidence.executions > 0 and self.scope is reach
            case DeadlockVerdict.UNKNOWN:
                fits = isinstance(evidence, Reason) and self.scope is None
        if not fits:
            raise InternalError(f"a finding {self.verdict.value} of {self.engine} has the wrong kind of evidence")
