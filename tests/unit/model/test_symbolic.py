from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raceproof.model import ZERO, Atom, Base, Linear, ObjectId, Opaque, Self, Stable, StartArg, ThreadId, of_atom

ATOMS: list[Atom] = [
    Base(ObjectId(1)),
    Base(ObjectId(2)),
    Stable(of_atom(Base(ObjectId(1))), 8),
    StartArg(ThreadId(1)),
    Self(ThreadId(1)),
    Opaque("i"),
]
linears = st.builds(
    lambda constant, sums: sum_of(constant, sums),
    st.integers(-50, 50),
    st.lists(st.tuples(st.sampled_from(ATOMS), st.integers(-3, 3)), max_size=4),
)


def sum_of(constant: int, terms: list[tuple[Atom, int]]) -> Linear:
    result = Linear(constant)
    for atom, factor in terms:
        result = result.plus(of_atom(atom), factor)
    return result


def value(linear: Linear) -> int:
    """Under some assignment that tells the atoms apart."""
    return linear.constant + sum(factor * (1000 + 7 * ATOMS.index(atom)) for atom, factor in linear.terms)


@given(linears, linears, st.integers(-3, 3))
def test_arithmetic_agrees_with_values(a: Linear, b: Linear, factor: int) -> None:
    assert value(a.plus(b, factor)) == value(a) + factor * value(b)
    assert value(a.scaled(factor)) == factor * value(a)
    assert value(a.shifted(factor)) == value(a) + factor


@given(linears, linears)
def test_equal_sums_are_equal_values(a: Linear, b: Linear) -> None:
    assert a.plus(b) == b.plus(a)
    assert a.plus(b).plus(b, -1) == a
    assert a.plus(a, -1) == ZERO
    assert all(factor != 0 for _, factor in a.plus(b).terms)


def test_absolute_means_the_same_in_every_thread() -> None:
    assert of_atom(ATOMS[0]).plus(of_atom(ATOMS[2]), 4).is_absolute
    assert ZERO.is_absolute
    assert not of_atom(StartArg(ThreadId(1))).is_absolute
    assert not of_atom(Opaque("i")).is_absolute
