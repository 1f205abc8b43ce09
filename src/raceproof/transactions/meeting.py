"""Whether two threads of a product can stand before two accesses to the same bytes at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raceproof.domains import (
    INT64,
    Binary,
    Const,
    Expr,
    LinearExpr,
    NumericDomain,
    Op,
    SignedOverflow,
    State,
    Value,
    Variable,
    octagons,
    polyhedra,
    variables_of,
)
from raceproof.model import AccessId, RacePair
from raceproof.transactions.actions import renamed
from raceproof.transactions.expressions import BY_ADDRESS
from raceproof.transactions.graph import GraphNode, TransactionGraph
from raceproof.transactions.invariants import States
from raceproof.transactions.lowering import Touch
from raceproof.transactions.names import Primed, Register

_MAX_PACK = 8


class Meetings:
    """For the nodes of a solution: which accesses stand together."""

    def __init__(self, graph: TransactionGraph, states: Mapping[GraphNode, States], domain: NumericDomain) -> None:
        self._graph = graph
        self._states = states
        self._domain = domain
        self._together: dict[tuple[AccessId, AccessId], list[tuple[GraphNode, int, int]]] = {}
        for where in states:
            for first, second in self._pairs_at(where):
                for a in self._accesses(where, first):
                    for b in self._accesses(where, second):
                        self._together.setdefault((a, b), []).append((where, first, second))

    def may_meet(self, pair: RacePair) -> bool:
        """Whether two of the threads may stand before the two accesses, with the same bytes before them."""
        keys = {(pair.first, pair.second), (pair.second, pair.first)}
        return any(self._may_overlap(*where) for key in keys for where in self._together.get(key, ()))

    def nodes_at(self, access: AccessId) -> Iterator[tuple[GraphNode, int]]:
        """Where a thread stands before the access, and which thread it is."""
        for where in self._states:
            for slot in self._graph.running(where):
                if access in self._accesses(where, slot):
                    yield where, slot

    def _pairs_at(self, where: GraphNode) -> Iterator[tuple[int, int]]:
        ready = [n for n in self._graph.running(where) if not self._graph.is_waiting(where, n)]
        return ((a, b) for a in ready for b in ready if a < b)

    def _accesses(self, where: GraphNode, slot: int) -> tuple[AccessId, ...]:
        node = self._graph.node(where, slot)
        return node.touch.accesses if node is not None and node.touch is not None else ()

    def _may_overlap(self, where: GraphNode, first: int, second: int) -> bool:
        one, two = self._touch(where, first), self._touch(where, second)
        if one.start is None or two.start is None or one.size is None or two.size is None:
            return True
        (name, mine), (other, yours) = one.start, two.start
        if name != other:
            return name.startswith(BY_ADDRESS) or other.startswith(BY_ADDRESS)  # otherwise different objects
        if isinstance(mine, Const) and isinstance(yours, Const):
            return mine.value < yours.value + two.size and yours.value < mine.value + one.size
        states = self._states[where]
        return _may_be_near(self._domain, states[first], states[second], (mine, one.size), (yours, two.size))

    def _touch(self, where: GraphNode, slot: int) -> Touch:
        node = self._graph.node(where, slot)
        assert node is not None
        assert node.touch is not None
        return node.touch


def _may_be_near(
    domain: NumericDomain, first: State, second: State, mine: tuple[Expr, int], yours: tuple[Expr, int]
) -> bool:
    """Whether ranges of bytes may overlap, in what two threads know together; the second's registers are primed."""
    primed = {v: _primed(v) for v in (*_registers(second), *variables_of(yours[0])) if isinstance(v.name, Register)}
    other = renamed(yours[0], primed)
    values: dict[Variable, Value] = dict(first.values)
    for variable, value in second.values.items():
        name = primed.get(variable, variable)
        values[name] = values[name].meet(value) if name in values else value
    constraints = [*domain.constraints(first), *(expr.renamed(primed) for expr in domain.constraints(second))]
    joint = _domain_for(domain, constraints, mine[0], other)
    state = joint.build(values, constraints)
    state = joint.assume(state, _below(mine[0], other, yours[1]))
    state = joint.assume(state, _below(other, mine[0], mine[1]))
    return not state.is_bottom


def _below(left: Expr, right: Expr, size: int) -> Expr:
    """left < right + size."""
    return Binary(Op.LT, Binary(Op.SUB, left, right), Const(size, INT64))


def _domain_for(domain: NumericDomain, constraints: list[LinearExpr], *exprs: Expr) -> NumericDomain:
    """The variables of the addresses, and those that they are related to, in one pack."""
    pack = dict.fromkeys(v for expr in exprs for v in variables_of(expr))
    for _ in range(2):
        for constraint in constraints:
            if any(v in pack for v in constraint.variables):
                pack.update(dict.fromkeys(constraint.variables))
    chosen = list(pack)[: 2 * _MAX_PACK]
    if domain.name == "polyhedra":
        return polyhedra([chosen[:_MAX_PACK], chosen], overflow=SignedOverflow.WRAPS)
    return octagons([chosen], overflow=SignedOverflow.WRAPS)


def _registers(state: State) -> list[Variable]:
    found = dict.fromkeys(state.values)
    for relation in state.relations:
        found.update(dict.fromkeys(relation.pack))
    return list(found)


def _primed(variable: Variable) -> Variable:
    return Variable(Primed(variable.name), variable.type)
