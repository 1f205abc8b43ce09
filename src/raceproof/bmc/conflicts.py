"""Which accesses may write what an access touches, in another thread: asked for once, and used by each unwinding."""

from __future__ import annotations

from collections.abc import Iterable

from raceproof.facts import race_pairs
from raceproof.model import MAIN, AccessId, ConcurrentProgram, RacePair

Key = tuple[AccessId, AccessId]


class Conflicts:
    """`writers` of an access, each with the pair that the two are. `outside`: accesses that are also made by what may
    run at any time, in no thread that is unwound: what they write is never known."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        self.cp = cp
        self.writers: dict[AccessId, list[tuple[AccessId, Key]]] = {}
        for pair in race_pairs(cp):
            key = (pair.first, pair.second)
            for one, other in dict.fromkeys((key, (pair.second, pair.first))):
                if cp.accesses[other].kind.writes:
                    self.writers.setdefault(one, []).append((other, key))
        strange = {t.id for t in cp.threads.values() if t.id != MAIN and (t.created_at is None or t.is_callback)}
        while more := {t.id for t in cp.threads.values() if t.parent in strange} - strange:
            strange |= more
        self.outside = frozenset(a.id for a in cp.accesses.values() if any(v.thread in strange for v in a.views))

    def may_be_written_outside(self, accesses: Iterable[AccessId]) -> bool:
        """Whether what one of the accesses touches may be written at any time."""
        return any(writer in self.outside for own in accesses for writer, _ in self.writers.get(own, ()))

    def is_outside(self, pair: RacePair) -> bool:
        return pair.first in self.outside or pair.second in self.outside
