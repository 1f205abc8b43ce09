"""A crew whose members are the workers of a cluster.

An item is a task for one worker, or a few items together are when many wait: an item may take less time than a
message. Tasks end by themselves after some seconds, so nobody is asked for anything. Of a task that is lost nothing is
known; when it was of several items, each of them is begun again alone, so that the one that ends its worker is found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from raceproof.cluster import Cluster, ClusterLost, Greeting, Outcome, Task, Workers, connected
from raceproof.core import InputError
from raceproof.explore.cluster_item import Done, Search, digest_of_search, greet, run_items, who_we_are
from raceproof.explore.crew import Loss, Order, Runner
from raceproof.explore.protocol import Control, Record
from raceproof.explore.target import Unreachable

_TOGETHER = 16  # items in a task, at most
_FIRST_WORKER = 120.0  # seconds until one is there and has built the runtime
_NO_WORKERS = 60.0  # seconds until a search ends that has none any more
_REFUSED = 5.0  # the same, when there are some that cannot take part
_TOLD = 3  # refusals

RunItems = Callable[[str, Sequence[Order]], list[Done | None] | None]


class ClusterRunner:
    """One item, at work on the cluster or about to be."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.lost: str | None = None
        self.is_closed = False
        self.was_begun = self.is_to_blame = True
        self._done: Done | None = None
        self._is_interrupted = False

    def finish(self, done: Done | None) -> None:
        self.is_closed = True
        self._done = done
        if done is None:
            self.was_begun = False
            self.lose("there was no time for it", is_to_blame=False)

    def lose(self, reason: str, is_to_blame: bool) -> None:
        self.is_closed, self.lost, self.is_to_blame = True, reason, is_to_blame

    def read(self) -> list[Record]:
        return list(self._done.records) if self._done is not None else []

    def ask(self) -> None:
        pass  # it ends by itself

    def interrupt(self) -> None:
        self._is_interrupted = True

    def is_late(self) -> bool:
        return self._is_interrupted and not self.is_closed

    def end(self) -> str:
        self.is_closed = True
        return self.lost or (self._done.death if self._done is not None else "it was ended")


class ClusterCrew:
    """Whatever workers there are, and those that come later."""

    is_whole = True

    def __init__(self, workers: Workers, digest: str, function: RunItems = run_items) -> None:
        self.workers, self.digest, self.function = workers, digest, function
        self.problem: str | None = None
        self._pending: list[ClusterRunner] = []
        self._tasks: dict[Task, list[ClusterRunner]] = {}
        self._waiting = 0
        self._seen = time.monotonic()

    def room(self, running: int, waiting: int) -> int:
        self._waiting = max(waiting, len(self._pending))
        return len(self.workers.free()) * self._together() - len(self._pending)

    def _together(self) -> int:
        """Only as many that each worker gets some, twice."""
        return max(1, min(_TOGETHER, self._waiting // (2 * max(self.workers.slots, 1))))

    def start(self, order: Order) -> ClusterRunner:
        if self.problem is not None:
            raise Unreachable(self.problem)
        runner = ClusterRunner(order)
        self._pending.append(runner)
        return runner

    def _submit(self) -> None:
        free = self.workers.free()
        while self._pending and free:
            alone = next((runner for runner in self._pending if runner.order.is_alone), None)
            share = [alone] if alone is not None else self._pending[: -(-len(self._pending) // len(free))]
            self._pending = [runner for runner in self._pending if runner not in share]
            orders = [runner.order for runner in share]
            task = self.workers.submit(free.pop(0), self.function, self.digest, orders)
            self._tasks[task] = share

    def wait(self, runners: Sequence[Runner], seconds: float) -> Sequence[ClusterRunner]:
        try:
            self._cancel_unwanted()
            self._submit()
            ended = self.workers.wait(seconds)
        except ClusterLost as error:
            self.problem = str(error)
            return []
        now = time.monotonic()
        if self.workers.slots or self.workers.is_waiting():
            self._seen = now
        elif now - self._seen > (_REFUSED if self.workers.refused else _NO_WORKERS):
            self.problem = f"no worker is left{self._refusals()}"
        closed = [runner for task in ended for runner in self._finish(task)]
        wanted = set(runners)
        return [runner for runner in closed if runner in wanted]

    def _cancel_unwanted(self) -> None:
        """Tasks whose items were all given up here, as after Ctrl-C."""
        self._pending = [runner for runner in self._pending if not runner.is_closed]
        for task, share in list(self._tasks.items()):
            if all(runner.is_closed for runner in share):
                self.workers.cancel(task)
                del self._tasks[task]

    def close(self) -> None:
        self._cancel_unwanted()

    def _finish(self, task: Task) -> list[ClusterRunner]:
        share = self._tasks.pop(task, [])
        results: list[Done | None] | None = task.result
        if task.outcome is Outcome.DONE and results is not None:
            for runner, done in zip(share, results, strict=True):
                runner.finish(done)
            return share
        if task.outcome is Outcome.DONE:
            self.workers.greet_again(task.address)
            reason, is_to_blame = f"the worker {task.address} was started again", len(share) == 1
        else:
            if task.outcome is Outcome.FAILED:
                self.workers.refuse(task.address, task.reason)
            reason = task.reason
            is_to_blame = task.outcome in (Outcome.DIED, Outcome.SILENT)
        for runner in share:
            runner.lose(reason, is_to_blame)
        return share

    def ended(self, runner: Runner) -> None:
        pass

    def lost(self, runner: Runner, how: str) -> Loss:
        assert isinstance(runner, ClusterRunner)
        return Loss(was_begun=runner.was_begun, is_to_blame=runner.is_to_blame)

    def describe(self) -> str:
        return f"{self.workers.count} workers, {len(self._tasks)} tasks at work"

    def notes(self) -> tuple[str, ...]:
        found = [f"the worker {address} did not take part: {why}" for address, why in self.workers.refused.items()]
        more = len(found) - _TOLD
        return (*found[:_TOLD], *((f"{more} more workers did not take part",) if more > 0 else ()))

    def _refusals(self) -> str:
        return "".join(f"; {note}" for note in self.notes())


@contextmanager
def cluster_crew(
    cluster: Cluster,
    program: Path,
    control: Control,
    machine: str | None,
    on_progress: Callable[[str], None] = lambda text: None,
) -> Iterator[ClusterCrew]:
    """The crew, once there is a worker for it; raises `InputError` if none comes, or none can take part."""
    search = Search(program.read_bytes(), program.name, control, machine)
    content = search.content()
    digest = digest_of_search(content)
    with connected(cluster, on_progress) as client:
        workers = Workers(client, Greeting(greet, (who_we_are(), digest, content)))
        crew = ClusterCrew(workers, digest)
        _await_worker(cluster, crew)
        try:
            yield crew
        finally:
            crew.close()


def _await_worker(cluster: Cluster, crew: ClusterCrew) -> None:
    begin, workers = time.monotonic(), crew.workers
    while not workers.slots:
        try:
            workers.wait(0.05)
        except ClusterLost as error:
            raise InputError(f"--cluster {cluster.text}: {error}") from None
        late = time.monotonic() - begin > _FIRST_WORKER
        if late or (workers.refused and not workers.is_waiting() and not workers.slots):
            what = "no worker of the cluster can take part" if workers.refused else "the cluster has no worker"
            raise InputError(f"--cluster {cluster.text}: {what}{crew._refusals()}")
