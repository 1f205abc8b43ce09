"""The tree of a search that several share: which parts of it are open.

A node is the state behind a schedule prefix. For each node that several know, `taken` is the set of threads that are
taken care of there; each of them was given out with those before it as its mask, which is what the sleep sets need
(native/items.c). `mass` estimates the share of the whole tree that is below a node: it is divided evenly among the
threads that are tried there [Knuth75]; what is added later adds to the whole.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator

from raceproof.explore.protocol import NodeRecord, PathRecord, RequestRecord, Step


class Node:
    """`mask`: threads before the last one of the prefix at the node above; `share`: of the mass of this node, that of
    one thread; `failures`: how often an item that begins here was lost."""

    __slots__ = ("above", "depth", "failures", "mask", "mass", "share", "taken", "thread")

    def __init__(self, above: Node | None = None, thread: int = 0, mask: int = 0, mass: float = 1.0) -> None:
        self.above, self.thread, self.mask, self.mass = above, thread, mask, mass
        self.depth: int = 0 if above is None else above.depth + 1
        self.taken = 0
        self.share = mass
        self.failures = 0

    def prefix(self) -> list[Node]:
        """All nodes from the root to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.above
        return nodes[::-1]

    def steps(self) -> tuple[Step, ...]:
        return tuple((node.thread, node.mask) for node in self.prefix()[1:])


class Tree:
    """`open`: prefixes behind which nobody is at work, the shortest first, because more follows them. `whole`: the mass
    of all; `done`: of what was searched."""

    def __init__(self) -> None:
        self.open: list[tuple[int, int, Node]] = []
        self.whole, self.done = 1.0, 0.0
        self._numbers = itertools.count()

    def add(self, node: Node) -> None:
        heapq.heappush(self.open, (node.depth, next(self._numbers), node))

    def next(self) -> Node:
        return heapq.heappop(self.open)[2]

    def begin(self) -> None:
        """Nothing is done, and nothing is known of it."""
        self.open.clear()
        self.whole, self.done = 1.0, 0.0
        self.add(Node())

    def divide(self, path: list[Node], record: PathRecord | NodeRecord | RequestRecord) -> float:
        """What somebody at work behind the last node of `path` says of it; the mass that he has done."""
        match record:
            case PathRecord():
                for thread, mask in record.steps[len(path) - 1 :]:
                    path.append(Node(path[-1], thread, mask))
            case NodeRecord():
                return self._divide(path, record)
            case RequestRecord():
                node = path[record.index]
                if not record.threads & node.taken:
                    self.whole += node.share
                    self._branch(node, record.wanted)
        return 0.0

    def _divide(self, path: list[Node], record: NodeRecord) -> float:
        """`taken` are his own, one of which may lead on along the path; what is left is for others."""
        node = path[record.index]
        behind = path[record.index + 1] if record.index + 1 < len(path) else None
        own, left = record.taken & ~node.taken, record.left & ~(node.taken | record.taken)
        node.share = node.mass / max((own | left).bit_count(), 1)
        node.taken |= record.taken
        for thread in _members(left):
            self._branch(node, thread)
        if behind is not None and own >> behind.thread & 1:
            behind.mass = behind.share = node.share
            return node.share * (own.bit_count() - 1)
        return node.share * own.bit_count()

    def _branch(self, node: Node, thread: int) -> None:
        self.add(Node(node, thread, node.taken, node.share))
        node.taken |= 1 << thread


def _members(mask: int) -> Iterator[int]:
    return (number for number in range(mask.bit_length()) if mask >> number & 1)
