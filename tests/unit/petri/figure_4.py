"""[PN, Fig. 4] word for word: the oracle of `petri/plain.py`. Slow and obviously right."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from raceproof.petri.net import Marking, Net, Transition


@dataclass(frozen=True)
class Outcome:
    """`explored`: the set Explored at the end; `rounds`: the largest j for which a configuration of I_j was looked at,
    counted from 1."""

    is_reachable: bool
    explored: frozenset[Marking]
    discarded: int
    replaced: int
    rounds: int


def figure_4(net: Net) -> Outcome:
    work_list = deque((c, 1) for c in net.targets)  # WorkList := C_fin
    explored: list[Marking] = []  # Explored := ∅
    discarded = replaced = rounds = 0
    while work_list:
        c, rounds = work_list.popleft()  # remove some c from WorkList
        if _is_below_some_initial(net, c):
            return Outcome(True, frozenset(explored), discarded, replaced, rounds)  # return true
        if any(_is_below(smaller, c) for smaller in explored):
            discarded += 1  # discard c
        else:
            work_list += [(_pre(t, c), rounds + 1) for t in net.transitions]  # WorkList := WorkList and Pre(c)
            left = [other for other in explored if not _is_below(c, other)]
            replaced += len(explored) - len(left)
            explored = [c, *left]
    return Outcome(False, frozenset(explored), discarded, replaced, rounds)  # return false


def _is_below_some_initial(net: Net, c: Marking) -> bool:
    tokens = dict(net.initial)
    return all(place in net.unbounded or tokens.get(place, 0) >= count for place, count in c)


def _is_below(a: Marking, b: Marking) -> bool:
    tokens = dict(b)
    return all(tokens.get(place, 0) >= count for place, count in a)


def _pre(transition: Transition, c: Marking) -> Marking:
    """Remove a token from each output place, reset negative values to zero, add a token to each input place."""
    tokens = dict(c)
    for place, count in transition.post:
        tokens[place] = max(tokens.get(place, 0) - count, 0)
    for place, count in transition.pre:
        tokens[place] = tokens.get(place, 0) + count
    return tuple(sorted((place, count) for place, count in tokens.items() if count))
