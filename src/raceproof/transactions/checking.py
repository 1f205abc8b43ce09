"""Whether invariants are inductive and prove what they are said to: one step from each node, no widening, no search.

A map says what holds at each node of a transaction graph; a node that is not in it is claimed to be unreachable. It is
right if the initial state is in it, and every step from a state in it leads into it again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from raceproof.core import Budget
from raceproof.domains import State
from raceproof.facts import race_pairs
from raceproof.model import ConcurrentProgram, InvariantMap, RacePair, ThreadId
from raceproof.transactions.certificates import decoded, key_of, product_of
from raceproof.transactions.graph import FULL, GraphNode
from raceproof.transactions.independence import Reduction
from raceproof.transactions.invariants import Propagation, States
from raceproof.transactions.meeting import Meetings
from raceproof.transactions.products import DOMAINS, Product, Setting, Threads, Workshop, products_of
from raceproof.transactions.program import Surroundings
from raceproof.transactions.slicing import Slice


class InvariantChecker:
    """Checks maps of invariants for one program."""

    def __init__(self, cp: ConcurrentProgram, budget: Budget, reduction: Reduction = FULL) -> None:
        self._around = Surroundings(cp)
        self._budget = budget
        self._reduction = reduction
        self._workshop = Workshop(self._around, budget, reduction)

    def _assume(self, found: InvariantMap) -> None:
        """Draw graphs under the assumption of the evidence."""
        if self._around.spurious is not found.spurious:
            self._around = Surroundings(self._around.cp, found.spurious)
            self._workshop = Workshop(self._around, self._budget, self._reduction)

    def problem_with(self, found: InvariantMap, pairs: Sequence[RacePair], relied: Collection[RacePair]) -> str | None:
        """What is wrong with the proof of `pairs` on the condition that `relied` do not race; None if it holds.

        Raises `InputError` if it speaks of things that the program does not have.
        """
        if found.domain not in DOMAINS:
            return f"there is no domain {found.domain}"
        self._assume(found)
        trusted = self._workshop.trusted(race_pairs(self._around.cp), {*pairs, *relied})
        followed = frozenset(variable for variable in trusted if key_of(variable) in found.followed)
        if len(followed) != len(found.followed):
            return "it relies on a cell whose accesses may race, or do not synchronise"
        cuts = {ThreadId(thread): frozenset(points) for thread, points in found.cuts}
        setting = Setting(found.domain, found.is_wide, followed, cuts)
        meetings: dict[Product, Meetings] = {}
        unreached: set[tuple[ThreadId, int]] = set()
        for evidence in found.products:
            product = product_of(evidence, followed)
            if not all(thread in self._around.cp.threads for thread in product.threads):
                return "it is about threads that the program does not have"
            propagation = self._workshop.propagation(product, setting)
            states = decoded(propagation, evidence)
            problem = not_inductive(propagation, states, self._budget)
            if problem is not None:
                return problem
            meetings[product] = Meetings(propagation.graph, states, propagation.domain)
            unreached |= _unreached(propagation, states)
        if any((thread, point) not in unreached for thread, points in cuts.items() for point in points):
            return "a point is cut out that may be reached"
        for pair in pairs:
            products = products_of(self._around, pair, found.is_wide)
            if not products:
                return "no two threads are known that make the accesses"
            for threads in products:
                mine = [m for product, m in meetings.items() if _is_about(product, threads, pair)]
                if not mine:
                    return "two threads that may make the accesses are missing"
                if not self._workshop.is_covered(pair, threads):
                    return "the code that makes an access was not found"
                if all(each.may_meet(pair) for each in mine):
                    return "it does not exclude that two threads stand before the accesses of a pair"
        return None

    def confirms(self, product: Product, setting: Setting, states: Mapping[GraphNode, States]) -> bool:
        """Whether the map of one product is inductive, provided that the cells may be relied on."""
        return not_inductive(self._workshop.propagation(product, setting), states, self._budget) is None

    def is_for_any_number(self, found: InvariantMap, pair: RacePair) -> bool:
        """Whether graphs for the pair account for any number of threads."""
        self._assume(found)
        setting = Setting("intervals", found.is_wide, frozenset(), {})
        products = products_of(self._around, pair, found.is_wide)
        nothing = Slice(frozenset(), frozenset(), frozenset(), is_full=False)
        graphs = (self._workshop.propagation(Product(threads, nothing), setting).graph for threads in products)
        return all(graph.is_for_any_number for graph in graphs)


def _is_about(product: Product, threads: Threads, pair: RacePair) -> bool:
    return product.threads == threads and product.part.accesses.issuperset((pair.first, pair.second))


def _unreached(propagation: Propagation, states: Mapping[GraphNode, States]) -> set[tuple[ThreadId, int]]:
    """Points of the code of threads in the product at which none of them ever is, if the states are inductive and each
    was stepped from."""
    graph = propagation.graph
    found: set[tuple[ThreadId, int]] = set()
    for thread in {slot.thread for slot in graph.slots}:
        mine = [number for number, slot in enumerate(graph.slots) if slot.thread == thread]
        reached = {where.at[number] for where in states for number in mine}
        reached.update(*(propagation.passed[number] for number in mine))
        found.update((thread, point) for point in graph.slots[mine[0]].graph.unreached(reached))
    return found


def not_inductive(propagation: Propagation, states: Mapping[GraphNode, States], budget: Budget) -> str | None:
    """What is wrong with the map of one product, None if it is inductive."""
    if not _holds(propagation, propagation.initial(), states.get(propagation.graph.initial)):
        return "the initial state is not in it"
    for where, known in states.items():
        budget.check()
        for arrival in propagation.successors(where, known):
            if arrival.move.breaks:
                return "a lock may be given back by a thread that does not hold it"
            if not _holds(propagation, arrival.states, states.get(arrival.move.target)):
                return "a step leads out of it"
    return None


def _holds(propagation: Propagation, new: States, known: States | None) -> bool:
    domain = propagation.domain

    def leq(a: State, b: State) -> bool:
        """Packs may overlap, and `b`, being written down, says in each of them what it says in one: so may `a`."""
        return domain.leq(a, b) or domain.leq(domain.lift(a), b)

    return known is not None and all(leq(a, b) for a, b in zip(new, known, strict=True))
