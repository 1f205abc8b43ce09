"""Run the native host as a child process and read what it says, to the end whatever happens.

The host keeps its own time limit and ends with an `end` record. What it cannot be trusted with is handled here: it
may die (the program under test runs inside it), and it may hang (so does the program). Ctrl-C is passed on, once;
the host then finishes with what it has. A second Ctrl-C ends everything. When raceproof itself is told to end, by a
`timeout` for instance, the host ends with it.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from raceproof.core import InternalError, ToolMissing, Unsupported
from raceproof.explore.protocol import REFUSED, Control, EndRecord, ProgressRecord, Record, StatRecord, parse

GRACE = 5.0
"""Seconds that the host may take to end after its time limit or an interrupt."""
TICK = 0.25
_LAST_WORDS = 2.0  # seconds in which the host ends what it has started, before it is killed
LATE = "it did not end in time: the program runs without reaching an operation that is watched"
_CHUNK = 1 << 16
_STDERR = 2000

OnProgress = Callable[[ProgressRecord], None]


@dataclass(slots=True)
class HostRun:
    """What one run of the host gave: its records but for the progress, and why it ended.

    `end` is the reason of its last record, None if it died or was killed before that; `problem` then says how.
    """

    records: list[Record] = field(default_factory=list)
    end: str | None = None
    problem: str | None = None
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def stats(self) -> dict[str, int | float]:
        return {record.name: record.value for record in self.records if isinstance(record, StatRecord)}


class Host:
    """A running host. Whoever makes one calls `end`, whatever happens."""

    def __init__(self, host: Path, program: Path, control: Control, grace: float = GRACE) -> None:
        self.start = time.monotonic()
        self.grace = grace
        self.deadline = self.start + control.time_limit + grace if control.time_limit else float("inf")
        self.is_closed = False
        self._rest = b""
        with contextlib.ExitStack() as stack:
            self._stderr: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            # A file without a name: nothing is left of it, however we end.
            asked = stack.enter_context(tempfile.TemporaryFile())
            asked.write(control.text().encode("utf-8"))
            asked.seek(0)
            try:
                # A session of its own: Ctrl-C reaches it only through us, and its children can be ended with it.
                self.process = subprocess.Popen(
                    [host, program, f"/dev/fd/{asked.fileno()}"],
                    pass_fds=[asked.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=self._stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise ToolMissing(f"cannot run the explorer's runtime {host}: {error.strerror}") from None
            self._files = stack.pop_all()

    def fileno(self) -> int:
        if self.process.stdout is None:
            raise InternalError("the host has no output to read")
        return self.process.stdout.fileno()

    def read(self) -> list[Record]:
        """What it has written since; waits if that is nothing."""
        chunk = os.read(self.fileno(), _CHUNK)
        self.is_closed = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [parse(line.decode("utf-8", "replace")) for line in lines]

    def interrupt(self) -> None:
        """Let it finish with what it has."""
        self.process.send_signal(signal.SIGINT)
        self.deadline = min(self.deadline, time.monotonic() + self.grace)

    def ask(self) -> None:
        """For a part of what it has left to do: once it has written something it listens."""
        self.process.send_signal(signal.SIGUSR1)

    def is_late(self) -> bool:
        return time.monotonic() > self.deadline

    def end(self) -> str:
        """Leave nothing of it; how it came to an end, if it was not by itself.

        Raises `Unsupported` if it could not load the program.
        """
        if self.is_closed:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.grace)
        _end(self.process)
        status, stderr = self.process.returncode, _tail(self._stderr)
        self._files.close()
        if status == REFUSED:
            raise Unsupported(_refusal(stderr))
        return _death(status, stderr)


def run_host(
    host: Path,
    program: Path,
    control: Control,
    on_progress: OnProgress = lambda record: None,
    grace: float = GRACE,
) -> HostRun:
    """Run the program as `control` says and wait for the end; never longer than its time limit and the grace."""
    result = HostRun()
    hosts: list[Host] = []

    def interrupt() -> None:
        result.interrupted = True
        for running in hosts:
            running.interrupt()

    death = ""
    with signals_handled(interrupt):  # before it runs: nothing of it is to be left behind
        running = Host(host, program, control, grace)
        hosts.append(running)
        try:
            if result.interrupted:
                running.interrupt()
            _read(running, result, on_progress)
        finally:
            death = running.end()
    result.seconds = time.monotonic() - running.start
    if result.end is None and result.problem is None:
        result.problem = death
    return result


def _read(running: Host, result: HostRun, on_progress: OnProgress) -> None:
    """Take records until the host closes its output; give up when the deadline has passed."""
    while not running.is_closed:
        if running.is_late():
            result.problem = LATE
            return
        if not select.select([running], [], [], TICK)[0]:
            continue
        for record in running.read():
            if isinstance(record, ProgressRecord):
                on_progress(record)
            elif isinstance(record, EndRecord):
                result.end = record.reason
            else:
                result.records.append(record)


@contextlib.contextmanager
def signals_handled(interrupt: Callable[[], None]) -> Iterator[None]:
    """Do something else at the first Ctrl-C, and let nothing that ends us leave a host behind: it has its own session.

    Signals come to the main thread only: elsewhere there is nothing to do.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts = 0

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)  # on the way out the host is killed

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1:
            raise KeyboardInterrupt
        interrupt()

    handlers = {signal.SIGINT: handle, signal.SIGTERM: end, signal.SIGHUP: end}
    before = {number: signal.getsignal(number) for number in handlers}
    try:
        for number, handler in handlers.items():
            if before[number] is not signal.SIG_IGN:  # nohup, or a job in the background: so it stays
                signal.signal(number, handler)
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Whatever is left of the host and of its children: it ends them itself, if it can."""
    if process.poll() is None:
        process.send_signal(signal.SIGHUP)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_WORDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _death(status: int, stderr: str) -> str:
    if status < 0:
        try:
            how = f"it was ended by {signal.Signals(-status).name}"
        except ValueError:
            how = f"it was ended by signal {-status}"
    else:
        how = f"it ended with status {status} and without a result"
    return f"{how}: {stderr}" if stderr else how


def _refusal(stderr: str) -> str:
    if (missing := re.search(r"undefined symbol: (\S+)", stderr)) is not None:
        return f"running without `{missing[1]}`, which is defined nowhere: give the file that defines it too"
    return f"loading the program: {stderr}"


def _tail(stderr: IO[bytes]) -> str:
    size = stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, size - _STDERR))
    return stderr.read().decode("utf-8", "replace").strip()
