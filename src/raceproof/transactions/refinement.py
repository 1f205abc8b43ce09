"""Refine the transaction graphs until nothing changes: with cheaper invariants first, on what is still open.

Follows [TX, Algorithm 2]. Paper -> here: G_pi -> the graphs of all products of the round; H_pi -> the same without the
points that no product reaches; conflicts -> what is ahead of each point (`ThreadGraph.reads`, `writes`, `locks`), and
the writes of threads that are not followed.
Differs: domains are not all used in each round, but one after the other, each only on products with open pairs. And
the first round trusts every cell; those with a pair that it could not prove are not trusted in the next one (`trust`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from raceproof.core import Budget, LimitReached, Unsupported
from raceproof.domains import has_polyhedra
from raceproof.facts import race_pairs
from raceproof.model import RacePair, ThreadId
from raceproof.transactions.graph import FULL
from raceproof.transactions.independence import Reduction
from raceproof.transactions.invariants import Propagation, Solution, solve
from raceproof.transactions.meeting import Meetings
from raceproof.transactions.products import DOMAINS, Product, Setting, Threads, Workshop, products_of
from raceproof.transactions.program import Surroundings
from raceproof.transactions.trust import touched_by

log = logging.getLogger(__name__)

_ROUNDS: Final = 8
_STAGES: Final = (
    ("intervals", False, False),
    ("octagons", False, False),
    ("intervals", True, False),
    ("octagons", True, False),
    ("intervals", True, True),
    ("octagons", True, True),
    ("polyhedra", True, False),
    ("polyhedra", True, True),
)
"""Domains, whether slices are full, and whether all threads are followed or only those of a pair: what costs less comes
first."""

_SHARE: Final = 0.6
"""The part of the remaining time that a stage may take."""

_SHARE_OF_ROUND: Final = 0.5
"""The part of the time left to a stage that a round may take: what it found must be confirmed in the next ones."""


@dataclass(slots=True)
class Round:
    """One round: what was solved, and what follows from it. `products`: where threads of a pair were looked at last."""

    setting: Setting
    solutions: dict[Product, tuple[Propagation, Solution]] = field(default_factory=dict)
    products: dict[tuple[RacePair, Threads], Product] = field(default_factory=dict)
    proved: list[RacePair] = field(default_factory=list)
    failed: dict[RacePair, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def nodes(self) -> int:
        return sum(len(solution.states) for _, solution in self.solutions.values())

    @property
    def edges(self) -> int:
        return sum(solution.edges for _, solution in self.solutions.values())

    @property
    def steps(self) -> int:
        return sum(propagation.steps for propagation, _ in self.solutions.values())


class Refinement:
    """`asked`: the pairs to be proved; `harmless`: pairs that were proved before, for every input.

    All pairs of the program take part, since a cell is trusted only if none of its pairs races. `rounds` is the course
    of it, `stable` the last round of each stage, `found` those of them that proved something. `cut_short`: the last of
    the limits of time that ended a part of it early, if any did.
    """

    def __init__(
        self,
        around: Surroundings,
        asked: Sequence[RacePair],
        harmless: Collection[RacePair],
        budget: Budget,
        reduction: Reduction = FULL,
    ) -> None:
        self.rounds: list[Round] = []
        self.found: list[Round] = []
        self.stable: list[Round] = []
        self.cut_short: str | None = None
        self._around = around
        self._asked = set(asked)
        self._harmless = set(harmless)
        self._budget = budget
        self._pairs = race_pairs(around.cp)
        self._stage = budget
        self._workshop = Workshop(around, budget, reduction)
        self._solved: dict[Hashable, tuple[Propagation, Solution]] = {}  # the same product may come again

    def run(self, domains: Sequence[str] = DOMAINS) -> None:
        """All stages. Raises `LimitReached`; what was found by then is in `found`."""
        usable = [domain for domain in domains if domain != "polyhedra" or has_polyhedra()]
        stages = [stage for stage in _STAGES if stage[0] in usable]
        for number, (domain, is_full, is_wide) in enumerate(stages):
            asked = [pair for pair in self._pairs if pair in self._asked and pair not in self._harmless]
            if not asked:
                return
            if is_wide and not any(self._is_wider(pair) for pair in asked):
                continue
            share = 1.0 if number == len(stages) - 1 else _SHARE
            self._stage = self._budget.part(share * max(0.0, self._budget.remaining()))
            last = self._with(domain, is_full, is_wide)
            self.stable.append(last)
            if last.proved:
                self.found.append(last)
                self._harmless.update(last.proved)

    def _is_wider(self, pair: RacePair) -> bool:
        """Whether there are threads that only a wide product has."""
        try:
            return products_of(self._around, pair, True) != products_of(self._around, pair, False)
        except Unsupported:
            return False

    def _with(self, domain: str, is_full: bool, is_wide: bool) -> Round:
        """Rounds with one domain, until nothing changes."""
        open_pairs = [pair for pair in self._pairs if pair not in self._harmless]
        candidates = set(open_pairs)
        cuts: Mapping[ThreadId, frozenset[int]] = {}
        shown_by: Sequence[Product] = ()
        for number in range(_ROUNDS):
            followed = self._workshop.trusted(self._pairs, self._harmless | candidates)
            last = self._round(Setting(domain, is_wide, followed, cuts), is_full, open_pairs, shown_by)
            self.rounds.append(last)
            candidates, before = set(last.proved), candidates
            lost = {c for pair in before - candidates for c in touched_by(self._around, pair)}
            is_stable = not any(self._around.cells.variables[cell] in followed for cell in lost)
            more_cuts, shown_by = self._cuts(last) if is_stable and number < _ROUNDS - 2 else ({}, ())
            if is_stable and (more_cuts == cuts or not self._is_worthwhile(last)):
                return last
            cuts = more_cuts
        return Round(Setting(domain, is_wide, frozenset(), {}))  # not stable: nothing is proved

    def _is_worthwhile(self, last: Round) -> bool:
        return any(pair in self._asked for pair in last.failed)

    def _round(
        self, setting: Setting, is_full: bool, open_pairs: Sequence[RacePair], shown_by: Sequence[Product]
    ) -> Round:
        """`shown_by`: products that show that points are never reached, whatever pairs they were made for."""
        start = time.monotonic()
        result = Round(setting)
        wanted: dict[Threads, list[RacePair]] = {}
        for pair in open_pairs:
            try:
                products = products_of(self._around, pair, setting.is_wide)
            except Unsupported as stop:
                result.failed[pair] = str(stop)
                continue
            if not products:
                result.failed[pair] = "no two threads are known that make these accesses"
            for threads in products:
                wanted.setdefault(threads, []).append(pair)
        budget = self._stage.part(_SHARE_OF_ROUND * max(0.0, self._stage.remaining()))
        for number, (threads, pairs) in enumerate(wanted.items()):
            share = budget.part(max(0.0, budget.remaining()) / (len(wanted) - number))
            self._threads(result, threads, pairs, (False, True) if is_full else (False,), share)
        for product in shown_by:
            self._product(result, product, (), self._stage)
        result.proved = [pair for pair in open_pairs if pair not in result.failed]
        result.seconds = time.monotonic() - start
        log.info("%s: %d of %d pairs, %d nodes", setting.domain, len(result.proved), len(open_pairs), result.nodes)
        return result

    def _threads(
        self, result: Round, threads: Threads, pairs: Sequence[RacePair], slices: Sequence[bool], budget: Budget
    ) -> None:
        """The pairs of some threads: in small slices, and what is open then perhaps in full ones."""
        still_open: dict[RacePair, str] = dict.fromkeys(pairs, "")
        try:
            for is_full in slices:
                products = self._workshop.products(threads, list(still_open), result.setting, is_full)
                for number, product in enumerate(products):
                    share = budget.part(max(0.0, budget.remaining()) / (len(products) - number))
                    mine = [p for p in still_open if product.part.accesses.issuperset((p.first, p.second))]
                    found = self._product(result, product, mine, share)
                    for pair in mine:
                        if found[pair] is None:
                            del still_open[pair]
                        else:
                            still_open[pair] = str(found[pair])
        except (LimitReached, Unsupported) as stop:
            self._note(stop, budget)
            still_open = {pair: why or str(stop) for pair, why in still_open.items()}
        for pair, why in still_open.items():
            result.failed.setdefault(pair, why)

    def _product(
        self, result: Round, product: Product, pairs: Sequence[RacePair], budget: Budget
    ) -> dict[RacePair, str | None]:
        """Why each pair is open, None if it is proved."""
        key = (product, result.setting.domain, frozenset(result.setting.cuts.items()))
        if key not in self._solved:
            try:
                propagation = self._workshop.propagation(product, result.setting)
                self._solved[key] = propagation, solve(propagation, budget)
            except (LimitReached, Unsupported) as stop:
                self._note(stop, budget)
                return dict.fromkeys(pairs, str(stop))
        propagation, solution = result.solutions[product] = self._solved[key]
        if solution.broken:
            return dict.fromkeys(pairs, "a lock may be given back by a thread that does not hold it")
        meetings = Meetings(propagation.graph, solution.states, propagation.domain)
        found: dict[RacePair, str | None] = {}
        for pair in pairs:
            result.products[pair, product.threads] = product
            found[pair] = None
            if not self._workshop.is_covered(pair, product.threads):
                found[pair] = "the code that makes an access was not found"
            elif meetings.may_meet(pair):
                found[pair] = "the two accesses may be reached together, as far as values tell"
        return found

    def _note(self, stop: LimitReached | Unsupported, part: Budget) -> None:
        """Raises `LimitReached` if the time is up for all."""
        self._budget.check()
        if part.remaining() <= 0:
            self.cut_short = str(stop)

    def _cuts(self, last: Round) -> tuple[dict[ThreadId, frozenset[int]], list[Product]]:
        """Points that some product does not reach, although its thread is in it; and products that show this."""
        found: dict[ThreadId, frozenset[int]] = {}
        shown_by: list[Product] = []
        for product, (propagation, solution) in last.solutions.items():
            if solution.broken:
                continue
            for number, slot in enumerate(propagation.graph.slots):
                if product.threads.count(slot.thread) > 1:
                    continue
                reached = solution.at(number, propagation.passed[number])
                missing = slot.graph.unreached(reached)
                if not missing <= found.get(slot.thread, frozenset()):
                    found[slot.thread] = found.get(slot.thread, frozenset()) | missing
                    shown_by.append(product)
        return found, list(dict.fromkeys(shown_by))
