"""Run the native host as a child process and read what it says, to the end whatever happens.

The host keeps its own time limit and ends with an `end` record. What it cannot be trusted with is handled here: it
may die (the program under test runs inside it), and it may hang (so does the program). Ctrl-C is passed on, once;
the host then finishes with what it has. A second Ctrl-C ends everything. When raceproof itself is told to end, by a
`timeout` for instance, the host ends with it.
"""

from __future__ import annotations

import contextlib
import os
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

from raceproof.core import InternalError, ToolMissing
from raceproof.explore.protocol import Control, EndRecord, ProgressRecord, Record, StatRecord, parse

GRACE = 5.0
"""Seconds that the host may take to end after its time limit or an interrupt."""
_TICK = 0.25
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
    seconds: float = 0.0

    def stats(self) -> dict[str, int | float]:
        return {record.name: record.value for record in self.records if isinstance(record, StatRecord)}


def run_host(
    host: Path,
    program: Path,
    control: Control,
    on_progress: OnProgress = lambda record: None,
    grace: float = GRACE,
) -> HostRun:
    """Run the program as `control` says and wait for the end; never longer than its time limit and the grace."""
    start = time.monotonic()
    result = HostRun()
    with tempfile.TemporaryDirectory(prefix="raceproof-") as scratch, tempfile.TemporaryFile() as stderr:
        path = Path(scratch, "control")
        path.write_text(control.text(), encoding="utf-8")
        try:
            # A session of its own: Ctrl-C reaches it only through us, and its children can be ended with it.
            process = subprocess.Popen(
                [host, program, path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise ToolMissing(f"cannot run the explorer's runtime {host}: {error.strerror}") from None
        try:
            deadline = start + control.time_limit + grace if control.time_limit else None
            with _signals_handled(process, result):
                _read(process, result, deadline, grace, on_progress)
        finally:
            _end(process)
        result.seconds = time.monotonic() - start
        if result.end is None and result.problem is None:
            result.problem = _death(process.returncode, _tail(stderr))
    return result


def _read(
    process: subprocess.Popen[bytes], result: HostRun, deadline: float | None, grace: float, on_progress: OnProgress
) -> None:
    """Take records until the host closes its output; give up when the deadline has passed."""
    if process.stdout is None:
        raise InternalError("the host has no output to read")
    output = process.stdout.fileno()
    rest = b""
    was_interrupted = False
    while True:
        if result.interrupted and not was_interrupted:
            was_interrupted = True
            deadline = min(deadline or float("inf"), time.monotonic() + grace)
        if deadline is not None and time.monotonic() > deadline:
            result.problem = "it did not end in time: the program runs without reaching an operation that is watched"
            return
        if not select.select([output], [], [], _TICK)[0]:
            continue
        chunk = os.read(output, _CHUNK)
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            _take(line, result, on_progress)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(grace)


def _take(line: bytes, result: HostRun, on_progress: OnProgress) -> None:
    record = parse(line.decode("utf-8", "replace"))
    if isinstance(record, ProgressRecord):
        on_progress(record)
    elif isinstance(record, EndRecord):
        result.end = record.reason
    else:
        result.records.append(record)


@contextlib.contextmanager
def _signals_handled(process: subprocess.Popen[bytes], result: HostRun) -> Iterator[None]:
    """Pass the first Ctrl-C on to the host, and let nothing that ends us leave it behind: it has its own session.

    Signals come to the main thread only: elsewhere there is nothing to do.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)  # on the way out the host is killed

    def handle(number: int, frame: FrameType | None) -> None:
        if result.interrupted:
            raise KeyboardInterrupt
        result.interrupted = True
        process.send_signal(signal.SIGINT)

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
    """Whatever is left of the host and of its children."""
    if process.poll() is None:
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


def _tail(stderr: IO[bytes]) -> str:
    size = stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, size - _STDERR))
    return stderr.read().decode("utf-8", "replace").strip()
