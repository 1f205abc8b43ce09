"""Sets of integers: a few members named one by one, or an interval with a congruence.

    {0, 1}              a flag
    {0, 8, 16, ...}     low 0, high 4088, modulus 8, residue 0: what `x & 0xff8` can be

Small sets are what flags, masks and state machines need; the congruence ([Gra89]) is what alignment needs. Every set
of at most `FEW` integers is kept exactly, any other as the smallest interval with congruence around it: `hull` is a
best abstraction, so that operations made of exact ones and `hull` are monotone.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from raceproof.domains.expressions import MachineType

FEW = 8


@final
@dataclass(frozen=True, slots=True)
class Value:
    """The integers of low..high that are `residue` modulo `modulus`.

    Invariants: low and high are members themselves; 0 <= residue < modulus; `members` lists all, in order, if there are
    at most `FEW`, and is None otherwise. The empty set is `EMPTY`. Make one with `hull` or `between`.
    """

    low: int
    high: int
    modulus: int
    residue: int
    members: tuple[int, ...] | None

    @property
    def is_empty(self) -> bool:
        return self.members == ()

    @property
    def is_constant(self) -> bool:
        return self.members is not None and len(self.members) == 1

    def __contains__(self, number: int) -> bool:
        if self.members is not None:
            return number in self.members
        return self.low <= number <= self.high and number % self.modulus == self.residue

    def leq(self, other: Value) -> bool:
        """Inclusion, exactly."""
        if self.members is not None:
            return all(number in other for number in self.members)
        if other.members is not None:
            return False
        inside = other.low <= self.low and self.high <= other.high
        return inside and self.modulus % other.modulus == 0 and self.residue % other.modulus == other.residue

    def join(self, other: Value) -> Value:
        if self.members is not None and other.members is not None:
            return hull(self.members + other.members)
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        modulus = math.gcd(self.modulus_or_zero, other.modulus_or_zero, self.low - other.low)
        return between(min(self.low, other.low), max(self.high, other.high), modulus, self.low)

    def meet(self, other: Value) -> Value:
        """Intersection, exactly."""
        if self.members is not None or other.members is not None:
            few, rest = (self, other) if self.members is not None else (other, self)
            return hull(number for number in few.members or () if number in rest)
        met = _meet_congruences(self, other)
        if met is None:
            return EMPTY
        return between(max(self.low, other.low), min(self.high, other.high), *met)

    def widen(self, new: Value, limits: Sequence[int]) -> Value:
        """An upper bound of both; bounds that grow go to the next of the sorted `limits`, whose ends hold everything.

        Ends: members become more at most `FEW` times, bounds move along `limits`, the modulus falls to its divisors.
        """
        joined = self.join(new)
        if self.is_empty or joined.members is not None:
            return joined
        low = self.low if joined.low == self.low else limits[bisect_right(limits, joined.low) - 1]
        high = self.high if joined.high == self.high else limits[bisect_left(limits, joined.high)]
        return between(low, high, joined.modulus, joined.residue)

    def narrow(self, new: Value, top: Value) -> Value:
        """Between `new` and `self`, for `new` inside `self`: only bounds that nothing was known of get better."""
        if self.members is not None or new.is_empty:
            return self if not new.is_empty else new
        low = new.low if self.low == top.low else self.low
        high = new.high if self.high == top.high else self.high
        return between(low, high, self.modulus, self.residue)

    @property
    def modulus_or_zero(self) -> int:
        """The modulus as the theory has it: 0 for a single number."""
        return 0 if self.is_constant else self.modulus

    def __str__(self) -> str:
        if self.members is not None:
            return str(self.members[0]) if self.is_constant else "{" + ", ".join(map(str, self.members)) + "}"
        text = f"[{self.low}, {self.high}]"
        return text if self.modulus == 1 else f"{text}, {self.residue} modulo {self.modulus}"


EMPTY = Value(0, -1, 1, 0, ())


def hull(numbers: Iterable[int]) -> Value:
    """The smallest value that holds all of them."""
    members = tuple(sorted(set(numbers)))
    if not members:
        return EMPTY
    low, high = members[0], members[-1]
    modulus = math.gcd(*(number - low for number in members)) or 1
    return Value(low, high, modulus, low % modulus, members if len(members) <= FEW else None)


def between(low: int, high: int, modulus: int = 1, residue: int = 0) -> Value:
    """The numbers of low..high that have the residue."""
    if modulus == 0:
        return hull([residue]) if low <= residue <= high else EMPTY
    residue %= modulus
    low += (residue - low) % modulus
    high -= (high - residue) % modulus
    if low > high:
        return EMPTY
    if (high - low) // modulus < FEW:
        return hull(range(low, high + 1, modulus))
    return Value(low, high, modulus, residue, None)


def top_of(of_type: MachineType) -> Value:
    return between(of_type.low, of_type.high)


def wrapped(value: Value, to: MachineType) -> Value:
    """The values modulo 2^bits: exact if they are few or need the same multiple added."""
    if value.is_empty:
        return value
    if value.members is not None:
        return hull(to.wrap(number) for number in value.members)
    turns = (value.low - to.low) // to.size
    if turns == (value.high - to.low) // to.size:
        offset = -turns * to.size
        return between(value.low + offset, value.high + offset, value.modulus, value.residue + offset)
    return between(to.low, to.high, math.gcd(value.modulus, to.size), value.residue)


def clipped(value: Value, to: MachineType) -> Value:
    """The values that the type has; the others are left out."""
    return value.meet(between(to.low, to.high))


def parts_by_sign(value: Value) -> Iterator[Value]:
    """The negative numbers and the positive ones, without 0."""
    for part in (value.meet(between(value.low, -1)), value.meet(between(1, value.high))):
        if not part.is_empty:
            yield part


def _meet_congruences(a: Value, b: Value) -> tuple[int, int] | None:
    """Modulus and residue of the numbers that have both residues; None if there are none."""
    common = math.gcd(a.modulus, b.modulus)
    if (a.residue - b.residue) % common:
        return None
    step = b.modulus // common
    inverse = pow(a.modulus // common, -1, step) if step > 1 else 0
    times = (b.residue - a.residue) // common * inverse % step
    modulus = a.modulus * step
    return modulus, (a.residue + a.modulus * times) % modulus
