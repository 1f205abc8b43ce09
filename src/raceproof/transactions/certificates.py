"""Solutions as evidence, and evidence as solutions again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raceproof.core import InputError
from raceproof.domains import LinearExpr, State, Variable, between, hull
from raceproof.model import NodeInvariant, ProductInvariants, StateData, ThreadId
from raceproof.transactions.graph import GraphNode
from raceproof.transactions.invariants import Propagation, Solution, States
from raceproof.transactions.names import Argument, Cell, Register, Shared
from raceproof.transactions.products import Product
from raceproof.transactions.slicing import Slice


def key_of(variable: Variable) -> str:
    """A name for a variable that is the same whenever the program is read."""
    match variable.name:
        case Shared(cell=Cell(object=number, offset=offset, size=size, part=part)):
            return f"{number}+{offset}:{size}" + (f"#{part}" if part else "")
        case Register(thread=thread, frame=frame, name=name, part=part):
            return f"%{thread}.{frame}.{name}.{part}"
        case Argument(slot=slot):
            return f"argument {slot}"
    return str(variable.name)


def encoded(product: Product, solved: tuple[Propagation, Solution]) -> ProductInvariants:
    propagation, solution = solved
    part = product.part
    numbers: dict[StateData, int] = {}
    nodes = []
    for where, known in solution.states.items():
        mine = tuple(numbers.setdefault(_state(propagation, state), len(numbers)) for state in known)
        nodes.append(NodeInvariant(where.at, tuple(sorted(where.others)), mine))
    return ProductInvariants(
        threads=product.threads,
        accesses=tuple(sorted(part.accesses)),
        cells=tuple(sorted(map(key_of, part.cells))),
        locks=tuple(sorted(part.locks)),
        is_full=part.is_full,
        states=tuple(numbers),
        nodes=tuple(nodes),
    )


def product_of(found: ProductInvariants, cells: Iterable[Variable]) -> Product:
    """What the evidence says that it is about; `cells`: those that it may speak of.

    Raises `InputError` if it speaks of others.
    """
    named = {key_of(cell): cell for cell in cells}
    if not named.keys() >= set(found.cells):
        raise InputError("a product relies on a cell that the rest of the evidence does not")
    mine = frozenset(named[key] for key in found.cells)
    part = Slice(frozenset(found.accesses), mine, frozenset(found.locks), found.is_full)
    return Product(tuple(map(ThreadId, found.threads)), part)


def _state(propagation: Propagation, state: State) -> StateData:
    values = tuple(
        (key_of(variable), value.low, value.high, value.modulus, value.residue, value.members)
        for variable, value in sorted(state.values.items(), key=lambda item: key_of(item[0]))
    )
    constraints = dict.fromkeys(
        (tuple((key_of(variable), factor) for variable, factor in expr.terms), expr.constant)
        for expr in propagation.domain.constraints(state)
    )
    return values, tuple(sorted(constraints))


def decoded(propagation: Propagation, product: ProductInvariants) -> dict[GraphNode, States]:
    """Raises `InputError` if the evidence speaks of things that the program does not have."""
    variables = _variables(propagation)
    try:
        states = [_rebuilt(propagation, variables, data) for data in product.states]
        slots = propagation.graph.slots
        found: dict[GraphNode, States] = {}
        for node in product.nodes:
            if len(node.at) != len(slots) or len(node.states) != len(slots):
                raise InputError("the invariants are for another number of threads")
            for at, slot in zip(node.at, slots, strict=True):
                if not -2 <= at < len(slot.graph.nodes):
                    raise InputError("the invariants are for other code")
            where = GraphNode(node.at, frozenset(map(ThreadId, node.others)))
            found[where] = tuple(states[number] for number in node.states)
    except (KeyError, IndexError) as lost:
        raise InputError(f"the invariants speak of something that the program does not have: {lost}") from None
    return found


def _rebuilt(propagation: Propagation, variables: Mapping[str, Variable], data: StateData) -> State:
    values = {
        variables[key]: hull(members) if members is not None else between(low, high, max(modulus, 1), residue)
        for key, low, high, modulus, residue, members in data[0]
    }
    constraints = [
        LinearExpr.of([(variables[key], factor) for key, factor in terms], constant) for terms, constant in data[1]
    ]
    return propagation.domain.build(values, constraints)


def _variables(propagation: Propagation) -> dict[str, Variable]:
    found = dict.fromkeys(propagation.shared)
    for slot in propagation.graph.slots:
        for live in slot.graph.live:
            found.update(dict.fromkeys(live))
    return {key_of(variable): variable for variable in found}
