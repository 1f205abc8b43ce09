"""Overlap of abstract locations and of addresses."""

from __future__ import annotations

from math import gcd

from raceproof.model import Base, Linear, MemLoc


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


def is_apart(written: Linear | None, size: int | None, word: Linear, word_size: int) -> bool:
    """A write goes to another variable than a word, or to other bytes of the same one. Errs on the side of False."""
    if written is None:
        return False
    match written.terms, word.terms:
        case ((Base(object=target), 1),), ((Base(object=other), 1),):
            distance = written.constant - word.constant
            return target != other or distance >= word_size or (size is not None and distance <= -size)
    return False
