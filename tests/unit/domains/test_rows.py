"""Rows: elimination of a variable, and ranks."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from raceproof.domains.rows import Row, bounds_of, eliminated, rank

coefficients = st.tuples(*[st.integers(-3, 3)] * 3)
rows = st.lists(st.builds(Row, coefficients, st.integers(-6, 6), st.booleans()), max_size=6)
GRID = range(-4, 5)


def satisfies(point: tuple[int, ...], given_rows: list[Row]) -> bool:
    for row in given_rows:
        value = sum(k * v for k, v in zip(row.coefficients, point, strict=True)) + row.constant
        if value > 0 or (row.equal and value != 0):
            return False
    return True


@given(rows)
def test_elimination_keeps_every_point(given_rows: list[Row]) -> None:
    left = eliminated(given_rows, 1, most=100)
    assert all(row.coefficients[1] == 0 for row in left)
    for point in product(GRID, GRID, GRID):
        if satisfies(point, given_rows):
            assert satisfies(point, left)


@given(rows)
def test_elimination_of_a_unit_variable_adds_no_point(given_rows: list[Row]) -> None:
    """With coefficients of -1, 0 and 1 for it, what is left has an integer for every point."""
    units = [Row((k[0], max(-1, min(1, k[1])), k[2]), row.constant) for row in given_rows for k in [row.coefficients]]
    units += bounds_of(1, 3, (-40, 40))
    left = eliminated(units, 1, most=100)
    for x, z in product(GRID, GRID):
        assert satisfies((x, 0, z), left) == any(satisfies((x, y, z), units) for y in range(-40, 41))


def test_too_many_combinations_are_dropped() -> None:
    above = [Row((1, k, 0), 0) for k in range(1, 4)]
    below = [Row((1, -k, 1), 0) for k in range(1, 4)]
    other = Row((1, 0, 1), 5)
    assert eliminated([*above, *below, other], 1, most=8) == [other]
    assert len(eliminated([*above, *below, other], 1, most=9)) == 10


def test_an_equality_is_solved_for_the_variable() -> None:
    """y = 2x + 1 in y <= z: 2x + 1 <= z."""
    assert eliminated([Row((2, -1, 0), 1, equal=True), Row((0, 1, -1), 0)], 1, most=0) == [Row((2, 0, -1), 1)]


def test_ranks() -> None:
    assert rank([]) == 0
    assert rank([[1, 2, 3], [2, 4, 6]]) == 1
    assert rank([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 5]]) == 3
