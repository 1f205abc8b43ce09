"""What the user may choose about the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from raceproof.frontend import LinkedModule
from raceproof.model import RacePair

DEFAULT_ALGORITHM = "race"
DEFAULT_MAX_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class ExploreOptions:
    """How to search.

    `module`: the text that the program was parsed from; without it there is nothing to run. `max_executions` 0 is
    no limit; `max_steps` is for one execution, what is cut there makes the result bounded. `isolation` is auto,
    memory or fork. `trust`: pairs that were not asked about are taken as proved and are not watched; without
    it they are, and a race on one of them is a contradiction. `ordered`: pairs that static facts exclude without
    locks; they are watched, but subspaces are not searched for their sake.
    """

    module: LinkedModule | None = None
    algorithm: str = DEFAULT_ALGORITHM
    find_all: bool = False
    max_executions: int = 0
    max_steps: int = DEFAULT_MAX_STEPS
    isolation: str = "auto"
    arguments: tuple[str, ...] = ()
    spurious: bool = True
    jobs: int = 1
    trust: bool = True
    ordered: frozenset[RacePair] = frozenset()
    on_progress: Callable[[str], None] = field(default=lambda text: None, compare=False)
