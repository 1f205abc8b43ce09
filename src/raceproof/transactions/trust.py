"""Which cells have values that tell something about order.

A race is two accesses that nothing orders; that two threads never stand before them at the same time does not exclude
it: whoever learns from a plain flag that x was written reads x in a race all the same. So a proof may use what is in a
cell only if reading it is itself ordered after the writing: none of the pairs of accesses to it races, and if they are
atomic, reads acquire and writes release. Then, of a run in which two accesses are not ordered, the part that is
ordered before them is a run, too, and ends with both threads standing before them (docs/soundness.md).

The pairs that must not race may be among those that are being proved with the help of the cell: in the first race of a
run, nothing before it has raced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raceproof.domains import Variable
from raceproof.ir import CompareExchange, Instr, Terminator
from raceproof.model import Access, AccessKind, RacePair
from raceproof.transactions.names import Cell
from raceproof.transactions.program import Surroundings


def trusted_cells(
    around: Surroundings, pairs: Iterable[RacePair], harmless: Collection[RacePair]
) -> frozenset[Variable]:
    """The cells all of whose accesses synchronise, if those of `pairs` that are in `harmless` do not race."""
    cells = around.cells
    lost: set[Cell] = set()
    sites = around.program.instructions_by_site()
    for access in around.cp.accesses.values():
        if access.is_atomic and not _synchronises(access, sites[access.site][1]):
            lost.update(cells.within(access.targets))
    for pair in pairs:
        if pair not in harmless:
            lost.update(touched_by(around, pair))
    return frozenset(variable for cell, variable in cells.variables.items() if cell not in lost)


def touched_by(around: Surroundings, pair: RacePair) -> set[Cell]:
    """The cells that both accesses of a pair may touch."""
    first, second = around.cp.accesses[pair.first], around.cp.accesses[pair.second]
    if first.is_atomic and second.is_atomic:
        return set()
    return set(around.cells.within(first.targets)) & set(around.cells.within(second.targets))


def _synchronises(access: Access, instr: Instr | Terminator) -> bool:
    """Whether reading through the access, failed exchanges too, comes after what it reads from, and so does who reads
    from it."""
    order = access.order
    if isinstance(instr, CompareExchange) and not instr.failure_order.acquires:
        return False
    match access.kind:
        case AccessKind.READ:
            return order is not None and order.acquires
        case AccessKind.WRITE:
            return order is not None and order.releases
        case _:
            return order is not None and order.acquires and order.releases
