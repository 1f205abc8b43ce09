"""One search by several workers: `--jobs N`, and `--cluster`.

One worker begins alone, and most searches end there. A work item is a schedule prefix, and for each of its nodes the
set of threads that are tried there by others (asleep, or done). Whoever has one at work never goes back to a node of
its prefix; where it would like to, it sends a request. What is left of an item comes back as items (explore/tree.py).

There are two ways to divide. With processes of this machine, one that has been at work for a while is asked for a part
when there is a process to spare, and goes on with the rest; what it tells counts at once. On a cluster, or when open
items are kept in a file, an item ends after some seconds and gives back all that it has left, and what it tells counts
when it has ended (`Crew.is_whole`): then an item may be lost without harm. It is done again, but given up when that
fails three times; the result is then no proof.

The result is that of a search by one worker: the same verdict and, when all races are wanted, the same racing pairs.
Which race is found first may depend on how fast the workers are; and `optimal` makes the same executions, but may begin
some more that turn out to be equivalent to others, and end blocked.

What a worker finds out about the program in the course of its search (try-locks, racing accesses that become
scheduling points) changes the search tree. Then all parts of it are void, and the search begins anew with the facts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from raceproof.core import InternalError
from raceproof.explore.crew import Crew, LocalCrew, Order, Runner
from raceproof.explore.estimate import Estimate
from raceproof.explore.ledger import Ledger
from raceproof.explore.options import DEFAULT_SHARING, Sharing
from raceproof.explore.process import GRACE, LATE, TICK, HostRun, OnProgress, Where, signals_handled
from raceproof.explore.protocol import (
    GIVEN_UP,
    HIDES_ACCESSES,
    BoundedRecord,
    Control,
    EndRecord,
    KnownRecord,
    NodeRecord,
    OtherRecord,
    OutputRecord,
    Part,
    PathRecord,
    ProgressRecord,
    RaceRecord,
    Record,
    RequestRecord,
    StatRecord,
    ThreadRecord,
    UndividedRecord,
    VisibleRecord,
)
from raceproof.explore.target import Unreachable
from raceproof.explore.tree import Node, Tree
from raceproof.model import AccessId

log = logging.getLogger(__name__)

MOST_LOSSES = 3
"""So often an item is begun when its worker is lost each time."""
_IMPATIENT = 0.02  # seconds between looks when there is a process to spare
_PROGRESS = 0.5
_TOLD_LOSSES = 5  # of which there is a note
_LAST_ITEMS = 1.0  # seconds in which items that count as a whole may still end when the search does
_STEPWISE = "complete", "items"  # ends of an item that has told all that follows from it
UNDIVIDED = "one process: the values of the program's inputs are tried one after the other"


@dataclass(slots=True)
class State:
    """All that a search has to remember. `reason`: why it ended before it was complete; `is_alone`: the program has
    inputs, one worker must do it; `at_work`: where items began that have not ended."""

    tree: Tree = field(default_factory=Tree)
    ledger: Ledger = field(default_factory=Ledger)
    estimate: Estimate = field(default_factory=Estimate)
    is_alone: bool = False
    reason: str | None = None
    at_work: list[Node] = field(default_factory=list)


OnState = Callable[[State, bool], None]
"""What is told the state now and then, and at the end (True)."""


@dataclass(eq=False, slots=True)
class _Worker:
    """Somebody at work behind the last node of `path`, who began behind `origin`. `held`: what it has told, if that
    does not count yet; `done`: mass of the tree that it has searched, which counts when it ends."""

    runner: Runner
    origin: Node
    path: list[Node]
    budget: int
    since: float
    patience: float
    is_ready: bool = False
    is_asked: bool = False
    is_undivided: bool = False  # and will stay so
    is_obsolete: bool = False
    progress: ProgressRecord | None = None
    end: str | None = None
    done: float = 0.0
    stats: dict[str, int | float] = field(default_factory=dict)
    held: list[Record] = field(default_factory=list)


def run_hosts(
    host: Where,
    program: Path,
    control: Control,
    jobs: int,
    on_progress: OnProgress = lambda record: None,
    grace: float = GRACE,
    sharing: Sharing = DEFAULT_SHARING,
) -> HostRun:
    """As `run_host`, by up to `jobs` processes at a time."""
    return run_crew(LocalCrew(host, program, control, jobs, grace, is_whole=False), control, on_progress, sharing)


def run_crew(
    crew: Crew,
    control: Control,
    on_progress: OnProgress = lambda record: None,
    sharing: Sharing = DEFAULT_SHARING,
    state: State | None = None,
    on_state: OnState = lambda state, is_end: None,
) -> HostRun:
    """As `run_host`, by the crew; from the beginning, or from a state that was kept."""
    return _Search(crew, control, on_progress, sharing, state, on_state).run()


class _Search:
    def __init__(
        self,
        crew: Crew,
        control: Control,
        on_progress: OnProgress,
        sharing: Sharing,
        state: State | None,
        on_state: OnState,
    ) -> None:
        self.crew, self.control, self.on_progress, self.sharing = crew, control, on_progress, sharing
        self.on_state = on_state
        self.state = state or State()
        self.tree, self.ledger = self.state.tree, self.state.ledger
        if state is None:
            self.tree.begin()
        self.begin = time.monotonic()
        self.seconds_before = self.ledger.seconds
        self.workers: list[_Worker] = []
        self.must_restart = False
        self.is_undivided = self.state.is_alone
        self.is_interrupted = False
        self.stopped_at: float | None = None  # and items may still end
        self.problem: str | None = None
        self.is_lost = False
        self.notes: list[str] = []
        self.shown = 0.0

    # -- from the beginning to the end

    def run(self) -> HostRun:
        if not self.control.find_all and self.ledger.races:
            self.state.reason = "race"  # kept from an earlier run
        elif self.control.algorithm in HIDES_ACCESSES and not self._racing() <= self.ledger.visible:
            self._begin_anew()  # which the earlier run had no time for
        try:
            with signals_handled(self._interrupt):
                while self.workers or (self.tree.open and not self._is_ending()):
                    self._watch_time()
                    self._start_items()
                    self._ask()
                    self._wait()
                    self.ledger.seconds = self.seconds_before + time.monotonic() - self.begin
                    if not self.must_restart:
                        self.on_state(self.state, False)
                    if self.must_restart and not self.workers and self.state.reason is None and self.problem is None:
                        self._begin_anew()
        finally:
            for worker in self.workers:
                worker.runner.end()
        if self.must_restart:  # and there was no time: what is open belongs to a tree that is no more
            self.tree.begin()
        self.on_state(self.state, True)
        return self._result()

    def _interrupt(self) -> None:
        self.is_interrupted = True
        self._stop("interrupted")

    def _stop(self, reason: str | None) -> None:
        """No new work, and what is under way ends with what it has."""
        if self.state.reason is None or reason == "race":
            self.state.reason = reason
        if self.crew.is_whole and reason in ("interrupted", "time"):
            self.stopped_at = time.monotonic()
            for worker in self.workers:
                worker.runner.ask()
            return
        if not self.crew.is_whole:
            self.tree.open.clear()
        for worker in self.workers:
            worker.runner.interrupt()

    def _is_ending(self) -> bool:
        return self.state.reason is not None or self.must_restart or self.problem is not None

    def _watch_time(self) -> None:
        now = time.monotonic()
        if self.stopped_at is not None and now - self.stopped_at > _LAST_ITEMS:
            self.stopped_at = now
            for worker in self.workers:
                worker.runner.interrupt()
        limit = self.control.time_limit
        if self.crew.is_whole and limit and now - self.begin > limit and not self._is_ending():
            self._stop("time")

    def _begin_anew(self) -> None:
        self.must_restart = False
        # Whoever found a race may have been stopped before it could say what follows: its accesses are scheduling
        # points where all races are wanted.
        ledger = self.ledger
        ledger.visible |= self._racing()
        log.info("the search begins anew: %s, %d visible accesses", sorted(ledger.known), len(ledger.visible))
        self.tree.begin()
        self.state.estimate = Estimate()

    def _racing(self) -> set[AccessId]:
        return {access for pair in self.ledger.races for access in pair}

    def _result(self) -> HostRun:
        given_up, left = self.ledger.given_up, None
        reason = self.state.reason or (GIVEN_UP if given_up else "complete")
        if reason != "complete":
            left = self.state.estimate.left(self.tree)
        return HostRun(
            records=[*self.ledger.records(), *(left.records() if left is not None else ())],
            end=None if self.problem is not None else reason,
            problem=self.problem,
            notes=(
                *self.notes,
                *((UNDIVIDED,) if self.is_undivided else ()),
                *(f"a part of the search was given up: {why}" for why in given_up),
                *((f"the search did not end: {left}",) if left is not None else ()),
            ),
            interrupted=self.is_interrupted,
            is_lost=self.is_lost,
            seconds=time.monotonic() - self.begin,
        )

    # -- giving out work

    def _start_items(self) -> None:
        while self.tree.open and not self._is_ending():
            room = self.crew.room(len(self.workers), len(self.tree.open))
            if room <= 0:
                return
            limit = self.control.time_limit
            remaining = limit - (time.monotonic() - self.begin) if limit else 0.0
            if limit and remaining <= 0:
                self._stop("time")
                return
            budget = self._budget(room)
            if budget is None:
                if not self.workers:
                    self._stop("executions")
                return
            self._start(self.tree.next(), budget, max(remaining, 0.01) if limit else 0.0)

    def _budget(self, room: int) -> int | None:
        """Executions for one more worker, 0 for as many as it likes; None: all that are allowed are spoken for."""
        if not self.control.max_executions:
            return self.sharing.executions
        free = self._executions_left() - sum(worker.budget for worker in self.workers)
        if free <= 0:
            return None
        share = max(1, free // room)
        return min(share, self.sharing.executions) if self.sharing.executions else share

    def _executions_left(self) -> int:
        return self.control.max_executions - self.ledger.totals["executions"]

    def _start(self, node: Node, budget: int, remaining: float) -> None:
        is_first = node.above is None
        part = Part(
            item=None if is_first else node.steps(),
            threads=tuple(self.ledger.threads),
            executions=budget,
            facts=self.ledger.facts(),
            ends=self.crew.is_whole,
        )
        patience = self.sharing.first if is_first else self.sharing.later
        if self.crew.is_whole:
            patience = self._seconds(is_first, remaining)
            remaining += _LAST_ITEMS + TICK if remaining else 0.0  # it is asked before
        order = Order(
            part=None if self.state.is_alone else part,
            time_limit=remaining,
            # A search that turns out to have inputs is not divided and keeps its own count.
            max_executions=self._executions_left() if is_first and self.control.max_executions else 0,
            seconds=0.0 if self.state.is_alone else patience,
            is_alone=node.failures > 0,
        )
        try:
            runner = self.crew.start(order)
        except Unreachable as error:
            self.tree.add(node)
            self.problem = f"the target cannot be reached: {error}"
            self.is_lost = True
            self._stop(None)
            return
        is_alone = self.state.is_alone
        self.workers.append(
            _Worker(runner, node, node.prefix(), budget, time.monotonic(), patience, is_undivided=is_alone)
        )
        self.state.at_work.append(node)
        self.ledger.items += 1

    def _seconds(self, is_first: bool, remaining: float) -> float:
        """How long an item is at work: briefly while there are too few, so that nobody waits for one."""
        if is_first:
            return self.sharing.first
        has_few = len(self.tree.open) < 2 * max(len(self.workers), 1)
        seconds = self.sharing.briefly if has_few else self.sharing.longest
        return min(seconds, max(remaining, 0.01)) if remaining else seconds

    def _ask(self) -> None:
        """Who has been at work for a while is asked for a part of it, if there is a process to spare; in a crew whose
        items count as a whole, for all of it."""
        if self._is_ending():
            return
        now = time.monotonic()
        able = [w for w in self.workers if self._may_ask(w) and now - w.since >= w.patience]
        if not self.crew.is_whole:
            asked = sum(worker.is_asked for worker in self.workers)
            idle = self.crew.room(len(self.workers), 0) - len(self.tree.open) - asked
            able = sorted(able, key=lambda w: w.path[-1].depth)[: max(idle, 0)]
        for worker in able:
            worker.is_asked = True
            worker.runner.ask()

    @staticmethod
    def _may_ask(worker: _Worker) -> bool:
        return worker.is_ready and not worker.is_asked and not worker.is_undivided

    # -- taking results

    def _wait(self) -> None:
        is_idle = self.crew.room(len(self.workers), 0) > 0 or self.crew.is_whole
        has_idle = is_idle and any(map(self._may_ask, self.workers))
        runners = {worker.runner: worker for worker in self.workers}
        for runner in self.crew.wait(list(runners), _IMPATIENT if has_idle else TICK):
            self._take(runners[runner])
        for worker in list(self.workers):
            if worker.runner.is_late():
                self._ended(worker, LATE)
        if self.crew.problem is not None and self.problem is None and not self._is_ending():
            self.problem, self.is_lost = self.crew.problem, True
            self._stop(None)

    def _take(self, worker: _Worker) -> None:
        for record in worker.runner.read():
            worker.is_ready = True
            if self.crew.is_whole and not isinstance(record, ProgressRecord | UndividedRecord):
                worker.held.append(record)
            else:
                self._record(worker, record)
            if worker.is_obsolete:
                self._discard(worker)
                return
        if worker.runner.is_closed:
            self._ended(worker, None)

    def _record(self, worker: _Worker, record: Record) -> None:
        match record:
            case ProgressRecord():
                worker.progress = record
                self._show()
            case RaceRecord():
                self.ledger.take(record, tuple(node.thread for node in worker.path[1:]))
                if not self.control.find_all:
                    self._stop("race")
            case OtherRecord() | BoundedRecord() | OutputRecord() | KnownRecord() | VisibleRecord():
                self.ledger.take(record, ())
            case StatRecord():
                worker.stats[record.name] = record.value
            case EndRecord():
                worker.end = record.reason
            case UndividedRecord():
                self._answered(worker)
                worker.is_undivided = record.reason == "inputs"
                self.is_undivided = self.is_undivided or worker.is_undivided
            case ThreadRecord() | PathRecord() | NodeRecord() | RequestRecord():
                if self.crew.is_whole or not self._is_ending():
                    self._divide(worker, record)
            case _:
                raise InternalError(f"the host replayed where it was to search: {record!r}")

    def _divide(self, worker: _Worker, record: ThreadRecord | PathRecord | NodeRecord | RequestRecord) -> None:
        if isinstance(record, ThreadRecord):
            if record.thread > len(self.ledger.threads):
                raise InternalError(f"thread {record.thread} before thread {len(self.ledger.threads)}")
            # Whoever comes second with another meaning of an id does it again with the right one.
            worker.is_obsolete = not self.ledger.names_thread(record.thread, record.parent, record.number)
            return
        worker.done += self.tree.divide(worker.path, record)
        if isinstance(record, NodeRecord):
            self._answered(worker)

    def _answered(self, worker: _Worker) -> None:
        worker.is_asked = False
        worker.since, worker.patience = time.monotonic(), self.sharing.later

    def _leave(self, worker: _Worker) -> str:
        self.workers.remove(worker)
        self.state.at_work.remove(worker.origin)
        return worker.runner.end()

    def _discard(self, worker: _Worker) -> None:
        self._leave(worker)
        self.tree.add(worker.path[-1])

    def _ended(self, worker: _Worker, problem: str | None) -> None:
        death = self._leave(worker)
        if worker.runner.lost is not None:
            self._lost(worker, death)
            return
        is_done = self._settled(worker) if self.crew.is_whole else True
        if worker.end is not None:
            self.crew.ended(worker.runner)
        self.ledger.count(worker.stats, is_done)
        if is_done:
            self._measure(worker)
        self._show()
        if self._is_ending():
            return  # it was told to
        match worker.end:
            case "complete" | "items":
                pass
            case "restart" | "inputs":
                self.state.is_alone = self.is_undivided = self.state.is_alone or worker.end == "inputs"
                self.must_restart = True
                self._stop(None)
            case None:
                self.problem = problem or death
                self._stop(None)
            case reason:
                self._stop(reason)

    def _settled(self, worker: _Worker) -> bool:
        """Whether the item has told what is left of it. If not, what it has found happened, and it is begun again."""
        worker.end = next((record.reason for record in worker.held if isinstance(record, EndRecord)), None)
        for record in worker.held:
            if isinstance(record, ThreadRecord):
                self._divide(worker, record)
                if worker.is_obsolete:  # it is no news: its ids mean other threads
                    worker.end, worker.held = "items", []
                    self.tree.add(worker.origin)
                    return False
        is_settled = worker.end in _STEPWISE and not self.must_restart
        for record in worker.held:
            if is_settled or not isinstance(record, PathRecord | NodeRecord | RequestRecord):
                self._record(worker, record)
        if not is_settled:
            self.tree.add(worker.origin)
        return is_settled

    def _measure(self, worker: _Worker) -> None:
        if worker.end not in _STEPWISE:
            return
        done = worker.done + (worker.path[-1].mass if worker.end == "complete" else 0.0)
        self.tree.done += done
        self.state.estimate.add(done, int(worker.stats.get("executions", 0)), self.tree)

    def _lost(self, worker: _Worker, death: str) -> None:
        """Perhaps between two records that belong together. All that it was given is done again, also what it had given
        to others."""
        loss = self.crew.lost(worker.runner, death)
        if self._is_ending():
            self.tree.add(worker.origin)
            return
        if loss.problem is not None:
            self.tree.add(worker.origin)
            self.problem, self.is_lost = loss.problem, loss.is_gone
            self._stop(None)
            return
        if not loss.was_begun:
            self.ledger.items -= 1
            self.tree.add(worker.origin)
            return
        self.ledger.lost += 1
        worker.origin.failures += loss.is_to_blame
        if worker.origin.failures >= MOST_LOSSES:
            prefix = " ".join(str(node.thread) for node in worker.path[1:]) or "none"
            self.ledger.given_up.append(f"{death}; so it was {MOST_LOSSES} times (schedule prefix, threads: {prefix})")
            return
        if len(self.notes) < _TOLD_LOSSES:
            self.notes.append(f"a part of the search was begun anew: {death}")
        self.tree.add(worker.origin)

    def _show(self) -> None:
        now = time.monotonic()
        if now - self.shown < _PROGRESS:
            return
        self.shown = now
        running = [worker.progress for worker in self.workers if worker.progress is not None]
        totals, left = self.ledger.totals, self.state.estimate.left(self.tree)
        self.on_progress(
            ProgressRecord(
                executions=totals["executions"] + sum(record.executions for record in running),
                blocked=totals["blocked"] + sum(record.blocked for record in running),
                transitions=totals["transitions"] + sum(record.transitions for record in running),
                depth=max((record.depth for record in running), default=0),
                open_pairs=len(self.control.pairs) - len(self.ledger.races),
                more=", ".join(filter(None, (self.crew.describe(), str(left) if left is not None else ""))),
            )
        )
