"""The result of a whole run, with every name already spelled out, so that reports need no analysis.

Made by `portfolio`, read by `report` and `cli`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raceproof.core import InternalError, SourcePos
from raceproof.model.concurrency import AccessKind, Assumption, RacePair
from raceproof.model.findings import Scope, Verdict


@dataclass(frozen=True, slots=True)
class AccessResult:
    """One of the two accesses of a pair, in the thread and calling context that the report shows.

    `pos` is None in code that the compiler made up. `held` names the locks that are certainly held.
    """

    pos: SourcePos | None
    function: str
    kind: AccessKind
    thread: str
    is_atomic: bool
    held: tuple[str, ...]
    call_stack: tuple[SourcePos, ...] = ()


@dataclass(frozen=True, slots=True)
class PairResult:
    """What the run says about one pair; `id` counts from 1 and is the same in every run on the same program.

    `engine` is the one that decided, or for an open pair the last one that looked at it. A bounded proof leaves
    the verdict at UNKNOWN, with `scope` BOUNDED.
    """

    id: int
    pair: RacePair
    verdict: Verdict
    scope: Scope | None
    engine: str | None
    target: str
    accesses: tuple[AccessResult, AccessResult]
    evidence: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.verdict is Verdict.RACE_FREE and self.scope in (None, Scope.BOUNDED):
            raise InternalError(f"pair {self.id} is race-free without a proof that is better than bounded")


@dataclass(frozen=True, slots=True)
class EngineReport:
    """How one engine did: pairs it decided, and `open`, those left after it."""

    name: str
    seconds: float
    proved: int
    witnessed: int
    open: int
    stats: Mapping[str, int | float | str]
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict on the program. `reason` says why, for unknown always; `files` are the program's sources.

    `interrupted`: the user stopped the run, the rest is what was known by then.
    """

    verdict: Verdict
    scope: Scope | None
    reason: str | None
    files: tuple[str, ...]
    pairs: tuple[PairResult, ...]
    engines: tuple[EngineReport, ...]
    assumptions: tuple[Assumption, ...]
    seconds: float
    version: str
    other: tuple[str, ...] = ()
    interrupted: bool = False

    def __post_init__(self) -> None:
        match self.verdict:
            case Verdict.RACE_FREE:
                fits = self.scope not in (None, Scope.BOUNDED) and all(
                    p.verdict is Verdict.RACE_FREE for p in self.pairs
                )
            case Verdict.RACE:
                fits = any(p.verdict is Verdict.RACE for p in self.pairs)
            case Verdict.UNKNOWN:
                fits = bool(self.reason)
        if not fits:
            raise InternalError(f"the verdict {self.verdict.value} does not follow from the verdicts on the pairs")
