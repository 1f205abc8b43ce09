"""Octagons against the points that they stand for, over a small box in which all points can be tried."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from raceproof.domains import INT8, INT64, LinearExpr, Variable
from raceproof.domains import octagon_kernel as kernel
from raceproof.domains.linear import LinearForm
from raceproof.domains.octagon import Octagon
from raceproof.domains.relation import interval_of

X, Y, Z = (Variable(name, INT8) for name in "xyz")
PACK = (X, Y)
RANGE = range(-3, 4)
BOX = {X: (-3, 3), Y: (-3, 3), Z: (-1, 2)}
Point = tuple[int, int]
POINTS: tuple[Point, ...] = tuple(product(RANGE, RANGE))
UNITS = tuple(
    LinearExpr.of([(X, a), (Y, b)]) for a, b in product((-1, 0, 1), repeat=2) if (a, b) != (0, 0)
)  # what an octagon has bounds of
PAIRS = tuple(expr for expr in UNITS if len(expr.terms) == 2)  # those that it knows better than a box


def box(variable: Variable) -> tuple[int, int]:
    return BOX[variable]


def value(expr: LinearExpr, point: Point, z: int = 0) -> int:
    numbers = {X: point[0], Y: point[1], Z: z}
    return expr.constant + sum(factor * numbers[variable] for variable, factor in expr.terms)


def holds(octagon: Octagon, point: Point) -> bool:
    ends = [sign * number for number in point for sign in (1, -1)]
    return all(
        ends[j] - ends[i] <= bound
        for i, j in product(range(4), repeat=2)
        if (bound := kernel.entry(octagon.matrix, i, j)) != kernel.UNBOUNDED
    )


def points(octagon: Octagon | None) -> set[Point]:
    return set() if octagon is None else {point for point in POINTS if holds(octagon, point)}


factors = st.integers(-2, 2)
expressions = st.builds(
    lambda a, b, c, k: LinearExpr.of([(X, a), (Y, b), (Z, c)], k), factors, factors, factors, st.integers(-5, 4)
)
octagonal = st.builds(lambda expr, k: expr.shifted(k), st.sampled_from(UNITS), st.integers(-5, 4))
few = st.lists(octagonal, max_size=3)
quick = settings(max_examples=60)


def octagon_of(constraints: Iterable[LinearExpr]) -> Octagon | None:
    start = Octagon.top(PACK).within(PACK, box)
    assert start is not None
    return start.constrain(constraints, box)


octagons = few.map(octagon_of).filter(lambda octagon: octagon is not None)


def highest(expr: LinearExpr, among: Iterable[Point]) -> int:
    return max(value(expr, point) for point in among)


@quick
@given(few)
def test_octagonal_constraints_keep_exactly_the_points_that_satisfy_them(constraints: list[LinearExpr]) -> None:
    expected = {point for point in POINTS if all(value(expr, point) <= 0 for expr in constraints)}
    found = octagon_of(constraints)
    assert points(found) == expected
    assert (found is None) is (not expected)


@quick
@given(octagons, st.lists(expressions, min_size=1, max_size=3))
def test_no_point_that_satisfies_any_constraint_is_lost(octagon: Octagon, constraints: list[LinearExpr]) -> None:
    low, high = BOX[Z]
    kept = {
        point
        for point in points(octagon)
        if all(any(value(expr, point, z) <= 0 for z in range(low, high + 1)) for expr in constraints)
    }
    if len(constraints) > 1:  # one z for all of them
        kept = {
            point
            for point in points(octagon)
            if any(all(value(expr, point, z) <= 0 for expr in constraints) for z in range(low, high + 1))
        }
    found = octagon.constrain(constraints, box)
    assert kept <= points(found) <= points(octagon)


@quick
@given(octagons)
def test_bounds_are_those_of_the_points(octagon: Octagon) -> None:
    inside = points(octagon)
    for expr in PAIRS:
        assert octagon.bounds(expr, box) == (-highest(expr.scaled(-1), inside), highest(expr, inside))
    known = octagon.variable_bounds(box)
    for number, variable in enumerate(PACK):
        assert known[variable] == (min(p[number] for p in inside), max(p[number] for p in inside))


@quick
@given(octagons, expressions)
def test_bounds_of_any_expression_hold(octagon: Octagon, expr: LinearExpr) -> None:
    low, high = octagon.bounds(expr, box)
    assert all(
        low <= value(expr, point, z) <= high for point in points(octagon) for z in range(BOX[Z][0], BOX[Z][1] + 1)
    )


@quick
@given(octagons, octagons)
def test_order_join_and_meet(a: Octagon, b: Octagon) -> None:
    assert a.leq(b, box) is (points(a) <= points(b))
    joined, met = a.join(b, box, box), a.meet(b)
    assert points(met) == points(a) & points(b)
    for expr in PAIRS:
        assert joined.bounds(expr, box)[1] == max(highest(expr, points(a)), highest(expr, points(b)))


@quick
@given(octagons, octagons, st.lists(st.integers(-4, 4), max_size=3))
def test_widening_is_above_both_and_comes_to_an_end(a: Octagon, b: Octagon, limits: list[int]) -> None:
    wide = a
    for _ in range(40):
        new = wide.join(b, box, box)
        widened = wide.widen(new, box, box, sorted(limits))
        assert points(wide) | points(b) <= points(widened)
        if widened.leq(wide, box):
            return
        wide = widened
    raise AssertionError("it does not end")


def test_widening_stops_at_limits() -> None:
    small, larger = octagon_of([LinearExpr.variable(X)]), octagon_of([LinearExpr.variable(X).shifted(-1)])
    assert small is not None
    assert larger is not None
    assert small.widen(larger, box, box, [5]).variable_bounds(lambda v: (-128, 127))[X] == (-3, 2)
    assert small.widen(larger, box, box, []).variable_bounds(lambda v: (-128, 127))[X] == (-3, 127)


@quick
@given(octagons, octagons)
def test_narrowing_stays_between_old_and_new(a: Octagon, b: Octagon) -> None:
    old = a.widen(a.join(b, box, box), box, box, ())
    new = a.join(b, box, box)
    found = old.narrow(new)
    assert points(new) <= points(found) <= points(old)


@quick
@given(octagons, st.sampled_from([[X], [Y], [X, Y], [Z]]))
def test_forgetting_leaves_everything_else(octagon: Octagon, gone: list[Variable]) -> None:
    kept = [number for number, variable in enumerate(PACK) if variable not in gone]
    known = {tuple(point[number] for number in kept) for point in points(octagon)}
    expected = {point for point in POINTS if tuple(point[number] for number in kept) in known}
    assert points(octagon.forget(gone, box)) == expected


@quick
@given(octagons, st.sampled_from(PACK), expressions, st.integers(-2, 0), st.integers(0, 2))
def test_an_assignment_keeps_every_result(
    octagon: Octagon, target: Variable, expr: LinearExpr, low: int, high: int
) -> None:
    results = set()
    for point, z in product(points(octagon), range(BOX[Z][0], BOX[Z][1] + 1)):
        for error in range(low, high + 1):
            number = value(expr, point, z) + error
            results.add((number, point[1]) if target == X else (point[0], number))
    found = octagon.assign(target, LinearForm(expr, low, high), box)
    assert found is not None
    assert all(holds(found, point) for point in results)
    assert_bounded(found, target, *(a + b for a, b in zip(interval_of(expr, box), (low, high), strict=True)))


def whole(variable: Variable) -> tuple[int, int]:
    return variable.type.low, variable.type.high


def assert_bounded(octagon: Octagon, variable: Variable, low: int, high: int) -> None:
    """At least what the intervals of the other variables say about it."""
    least, most = octagon.variable_bounds(whole)[variable]
    assert low <= least
    assert most <= high


@quick
@given(octagons, st.sampled_from([(X, Y), (Y, X), (X, X)]), st.sampled_from([1, -1]), st.integers(-2, 2))
def test_an_assignment_of_a_variable_and_a_constant_is_exact(
    octagon: Octagon, variables: tuple[Variable, Variable], sign: int, constant: int
) -> None:
    target, source = variables
    expr = LinearExpr.of([(source, sign)], constant)
    found = octagon.assign(target, LinearForm(expr, 0, 0), box)
    results = {(value(expr, p), p[1]) if target == X else (p[0], value(expr, p)) for p in points(octagon)}
    assert points(found) == results & set(POINTS)


@quick
@given(octagons)
def test_constraints_say_all(octagon: Octagon) -> None:
    assert points(octagon_of(octagon.constraints(box))) == points(octagon)


@quick
@given(octagons, st.integers(-3, 3), st.integers(-3, 3))
def test_what_is_known_from_elsewhere(octagon: Octagon, low: int, high: int) -> None:
    def narrower(variable: Variable) -> tuple[int, int]:
        return (low, high) if variable == X else BOX[variable]

    expected = {point for point in points(octagon) if low <= point[0] <= high}
    assert points(octagon.within([X], narrower)) == expected
    assert points(octagon.within([Y], narrower)) == points(octagon)


def test_numbers_that_are_too_large_for_the_kernel() -> None:
    """Twice the constant would not fit into 64 bits: then nothing is known, instead of something wrong."""
    x, y = (Variable(name, INT64) for name in "xy")
    at_zero = Octagon.top((x, y)).constrain(
        [LinearExpr.variable(y), LinearExpr.variable(y).scaled(-1)], lambda v: (v.type.low, v.type.high)
    )
    assert at_zero is not None
    for constant in (
        kernel.LIMIT // 4,
        kernel.LIMIT // 2,
        kernel.LIMIT,
        1 << 61,
        (1 << 62) + 5,
        (1 << 63) - 1,
        -(1 << 63),
    ):
        found = at_zero.assign(x, LinearForm(LinearExpr.variable(y), constant, constant), whole)
        assert found is not None, constant
        least, most = found.variable_bounds(whole)[x]
        assert least <= constant <= most, constant
