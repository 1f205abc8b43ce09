"""Elements from a range that each thread has for itself: `for (i = first; i < last; i++) a[i] = 0;`

What an address may be is written in terms of the creator's counter, which is different for every instance: by the
argument, by numbers that were found in what it points to, and by the loops around the access. If from one instance to
the next everything moves by more than the range is wide, no two of them meet.
"""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.model import (
    Atom,
    ConcurrentProgram,
    DistinctArgument,
    GivenNumber,
    Linear,
    StartArg,
    View,
    is_absolute,
    of_atom,
)

_MAX_STRIDE = 1 << 24
_MAX_WIDTH = 1 << 31


@dataclass(frozen=True, slots=True)
class _Range:
    """From `first` to `width` bytes behind it; `first` is the same for all but for `factor` times the counter."""

    common: Linear
    counter: Atom
    growth: int
    factor: int
    width: int


def why_own_ranges(cp: ConcurrentProgram, size_a: int, view_a: View, size_b: int, view_b: View) -> str | None:
    """Both are within ranges that are far enough apart in any two instances of their thread."""
    if view_a.thread != view_b.thread or not (view_a.ranges or view_b.ranges):
        return None
    a, b = _range(cp, view_a), _range(cp, view_b)
    if a is None or b is None or (a.counter, a.growth, a.factor) != (b.counter, b.growth, b.factor):
        return None
    apart = a.common.plus(b.common, -1)
    stride = abs(a.factor * a.growth)
    if not apart.is_constant or stride > _MAX_STRIDE:
        return None
    if stride - abs(apart.constant) >= max(a.width + size_a, b.width + size_b):
        return "every thread has a range of its own"
    return None


def _range(cp: ConcurrentProgram, view: View) -> _Range | None:
    numbers = _numbers(cp, view)
    if view.address is None or len({(n.counter, n.growth) for n in numbers.values()}) != 1:
        return None
    address, width = view.address, 0
    for atom, first, behind in view.ranges:
        factor = dict(address.terms).get(atom, 0)
        long = _in_terms_of_counter(behind, numbers).plus(_in_terms_of_counter(first, numbers), -1)
        if factor < 0 or not long.is_constant or not 0 < long.constant <= _MAX_WIDTH:
            return None
        address = address.plus(of_atom(atom), -factor).plus(first, factor)
        width += factor * (long.constant - 1)
    address = _in_terms_of_counter(address, numbers)
    number = next(iter(numbers.values()))
    own = [(atom, factor) for atom, factor in address.terms if not is_absolute(atom)]
    if len(own) != 1 or own[0][0] != number.counter or width > _MAX_WIDTH:
        return None
    factor = own[0][1]
    return _Range(address.plus(of_atom(number.counter), -factor), number.counter, abs(number.growth), factor, width)


def _numbers(cp: ConcurrentProgram, view: View) -> dict[Atom, GivenNumber]:
    """What is known of the thread's own values in terms of its creator's counter."""
    found = {atom: cp.given_numbers[source] for atom, source in view.moment.must_drawn if source in cp.given_numbers}
    argument = cp.threads[view.thread].argument
    if isinstance(argument, DistinctArgument) and not argument.fresh and argument.counter is not None:
        factor = dict(argument.pattern.terms)[argument.counter]
        found[StartArg(view.thread)] = GivenNumber(argument.pattern, argument.counter, argument.stride // abs(factor))
    return found


def _in_terms_of_counter(value: Linear, numbers: dict[Atom, GivenNumber]) -> Linear:
    result = Linear(value.constant)
    for atom, factor in value.terms:
        result = result.plus(numbers[atom].pattern if atom in numbers else of_atom(atom), factor)
    return result
