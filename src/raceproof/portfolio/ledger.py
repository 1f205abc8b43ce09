"""The ledger: every race pair with the evidence so far.

Invariants: evidence is added and never removed; no pair has both a proof and a witness. A proof that reaches less far
than was asked for, a bounded one in any case, is kept as evidence but leaves its pair open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from raceproof.core import Contradiction, InternalError
from raceproof.model import (
    ClassFindings,
    EngineResult,
    Finding,
    PairClass,
    RacePair,
    RacePairs,
    Reason,
    Scope,
    Verdict,
)

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


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ledger knows of pairs that it cannot tell apart: all of `together` but for `without`, or `first` alone.
    `count` is how many they are, and `findings` is said of each."""

    first: RacePair
    count: int
    findings: tuple[Finding, ...]
    together: PairClass | None = None
    without: frozenset[RacePair] = frozenset()


class Ledger:
    """Pairs in the order given, each with the findings of the engines in the order they came.

    What an engine says of a whole class of pairs is kept once. A pair of which something else is said leaves its class,
    with all that was said before. `doubts`: about pairs, or the first pairs of classes, of which not all proofs count.
    `accepted`: how far a proof must reach to decide its pair.
    """

    def __init__(
        self,
        pairs: Sequence[RacePair],
        doubts: Mapping[RacePair, Doubt] | None = None,
        accepted: Scope = Scope.ALL_INPUTS,
    ) -> None:
        if accepted is Scope.BOUNDED:
            raise InternalError("a bounded proof would decide a pair")
        whole = isinstance(pairs, RacePairs) and pairs.is_by_classes
        self.pairs = pairs if isinstance(pairs, RacePairs) and whole else RacePairs(beside=pairs)
        self._of_class: dict[PairClass, list[Finding]] = {found: [] for found in self.pairs.classes}
        self._alone: dict[RacePair, list[Finding]] = {pair: [] for pair in self.pairs.beside}
        self._left: dict[PairClass, dict[RacePair, None]] = {}
        self._doubts = doubts or {}
        self._accepted = accepted
        self._open: int | None = None

    def findings(self, pair: RacePair) -> tuple[Finding, ...]:
        alone = self._alone.get(pair)
        if alone is not None:
            return tuple(alone)
        return tuple(finding.about(pair) for finding in self._of_class[self._class(pair)])

    def open_pairs(self) -> RacePairs:
        return self._chosen(lambda decision: decision.verdict is Verdict.UNKNOWN)

    def open_count(self) -> int:
        """How many pairs are open."""
        if self._open is None:
            self._open = self._count_open()
        return self._open

    def _count_open(self) -> int:
        of_class = (
            found.count - len(self._left.get(found, ()))
            for found, entries in self._of_class.items()
            if self.decision(entries).verdict is Verdict.UNKNOWN
        )
        alone = [entries for entries in self._alone.values() if self.decision(entries).verdict is Verdict.UNKNOWN]
        return sum(of_class) + len(alone)

    def races(self) -> tuple[RacePair, ...]:
        return tuple(self._chosen(lambda decision: decision.verdict is Verdict.RACE))

    def proved_for_all_inputs(self) -> RacePairs:
        scopes = (Scope.ANY_THREADS, Scope.ALL_INPUTS)
        return self._chosen(lambda decision: decision.scope in scopes)

    def entries(self) -> Iterator[Entry]:
        """All that is known, in no order."""
        for together, findings in self._of_class.items():
            left = self._left.get(together, {})
            first = next((pair for pair in together if pair not in left), None) if left else together.representative
            if first is not None:
                said = tuple(finding.about(first) for finding in findings)
                yield Entry(first, together.count - len(left), said, together, frozenset(left))
        for pair, findings in self._alone.items():
            yield Entry(pair, 1, tuple(findings))

    def add(self, result: EngineResult) -> None:
        """Enter all findings of an engine; a contradiction is a bug of raceproof and ends the run.

        An engine that looks at a pair again knows more: its earlier reason not to decide is replaced.
        """
        self._open = None
        if isinstance(result.findings, ClassFindings):
            for together, finding in result.findings.of_class.items():
                if together not in self._of_class:
                    raise self._no_pair(finding.pair, finding.engine)
                for pair in self._left.get(together, ()):
                    self._enter(self._alone[pair], finding.about(pair), self._doubts.get(finding.pair))
                self._enter(self._of_class[together], finding, self._doubts.get(finding.pair))
            return
        by_class: dict[PairClass, list[Finding]] = {}
        for finding in result.findings:
            alone = self._alone.get(finding.pair)
            if alone is None:
                by_class.setdefault(self._class(finding.pair, finding.engine), []).append(finding)
            else:
                self._enter(alone, finding, self._doubt(finding.pair))
        for together, findings in by_class.items():
            self._add_to_class(together, findings)

    def _add_to_class(self, together: PairClass, findings: Sequence[Finding]) -> None:
        """What an engine says one by one of pairs that have not left their class. What it says of most of them stays
        with the class, if it speaks of all."""
        words: dict[tuple[Verdict, Scope | None, object], list[Finding]] = {}
        for finding in findings:
            said = id(finding.evidence) if not isinstance(finding.evidence, Reason | tuple) else finding.evidence
            words.setdefault((finding.verdict, finding.scope, said), []).append(finding)
        left = self._left.get(together, {})
        is_complete = len({finding.pair for finding in findings}) == together.count - len(left) == len(findings)
        most = max(words.values(), key=len) if is_complete else []
        for finding in (f for group in words.values() if group is not most for f in group):
            entries = self._alone.get(finding.pair)
            if entries is None:
                entries = self._leave(together, finding.pair)
            self._enter(entries, finding, self._doubts.get(together.representative))
        if most:
            self._enter(self._of_class[together], most[0], self._doubts.get(together.representative))

    def _leave(self, together: PairClass, pair: RacePair) -> list[Finding]:
        """The pair has entries of its own from now on."""
        self._left.setdefault(together, {})[pair] = None
        self._alone[pair] = [finding.about(pair) for finding in self._of_class[together]]
        return self._alone[pair]

    def _enter(self, entries: list[Finding], finding: Finding, doubt: Doubt | None) -> None:
        if doubt is not None and finding.scope in doubt.scopes:
            finding = Finding(finding.pair, Verdict.UNKNOWN, Reason(doubt.text), finding.engine)
        for earlier in entries:
            if _is_contradiction(earlier, finding):
                raise _contradiction(earlier, finding)
        entries[:] = [e for e in entries if e.engine != finding.engine or e.verdict is not Verdict.UNKNOWN]
        entries.append(finding)

    def _doubt(self, pair: RacePair) -> Doubt | None:
        together = self.pairs.class_of(pair)
        return self._doubts.get(together.representative if together is not None else pair)

    def _class(self, pair: RacePair, engine: str | None = None) -> PairClass:
        together = self.pairs.class_of(pair)
        if together is None:
            raise self._no_pair(pair, engine)
        return together

    @staticmethod
    def _no_pair(pair: RacePair, engine: str | None) -> InternalError:
        who = f"engine {engine} decides" if engine is not None else "somebody asks for"
        return InternalError(f"{who} {_name(pair)}, which is no pair at all")

    def decide(self, pair: RacePair) -> Decision:
        """A witness decides; else the strongest proof, if it reaches as far as it must; else the pair is open."""
        return self.decision(self.findings(pair))

    def decision(self, entries: Sequence[Finding]) -> Decision:
        """What these findings on one pair amount to."""
        for finding in entries:
            if finding.verdict is Verdict.RACE:
                return Decision(Verdict.RACE, None, finding)
        proofs = [f for f in entries if f.verdict is Verdict.RACE_FREE and f.scope is not None]
        if proofs:
            best = min(proofs, key=lambda f: _STRENGTH[f.scope or Scope.BOUNDED])
            verdict = Verdict.RACE_FREE if reaches(best.scope or Scope.BOUNDED, self._accepted) else Verdict.UNKNOWN
            return Decision(verdict, best.scope, best)
        return Decision(Verdict.UNKNOWN, None, entries[-1] if entries else None)

    def _chosen(self, is_wanted: Callable[[Decision], bool]) -> RacePairs:
        """The pairs about which the ledger says what is wanted."""
        classes = [found for found, entries in self._of_class.items() if is_wanted(self.decision(entries))]
        without = (pair for found in classes for pair in self._left.get(found, ()))
        alone = [pair for pair, entries in self._alone.items() if is_wanted(self.decision(entries))]
        if self.pairs.classes:
            alone.sort(key=lambda pair: (pair.first, pair.second))
        return RacePairs(classes, without, alone)


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
