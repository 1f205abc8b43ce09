"""Check many programs, several at a time, and let nothing of it be left behind.

One loop starts processes, sees who has ended, ends who is late. It never waits for long: a request to stop, which
`interruptions` makes of Ctrl-C, is seen at once, and then what is running is ended and what is done is kept.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType

from raceproof.core import ToolMissing
from raceproof.corpora.checking import Ended, command_for, result_of
from raceproof.corpora.results import TaskResult
from raceproof.corpora.settings import Settings
from raceproof.corpora.tasks import Task

log = logging.getLogger(__name__)

GRACE = 30.0
"""Seconds that a check may take beyond its time limit: to compile, to replay, to write."""
_LAST_WORDS = 2.0  # seconds from a request to end to the end
_TICK = 0.01


class _Running:
    """A check that goes on. After `deadline` it is asked to end, and then made to."""

    def __init__(self, task: Task, process: subprocess.Popen[bytes], report: Path, errors: Path, limit: float) -> None:
        self.task = task
        self.report = report
        self.errors = errors
        self.is_late = False
        self._process = process
        self._start = time.monotonic()
        self._deadline = self._start + limit

    def poll(self) -> Ended | None:
        """How it ended, None if it has not. Only `wait4` knows the CPU time of all that the process waited for."""
        now = time.monotonic()
        if now > self._deadline:
            if self.is_late:
                self._signal(signal.SIGKILL)
            else:
                self.is_late = True
                self.ask_to_end()
        found, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        if not found:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(self._process.returncode, usage.ru_utime + usage.ru_stime, now - self._start, self.is_late)

    def ask_to_end(self) -> None:
        """A check that is asked also ends the program that it executes, which has a session of its own."""
        self._deadline = time.monotonic() + _LAST_WORDS
        self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def run_tasks(
    tasks: Sequence[Task],
    settings: Settings,
    wrong: Path,
    is_stopped: Callable[[], bool],
    grace: float = GRACE,
) -> Generator[TaskResult, None, None]:
    """Yield each result when it is there, until all are or `is_stopped`. Reports of wrong verdicts go to `wrong`."""
    waiting = deque(enumerate(tasks, start=1))
    running: list[_Running] = []
    with tempfile.TemporaryDirectory(prefix="raceproof-") as scratch:
        try:
            while (waiting or running) and not is_stopped():
                while waiting and len(running) < settings.jobs:
                    number, task = waiting.popleft()
                    running.append(_start(task, settings, Path(scratch), number, grace))
                ended = [(one, end) for one in running if (end := one.poll()) is not None]
                running = [one for one in running if all(one is not other for other, _ in ended)]
                for one, end in ended:
                    result = result_of(one.task, end, one.report, one.errors)
                    yield _kept(result, one.report, wrong) if result.outcome.is_wrong else result
                    one.report.unlink(missing_ok=True)
                if not ended:
                    time.sleep(_TICK)
        finally:
            _end_all(running)


def _start(task: Task, settings: Settings, scratch: Path, number: int, grace: float) -> _Running:
    report, errors = scratch / f"{number}.json", scratch / f"{number}.txt"
    command = command_for(task, settings, report)
    log.info("%s", shlex.join(command))
    with errors.open("wb") as stderr:
        try:
            # A session of its own: Ctrl-C reaches it only through us.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise ToolMissing(f"cannot run {command[0]}: {error.strerror}") from None
    return _Running(task, process, report, errors, settings.time_limit + grace)


def _end_all(running: Sequence[_Running]) -> None:
    for one in running:
        one.is_late = True
        one.ask_to_end()
    left = list(running)
    while left:
        left = [one for one in left if one.poll() is None]
        time.sleep(_TICK)


def _kept(result: TaskResult, report: Path, wrong: Path) -> TaskResult:
    """A wrong verdict is a bug: whoever looks for it needs the report. That it is wrong counts in any case."""
    stem = re.sub(r"[^A-Za-z0-9.-]+", "_", result.name)[-80:]
    target = wrong / f"{report.stem}-{stem}.json"
    try:
        wrong.mkdir(exist_ok=True)
        shutil.copyfile(report, target)
    except OSError as error:
        log.warning("cannot keep the report on %s: %s", result.name, error)
        return result
    return replace(result, report=f"{wrong.name}/{target.name}")


@contextlib.contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Make of Ctrl-C, and of what else would end us, a question that is asked: has there been one?

    Signals come to the main thread only: elsewhere there is none.
    """
    seen = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield seen.is_set
        return

    def handle(number: int, frame: FrameType | None) -> None:
        seen.set()

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number, earlier in before.items():
            if earlier is not signal.SIG_IGN:  # nohup, or a job in the background: so it stays
                signal.signal(number, handle)
        yield seen.is_set
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
