"""Small nets that several tests look at."""

from __future__ import annotations

from raceproof.petri.net import Net, Transition

MUTEX = Net(
    places=("idle", "lock", "inside"),
    transitions=(
        Transition("enter", pre=((0, 1), (1, 1)), post=((2, 1),)),
        Transition("leave", pre=((2, 1),), post=((0, 1), (1, 1))),
    ),
    initial=((1, 1),),
    unbounded=frozenset({0}),
    targets=(((2, 2),),),
)
# A bag that fills up while the lock is free: both in one marking needs three rounds of `make`.
BAG = Net(
    places=("lock", "item", "full"),
    transitions=(
        Transition("make", pre=((0, 1),), post=((0, 1), (1, 1))),
        Transition("pack", pre=((0, 1), (1, 3)), post=((2, 1),)),
    ),
    initial=((0, 1),),
    unbounded=frozenset(),
    targets=(((1, 5), (2, 1)),),
)
# Two processes that take turns: the state equation alone does not show that they exclude each other.
TURNS = Net(
    places=("a_waits", "a_in", "b_waits", "b_in", "turn_a", "turn_b"),
    transitions=(
        Transition("a enters", ((0, 1), (4, 1)), ((1, 1), (4, 1))),
        Transition("a leaves", ((1, 1), (4, 1)), ((0, 1), (5, 1))),
        Transition("b enters", ((2, 1), (5, 1)), ((3, 1), (5, 1))),
        Transition("b leaves", ((3, 1), (5, 1)), ((2, 1), (4, 1))),
    ),
    initial=((0, 1), (2, 1), (4, 1)),
    unbounded=frozenset(),
    targets=(((1, 1), (3, 1)),),
)
# `stuck` needs a place that never gets a token, and would double what is there.
DEAD = Net(
    places=("start", "never", "other", "goal"),
    transitions=(
        Transition("stuck", ((1, 1),), ((2, 2),)),
        Transition("back", ((2, 1),), ((1, 2), (3, 1))),
        Transition("move", ((0, 1),), ((3, 1),)),
    ),
    initial=((0, 1),),
    unbounded=frozenset(),
    targets=(((3, 2),), ((2, 1),)),
)
