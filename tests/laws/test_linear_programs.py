"""Relational domains on programs that are linear: the states of a run are never lost, joins and widenings included.

Random expressions of C seldom build up relations between three variables; these programs do nothing else.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raceproof.domains import (
    INT32,
    Binary,
    Const,
    Expr,
    LinearExpr,
    NumericDomain,
    Op,
    State,
    Variable,
    evaluate_concretely,
    has_polyhedra,
    octagons,
    polyhedra,
)

VARIABLES = tuple(Variable(name, INT32) for name in "pqrs")
DOMAINS = [octagons([VARIABLES])]
if has_polyhedra():
    DOMAINS.append(polyhedra([VARIABLES]))
Concrete = dict[Variable, int]
small = st.integers(-3, 3)
sums = st.tuples(st.tuples(*[small] * len(VARIABLES)), small)
START: Concrete = dict(zip(VARIABLES, (3, -5, 0, 7), strict=True))


def expression(factors: tuple[int, ...], constant: int) -> Expr:
    result: Expr = Const(constant, INT32)
    for factor, variable in zip(factors, VARIABLES, strict=True):
        if factor:
            result = Binary(Op.ADD, result, Binary(Op.MUL, Const(factor, INT32), variable))
    return result


def step(domain: NumericDomain, element: State, state: Concrete, draw: st.DrawFn) -> tuple[State, Concrete]:
    """An assignment, or a condition that holds in the state, loosely or exactly."""
    expr = expression(*draw(sums))
    value = evaluate_concretely(expr, state)
    if draw(st.booleans()):
        variable = draw(st.sampled_from(VARIABLES))
        return domain.assign(element, variable, expr), {**state, variable: value}
    op, bound = draw(st.sampled_from([(Op.LE, value), (Op.LE, value + 4), (Op.GE, value - 1), (Op.EQ, value)]))
    return domain.assume(element, Binary(op, expr, Const(bound, INT32))), state


def has(domain: NumericDomain, element: State, state: Concrete) -> bool:
    if domain.is_bottom(element) or any(state[v] not in domain.value(element, v) for v in VARIABLES):
        return False
    for factors in ((1, 1, 1, 1), (1, -2, 3, 0), (0, 1, -1, 2), (1, -1, 0, 0), (1, 0, 0, 0)):
        expr = LinearExpr.of(zip(VARIABLES, factors, strict=True))
        low, high = domain.bounds(element, expr) or (1, 0)
        if not low <= expr.value(state) <= high:
            return False
    return all(expr.value(state) <= 0 for expr in domain.constraints(element))


@st.composite
def runs(draw: st.DrawFn, domain: NumericDomain) -> tuple[State, Concrete]:
    element, state = domain.top(), START
    if draw(st.booleans()):
        for variable, number in START.items():
            element = domain.assign(element, variable, Const(number, INT32))
    for _ in range(draw(st.integers(1, 6))):
        element, state = step(domain, element, state, draw)
        assert has(domain, element, state)
    return element, state


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
@settings(max_examples=40 * int(os.environ.get("RACEPROOF_LAWS", "1")))
@given(data=st.data())
def test_runs_of_linear_programs_stay_inside(domain: NumericDomain, data: st.DataObject) -> None:
    a, of_a = data.draw(runs(domain))
    b, of_b = data.draw(runs(domain))
    for combined in (domain.join(a, b), domain.widen(a, b), domain.widen(b, a)):
        assert has(domain, combined, of_a)
        assert has(domain, combined, of_b)
        assert domain.leq(a, combined)
        assert domain.leq(b, combined)
    gone = data.draw(st.sets(st.sampled_from(VARIABLES)))
    mixed = {v: of_b[v] if v in gone else of_a[v] for v in VARIABLES}
    assert has(domain, domain.forget(a, gone), mixed)
    if domain.name == "octagons":  # polyhedra reach their limits on such programs, and are then not monotone
        expr = expression(*data.draw(sums))
        variable = data.draw(st.sampled_from(VARIABLES))
        assert domain.leq(domain.assign(a, variable, expr), domain.assign(domain.join(a, b), variable, expr))
