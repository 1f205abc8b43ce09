"""Regions: the two accesses are to nodes of different structures, or under the lock of the one that both are in.

Which families of roots lead to the same nodes is found by going from one to the next over the ties, until there are no
more. What is left is a claim about two elements, which is that of a common lock or of different places.
"""

from __future__ import annotations

from dataclasses import replace

from raceproof.evidence.claims import Ruling, accepted, rejected
from raceproof.evidence.locks import check_common_lock
from raceproof.evidence.places import check_disjoint
from raceproof.model import Access, ConcurrentProgram, Family, Linear, MemLoc, ObjectId, Region, View

Happening = tuple[Access, View]


def check_region(cp: ConcurrentProgram, detail: str, first: Happening, second: Happening) -> Ruling:
    """`detail` is what the report says after `region`."""
    region_1, region_2 = first[1].region, second[1].region
    if region_1 is None or region_2 is None:
        return rejected("it is not known in which structure one of the two is")
    roots = {family.object for family in region_1.families | region_2.families}
    if not _objects(first) & _objects(second) <= cp.regions.nodes | roots:
        return rejected("the two may meet in an object that belongs to no structure")
    if not _may_be_one(cp, region_1, region_2):
        return accepted("they are in different structures")
    kind, _, name = detail.partition(" ")
    if kind not in ("under", "of"):
        return rejected("they may be in the same structure")
    if region_1.element is None or region_2.element is None or _is_mixed(cp, region_1, region_2):
        return rejected("elements of the structures' roots are not kept apart")
    found_1, found_2 = _at(first, region_1, region_1.element), _at(second, region_2, region_2.element)
    return (check_common_lock if kind == "under" else check_disjoint)(cp, name, found_1, found_2)


def _objects(happening: Happening) -> frozenset[ObjectId]:
    access, view = happening
    return view.objects if view.objects is not None else frozenset(target.object for target in access.targets)


def _at(happening: Happening, region: Region, element: Linear) -> Happening:
    """As if it touched one byte, the first of the element: those of two elements are the same or do not overlap."""
    access, view = happening
    roots = sorted({family.object for family in region.families})
    return (
        replace(access, size=1, targets=tuple(MemLoc(root, 0, 1) for root in roots)),
        replace(view, address=element, objects=None),
    )


def _reached(cp: ConcurrentProgram, start: frozenset[Family]) -> set[Family]:
    """All families that are tied to one of these, and to those, and so on."""
    found = set(start)
    before = -1
    while len(found) != before:
        before = len(found)
        for tie in cp.regions.ties:
            touched = found & tie.families
            objects = {family.object for family in touched}
            found |= {family for family in tie.families if touched and (not tie.in_element or family.object in objects)}
    return found


def _may_be_one(cp: ConcurrentProgram, first: Region, second: Region) -> bool:
    return not _reached(cp, first.families).isdisjoint(second.families)


def _is_mixed(cp: ConcurrentProgram, first: Region, second: Region) -> bool:
    common = _reached(cp, first.families) & _reached(cp, second.families)
    return any(not tie.in_element and common & tie.families for tie in cp.regions.ties)
