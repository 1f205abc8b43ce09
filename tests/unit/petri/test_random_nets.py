"""Random small nets: the solvers against a search that tries every run within a bound, evidence against the checker."""

from __future__ import annotations

import random

import pytest
from unit.petri.random_nets import is_covered_within_bound, random_net

from raceproof.core import Budget
from raceproof.petri.checking import check_certificate, check_firing
from raceproof.petri.net import Net, Safe, Solution, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.solver import solve


def problem_of(net: Net, solution: Solution) -> str | None:
    match solution:
        case Safe(certificate=certificate):
            return check_certificate(net, certificate)
        case Unsafe():
            return check_firing(net, solution)
    return f"undecided: {solution.reason}"


def compare(seeds: range) -> tuple[int, int]:
    """(nets that the search within the bound decides, those of them that are unsafe)"""
    conclusive = unsafe = 0
    for seed in seeds:
        net = random_net(random.Random(seed))
        solution = solve(net, Budget.seconds(20))
        assert problem_of(net, solution) is None, f"seed {seed}: {net}"
        expected = is_covered_within_bound(net)
        if expected is not None:
            assert isinstance(solution, Unsafe) == expected, f"seed {seed}: {net}"
            conclusive += 1
            unsafe += expected
        plain = solve_plainly(net, Budget.seconds(0.3))
        if isinstance(plain, Safe | Unsafe):
            assert problem_of(net, plain) is None, f"seed {seed}: {net}"
            assert isinstance(plain, type(solution)), f"seed {seed}: {net}"
    return conclusive, unsafe


def test_random_nets() -> None:
    conclusive, unsafe = compare(range(300))
    assert 100 < unsafe < conclusive - 50


@pytest.mark.slow
def test_five_thousand_random_nets() -> None:
    conclusive, unsafe = compare(range(1000, 6000))
    assert 1500 < unsafe < conclusive - 500
