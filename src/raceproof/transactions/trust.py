"""Which cells have values that tell something about order.

A race is two accesses that nothing orders; that two threads never stand before them at the same time does not exclude
it: whoever learns from a plain flag that x was written reads x in a race all the same. So a proof may use what is in a
cell only if reading it is itself ordered after the writing: none of the pairs of accesses to it races, and if they are
atomic, they are sequentially consistent; or reads acquire and writes release, and there is no other atomic word
(`facts/atomic_words.py`), since a proof also uses what is not found there. Then, of a run in which two accesses are not
ordered, the part that is ordered before them is a run, too, and ends with both threads standing before them
(docs/soundness.md).

The pairs that must not race may be among those that are being proved with the help of the cell: in the first race of a
run, nothing before it has raced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raceproof.domains import Variable
from raceproof.facts import is_one_atomic_word
from raceproof.ir import CompareExchange, Instr, MemoryOrder, Terminator
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
    synchronises = _synchronises if is_one_atomic_word(around.cp) else _is_sequential
    for access in around.cp.accesses.values():
        if access.is_atomic and not synchronises(access, sites[access.site][1]):
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


def _is_sequential(access: Access, instr: Instr | Terminator) -> bool:
    """Whether it has its place in the one order of all that are sequentially consistent, a failed exchange too."""
    failing = instr.failure_order if isinstance(instr, CompareExchange) else MemoryOrder.SEQ_CST
    return access.order is MemoryOrder.SEQ_CST and failing is MemoryOrder.SEQ_CST


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
