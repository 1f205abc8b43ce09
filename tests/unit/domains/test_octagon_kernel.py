"""The native octagon kernel against its plain form, and against the points that octagons stand for."""

from __future__ import annotations

import re
from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from unit.domains import plain_octagon as plain

from raceproof.domains import octagon_kernel as kernel
from raceproof.native import NATIVE

Edges = list[tuple[int, int, int]]


def edges(n: int) -> st.SearchStrategy[Edges]:
    node = st.integers(0, 2 * n - 1)
    edge = st.tuples(node, node, st.integers(-12, 20)).filter(lambda e: e[0] != e[1])
    return st.lists(edge, max_size=4 * n)


sizes_and_edges = st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), edges(n)))
two_octagons = st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), edges(n), edges(n)))


def plain_form(n: int, constraints: Edges) -> plain.Matrix:
    matrix = plain.top(n)
    for i, j, bound in constraints:
        matrix = plain.lowered(matrix, i, j, bound)
    return matrix


def entries(matrix: bytes | None, n: int) -> plain.Matrix | None:
    if matrix is None:
        return None
    bounds = [[kernel.entry(matrix, i, j) for j in range(2 * n)] for i in range(2 * n)]
    return [[inf if bound == kernel.UNBOUNDED else bound for bound in row] for row in bounds]


@given(sizes_and_edges)
def test_closure_agrees_with_the_plain_form(case: tuple[int, Edges]) -> None:
    n, constraints = case
    assert entries(kernel.add_all(kernel.top(n), n, constraints), n) == plain.closed(plain_form(n, constraints))


@given(sizes_and_edges)
def test_incremental_closure_agrees_with_the_plain_form(case: tuple[int, Edges]) -> None:
    n, constraints = case
    assert entries(kernel.add(kernel.top(n), n, constraints), n) == plain.closed(plain_form(n, constraints))


@given(two_octagons)
def test_join_and_meet_agree_with_the_plain_form(case: tuple[int, Edges, Edges]) -> None:
    n, first, second = case
    a, b = kernel.add_all(kernel.top(n), n, first), kernel.add_all(kernel.top(n), n, second)
    assume(a is not None and b is not None)
    assert a is not None
    assert b is not None
    plain_a, plain_b = plain.closed(plain_form(n, first)), plain.closed(plain_form(n, second))
    assert plain_a is not None
    assert plain_b is not None
    joined = plain.join(plain_a, plain_b)
    assert entries(kernel.join(a, b, n), n) == joined
    assert plain.closed(joined) == joined  # so there is nothing left to close
    assert entries(kernel.meet(a, b, n), n) == plain.closed(plain_form(n, first + second))
    assert kernel.leq(a, b, n) == all(
        x <= y for one, two in zip(plain_a, plain_b, strict=True) for x, y in zip(one, two, strict=True)
    )


@given(sizes_and_edges, st.data())
def test_assign_and_forget_agree_with_the_plain_form(case: tuple[int, Edges], data: st.DataObject) -> None:
    n, constraints = case
    matrix, expected = kernel.add_all(kernel.top(n), n, constraints), plain.closed(plain_form(n, constraints))
    assert (matrix is None) == (expected is None)
    assume(matrix is not None)
    assert matrix is not None
    assert expected is not None
    x, y = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    negated, low = data.draw(st.booleans()), data.draw(st.integers(-5, 5))
    high = low + data.draw(st.integers(0, 3))
    assigned = kernel.assign(matrix, n, x, y, negated, low, high)
    assert entries(assigned, n) == plain.assign(expected, x, y, negated, low, high)
    assert entries(kernel.forget(matrix, n, x), n) == plain.forget(expected, x)


@given(edges(2))
def test_tight_closure_says_all_that_holds_of_the_points(constraints: Edges) -> None:
    bounded = [*constraints, *((i, i ^ 1, 12) for i in range(4))]
    matrix = entries(kernel.add_all(kernel.top(2), 2, bounded), 2)
    found = plain.points(plain_form(2, bounded), 6)
    values = [(v, -v, w, -w) for v, w in found]
    assert (matrix is None) == (not values)
    if matrix is not None:
        assert matrix == [[max(value[j] - value[i] for value in values) for j in range(4)] for i in range(4)]


def test_bounds_beyond_the_limit_are_dropped_or_raised() -> None:
    matrix = kernel.add(kernel.top(1), 1, [(1, 0, 2**64), (0, 1, -(2**63))])
    assert matrix is not None
    assert kernel.bounds(matrix, 1) == [kernel.UNBOUNDED, -kernel.LIMIT]


def test_long_paths_do_not_overflow() -> None:
    n = kernel.MAX_VARIABLES
    far = kernel.LIMIT - 1
    chain = [(2 * k, 2 * (k + 1), -far) for k in range(n - 1)]
    matrix = kernel.add_all(kernel.top(n), n, chain)
    assert matrix is not None
    assert kernel.entry(matrix, 0, 2 * (n - 1)) == -kernel.LIMIT
    assert kernel.add(matrix, n, [(2 * (n - 1), 0, far)]) is None


def test_widening_goes_to_the_limits_and_then_to_none() -> None:
    narrow = kernel.add_all(kernel.top(1), 1, [(1, 0, 4), (0, 1, 0)])
    wider = kernel.add_all(kernel.top(1), 1, [(1, 0, 6), (0, 1, 0)])
    widest = kernel.add_all(kernel.top(1), 1, [(1, 0, 60), (0, 1, 0)])
    assert narrow is not None
    assert wider is not None
    assert widest is not None
    assert kernel.bounds(kernel.widen(narrow, wider, 1, [0, 10]), 1) == [10, 0]
    assert kernel.bounds(kernel.widen(narrow, widest, 1, [0, 10]), 1) == [kernel.UNBOUNDED, 0]


def test_narrowing_takes_back_only_what_widening_gave_away() -> None:
    wide = kernel.add_all(kernel.top(1), 1, [(0, 1, 0)])
    new = kernel.add_all(kernel.top(1), 1, [(1, 0, 6), (0, 1, -2)])
    assert wide is not None
    assert new is not None
    narrowed = kernel.narrow(wide, new, kernel.top(1), 1)
    assert narrowed is not None
    assert kernel.bounds(narrowed, 1) == [6, 0]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_no_integer_lies_between_two_others(n: int) -> None:
    """1 <= 2v <= 1, for each variable v."""
    for v in range(n):
        between = [(2 * v + 1, 2 * v, 1), (2 * v, 2 * v + 1, -1)]
        assert kernel.add_all(kernel.top(n), n, between) is None
        assert kernel.add(kernel.top(n), n, between) is None


@pytest.mark.parametrize(
    ("name", "value"), [("NONE", kernel.NONE), ("LIMIT", kernel.LIMIT), ("VARIABLES", kernel.MAX_VARIABLES)]
)
def test_the_header_has_the_same_constants(name: str, value: int) -> None:
    header = (NATIVE / "octagon" / "octagon.h").read_text(encoding="utf-8")
    found = re.search(rf"#define RP_OCTAGON_{name} (?:\(\(int64_t\)1 << (\d+)\)|(\d+))", header)
    assert found is not None
    assert value == (1 << int(found[1]) if found[1] else int(found[2]))


def test_the_header_has_the_same_functions() -> None:
    header = (NATIVE / "octagon" / "octagon.h").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^[\w ]+ \*?rp_octagon_(\w+)\(", header, re.MULTILINE)) == sorted(kernel.FUNCTIONS)
