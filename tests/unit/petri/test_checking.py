"""The checker accepts what the solvers say, and nothing that was tampered with."""

from __future__ import annotations

import dataclasses

import pytest
from unit.petri.nets import BAG, DEAD, MUTEX, TURNS

from raceproof.core import Budget
from raceproof.petri.checking import check_certificate, check_firing
from raceproof.petri.net import Net, NetCertificate, Safe, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.solver import solve


def certificate(net: Net, plainly: bool = False) -> NetCertificate:
    solution = (solve_plainly if plainly else solve)(net, Budget.seconds(60))
    assert isinstance(solution, Safe)
    return solution.certificate


INVARIANT = NetCertificate((), ((((1, 1), (2, 1)), 1),))


def test_an_invariant_is_enough() -> None:
    assert check_certificate(MUTEX, INVARIANT) is None


@pytest.mark.parametrize("net", [MUTEX, TURNS, DEAD])
@pytest.mark.parametrize("plainly", [True, False])
def test_certificates_are_accepted(net: Net, plainly: bool) -> None:
    assert check_certificate(net, certificate(net, plainly)) is None


@pytest.mark.parametrize("net", [MUTEX, TURNS, DEAD])
def test_no_marking_of_a_basis_can_be_left_out(net: Net) -> None:
    """The solver's certificates are trimmed: each element is needed."""
    whole = certificate(net)
    for number in range(len(whole.basis)):
        less = dataclasses.replace(whole, basis=whole.basis[:number] + whole.basis[number + 1 :])
        assert check_certificate(net, less) is not None
    for number in range(len(whole.invariants)):
        less = dataclasses.replace(whole, invariants=whole.invariants[:number] + whole.invariants[number + 1 :])
        assert check_certificate(net, less) is not None


@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        (NetCertificate(()), "target number 0 is not in the set"),
        (NetCertificate((((2, 2),),)), "transition enter (number 0) leads into the set from outside"),
        (NetCertificate((((0, 5),), ((2, 2),))), "an initial marking is in the set"),
        (NetCertificate(((),)), "an initial marking is in the set"),
        (NetCertificate((), ((((1, 1), (2, 1)), 2),)), "target number 0 is not in the set"),
        (NetCertificate((), ((((1, 1), (2, 1)), 0),)), "an invariant does not hold at the beginning"),
        (NetCertificate((), ((((1, 1), (2, 2)), 1),)), "transition enter (number 0) adds to an invariant"),
        (NetCertificate((), ((((2, 1),), 1),)), "transition enter (number 0) adds to an invariant"),
        (NetCertificate((), ((((0, 1), (2, 1)), 1),)), "an invariant has a place with any number of tokens"),
        (NetCertificate((), ((((1, -1), (2, 1)), 1),)), "a number of tokens or a weight is not above zero"),
        (NetCertificate((((2, 0),),)), "a number of tokens or a weight is not above zero"),
        (NetCertificate((((3, 1),),)), "a place does not exist"),
        (NetCertificate((((-1, 1),),)), "a place does not exist"),
        (NetCertificate((((2, 1), (2, 1)),)), "a place stands twice in a marking"),
    ],
)
def test_forged_certificates_are_refused(forged: NetCertificate, reason: str) -> None:
    assert check_certificate(MUTEX, forged) == reason


def test_a_raised_bound_is_refused() -> None:
    found = certificate(TURNS)
    for number, (weights, bound) in enumerate(found.invariants):
        forged = list(found.invariants)
        forged[number] = (weights, bound + 1)
        assert check_certificate(TURNS, dataclasses.replace(found, invariants=tuple(forged))) is not None


def test_an_unsafe_net_has_no_certificate() -> None:
    invariant = (((0, 1), (2, 1)), 1)
    for basis in ((), (((2, 1),),), (((1, 5), (2, 1)),), (((1, 1),),)):
        assert check_certificate(BAG, NetCertificate(basis, (invariant,))) is not None


RUN = Unsafe(((0, 1),), (0,) * 8 + (1,))


def test_a_run_is_replayed() -> None:
    assert check_firing(BAG, RUN) is None


@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        (Unsafe(((0, 1),), (0,) * 7 + (1,)), "the run does not end in a marking that covers a target"),
        (Unsafe(((0, 1),), (0, 0, 1)), "step 2: pack cannot fire: too few tokens in place item"),
        (Unsafe(((0, 1),), (2,)), "step 0: there is no transition 2"),
        (Unsafe(((0, 1),), (-1,)), "step 0: there is no transition -1"),
        (Unsafe(((0, 2),), RUN.firing), "the run does not begin in an initial marking: 2 tokens in place lock"),
        (Unsafe((), RUN.firing), "the run does not begin in an initial marking: 0 tokens in place lock"),
        (Unsafe(((7, 1),), RUN.firing), "a place does not exist"),
        (Unsafe(((0, -1),), RUN.firing), "a number of tokens or a weight is not above zero"),
    ],
)
def test_forged_runs_are_refused(forged: Unsafe, reason: str) -> None:
    assert check_firing(BAG, forged) == reason
