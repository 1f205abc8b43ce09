"""What one thread holds in the net, and which locks the net may rely on.

Invariant, on which soundness rests: a thread of the net has a lock's tokens only where the program's thread certainly
holds that lock. Then a lock that the program can take has its tokens in its place, and the net can take it too. In
doubt the tokens are given back: that only lets others do more.

A read lock is taken in one of two ways. *Marked*: with one of the lock's two tokens; a writer needs both. As a
*ghost*: without any, for the threads whose exclusion does not matter. Of any number of readers only two can be at the
accesses of a pair, and these can be the marked ones; so a ghost never stands at an access.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from raceproof.petri.program_pointers import Place

ATOMIC: Final[Place] = ("", 0)
"""The lock of `__VERIFIER_atomic_begin` and of functions that are atomic by their name."""

MAX_DEPTH: Final = 4
READER_TOKENS: Final = 2


@unique
class Mode(StrEnum):
    EXCLUSIVE = "exclusive"
    MARKED = "marked reader"
    GHOST = "reader"


@dataclass(frozen=True, slots=True, order=True)
class Hold:
    """`depth`: how often a recursive mutex is locked."""

    lock: Place
    mode: Mode
    depth: int = 1


Held = tuple[Hold, ...]
"""What a thread holds, in the order of locks; at most one entry for each."""

Tokens = tuple[tuple[Place, int], ...]


@dataclass(frozen=True, slots=True)
class Kinds:
    """What is known about the locks of a program.

    `shared`: those with a read side. `counts`: a mutex that is locked twice by one thread counts, or blocks for ever;
    not so if it may be error-checking.
    """

    shared: frozenset[Place]
    counts: Callable[[str], bool]

    def weight(self, hold: Hold) -> int:
        if hold.mode == Mode.GHOST:
            return 0
        return READER_TOKENS if hold.lock in self.shared and hold.mode == Mode.EXCLUSIVE else 1

    def capacity(self, lock: Place) -> int:
        return READER_TOKENS if lock in self.shared else 1

    def tokens(self, held: Held) -> Tokens:
        return tuple((hold.lock, self.weight(hold)) for hold in held if self.weight(hold))


def find(held: Held, lock: Place) -> Hold | None:
    return next((hold for hold in held if hold.lock == lock), None)


def without(held: Held, lock: Place) -> Held:
    return tuple(hold for hold in held if hold.lock != lock)


def with_hold(held: Held, hold: Hold) -> Held:
    return tuple(sorted((*without(held, hold.lock), hold)))


def has_ghost(held: Held) -> bool:
    return any(hold.mode == Mode.GHOST for hold in held)


def kept(held: Held, released: frozenset[str] | None) -> Held:
    """What is certainly still held when locks in these global variables may have been given back; None: all of them."""
    return () if released is None else tuple(hold for hold in held if hold.lock[0] not in released)
