"""Which engines there are, by name. A new engine is one function registered here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raceproof import lockset
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, EngineResult, RacePair


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for and engines may need: cores to use, arguments of the checked program."""

    jobs: int = 1
    arguments: tuple[str, ...] = ()


EngineFunction = Callable[[ConcurrentProgram, Sequence[RacePair], Settings, Budget], EngineResult]


def _lockset(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    return lockset.run(cp, pairs, lockset.LocksetOptions(), budget)


ENGINES: dict[str, EngineFunction] = {
    "lockset": _lockset,
}
"""In the order in which they run when the user names none: the cheap ones first."""
