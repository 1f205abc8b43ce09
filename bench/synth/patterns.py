"""The form of a pattern: how one kind of module keeps its state, and where a race can be planted in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NO_PARTS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Plant:
    """A way to break a pattern: other texts for some of its parts.

    `target` is the location as the programmer names it; running `calls` in two threads at once races on it.
    """

    kind: str
    target: str
    parts: Mapping[str, str]
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extra:
    """A function that a module of this pattern may have or not; `api` is how a service calls it."""

    text: str
    api: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of module.

    `text` goes first and `extras` (some of them) follow, then `init` and `report`, which main runs before
    the first thread and after the last. `confined`: no locks, used by one thread only.
    """

    noun: str
    weight: int
    text: str
    apis: tuple[str, ...]
    init: str = ""
    report: str = ""
    extras: tuple[Extra, ...] = ()
    plants: tuple[Plant, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    confined: bool = False
    under_lock: bool = True
