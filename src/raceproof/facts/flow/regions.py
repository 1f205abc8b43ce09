"""What instructions do to regions: which region a pointer's node is in, and which regions a store ties together.

A pointer that is loaded from a root, or from a member, points to a member: every store is looked at. What is stored
must be in the region of the place, or loose: then its whole group joins that region. Otherwise the two regions are tied
(`Tie`). Where one of the two is not known, all regions are that the nodes in question may belong to. By induction over
the steps of an execution, whatever other threads do, every member is linked to members of its own region only, but for
regions that are tied. Locks have no part in this: a member stays one.

Follows [SV09] in that what is linked is united, for good, and that what is new belongs to nobody.
Differs: it is part of the flow, so that regions are those of elements too, by symbolic index, and that new nodes are
followed through calls; where regions are united it is for the whole program, not for what comes after.

Only stores by the program's own instructions are understood. Atomic exchanges, copies of memory and unknown functions
tie whatever they may have linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from raceproof.facts.flow.membership import Loose, Member, meet, move_group
from raceproof.facts.flow.state import State
from raceproof.facts.flow.world import TargetedTouch
from raceproof.facts.library.effects import Effect, Returns, Sync
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import Call, CompareExchange, IntType, Load, Operand, PtrType, Reg, Rmw, Select, Store
from raceproof.model import (
    NO_NODE,
    Atom,
    Derived,
    Family,
    Linear,
    MemLoc,
    ObjectId,
    Opaque,
    Region,
    Tie,
    of_atom,
)

if TYPE_CHECKING:
    from raceproof.facts.flow.region_roots import RegionRoots
    from raceproof.facts.flow.walker import Walker


def cell(pointer: Atom) -> Derived:
    """The name under which it is known in which region the place is that the pointer points to, root or node."""
    return Derived("cell", (of_atom(pointer),))


def member_of(w: Walker, roots: RegionRoots, operand: Operand, state: State) -> Member | None:
    """What is known of the node that the operand points to."""
    if not roots.may_be_node(w.function.name, operand):
        return NO_NODE
    return _member_at(w, w.value(operand, state), state)


def _member_at(w: Walker, address: Linear, state: State) -> Member | None:
    """An address in an object is made of one pointer into it, and of numbers."""
    if address.is_constant:
        return NO_NODE
    found: Member | None = None
    for atom, factor in address.terms:
        if factor == 1 and found is None and atom in state.regions:
            found = state.regions[atom]
        elif factor in (1, -1) and not _is_number(w, atom):
            return None
    return found


def _is_number(w: Walker, atom: Atom) -> bool:
    """A register of this function that holds no pointer."""
    prefix = f"{w.function.name}:%"
    if not isinstance(atom, Opaque) or not atom.key.startswith(prefix):
        return False
    return not w.world.points_to.targets(w.function.name, Reg(atom.key.removeprefix(prefix)))


def _place(
    w: Walker, roots: RegionRoots, address: Linear, places: Sequence[MemLoc], state: State, reads: bool
) -> Member | None:
    """The region that the places at `address` belong to, those that may hold pointers to nodes.

    What is read in places that are neither roots nor in nodes can be anything.
    """
    match address:
        case Linear(constant=0, terms=((atom, 1),)) if cell(atom) in state.regions:
            return state.regions[cell(atom)]
    objects = w.objects_at(frozenset(p.object for p in places), address, state)
    member: Member = NO_NODE
    starts: set[int | None] = set()
    families: set[Family] = set()
    for place in roots.holding(places):
        if place.object not in objects:
            continue
        if place.object in roots.roots:
            family, start = roots.family(place)
            families.add(family)
            starts.add(start)
        elif place.object in roots.nodes:
            found = _member_at(w, address, state)
            if found is None:
                return None
            member = found
        elif reads:
            return None
    if not families:
        return member
    start = starts.pop() if len(starts) == 1 else None
    root = Region(frozenset(families), address.shifted(-start) if start is not None else None)
    return meet(root, member)


def _set(w: Walker, register: str, member: Member | None, state: State) -> None:
    if member is None:
        state.regions.pop(w.evaluator.opaque_name(register), None)
    else:
        state.regions[w.evaluator.opaque(register)] = member


# -- pointers ---------------------------------------------------------------------------------------


def load(w: Walker, instr: Load, state: State) -> Member | None:
    """What will be known of the pointer that is loaded; before the load, in whose terms it is told."""
    roots = w.flow.region_roots
    if roots is None or not roots.may_be_node(w.function.name, instr.result):
        return None
    if not isinstance(instr.type, PtrType):
        return None  # a number that may be a pointer
    (touch,) = w.world.touches(w.function, instr)
    return _place(w, roots, w.value(instr.address, state), touch.targets, state, reads=True)


def loaded(w: Walker, instr: Load, member: Member | None, state: State) -> None:
    """After the load: the register has the pointer, and so has what it is known to be equal to."""
    if member is None:
        return
    _set(w, instr.result.name, member, state)
    match w.value(instr.result, state):
        case Linear(constant=0, terms=((atom, 1),)):
            known = state.regions.get(atom)
            if known is None or (isinstance(known, Region) and known.element is None):
                state.regions[atom] = member


def incoming(
    w: Walker, operand: Operand, function: str, register: str, state: State
) -> tuple[Member | None, Member | None]:
    """Of a pointer that a register of `function` gets, by a phi or as a parameter: the region of the node that it
    points to, and that of the place, root or in a node, that it points to."""
    roots = w.flow.region_roots
    if roots is None:
        return None, None
    pointing = roots.may_be_node(function, Reg(register))
    member = member_of(w, roots, operand, state) if pointing else None
    if not roots.may_be_root(function, Reg(register)):
        return member, None
    places = roots.pointers_at(w.function.name, operand)
    return member, _place(w, roots, w.value(operand, state), places, state, reads=True)


def arrive(
    w: Walker, register: str, members: tuple[Member | None, Member | None], changed: Iterable[Atom], state: State
) -> None:
    """The register has its value now; elements in terms of `changed` registers have no name any more."""
    if w.flow.region_roots is None:
        return
    lost = set(changed)
    member, place = (_without(m, lost) for m in members)
    _set(w, register, member, state)
    name = cell(w.evaluator.opaque_name(register))
    if place is None:
        state.regions.pop(name, None)
    else:
        w.evaluator.opaque(register)  # to be forgotten with the register
        state.regions[name] = place


def _without(member: Member | None, lost: set[Atom]) -> Member | None:
    if isinstance(member, Region) and member.element is not None and not lost.isdisjoint(member.element.leaves()):
        return Region(member.families, None)
    return member


def select(w: Walker, instr: Select, state: State) -> None:
    roots = w.flow.region_roots
    if roots is None or not roots.may_be_node(w.function.name, instr.result):
        return
    first, second = (member_of(w, roots, operand, state) for operand in (instr.if_true, instr.if_false))
    if isinstance(first, Loose) and isinstance(second, Loose):
        move_group(state.regions, second.group, first)
        second = first
    _set(w, instr.result.name, meet(first, second) if first is not None and second is not None else None, state)


def allocated(w: Walker, instr: Call, effect: Effect, atom: Atom, state: State) -> None:
    """A new object, linked to nothing."""
    roots = w.flow.region_roots
    may_link = effect.copies_to_result or effect.or_arg is not None or effect.mixes
    if roots is None or effect.returns is not Returns.FRESH or may_link:
        return
    if roots.nodes.intersection(w.world.points_to.object_of_site(instr.id)):
        state.regions[atom] = Loose(atom)


def of_access(w: Walker, touch: TargetedTouch, address: Linear | None, state: State) -> Region | None:
    """The region of what an access touches: all of that is in nodes, or roots of the region."""
    roots = w.flow.region_roots
    if roots is None or address is None or not touch.objects & (roots.nodes | roots.roots):
        return None
    objects = w.objects_at(touch.objects, address, state)
    if objects <= roots.nodes:
        member = _member_at(w, address, state)
    elif all(_may_hold_node(w, roots, p) for p in touch.targets if p.object in objects):
        member = _place(w, roots, address, touch.targets, state, reads=True)  # passes over all other places
    else:
        return None
    return member if isinstance(member, Region) and member.families else None


def _may_hold_node(w: Walker, roots: RegionRoots, place: MemLoc) -> bool:
    """The place is a root, or one in a node in which there may be a pointer to another."""
    is_whole = place.size == w.world.program.pointer_size
    return (place.object in roots.nodes or (place.object in roots.roots and is_whole)) and bool(roots.held_in(place))


# -- links ------------------------------------------------------------------------------------------


def store(w: Walker, instr: Store, state: State) -> None:
    """A pointer is stored: what it points to becomes, or is, a member of the region of the place."""
    roots = w.flow.region_roots
    if roots is None:
        return
    (touch,) = w.world.touches(w.function, instr)
    places = _trusted(roots, touch)
    if not places:
        return
    if not isinstance(instr.type, IntType | PtrType) or instr.type.size > w.world.program.pointer_size:
        _tie_all(w, roots, *(roots.held_in(place) for place in places))
        return
    nodes = roots.may_be_node(w.function.name, instr.value)
    if not nodes or instr.type.size < w.world.program.pointer_size:
        return
    value = member_of(w, roots, instr.value, state)
    if value == NO_NODE:
        return
    container = _place(w, roots, w.value(instr.address, state), touch.targets, state, reads=False)
    if container == NO_NODE:
        return  # neither a root nor in a node
    if value is None or container is None:
        _tie_all(w, roots, nodes, *(roots.held_in(place) for place in places))
        for member in (value, container):
            if isinstance(member, Loose):
                move_group(state.regions, member.group, None)
    else:
        _link(w, container, value, state)


def _trusted(roots: RegionRoots, touch: TargetedTouch) -> list[MemLoc]:
    """Roots and places in nodes that may hold pointers to nodes, of those that the access may be to."""
    return [p for p in roots.holding(touch.targets) if p.object in roots.nodes or p.object in roots.roots]


def _link(w: Walker, container: Member, value: Member, state: State) -> None:
    match container, value:
        case Loose(group=group), _:
            move_group(state.regions, group, value)
        case _, Loose(group=group):
            move_group(state.regions, group, container)
        case Region(), Region():
            families = container.families | value.families
            in_element = container.element is not None and container.element == value.element
            # Of several families each of the two may be in another one, even if both may be in the same ones.
            if w.recording and (not in_element or len(families) > 1):
                w.ties[Tie(families, in_element)] = None


def _tie_all(w: Walker, roots: RegionRoots, *nodes: frozenset[ObjectId]) -> None:
    """The nodes may have been linked in any way: so may all regions that they can belong to."""
    families = roots.families_of(frozenset().union(*nodes))
    if families and w.recording:
        w.ties[Tie(families, False)] = None


def exchange(w: Walker, instr: Rmw | CompareExchange, new: Operand, state: State) -> None:
    """An atomic exchange may have linked what it was given to whatever is there."""
    roots = w.flow.region_roots
    if roots is None:
        return
    nodes = roots.may_be_node(w.function.name, new)
    (touch,) = w.world.touches(w.function, instr)
    places = _trusted(roots, touch) if nodes else []
    if places:
        _tie_all(w, roots, nodes, *(roots.held_in(place) for place in places))


def library_call(w: Walker, instr: Call, name: str) -> None:
    """What a function outside the program may have linked, by storing pointers or copying memory."""
    roots = w.flow.region_roots
    if roots is None or name in w.world.program.functions:
        return
    effect, operation = effect_of(name, w.world.program), sync_op(name)
    links = effect is None or effect.stores or effect.fresh_into or effect.copies_to_result or effect.mixes
    stores_pointers = effect is None or links or effect.copies
    if not stores_pointers and (operation is None or operation.kind not in (Sync.JOIN, Sync.CREATE)):
        return
    sources = [source for _, source in effect.copies] if effect is not None and not links else []
    if sources and not any(_may_copy_nodes(w, roots, instr, source) for source in sources):
        return
    written = [p for t in w.world.touches(w.function, instr) if t.touch.kind.writes for p in _trusted(roots, t)]
    if effect is not None:
        for argument in (*(to for _, to in effect.stores), *effect.fresh_into):
            if 0 <= argument < len(instr.args):
                written += roots.pointers_at(w.function.name, instr.args[argument])
        if effect.copies_to_result or effect.given:
            written += [MemLoc(made, None, None) for made in w.world.points_to.object_of_site(instr.id)]
    trusted = roots.nodes | roots.roots
    _tie_all(w, roots, *(roots.held_in(place) for place in written if place.object in trusted))


def _may_copy_nodes(w: Walker, roots: RegionRoots, instr: Call, source: int) -> bool:
    """Pointers to nodes may be stored behind the argument; or it is memory of the library's own."""
    if not 0 <= source < len(instr.args):
        return True
    targets = w.world.points_to.targets(w.function.name, instr.args[source])
    return any(roots.held_in(MemLoc(target.object, None, None)) for target in targets)
