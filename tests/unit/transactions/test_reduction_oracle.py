"""The reduction against the full product of the threads, in which every state is listed by brute force.

Two threads stand before the accesses of a pair in a state of the reduced graph if and only if they do in a state of the
full one; and whatever joining and widening make of the reduced graph, it has all of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from unit.transactions.c_programs import Analysed, everything, of_text
from unit.transactions.generated import program

from raceproof.core import Budget
from raceproof.model import RacePair
from raceproof.transactions.graph import GraphNode
from raceproof.transactions.independence import Reduction
from raceproof.transactions.invariants import Propagation, States, solve
from raceproof.transactions.meeting import Meetings
from raceproof.transactions.products import Setting, Workshop
from raceproof.transactions.program import Surroundings

NOTHING = Reduction(lonely=False, locks=False, semantics=False, compacts=False)
PARTS = {
    "lonely": Reduction(locks=False, semantics=False, compacts=False),
    "locks": Reduction(semantics=False, compacts=False),
    "semantics": Reduction(locks=False, compacts=False),
    "compacts": Reduction(locks=False, semantics=False),
    "all": Reduction(),
}
MOST = 6_000
"""States of a product; programs with more of them are not looked at."""


class TooMany(Exception):
    """More states than that."""


def propagation_of(found: Analysed, reduction: Reduction, pair: RacePair | None = None) -> Propagation:
    """Of everything that the threads do; `pair`: asked about this one alone."""
    workshop = Workshop(Surroundings(found.cp), Budget.unlimited(), reduction)
    followed = frozenset(workshop.around.cells.variables.values())
    product = everything(workshop, *sorted(found.cp.threads))
    if pair is not None:
        product = replace(product, part=replace(product.part, accesses=frozenset({pair.first, pair.second})))
    return workshop.propagation(product, Setting("intervals", True, followed, {}))


def listed(propagation: Propagation) -> Iterator[tuple[GraphNode, States]] | None:
    """Every state, one by one, with nothing joined; None behind a lock that was given back by somebody else."""
    start = (propagation.graph.initial, propagation.initial())
    seen: dict[object, tuple[GraphNode, States]] = {}
    work = [start]
    while work:
        where, states = work.pop()
        key = (where, tuple((frozenset(s.values.items()), s.relations) for s in states))
        if key in seen:
            continue
        if len(seen) >= MOST:
            raise TooMany
        seen[key] = (where, states)
        for arrival in propagation.successors(where, states):
            if arrival.move.breaks:
                return None
            work.append((arrival.move.target, arrival.states))
    return iter(seen.values())


def met(pairs: Sequence[RacePair], propagation: Propagation) -> set[RacePair] | None:
    """Those of the pairs before which two threads stand in some state."""
    states = listed(propagation)
    if states is None:
        return None
    found: set[RacePair] = set()
    for where, known in states:
        meetings = Meetings(propagation.graph, {where: known}, propagation.domain)
        found |= {pair for pair in pairs if meetings.may_meet(pair)}
    return found


def compare(seed: int, directory: Path) -> bool:
    """Whether the program has a race that the full product shows."""
    found = of_text(program(Random(seed)), directory)
    try:
        truth = met(found.pairs, propagation_of(found, NOTHING))
    except TooMany:
        return False
    for name, reduction in PARTS.items():
        propagation = propagation_of(found, reduction)
        assert met(found.pairs, propagation) == truth, (seed, name)
        solution = solve(propagation, Budget.unlimited())
        if truth is None:
            assert solution.broken, (seed, name)
        elif not solution.broken:
            meetings = Meetings(propagation.graph, solution.states, propagation.domain)
            assert truth <= {pair for pair in found.pairs if meetings.may_meet(pair)}, (seed, name)
    for pair in Random(seed).sample(found.pairs, min(2, len(found.pairs))):  # more is one step where less is asked
        alone = met([pair], propagation_of(found, Reduction(), pair))
        assert alone == (None if truth is None else truth & {pair}), (seed, found.lines(pair))
    return bool(truth)


@pytest.mark.parametrize("seed", range(8))
def test_the_reduced_graph_has_what_the_full_product_has(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 500, 40))
def test_the_reduced_graph_has_what_the_full_product_has_on_many(first: int, tmp_path: Path) -> None:
    racy = sum(compare(seed, tmp_path) for seed in range(first, first + 40))
    assert 0 < racy < 40
