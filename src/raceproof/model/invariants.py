"""Invariants as evidence: plain data that says what holds where, for a checker to confirm step by step.

Variables, threads and points are named as the engine `transactions` names them when it reads the program again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from raceproof.model.concurrency import AccessId

Members = tuple[int, ...] | None
ValueData = tuple[str, int, int, int, int, Members]
"""A variable, and the set it is in: low, high, modulus, residue, and all members if there are few."""

ConstraintData = tuple[tuple[tuple[str, int], ...], int]
"""Variables with their factors, and a constant: the sum is at most 0."""

StateData = tuple[tuple[ValueData, ...], tuple[ConstraintData, ...]]


@dataclass(frozen=True, slots=True)
class NodeInvariant:
    """Where each thread of a product is, which others may run, and the number of what holds for each thread there."""

    at: tuple[int, ...]
    others: tuple[int, ...]
    states: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProductInvariants:
    """The invariants for the threads of a product; nodes that are not listed are not reached.

    Of the threads' code only what has to do with `accesses`, `cells` and `locks` is looked at (a global variable and an
    offset each); if it is not `is_full`, without decisions that only put off what matters, or end a thread before it.
    """

    threads: tuple[int, ...]
    accesses: tuple[AccessId, ...]
    cells: tuple[str, ...]
    locks: tuple[tuple[str, int], ...]
    is_full: bool
    states: tuple[StateData, ...] = field(repr=False)
    nodes: tuple[NodeInvariant, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReadRange:
    """What an access may find in memory, in every execution up to the first race: at least `low`, at most `high`."""

    access: AccessId
    low: int
    high: int


NO_SPURIOUS_WAKEUPS: Final = "no wait at a condition variable ends without a signal"
"""The assumption of invariants that do not account for that; POSIX allows such waits to end."""


@dataclass(frozen=True, slots=True)
class InvariantMap:
    """Why no two threads stand before the two accesses of one of `pairs` at a time, and nothing else races with them.

    `followed`: cells whose values were relied on, which is sound because all pairs of accesses to them are among
    `pairs` or `relies_on`, which others have proved. `is_wide`: products have all threads, not only two and their
    creators. `spurious`: that waits at conditions may end without a signal is accounted for; otherwise it is assumed
    that they do not. `cuts`: points of a thread's code that no run reaches.
    """

    pairs: tuple[tuple[AccessId, AccessId], ...]
    relies_on: tuple[tuple[AccessId, AccessId], ...]
    domain: str
    is_wide: bool
    spurious: bool
    followed: tuple[str, ...]
    cuts: tuple[tuple[int, tuple[int, ...]], ...]
    products: tuple[ProductInvariants, ...]

    @property
    def nodes(self) -> int:
        return sum(len(product.nodes) for product in self.products)


@final
@dataclass(frozen=True, slots=True)
class Invariants:
    """The evidence for one pair: `first` and `second` say what holds of shared variables at its two accesses, for
    people; `map` is what a checker needs, the same for all pairs that were proved with it."""

    first: str
    second: str
    is_for_any_number: bool
    map: InvariantMap = field(repr=False)

    def __str__(self) -> str:
        return f"invariants of {self.map.domain} at {self.map.nodes} nodes: {self.first}; {self.second}"
