"""One search by several hosts: `--jobs N`.

One host begins alone, and most searches end there. When there is a process to spare, a host that has been at work for
a while is asked for a part of what it has left: a work item is a schedule prefix, and for each of its nodes the set of
threads that are tried there by others (asleep, or done). A host never goes back to a node of its prefix; where it
would like to, it sends a request. So for each node that several hosts know this module keeps the set of threads that
are taken care of there, in the order in which they were added, which is what the sleep sets need (native/items.c).

The result is that of a search by one host: the same verdict and, when all races are wanted, the same racing pairs.
Which race is found first may depend on how fast the hosts are; and `optimal` makes the same executions, but may begin
some more that turn out to be equivalent to others, and end blocked.

What a host finds out about the program in the course of its search (try-locks, racing accesses that become
scheduling points) changes the search tree. Then all parts of it are void, and the search begins anew with the facts.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from raceproof.core import InternalError
from raceproof.explore.options import DEFAULT_SHARING, Sharing
from raceproof.explore.process import GRACE, LATE, TICK, Host, HostRun, OnProgress, Where, signals_handled, wait_for
from raceproof.explore.protocol import (
    BoundedRecord,
    Control,
    EndRecord,
    Facts,
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
    Step,
    ThreadRecord,
    UndividedRecord,
    VisibleRecord,
)
from raceproof.explore.target import Unreachable
from raceproof.model import AccessId

log = logging.getLogger(__name__)

_IMPATIENT = 0.02  # seconds between looks when there is a process to spare
_PROGRESS = 0.5
UNDIVIDED = "one process: the values of the program's inputs are tried one after the other"


_Order = tuple[bool, tuple[int, ...]]


class _Node:
    """The state behind a prefix. `mask`: threads before the last one of the prefix at the node above; `taken`: threads
    that are taken care of at this node."""

    __slots__ = ("above", "depth", "mask", "taken", "thread")

    def __init__(self, above: _Node | None = None, thread: int = 0, mask: int = 0) -> None:
        self.above, self.thread, self.mask = above, thread, mask
        self.depth: int = 0 if above is None else above.depth + 1
        self.taken = 0

    def prefix(self) -> list[_Node]:
        """All nodes from the root to this one."""
        nodes: list[_Node] = []
        node: _Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.above
        return nodes[::-1]

    def steps(self) -> tuple[Step, ...]:
        return tuple((node.thread, node.mask) for node in self.prefix()[1:])


@dataclass(eq=False, slots=True)
class _Worker:
    """A host at work behind the last node of `path`; it began behind `origin`."""

    host: Host
    origin: _Node
    path: list[_Node]
    budget: int
    since: float
    patience: float
    is_ready: bool = False
    is_asked: bool = False
    is_undivided: bool = False  # and will stay so
    is_obsolete: bool = False
    progress: ProgressRecord | None = None
    end: str | None = None
    stats: dict[str, int | float] = field(default_factory=dict)


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
    return _Search(host, program, control, jobs, on_progress, grace, sharing).run()


class _Search:
    def __init__(
        self,
        host: Where,
        program: Path,
        control: Control,
        jobs: int,
        on_progress: OnProgress,
        grace: float,
        sharing: Sharing,
    ) -> None:
        self.host, self.program, self.control = host, program, control
        self.jobs, self.on_progress, self.grace, self.sharing = jobs, on_progress, grace, sharing
        self.begin = time.monotonic()
        self.workers: list[_Worker] = []
        self.queue: list[tuple[int, int, _Node]] = []
        self.numbers = itertools.count()
        self.reason: str | None = None  # why the search ends before it is complete
        self.must_restart = False
        self.is_alone = False  # the program has inputs: one host must do it
        self.is_undivided = False
        self.is_interrupted = False
        self.problem: str | None = None
        self.shown = 0.0
        # what is known, and what was found
        self.threads: list[tuple[int, int]] = []
        self.known: set[str] = set()
        self.visible: set[AccessId] = set()
        self.races: dict[tuple[AccessId, AccessId], tuple[_Order, RaceRecord]] = {}
        self.others: dict[object, OtherRecord] = {}
        self.bounds: dict[str, BoundedRecord] = {}
        self.output: OutputRecord | None = None
        self.notes: list[str] = []
        self.is_lost = False
        self.totals: Counter[str] = Counter()
        self.items = 0

    # -- from the beginning to the end

    def run(self) -> HostRun:
        try:
            with signals_handled(self._interrupt):
                self._add(_Node())
                while self.queue or self.workers:
                    self._start_hosts()
                    self._ask()
                    self._wait()
                    if self.must_restart and not self.workers and self.reason is None and self.problem is None:
                        self._begin_anew()
        finally:
            for worker in self.workers:
                worker.host.end()
        return self._result()

    def _interrupt(self) -> None:
        self.is_interrupted = True
        self._stop("interrupted")

    def _stop(self, reason: str | None) -> None:
        """No new work, and what is under way ends with what it has."""
        if self.reason is None or reason == "race":
            self.reason = reason
        self.queue.clear()
        for worker in self.workers:
            worker.host.interrupt()

    def _is_ending(self) -> bool:
        return self.reason is not None or self.must_restart or self.problem is not None

    def _begin_anew(self) -> None:
        self.must_restart = False
        # Whoever found a race may have been stopped before it could say what follows: its accesses are scheduling
        # points where all races are wanted.
        self.visible |= {access for pair in self.races for access in pair}
        log.info("the search begins anew: %s, %d visible accesses", sorted(self.known), len(self.visible))
        self._add(_Node())

    def _result(self) -> HostRun:
        seconds = time.monotonic() - self.begin
        stats = [StatRecord(name, value) for name, value in self.totals.items()]
        stats += [StatRecord("seconds", seconds), StatRecord("items", self.items)]
        races = [record for _, record in sorted(self.races.values(), key=lambda race: race[0])]
        output = [self.output] if self.output is not None else []
        return HostRun(
            records=[*output, *races, *self.others.values(), *self.bounds.values(), *stats],
            end=None if self.problem is not None else self.reason or "complete",
            problem=self.problem,
            notes=(*self.notes, *((UNDIVIDED,) if self.is_undivided else ())),
            interrupted=self.is_interrupted,
            is_lost=self.is_lost,
            seconds=seconds,
        )

    # -- giving out work

    def _add(self, node: _Node) -> None:
        """Short prefixes first: more follows them."""
        heapq.heappush(self.queue, (node.depth, next(self.numbers), node))

    def _start_hosts(self) -> None:
        while self.queue and len(self.workers) < self.jobs:
            limit = self.control.time_limit
            remaining = limit - (time.monotonic() - self.begin) if limit else 0.0
            if limit and remaining <= 0:
                self._stop("time")
                return
            budget = self._budget()
            if budget is None:
                if not self.workers:
                    self._stop("executions")
                return
            node = heapq.heappop(self.queue)[2]
            self._start(node, budget, max(remaining, 0.01) if limit else 0.0)

    def _budget(self) -> int | None:
        """Executions for one more host, 0 for as many as it likes; None: all that are allowed are spoken for."""
        if not self.control.max_executions:
            return self.sharing.executions
        free = self._executions_left() - sum(worker.budget for worker in self.workers)
        if free <= 0:
            return None
        share = max(1, free // (self.jobs - len(self.workers)))
        return min(share, self.sharing.executions) if self.sharing.executions else share

    def _executions_left(self) -> int:
        return self.control.max_executions - self.totals["executions"]

    def _start(self, node: _Node, budget: int, remaining: float) -> None:
        is_whole = node.above is None
        found = frozenset(self.races)
        part = Part(
            item=None if is_whole else node.steps(),
            threads=tuple(self.threads),
            executions=budget,
            facts=Facts(frozenset(self.known), frozenset(self.visible), found),
        )
        # A search that turns out to have inputs is not divided and keeps its own count.
        most = self._executions_left() if is_whole and self.control.max_executions else 0
        control = replace(self.control, part=None if self.is_alone else part, time_limit=remaining, max_executions=most)
        try:
            host = Host(self.host, self.program, control, self.grace)
        except Unreachable as error:
            self.problem = f"the target cannot be reached: {error}"
            self.is_lost = True
            self._stop(None)
            return
        patience = self.sharing.first if is_whole else self.sharing.later
        worker = _Worker(host, node, node.prefix(), budget, time.monotonic(), patience, is_undivided=self.is_alone)
        self.workers.append(worker)
        self.items += 1

    def _ask(self) -> None:
        """Who has been at work for a while is asked for a part of it, if there is a process to spare."""
        if self._is_ending():
            return
        asked = sum(worker.is_asked for worker in self.workers)
        idle = self.jobs - len(self.workers) - len(self.queue) - asked
        now = time.monotonic()
        able = [w for w in self.workers if self._may_ask(w) and now - w.since >= w.patience]
        for worker in sorted(able, key=lambda w: w.path[-1].depth)[: max(idle, 0)]:
            worker.is_asked = True
            worker.host.ask()

    @staticmethod
    def _may_ask(worker: _Worker) -> bool:
        return worker.is_ready and not worker.is_asked and not worker.is_undivided

    # -- taking results

    def _wait(self) -> None:
        has_idle = len(self.workers) < self.jobs and any(map(self._may_ask, self.workers))
        hosts = {worker.host: worker for worker in self.workers}
        for host in hosts:
            host.flush()
        ready = wait_for(list(hosts), _IMPATIENT if has_idle else TICK) if hosts else []
        for host in ready:
            self._take(hosts[host])
        for worker in list(self.workers):
            if worker.host.is_late():
                self._ended(worker, LATE)

    def _take(self, worker: _Worker) -> None:
        for record in worker.host.read():
            worker.is_ready = True
            self._record(worker, record)
            if worker.is_obsolete:
                self._discard(worker)
                return
        if worker.host.is_closed:
            self._ended(worker, None)

    def _record(self, worker: _Worker, record: Record) -> None:
        match record:
            case ProgressRecord():
                worker.progress = record
                self._show()
            case RaceRecord():
                self._race(worker, record)
            case OtherRecord():
                self.others.setdefault((record.kind, record.site), record)
            case BoundedRecord():
                self.bounds.setdefault(record.reason, record)
            case OutputRecord():
                self.output = self.output or record  # of the first host: others follow another schedule
            case StatRecord():
                worker.stats[record.name] = record.value
            case EndRecord():
                worker.end = record.reason
            case KnownRecord():
                self.known.add(record.name)
            case VisibleRecord():
                self.visible.add(record.access)
            case UndividedRecord():
                self._answered(worker)
                worker.is_undivided = record.reason == "inputs"
                self.is_undivided = self.is_undivided or worker.is_undivided
            case ThreadRecord() | PathRecord() | NodeRecord() | RequestRecord():
                if not self._is_ending():
                    self._divide(worker, record)
            case _:
                raise InternalError(f"the host replayed where it was to search: {record!r}")

    def _divide(self, worker: _Worker, record: ThreadRecord | PathRecord | NodeRecord | RequestRecord) -> None:
        match record:
            case ThreadRecord():
                self._thread(worker, record)
            case PathRecord():
                for thread, mask in record.steps[len(worker.path) - 1 :]:
                    worker.path.append(_Node(worker.path[-1], thread, mask))
            case NodeRecord():
                self._answered(worker)
                node = worker.path[record.index]
                node.taken |= record.taken
                for thread in _members(record.left & ~node.taken):
                    self._branch(node, thread)
            case RequestRecord():
                node = worker.path[record.index]
                if not record.threads & node.taken:
                    self._branch(node, record.wanted)

    def _branch(self, node: _Node, thread: int) -> None:
        self._add(_Node(node, thread, node.taken))
        node.taken |= 1 << thread

    def _answered(self, worker: _Worker) -> None:
        worker.is_asked = False
        worker.since, worker.patience = time.monotonic(), self.sharing.later

    def _thread(self, worker: _Worker, record: ThreadRecord) -> None:
        """Ids are given by first sight; whoever comes second with another meaning does it again with the right one."""
        told = (record.parent, record.number)
        if record.thread == len(self.threads):
            self.threads.append(told)
        elif record.thread > len(self.threads):
            raise InternalError(f"thread {record.thread} before thread {len(self.threads)}")
        else:
            worker.is_obsolete = self.threads[record.thread] != told

    def _discard(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.host.end()
        self._add(worker.path[-1])

    def _race(self, worker: _Worker, record: RaceRecord) -> None:
        first, second = sorted(record.accesses)
        order = (not record.together, tuple(node.thread for node in worker.path[1:]))
        known = self.races.get((first, second))
        if known is None or order < known[0]:
            self.races[first, second] = (order, record)
        if not self.control.find_all:
            self._stop("race")

    def _ended(self, worker: _Worker, problem: str | None) -> None:
        self.workers.remove(worker)
        death = worker.host.end()
        if worker.host.lost is not None:
            self._lost(worker, death)
            return
        if worker.host.remote is not None and worker.end is not None:
            worker.host.remote.worked(worker.host.via)
        for name, value in worker.stats.items():
            if name == "threads":
                self.totals[name] = max(self.totals[name], int(value))
            elif name != "seconds":
                self.totals[name] += int(value)
        if self._is_ending():
            return  # it was told to
        match worker.end:
            case "complete" | "items":
                pass
            case "restart" | "inputs":
                self.is_alone = self.is_undivided = self.is_alone or worker.end == "inputs"
                self.must_restart = True
                self._stop(None)
            case None:
                self.problem = problem or death
                self._stop(None)
            case reason:
                self._stop(reason)

    def _lost(self, worker: _Worker, death: str) -> None:
        """A target is gone, perhaps between two records that belong together. All that it was given is done again, also
        what it had given to others."""
        remote = worker.host.remote
        if remote is not None:
            remote.failed(worker.host.via, str(worker.host.lost))
        if self._is_ending():
            return
        if remote is None or not remote.has_via():
            self.problem = f"the target was lost: {death}"
            self.is_lost = remote is not None
            self._stop(None)
            return
        self.notes.append(f"a part of the search was begun anew: {death}")
        self._add(worker.origin)

    def _show(self) -> None:
        now = time.monotonic()
        if now - self.shown < _PROGRESS:
            return
        self.shown = now
        running = [worker.progress for worker in self.workers if worker.progress is not None]
        self.on_progress(
            ProgressRecord(
                executions=self.totals["executions"] + sum(record.executions for record in running),
                blocked=self.totals["blocked"] + sum(record.blocked for record in running),
                transitions=self.totals["transitions"] + sum(record.transitions for record in running),
                depth=max((record.depth for record in running), default=0),
                open_pairs=len(self.control.pairs) - len(self.races),
            )
        )


def _members(mask: int) -> Iterator[int]:
    return (number for number in range(mask.bit_length()) if mask >> number & 1)
