"""Which objects are nodes of structures on the heap, and from which roots they are found: what regions are made of.

Any choice of nodes is sound; this one is meant to put the lists' and trees' items among the nodes, and what the lists
hang on, with its locks, among the roots. A node is an object on the heap that roots lead to, and of which there may be
several, or that is linked with others like it. An object with a lock is a root unless it is linked like that.

Roots are the places in global variables and in the other objects on the heap that may hold a pointer to a node. What
is found in other places (local variables, thread-local ones, the outside world) is nobody's member.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import gcd

from raceproof.core import strongly_connected
from raceproof.facts.flow.world import World
from raceproof.ir import CompareExchange, Load, Operand, Rmw, Store
from raceproof.model import Family, MemLoc, ObjectId, ObjectKind, Tie


@dataclass
class RegionRoots:
    """Nodes, and the families of roots. `strides`: how far elements of an array of roots are apart, 0 if it is none;
    objects in `blurred` have roots whose places are not known. `families`: for each node, those of all nodes that may
    be linked with it, directly or not."""

    world: World
    nodes: frozenset[ObjectId]
    roots: frozenset[ObjectId]
    strides: Mapping[ObjectId, int]
    blurred: frozenset[ObjectId]
    families: Mapping[ObjectId, frozenset[Family]]
    _pointing: dict[tuple[str, Operand], frozenset[ObjectId]] = field(default_factory=dict)
    _held: dict[MemLoc, frozenset[ObjectId]] = field(default_factory=dict)
    _holding: dict[int, tuple[Sequence[MemLoc], list[MemLoc]]] = field(default_factory=dict)  # by identity
    _pointers: dict[tuple[str, Operand], list[MemLoc]] = field(default_factory=dict)
    _leading: dict[tuple[str, Operand], bool] = field(default_factory=dict)

    def may_be_node(self, function: str, operand: Operand) -> frozenset[ObjectId]:
        """The nodes that the operand may point to."""
        key = (function, operand)
        if key not in self._pointing:
            found = self.world.points_to.targets(function, operand)
            self._pointing[key] = frozenset(t.object for t in found) & self.nodes
        return self._pointing[key]

    def held_in(self, place: MemLoc) -> frozenset[ObjectId]:
        """The nodes that pointers in the place may point to."""
        if place not in self._held:
            self._held[place] = frozenset(p.object for p in self.world.points_to.contents(place)) & self.nodes
        return self._held[place]

    def holding(self, places: Sequence[MemLoc]) -> list[MemLoc]:
        """Those of the places in which there may be pointers to nodes."""
        known = self._holding.get(id(places))
        if known is None or known[0] is not places:
            known = self._holding[id(places)] = places, [place for place in places if self.held_in(place)]
        return known[1]

    def may_be_root(self, function: str, operand: Operand) -> bool:
        """The operand may be the address of a root."""
        key = (function, operand)
        if key not in self._leading:
            found = self.pointers_at(function, operand)
            self._leading[key] = any(t.object in self.roots and self.held_in(t) for t in found)
        return self._leading[key]

    def pointers_at(self, function: str, operand: Operand) -> list[MemLoc]:
        """The pointers that the operand may be the address of."""
        key = (function, operand)
        if key not in self._pointers:
            size = self.world.program.pointer_size
            targets = self.world.points_to.targets(function, operand)
            self._pointers[key] = [MemLoc(t.object, t.offset, size, t.stride, t.count) for t in targets]
        return self._pointers[key]

    def family(self, place: MemLoc) -> tuple[Family, int | None]:
        """The family of a root, and how far it is from the start of its element."""
        if place.object in self.blurred or place.offset is None:
            return Family(place.object, None), None
        stride = self.strides.get(place.object, 0)
        offset = place.offset % stride if stride else place.offset
        return Family(place.object, offset), offset

    def families_of(self, nodes: Iterable[ObjectId]) -> frozenset[Family]:
        """All regions that one of the nodes may be a member of."""
        return frozenset().union(*(self.families.get(node, frozenset()) for node in nodes))


def region_roots(world: World) -> RegionRoots | None:
    """None where there is nothing to tell apart."""
    if world.uses_setjmp:  # a second return would bring back what was known before
        return None
    candidates = _candidates(world)
    if not candidates:
        return None
    roots = frozenset(
        identity
        for identity, target in world.points_to.objects.items()
        if target.kind is ObjectKind.GLOBAL
        or (target.kind is ObjectKind.HEAP and identity in world.may_escape and identity not in candidates)
    )
    everything = RegionRoots(world, candidates, roots, {}, frozenset(), {})
    groups = _root_places(everything)
    strides, blurred = _layout(groups, world.program.pointer_size)
    named = RegionRoots(world, candidates, roots, strides, blurred, {})
    families = _families(named, {place for group in groups for place in group})
    if not _are_several(named, frozenset().union(*families.values())):
        return None
    return RegionRoots(world, frozenset(families), roots, strides, blurred, families)


def _candidates(world: World) -> frozenset[ObjectId]:
    objects = world.points_to.objects
    heap = sorted(o for o in world.may_escape if objects[o].kind is ObjectKind.HEAP)
    if not heap:
        return frozenset()
    held = {o: {p.object for p in world.points_to.contents(MemLoc(o, None, None))}.intersection(heap) for o in heap}
    groups = strongly_connected(heap, lambda o: sorted(held[o]))
    linked = {o for group in groups for o in group if len(group) > 1 or o in held[o]}
    types = {objects[o].source_type for o in linked} - {None}
    return frozenset(
        o
        for o in heap
        if o in linked or objects[o].source_type in types or (o not in world.lock_objects and not objects[o].is_single)
    )


def _root_places(roots: RegionRoots) -> list[list[MemLoc]]:
    """The roots that each access of the program may be to, object by object."""
    found: dict[tuple[MemLoc, ...], None] = {}
    for function in roots.world.program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Load | Store | Rmw | CompareExchange):
                for touch in roots.world.touches(function, instr):
                    for target in sorted(touch.objects & roots.roots):
                        places = tuple(p for p in touch.targets if p.object == target and roots.held_in(p))
                        if places:
                            found[places] = None
    return [list(places) for places in found]


def _layout(groups: Iterable[list[MemLoc]], pointer_size: int) -> tuple[dict[ObjectId, int], frozenset[ObjectId]]:
    """How far the elements of each object with roots are apart, and the objects in which that is not to be known."""
    strides: dict[ObjectId, int] = {}
    offsets: dict[ObjectId, set[int]] = {}
    blurred: set[ObjectId] = set()
    for places in groups:
        target = places[0].object
        known = [place.offset for place in places if place.offset is not None]
        if len(known) < len(places) or any(place.size != pointer_size for place in places):
            blurred.add(target)
            continue
        apart = gcd(*(place.stride or 0 for place in places), *(offset - known[0] for offset in known))
        strides[target] = gcd(strides.get(target, 0), apart)
        offsets.setdefault(target, set()).update(known)
    for target, found in offsets.items():
        stride = strides[target]
        places_in = sorted({offset % stride for offset in found} if stride else found)
        if stride:
            places_in.append(places_in[0] + stride)
        if any(after - before < pointer_size for before, after in pairwise(places_in)):
            blurred.add(target)  # they overlap: pointers are not stored whole, or not only pointers
    return strides, frozenset(blurred)


def _families(roots: RegionRoots, places: Iterable[MemLoc]) -> dict[ObjectId, frozenset[Family]]:
    """For each node that roots lead to: the families from which nodes are found that may be linked with it."""
    component = {node: node for node in roots.nodes}

    def find(node: ObjectId) -> ObjectId:
        while component[node] != node:
            node = component[node]
        return node

    for node in sorted(roots.nodes):
        for other in sorted(roots.held_in(MemLoc(node, None, None))):
            component[find(other)] = find(node)
    found: dict[ObjectId, set[Family]] = {}
    for place in places:
        for node in roots.held_in(place):
            found.setdefault(find(node), set()).add(roots.family(place)[0])
    return {node: frozenset(found[find(node)]) for node in roots.nodes if find(node) in found}


def _are_several(roots: RegionRoots, families: frozenset[Family]) -> bool:
    """There is more than one region."""
    objects = roots.world.points_to.objects
    return len(families) > 1 or any(
        f.offset is not None and (roots.strides.get(f.object, 0) > 0 or not objects[f.object].is_single)
        for f in families
    )


def unseen_ties(roots: RegionRoots, entered: Collection[str]) -> list[Tie]:
    """What functions may link that the flow has not entered: any regions that their writes are about."""
    trusted = roots.nodes | roots.roots
    ties = []
    for function in roots.world.program.functions.values():
        for instr in function.instructions() if function.name not in entered else ():
            for touch in roots.world.touches(function, instr):
                places = touch.targets if touch.touch.kind.writes and touch.objects & trusted else ()
                held = frozenset().union(*(roots.held_in(place) for place in places if place.object in trusted))
                if held:
                    ties.append(Tie(roots.families_of(held), False))
    return ties
