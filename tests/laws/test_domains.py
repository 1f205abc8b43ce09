"""The laws of `raceproof.domains.Domain`, for every domain; see the protocol's docstring."""

from __future__ import annotations

import os

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from laws.machine_states import (
    PACKS,
    VARIABLES,
    A,
    B,
    Concrete,
    Step,
    X,
    Y,
    after,
    apply,
    elements,
    holds,
    numbers,
    states,
    steps,
)

from raceproof.domains import (
    Binary,
    Const,
    LinearExpr,
    NumericDomain,
    Op,
    SignedOverflow,
    State,
    has_polyhedra,
    intervals,
    octagons,
    polyhedra,
)

WRAPS = SignedOverflow.WRAPS
DOMAINS = {"intervals": intervals(), "octagons": octagons(PACKS, thresholds=(5, 100))}
WRAPPING = {
    "intervals, wrapping": intervals(overflow=WRAPS),
    "octagons, wrapping": octagons(PACKS, overflow=WRAPS),
}
if has_polyhedra():
    DOMAINS["polyhedra"] = polyhedra(PACKS)
    WRAPPING["polyhedra, wrapping"] = polyhedra(PACKS, overflow=WRAPS)
every_domain = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS.keys())
both_overflows = pytest.mark.parametrize(
    "domain", [*DOMAINS.values(), *WRAPPING.values()], ids=[*DOMAINS.keys(), *WRAPPING.keys()]
)
some_data = given(data=st.data())
# How many times as many examples as `make test` can afford: RACEPROOF_LAWS=50 for a thorough run.
_TIMES = int(os.environ.get("RACEPROOF_LAWS", "1"))
few, usual, many = (settings(max_examples=n * _TIMES) for n in (6, 15, 30))


def smaller_and_larger(data: st.DataObject, domain: NumericDomain) -> tuple[State, State]:
    first, second = data.draw(elements(domain)), data.draw(elements(domain))
    return first, domain.join(first, second)


def pinned(domain: NumericDomain, state: Concrete, element: State) -> State:
    """The element, joined with one that has the state: so that random states are often inside."""
    point = domain.top()
    for variable, number in state.items():
        point = domain.assign(point, variable, Const(number, variable.type))
    return domain.join(point, element)


@every_domain
@usual
@some_data
def test_leq_is_a_preorder_with_least_and_largest(domain: NumericDomain, data: st.DataObject) -> None:
    a, b = smaller_and_larger(data, domain)
    c = domain.join(b, data.draw(elements(domain)))
    assert domain.leq(a, a)
    assert domain.leq(domain.bottom(), a)
    assert domain.leq(a, domain.top())
    assert domain.leq(a, b)
    assert domain.leq(b, c)
    assert domain.leq(a, c)
    if domain.leq(a, domain.bottom()):
        assert domain.is_bottom(a)


@every_domain
@usual
@some_data
def test_elements_below_one_another_say_the_same(domain: NumericDomain, data: st.DataObject) -> None:
    a = data.draw(elements(domain))
    b = domain.meet(a, domain.join(a, data.draw(elements(domain))))
    assert domain.leq(b, a)
    if domain.leq(a, b):
        for first in VARIABLES:
            assert domain.bounds(a, LinearExpr.variable(first)) == domain.bounds(b, LinearExpr.variable(first))


@every_domain
@usual
@some_data
def test_join_is_an_upper_bound_and_meet_a_lower_one(domain: NumericDomain, data: st.DataObject) -> None:
    a, b = data.draw(elements(domain)), data.draw(elements(domain))
    joined, met = domain.join(a, b), domain.meet(a, b)
    assert domain.leq(a, joined)
    assert domain.leq(b, joined)
    assert domain.leq(met, a)
    assert domain.leq(met, b)


@every_domain
@usual
@given(data=st.data(), state=states)
def test_join_meet_and_widening_keep_states(domain: NumericDomain, data: st.DataObject, state: Concrete) -> None:
    a, b = pinned(domain, state, data.draw(elements(domain))), pinned(domain, state, data.draw(elements(domain)))
    other = data.draw(elements(domain))
    assert holds(domain, domain.meet(a, b), state)
    assert holds(domain, domain.join(a, other), state)
    assert holds(domain, domain.join(other, a), state)
    assert holds(domain, domain.widen(a, other), state)
    assert holds(domain, domain.widen(other, a), state)


@every_domain
@usual
@some_data
def test_widening_is_an_upper_bound(domain: NumericDomain, data: st.DataObject) -> None:
    old, new = smaller_and_larger(data, domain)
    widened = domain.widen(old, new)
    assert domain.leq(old, widened)
    assert domain.leq(new, widened)


@every_domain
@few
@some_data
def test_chains_of_widenings_end(domain: NumericDomain, data: st.DataObject) -> None:
    """Of all elements that are drawn and shifted, one after the other, only finitely many move the chain."""
    current, moves = data.draw(elements(domain)), 0
    drawn = data.draw(st.lists(elements(domain), min_size=1, max_size=3))
    for round_number in range(120):
        new = drawn[round_number % len(drawn)]
        for variable in (X, A):
            offset = Const(round_number % variable.type.high, variable.type)
            new = domain.join(new, domain.assign(new, variable, Binary(Op.ADD, variable, offset)))
        if not domain.leq(new, current):
            current, moves = domain.widen(current, domain.join(current, new)), moves + 1
    assert moves < 80
    assert all(domain.leq(new, current) for new in drawn)


@every_domain
@usual
@some_data
def test_narrowing_lies_between(domain: NumericDomain, data: st.DataObject) -> None:
    new, old = smaller_and_larger(data, domain)
    old = domain.widen(new, old)
    narrowed = domain.narrow(old, new)
    assert domain.leq(new, narrowed)
    assert domain.leq(narrowed, old)


@both_overflows
@many
@given(data=st.data(), step=steps)
def test_assign_and_assume_are_monotone(domain: NumericDomain, data: st.DataObject, step: Step) -> None:
    a, b = smaller_and_larger(data, domain)
    assert domain.leq(apply(domain, a, step), apply(domain, b, step))


@every_domain
@usual
@some_data
def test_forget_project_and_meld_are_monotone(domain: NumericDomain, data: st.DataObject) -> None:
    a, b = smaller_and_larger(data, domain)
    c, d = smaller_and_larger(data, domain)
    some = data.draw(st.sets(st.sampled_from(VARIABLES)))
    assert domain.leq(a, domain.forget(a, some))
    assert domain.leq(domain.forget(a, some), domain.forget(b, some))
    assert domain.leq(domain.project(a, some), domain.project(b, some))
    assert domain.leq(domain.meld(a, c, some), domain.meld(b, c, some))
    assert domain.leq(domain.meld(a, c, some), domain.meld(a, d, some))


@both_overflows
@many
@given(data=st.data(), state=states, program=st.lists(steps, min_size=1, max_size=4), chosen=st.integers(-300, 300))
def test_transfer_functions_lose_no_state(
    domain: NumericDomain, data: st.DataObject, state: Concrete, program: list[Step], chosen: int
) -> None:
    element = pinned(domain, state, data.draw(elements(domain)))
    for step in program:
        assert holds(domain, element, state)
        following = list(after(step, state, domain.overflow, chosen))
        element = apply(domain, element, step)
        assume(following)  # the program has no meaning from here on
        (state,) = following
    assert holds(domain, element, state)


@every_domain
@usual
@given(data=st.data(), mover=states, local=states)
def test_forget_project_and_meld_keep_states(
    domain: NumericDomain, data: st.DataObject, mover: Concrete, local: Concrete
) -> None:
    """Shared values of the mover with the other thread's locals are a state of the meld; see [TX, Definition 2]."""
    shared = data.draw(st.sets(st.sampled_from(VARIABLES)))
    alpha = pinned(domain, mover, data.draw(elements(domain)))
    beta = pinned(domain, local, data.draw(elements(domain)))
    mixed = {v: mover[v] if v in shared else local[v] for v in VARIABLES}
    assert holds(domain, domain.meld(alpha, beta, shared), mixed)
    assert holds(domain, domain.forget(beta, shared), mixed)
    assert holds(domain, domain.project(alpha, shared), mixed)
    changed = {v for v in shared if mover[v] != local[v]}
    assert holds(domain, domain.meld(alpha, beta, shared, changed), mixed)


@every_domain
@usual
@given(data=st.data(), state=states)
def test_renaming_and_lifting_keep_states(domain: NumericDomain, data: st.DataObject, state: Concrete) -> None:
    element = pinned(domain, state, data.draw(elements(domain)))
    swapped = {**state, X: state[Y], Y: state[X], A: state[B], B: state[A]}
    renamed = domain.rename(element, {X: Y, Y: X, A: B, B: A})
    assert holds(domain, renamed, swapped)
    moved = {**state, Y: state[X], X: data.draw(numbers(X.type))}
    assert holds(domain, domain.rename(element, {X: Y}), moved)
    for target in DOMAINS.values():
        assert holds(target, target.lift(element), state)


@every_domain
@usual
@some_data
def test_renaming_back_says_the_same_of_a_pack(domain: NumericDomain, data: st.DataObject) -> None:
    element = domain.project(data.draw(elements(domain)), (X, Y))
    assume(not domain.is_bottom(element))
    swap = {X: Y, Y: X}
    again = domain.rename(domain.rename(element, swap), swap)
    for expr in (LinearExpr.variable(X), LinearExpr.variable(Y), LinearExpr.difference(X, Y)):
        assert domain.bounds(again, expr) == domain.bounds(element, expr)
