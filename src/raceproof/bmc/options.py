"""What the user, or a measurement, may choose about the engine `bmc`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from raceproof.core import Budget
from raceproof.model import Guide, RacePair, ReadRange, RunSetup, Schedule

Execute = Callable[[Guide, Budget], Schedule | str]
"""Runs a guide on the real program: the race as it was executed and repeated, or why there was none."""


@dataclass(frozen=True, slots=True)
class Executor:
    """How models are executed. `setup` is what their schedules can be repeated with."""

    execute: Execute
    setup: RunSetup


@dataclass(frozen=True, slots=True)
class BmcOptions:
    """`bounds`: rounds of loops and depth of recursion, step by step. `seconds`: the most that one question to the
    solver may take, `memory`: megabytes for it. `max_events`: of an unwound program. `models`: how many of one pair
    are tried to be executed. `slices`, `uses_facts`, `sections`, `uses_ranges`: switches for measurements. `argc`: of
    the runs in which races are looked for; None: any. `executor`: makes the program ready to run, when it is first
    needed; without one nothing is executed. `proved`: pairs that others have proved for all inputs; `ranges`: what
    others know of the values that reads find. `finds`, `proves`: what is looked for.
    """

    bounds: tuple[int, ...] = (1, 2, 3, 5, 8, 13, 21, 34, 55)
    seconds: float = 20.0
    memory: int = 2048
    max_events: int = 20_000
    models: int = 4
    slices: bool = True
    uses_facts: bool = True
    sections: bool = True
    uses_ranges: bool = True
    argc: int | None = None
    finds: bool = True
    proves: bool = True
    executor: Callable[[Budget], Executor] | None = None
    proved: Collection[RacePair] = frozenset()
    ranges: tuple[ReadRange, ...] = ()
    on_progress: Callable[[str], None] = field(default=lambda text: None, compare=False)
