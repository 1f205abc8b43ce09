"""Which accesses may write what an access touches, in another thread: asked for once, and used by each unwinding."""

from __future__ import annotations

from raceproof.facts import race_pairs
from raceproof.model import AccessId, ConcurrentProgram

Key = tuple[AccessId, AccessId]


class Conflicts:
    """`writers` of an access, each with the pair that the two are."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        self.cp = cp
        self.writers: dict[AccessId, list[tuple[AccessId, Key]]] = {}
        for pair in race_pairs(cp):
            key = (pair.first, pair.second)
            for one, other in dict.fromkeys((key, (pair.second, pair.first))):
                if cp.accesses[other].kind.writes:
                    self.writers.setdefault(one, []).append((other, key))
