"""Invariants over a transaction graph: for each node, and each thread that runs there, what holds of the shared cells
and the thread's registers.

Follows [TX, Section 4]. Paper -> here: the tuple <phi_1, ..., phi_n> at a node -> `States`, one per slot; S ->
`shared`; L_i -> the registers of slot i; meld -> `NumericDomain.meld`; propagate -> `Propagation.post`.
Differs: what a thread was given at its creation counts as shared, since it never changes: so the ranges of threads that
run the same code can be told apart. A thread that is not running has no assertion. After each move, threads outside the
product may have written (see `interference`).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from raceproof.core import Budget, LimitReached
from raceproof.domains import Bounds, Expr, NumericDomain, State, Variable
from raceproof.transactions.actions import Assign, Assume, Expect, apply, converted
from raceproof.transactions.graph import GraphNode, Move, TransactionGraph
from raceproof.transactions.interference import Write

States = tuple[State, ...]

MAX_NODES: Final = 20_000
_DELAY: Final = 3
_ALWAYS_WIDEN: Final = 40
_NARROWINGS: Final = 2
_PASSES: Final = 4


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a move does to the mover's state, and what it tells the others, if anything. `steps`: cells that were
    written, and by how much they grew, if that is known."""

    mover: State
    told: State | None
    changed: tuple[Variable, ...]
    steps: tuple[tuple[Variable, Bounds | None], ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """The end of a transaction: its last move, and what holds behind it."""

    move: Move
    states: States


Note = Callable[[GraphNode, States, Move], None]


def _nothing(where: GraphNode, states: States, move: Move) -> None:
    """Nobody asks."""


class Propagation:
    """The steps of one graph in one domain. `followed`: the cells whose values may be relied on. `passed`: points of
    each slot's code that were within transactions; `steps`: moves that were made."""

    def __init__(
        self,
        graph: TransactionGraph,
        domain: NumericDomain,
        followed: frozenset[Variable],
        initial: Mapping[Variable, Expr],
    ) -> None:
        self.graph = graph
        self.domain = domain
        self.followed = followed
        self.shared = followed.union(slot.argument for slot in graph.slots if slot.graph.asks_for_argument)
        self._initial = initial
        # Keys are numbers of objects that live as long as this does: states are few, and each is met in many nodes.
        self._states: dict[Hashable, State] = {}
        self._effects: dict[tuple[int, int, int | None], _Effect | None] = {}
        self._melds: dict[tuple[int, int], State] = {}
        self._alive: dict[tuple[int, int, int], State] = {}
        self._disturbances: dict[tuple[int, int], State] = {}
        self._writes_at: dict[GraphNode, tuple[Write, ...]] = {}
        self._same_writes: dict[tuple[Write, ...], tuple[Write, ...]] = {}
        self._last: dict[GraphNode, tuple[States, list[Arrival]]] = {}
        self._first: dict[GraphNode, list[Move]] = {}
        self._inner: dict[tuple[int, GraphNode], list[Move] | None] = {}
        self.steps = 0
        self.passed: list[set[int]] = [set() for _ in graph.slots]

    def initial(self) -> States:
        """At the start of main."""
        state = self.domain.top()
        for cell, value in self._initial.items():
            if cell in self.followed:
                state = self.domain.assign(state, cell, value)
        states = tuple(state if at >= 0 else self.domain.top() for at in self.graph.initial.at)
        return self._disturbed(self.graph.initial, states)

    def successors(self, where: GraphNode, states: States) -> list[Arrival]:
        """What holds behind each transaction that can be made from a node."""
        last = self._last.get(where)
        if last is None or any(mine is not its for mine, its in zip(last[0], states, strict=True)):
            arrivals: list[Arrival] = []
            self.walk(where, states, _nothing, arrivals)
            last = self._last[where] = states, arrivals
        return last[1]

    def walk(self, where: GraphNode, states: States, note: Note, arrivals: list[Arrival] | None = None) -> None:
        """Make each transaction from a node; `note` is told of each step that is tried, and what held before it.

        A transaction may divide, where it depends on values how the thread goes on: each way is one.
        """
        work = [(where, states, move) for move in reversed(self._moves(where))]
        while work:
            source, before, move = work.pop()
            note(source, before, move)
            after = self.post(before, move)
            self.steps += 1
            if after is None:
                continue
            more = self._inner_moves(move)
            if more is not None:
                self.passed[move.slot].add(move.target.at[move.slot])
                work += [(move.target, after, then) for then in reversed(more)]
            elif arrivals is not None:
                arrivals.append(Arrival(move, after))

    def _moves(self, where: GraphNode) -> list[Move]:
        moves = self._first.get(where)
        if moves is None:
            moves = self._first[where] = self.graph.moves(where)
        return moves

    def _inner_moves(self, move: Move) -> list[Move] | None:
        key = (move.slot, move.target) if not move.breaks and move.edge.creates is None else None
        if key is None:
            return self.graph.inner(move)
        if key not in self._inner:
            self._inner[key] = self.graph.inner(move)
        return self._inner[key]

    def post(self, states: States, move: Move) -> States | None:
        """What holds behind a move, [TX, Section 4: propagate]; None if it cannot be made."""
        states = tuple(map(self._same, states))
        effect = self._effect(states[move.slot], move)
        if effect is None:
            return None
        result: list[State] = []
        for slot, state in enumerate(states):
            if move.target.at[slot] < 0:
                result.append(self.domain.top())
            elif slot == move.slot:
                result.append(self._without_dead(slot, move.target.at[slot], effect.mover))
            elif slot == move.starts:
                result.append(self._begun(slot, effect.mover))
            elif effect.told is not None:
                result.append(self._melded(effect, state))
            else:
                result.append(state)
            if result[-1].is_bottom:
                return None
        return self._disturbed(move.target, tuple(result))

    def _same(self, state: State) -> State:
        """One object for all states that are equal: what follows from it is computed once."""
        return self._states.setdefault((frozenset(state.values.items()), state.relations), state)

    def _effect(self, mover: State, move: Move) -> _Effect | None:
        key = (id(mover), id(move.edge), move.starts)
        if key not in self._effects:
            self._effects[key] = self._effect_of(mover, move)
        return self._effects[key]

    def _effect_of(self, mover: State, move: Move) -> _Effect | None:
        domain = self.domain
        changed: list[Variable] = []
        steps: list[tuple[Variable, Bounds | None]] = []
        is_news = False  # whether more is known of the shared cells than before
        for action in move.edge.actions:
            before, mover = mover, apply(domain, mover, action, self.followed)
            if mover.is_bottom:
                return None
            if isinstance(action, Assign) and action.variable in self.followed and mover is not before:
                changed.append(action.variable)
                steps.append((action.variable, self._growth(before, action)))
            is_news = is_news or isinstance(action, Assume | Expect)
        if move.starts is not None and self.graph.slots[move.starts].argument in self.shared:
            argument = self.graph.slots[move.starts].argument
            given = move.edge.creates.argument if move.edge.creates is not None else None
            if given is None:
                mover = domain.forget(mover, [argument])
            else:
                mover = domain.assign(mover, argument, converted(given, argument.type))
            changed.append(argument)
        told = self._told(mover) if changed or is_news else None
        return _Effect(self._same(mover), told, tuple(changed), tuple(steps))

    def _growth(self, mover: State, action: Assign) -> Bounds | None:
        """By how much a write changes a cell, if relations are kept at all and the mover knows."""
        if not self.domain.tops or action.is_weak:
            return None
        return self.domain.change(mover, action.variable, action.value)

    def _told(self, mover: State) -> State:
        """What the mover knows of the shared variables, in the packs of all threads."""
        known = self.domain.project(mover, self.shared)
        return self.domain.lift(known) if self.domain.tops else known

    def _melded(self, effect: _Effect, other: State) -> State:
        key = (id(effect), id(other))
        if key not in self._melds:
            self._melds[key] = self._meld(effect, other)
        return self._melds[key]

    def _meld(self, effect: _Effect, other: State) -> State:
        """What another thread knows after the move, [TX, Definition 2].

        Differs: where the mover knows by how much it changed a cell, what the other one relates to the cell moves along
        (`seen <= count` after `count++`), instead of being forgotten.
        """
        assert effect.told is not None
        domain, moved = self.domain, other
        if not domain.tops:
            return domain.meld(effect.told, other, self.shared, effect.changed)
        for cell, growth in effect.steps:
            is_known = growth is not None and growth[1] - growth[0] < cell.type.size
            moved = domain.shift(moved, cell, growth) if growth and is_known else domain.forget(moved, [cell])
        grown = {cell for cell, _ in effect.steps}
        return domain.meld(effect.told, moved, self.shared, [v for v in effect.changed if v not in grown])

    def _without_dead(self, slot: int, at: int, mover: State) -> State:
        """Without the registers that nobody asks for any more."""
        key = (slot, at, id(mover))
        if key not in self._alive:
            live = self.graph.slots[slot].graph.live[at]
            known = {*mover.values, *(v for relation in mover.relations for v in relation.pack)}
            dead = [v for v in known if v not in live and v not in self.shared]
            self._alive[key] = self.domain.forget(mover, dead) if dead else mover
        return self._alive[key]

    def _begun(self, slot: int, creator: State) -> State:
        """A new thread knows what its creator knows of the shared cells, and its argument."""
        started = self.graph.slots[slot]
        state = self.domain.project(creator, self.shared)
        parameter = started.graph.parameter
        if parameter is not None and started.argument in self.shared:
            state = self.domain.assign(state, parameter, converted(started.argument, parameter.type))
        return state

    def _disturbed(self, where: GraphNode, states: States) -> States:
        """The same, after any number of writes by threads that are not followed."""
        writes = self._writes(where)
        if not writes:
            return states
        return tuple(
            self._after_any(writes, self._same(state)) if at >= 0 else state
            for at, state in zip(where.at, states, strict=True)
        )

    def _writes(self, where: GraphNode) -> tuple[Write, ...]:
        """Writes to cells that are followed; one object wherever they are the same."""
        if where not in self._writes_at:
            writes = tuple(write for write in self.graph.writes(where) if write.cell in self.followed)
            self._writes_at[where] = self._same_writes.setdefault(writes, writes)
        return self._writes_at[where]

    def _after_any(self, writes: Sequence[Write], state: State) -> State:
        """Writes in any order, any number of times: the values that this leads to, or any value if it does not end."""
        key = (id(writes), id(state))
        if key not in self._disturbances:
            self._disturbances[key] = self._closed(writes, state)
        return self._disturbances[key]

    def _closed(self, writes: Sequence[Write], state: State) -> State:
        for _ in range(_PASSES):
            before = state
            for write in writes:
                state = self.domain.join(state, self.domain.assign(state, write.cell, write.value))
            if self.domain.leq(state, before):
                return before
        return self.domain.forget(state, [write.cell for write in writes])


@dataclass(slots=True)
class Solution:
    """The invariants; nodes that are not there are unreachable. `moves`: for each node the transactions that could be
    made, each as who made it and where it led. `broken`: a move that breaks a lock was possible, so
    that nothing is proved."""

    states: dict[GraphNode, States] = field(default_factory=dict)
    moves: dict[GraphNode, dict[tuple[int, GraphNode], None]] = field(default_factory=dict)
    broken: bool = False

    @property
    def edges(self) -> int:
        return sum(map(len, self.moves.values()))

    def at(self, slot: int, passed: Collection[int]) -> set[int]:
        """Where the thread in a slot may be, in a node or within a transaction."""
        return {where.at[slot] for where in self.states}.union(passed)


def solve(propagation: Propagation, budget: Budget) -> Solution:
    """The invariants by forward propagation, with widening at the heads of loops, and narrowing afterwards."""
    ascending = _Ascending(propagation, budget)
    ascending.run()
    for _ in range(_NARROWINGS):
        if ascending.solution.broken or not ascending.descend():
            break
    return ascending.solution


class _Ascending:
    def __init__(self, propagation: Propagation, budget: Budget) -> None:
        self.solution = Solution()
        self._propagation = propagation
        self._domain = propagation.domain
        self._graph = propagation.graph
        self._budget = budget
        self._visits: dict[GraphNode, int] = {}
        self._seen: dict[GraphNode, set[tuple[int, int]]] = {}  # the states that came here, by slot and object
        self._kept: list[States] = []  # so that no other object gets the number of one of them
        self._heap: list[tuple[int, int, GraphNode]] = []
        self._waiting: set[GraphNode] = set()
        self._tick = count()

    def run(self) -> None:
        initial = self._graph.initial
        states = self._propagation.initial()
        if any(state.is_bottom for state in states):
            return
        self._arrive(initial, states)
        while self._heap and not self.solution.broken:
            self._budget.check()
            _, _, where = heapq.heappop(self._heap)
            self._waiting.discard(where)
            made = self.solution.moves.setdefault(where, {})
            for arrival in self._propagation.successors(where, self.solution.states[where]):
                move = arrival.move
                if move.breaks:
                    self.solution.broken = True
                    return
                made[move.slot, move.target] = None
                self._arrive(move.target, arrival.states)

    def _arrive(self, where: GraphNode, new: States) -> None:
        domain, known = self._domain, self.solution.states.get(where)
        seen = self._seen.setdefault(where, set())
        numbers = [(slot, id(state)) for slot, state in enumerate(new)]
        if seen.issuperset(numbers):
            return
        seen.update(numbers)
        self._kept.append(new)
        if known is None:
            if len(self.solution.states) >= MAX_NODES:
                raise LimitReached(f"the transaction graph has more than {MAX_NODES:,} nodes")
            self.solution.states[where] = new
        else:
            if all(domain.leq(mine, yours) for mine, yours in zip(new, known, strict=True)):
                return
            visits = self._visits[where] = self._visits.get(where, 0) + 1
            widens = visits > _ALWAYS_WIDEN or (visits > _DELAY and self._graph.is_head(where))
            joined = [domain.join(old, more) for old, more in zip(known, new, strict=True)]
            if widens:
                joined = [domain.widen(old, both) for old, both in zip(known, joined, strict=True)]
            self.solution.states[where] = tuple(joined)
        if where not in self._waiting:
            self._waiting.add(where)
            heapq.heappush(self._heap, (self._rank(where), next(self._tick), where))

    def _rank(self, where: GraphNode) -> int:
        """Earlier points first, so that loops are stable before what follows is looked at."""
        return sum(slot.graph.position(n) for slot, n in zip(self._graph.slots, where.at, strict=True))

    def descend(self) -> bool:
        """One round of narrowing; False if nothing became better."""
        domain, solution = self._domain, self.solution
        incoming: dict[GraphNode, dict[GraphNode, None]] = {}
        for where, moves in solution.moves.items():
            for _, target in moves:
                incoming.setdefault(target, {})[where] = None
        improved = False
        initial = self._graph.initial
        for where in sorted(solution.states, key=self._rank):
            self._budget.check()
            new: States | None = self._propagation.initial() if where == initial else None
            for source in incoming.get(where, ()):
                if source not in solution.states:
                    continue
                for arrival in self._propagation.successors(source, solution.states[source]):
                    if arrival.move.target != where:
                        continue
                    after = arrival.states
                    pairs = zip(new, after, strict=True) if new is not None else ()
                    new = after if new is None else tuple(domain.join(a, b) for a, b in pairs)
            old = solution.states[where]
            if new is None:
                del solution.states[where]
                improved = True
            elif all(domain.leq(a, b) for a, b in zip(new, old, strict=True)):
                narrowed = tuple(domain.narrow(a, b) for a, b in zip(old, new, strict=True))
                if not all(domain.leq(a, b) for a, b in zip(old, narrowed, strict=True)):
                    solution.states[where] = narrowed
                    improved = True
        return improved
