"""Transaction graphs as text, and for Graphviz: nodes, moves, invariants, and what was cut in which round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raceproof.core import Budget, LimitReached
from raceproof.domains import Variable
from raceproof.model import ConcurrentProgram, RacePair
from raceproof.transactions.graph import ENDED, GraphNode, TransactionGraph
from raceproof.transactions.invariants import Propagation, Solution
from raceproof.transactions.products import Product, Threads
from raceproof.transactions.program import Surroundings
from raceproof.transactions.refinement import Refinement, Round

_MOST = 400
"""Nodes of a graph that are shown: no one reads more."""


def format_graphs(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> str:
    """The rounds, and the graphs of the last one of each domain."""
    around, refinement = _refined(cp, pairs, budget)
    lines = ["rounds"]
    for number, last in enumerate(refinement.rounds, start=1):
        lines.append(f"  {number}: {_round(last)}")
        for thread, points in sorted(last.setting.cuts.items()):
            name = around.program.functions[cp.threads[thread].start].source_name
            lines.append(f"     cut: {len(points)} points of thread {thread} `{name}`")
    for last in _shown(refinement):
        for product, (propagation, solution) in last.solutions.items():
            lines += _graph(last, product, propagation, solution)
    return "\n".join(lines)


def graphs_to_dot(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> str:
    """One cluster for each graph of the last round."""
    _, refinement = _refined(cp, pairs, budget)
    lines = ["digraph transactions {", "  node [shape=box, fontname=monospace];"]
    for last in _shown(refinement)[-1:]:
        for number, (product, (propagation, solution)) in enumerate(last.solutions.items()):
            title = f"threads {_names(product.threads)}, {last.setting.domain}"
            lines += [f"  subgraph cluster_{number} {{", f'    label="{title}";']
            lines += (f"    {line}" for line in _dot(number, propagation, solution))
            lines.append("  }")
    return "\n".join([*lines, "}"])


def _refined(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> tuple[Surroundings, Refinement]:
    around = Surroundings(cp)
    refinement = Refinement(around, pairs, frozenset(), budget)
    try:
        refinement.run()
    except LimitReached:
        if not refinement.rounds:
            raise
    return around, refinement


def _shown(refinement: Refinement) -> list[Round]:
    """The last round of each kind."""
    last = {(r.setting.domain, r.setting.is_wide): r for r in refinement.rounds}
    return list(last.values())


def _round(last: Round) -> str:
    kind = last.setting.domain + (", all threads" if last.setting.is_wide else "")
    trusted = _cells(last.setting.followed)
    done = f"{len(last.proved)} pairs proved, {len(last.failed)} open"
    return f"{kind}: {last.nodes} nodes, {last.edges} edges, {done}; cells that are trusted: {trusted}"


def _graph(last: Round, product: Product, propagation: Propagation, solution: Solution) -> Iterator[str]:
    graph = propagation.graph
    yield ""
    title = f"threads {_names(product.threads)}, {last.setting.domain}"
    yield f"{title}: {len(solution.states)} nodes, {solution.edges} edges; cells: {_cells(product.part.cells)}"
    numbers = {where: number for number, where in enumerate(solution.states)}
    for where, states in list(solution.states.items())[:_MOST]:
        yield f"  {numbers[where]}: {_where(graph, where)}"
        for slot in graph.running(where):
            known = ", ".join(propagation.domain.describe(states[slot]))
            yield f"      thread {graph.slots[slot].thread}: {known or 'nothing is known'}"
        for slot, target in solution.moves.get(where, ()):
            if target in numbers:
                yield f"      -> {numbers[target]} by thread {graph.slots[slot].thread}"
    if len(solution.states) > _MOST:
        yield f"  and {len(solution.states) - _MOST} more"


def _dot(cluster: int, propagation: Propagation, solution: Solution) -> Iterator[str]:
    graph = propagation.graph
    numbers = {where: number for number, where in enumerate(list(solution.states)[:_MOST])}
    for where, number in numbers.items():
        known = [
            f"{graph.slots[slot].thread}: {', '.join(propagation.domain.describe(solution.states[where][slot]))}"
            for slot in graph.running(where)
        ]
        label = "\\n".join(_escaped(text) for text in (_where(graph, where), *known))
        yield f'n{cluster}_{number} [label="{label}"];'
    for where, number in numbers.items():
        for slot, target in solution.moves.get(where, ()):
            if target in numbers:
                thread = graph.slots[slot].thread
                yield f'n{cluster}_{number} -> n{cluster}_{numbers[target]} [label="{thread}"];'


def _where(graph: TransactionGraph, where: GraphNode) -> str:
    parts = []
    for slot, at in zip(graph.slots, where.at, strict=True):
        if at < 0:
            parts.append(f"{slot.thread} {'ended' if at == ENDED else 'not started'}")
            continue
        node = slot.graph.nodes[at]
        place = f"line {node.pos.line}" if node.pos is not None else f"point {at}"
        held = f" holding {', '.join(hold.lock[0] or 'the atomic section' for hold in node.held)}" if node.held else ""
        parts.append(f"{slot.thread} at {place}{held}")
    others = f"; others: {_names(tuple(sorted(where.others)))}" if where.others else ""
    return "; ".join(parts) + others


def _cells(cells: frozenset[Variable]) -> str:
    return ", ".join(sorted(map(str, cells))) or "none"


def _names(threads: Threads) -> str:
    return ", ".join(map(str, threads))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
