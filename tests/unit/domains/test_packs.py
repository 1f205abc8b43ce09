"""Packs from what comes together."""

from __future__ import annotations

from raceproof.domains import INT32, Binary, Cast, Const, Op, Variable, packs_of, related_in

A, B, C, D, E = (Variable(name, INT32) for name in "abcde")


def test_variables_that_come_together_are_in_one_pack() -> None:
    assert packs_of([(A, B), (B, C), (D, E)], largest=4) == ((A, B, C), (D, E))


def test_packs_keep_to_their_size_and_the_frequent_come_first() -> None:
    packs = packs_of([(A, B), (C, D), (B, C), (B, C)], largest=2)
    assert packs == ((B, C), (A, B), (C, D))
    assert all(len(pack) <= 2 for pack in packs)


def test_a_group_that_is_too_large_is_cut() -> None:
    assert packs_of([(A, B, C, D)], largest=3) == ((A, B, C),)


def test_single_variables_need_no_pack() -> None:
    assert packs_of([(A,), (B,)], largest=4) == ()


def test_what_assignments_and_conditions_relate() -> None:
    assert list(related_in(Binary(Op.ADD, B, C), assigned=A)) == [(A, B, C)]
    assert list(related_in(B, assigned=A)) == [(A, B)]
    assert list(related_in(Const(1, INT32), assigned=A)) == []
    both = Binary(Op.LOGICAL_AND, Binary(Op.LT, A, B), Cast(INT32, Binary(Op.EQ, C, D)))
    assert list(related_in(both)) == [(A, B), (C, D)]
