"""What can decide whether the accesses of a pair meet; the rest is left out of the graphs of a product.

Whatever is left out, nothing becomes impossible: a value that is not followed may be any, a decision that is not
followed may go either way, a lock that is not followed excludes nobody. So a slice needs no proof; it is only a good or
a bad choice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raceproof.domains import Variable, variables_of
from raceproof.model import AccessId
from raceproof.transactions.actions import Action, Assign, Assume, Expect, Read, assigned, used
from raceproof.transactions.dependence import Dependence, members, union
from raceproof.transactions.forgetting import forgetful
from raceproof.transactions.interference import Write
from raceproof.transactions.names import Shared
from raceproof.transactions.thread_graph import Edge, Kind, Node, Place, ThreadGraph, locks_at


@dataclass(frozen=True, slots=True)
class Slice:
    """`accesses`: those of the pairs. `cells`: whose values are followed. `locks`: which exclude threads. `is_full`: if
    not, decisions are left out that only put off what matters, or end the thread before it, locks that are not held at
    an access on every way to it, and histories."""

    accesses: frozenset[AccessId]
    cells: frozenset[Variable]
    locks: frozenset[Place]
    is_full: bool


@dataclass(frozen=True, slots=True)
class _Summary:
    """What a node does. `writes`: what is used for what is written to each cell; `places`: what says whether it is
    written at all; `conditions`: for each edge, what its conditions depend on; `frees`: see `Edge`."""

    writes: Mapping[Variable, frozenset[Variable]]
    places: Mapping[Variable, frozenset[Variable]]
    conditions: tuple[tuple[Edge, frozenset[Variable]], ...]
    locks: frozenset[Place]
    frees: frozenset[str] | None
    creates: bool

    @staticmethod
    def of(graph: ThreadGraph, node: Node) -> _Summary:
        writes: dict[Variable, frozenset[Variable]] = {}
        places: dict[Variable, frozenset[Variable]] = {}
        for action in (action for edge in node.edges for action in edge.actions):
            if isinstance(action, Expect):
                writes[action.cell] = writes.get(action.cell, frozenset()).union(used(action))
            elif isinstance(action, Assign) and isinstance(action.variable.name, Shared):
                writes[action.variable] = writes.get(action.variable, frozenset()).union(used(action))
                start = variables_of(action.at[0]) if action.at is not None else ()
                places[action.variable] = places.get(action.variable, frozenset()).union(start)
        freed = [edge.frees for edge in node.edges]
        return _Summary(
            writes=writes,
            places=places,
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


@dataclass(slots=True)
class _Definition:
    """How a register gets its value, what that depends on, and where it happens: numbers of nodes, and of edges among
    those of the node. `deciding`: the nodes with a decision on that, in full slices and others."""

    action: Action
    needed: tuple[Variable, ...]
    places: list[tuple[int, int]] = field(default_factory=list)
    deciding: dict[bool, list[int]] = field(default_factory=dict)


class Code:
    """The graph of a thread with some of its locks, and perhaps histories, ready to be sliced."""

    def __init__(self, whole: ThreadGraph, kept: frozenset[Place], keeps_history: bool) -> None:
        self.graph = graph = forgetful(whole, kept, keeps_history)
        self.places = graph.all_places()
        self._whole = Dependence(graph, sees_ends=True)
        self._within = Dependence(graph, sees_ends=False)
        self._definitions = _definitions(graph)
        self._may_hold: dict[int, frozenset[Place]] = {}
        self._always_held: dict[AccessId, frozenset[Place]] = {}
        self._find_held(whole)
        self.summaries = [_Summary.of(graph, node) for node in graph.nodes]
        self.waits = [n for n in range(len(graph.nodes)) if self._may_wait(n) and self._waits_for_others(n)]
        self._asking: dict[Variable, list[int]] = {}
        self._asked = [frozenset[Variable]().union(*(a for _, a in summary.conditions)) for summary in self.summaries]
        for number, asked in enumerate(self._asked):
            for variable in asked:
                self._asking.setdefault(variable, []).append(number)
        self._seeds: dict[Hashable, int] = {}
        self._find_seeds()
        self._relevance: dict[Slice, Relevance] = {}

    def relevance(self, part: Slice) -> Relevance:
        if part not in self._relevance:
            self._relevance[part] = Relevance(self, part)
        return self._relevance[part]

    def seeds(self, part: Slice) -> int:
        """The nodes at which something happens that the slice is about."""
        names = (lock[0] for lock in part.locks)
        return union(self._seeds.get(key, 0) for key in (*part.accesses, *part.cells, *part.locks, *names, None))

    def _find_seeds(self) -> None:
        """By access, cell, lock, and name of a variable with a lock; None for those that every slice has."""
        for number, (node, summary) in enumerate(zip(self.graph.nodes, self.summaries, strict=True)):
            keys: set[Hashable] = {*summary.writes, *summary.locks, *(summary.frees or ())}
            keys.update(node.touch.accesses if node.touch is not None else ())
            if summary.creates or summary.frees is None:
                keys.add(None)
            for key in keys:
                self._seeds[key] = self._seeds.get(key, 0) | 1 << number

    def asking(self, variable: Variable) -> Sequence[int]:
        """The nodes with a decision that depends on a variable."""
        return self._asking.get(variable, ())

    def asked(self, number: int) -> frozenset[Variable]:
        """What the decision at a node depends on."""
        return self._asked[number]

    def definitions(self, register: Variable) -> Collection[_Definition]:
        return self._definitions.get(register, {}).values()

    def deciding(self, definition: _Definition, is_full: bool) -> list[int]:
        """The nodes with a decision on whether a register is assigned in this way, wherever that is."""
        if is_full not in definition.deciding:
            definition.deciding[is_full] = self.dependence(is_full).deciding_between(definition.places)
        return definition.deciding[is_full]

    def locks(self, number: int, is_full: bool) -> frozenset[Place]:
        """The locks that may keep others away while the thread is at a node."""
        held, touch = self._may_hold[number], self.graph.nodes[number].touch
        if is_full or touch is None:
            return held
        return held.intersection(*(self._always_held[access] for access in touch.accesses))

    def _find_held(self, whole: ThreadGraph) -> None:
        for number, node in enumerate(whole.nodes):
            mine = self.graph.merged.get(number, number)
            held = frozenset(hold.lock for hold in node.held)
            self._may_hold[mine] = self._may_hold.get(mine, held) | held
            for access in node.touch.accesses if node.touch is not None else ():
                self._always_held[access] = self._always_held.get(access, held) & held

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
            for definition in self.definitions(variable):
                if any(nodes[definer].kind is Kind.LOCK for definer, _ in definition.places):
                    return True
                more = [v for v in definition.needed if v not in wanted]
                wanted.update(dict.fromkeys(more))
                work += more
        return False


def _definitions(graph: ThreadGraph) -> dict[Variable, dict[Action, _Definition]]:
    found: dict[Variable, dict[Action, _Definition]] = {}
    for number, node in enumerate(graph.nodes):
        for place, edge in enumerate(node.edges):
            for action in edge.actions:
                target = assigned(action)
                if target is not None and not isinstance(target.name, Shared):
                    mine = found.setdefault(target, {})
                    if action not in mine:
                        mine[action] = _Definition(action, tuple(used(action)))
                    mine[action].places.append((number, place))
    return found


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
        for number in members(code.seeds(part)):
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
            self._add_free_decisions()
            if before == (self.points, len(self.decisions), len(self.registers)):
                break

    def _add_point(self, number: int) -> None:
        if self.points >> number & 1:
            return
        self.points |= 1 << number
        node = self._code.graph.nodes[number]
        if node.touch is not None:
            self.locks |= self._code.locks(number, self._part.is_full)
            if node.touch.start is not None and not self._part.accesses.isdisjoint(node.touch.accesses):
                self._add_place(variables_of(node.touch.start[1]))
        summary = self._code.summaries[number]
        for edge in node.edges if summary.creates else ():
            if edge.creates is not None and edge.creates.argument is not None:
                self._add_used([edge.creates.argument])
        for cell, needed in summary.writes.items():
            if cell in self._part.cells:
                self._add_used(needed)
                self._add_place(summary.places.get(cell, ()))

    def _add_place(self, variables: Iterable[Variable]) -> None:
        """Where an access of a pair goes; what was found out about that counts, whatever else it decides."""
        for variable in variables:
            self._add_used([variable])
            for number in self._code.asking(variable):
                self._add_decision(number)

    def _add_decision(self, number: int) -> None:
        if number in self.decisions:
            return
        self.decisions.add(number)
        self._add_point(number)

    def _add_free_decisions(self) -> None:
        """Decisions on registers that are known anyway: they may bound what these can be."""
        for register in list(self.registers):
            for number in self._code.asking(register):
                if number not in self.decisions and self._known.issuperset(self._code.asked(number)):
                    self._add_decision(number)

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
            definitions = self._code.definitions(variable)
            for definition in definitions:
                work += definition.needed
                if isinstance(definition.action, Read):
                    places = definition.places
                    self.locks.update(*(self._code.locks(number, self._part.is_full) for number, _ in places))
                for number in self._code.deciding(definition, self._part.is_full) if len(definitions) > 1 else ():
                    self._add_decision(number)


def slice_for(
    codes_of: Callable[[Slice], Sequence[Code]],
    writes: Sequence[Write],
    accesses: frozenset[AccessId],
    followed: frozenset[Variable],
    is_full: bool,
) -> Slice:
    """What can decide whether the accesses meet. A full slice is given as a small one if it has no more than that.

    `codes_of`: the code of the threads as a slice has it. `writes`: what threads that are not in the product may do.
    `followed`: the cells whose values may be relied on.
    """
    part = _grown(codes_of, writes, Slice(accesses, frozenset(), frozenset(), is_full), followed)
    if not is_full:
        return part
    small = _grown(codes_of, writes, Slice(accesses, frozenset(), frozenset(), is_full=False), followed)
    if replace(small, is_full=True) != part:
        return part
    both = zip(codes_of(part), codes_of(small), strict=True)
    is_same = all(
        mine.graph.merged == its.graph.merged and mine.relevance(part).decisions == its.relevance(small).decisions
        for mine, its in both
    )
    return small if is_same else part


def _grown(
    codes_of: Callable[[Slice], Sequence[Code]], writes: Sequence[Write], part: Slice, followed: frozenset[Variable]
) -> Slice:
    """The slice with all that decides on what it has."""
    while True:
        cells, locks = set(part.cells), set(part.locks)
        for code in codes_of(part):
            relevance = code.relevance(part)
            cells |= relevance.cells & followed
            locks |= relevance.locks
        locks.update(hold.lock for write in writes if write.cell in cells for hold in write.held)
        grown = replace(part, cells=frozenset(cells), locks=frozenset(locks))
        if grown == part:
            return part
        part = grown
