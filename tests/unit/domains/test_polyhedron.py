"""Polyhedra: their limits, what they fall back to, and life without the library."""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from raceproof.core import ToolMissing
from raceproof.domains import (
    INT32,
    Binary,
    Const,
    Expr,
    Limits,
    LinearExpr,
    NumericDomain,
    Op,
    State,
    Variable,
    has_polyhedra,
    octagons,
    parma,
    polyhedra,
)
from raceproof.domains.octagon import Octagon
from raceproof.domains.polyhedron import Polyhedron
from raceproof.domains.rows import most_corners

MANY = tuple(Variable(f"v{k}", INT32) for k in range(12))
needs_ppl = pytest.mark.skipif(not has_polyhedra(), reason="the extra `polyhedra` is not installed")


def random_sum(chosen: random.Random, variables: tuple[Variable, ...]) -> Expr:
    expr: Expr = Const(chosen.randrange(10), INT32)
    for variable in chosen.sample(variables, 4):
        factor = Const(chosen.randrange(1, 6), INT32)
        expr = Binary(chosen.choice([Op.ADD, Op.SUB]), expr, Binary(Op.MUL, factor, variable))
    return expr


def boxed(domain: NumericDomain, variables: tuple[Variable, ...]) -> State:
    state = domain.top()
    for variable in variables:
        state = domain.assume(state, Binary(Op.GE, variable, Const(0, INT32)))
        state = domain.assume(state, Binary(Op.LE, variable, Const(1000, INT32)))
    return state


@needs_ppl
def test_large_polyhedra_become_coarse_instead_of_slow() -> None:
    """Eight variables, dozens of dense constraints, joins of such: without limits that takes hours."""
    pack = MANY[:8]
    domain = polyhedra([pack])
    chosen = random.Random(7)
    start = time.monotonic()
    states = []
    for _ in range(3):
        state = boxed(domain, pack)
        for _ in range(40):
            after = domain.assume(state, Binary(Op.LE, random_sum(chosen, pack), Const(3000, INT32)))
            state = state if domain.is_bottom(after) else after
        states.append(state)
    joined = domain.join(domain.join(states[0], states[1]), states[2])
    assert all(domain.leq(state, joined) for state in states)
    widened = domain.widen(states[0], joined)
    assert domain.leq(joined, widened)
    domain.forget(states[0], pack[:3])
    assert time.monotonic() - start < 60


@needs_ppl
def test_what_a_coarse_polyhedron_loses_the_octagon_keeps() -> None:
    tiny = Limits(variables=8, constraints=1, corners=1)
    domain = polyhedra([MANY[:3]], limits=tiny)
    x, y, z = MANY[:3]
    state = domain.top()
    for first, second in pairwise((x, y, z)):
        state = domain.assume(state, Binary(Op.LT, first, second))
    other = domain.assign(state, x, Binary(Op.SUB, y, Const(5, INT32)))
    assert domain.bounds(domain.join(state, other), LinearExpr.difference(x, z))[1] == -2


@needs_ppl
def test_packs_that_are_too_large_get_octagons_only() -> None:
    domain = polyhedra([MANY, MANY[:3]], limits=Limits(variables=8))
    assert [type(top) for top in domain.tops] == [Octagon, Octagon, Polyhedron]


@needs_ppl
def test_bounds_are_those_of_integers() -> None:
    x, y, z = MANY[:3]
    domain = polyhedra([(x, y, z)])
    twice = Binary(Op.MUL, Const(2, INT32), Binary(Op.ADD, Binary(Op.ADD, x, y), z))
    state = domain.assume(boxed(domain, (x, y, z)), Binary(Op.LE, twice, Const(13, INT32)))
    assert domain.bounds(state, LinearExpr.of({x: 1, y: 1, z: 1})) == (0, 6)


@pytest.mark.parametrize(
    ("dimensions", "inequalities", "corners"), [(0, 5, 1), (2, 3, 4), (3, 5, 8), (4, 7, 20), (8, 16, 935)]
)
def test_the_most_corners(dimensions: int, inequalities: int, corners: int) -> None:
    """[McM70], for one inequality more, since what is not bounded has corners at infinity."""
    assert most_corners(dimensions, inequalities) == corners


@pytest.fixture
def without_ppl(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = importlib.import_module

    def missing(name: str, package: str | None = None) -> object:
        if name == "ppl":
            raise ImportError("no ppl here")
        return real(name, package)

    monkeypatch.setattr(parma.importlib, "import_module", missing)
    parma.ppl.cache_clear()
    yield
    parma.ppl.cache_clear()


@pytest.mark.usefixtures("without_ppl")
def test_without_the_library_polyhedra_say_so_and_the_rest_works() -> None:
    assert not has_polyhedra()
    with pytest.raises(ToolMissing, match=r"raceproof\[polyhedra\]"):
        polyhedra([MANY[:3]])
    domain = octagons([MANY[:3]])
    assert not domain.is_bottom(domain.assume(domain.top(), Binary(Op.LT, MANY[0], MANY[1])))
