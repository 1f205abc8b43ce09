"""Small random nets, and a search that tries every run within a bound: the oracle for the solvers."""

from __future__ import annotations

import random
from collections import deque

from raceproof.petri.net import Marking, Net, Transition

TOKENS = 12
"""Markings with more tokens in a place are not looked at."""
MARKINGS = 4000


def random_net(rng: random.Random) -> Net:
    places = rng.randint(2, 6)

    def marking(most_places: int, most_tokens: int, least: int = 0) -> Marking:
        chosen = rng.sample(range(places), rng.randint(least, min(most_places, places)))
        return tuple(sorted((p, rng.choice((1, 1, 1, rng.randint(1, most_tokens)))) for p in chosen))

    transitions = tuple(
        Transition(f"t{number}", marking(3, 2, rng.choice((0, 1, 1, 1))), marking(3, 3))
        for number in range(rng.randint(1, 7))
    )
    unbounded = frozenset(p for p in range(places) if rng.random() < 0.1)
    targets = tuple(marking(3, 4, 1) for _ in range(rng.choice((1, 1, 2))))
    return Net(tuple(f"p{p}" for p in range(places)), transitions, marking(3, 3), unbounded, targets)


def hard_net() -> Net:
    """Pairs of tokens that move at random among 60 places: too many markings for either search."""
    rng = random.Random(0)

    def pair() -> Marking:
        return tuple((p, 1) for p in sorted(rng.sample(range(60), 2)))

    transitions = tuple(Transition(f"t{number}", pair(), pair()) for number in range(120))
    initial, target = (tuple((p, 1) for p in places) for places in (range(30), range(45, 60)))
    return Net(tuple(f"p{p}" for p in range(60)), transitions, initial, frozenset(), (target,))


def is_covered_within_bound(net: Net) -> bool | None:
    """Whether a target can be covered; None if the bound leaves that open."""
    tokens = dict(net.initial)
    start = tuple(
        TOKENS // 2 + tokens.get(p, 0) if p in net.unbounded else tokens.get(p, 0) for p in range(len(net.places))
    )
    seen = {start}
    work = deque([start])
    is_complete = not net.unbounded
    while work:
        m = work.popleft()
        if any(all(m[p] >= n for p, n in target) for target in net.targets):
            return True
        for t in net.transitions:
            if any(m[p] < n for p, n in t.pre):
                continue
            after = list(m)
            for p, n in t.pre:
                after[p] -= n
            for p, n in t.post:
                after[p] += n
            found = tuple(after)
            if found in seen:
                continue
            if max(found) > TOKENS or len(seen) >= MARKINGS:
                is_complete = False
                continue
            seen.add(found)
            work.append(found)
    return False if is_complete else None
