"""Two accesses to nodes on the heap: in different structures, or under the lock of the one that both are in.

A node is a member of one region for ever (`facts.flow.regions`), so that two accesses to the same node were both found
from one class of roots, where all that are tied count as one; and, unless elements are tied as well, from the same
element. What holds of two accesses to the same bytes then holds of the two elements: either they are never the same, or
the lock that belongs to one is the lock that belongs to the other (`addresses`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from raceproof.lockset.addresses import common_lock, why_disjoint
from raceproof.model import Access, ConcurrentProgram, Family, Linear, ObjectId, Region, Regions, View


@dataclass(frozen=True, slots=True)
class _Classes:
    """`of` has the families that are tied to others; `mixed`: classes in which elements are tied to others."""

    of: Mapping[Family, Family]
    mixed: frozenset[Family]

    def all_of(self, region: Region) -> frozenset[Family]:
        return frozenset(self.of.get(family, family) for family in region.families)


def why_regions(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    """A reason why the two do not meet in one node unlocked, or None."""
    region_a, region_b = view_a.region, view_b.region
    if region_a is None or region_b is None or not _are_covered(cp, a, view_a, b, view_b):
        return None
    classes = _classes(cp.regions)
    common = classes.all_of(region_a) & classes.all_of(region_b)
    if not common:
        return "apart"
    if common & classes.mixed or region_a.element is None or region_b.element is None:
        return None
    found_a, found_b = _at(a, view_a, region_a.element), _at(b, view_b, region_b.element)
    lock = common_lock(cp, *found_a, *found_b)
    if lock is not None:
        return f"under {lock}"
    apart = why_disjoint(cp, *found_a, *found_b)
    return f"of {apart}" if apart is not None else None


def _are_covered(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> bool:
    """The two can meet only in nodes, and in the roots themselves."""
    known = set(cp.regions.nodes)
    for view in (view_a, view_b):
        known |= {family.object for family in view.region.families} if view.region is not None else set()
    return _objects(a, view_a) & _objects(b, view_b) <= known


def _objects(access: Access, view: View) -> frozenset[ObjectId]:
    return view.objects if view.objects is not None else frozenset(target.object for target in access.targets)


def _at(access: Access, view: View, element: Linear) -> tuple[Access, View]:
    """As if the first byte of the element was touched: elements that overlap are one."""
    return replace(access, size=1, targets=()), replace(view, address=element, objects=None)


@lru_cache(maxsize=8)
def _classes(regions: Regions) -> _Classes:
    parent: dict[Family, Family] = {}

    def find(family: Family) -> Family:
        while family in parent:
            family = parent[family]
        return family

    def unite(families: list[Family]) -> None:
        for family in families[1:]:
            first, other = find(families[0]), find(family)
            if first != other:
                parent[other] = first

    for tie in regions.ties:
        families = sorted(tie.families, key=str)
        if tie.in_element:
            for target in sorted({family.object for family in families}):
                unite([family for family in families if family.object == target])
        else:
            unite(families)
    mixed = frozenset(find(family) for tie in regions.ties if not tie.in_element for family in tie.families)
    return _Classes({family: find(family) for tie in regions.ties for family in tie.families}, mixed)
