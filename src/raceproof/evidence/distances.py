"""How far apart two addresses can be: all distances are listed that matter, and looked at one by one.

A distance is the first address less the second. `apart + m * step`, for every whole m, are the distances of
two addresses that agree but for multiples of `step`; with step 0 there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from raceproof.model import Access, Linear, MemLoc, View, is_absolute

FAR_STEP = 1 << 24
"""Of elements with a larger step a few multiples go once around the address space, and meet again."""
FAR = 1 << 31


@dataclass(frozen=True, slots=True)
class Distances:
    """apart + m * step for all m; for all but 0 if `not_same`."""

    apart: int
    step: int
    not_same: bool = False

    @property
    def may_wrap(self) -> bool:
        """What is so far apart may be the same place, once around the address space."""
        return abs(self.apart) > FAR or (self.not_same and abs(self.step) > FAR_STEP)

    def overlapping(self, size_a: int, size_b: int) -> list[int]:
        """Those at which blocks of these sizes share a byte."""
        return [d for d in self._near(size_a + size_b) if -size_a < d < size_b]

    def _near(self, reach: int) -> Iterator[int]:
        """All that are not further from 0 than `reach`."""
        if self.step == 0:
            if not self.not_same:
                yield self.apart
            return
        step = abs(self.step)
        middle = -self.apart // step
        around = reach // step + 2
        for m in range(middle - around, middle + around + 1):
            if m != 0 or not self.not_same:
                yield self.apart + m * step


def of_addresses(a: Linear, b: Linear) -> Distances | None:
    """Of two threads' addresses, whatever the values are that only one of them knows; None if nothing is known."""
    shared = _shared(a).plus(_shared(b), -1)
    if not shared.is_constant:
        return None
    return Distances(shared.constant, gcd(*(factor for _, factor in (*_own(a), *_own(b)))))


def overlap_means_equal(a: tuple[Access, View], b: tuple[Access, View]) -> bool:
    """If the two share a byte, then they begin at the same one: seen from their addresses, or from their targets."""
    (access_a, view_a), (access_b, view_b) = a, b
    if access_a.size is None or access_b.size is None:
        return False
    size_a, size_b = access_a.size, access_b.size
    if view_a.address is not None and view_b.address is not None:
        distances = of_addresses(view_a.address, view_b.address)
        if distances is not None and not any(distances.overlapping(size_a, size_b)):
            return True
    return all(
        _same_place(x, y, size_a, size_b) for x in access_a.targets for y in access_b.targets if x.object == y.object
    )


def _same_place(x: MemLoc, y: MemLoc, size_x: int, size_y: int) -> bool:
    if x.offset is None or y.offset is None:
        return False
    distances = Distances(x.offset - y.offset, gcd(x.stride or 0, y.stride or 0))
    return not any(distances.overlapping(size_x, size_y))  # any: one that is not 0


def _shared(address: Linear) -> Linear:
    return Linear(address.constant, tuple((atom, k) for atom, k in address.terms if is_absolute(atom)))


def _own(address: Linear) -> list[tuple[object, int]]:
    return [(atom, k) for atom, k in address.terms if not is_absolute(atom)]
