"""Linear constraints as rows of numbers: what can be done with them without corners and without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, gcd
from typing import final


@final
@dataclass(frozen=True, slots=True, order=True)
class Row:
    """sum of coefficients * variables of the pack + constant, at most 0, or equal to 0."""

    coefficients: tuple[int, ...]
    constant: int
    equal: bool = False

    def halves(self) -> Iterator[Row]:
        """The row as inequalities."""
        yield Row(self.coefficients, self.constant)
        if self.equal:
            yield Row(tuple(-k for k in self.coefficients), -self.constant)


def bounds_of(x: int, size: int, bounds: tuple[int, int]) -> tuple[Row, Row]:
    """The bounds of the x-th of `size` variables."""
    unit = tuple(int(place == x) for place in range(size))
    return Row(unit, -bounds[1]), Row(tuple(-k for k in unit), bounds[0])


def eliminated(rows: Iterable[Row], x: int, most: int) -> list[Row]:
    """What the rows say of the other variables, whatever the x-th is: Fourier-Motzkin, one variable.

    An equality is solved for the variable. Otherwise each lower bound is combined with each upper one; if that
    gives more than `most` rows more, the rows with the variable are dropped: an upper bound of the projection.
    """
    having = [row for row in rows if row.coefficients[x]]
    result = [row for row in rows if not row.coefficients[x]]
    solved = next((row for row in having if row.equal), None)
    if solved is not None:
        return result + [_combined(row, solved, x) for row in having if row is not solved]
    above = [row for row in having if row.coefficients[x] > 0]
    below = [row for row in having if row.coefficients[x] < 0]
    if len(above) * len(below) <= most:
        result += [_combined(one, two, x) for one in above for two in below]
    return result


def _combined(row: Row, other: Row, x: int) -> Row:
    """A sum of both, `row` with a positive factor, in which the x-th coefficient is 0."""
    a, b = row.coefficients[x], other.coefficients[x]
    times, others = abs(b), -a if b > 0 else a
    pairs = zip(row.coefficients, other.coefficients, strict=True)
    coefficients = [times * k + others * m for k, m in pairs]
    constant = times * row.constant + others * other.constant
    return divided(coefficients, constant, row.equal)


def divided(coefficients: Sequence[int], constant: int, equal: bool) -> Row:
    """The row by its common factor. Bounds are not rounded to integers: inclusion is decided over the rationals, and
    rounding in one element but not in another would make operations that are not monotone."""
    common = gcd(*coefficients, constant)
    if common > 1:
        return Row(tuple(k // common for k in coefficients), constant // common, equal)
    return Row(tuple(coefficients), constant, equal)


def rank(vectors: Iterable[Sequence[int]]) -> int:
    """How many of the vectors are independent."""
    basis: list[tuple[int, Sequence[int]]] = []  # vectors with the place of an entry that is 0 in all that come later
    for vector in vectors:
        for place, other in basis:
            if vector[place]:
                pairs = zip(vector, other, strict=True)
                vector = [a * other[place] - b * vector[place] for a, b in pairs]
        first = next((place for place, entry in enumerate(vector) if entry), None)
        if first is not None:
            common = gcd(*vector)
            basis.append((first, [entry // common for entry in vector]))
    return len(basis)


def most_corners(dimensions: int, inequalities: int) -> int:
    """The most vertices that so many inequalities can have: McMullen's upper bound theorem [McM70]."""
    if dimensions <= 0 or inequalities < dimensions:
        return 1
    n = inequalities + 1  # what is not bounded has a face at infinity
    down, up = dimensions // 2, (dimensions + 1) // 2
    return comb(n - up, down) + comb(n - down - 1, up - 1)
