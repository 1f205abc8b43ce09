"""How much of a search is left.

Follows [Knuth75, section 2]: below a node with d branches each has 1/d of what is there, so that a part of the tree
that has the mass m and took x executions lets expect x/m for all.
Paper -> here: D(1) D(2) ... of a path -> 1 / `Node.mass`; the random paths -> the items that have ended.
Differs: the parts are not drawn at random but come in the order of the search, and branches that a search adds later
(dynamic partial order reduction does not know them before) add to the whole. So the estimate is biased: it is low while
the tree grows. Its spread is twice the standard error of the ratio, at least all estimates since half of the executions
were made; and to the top, what follows if the tree goes on to grow as it did, by the same factor whenever the
executions double.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2, sqrt

from raceproof.core import about
from raceproof.explore.protocol import Record, StatRecord
from raceproof.explore.tree import Tree

_ENOUGH = 5  # items
_TINY = 1e-9
_GROWS = 1.05  # since half of the executions


@dataclass(frozen=True, slots=True)
class Left:
    """Executions that a search still has to make; `share` of what is known of its tree is searched. `grows`: that tree
    has not yet shown its size, so that there may be far more."""

    share: float
    executions: int
    least: int
    most: int
    grows: bool

    def __str__(self) -> str:
        more = " or more, as the tree still grows" if self.grows else ""
        some = f"some {about(self.executions)} executions left ({about(self.least)} to {about(self.most)}{more})"
        return f"{some}; {100 * self.share:.2g} % of the known tree is searched"

    def records(self) -> list[Record]:
        return [
            StatRecord("left_executions", self.executions),
            StatRecord("left_least", self.least),
            StatRecord("left_most", self.most),
            StatRecord("left_grows", int(self.grows)),
        ]


@dataclass(slots=True)
class Estimate:
    """Sums over the items that have ended, of their masses m and executions x; `earlier`: executions that were made,
    how many were expected in all, and the mass of the whole, since half of the executions."""

    items: int = 0
    m: float = 0.0
    x: int = 0
    mm: float = 0.0
    mx: float = 0.0
    xx: float = 0.0
    earlier: list[tuple[int, float, float]] = field(default_factory=list)

    def add(self, mass: float, executions: int, tree: Tree) -> None:
        self.items += 1
        self.m += mass
        self.x += executions
        self.mm += mass * mass
        self.mx += mass * executions
        self.xx += executions * executions
        if self.m > _TINY:
            self.earlier.append((self.x, self.x / self.m * tree.whole, tree.whole))
            while self.earlier[0][0] < self.x / 2:
                self.earlier.pop(0)

    def left(self, tree: Tree) -> Left | None:
        """None as long as too little is known."""
        if self.items < _ENOUGH or self.m <= _TINY or not self.x:
            return None
        ratio, mass = self.x / self.m, max(tree.whole - tree.done, 0.0)
        variance = max(self.xx - 2 * ratio * self.mx + ratio * ratio * self.mm, 0.0) * self.items / (self.items - 1)
        executions, spread = ratio * mass, 2 * sqrt(variance) / self.m * mass
        at_least = len(tree.open)  # each has one
        before = [max(expected - self.x, 0.0) for _, expected, _ in self.earlier]
        growth = tree.whole / self.earlier[0][2]
        grown = (executions + self.x) * growth ** (1 + log2((executions + self.x) / self.x)) - self.x
        return Left(
            share=tree.done / tree.whole,
            executions=int(max(executions, at_least)),
            least=int(max(min(executions - spread, *before, executions), at_least)),
            most=int(max(executions + spread, grown, *before, at_least)),
            grows=growth > _GROWS,
        )
