"""Regions: structures on the heap, told apart by the root through which they are found.

    static struct bucket { pthread_mutex_t lock; struct entry *first; } table[16];

Every entry belongs to one element of `table`, for ever: it is found from that element's `first`, or from an entry that
is. So two accesses to one entry are made by threads that came from the same element, `table + 48*i` in one and
`table + 48*j` in the other with i = j, and the lock in that element is the same one.

*Nodes* are objects on the heap that are found through memory. A *root* is a place outside of nodes that may hold a
pointer to one. A node becomes a member of a region when it is first linked to a root or to a member, and stays one:
that is checked at every store (`facts.flow.regions`), and where it cannot be, regions are tied together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from raceproof.model.symbolic import Linear, ObjectId


@dataclass(frozen=True, slots=True)
class Family:
    """Roots at the same place of every element of an array, or at one place: `offset` bytes from its start.

    None: the places in the object are not told apart.
    """

    object: ObjectId
    offset: int | None


@dataclass(frozen=True, slots=True)
class Region:
    """What is found from a root of one of the families, in the element that starts at `element` (None: in any).

    Said of a pointer: if it points to a node, then to a member. Without families: it points to no node.
    """

    families: frozenset[Family]
    element: Linear | None

    def __str__(self) -> str:
        places = sorted((f.object, -1 if f.offset is None else f.offset) for f in self.families)
        names = ", ".join(f"obj{o}" + ("" if offset < 0 else f".{offset}") for o, offset in places)
        return f"{{{names}}} of {self.element if self.element is not None else 'any element'}"


@dataclass(frozen=True, slots=True)
class Tie:
    """Members of these families may be linked to one another: of one element only, or of any.

    `in_element`: roots in the same element of one object lead to the same nodes (a queue's head and tail).
    """

    families: frozenset[Family]
    in_element: bool


@dataclass(frozen=True, slots=True)
class Regions:
    """What the regions of a program are: which objects are nodes, and which families are tied together."""

    nodes: frozenset[ObjectId] = frozenset()
    ties: tuple[Tie, ...] = ()


NO_NODE = Region(frozenset(), None)
NO_REGIONS = Regions()


def sorted_ties(ties: Iterable[Tie]) -> tuple[Tie, ...]:
    """Without those that follow from others, in a fixed order."""
    wide = {tie.families for tie in ties if not tie.in_element}
    kept = {tie for tie in ties if not tie.in_element or tie.families not in wide}
    return tuple(sorted(kept, key=lambda tie: (str(Region(tie.families, None)), tie.in_element)))
