"""What other threads may do before a thread makes its next step, and whether the step commutes with that.

Follows [TX, Algorithm 1, l.8 and Example 1]. Paper -> here: m_2, CFL-reachable from l_2 -> `Independence._reachable`;
(a) l_1 conflicts with m_2 -> `_conflict`; (b) no lock held at l_1 is acquired along the path -> the edges that are not
followed; semantic independence -> `updates_of`.
Differs: the paper leaves open what semantic considerations refine dependence. Here two steps that touch the same cells
commute if each only adds to them, or only sets, clears or flips bits, or stores one and the same constant, and keeps
nothing of what was there before. If they are accesses, they must be atomic: two plain ones are a race, however they
commute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.core import reverse_postorder
from raceproof.domains import Binary, Cast, Const, Expr, Op, Variable, variables_of
from raceproof.model import AccessId, ConcurrentProgram
from raceproof.transactions.actions import Assign, Read, assigned, used
from raceproof.transactions.names import Register, Shared
from raceproof.transactions.thread_graph import Edge, Hold, Kind, ThreadGraph

_FAMILIES: Final = {Op.ADD: "sum", Op.SUB: "sum", Op.AND: "and", Op.OR: "or", Op.XOR: "xor"}
"""Updates of one family commute; `SUB` only with the old value on its left."""

Updates = frozenset[tuple[Variable, str]]
"""Cells, each with the family of what is done to it."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """Which parts of the partial-order reduction are used, for measurements: any choice is sound.

    `lonely`: a thread that concerns no other moves alone [TX, Algorithm 1]. `locks`: l.8 (b). `semantics`: updates that
    commute are independent. `compacts`: moves go on to the next scheduling point.
    """

    lonely: bool = True
    locks: bool = True
    semantics: bool = True
    compacts: bool = True


class Independence:
    """Of the threads of one product. `asked`: accesses of which it must come out whether threads stand before them at
    the same time, whether that is a race or not. Remembers what it found out about code, by the object."""

    def __init__(self, cp: ConcurrentProgram, asked: frozenset[AccessId], reduction: Reduction) -> None:
        atomic = (access.id for access in cp.accesses.values() if access.order is not None)
        self._commuting = frozenset(atomic) - asked
        self._reduction = reduction
        self._orders: dict[int, list[int]] = {}
        self._reached: dict[tuple[int, frozenset[Hold]], list[int]] = {}
        self._rivals: dict[tuple[int, int, int], int] = {}
        self._updates: dict[tuple[int, int], Updates | None] = {}

    def is_apart(self, mine: ThreadGraph, number: int, held: frozenset[Hold], graph: ThreadGraph, at: int) -> bool:
        """Whether nothing conflicts with the touch at node `number` of `mine` that another thread may do, from the
        point `at` of `graph` on, before one with the locks in `held` makes that step (l.8)."""
        node = mine.nodes[number]
        assert node.touch is not None
        if node.touch.writes.isdisjoint(graph.reads[at]) and node.touch.reads.isdisjoint(graph.writes[at]):
            return True
        if not (self._reduction.locks or self._reduction.semantics):
            return False
        locks = (
            frozenset(hold for hold in held if hold.lock in graph.locks[at]) if self._reduction.locks else frozenset()
        )
        return not self._reachable(graph, locks)[at] & self._rivals_of(mine, number, graph)

    def _reachable(self, graph: ThreadGraph, held: frozenset[Hold]) -> list[int]:
        """For each point, the points that a thread may come to, as bits, while another one keeps the locks (b)."""
        key = (id(graph), held)
        if key not in self._reached:
            self._reached[key] = self._reach(graph, held)
        return self._reached[key]

    def _reach(self, graph: ThreadGraph, held: frozenset[Hold]) -> list[int]:
        found = [1 << number for number in range(len(graph.nodes))]
        order = self._from_the_end(graph)
        targets = {
            number: [
                edge.target for edge in graph.nodes[number].edges if edge.target is not None and _is_free(edge, held)
            ]
            for number in order
        }
        changed = True
        while changed:
            changed = False
            for number in order:
                new = found[number]
                for target in targets[number]:
                    new |= found[target]
                if new != found[number]:
                    found[number], changed = new, True
        return found

    def _from_the_end(self, graph: ThreadGraph) -> list[int]:
        if id(graph) not in self._orders:
            edges = [[edge.target for edge in node.edges if edge.target is not None] for node in graph.nodes]
            self._orders[id(graph)] = list(reversed(reverse_postorder(graph.entry, edges.__getitem__)))
        return self._orders[id(graph)]

    def _rivals_of(self, mine: ThreadGraph, number: int, graph: ThreadGraph) -> int:
        """The points of the code, as bits, at which something is done that conflicts with the touch of a node (a)."""
        key = (id(mine), number, id(graph))
        if key not in self._rivals:
            others = range(len(graph.nodes))
            self._rivals[key] = sum(1 << other for other in others if self._conflict(mine, number, graph, other))
        return self._rivals[key]

    def _conflict(self, mine: ThreadGraph, number: int, graph: ThreadGraph, at: int) -> bool:
        one, other = mine.nodes[number].touch, graph.nodes[at].touch
        if one is None or other is None:
            return False
        if one.writes.isdisjoint(other.reads) and one.reads.isdisjoint(other.writes):
            return False
        if not self._reduction.semantics:
            return True
        first, second = self._updates_of(mine, number), self._updates_of(graph, at)
        return first is None or second is None or not _commute(first, second)

    def _updates_of(self, graph: ThreadGraph, number: int) -> Updates | None:
        key = (id(graph), number)
        if key not in self._updates:
            touch = graph.nodes[number].touch
            may_commute = touch is not None and self._commuting.issuperset(touch.accesses)
            self._updates[key] = updates_of(graph, number) if may_commute else None
        return self._updates[key]


def _is_free(edge: Edge, held: frozenset[Hold]) -> bool:
    wanted = edge.takes
    return wanted is None or not any(hold.excludes(wanted) for hold in held)


def _commute(mine: Updates, yours: Updates) -> bool:
    families = dict(mine)
    return all(families.get(cell, family) == family for cell, family in yours)


def updates_of(graph: ThreadGraph, number: int) -> Updates | None:
    """What the step does to cells, if that is all that it has to do with them; None if it is more than updates.

    It must do the same on every way on from there, and whether it can go there must not depend on the cells.
    """
    node = graph.nodes[number]
    if node.kind is not Kind.TOUCH or node.touch is None or node.touch.reads != node.touch.writes:
        return None
    ways = {_updates_on(edge, graph) for edge in node.edges}
    found = ways.pop() if len(ways) == 1 else None
    if found is None:
        return None
    cells = frozenset(variable.name.cell for variable, _ in found if isinstance(variable.name, Shared))
    return found if cells == node.touch.writes else None


def _updates_on(edge: Edge, graph: ThreadGraph) -> Updates | None:
    if edge.takes is not None or edge.creates is not None or edge.frees != frozenset():
        return None
    old: dict[Variable, Variable] = {}  # registers that stand for a cell
    found: dict[Variable, str] = {}
    for action in edge.actions:
        target = assigned(action)
        if isinstance(action, Read):
            if not isinstance(action.variable.name, Register) or action.cell in found:
                return None
            old[action.variable] = action.cell
        elif isinstance(action, Assign) and target is not None and isinstance(target.name, Shared):
            family = None if action.is_weak or target in found else _family(target, action.value, old)
            if family is None:
                return None
            found[target] = family
        elif target in old or any(v in old or isinstance(v.name, Shared) for v in used(action)):
            return None
    live = graph.live[edge.target] if edge.target is not None else frozenset()
    if set(old.values()) - found.keys() or not live.isdisjoint(old):
        return None  # somebody asks for what was there
    return frozenset(found.items())


def _family(cell: Variable, value: Expr, old: dict[Variable, Variable]) -> str | None:
    """How `value` is made of what was in the cell and something that no other thread can change."""
    while isinstance(value, Cast) and value.type.size == cell.type.size:
        value = value.operand
    if isinstance(value, Const):
        return f"= {value.value}"
    if not isinstance(value, Binary) or value.op not in _FAMILIES or value.type.size != cell.type.size:
        return None
    sides = [(value.left, value.right)]
    if value.op is not Op.SUB:
        sides.append((value.right, value.left))
    for before, given in sides:
        if _is_old(before, cell, old) and not any(_is_shared(v, old) for v in variables_of(given)):
            return _FAMILIES[value.op]
    return None


def _is_old(expr: Expr, cell: Variable, old: dict[Variable, Variable]) -> bool:
    while isinstance(expr, Cast) and expr.type.size == cell.type.size:
        expr = expr.operand
    return isinstance(expr, Variable) and expr.type.size == cell.type.size and (expr == cell or old.get(expr) == cell)


def _is_shared(variable: Variable, old: dict[Variable, Variable]) -> bool:
    return variable in old or isinstance(variable.name, Shared)
