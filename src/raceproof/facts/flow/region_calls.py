"""Regions across calls: what a callee is told of the pointers it is given, and what its caller learns from it.

Elements are told in the terms of the other side; one that has no name there becomes *any element*. A loose group that
was passed may have been linked by the callee: what became of it is seen by any of its names there, all of which share
its fate. Of a group that the callee has lost sight of nothing is known any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from raceproof.facts.flow.contexts import Renaming, is_frame_local, rename
from raceproof.facts.flow.membership import RESULT, Loose, Member, move_group, representative, unite
from raceproof.facts.flow.regions import cell, incoming, member_of
from raceproof.facts.flow.state import State
from raceproof.ir import Call, Operand, PtrType
from raceproof.model import NO_NODE, Atom, Linear, Region

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def elements(values: Iterable[Linear], state: State) -> list[Linear]:
    """In what terms the regions are told of pointers that are passed."""
    if not state.regions:
        return []
    atoms = dict.fromkeys(atom for value in values for atom in value.atoms())
    known = (state.regions.get(name) for atom in atoms for name in (atom, cell(atom)))
    return [member.element for member in known if isinstance(member, Region) and member.element is not None]


Told = dict[Atom, dict[Atom, None]]
"""The names under which a callee knows of each loose group of its caller."""


def enter(
    w: Walker, instr: Call, name: str, values: list[Linear], renaming: Mapping[Atom, Linear], state: State, entry: State
) -> Told:
    """Tell the callee of the pointers that it is given, under the names that they have there."""
    told: Told = {}
    if w.flow.region_roots is None:
        return told
    groups: dict[Atom, Atom] = {}

    def tell(new: Atom, member: Member) -> None:
        entry.regions[new] = _translated(member, renaming, groups, new)
        if isinstance(member, Loose):
            told.setdefault(member.group, {})[new] = None

    passed = {atom for value in values for atom in value.atoms()} | renaming.keys()
    for atom, member in state.regions.items():
        if atom in passed and (atom in renaming or not is_frame_local(atom)):
            tell(renaming[atom].terms[0][0] if atom in renaming else atom, member)
    function = w.world.program.functions[name]
    for param, operand, value in zip(function.params, instr.args, values, strict=False):
        if isinstance(param.type, PtrType) and param.by_value is None and w.value(operand, state) == value:
            register = w.flow.parameter_atom(name, param.name)
            node, place = incoming(w, operand, name, param.name, state)
            if node is not None:
                tell(register, node)
            if place is not None:
                tell(cell(register), place)
    return told


def _translated(member: Member, renaming: Renaming, groups: dict[Atom, Atom], name: Atom) -> Member:
    """The member in the other side's terms; a group that has no name there is called after the pointer."""
    match member:
        case Loose(group=group):
            return Loose(groups.setdefault(group, name))
        case Region(element=element) if element is not None:
            return Region(member.families, rename(element, renaming))
        case Region():
            return member


def returns(w: Walker, operand: Operand | None, state: State) -> None:
    """The function ends here: remember what is known of the pointer that it returns."""
    roots = w.flow.region_roots
    if roots is not None and operand is not None and isinstance(w.function.returns, PtrType):
        member = member_of(w, roots, operand, state)
        if member is not None:
            state.regions[RESULT] = member


def come_back(w: Walker, instr: Call, inner: State, told: Told, back: Mapping[Atom, Linear], state: State) -> None:
    """What became of loose groups, and what is known of the result."""
    if w.flow.region_roots is None:
        return
    owners: dict[Atom, Atom] = {}  # of the callee's groups: a group of the caller's
    united: dict[Atom, Atom] = {}
    for group, names in told.items():
        for name in names:
            fate = inner.regions.get(name)
            if isinstance(fate, Loose):
                unite(united, owners.setdefault(fate.group, group), group)
    for atom, member in state.regions.items():
        if isinstance(member, Loose):
            state.regions[atom] = Loose(representative(united, member.group))
    fates: dict[Atom, set[Member | None]] = {}
    for group, names in told.items():
        found = (inner.regions.get(name) for name in names)
        fates.setdefault(representative(united, group), set()).update(
            None if isinstance(fate, Region) and fate == NO_NODE else fate for fate in found
        )
    for group, ends in fates.items():
        if not all(isinstance(end, Loose) for end in ends):
            end = ends.pop() if len(ends) == 1 else None
            move_group(state.regions, group, _known_here(w, instr, end, back) if isinstance(end, Region) else None)
    result = inner.regions.get(RESULT)
    if result is not None and instr.result is not None:
        atom = w.evaluator.opaque(instr.result.name)
        if isinstance(result, Loose):
            state.regions[atom] = Loose(representative(united, owners.get(result.group, atom)))
        else:
            state.regions[atom] = _known_here(w, instr, result, back)


def _known_here(w: Walker, instr: Call, region: Region, back: Mapping[Atom, Linear]) -> Region:
    """A region in the caller's terms; the result has just got its value, what was known by its name is gone."""
    element = rename(region.element, back) if region.element is not None else None
    if (
        element is not None
        and instr.result is not None
        and w.evaluator.opaque_name(instr.result.name) in element.leaves()
    ):
        element = None
    if element is not None and w.flow.is_stale(w, instr.id, element):
        element = None
    return Region(region.families, element)
