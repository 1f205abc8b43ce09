"""A common lock: both hold it whenever they touch the same bytes, and not both as readers.

Two locks are one in four plain cases: they have the same address, which is the same number in every thread; or each
lies at the same distance from the data, so that equal data has equal locks (`p->lock` and `p->data`); or the address
of the data tells that of the lock by the same line (`data[i]` and `locks[i]`, `data[7 - j]` and `locks[7 - j]`); or the
same index tells the data and the lock (`data[i]` and `locks[i % 8]`), so that equal data has equal indices.
"""

from __future__ import annotations

from raceproof.evidence.claims import Ruling, accepted, not_checked, rejected
from raceproof.evidence.distances import FAR_STEP, overlap_means_equal
from raceproof.facts import describe_lock
from raceproof.model import (
    Access,
    Base,
    ConcurrentProgram,
    Derived,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    Opaque,
    Stable,
    View,
    is_absolute,
)

_ALWAYS_EXCLUDE = (LockKind.MUTEX, LockKind.ATOMIC_SECTION)


def check_common_lock(
    cp: ConcurrentProgram, name: str, first: tuple[Access, View], second: tuple[Access, View]
) -> Ruling:
    """`name` is the lock that the report names."""
    candidates = [
        (held_1, held_2)
        for held_1 in first[1].held
        for held_2 in second[1].held
        if name in (describe_lock(cp, held_1.address), describe_lock(cp, held_2.address))
        and _exclude_each_other(cp, held_1, held_2)
    ]
    if not candidates:
        return rejected("the two do not both hold it, or not so that it excludes")
    for held_1, held_2 in candidates:
        if held_1.address == held_2.address and is_one_place(cp, held_1.address):
            return accepted("both hold the lock at one address")
        if _at_same_distance(held_1, first, held_2, second):
            return accepted("each holds the lock at the same distance from the data")
        if _on_one_line(held_1, first, held_2, second) or _on_one_line(held_2, second, held_1, first):
            return accepted("each holds the lock that the address of the data tells")
        if _of_same_index(held_1, first, held_2, second):
            return accepted("each holds the lock that belongs to the index of the data")
    if all(is_one_place(cp, held.address) for pair in candidates for held in pair):
        return rejected("the locks of the two have different addresses")
    return not_checked("whether the locks are one depends on how the threads compute their addresses")


def _exclude_each_other(cp: ConcurrentProgram, a: HeldLock, b: HeldLock) -> bool:
    if a.kind is not b.kind or (a.mode is LockMode.SHARED and b.mode is LockMode.SHARED):
        return False
    return a.kind in _ALWAYS_EXCLUDE or (a.address in cp.exclusive and b.address in cp.exclusive)


def is_one_place(cp: ConcurrentProgram, address: Linear) -> bool:
    """The address is the same number in every thread: made of objects that exist once, and of what never changes."""
    for atom in address.atoms():
        match atom:
            case Base(object=number):
                if number not in cp.objects or not cp.objects[number].is_single:
                    return False
            case Stable(location=location):
                if not is_one_place(cp, location):
                    return False
            case Derived(args=args):
                if not all(is_one_place(cp, arg) for arg in args):
                    return False
            case _:
                return False
    return True


def _at_same_distance(
    held_1: HeldLock, first: tuple[Access, View], held_2: HeldLock, second: tuple[Access, View]
) -> bool:
    address_1, address_2 = first[1].address, second[1].address
    if address_1 is None or address_2 is None:
        return False
    from_1 = address_1.plus(held_1.address, -1)
    from_2 = address_2.plus(held_2.address, -1)
    return from_1 == from_2 and from_1.is_constant and overlap_means_equal(first, second)


def _on_one_line(held_1: HeldLock, first: tuple[Access, View], held_2: HeldLock, second: tuple[Access, View]) -> bool:
    """The lock moves by `run` when the data moves by `rise`, in both; and both have a point of that line in common."""
    address_1, address_2 = first[1].address, second[1].address
    if address_1 is None or address_2 is None or not overlap_means_equal(first, second):
        return False
    for atom, rise in address_1.terms:
        run = dict(held_1.address.terms).get(atom, 0)
        if run == 0 or abs(rise) > FAR_STEP:
            continue
        line_1 = held_1.address.scaled(rise).plus(address_1.scaled(run), -1)
        line_2 = held_2.address.scaled(rise).plus(address_2.scaled(run), -1)
        if line_1 == line_2 and all(map(is_absolute, line_1.atoms())):
            return True
    return False


def _of_same_index(held_1: HeldLock, first: tuple[Access, View], held_2: HeldLock, second: tuple[Access, View]) -> bool:
    """Data and lock are the same expressions of x here and of y there, and the data's is a multiple and no more."""
    address_1, address_2 = first[1].address, second[1].address
    if address_1 is None or address_2 is None:
        return False
    own_1 = [(atom, factor) for atom, factor in address_1.terms if not is_absolute(atom)]
    own_2 = [(atom, factor) for atom, factor in address_2.terms if not is_absolute(atom)]
    if len(own_1) != 1 or len(own_2) != 1 or abs(own_1[0][1]) > FAR_STEP:
        return False
    [(x, _)], [(y, _)] = own_1, own_2
    any_value = Opaque("<any value>")
    address_1, address_2 = address_1.replaced(x, any_value), address_2.replaced(y, any_value)
    lock_1, lock_2 = held_1.address.replaced(x, any_value), held_2.address.replaced(y, any_value)
    only_x = all(is_absolute(a) or isinstance(a, Derived) or a == any_value for a in lock_1.leaves())
    return only_x and address_1 == address_2 and lock_1 == lock_2 and overlap_means_equal(first, second)
