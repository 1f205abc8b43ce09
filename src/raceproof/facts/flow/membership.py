"""What a state knows of regions: for pointers, by name, which region the node that they point to is a member of.

A pointer has a `Region`, or it is `Loose`: its node was never linked to a root, and only this thread can do so. Nodes
of one group are, or may be, linked to one another. Nothing is known of a pointer without an entry.

To take two loose groups for one is always right: nobody could tell if they were linked. So groups may share a name by
accident, and where paths meet they are united.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

from raceproof.model import NO_NODE, Atom, Derived, Linear, Opaque, Region, of_atom

RESULT = Opaque("<result>")
"""In a state at the end of a function: the pointer that it returns."""


@final
@dataclass(frozen=True, slots=True)
class Loose:
    """Linked to no root so far; `group` is the name of one of those that it is linked with."""

    group: Atom


Member = Region | Loose
Members = dict[Atom, Member]


def join_members(a: Mapping[Atom, Member], b: Mapping[Atom, Member]) -> Members:
    """What both say of each pointer."""
    if not a or not b:
        return {}
    a, b = _linked_as(a, b), _linked_as(b, a)
    result: Members = {}
    united: dict[Atom, Atom] = {}
    for atom, first in a.items():
        second = b.get(atom)
        if second is None:
            continue
        if isinstance(first, Loose) and isinstance(second, Loose):
            unite(united, first.group, second.group)
            result[atom] = first
        else:
            met = meet(first, second)
            if met is not None:
                result[atom] = met
    if united:
        for atom, member in result.items():
            if isinstance(member, Loose):
                result[atom] = Loose(representative(united, member.group))
    return result


def _linked_as(members: Mapping[Atom, Member], others: Mapping[Atom, Member]) -> Mapping[Atom, Member]:
    """Let loose groups be in the regions that their pointers have on the other path: nobody could tell.

    Only if the element has a meaning on this path as well.
    """
    moves: dict[Atom, Region | None] = {}
    for atom, member in members.items():
        other = others.get(atom)
        if isinstance(member, Loose) and isinstance(other, Region) and other.families:
            is_new = member.group not in moves
            fits = other.element is None or all(map(_is_known_on_all_paths, other.element.leaves()))
            moves[member.group] = other if fits and (is_new or moves[member.group] == other) else None
    if not any(moves.values()):
        return members
    return {
        atom: (moves.get(member.group) or member) if isinstance(member, Loose) else member
        for atom, member in members.items()
    }


def _is_known_on_all_paths(atom: Atom) -> bool:
    """Not a register, which only some paths may have set."""
    return isinstance(atom, Derived) or not (isinstance(atom, Opaque) and ":%" in atom.key)


def meet(first: Member, second: Member) -> Member | None:
    """What holds of a pointer that is one or the other; None for two loose groups and for what cannot be said."""
    if first == second or second == NO_NODE:
        return first
    if first == NO_NODE:
        return second
    if isinstance(first, Region) and isinstance(second, Region):
        element = first.element if first.element == second.element else None
        return Region(first.families | second.families, element)
    return None


def unite(united: dict[Atom, Atom], first: Atom, second: Atom) -> None:
    first, second = representative(united, first), representative(united, second)
    if first != second:
        kept, lost = sorted((first, second), key=str)
        united[lost] = kept


def representative(united: Mapping[Atom, Atom], group: Atom) -> Atom:
    while group in united:
        group = united[group]
    return group


def move_group(members: Members, group: Atom, member: Member | None) -> None:
    """All of a loose group become something else; None: nothing is known of them any more."""
    for atom in [a for a, known in members.items() if known == Loose(group)]:
        if member is None:
            del members[atom]
        else:
            members[atom] = member


def drop_stale(members: Members, stale: Callable[[Linear], bool]) -> None:
    """Forget pointers that have stale names, and elements that are told in stale terms: the members stay members."""
    for atom, member in list(members.items()):
        if stale(of_atom(atom)):
            del members[atom]
        elif isinstance(member, Region) and member.element is not None and stale(member.element):
            members[atom] = Region(member.families, None)
