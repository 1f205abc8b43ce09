"""Makes what a proof is about, from the program and the assumptions of a round: products of threads, and domains.

The search and the checker of invariants both start from here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.core import Budget, LimitReached, Unsupported
from raceproof.domains import (
    INT64,
    AnyValue,
    Const,
    Expr,
    NumericDomain,
    SignedOverflow,
    Variable,
    intervals,
    octagons,
    packs_of,
    polyhedra,
    related_in,
    variables_of,
)
from raceproof.domains import Binary as BinaryExpr
from raceproof.domains import Cast as CastExpr
from raceproof.domains import Unary as UnaryExpr
from raceproof.model import AccessId, RacePair, ThreadId
from raceproof.transactions.actions import Action, Assign, Assume, Choose, Expect, Read
from raceproof.transactions.graph import FULL, Slot, TransactionGraph
from raceproof.transactions.independence import Reduction
from raceproof.transactions.interference import Write, writes_of
from raceproof.transactions.invariants import Propagation
from raceproof.transactions.names import Argument, Shared
from raceproof.transactions.program import Surroundings
from raceproof.transactions.sliced_graph import resources_of, sliced
from raceproof.transactions.slicing import Code, Slice, slice_for
from raceproof.transactions.thread_graph import Hold, Place, ThreadGraph
from raceproof.transactions.threads import Walk
from raceproof.transactions.trust import trusted_cells

DOMAINS: Final = ("intervals", "octagons", "polyhedra")
_SECTION: Final = 4
_PACKS: Final = {"octagons": 10, "polyhedra": 7}

_WIDEST: Final = 5

Threads = tuple[ThreadId, ...]
"""The threads of a product: creators before those that they create, one of which there are several more than once."""


def products_of(around: Surroundings, pair: RacePair, is_wide: bool) -> list[Threads]:
    """The products that have all threads which may make the two accesses, two by two.

    Raises `Unsupported` if one of the threads cannot be followed.
    """
    threads = around.cp.threads
    found: dict[tuple[ThreadId, ThreadId], None] = {}
    for a in around.cp.accesses[pair.first].views:
        for b in around.cp.accesses[pair.second].views:
            if a.thread != b.thread or threads[a.thread].many:
                found[min(a.thread, b.thread), max(a.thread, b.thread)] = None
    return list(dict.fromkeys(_members(around, both, is_wide) for both in found))


def _members(around: Surroundings, pair: tuple[ThreadId, ThreadId], is_wide: bool) -> Threads:
    """The two threads and their creators; if it is wide, all others too, unless they are too many."""
    if not around.outside.isdisjoint(pair):
        raise Unsupported("a thread that the outside world starts")
    creators = dict.fromkeys(t for thread in pair for t in reversed(around.ancestry(thread)[1:]))
    if any(around.cp.threads[t].many for t in creators):
        raise Unsupported("threads that are created by any number of threads")
    narrow = (*(t for t in creators if t not in pair), *sorted(pair))
    if not is_wide:
        return narrow
    wide: list[ThreadId] = []
    for thread in around.cp.threads.values():
        count = thread.instances if thread.many else 1
        if thread.id in around.outside or any(around.cp.threads[t].many for t in around.ancestry(thread.id)[1:]):
            count = 0
        wide += [thread.id] * max(count or 0, narrow.count(thread.id))
        if len(wide) > _WIDEST:
            return narrow
    return tuple(wide)


@dataclass(frozen=True, slots=True)
class Product:
    """Threads that are followed together, as far as a slice of their code goes."""

    threads: Threads
    part: Slice


@dataclass(frozen=True, slots=True)
class Setting:
    """What graphs and their propagation are made from, beside the program: the assumptions of one round.

    `is_wide`: products have all threads. `cuts`: for each thread, the points of its graph that no run reaches.
    """

    domain: str
    is_wide: bool
    followed: frozenset[Variable]
    cuts: Mapping[ThreadId, frozenset[int]]

    @property
    def keeps_history(self) -> bool:
        """Relations are often about one side of a decision only, and are lost where the sides meet."""
        return self.domain != "intervals"


class Workshop:
    """Makes graphs and domains for a program; remembers the code of each thread."""

    def __init__(self, around: Surroundings, budget: Budget, reduction: Reduction = FULL) -> None:
        self.around = around
        self._reduction = reduction
        self._budget = budget
        self._graphs: dict[tuple[ThreadId, bool], ThreadGraph | LimitReached | Unsupported] = {}
        self._codes: dict[tuple[ThreadId, bool, frozenset[Place], bool], Code] = {}
        self._initial = around.cells.initial()

    def graph(self, thread: ThreadId, keeps_history: bool = False) -> ThreadGraph:
        """The graph of a thread. Raises `LimitReached` or `Unsupported` if there is none."""
        key = (thread, keeps_history)
        if key not in self._graphs:
            try:
                self._graphs[key] = Walk(self.around, thread, self._budget, keeps_history).run()
            except (LimitReached, Unsupported) as stop:
                self._budget.check()
                self._graphs[key] = stop
        found = self._graphs[key]
        if not isinstance(found, ThreadGraph):
            raise found
        return found

    def _code(self, thread: ThreadId, keeps_history: bool, part: Slice) -> Code:
        """The code of a thread as a slice has it. Small slices have no histories, but the numbers of points are the
        same."""
        graph = self.graph(thread, keeps_history)
        key = (thread, keeps_history, part.locks & graph.locks[graph.entry], part.is_full)
        if key not in self._codes:
            self._budget.check()
            self._codes[key] = Code(graph, key[2], keeps_history=part.is_full)
        return self._codes[key]

    def _accesses_in(self, thread: ThreadId) -> frozenset[AccessId]:
        touches = (node.touch for node in self.graph(thread).nodes)
        return frozenset(access for touch in touches if touch is not None for access in touch.accesses)

    def is_covered(self, pair: RacePair, threads: Threads) -> bool:
        """Whether the code of the threads has the accesses at all: that values exclude them is another matter."""
        for access in (pair.first, pair.second):
            makers = {view.thread for view in self.around.cp.accesses[access].views}
            for thread in makers.intersection(threads):
                if access not in self._accesses_in(thread):
                    return False
        return True

    def products(self, threads: Threads, pairs: Sequence[RacePair], setting: Setting, is_full: bool) -> list[Product]:
        """Products that have all pairs, those together that depend on the same cells and locks.

        In full slices, only pairs for which these are larger than others.
        """

        def codes(part: Slice) -> list[Code]:
            return [self._code(thread, setting.keeps_history, part) for thread in dict.fromkeys(threads)]

        writes = [write for mine in self._writes(setting).values() for write in mine]
        found: dict[tuple[frozenset[Variable], frozenset[Place]], set[AccessId]] = {}
        for pair in pairs:
            self._budget.check()
            accesses = frozenset({pair.first, pair.second})
            part = slice_for(codes, writes, accesses, setting.followed, is_full)
            if part.is_full == is_full:
                found.setdefault((part.cells, part.locks), set()).update(accesses)
        return [
            Product(threads, Slice(frozenset(accesses), cells, locks, is_full))
            for (cells, locks), accesses in found.items()
        ]

    def propagation(self, product: Product, setting: Setting) -> Propagation:
        """The steps of a product."""
        threads, part = product.threads, product.part
        for thread in threads:
            creator, site = self.around.cp.threads[thread].parent, self.around.cp.threads[thread].created_at
            if creator is not None and not self.graph(creator).creates(site):
                raise Unsupported("a thread whose creation is not found in its creator's code")
        codes = {thread: self._code(thread, setting.keeps_history, part) for thread in threads}
        resources = resources_of(codes.values(), part)
        graphs = {t: sliced(code, part, resources, setting.cuts.get(t, frozenset())) for t, code in codes.items()}
        slots = [Slot(t, graphs[t], Variable(Argument(number), INT64)) for number, t in enumerate(threads)]
        writes, unreliable = self._writes(setting), self._unreliable(slots)
        graph = TransactionGraph(self.around, slots, writes, unreliable, self._reduction, part.accesses)
        followed = part.cells & setting.followed
        return Propagation(graph, _domain(setting.domain, slots), followed, self._initial)

    def _writes(self, setting: Setting) -> Mapping[ThreadId, tuple[Write, ...]]:
        """Without those at points that are never reached."""
        dead = {}
        for thread, cut in setting.cuts.items():
            nodes = self.graph(thread, setting.keeps_history).nodes
            alive = {node.site for number, node in enumerate(nodes) if number not in cut}
            dead[thread] = frozenset(nodes[n].site for n in cut if nodes[n].site not in alive)
        found = dict(writes_of(self.around, dead))
        for thread, cells in self._signals().items():
            signals = (Write(cell, AnyValue(cell.type), frozenset()) for cell in sorted(cells, key=str))
            found[thread] = (*found.get(thread, ()), *signals)
        return found

    def _signals(self) -> Mapping[ThreadId, frozenset[Variable]]:
        """What each thread may do to semaphores, barriers and conditions; if its code is not known, anything."""
        everything = self.around.rendezvous.variables
        found: dict[ThreadId, frozenset[Variable]] = {}
        for thread in self.around.cp.threads if everything else ():
            try:
                found[thread] = self.graph(thread).signals
            except (LimitReached, Unsupported):
                found[thread] = everything
        return found

    def trusted(self, pairs: Iterable[RacePair], harmless: Collection[RacePair]) -> frozenset[Variable]:
        """The cells that may be relied on if those of `pairs` that are in `harmless` do not race.

        A signal that is given without the mutex of the waiting threads does not happen before they go on, so that such
        a condition orders nothing.
        """
        found = trusted_cells(self.around, pairs, harmless)
        conditions = self.around.rendezvous.conditions
        for thread in self.around.cp.threads if conditions else ():
            try:
                found -= self.graph(thread).unguarded
            except (LimitReached, Unsupported):
                return found - conditions
        return found

    def _unreliable(self, slots: Sequence[Slot]) -> frozenset[str]:
        """Variables with locks that a thread which is not followed may give back without holding them."""
        found: set[str] = set()
        for thread in self.around.cp.threads.values():
            mine = sum(slot.thread == thread.id for slot in slots)
            if mine and not (thread.many and (thread.instances is None or thread.instances > mine)):
                continue
            try:
                frees = {edge.frees for node in self.graph(thread.id).nodes for edge in node.edges}
            except (LimitReached, Unsupported):
                frees = {self.around.released_below(thread.start)}
            for names in frees:
                if names is None:
                    return frozenset(("", *self.around.program.globals))
                found |= names
        return frozenset(found)


def _domain(name: str, slots: Sequence[Slot]) -> NumericDomain:
    """The domain for the code of these threads. The explorer executes wrap-around, so signed numbers wrap here, too."""
    actions = [a for slot in slots for node in slot.graph.nodes for edge in node.edges for a in edge.actions]
    limits = sorted({n + d for action in actions for n in _constants(action) for d in (-1, 0, 1)})
    if name == "intervals":
        return intervals(limits, SignedOverflow.WRAPS)
    packs = dict.fromkeys(pack for slot in slots for pack in packs_of(_groups(slot, slots), _PACKS[name]))
    if name == "octagons":
        return octagons(tuple(packs), limits, SignedOverflow.WRAPS)
    return polyhedra(tuple(packs), limits, SignedOverflow.WRAPS)


def _groups(slot: Slot, slots: Sequence[Slot]) -> list[tuple[Variable, ...]]:
    """Variables that the code of one thread relates: each thread has packs of its own; cells are in several."""
    graph = slot.graph
    edges = [edge for node in graph.nodes for edge in node.edges]
    groups = [tuple(group) for edge in edges for action in edge.actions for group in _related(action)]
    if graph.asks_for_argument and graph.parameter is not None:
        groups.append((slot.argument, graph.parameter))
    for node in graph.nodes:
        if node.touch is not None and node.touch.start is not None:
            groups.append(tuple(dict.fromkeys(variables_of(node.touch.start[1]))))
    arguments = [other.argument for other in slots if other.graph.asks_for_argument]
    for edge in edges:
        if edge.creates is not None and edge.creates.argument is not None:
            groups.append((*arguments, *dict.fromkeys(variables_of(edge.creates.argument))))
    groups += _of_locks(graph)
    groups += _of_loops(graph)
    return [group for group in groups if len(group) > 1]


def _of_locks(graph: ThreadGraph) -> list[tuple[Variable, ...]]:
    """Cells that a thread writes while it holds the same lock: what a critical section keeps is about all of them."""
    found: dict[Hold, dict[Variable, None]] = {}
    for node in graph.nodes:
        written = [a.variable for e in node.edges for a in e.actions if isinstance(a, Assign)]
        for hold in node.held:
            cells = (variable for variable in written if isinstance(variable.name, Shared))
            found.setdefault(hold, {}).update(dict.fromkeys(cells))
    return [tuple(cells) for cells in found.values() if len(cells) <= _SECTION]


def _of_loops(graph: ThreadGraph) -> list[tuple[Variable, ...]]:
    """Counters of loops with the cells that the thread writes: what is counted often bounds what is stored."""
    written = dict.fromkeys(
        action.variable
        for node in graph.nodes
        for edge in node.edges
        for action in edge.actions
        if isinstance(action, Assign) and isinstance(action.variable.name, Shared) and not action.is_weak
    )
    groups = [(*sorted(graph.live[head], key=str), *written) for head in sorted(graph.heads)]
    return [group for group in groups if len(group) <= _SECTION]


def _related(action: Action) -> list[Sequence[Variable]]:
    match action:
        case Assign(variable=variable, value=value):
            return list(related_in(value, variable))
        case Read(variable=variable, cell=cell):
            return [(variable, cell)]
        case Assume(condition=condition):
            return list(related_in(condition))
        case Choose(variable=variable, condition=condition, if_true=first, if_false=second):
            return [*related_in(condition), *related_in(first, variable), *related_in(second, variable)]
        case Expect(cell=cell, value=value):
            return [(cell, *dict.fromkeys(variables_of(value)))]
    return []


def _constants(action: Action) -> list[int]:
    match action:
        case Assign(value=value) | Expect(value=value):
            return _numbers(value)
        case Assume(condition=condition):
            return _numbers(condition)
        case Choose(condition=condition, if_true=first, if_false=second):
            return [*_numbers(condition), *_numbers(first), *_numbers(second)]
    return []


def _numbers(expr: Expr) -> list[int]:
    match expr:
        case Const(value=value):
            return [value]
        case CastExpr(operand=operand) | UnaryExpr(operand=operand):
            return _numbers(operand)
        case BinaryExpr(left=left, right=right):
            return [*_numbers(left), *_numbers(right)]
    return []
