"""Petri nets and what is known about coverability in them.

    net = Net(
        places=("idle", "lock", "inside"),
        transitions=(Transition("enter", pre=((0, 1), (1, 1)), post=((2, 1),)),
                     Transition("leave", pre=((2, 1),), post=((0, 1), (1, 1)))),
        initial=((1, 1),), unbounded=frozenset({0}),
        targets=(((2, 2),),))

Any number of threads start in `idle`, and one token is the free lock: two are never inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

Marking = tuple[tuple[int, int], ...]
"""Tokens by place (an index into `Net.places`): pairs of place and a number above zero, in the order of places."""


@dataclass(frozen=True, slots=True)
class Transition:
    """Takes the tokens of `pre` and gives those of `post`. A place in both is only looked at."""

    name: str
    pre: Marking
    post: Marking


@dataclass(frozen=True, slots=True)
class Net:
    """`initial`: tokens at the beginning; places in `unbounded` have any number of tokens, at least those.

    `targets`: is a marking reachable that covers one of them?
    """

    places: tuple[str, ...]
    transitions: tuple[Transition, ...]
    initial: Marking
    unbounded: frozenset[int]
    targets: tuple[Marking, ...]


@dataclass(frozen=True, slots=True)
class NetCertificate:
    """Why no target can be covered: an upward-closed set from which one might be, and which has no initial marking.

    `invariants`: weighted sums of tokens that never grow: (weights by place, all above zero; bound): they hold at the
    beginning and no transition adds to them, but for those that need a marking of the set and so never fire; a marking
    whose sum is above the bound is not reachable.
    `basis`: minimal markings. Every target, and every predecessor of a marking of the basis by a transition, covers a
    marking of the basis or breaks an invariant; no initial marking covers a marking of the basis.
    """

    basis: tuple[Marking, ...]
    invariants: tuple[tuple[Marking, int], ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Safe:
    certificate: NetCertificate
    stats: Mapping[str, int | float] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Unsafe:
    """`start`: an initial marking, with numbers for the places that have any; `firing`: transitions that lead from it
    to a marking that covers a target."""

    start: Marking
    firing: tuple[int, ...]
    stats: Mapping[str, int | float] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Undecided:
    """Time or memory was up; `reason` says which, and what is known."""

    reason: str
    stats: Mapping[str, int | float] = field(default_factory=dict)


Solution = Safe | Unsafe | Undecided
"""`stats`: kept, subsumed, iterations, seconds; a solver may add others."""
