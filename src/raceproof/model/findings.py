"""Verdicts and the evidence they rest on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import final

from raceproof.core import InternalError, SourcePos
from raceproof.model.concurrency import RacePair, View


@unique
class Verdict(Enum):
    RACE = "race"
    RACE_FREE = "race-free"
    UNKNOWN = "unknown"


@unique
class Scope(Enum):
    """How far a proof reaches, strongest first. BOUNDED is never reported as race-free."""

    ANY_THREADS = "any-threads"
    ALL_INPUTS = "all-inputs"
    THIS_INPUT = "this-input"
    BOUNDED = "bounded"


@unique
class Rule(Enum):
    """Why the lockset engine holds a pair to be race-free."""

    NOT_SHARED = "not-shared"
    ORDERED = "ordered"
    COMMON_LOCK = "common-lock"
    OWNED = "owned"
    BOTH_ATOMIC = "both-atomic"
    DISJOINT = "disjoint"


@final
@dataclass(frozen=True, slots=True)
class StaticReason:
    """A rule and what it was applied to (`lock m`, `joined at line 20`); one per combination of views."""

    rule: Rule
    detail: str

    def __str__(self) -> str:
        return f"{self.rule.value} {self.detail}".strip()


@final
@dataclass(frozen=True, slots=True)
class Reason:
    """Why a pair is still open, for a person to read; `views` are the first two that may race."""

    text: str
    pos: SourcePos | None = None
    views: tuple[View, View] | None = None

    def __str__(self) -> str:
        return self.text


Proof = tuple[StaticReason, ...]
Evidence = Proof | Reason


@dataclass(frozen=True, slots=True)
class Finding:
    """What one engine says about one pair. A proof needs reasons and a scope, an unknown needs a reason."""

    pair: RacePair
    verdict: Verdict
    evidence: Evidence
    engine: str
    scope: Scope | None = None

    def __post_init__(self) -> None:
        is_proof = isinstance(self.evidence, tuple) and len(self.evidence) > 0
        match self.verdict:
            case Verdict.RACE_FREE:
                fits = is_proof and self.scope is not None
            case Verdict.UNKNOWN:
                fits = isinstance(self.evidence, Reason)
            case Verdict.RACE:
                fits = False  # needs an executed schedule, which no engine makes yet
        if not fits:
            raise InternalError(f"a finding {self.verdict.value} of {self.engine} has the wrong kind of evidence")


@dataclass(frozen=True, slots=True)
class EngineResult:
    """`stopped` says why the engine ended early, None if it did not."""

    engine: str
    findings: tuple[Finding, ...]
    seconds: float
    stats: dict[str, int | float | str] = field(default_factory=dict)
    stopped: str | None = None
