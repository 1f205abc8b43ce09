"""What can decide whether the accesses of a pair meet; the rest is left out of the graphs of a product.

Whatever is left out, nothing becomes impossible: a value that is not followed may be any, a decision that is not
followed may go either way, a lock that is not followed excludes nobody. So a slice needs no proof; it is only a good or
a bad choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from raceproof.domains import Variable, variables_of
from raceproof.model import AccessId
from raceproof.transactions.actions import Action, Assign, Assume, Expect, Read, assigned, used
from raceproof.transactions.dependence import Dependence
from raceproof.transactions.interference import Write
from raceproof.transactions.names import Shared
from raceproof.transactions.thread_graph import Edge, Kind, Node, Place, ThreadGraph, locks_at


@dataclass(frozen=True, slots=True)
class Slice:
    """`accesses`: those of the pairs. `cells`: whose values are followed. `locks`: which exclude threads. `is_full`: if
    not, decisions are left out that only put off what matters, or end the thread before it."""

    accesses: frozenset[AccessId]
    cells: frozenset[Variable]
    locks: frozenset[Place]
    is_full: bool


@dataclass(frozen=True, slots=True)
class _Summary:
    """What a node does. `writes`: what is used for what is written to each cell; `conditions`: for each edge, what its
    conditions depend on; `frees`: see `Edge`."""

    writes: Mapping[Variable, frozenset[Variable]]
    conditions: tuple[tuple[Edge, frozenset[Variable]], ...]
    locks: frozenset[Place]
    frees: frozenset[str] | None
    creates: bool

    @staticmethod
    def of(graph: ThreadGraph, node: Node) -> _Summary:
        writes: dict[Variable, frozenset[Variable]] = {}
        for action in (action for edge in node.edges for action in edge.actions):
            if isinstance(action, Expect):
                writes[action.cell] = writes.get(action.cell, frozenset()).union(used(action))
            elif isinstance(action, Assign) and isinstance(action.variable.name, Shared):
                writes[action.variable] = writes.get(action.variable, frozenset()).union(used(action))
        freed = [edge.frees for edge in node.edges]
        return _Summary(
            writes=writes,
            conditions=tuple((edge, frozenset(_asked(edge))) for edge in node.edges),
            locks=locks_at(graph, node),
            frees=None if None in freed else frozenset().union(*(names for names in freed if names is not None)),
            creates=any(edge.creates is not None for edge in node.edges),
        )

    def has_lock(self, part: Slice) -> bool:
        """Whether the node takes or gives back a lock of the slice, or may do so."""
        if self.frees is None or not self.locks.isdisjoint(part.locks):
            return True
        return bool(self.frees) and not self.frees.isdisjoint(lock[0] for lock in part.locks)


def _asked(edge: Edge) -> Iterator[Variable]:
    for action in edge.actions:
        if isinstance(action, Assume | Expect):
            yield from used(action)


class Code:
    """The graph of a thread, ready to be sliced. `definitions`: how a register gets its value, and where."""

    def __init__(self, graph: ThreadGraph) -> None:
        self.graph = graph
        self._whole = Dependence(graph, sees_ends=True)
        self._within = Dependence(graph, sees_ends=False)
        self.definitions: dict[Variable, dict[Action, list[tuple[int, Edge]]]] = {}
        for number, node in enumerate(graph.nodes):
            for edge in node.edges:
                for action in edge.actions:
                    target = assigned(action)
                    if target is not None and not isinstance(target.name, Shared):
                        self.definitions.setdefault(target, {}).setdefault(action, []).append((number, edge))
        self._deciding: dict[tuple[Action, bool], list[int]] = {}
        self.summaries = [_Summary.of(graph, node) for node in graph.nodes]
        self.waits = [n for n in range(len(graph.nodes)) if self._may_wait(n) and self._waits_for_others(n)]

    def deciding(self, action: Action, is_full: bool) -> list[int]:
        """The nodes with a decision on whether a register is assigned in this way, wherever that is."""
        key = (action, is_full)
        if key not in self._deciding:
            variable = assigned(action)
            assert variable is not None
            places = self.definitions[variable][action]
            self._deciding[key] = self.dependence(is_full).deciding_between(places)
        return self._deciding[key]

    def dependence(self, is_full: bool) -> Dependence:
        return self._whole if is_full else self._within

    def _may_wait(self, number: int) -> bool:
        """Whether the thread may leave a loop here, but only under some condition; or be stopped."""
        edges = self.graph.nodes[number].edges
        is_alone = len(edges) == 1
        has_condition = any(isinstance(action, Assume | Expect) for edge in edges for action in edge.actions)
        return has_condition and (is_alone or number in self._whole.exits)

    def _waits_for_others(self, number: int) -> bool:
        """Whether the condition depends on a cell or a lock, as far as one looks through registers."""
        nodes = self.graph.nodes
        wanted = dict.fromkeys(variable for _, asked in self.summaries[number].conditions for variable in asked)
        work = list(wanted)
        while work:
            variable = work.pop()
            if isinstance(variable.name, Shared):
                return True
            for action, places in self.definitions.get(variable, {}).items():
                if any(nodes[definer].kind is Kind.LOCK for definer, _ in places):
                    return True
                more = [v for v in used(action) if v not in wanted]
                wanted.update(dict.fromkeys(more))
                work += more
        return False


class Relevance:
    """What matters in the code of one thread, for a slice."""

    def __init__(self, code: Code, part: Slice) -> None:
        self.points = 0
        self.decisions: set[int] = set()
        self.registers: set[Variable] = set()
        self.cells: set[Variable] = set()
        self.locks: set[Place] = set()
        self._known: set[Variable] = set()
        self._code = code
        self._part = part
        for number in range(len(code.graph.nodes)):
            if self._is_seed(number):
                self._add_point(number)
        dependence = code.dependence(part.is_full)
        self._ahead = dependence.ahead
        waits = code.waits if part.is_full else ()
        while True:
            before = self.points, len(self.decisions), len(self.registers)
            for number in dependence.deciding(self.points):
                self._add_decision(number)
            for number in waits:
                if self._ahead[number] & self.points:
                    self._add_decision(number)
            for number in list(self.decisions):
                self._add_conditions(number)
            if before == (self.points, len(self.decisions), len(self.registers)):
                break

    def _is_seed(self, number: int) -> bool:
        node, summary = self._code.graph.nodes[number], self._code.summaries[number]
        if node.touch is not None and not self._part.accesses.isdisjoint(node.touch.accesses):
            return True
        return summary.creates or not self._part.cells.isdisjoint(summary.writes) or summary.has_lock(self._part)

    def _add_point(self, number: int) -> None:
        if self.points >> number & 1:
            return
        self.points |= 1 << number
        node = self._code.graph.nodes[number]
        if node.touch is not None:
            self.locks.update(hold.lock for hold in node.held)
            if node.touch.start is not None and not self._part.accesses.isdisjoint(node.touch.accesses):
                self._add_used(variables_of(node.touch.start[1]))
        summary = self._code.summaries[number]
        for edge in node.edges if summary.creates else ():
            if edge.creates is not None and edge.creates.argument is not None:
                self._add_used([edge.creates.argument])
        for cell, needed in summary.writes.items():
            if cell in self._part.cells:
                self._add_used(needed)

    def _add_decision(self, number: int) -> None:
        if number in self.decisions:
            return
        self.decisions.add(number)
        self._add_point(number)

    def _is_of_interest(self, edge: Edge) -> bool:
        """Whether the way leads to something of interest."""
        target = edge.target
        return target is not None and bool((self._ahead[target] | 1 << target) & self.points)

    def _add_conditions(self, number: int) -> None:
        """What the decision depends on; on ways that lead to nothing of interest it does not matter why."""
        for edge, needed in self._code.summaries[number].conditions:
            if not self._known.issuperset(needed) and self._is_of_interest(edge):
                self._add_used(needed)

    def _add_used(self, variables: Iterable[Variable]) -> None:
        work = list(variables)
        while work:
            variable = work.pop()
            if variable in self._known:
                continue
            self._known.add(variable)
            if isinstance(variable.name, Shared):
                self.cells.add(variable)
                continue
            self.registers.add(variable)
            definitions = self._code.definitions.get(variable, {})
            for action, places in definitions.items():
                work += used(action)
                if isinstance(action, Read):
                    nodes = (self._code.graph.nodes[number] for number, _ in places)
                    self.locks.update(hold.lock for node in nodes for hold in node.held)
                for number in self._code.deciding(action, self._part.is_full) if len(definitions) > 1 else ():
                    self._add_decision(number)


def slice_for(
    codes: Iterable[Code],
    writes: Iterable[Write],
    accesses: frozenset[AccessId],
    followed: frozenset[Variable],
    is_full: bool,
) -> Slice:
    """What can decide whether the accesses meet. `writes`: what threads that are not in the product may do;
    `followed`: the cells whose values may be relied on."""
    codes, writes = list(codes), list(writes)
    part = Slice(accesses, frozenset(), frozenset(), is_full)
    while True:
        cells, locks = set(part.cells), set(part.locks)
        for code in codes:
            relevance = Relevance(code, part)
            cells |= relevance.cells & followed
            locks |= relevance.locks
        locks.update(hold.lock for write in writes if write.cell in cells for hold in write.held)
        grown = replace(part, cells=frozenset(cells), locks=frozenset(locks))
        if grown == part:
            break
        part = grown
    without = replace(part, is_full=False)
    is_same = all(Relevance(code, part).decisions == Relevance(code, without).decisions for code in codes)
    return without if is_same else part
