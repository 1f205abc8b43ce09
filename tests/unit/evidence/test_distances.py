"""Distances against the definition: byte by byte."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raceproof.evidence.distances import Distances

small = st.integers(-40, 40)
sizes = st.integers(1, 12)


@given(small, st.integers(-12, 12), st.booleans(), sizes, sizes)
def test_overlaps_are_those_of_the_bytes(apart: int, step: int, not_same: bool, size_a: int, size_b: int) -> None:
    found = Distances(apart, step, not_same).overlapping(size_a, size_b)
    rounds = range(-100, 101) if step else [0]
    every = {apart + m * step for m in rounds if not (not_same and m == 0)}
    shared = {d for d in every if {d + i for i in range(size_a)} & set(range(size_b))}
    assert set(found) == shared
