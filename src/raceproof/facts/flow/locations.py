"""Overlap of abstract locations."""

from __future__ import annotations

from math import gcd

from raceproof.model import MemLoc


def overlap(a: MemLoc, b: MemLoc) -> bool:
    """The two may have a byte in common. Errs on the side of True."""
    if a.object != b.object:
        return False
    if a.offset is None or b.offset is None:
        return True
    if a.is_before(b) or b.is_before(a):
        return False
    stride = gcd(a.stride or 0, b.stride or 0)
    apart = b.offset - a.offset
    if stride:
        apart %= stride
        return (a.size is None or apart < a.size) or (b.size is None or stride - apart < b.size)
    if apart >= 0:
        return a.size is None or apart < a.size
    return b.size is None or -apart < b.size
