"""The engine `transactions`: a pair is race-free if values exclude that its accesses are reached together.

What a refinement found is believed only if its invariants, written down as evidence and read again, are inductive.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from raceproof.core import Budget, InputError, LimitReached
from raceproof.domains import State, has_polyhedra
from raceproof.facts import race_pairs
from raceproof.model import (
    AccessId,
    ConcurrentProgram,
    EngineResult,
    Finding,
    InvariantMap,
    Invariants,
    RacePair,
    ReadRange,
    Reason,
    Scope,
    Verdict,
)
from raceproof.transactions.certificates import encoded, key_of
from raceproof.transactions.checking import InvariantChecker
from raceproof.transactions.graph import FULL
from raceproof.transactions.independence import Reduction
from raceproof.transactions.meeting import Meetings
from raceproof.transactions.products import DOMAINS, Product, products_of
from raceproof.transactions.program import Surroundings
from raceproof.transactions.ranges import read_ranges
from raceproof.transactions.refinement import Refinement, Round
from raceproof.transactions.trust import touched_by

log = logging.getLogger(__name__)

NAME = "transactions"
_SEARCH = 0.7
"""The part of the time for finding invariants; the rest is for confirming them."""


@dataclass(frozen=True, slots=True)
class TransactionsOptions:
    """`harmless`: pairs that other engines have proved, for every input. `domains`: which to use, in this order.
    `spurious`: waits at conditions may end without a signal. `reduction`: of the graphs, for measurements. `ranges`:
    say what reads may find, too (`ranges`), which takes another check of invariants."""

    harmless: Collection[RacePair] = frozenset()
    domains: tuple[str, ...] = DOMAINS
    spurious: bool = True
    reduction: Reduction = FULL
    ranges: bool = False


def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: TransactionsOptions, budget: Budget) -> EngineResult:
    """Prove pairs for every input, or leave them open.

    Raises `Unsupported` if the program has something that the graphs cannot follow.
    """
    start = time.monotonic()
    around = Surroundings(cp, options.spurious)
    part = budget.part(_SEARCH * budget.remaining())
    refinement = Refinement(around, pairs, options.harmless, part, options.reduction)
    stopped: str | None = None
    try:
        refinement.run(options.domains)
    except LimitReached as limit:
        stopped = limit.message
    checker = InvariantChecker(cp, budget, options.reduction)
    findings: dict[RacePair, Finding] = {}
    harmless, asked = set(options.harmless), set(pairs)
    refused = 0
    for last in refinement.found:
        claimed = evidence_of(around, last, frozenset(harmless), checker)
        if isinstance(claimed, str):
            log.warning("proofs of %d pairs are refused: %s", len(last.proved), claimed)
            refused += 1
            continue
        harmless.update(last.proved)
        described = _Description(around, last)
        for pair in (pair for pair in last.proved if pair in asked):
            evidence = described.evidence(pair, claimed)
            scope = Scope.ANY_THREADS if evidence.is_for_any_number else Scope.ALL_INPUTS
            findings[pair] = Finding(pair, Verdict.RACE_FREE, evidence, NAME, scope)
    why = _reasons(refinement)
    for pair in pairs:
        if pair not in findings:
            findings[pair] = Finding(pair, Verdict.UNKNOWN, Reason(why.get(pair, "not looked at in time")), NAME)
    if stopped is None and any(finding.verdict is Verdict.UNKNOWN for finding in findings.values()):
        stopped = refinement.cut_short  # with more time there may be more to find
    missing = "polyhedra" in options.domains and not has_polyhedra()
    return EngineResult(
        engine=NAME,
        findings=tuple(findings[pair] for pair in pairs),
        seconds=time.monotonic() - start,
        stats=statistics(refinement, pairs, refused),
        stopped=stopped,
        notes=("polyhedra are missing: install the extra `polyhedra`",) if missing else (),
        ranges=_ranges(around, refinement, frozenset(harmless), checker) if options.ranges else (),
    )


def evidence_of(
    around: Surroundings, last: Round, harmless: frozenset[RacePair], checker: InvariantChecker
) -> InvariantMap | str:
    """The invariants of a round as evidence; what is wrong with them, if they turn out not to be inductive."""
    is_wide = last.setting.is_wide
    needed = dict.fromkeys(
        last.products[pair, threads] for pair in last.proved for threads in products_of(around, pair, is_wide)
    )
    if last.setting.cuts:  # any product may be the one that shows it
        needed.update((product, None) for product, (_, solution) in last.solutions.items() if not solution.broken)
    followed = last.setting.followed
    relied = _relied_on(around, last)
    if not harmless.issuperset(relied):
        return "it relies on pairs whose own proof was refused"
    found = InvariantMap(
        pairs=tuple((pair.first, pair.second) for pair in last.proved),
        relies_on=tuple((pair.first, pair.second) for pair in relied),
        domain=last.setting.domain,
        is_wide=is_wide,
        spurious=around.spurious,
        followed=tuple(sorted(map(key_of, followed))),
        cuts=tuple((thread, tuple(sorted(points))) for thread, points in sorted(last.setting.cuts.items())),
        products=tuple(encoded(product, last.solutions[product]) for product in needed),
    )
    try:
        return checker.problem_with(found, last.proved, relied) or found
    except (InputError, LimitReached) as stop:
        return str(stop)


def _relied_on(around: Surroundings, last: Round) -> list[RacePair]:
    """The pairs that must not race for the invariants of the round to hold, beside those that it proves."""
    proved, followed = set(last.proved), last.setting.followed
    return [
        pair
        for pair in race_pairs(around.cp)
        if pair not in proved and any(around.cells.variables[cell] in followed for cell in touched_by(around, pair))
    ]


def _ranges(
    around: Surroundings, refinement: Refinement, harmless: frozenset[RacePair], checker: InvariantChecker
) -> tuple[ReadRange, ...]:
    """From the products of all stages whose assumptions hold and whose invariants are confirmed in time."""
    solved = []
    try:
        for last in refinement.stable:
            if not harmless.issuperset((*_relied_on(around, last), *last.proved)):
                continue
            for product, (propagation, solution) in last.solutions.items():
                if not solution.broken and checker.confirms(product, last.setting, solution.states):
                    solved.append((propagation, solution))
    except LimitReached as reason:
        log.debug("ranges: %s", reason)  # those of what was confirmed by then
    return read_ranges(around, solved)


class _Description:
    """What the invariants of a round say at an access, for people."""

    def __init__(self, around: Surroundings, last: Round) -> None:
        self._around = around
        self._last = last
        self._known: dict[tuple[AccessId, Product], State | None] = {}

    def evidence(self, pair: RacePair, claimed: InvariantMap) -> Invariants:
        wanted = products_of(self._around, pair, self._last.setting.is_wide)
        products = [self._last.products[pair, threads] for threads in wanted]
        graphs = [self._last.solutions[product][0].graph for product in products]
        return Invariants(
            first=self._text(pair.first, products),
            second=self._text(pair.second, products),
            is_for_any_number=all(graph.is_for_any_number for graph in graphs),
            map=claimed,
        )

    def _text(self, access: AccessId, products: Sequence[Product]) -> str:
        """What holds of the shared cells wherever a thread stands before the access, in one of the products."""
        texts: dict[str, None] = {}
        for product in products:
            state = self._state(access, product)
            if state is None:
                texts["it is never reached"] = None
            else:
                domain = self._last.solutions[product][0].domain
                texts[", ".join(domain.describe(state)[:4]) or "nothing is known"] = None
        pos = self._around.cp.accesses[access].pos
        where = f"at line {pos.line}" if pos is not None else "at an access"
        return f"{where} {' or '.join(texts)}"

    def _state(self, access: AccessId, product: Product) -> State | None:
        if (access, product) not in self._known:
            propagation, solution = self._last.solutions[product]
            meetings = Meetings(propagation.graph, solution.states, propagation.domain)
            domain, joined = propagation.domain, None
            for where, slot in meetings.nodes_at(access):
                state = domain.project(solution.states[where][slot], propagation.followed)
                joined = state if joined is None else domain.join(joined, state)
            self._known[access, product] = joined
        return self._known[access, product]


def _reasons(refinement: Refinement) -> dict[RacePair, str]:
    """Why each pair is open, in the words of the last round that looked at it."""
    found: dict[RacePair, str] = {}
    for last in refinement.rounds:
        found.update(last.failed)
    return found


def statistics(refinement: Refinement, pairs: Sequence[RacePair], refused: int) -> dict[str, int | float | str]:
    """Warnings before and after each domain; nodes, edges and seconds of each round."""
    stats: dict[str, int | float | str] = {"pairs": len(pairs), "open_before": len(pairs), "refused": refused}
    still_open = set(pairs)
    for domain in DOMAINS:
        rounds = [r for r in refinement.rounds if r.setting.domain == domain]
        if not rounds:
            continue
        still_open -= {pair for last in refinement.found if last.setting.domain == domain for pair in last.proved}
        stats[f"open_after_{domain}"] = len(still_open)
        stats[f"seconds_{domain}"] = round(sum(r.seconds for r in rounds), 3)
        stats[f"rounds_{domain}"] = len(rounds)
        stats[f"nodes_{domain}"] = " ".join(str(r.nodes) for r in rounds)
        stats[f"edges_{domain}"] = " ".join(str(r.edges) for r in rounds)
        stats[f"steps_{domain}"] = " ".join(str(r.steps) for r in rounds)
    return stats
