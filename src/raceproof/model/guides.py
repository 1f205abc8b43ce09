"""An execution that somebody has thought of, told by what each thread does in which order: for the explorer to try.

A `Run` counts steps, which only an execution knows; a `Guide` names the operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.ir import SiteId
from raceproof.model.concurrency import AccessId
from raceproof.model.findings import RunThread


@dataclass(frozen=True, slots=True)
class GuideStep:
    """One operation of a thread: an access by its id, anything else by its site.

    `operation`: the name of the step, where an operation consists of several. `is_shown`: a run shows it as a step, if
    its accesses are watched. `inputs`: the values that the thread takes behind it, before its next one.
    """

    thread: int
    site: SiteId
    accesses: tuple[AccessId, ...] = ()
    operation: str = ""
    is_shown: bool = True
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Guide:
    """`steps` in order; then two threads stand before the accesses of `racers`, the first two of which are meant."""

    threads: tuple[RunThread, ...]
    steps: tuple[GuideStep, ...]
    racers: tuple[GuideStep, GuideStep]
    accesses: tuple[AccessId, AccessId]
