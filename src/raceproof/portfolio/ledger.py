"""The ledger: every race pair with the evidence so far.

Invariants: evidence is added and never removed; no pair has both a proof and a witness. A proof that reaches less far
than was asked for, a bounded one in any case, is kept as evidence but leaves its pair open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from raceproof.core import Contradiction, InternalError
from raceproof.model import EngineResult, Finding, RacePair, Reason, Scope, Verdict

_STRENGTH = {scope: i for i, scope in enumerate(Scope)}


@dataclass(frozen=True, slots=True)
class Decision:
    """What the evidence on one pair amounts to; `finding` is the one that decides, or the last unknown."""

    verdict: Verdict
    scope: Scope | None
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why proofs of these scopes do not count."""

    text: str
    scopes: frozenset[Scope]


class Ledger:
    """Pairs in the order given, each with the findings of the engines in the order they came.

    `doubts`: about pairs of which not all proofs count. `accepted`: how far a proof must reach to decide its pair.
    """

    def __init__(
        self,
        pairs: Iterable[RacePair],
        doubts: Mapping[RacePair, Doubt] | None = None,
        accepted: Scope = Scope.ALL_INPUTS,
    ) -> None:
        if accepted is Scope.BOUNDED:
            raise InternalError("a bounded proof would decide a pair")
        self._findings: dict[RacePair, list[Finding]] = {pair: [] for pair in pairs}
        self._doubts = doubts or {}
        self._accepted = accepted

    @property
    def pairs(self) -> tuple[RacePair, ...]:
        return tuple(self._findings)

    def findings(self, pair: RacePair) -> tuple[Finding, ...]:
        return tuple(self._findings[pair])

    def open_pairs(self) -> tuple[RacePair, ...]:
        return tuple(pair for pair in self._findings if self.decide(pair).verdict is Verdict.UNKNOWN)

    def proved_for_all_inputs(self) -> frozenset[RacePair]:
        scopes = (Scope.ANY_THREADS, Scope.ALL_INPUTS)
        return frozenset(pair for pair in self._findings if self.decide(pair).scope in scopes)

    def add(self, result: EngineResult) -> None:
        """Enter all findings of an engine; a contradiction is a bug of raceproof and ends the run.

        An engine that looks at a pair again knows more: its earlier reason not to decide is replaced.
        """
        for finding in result.findings:
            entries = self._findings.get(finding.pair)
            if entries is None:
                raise InternalError(f"engine {finding.engine} decides {_name(finding.pair)}, which is no pair at all")
            doubt = self._doubts.get(finding.pair)
            if doubt is not None and finding.scope in doubt.scopes:
                finding = Finding(finding.pair, Verdict.UNKNOWN, Reason(doubt.text), finding.engine)
            for earlier in entries:
                if _is_contradiction(earlier, finding):
                    raise _contradiction(earlier, finding)
            entries[:] = [e for e in entries if e.engine != finding.engine or e.verdict is not Verdict.UNKNOWN]
            entries.append(finding)

    def decide(self, pair: RacePair) -> Decision:
        """A witness decides; else the strongest proof, if it reaches as far as it must; else the pair is open."""
        entries = self._findings[pair]
        for finding in entries:
            if finding.verdict is Verdict.RACE:
                return Decision(Verdict.RACE, None, finding)
        proofs = [f for f in entries if f.verdict is Verdict.RACE_FREE and f.scope is not None]
        if proofs:
            best = min(proofs, key=lambda f: _STRENGTH[f.scope or Scope.BOUNDED])
            verdict = Verdict.RACE_FREE if reaches(best.scope or Scope.BOUNDED, self._accepted) else Verdict.UNKNOWN
            return Decision(verdict, best.scope, best)
        return Decision(Verdict.UNKNOWN, None, entries[-1] if entries else None)


def reaches(scope: Scope, accepted: Scope) -> bool:
    """Whether a proof of this scope counts where one of `accepted` is asked for."""
    return _STRENGTH[scope] <= _STRENGTH[accepted]


def weakest(scopes: Iterable[Scope]) -> Scope:
    """The scope of several proofs together; of no proof at all, that of the program as written."""
    return max(scopes, key=_STRENGTH.__getitem__, default=Scope.ALL_INPUTS)


def _is_contradiction(a: Finding, b: Finding) -> bool:
    # A witness beyond the bound of a bounded proof contradicts nothing.
    return any(
        proof.verdict is Verdict.RACE_FREE and proof.scope is not Scope.BOUNDED and witness.verdict is Verdict.RACE
        for proof, witness in ((a, b), (b, a))
    )


def _contradiction(one: Finding, other: Finding) -> Contradiction:
    says = " and ".join(f"engine {finding.engine} says {finding.verdict.value}" for finding in (one, other))
    return Contradiction(f"contradiction on {_name(one.pair)}: {says}", (repr(one), repr(other)))


def _name(pair: RacePair) -> str:
    return f"the pair of accesses {pair.first} and {pair.second}"
