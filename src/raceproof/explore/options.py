"""What the user may choose about the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from raceproof.cluster import Cluster
from raceproof.explore.target import Target
from raceproof.frontend import LinkedModule
from raceproof.model import Models, ObjectId, RacePair, Surroundings

DEFAULT_ALGORITHM = "race"
DEFAULT_MAX_STEPS = 1_000_000
DEFAULT_LEARNING = 1000
FINDS_DEADLOCKS = ("optimal", "dfs", "states")
"""Algorithms that execute every deadlock, or one that is equivalent; the first is the default. The others leave out
what cannot have a race."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """When work is divided. `first`: seconds that the first host has for itself; `later`: that any other has, and
    between two questions; `executions`: after so many a host gives back what it has left (0: only when asked).
    Where an item ends when it is asked, it has `briefly` while there are few, `longest` when there are many."""

    first: float = 0.3
    later: float = 0.1
    executions: int = 0
    briefly: float = 0.3
    longest: float = 4.0


DEFAULT_SHARING = Sharing()


@dataclass(frozen=True, slots=True)
class ExploreOptions:
    """How to search.

    `module`: the text that the program was parsed from; without it there is nothing to run. `max_executions` and
    `seconds`, of the search itself, are limits unless they are 0; `max_steps` is for one execution, what is cut
    there makes the result bounded. `isolation` is auto, memory or fork. `trust`: pairs that were not asked about
    are taken as proved and are not watched; without it they are, and a race on one of them is a contradiction.
    `confirmations`: how often a race is repeated before it counts. `ordered`: pairs that static facts exclude
    without locks; they are watched, but subspaces are not searched for their sake. `watched`: pairs of an earlier
    search, which stay instrumented so that its schedules keep their meaning; `known_races`: those of them that
    race. `outlived`: local variables that threads may use when their function has returned: then two accesses meet
    that nothing else brings together, which is no contradiction. `jobs`: processes that search, or `cluster`: what
    does so instead; `sharing`: when they divide the work; `checkpoint`: the file in which the state of the search is
    kept. `models`: what the user says about functions. `pruning`: of subspaces without races, in the searches that do
    so: repaired, printed ([PDP, Fig. 7] as it stands, which proves nothing) or none.
    `deadlocks`: look for deadlocks, which only some algorithms do (`FINDS_DEADLOCKS`), and go on behind races.
    `target`: where programs run, None for this machine. `surroundings`: what is around the program there.
    `max_states`: of algorithm `states`, how many it remembers (0: as many as there is memory for); `exact_states`: it
    keeps them whole and compares them, not only their hashes; `symmetry`: threads that nobody can tell apart are one
    and the same to it; `monitors`: operations under a lock that all who use their object hold are no scheduling points;
    `persistent`: when it has learnt from so many states what threads do, it tries a persistent set of them in each (0:
    all of them); `idle_values`: values on which nothing depends tell states apart.
    """

    module: LinkedModule | None = None
    algorithm: str = DEFAULT_ALGORITHM
    find_all: bool = False
    max_executions: int = 0
    seconds: float = 0.0
    max_steps: int = DEFAULT_MAX_STEPS
    isolation: str = "auto"
    arguments: tuple[str, ...] = ()
    models: Models = field(default_factory=Models)
    spurious: bool = True
    pruning: str = "repaired"
    jobs: int = 1
    cluster: Cluster | None = None
    checkpoint: Path | None = None
    sharing: Sharing = DEFAULT_SHARING
    trust: bool = True
    confirmations: int = 2
    ordered: frozenset[RacePair] = frozenset()
    watched: tuple[RacePair, ...] = ()
    known_races: tuple[RacePair, ...] = ()
    outlived: frozenset[ObjectId] = frozenset()
    deadlocks: bool = False
    target: Target | None = None
    max_states: int = 0
    exact_states: bool = False
    symmetry: bool = True
    monitors: bool = True
    persistent: int = 0
    idle_values: bool = False
    surroundings: Surroundings = field(default_factory=Surroundings)
    on_progress: Callable[[str], None] = field(default=lambda text: None, compare=False)
