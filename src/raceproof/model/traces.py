"""An execution step by step, spelled out; made when a schedule is run again for a person to read."""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.core import SourcePos
from raceproof.model.results import AccessResult, ThreadResult


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One operation: the `number`th step of `thread`. `calls` are the call sites, innermost last."""

    thread: int
    number: int
    operation: str
    address: str
    value: str
    held: tuple[str, ...]
    pos: SourcePos | None
    function: str
    calls: tuple[SourcePos, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A run as it was repeated. `racing`: the two accesses with the numbers of their threads; empty for another end.

    `repeated`: it showed again what was reported. `digest` is the same whenever the steps are.
    """

    threads: tuple[ThreadResult, ...]
    steps: tuple[TraceStep, ...]
    racing: tuple[tuple[int, AccessResult], ...]
    together: bool
    target: str
    ended: tuple[str, ...]
    repeated: bool
    digest: str
