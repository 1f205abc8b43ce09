"""Disjoint: the two views never touch the same byte, by the reason that is claimed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raceproof.evidence.claims import Ruling, accepted, not_checked, rejected
from raceproof.evidence.distances import Distances, of_addresses
from raceproof.model import (
    Access,
    Atom,
    Base,
    ConcurrentProgram,
    DistinctArgument,
    GivenNumber,
    Linear,
    ObjectId,
    Self,
    StartArg,
    ThreadId,
    TokenCells,
    View,
    is_absolute,
    of_atom,
)

Happening = tuple[Access, View]
_Check = Callable[[ConcurrentProgram, Happening, Happening], bool]


def check_disjoint(cp: ConcurrentProgram, detail: str, first: Happening, second: Happening) -> Ruling:
    """`detail` is what the report says after `disjoint`."""
    check = _CHECKS.get(detail)
    if check is None:
        return not_checked(f"no checker knows the reason `{detail}`")
    if check(cp, first, second) or check(cp, second, first):
        return accepted(detail)
    if check is _different_objects:
        return rejected("they may touch one object")
    address_1, address_2 = first[1].address, second[1].address
    if address_1 is None or address_2 is None:
        return rejected("nothing is known about one of the addresses")
    if address_1 == address_2 and address_1.is_absolute:
        return rejected("they touch the same bytes")
    return not_checked("the plain checker cannot tell the two addresses apart")


def _different_objects(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    return any(not objects_a & objects_b for objects_a in _may_touch(cp, a) for objects_b in _may_touch(cp, b))


def _may_touch(cp: ConcurrentProgram, happening: Happening) -> list[frozenset[ObjectId]]:
    """Sets of objects, in each of which the access certainly is: by its targets, its context, its address."""
    access, view = happening
    known = [frozenset(target.object for target in access.targets)]
    if view.objects is not None:
        known.append(view.objects)
    if view.address is not None and -1 not in view.address.factors():  # which may be a pointer: the rest is an index
        atoms = [atom for atom, factor in view.address.terms if factor == 1]
        bases = [atom.object for atom in atoms if isinstance(atom, Base)]
        starts = [atom.thread for atom in atoms if isinstance(atom, StartArg)]
        if len(bases) == 1 and not starts:
            known.append(frozenset(bases))
        if len(starts) == 1 and not bases and cp.threads[starts[0]].argument_objects:
            known.append(cp.threads[starts[0]].argument_objects)
    return known


def _apart(a: Happening, b: Happening, distances: Distances | None) -> bool:
    """No distance makes the two share a byte."""
    size_a, size_b = a[0].size, b[0].size
    if distances is None or distances.may_wrap or size_a is None or size_b is None:
        return False
    return not distances.overlapping(size_a, size_b)


def _different_bytes(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    if a[1].address is None or b[1].address is None:
        return False
    return _apart(a, b, of_addresses(a[1].address, b[1].address))


def _own_object(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """Each goes through the argument of its thread, for which every instance got a new object."""
    for _, view in (a, b):
        argument = cp.threads[view.thread].argument
        if view.address is None or not isinstance(argument, DistinctArgument) or not argument.fresh:
            return False
        if (StartArg(view.thread), 1) not in view.address.terms or any(map(is_absolute, view.address.atoms())):
            return False
        if -1 in view.address.factors():
            return False  # the argument may be a part of an index, less another pointer
    return True


def _own_element(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """The same expression of a number that is different in every instance of the one thread."""
    thread, address_a, address_b = a[1].thread, a[1].address, b[1].address
    if b[1].thread != thread or address_a is None or address_b is None:
        return False
    difference = address_a.plus(address_b, -1)
    own = [(atom, factor) for atom, factor in address_a.terms if not is_absolute(atom)]
    if not difference.is_constant or len(own) != 1:
        return False
    [(atom, factor)] = own
    stride = _stride(cp, thread) if atom == StartArg(thread) else 1 if atom == Self(thread) else 0
    return stride != 0 and _apart(a, b, Distances(difference.constant, factor * stride, not_same=True))


def _drawn(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """The same expression of two numbers that were drawn from one counter, and so are different ones."""
    address_a, address_b = a[1].address, b[1].address
    if address_a is None or address_b is None:
        return False
    own_a = [(atom, factor) for atom, factor in address_a.terms if not is_absolute(atom)]
    own_b = [(atom, factor) for atom, factor in address_b.terms if not is_absolute(atom)]
    if len(own_a) != 1 or len(own_b) != 1 or own_a[0][1] != own_b[0][1]:
        return False
    [(atom_a, factor)], [(atom_b, _)] = own_a, own_b
    from_a = {counter for atom, counter in a[1].moment.must_drawn if atom == atom_a}
    from_b = {counter for atom, counter in b[1].moment.must_drawn if atom == atom_b}
    rest = address_a.plus(of_atom(atom_a), -factor).plus(address_b.plus(of_atom(atom_b), -factor), -1)
    if not rest.is_constant or not from_a & from_b & cp.drawn_from:
        return False
    return _apart(a, b, Distances(rest.constant, factor, not_same=True))


def _own_range(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """Two blocks, each from the lowest address to the end of the highest, as the creator's counter tells them."""
    blocks = []
    for access, view in (a, b):
        ends = _ends(cp, view)
        if ends is None or access.size is None:
            return False
        counter, lowest, highest = ends
        length = highest.plus(lowest, -1)
        if not length.is_constant or length.constant < 0:
            return False
        blocks.append((counter, lowest, length.constant + access.size))
    (counter_a, lowest_a, size_a), (counter_b, lowest_b, size_b) = blocks
    difference = lowest_a.plus(lowest_b, -1)
    factor = dict(lowest_a.terms).get(counter_a[0], 0)
    others = [atom for atom, _ in lowest_a.terms if atom != counter_a[0]]
    if counter_a != counter_b or a[1].thread != b[1].thread or not factor or not difference.is_constant:
        return False
    distances = Distances(difference.constant, factor * counter_a[1], not_same=True)
    return all(map(is_absolute, others)) and not distances.may_wrap and not distances.overlapping(size_a, size_b)


def _ends(cp: ConcurrentProgram, view: View) -> tuple[tuple[Atom, int], Linear, Linear] | None:
    """The creator's counter and by how much it grows; the lowest and the highest address in terms of it."""
    told = {atom: cp.given_numbers[source] for atom, source in view.moment.must_drawn if source in cp.given_numbers}
    argument = cp.threads[view.thread].argument
    if isinstance(argument, DistinctArgument) and argument.counter is not None and not argument.fresh:
        growth = argument.stride // abs(dict(argument.pattern.terms)[argument.counter])
        told[StartArg(view.thread)] = GivenNumber(argument.pattern, argument.counter, growth)
    counters = {(number.counter, abs(number.growth)) for number in told.values()}
    if view.address is None or len(counters) != 1:
        return None
    lowest = highest = view.address
    for atom, first, behind in view.ranges:
        if dict(view.address.terms).get(atom, 0) < 0:
            return None
        lowest, highest = _with(lowest, atom, first), _with(highest, atom, behind.shifted(-1))
    for atom, number in told.items():
        lowest, highest = _with(lowest, atom, number.pattern), _with(highest, atom, number.pattern)
    return counters.pop(), lowest, highest


def _stride(cp: ConcurrentProgram, thread: ThreadId) -> int:
    """Arguments of two instances differ by a multiple of that, which is not 0; 0 if nothing is known."""
    argument = cp.threads[thread].argument
    return argument.stride if isinstance(argument, DistinctArgument) and not argument.fresh else 0


def _listed_elements(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """The places of all instances, one by one."""
    places_a, places_b = _places(cp, a[1]), _places(cp, b[1])
    if places_a is None or places_b is None:
        return False
    for i, place_a in enumerate(places_a):
        for j, place_b in enumerate(places_b):
            if a[1].thread == b[1].thread and i == j:
                continue  # one and the same instance
            difference = place_a.plus(place_b, -1)
            if not difference.is_constant or not _apart(a, b, Distances(difference.constant, 0)):
                return False
    return True


def _places(cp: ConcurrentProgram, view: View) -> list[Linear] | None:
    """Where the instances of the thread do it, in the order of their creation."""
    thread = cp.threads[view.thread]
    if view.address is None:
        return None
    if view.address.is_absolute:
        return None if thread.many else [view.address]
    argument = thread.argument
    if not isinstance(argument, DistinctArgument) or argument.counter is None or argument.values is None:
        return None
    arguments = [_with(argument.pattern, argument.counter, Linear(value)) for value in argument.values]
    places = [_with(view.address, StartArg(thread.id), given) for given in arguments]
    return places if all(place.is_absolute for place in places) else None


def _with(expression: Linear, atom: object, value: Linear) -> Linear:
    """The expression with the value in place of the atom."""
    result = Linear(expression.constant)
    for term, factor in expression.terms:
        result = result.plus(value if term == atom else of_atom(term), factor)
    return result


def _not_given_yet(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """`a` is the creator's, at the element of the round it is in, which it has not given to an instance yet."""
    thread = cp.threads[b[1].thread]
    argument = thread.argument
    if thread.parent != a[1].thread or thread.id in a[1].moment.may_handed:
        return False
    return isinstance(argument, DistinctArgument) and _other_element(cp, a, b, argument.pattern)


def _joined(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """`a` is the creator's, at an element whose instance it has joined."""
    thread = cp.threads[b[1].thread]
    if thread.parent != a[1].thread:
        return False
    given = [pattern for returned, pattern in a[1].moment.must_returned if returned == thread.id]
    return any(_other_element(cp, a, b, pattern) for pattern in given)


def _joined_object(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """`a` is the creator's, in an object whose thread it has joined; `b` in the new object of a thread of that kind."""
    (_, view_a), (_, view_b) = a, b
    thread = cp.threads[view_b.thread]
    argument = thread.argument
    if thread.parent != view_a.thread or not isinstance(argument, DistinctArgument) or not argument.fresh:
        return False
    if view_a.address is None or view_b.address is None:
        return False
    if not view_b.address.plus(of_atom(StartArg(thread.id)), -1).is_constant:
        return False
    given = [pattern for returned, pattern in view_a.moment.must_returned if returned == thread.id]
    return any(view_a.address.plus(pattern, -1).is_constant for pattern in given)


def _not_created(cp: ConcurrentProgram, a: Happening, b: Happening) -> bool:
    """`a` is the creator's, at the element of the round it is in, before it creates the thread; `b` has found a token
    of a thread that was created. With the token's cell in place of the argument: of it both addresses are multiples."""
    (_, view_a), (_, view_b) = a, b
    for cells in cp.tokens:
        thread = cp.threads[cells.thread]
        argument, start = thread.argument, StartArg(thread.id)
        is_round = thread.parent == view_a.thread and thread.id not in view_a.moment.may_handed and cells.is_made_once
        if not isinstance(argument, DistinctArgument) or argument.fresh or not is_round:
            continue
        step = dict(cells.cell.terms).get(start, 0)
        made_at = _with(cells.cell, start, argument.pattern)
        own = [(atom, k) for atom, k in made_at.terms if not is_absolute(atom)]
        for cell in (s[1] for s in view_b.moment.must_seen if is_under_its_lock(cells, *s)):
            if view_a.address is None or view_b.address is None or not own or step == 0:
                return False
            times = dict(view_a.address.terms).get(own[0][0], 0)  # of own[0][1], which is step times some number
            rest_a = view_a.address.scaled(own[0][1]).plus(made_at, -times)
            rest_b = view_b.address.scaled(own[0][1]).plus(cell, -times)
            apart = rest_a.plus(rest_b, -1)
            if times == 0 or not rest_a.is_absolute or not apart.is_constant or apart.constant % own[0][1]:
                continue
            distance, moved = apart.constant // own[0][1], times * step * argument.stride
            if moved % own[0][1] == 0 and _apart(a, b, Distances(distance, moved // own[0][1], not_same=True)):
                return True
    return False


def is_under_its_lock(cells: TokenCells, target: ObjectId, cell: Linear, lock: Linear) -> bool:
    """Cell and lock are those of one and the same argument, whichever it is."""
    start = StartArg(cells.thread)
    step = dict(cells.cell.terms).get(start, 0)
    from_first = cell.plus(_with(cells.cell, start, Linear(0)), -1)
    if target != cells.object or step == 0 or any(k % step for k in (from_first.constant, *from_first.factors())):
        return False
    for known in cells.locks:
        run = dict(known.terms).get(start, 0)
        if lock.scaled(step).plus(cell, -run) == known.scaled(step).plus(cells.cell, -run):
            return True
    return False


def _other_element(cp: ConcurrentProgram, a: Happening, b: Happening, pattern: Linear) -> bool:
    """`a` is where `pattern` leads, `b` where its own argument leads, and the two values are different ones."""
    thread, stride = b[1].thread, _stride(cp, b[1].thread)
    if a[1].address is None or b[1].address is None or stride == 0:
        return False
    factor = dict(b[1].address.terms).get(StartArg(thread), 0)
    from_pattern = a[1].address.plus(pattern, -factor)
    from_argument = b[1].address.plus(of_atom(StartArg(thread)), -factor)
    difference = from_pattern.plus(from_argument, -1)
    if factor == 0 or not difference.is_constant or not from_argument.is_absolute:
        return False
    return _apart(a, b, Distances(difference.constant, factor * stride, not_same=True))


_CHECKS: Mapping[str, _Check] = {
    "different objects": _different_objects,
    "different parts of one object": _different_bytes,
    "different fields": _different_bytes,
    "every thread has an object of its own": _own_object,
    "every thread has an element of its own": _own_element,
    "different threads were given different elements": _listed_elements,
    "no two threads draw the same element": _drawn,
    "every thread has a range of its own": _own_range,
    "an element that no thread has been given yet": _not_given_yet,
    "an element whose thread has been joined": _joined,
    "an object whose thread has been joined": _joined_object,
    "an element whose thread has not been created yet": _not_created,
}
