"""Who does the items of a search that is shared: processes of this machine or of targets, or a cluster.

A crew starts items, and says which of them have something to tell. `is_whole`: what an item tells counts when it has
ended, all of it or nothing; then an item that is lost was not begun. Otherwise it counts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from raceproof.explore.process import Host, Where, wait_for
from raceproof.explore.protocol import Control, Part, Record


@dataclass(frozen=True, slots=True)
class Order:
    """`part` None: the whole search, by one. Limits of 0 are none; `seconds`: after so many it gives back what is left,
    if it is not asked before. `is_alone`: not together with others, one of which could be to blame for the loss."""

    part: Part | None
    time_limit: float = 0.0
    max_executions: int = 0
    seconds: float = 0.0
    is_alone: bool = False

    def control(self, base: Control) -> Control:
        return replace(base, part=self.part, time_limit=self.time_limit, max_executions=self.max_executions)


class Runner(Protocol):
    """An item at work. `lost`: why nobody knows what became of it; whoever starts one calls `end`."""

    lost: str | None
    is_closed: bool

    def read(self) -> list[Record]: ...
    def ask(self) -> None: ...
    def interrupt(self) -> None: ...
    def is_late(self) -> bool: ...
    def end(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Loss:
    """What follows from a loss. `problem`: the search cannot go on, `is_gone`: because there is nobody left who could
    do it; `was_begun`: the item had its chance; `is_to_blame`: it may be the reason."""

    problem: str | None = None
    is_gone: bool = False
    was_begun: bool = True
    is_to_blame: bool = True


class Crew(Protocol):
    is_whole: bool
    problem: str | None

    def room(self, running: int, waiting: int) -> int:
        """How many more items can be started, of so many that are waiting."""
        ...

    def start(self, order: Order) -> Runner:
        """Raises `Unreachable` if there is nobody left who could."""
        ...

    def wait(self, runners: Sequence[Runner], seconds: float) -> Sequence[Runner]:
        """Those that have something to tell. Sets `problem` when no item will ever end."""
        ...

    def ended(self, runner: Runner) -> None: ...
    def lost(self, runner: Runner, how: str) -> Loss: ...
    def describe(self) -> str: ...


class LocalCrew:
    """Up to `jobs` processes of this machine, or of a target."""

    def __init__(self, where: Where, program: Path, control: Control, jobs: int, grace: float, is_whole: bool) -> None:
        self.where, self.program, self.control = where, program, control
        self.jobs, self.grace, self.is_whole = jobs, grace, is_whole
        self.problem: str | None = None

    def room(self, running: int, waiting: int) -> int:
        return self.jobs - running

    def start(self, order: Order) -> Host:
        return Host(self.where, self.program, order.control(self.control), self.grace)

    def wait(self, runners: Sequence[Runner], seconds: float) -> Sequence[Host]:
        hosts = [runner for runner in runners if isinstance(runner, Host)]
        for host in hosts:
            host.flush()
        return wait_for(hosts, seconds) if hosts else []

    def ended(self, runner: Runner) -> None:
        if isinstance(runner, Host) and runner.remote is not None:
            runner.remote.worked(runner.via)

    def lost(self, runner: Runner, how: str) -> Loss:
        remote = runner.remote if isinstance(runner, Host) else None
        if remote is None:
            return Loss(problem=f"the runtime was lost: {how}")
        assert isinstance(runner, Host)
        remote.failed(runner.via, str(runner.lost))
        return Loss() if remote.has_via() else Loss(problem=f"the target was lost: {how}", is_gone=True)

    def describe(self) -> str:
        return ""
