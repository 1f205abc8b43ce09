"""Must-reasoning about two symbolic addresses: never the same bytes, or the same lock whenever the same bytes.

`a` and `b` are accesses of two different thread instances, so that an opaque atom of one says nothing about an
atom of the other, even if they have the same name.
"""

from __future__ import annotations

from math import gcd

from raceproof.facts import describe_lock
from raceproof.lockset.ranges import why_own_ranges
from raceproof.model import (
    Access,
    Atom,
    Base,
    ConcurrentProgram,
    Derived,
    DistinctArgument,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    ObjectId,
    Self,
    StartArg,
    View,
    is_absolute,
)

_MAX_STRIDE = 1 << 24
_MAX_DISTANCE = 1 << 31
Terms = tuple[tuple[Atom, int], ...]


def _split(address: Linear) -> tuple[Linear, Terms]:
    """The part that all threads agree on, and the rest."""
    common = tuple((a, k) for a, k in address.terms if is_absolute(a))
    own = tuple((a, k) for a, k in address.terms if not is_absolute(a))
    return Linear(address.constant, common), own


def why_disjoint(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    """A reason why the two never touch the same byte, or None."""
    if view_a.objects is not None and view_b.objects is not None and not view_a.objects & view_b.objects:
        return "different objects"
    if view_a.address is None or view_b.address is None:
        return None
    common_a, own_a = _split(view_a.address)
    common_b, own_b = _split(view_b.address)
    apart = common_a.plus(common_b, -1)
    objects_a, objects_b = _objects(cp, view_a.address), _objects(cp, view_b.address)
    if objects_a is not None and objects_b is not None and not objects_a & objects_b:
        return "different objects"
    fresh = (
        _fresh_arguments(cp, view_a, own_a, common_a, view_b, own_b, common_b)
        or _object_given_back(cp, view_a, view_b)
        or _object_given_back(cp, view_b, view_a)
    )
    if fresh is not None or a.size is None or b.size is None:
        return fresh
    if apart.terms:
        return _listed_elements(cp, a.size, view_a, b.size, view_b) or _between_creator_and_thread(
            cp, a, view_a, b, view_b
        )
    if not own_a and not own_b:
        if apart.constant >= b.size or -apart.constant >= a.size:
            return "different parts of one object"
        return None
    return (
        _own_elements(cp, apart.constant, a.size, own_a, b.size, own_b)
        or _drawn_elements(cp, apart.constant, a.size, view_a, own_a, b.size, view_b, own_b)
        or why_own_ranges(cp, a.size, view_a, b.size, view_b)
        or _listed_elements(cp, a.size, view_a, b.size, view_b)
        or _between_creator_and_thread(cp, a, view_a, b, view_b)
        or _different_fields(apart.constant, a.size, own_a, b.size, own_b)
    )


def _objects(cp: ConcurrentProgram, address: Linear) -> frozenset[ObjectId] | None:
    """The objects that the address may lie in, if it says more than points-to: one base, or a start argument."""
    if address.has_difference:
        return None
    bases = [atom.object for atom, k in address.terms if isinstance(atom, Base) and k == 1]
    starts = [atom.thread for atom, k in address.terms if isinstance(atom, StartArg) and k == 1]
    if len(bases) == 1 and not starts:
        return frozenset(bases)
    if len(starts) == 1 and not bases:
        return cp.threads[starts[0]].argument_objects or None
    return None


def _fresh_arguments(
    cp: ConcurrentProgram, view_a: View, own_a: Terms, common_a: Linear, view_b: View, own_b: Terms, common_b: Linear
) -> str | None:
    """Both go through the argument of their thread, and every instance got a new object."""
    if common_a.terms or common_b.terms or any(k == -1 for _, k in (*own_a, *own_b)):
        return None
    for thread, own in ((view_a.thread, own_a), (view_b.thread, own_b)):
        argument = cp.threads[thread].argument
        if not isinstance(argument, DistinctArgument) or not argument.fresh or (StartArg(thread), 1) not in own:
            return None
    return "every thread has an object of its own"


def _own_elements(
    cp: ConcurrentProgram, apart: int, size_a: int, own_a: Terms, size_b: int, own_b: Terms
) -> str | None:
    """Both use an index or pointer that is different in every instance of the thread."""
    match own_a, own_b:
        case ((atom_a, factor_a),), ((atom_b, factor_b),) if atom_a == atom_b and factor_a == factor_b:
            stride = _instance_stride(cp, atom_a)
            if stride is not None and _are_apart(factor_a * stride, apart, max(size_a, size_b)):
                return "every thread has an element of its own"
    return None


def _drawn_elements(
    cp: ConcurrentProgram, apart: int, size_a: int, view_a: View, own_a: Terms, size_b: int, view_b: View, own_b: Terms
) -> str | None:
    """Both use an index that was drawn from one counter, which nobody else has drawn."""
    match own_a, own_b:
        case ((atom_a, factor_a),), ((atom_b, factor_b),) if factor_a == factor_b:
            counters = {c for atom, c in view_a.moment.must_drawn if atom == atom_a}
            counters &= {c for atom, c in view_b.moment.must_drawn if atom == atom_b}
            if counters & cp.drawn_from and _are_apart(factor_a, apart, max(size_a, size_b)):
                return "no two threads draw the same element"
    return None


def _listed_elements(cp: ConcurrentProgram, size_a: int, view_a: View, size_b: int, view_b: View) -> str | None:
    """The elements that each thread was given are known one by one, and are different ones."""
    places_a, places_b = _places(cp, view_a), _places(cp, view_b)
    if places_a is None or places_b is None:
        return None
    same_thread = view_a.thread == view_b.thread
    for i, place_a in enumerate(places_a):
        for j, place_b in enumerate(places_b):
            if same_thread and i == j:
                continue  # the same instance
            apart = place_a.plus(place_b, -1)
            if not apart.is_constant or (apart.constant < size_b and -apart.constant < size_a):
                return None
            if abs(apart.constant) > _MAX_DISTANCE:
                return None  # it may be the same place, once around the address space
    return "different threads were given different elements"


def _places(cp: ConcurrentProgram, view: View) -> list[Linear] | None:
    """All addresses that instances of the view's thread can have here, one each, if they can be listed."""
    if view.address is None:
        return None
    if view.address.is_absolute:
        return None if cp.threads[view.thread].many else [view.address]
    start = StartArg(view.thread)
    factor = dict(view.address.terms).get(start)
    argument = cp.threads[view.thread].argument
    if factor is None or not isinstance(argument, DistinctArgument) or argument.values is None:
        return None
    if argument.counter is None:
        return None
    rest = view.address.plus(Linear(0, ((start, 1),)), -factor)
    step = dict(argument.pattern.terms)[argument.counter]
    base = argument.pattern.plus(Linear(0, ((argument.counter, 1),)), -step)
    if not rest.is_absolute or not base.is_absolute:
        return None
    return [rest.plus(base.shifted(step * value), factor) for value in argument.values]


def _are_apart(stride: int, apart: int, size: int) -> bool:
    """Different multiples of `stride`, `apart` from each other besides, are not within `size`. With a stride so large
    that a few of them go once around the address space, they might be."""
    return abs(stride) <= _MAX_STRIDE and abs(stride) - abs(apart) >= size


def _instance_stride(cp: ConcurrentProgram, atom: Atom) -> int | None:
    """How far apart the atom's values are in two instances of its thread, at least."""
    match atom:
        case StartArg(thread=thread):
            argument = cp.threads[thread].argument
            return argument.stride if isinstance(argument, DistinctArgument) and not argument.fresh else None
        case Self():
            return 1
    return None


def _between_creator_and_thread(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    return (
        _handed_over(cp, a, view_a, b, view_b)
        or _handed_over(cp, b, view_b, a, view_a)
        or _given_back(cp, a, view_a, b, view_b)
        or _given_back(cp, b, view_b, a, view_a)
        or _not_created(cp, a, view_a, b, view_b)
        or _not_created(cp, b, view_b, a, view_a)
    )


def _handed_over(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    """`a` is the creator's, in a round whose argument it has not given to a thread yet; `b` uses its argument."""
    thread = cp.threads[view_b.thread]
    argument = thread.argument
    if (
        not isinstance(argument, DistinctArgument)
        or argument.fresh
        or thread.parent != view_a.thread
        or thread.id in view_a.moment.may_handed
        or view_a.address is None
        or view_b.address is None
        or a.size is None
        or b.size is None
    ):
        return None
    if _are_other_elements(argument, argument.pattern, view_a.address, view_b, max(a.size, b.size)):
        return "an element that no thread has been given yet"
    return None


def _are_other_elements(argument: DistinctArgument, pattern: Linear, address: Linear, view_b: View, size: int) -> bool:
    """`b` is where its thread's argument leads, `address` where `pattern` leads, which another one was given."""
    factor = dict(view_b.address.terms).get(StartArg(view_b.thread)) if view_b.address is not None else None
    if view_b.address is None or factor is None:
        return False
    beside_argument = view_b.address.plus(Linear(0, ((StartArg(view_b.thread), 1),)), -factor)
    beside_pattern = address.plus(pattern, -factor)
    apart = beside_argument.plus(beside_pattern, -1)
    if not beside_argument.is_absolute or not beside_pattern.is_absolute or not apart.is_constant:
        return False
    return _are_apart(argument.stride * factor, apart.constant, size)


def _not_created(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    """`a` is the creator's, in a round whose argument it has not given to a thread yet; `b` has found a token of a
    thread that was created, so it is about another one, or comes later."""
    if view_a.address is None or view_b.address is None or a.size is None or b.size is None:
        return None
    for cells in cp.tokens:
        thread = cp.threads[cells.thread]
        argument = thread.argument
        if (
            not isinstance(argument, DistinctArgument)
            or argument.fresh
            or not cells.is_made_once
            or thread.parent != view_a.thread
            or thread.id in view_a.moment.may_handed
        ):
            continue
        factor = _common_factor(view_a.address, argument.pattern)
        beside_pattern = view_a.address.plus(argument.pattern, -factor)
        for seen in sorted(view_b.moment.must_seen, key=str) if factor and beside_pattern.is_absolute else ():
            given = cells.argument(seen)
            apart = view_b.address.plus(given, -factor).plus(beside_pattern, -1) if given is not None else None
            if apart is None or not apart.is_constant:
                continue
            if _are_apart(argument.stride * factor, apart.constant, max(a.size, b.size)):
                return "an element whose thread has not been created yet"
    return None


def _common_factor(address: Linear, pattern: Linear) -> int:
    """How often the pattern's own part is in the address; 0 if it is not."""
    factors = dict(address.terms)
    quotients = {divmod(factors.get(atom, 0), factor) for atom, factor in pattern.terms if not is_absolute(atom)}
    return quotients.pop()[0] if len(quotients) == 1 and all(rest == 0 for _, rest in quotients) else 0


def _given_back(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    """`a` is about an element whose thread was joined; `b` uses its argument, so it is about another one."""
    thread = cp.threads[view_b.thread]
    argument = thread.argument
    if (
        not isinstance(argument, DistinctArgument)
        or thread.parent != view_a.thread
        or view_a.address is None
        or view_b.address is None
        or a.size is None
        or b.size is None
    ):
        return None
    for returned, pattern in sorted(view_a.moment.must_returned, key=str):
        if returned == thread.id and _are_other_elements(
            argument, pattern, view_a.address, view_b, max(a.size, b.size)
        ):
            return "an element whose thread has been joined"
    return None


def _object_given_back(cp: ConcurrentProgram, view_a: View, view_b: View) -> str | None:
    """`a` is in an object whose thread was joined; `b` is in the object that its thread was given, another one."""
    thread = cp.threads[view_b.thread]
    argument = thread.argument
    if not isinstance(argument, DistinctArgument) or not argument.fresh or thread.parent != view_a.thread:
        return None
    if view_a.address is None or view_b.address is None:
        return None
    in_argument = view_b.address.plus(Linear(0, ((StartArg(thread.id), 1),)), -1)
    if in_argument.is_constant and any(
        returned == thread.id and view_a.address.plus(pattern, -1).is_constant
        for returned, pattern in view_a.moment.must_returned
    ):
        return "an object whose thread has been joined"
    return None


def _different_fields(apart: int, size_a: int, own_a: Terms, size_b: int, own_b: Terms) -> str | None:
    """Elements may be the same, but not the fields in them."""
    step = 0
    for _, factor in (*own_a, *own_b):
        step = gcd(step, factor)
    if step > 1 and apart % step >= size_b and step - apart % step >= size_a:
        return "different fields"
    return None


# -- locks ------------------------------------------------------------------------------------------


def common_lock(cp: ConcurrentProgram, a: Access, view_a: View, b: Access, view_b: View) -> str | None:
    """A lock that both certainly hold whenever they touch the same bytes, one of them exclusively."""
    if not view_a.held or not view_b.held:
        return None
    shift = _own_shift(a, view_a, b, view_b)
    solved_a, solved_b = _solution(a, b, view_a, view_b), _solution(b, a, view_b, view_a)
    for held_a in sorted(view_a.held, key=str):
        for held_b in sorted(view_b.held, key=str):
            if (
                held_a.kind is held_b.kind
                and LockMode.EXCLUSIVE in (held_a.mode, held_b.mode)
                and _excludes(cp, held_a)
                and (
                    (held_a.address == held_b.address and held_a.address.is_absolute)
                    or _same(held_a, held_b, shift)
                    or _is_solved(held_a, held_b, solved_a)
                    or _is_solved(held_b, held_a, solved_b)
                    or _go_together(held_a, a, view_a, held_b, b, view_b)
                )
            ):
                return describe_lock(cp, held_a.address)
    return None


def _excludes(cp: ConcurrentProgram, held: HeldLock) -> bool:
    return held.kind in (LockKind.MUTEX, LockKind.ATOMIC_SECTION) or held.address in cp.exclusive


def _go_together(held_a: HeldLock, a: Access, view_a: View, held_b: HeldLock, b: Access, view_b: View) -> bool:
    """Both locks are told in the same way by the address that is touched: if that is the same, then so are the locks.

    With p the address, m * lock = n * p + c for the same m, n and c: `p->lock`, or `locks[i]` for `data[i]`.
    """
    place_a, place_b = view_a.address, view_b.address
    if place_a is None or place_b is None or not overlap_means_equal(a, b, _step(place_a, place_b)):
        return False
    factors = {(1, 1)} | {
        (factor, dict(held.address.terms).get(atom, 0))
        for held, place in ((held_a, place_a), (held_b, place_b))
        for atom, factor in place.terms
    }
    for of_lock, of_place in sorted(f for f in factors if abs(f[0]) <= _MAX_STRIDE):
        rest_a = held_a.address.scaled(of_lock).plus(place_a, -of_place)
        if rest_a.is_absolute and rest_a == held_b.address.scaled(of_lock).plus(place_b, -of_place):
            return True
    return False


def _step(a: Linear, b: Linear) -> int:
    """Two addresses that differ do so by that much at least, as far as that is known."""
    common_a, own_a = _split(a)
    common_b, own_b = _split(b)
    apart = common_a.plus(common_b, -1)
    return gcd(apart.constant, *(factor for _, factor in (*own_a, *own_b))) if apart.is_constant else 1


Shift = tuple[Atom, Atom, int]


def _own_shift(a: Access, view_a: View, b: Access, view_b: View) -> Shift | None:
    """(x, y, d): if the accesses overlap, then the first one's atom x is the second one's y plus d."""
    if view_a.address is None or view_b.address is None:
        return None
    common_a, own_a = _split(view_a.address)
    common_b, own_b = _split(view_b.address)
    apart = common_a.plus(common_b, -1)
    match own_a, own_b:
        case ((x, factor_a),), ((y, factor_b),) if factor_a == factor_b and apart.is_constant:
            if (
                abs(factor_a) <= _MAX_STRIDE
                and apart.constant % factor_a == 0
                and overlap_means_equal(a, b, abs(factor_a))
            ):
                return x, y, -apart.constant // factor_a
    return None


Solution = tuple[Atom, Linear]


def _solution(a: Access, b: Access, view_a: View, view_b: View) -> Solution | None:
    """(y, v): `a` is at a place that all threads know; if `b` overlaps it, then its own atom y is v."""
    if view_a.address is None or view_b.address is None or not view_a.address.is_absolute:
        return None
    common, own = _split(view_b.address)
    match own:
        case ((y, 1),) if overlap_means_equal(a, b, 1):
            return y, view_a.address.plus(common, -1)
    return None


def _is_solved(a: HeldLock, b: HeldLock, solution: Solution | None) -> bool:
    """Lock `b`, with its atom replaced by the solution, is lock `a`."""
    if solution is None:
        return False
    atom, value = solution
    common, own = _split(b.address)
    match own:
        case ((y, factor),) if y == atom:
            return common.plus(value, factor) == a.address
    return False


def overlap_means_equal(a: Access, b: Access, step: int) -> bool:
    """Addresses that overlap are equal: because of the index's step, or because of where the pointers may point."""
    if a.size is None or b.size is None:
        return False
    size = max(a.size, b.size)
    if step >= size and step > 1:
        return True
    return all(_aligned(la, lb, size) for la in a.targets for lb in b.targets if la.object == lb.object)


def _aligned(a: MemLoc, b: MemLoc, size: int) -> bool:
    if a.offset is None or b.offset is None:
        return False
    step = gcd(a.stride or 0, b.stride or 0)
    if step == 0:
        return a.offset == b.offset or abs(a.offset - b.offset) >= size
    apart = (a.offset - b.offset) % step
    return step >= size and (apart == 0 or (apart >= size and step - apart >= size))


def _is_made_of(x: Atom, address: Linear) -> bool:
    """Only x, and what all threads know, tell the address."""
    return all(
        atom == x or is_absolute(atom) or (isinstance(atom, Derived) and all(_is_made_of(x, arg) for arg in atom.args))
        for atom in address.atoms()
    )


def _same(a: HeldLock, b: HeldLock, shift: Shift | None) -> bool:
    """The two locks are one if x = y + d."""
    if shift is None:
        return False
    x, y, distance = shift
    if distance == 0:
        # each in terms of its own index: what is called x in the other thread is another number
        return a.address == b.address.replaced(y, x) and _is_made_of(x, a.address) and _is_made_of(y, b.address)
    common_a, own_a = _split(a.address)
    common_b, own_b = _split(b.address)
    match own_a, own_b:
        case ((atom_a, factor_a),), ((atom_b, factor_b),):
            if atom_a == x and atom_b == y and factor_a == factor_b:
                return common_a.plus(common_b, -1).shifted(factor_a * distance) == Linear(0)
    return False
