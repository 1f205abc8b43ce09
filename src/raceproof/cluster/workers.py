"""The workers of a cluster, and the tasks that they are given.

Each task is for one worker: only so is it known which task ended its worker, and a task is never begun again without
our knowledge. A worker is greeted before its first task: it says why it cannot take part, if so. A worker that has gone
takes its tasks with it; one that has been silent for long is taken as gone until it is heard again. So a task may be
given up here and end there: whoever counts results counts those that come back from here, once.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import queue
import time
from asyncio import CancelledError
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Any

from raceproof.cluster.connection import ClusterLost

log = logging.getLogger(__name__)

_LOOK = 1.0  # seconds between looks at who is there
_SILENT = 30.0  # seconds without a heartbeat; Dask sends one each half second, with thousands of workers each five
_NO_SCHEDULER = 30.0  # seconds
_GATHERING = 30.0  # seconds for a result that is there


@unique
class Outcome(Enum):
    DONE = "done"
    DIED = "died"  # the worker, with the task
    SILENT = "silent"
    DROPPED = "dropped"  # by the scheduler: it was restarted, or has lost the result
    FAILED = "failed"  # with an exception


@dataclass(eq=False, slots=True)
class Task:
    """`result` if it is done; `reason` if it is not."""

    address: str
    future: Any
    outcome: Outcome | None = None
    result: Any = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Greeting:
    """A function of a module that the worker has, and its arguments. It returns why the worker cannot take part, or an
    empty text."""

    function: Callable[..., str]
    arguments: tuple[object, ...] = ()


@dataclass(eq=False, slots=True)
class _Worker:
    threads: int
    greeted: Task | None
    is_ready: bool = False
    heartbeat: float = 0.0  # by the clock of the scheduler
    heard: float = field(default_factory=time.monotonic)  # by ours
    tasks: set[Task] = field(default_factory=set)

    def is_silent(self, patience: float) -> bool:
        return time.monotonic() - self.heard > patience


class Workers:
    """`refused`: why workers do not take part, by their addresses."""

    def __init__(self, client: Any, greeting: Greeting, patience: float = _SILENT) -> None:
        self.client, self.greeting, self.patience = client, greeting, patience
        self.refused: dict[str, str] = {}
        self._workers: dict[str, _Worker] = {}
        self._ended: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._looked = self._answered = time.monotonic()
        self._looked -= _LOOK
        self._keys = itertools.count()

    # -- who is there

    @property
    def slots(self) -> int:
        """How many tasks can be at work."""
        return sum(worker.threads for worker in self._usable().values())

    @property
    def count(self) -> int:
        return len(self._usable())

    def is_waiting(self) -> bool:
        """Whether a worker is still being greeted."""
        return any(worker.greeted is not None for worker in self._workers.values())

    def free(self) -> list[str]:
        """Addresses of workers, each as often as it can take a task; those with the least work first."""
        free = [
            (len(worker.tasks) + number, address)
            for address, worker in self._usable().items()
            for number in range(worker.threads - len(worker.tasks))
        ]
        return [address for _, address in sorted(free)]

    def _usable(self) -> dict[str, _Worker]:
        return {a: w for a, w in self._workers.items() if w.is_ready and not w.is_silent(self.patience)}

    def refuse(self, address: str, reason: str) -> None:
        self.refused.setdefault(address, reason)
        if address in self._workers:
            self._workers[address].is_ready = False

    # -- tasks

    def submit(self, address: str, function: Callable[..., Any], *arguments: object) -> Task:
        task = Task(address, None)
        try:
            task.future = self.client.submit(
                function,
                *arguments,
                key=f"raceproof-{id(self):x}-{time.time_ns():x}-{next(self._keys)}",
                workers=[address],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
        except Exception as error:  # the same
            raise ClusterLost(f"the connection to the scheduler is lost: {error}") from None
        self._workers[address].tasks.add(task)
        task.future.add_done_callback(lambda future: self._ended.put(task))
        return task

    def cancel(self, task: Task) -> None:
        """Its result is not wanted. The worker notices, and ends what it does."""
        self._forget(task)
        if self.client.status == "running":  # or there is nobody left who could be told
            with contextlib.suppress(Exception):  # Dask has many for a connection that is gone
                task.future.cancel(force=True)

    def wait(self, seconds: float) -> list[Task]:
        """The tasks that have ended since, in whatever way; raises `ClusterLost`."""
        ended = self._look()
        until = time.monotonic() + (0.0 if ended else seconds)
        while True:
            try:
                task = self._ended.get(timeout=max(until - time.monotonic(), 0.0))
            except queue.Empty:
                return ended
            until = 0.0  # take what is there, and no more
            if task.outcome is None and task in self._tasks_of(task.address):
                self._end(task)
                ended.append(task)
                if task.outcome is Outcome.DIED:
                    ended += self._gone(task.address)

    def _tasks_of(self, address: str) -> set[Task]:
        return self._workers[address].tasks if address in self._workers else set()

    def _forget(self, task: Task) -> None:
        self._tasks_of(task.address).discard(task)

    def _end(self, task: Task) -> None:
        self._forget(task)
        try:
            if task.future.status == "finished":
                task.result = task.future.result(timeout=_GATHERING)
                task.outcome = Outcome.DONE
                return
            if task.future.status == "error":
                error = task.future.exception(timeout=_GATHERING)
                is_death = type(error).__name__ == "KilledWorker"
                task.outcome = Outcome.DIED if is_death else Outcome.FAILED
                task.reason = f"the worker {task.address} ended" if is_death else f"{type(error).__name__}: {error}"
                return
        except (Exception, CancelledError) as error:  # whatever Dask or the worker raises: the result is not there
            task.reason = f"its result was lost: {error}"
        task.outcome = Outcome.DROPPED
        task.reason = task.reason or "the scheduler has dropped it"

    # -- looking after the workers

    def _look(self) -> list[Task]:
        now = time.monotonic()
        if now - self._looked < (_LOOK / 10 if self.is_waiting() or not self._workers else _LOOK):
            return []
        self._looked = now
        there = self._there()
        lost = []
        if there is None:
            if now - self._answered > _NO_SCHEDULER:
                raise ClusterLost(f"the scheduler has not answered for {_NO_SCHEDULER:g} s")
            return []
        self._answered = now
        for address in [address for address in self._workers if address not in there]:
            lost += self._gone(address)
        for address, (threads, heartbeat) in there.items():
            known = self._workers.get(address)
            if known is None:
                self._greet(address, threads)
                continue
            if heartbeat != known.heartbeat:
                known.heartbeat, known.heard = heartbeat, now
            elif known.is_silent(self.patience) and known.tasks:
                lost += self._lose(
                    known, Outcome.SILENT, f"the worker {address} has said nothing for {self.patience:g} s"
                )
        self._hear_greeted()
        return lost

    def _gone(self, address: str) -> list[Task]:
        """Nothing is given to it any more, unless it comes back and is greeted again."""
        worker = self._workers.pop(address, None)
        return self._lose(worker, Outcome.DIED, f"the worker {address} ended") if worker is not None else []

    def _there(self) -> dict[str, tuple[int, float]] | None:
        """Workers, with their threads and last heartbeats; None if the scheduler does not answer."""
        try:
            if self.client.status != "running":
                return None
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except Exception as error:  # Dask has many for a connection that is gone
            log.info("the scheduler does not answer: %s", error)
            return None
        return {address: (int(told["nthreads"]), float(told["last_seen"])) for address, told in workers.items()}

    def _lose(self, worker: _Worker, outcome: Outcome, reason: str) -> list[Task]:
        lost = list(worker.tasks)
        for task in lost:
            task.outcome, task.reason = outcome, reason
            self.cancel(task)
        return [task for task in lost if task is not worker.greeted]

    def greet_again(self, address: str) -> None:
        """It is another process than it was."""
        if address in self._workers:
            self._greet(address, self._workers[address].threads)

    def _greet(self, address: str, threads: int) -> None:
        worker = self._workers[address] = _Worker(threads, None)
        if address not in self.refused:
            worker.greeted = self.submit(address, self.greeting.function, *self.greeting.arguments)
            worker.tasks.clear()  # not one of those that are waited for

    def _hear_greeted(self) -> None:
        for address, worker in self._workers.items():
            task = worker.greeted
            if task is None or not task.future.done():
                continue
            worker.greeted = None
            self._end(task)
            if task.outcome is Outcome.DONE and not task.result:
                worker.is_ready = True
            else:
                self.refuse(address, str(task.result) if task.outcome is Outcome.DONE else task.reason)
                log.info("worker %s does not take part: %s", address, self.refused[address])


def is_wanted() -> bool:
    """On a worker, in a task: whether anybody still waits for its result. Elsewhere: yes."""
    try:
        from distributed.worker import get_worker, thread_state
    except ImportError:
        return True
    key = getattr(thread_state, "key", None)
    if key is None:
        return True
    state = get_worker().state.tasks.get(key)
    return state is not None and state.state in ("executing", "long-running")
