"""Spin locks in an array: words of one global variable, when it is not known which of them is meant.

    while (atomic_exchange(&locks[i], 1)) ;      cells[i]++;      atomic_store(&locks[i], 0);

Each of them is a lock if all are: zero at first, and from then on only ever taken (0 -> not 0, acquire) and, by its
holder and under the name by which it was taken, cleared (release). Here the flow notes what is done to which element;
`signals` looks at all writes together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raceproof.model import Base, Linear, ObjectId, StartArg

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def array_of(address: Linear) -> ObjectId | None:
    """The variable that the address is in, if it is an element by an index of its own."""
    if address.is_absolute or address.has_difference:
        return None
    bases = [atom.object for atom, factor in address.terms if isinstance(atom, Base) and factor == 1]
    may_point_elsewhere = any(isinstance(atom, StartArg) and factor == 1 for atom, factor in address.terms)
    return bases[0] if len(bases) == 1 and not may_point_elsewhere else None


def is_element(w: Walker, address: Linear) -> bool:
    """It may be a lock: all of the variable is zero before anybody writes it."""
    array = array_of(address)
    return array is not None and w.flow.initial.is_zero(array)
