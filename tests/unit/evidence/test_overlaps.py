"""Whether two accesses that share a byte begin at the same one: from their addresses, or from their targets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import READ, WORKER, concurrent_program

from raceproof.evidence.distances import overlap_means_equal
from raceproof.model import Access, Base, Linear, MemLoc, Moment, ObjectId, Opaque, View, of_atom

TABLE, OTHER = of_atom(Base(ObjectId(1))), of_atom(Base(ObjectId(2)))
I, J, P = (of_atom(Opaque(name)) for name in "ijp")  # noqa: E741  indices
ANYWHERE = MemLoc(ObjectId(1), None, 4)


def doing(address: Linear | None, *targets: MemLoc, size: int | None = 4) -> tuple[Access, View]:
    access = replace(concurrent_program().accesses[READ], targets=targets or (ANYWHERE,), size=size)
    return access, View(WORKER, address, frozenset(), Moment(), False)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # by their addresses
        (doing(TABLE.plus(I, 4)), doing(TABLE.plus(J, 4)), True),
        (doing(TABLE.plus(I, 4)), doing(TABLE.plus(J, 4).shifted(2)), False),
        (doing(TABLE.plus(I, 4)), doing(TABLE.plus(J, 4), size=5), False),
        (doing(TABLE.plus(I, 2)), doing(TABLE.plus(J, 2)), False),
        (doing(TABLE), doing(TABLE), True),
        (doing(TABLE), doing(TABLE.shifted(1)), False),
        (doing(TABLE), doing(OTHER), False),  # nobody knows how far apart they are
        # by their targets
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, MemLoc(ObjectId(1), 8, 4)), True),
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, MemLoc(ObjectId(1), 12, 4)), True),
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, MemLoc(ObjectId(1), 10, 4)), False),
        (doing(P, MemLoc(ObjectId(1), 10, 4)), doing(P, MemLoc(ObjectId(1), 8, 4)), False),
        (doing(P, MemLoc(ObjectId(1), 8, 4, 16)), doing(P, MemLoc(ObjectId(1), 8, 4, 24)), True),
        (doing(P, MemLoc(ObjectId(1), 8, 4, 16)), doing(P, MemLoc(ObjectId(1), 10, 4, 24)), False),
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, MemLoc(ObjectId(1), 10, 4, 8)), False),
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, ANYWHERE), False),
        (doing(P, ANYWHERE), doing(P, MemLoc(ObjectId(1), 8, 4)), False),
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, MemLoc(ObjectId(2), 10, 4)), True),  # they never overlap
        (doing(P, MemLoc(ObjectId(1), 8, 4)), doing(P, MemLoc(ObjectId(2), 10, 4), ANYWHERE), False),
        # with one address
        (doing(None, MemLoc(ObjectId(1), 8, 4)), doing(TABLE, MemLoc(ObjectId(1), 8, 4)), True),
        (doing(TABLE, MemLoc(ObjectId(1), 8, 4)), doing(None, MemLoc(ObjectId(1), 9, 4)), False),
        (doing(None), doing(TABLE), False),
        (doing(None), doing(None), False),
        # blocks of any length
        (doing(TABLE, MemLoc(ObjectId(1), 8, None), size=None), doing(TABLE, MemLoc(ObjectId(1), 8, 4)), False),
        (doing(TABLE, MemLoc(ObjectId(1), 8, 4)), doing(TABLE, MemLoc(ObjectId(1), 8, None), size=None), False),
        (doing(TABLE, size=None), doing(TABLE, size=None), False),
    ],
)
def test_accesses_that_overlap_are_at_one_place(a: tuple[Access, View], b: tuple[Access, View], expected: bool) -> None:
    assert overlap_means_equal(a, b) is expected
