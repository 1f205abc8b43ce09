"""Run the native runtime, here or on a target, and read what it says, to the end whatever happens.

The runtime keeps its own time limit and ends with an `end` record. What it cannot be trusted with is handled here: it
may die (the program under test runs inside it), and it may hang (so does the program). Ctrl-C is passed on, once;
the runtime then finishes with what it has. A second Ctrl-C ends everything. When raceproof itself is told to end, by a
`timeout` for instance, the runtime ends with it.

A target can do more: it may be slow, far, or gone without a word, and say what makes no sense. Then the search goes on
by the next way to it, from the beginning; when there is none left, it ends with what was found.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import IO

from raceproof.core import InternalError, ToolMissing, Unsupported
from raceproof.explore.build import runtime_digest
from raceproof.explore.protocol import (
    REFUSED,
    Control,
    EndRecord,
    ProgressRecord,
    RaceRecord,
    Record,
    StatRecord,
    parse,
)
from raceproof.explore.stream import (
    HOST_KEY,
    HOST_PROOF,
    PROTOCOL,
    TARGET_KEY,
    TARGET_PROOF,
    Frame,
    StreamBroken,
    digest_of,
    greeting,
    proof,
    read_greeting,
)
from raceproof.explore.target import Link, Remote, Unreachable, connect, start, stream_of

GRACE = 5.0
"""Seconds that the host may take to end after its time limit or an interrupt."""
TICK = 0.25
_ALIVE = 5.0  # seconds after which a target hears that we are there
_LAST_WORDS = 2.0  # seconds in which the host ends what it has started, before it is killed
_LOOK = 0.0005, 0.05  # seconds between looks whether it has ended: the first time, and at most
LATE = "it did not end in time: the program runs without reaching an operation that is watched"
_ANOTHER_MACHINE = "; {} is a file on this machine: for another one, write {upload} in its place"
_STDERR = 2000

OnProgress = Callable[[ProgressRecord], None]
Where = Path | Remote
"""A runtime on this machine, or a target."""


@dataclass(slots=True)
class HostRun:
    """What one run of the host gave: its records but for the progress, and why it ended.

    `end` is the reason of its last record, None if it died or was killed before that; `problem` then says how.
    `is_lost`: there was no target any more. `is_taken_up`: a part of it was done by an earlier command.
    """

    records: list[Record] = field(default_factory=list)
    end: str | None = None
    problem: str | None = None
    interrupted: bool = False
    is_lost: bool = False
    is_taken_up: bool = False
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def stats(self) -> dict[str, int | float]:
        return {record.name: record.value for record in self.records if isinstance(record, StatRecord)}


class Host:
    """A running runtime. Whoever makes one calls `end`, whatever happens.

    `lost` says what is wrong with the target when it can no longer be relied on. What it has said by then was true.
    """

    def __init__(self, where: Where, program: Path, control: Control, grace: float = GRACE) -> None:
        self.remote = where if isinstance(where, Remote) else None
        self.via = ""
        self.start = self.heard = self.spoken = time.monotonic()
        self.grace, self.limit = grace, control.time_limit
        self.deadline = self.start + self.limit + grace if self.limit else float("inf")
        self.is_closed = False
        self.lost: str | None = None
        self._rest = b""
        self._last: tuple[str, int, str] | None = None
        self._program, self._control = program, control
        self._is_asked = self._has_greeted = False
        self._pending: list[Frame] = []
        self._greetings = (b"", b"")
        with contextlib.ExitStack() as stack:
            self._stderr: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            self.link: Link = self._connected(where)
            self._files = stack.pop_all()
        if self.remote is None or not self.link.needs_secret:
            self._greetings = (b"", greeting(runtime_digest()))
            self.link.stream.put(Frame.HELLO, self._greetings[1])
            self._request()
        self.flush()

    def _connected(self, where: Where) -> Link:
        if isinstance(where, Path):
            try:
                process = start([where], self._stderr)
            except Unreachable as error:
                raise ToolMissing(f"cannot run the explorer's runtime {error}") from None
            return Link(stream_of(process), process)
        while (via := where.next_via()) is not None:
            self.via = via
            try:
                return connect(via, where.runtime, self._stderr)
            except Unreachable as error:
                where.failed(via, str(error))
        raise Unreachable(where.why())

    def _request(self) -> None:
        """All that there is to do: it is read while it is sent."""
        stream, control = self.link.stream, self._control.text().encode("utf-8")
        program = os.fsencode(self._program) if self.remote is None else self._program.read_bytes()
        stream.put_parts(Frame.PATH if self.remote is None else Frame.PROGRAM, program)
        stream.put_parts(Frame.CONTROL, control)
        stream.put_parts(Frame.INPUT, self._control.surroundings.stdin)
        stream.put(Frame.START, digest_of(program, control, self._control.surroundings.stdin))
        self._is_asked = True
        for frame in self._pending:
            stream.put(frame)

    # -- what it is told

    def flush(self) -> None:
        """Send what there is, as far as the other side takes it."""
        now = time.monotonic()
        stream = self.link.stream
        if self.remote is not None and self._is_asked and now - self.spoken > _ALIVE:
            stream.put(Frame.ALIVE)
            self.spoken = now
        stream.flush()

    @property
    def has_output(self) -> bool:
        return self.link.stream.has_output

    def writing(self) -> int:
        return self.link.stream.writing

    def _tell(self, frame: Frame) -> None:
        if self._is_asked:
            self.link.stream.put(frame)
            self.flush()
        else:  # when we know who it is
            self._pending.append(frame)

    def interrupt(self) -> None:
        """Let it finish with what it has."""
        self._tell(Frame.INTERRUPT)
        self.deadline = min(self.deadline, time.monotonic() + self.grace)

    def ask(self) -> None:
        """For a part of what it has left to do: once it has written something it listens."""
        self._tell(Frame.ASK)

    # -- what it says

    def fileno(self) -> int:
        return self.link.stream.reading

    def read(self) -> list[Record]:
        """What it has written since; nothing if that is nothing."""
        records: list[Record] = []
        stream = self.link.stream
        try:
            for frame, payload in stream.read():
                self.heard = time.monotonic()
                records += self._take(frame, payload)
        except (StreamBroken, UnicodeDecodeError) as error:
            self._lose(str(error))
        if stream.at_end and self._last is None and not self.is_closed:
            self.is_closed = True
            if self.remote is not None:
                what = "within a frame" if stream.is_cut_off else "before it had said all"
                self.lost = f"the connection ended {what}"
        return records

    def _lose(self, reason: str) -> None:
        self.is_closed = True
        self.lost = self.lost or reason

    def _take(self, frame: Frame, payload: bytes) -> list[Record]:
        if frame is Frame.TARGET and not self._has_greeted:
            self._meet(payload)
        elif frame is Frame.REFUSED:
            self._lose(payload.decode("utf-8", "replace"))
        elif not self._has_greeted:
            raise StreamBroken("it does not say what it is")
        elif frame is Frame.KNOWN and not self._is_asked:
            self._trust(payload)
        elif not self._is_asked:
            raise StreamBroken("it has not shown that it knows the secret")
        elif frame is Frame.RECORDS:
            *lines, self._rest = (self._rest + payload).split(b"\n")
            return self._parsed(lines)
        elif frame is Frame.LAST:
            how, _, text = payload.decode("utf-8", "replace").partition("\n")
            word, _, number = how.partition(" ")
            self._last = (word, int(number) if number.isdecimal() else -1, text.strip())
            self.is_closed = True
        elif frame is not Frame.ALIVE:
            raise StreamBroken(f"a frame that only a host sends: {frame.name}")
        return []

    def _parsed(self, lines: list[bytes]) -> list[Record]:
        try:
            return [parse(line.decode("utf-8", "replace")) for line in lines]
        except InternalError as error:
            if self.remote is None:
                raise
            raise StreamBroken(f"it sends what makes no sense: {error}") from None

    def _meet(self, payload: bytes) -> None:
        """Is it what we expect? If it was reached by a network, show that we know the secret and wait for its proof."""
        told = read_greeting(payload)
        if told.get("protocol") != str(PROTOCOL):
            raise StreamBroken(f"it speaks version {told.get('protocol')} of the protocol, not {PROTOCOL}")
        if self.remote is not None and told.get("machine") != self.remote.target.machine:
            raise StreamBroken(f"its runtime is for {told.get('machine')}, not for {self.remote.target.machine}")
        if told.get("build") != runtime_digest():
            raise StreamBroken(
                "its runtime is of another version of raceproof: build it anew (raceproof target --build)"
            )
        self._has_greeted = True
        if self.remote is None or not self.link.needs_secret:
            return
        if not told.get("nonce"):
            raise StreamBroken("it does not ask for a secret, so it could be anybody")
        self._greetings = (payload, greeting(runtime_digest(), secrets.token_hex(32)))
        self.link.stream.put(Frame.HELLO, self._greetings[1])
        self.link.stream.put(Frame.AUTH, proof(self.remote.secret, HOST_PROOF, *self._greetings))
        self.flush()

    def _trust(self, payload: bytes) -> None:
        assert self.remote is not None
        secret, (theirs, ours) = self.remote.secret, self._greetings
        if not secrets.compare_digest(payload, proof(secret, TARGET_PROOF, theirs, ours)):
            raise StreamBroken("it does not know the secret")
        self.link.stream.use_keys(proof(secret, HOST_KEY, theirs, ours), proof(secret, TARGET_KEY, theirs, ours))
        self._request()
        self.flush()

    # -- how it ends

    def is_late(self) -> bool:
        """Whether it is to be given up; `lost` if that is because a target no longer says that it is there."""
        now = time.monotonic()
        if self.remote is not None and not self.is_closed:
            patience = self.remote.patience if self._has_greeted else self.remote.first_patience
            if now - self.heard > patience:
                self._lose(f"it has said nothing for {patience:g} s")
                return True
            if self.has_output:  # what it is to do is still on its way
                self.deadline = max(self.deadline, now + self.limit + self.grace) if self.limit else self.deadline
        return now > self.deadline

    def end(self) -> str:
        """Leave nothing of it; how it came to an end, if it was not by itself.

        Raises `Unsupported` if it could not load the program.
        """
        process = self.link.process
        if not self.is_closed or self.lost:
            self._tell(Frame.END)
        self.link.stream.close()
        if process is not None:
            _end(process, self.grace if self.is_closed and not self.lost else 0.0)
        status, stderr = process.returncode if process is not None else 0, _tail(self._stderr)
        self._files.close()
        if self._last is not None:
            word, number, text = self._last
            status, stderr = -number if word == "signal" else number, text
        elif self.remote is not None:
            reason = self.lost or (LATE if self.is_late() else "it was ended")
            hint = _ANOTHER_MACHINE if "{}" in self.via and not self._has_greeted else ""
            return f"{self.via}: {reason}" + (f": {stderr}" if stderr and not self.is_late() else "") + hint
        if status == REFUSED:
            raise Unsupported(_refusal(stderr))
        return self.lost or _death(status, stderr)


def run_host(
    host: Where,
    program: Path,
    control: Control,
    on_progress: OnProgress = lambda record: None,
    grace: float = GRACE,
) -> HostRun:
    """Run the program as `control` says and wait for the end; never longer than its time limit and the grace."""
    begin = time.monotonic()
    result = HostRun()
    hosts: list[Host] = []

    def interrupt() -> None:
        result.interrupted = True
        for running in hosts:
            running.interrupt()

    with signals_handled(interrupt):  # before it runs: nothing of it is to be left behind
        while True:
            left = control.time_limit - (time.monotonic() - begin) if control.time_limit else 0.0
            asked = replace(control, time_limit=max(left, 0.01)) if hosts and control.time_limit else control
            try:
                running = Host(host, program, asked, grace)
            except Unreachable as error:
                result.problem = f"the target cannot be reached: {error}"
                result.is_lost = True
                break
            hosts[:] = [running]
            death = ""
            try:
                if result.interrupted:
                    running.interrupt()
                _read(running, result, on_progress)
            finally:
                death = running.end()
            if running.lost is None:
                if running.remote is not None and result.end is not None:
                    running.remote.worked(running.via)
                if result.end is None and result.problem is None:
                    result.problem = death
                break
            is_over = bool(control.time_limit) and time.monotonic() - begin > control.time_limit
            if not _goes_on(running, result, death, is_over):
                break
    result.seconds = time.monotonic() - begin
    return result


def _goes_on(running: Host, result: HostRun, death: str, is_over: bool) -> bool:
    """Whether the search is begun anew, by this way to the target or by another. Races that it has found are kept: they
    happened."""
    remote = running.remote
    if remote is not None:
        remote.failed(running.via, str(running.lost))
    result.end = None
    result.records = [record for record in result.records if isinstance(record, RaceRecord)]
    if remote is None or result.interrupted or is_over or not remote.has_via():
        result.problem = f"the target was lost: {death}" if remote is not None else death
        result.is_lost = remote is not None
        return False
    result.notes += (f"the search was begun anew: {death}",)
    return True


def _read(running: Host, result: HostRun, on_progress: OnProgress) -> None:
    """Take records until the host closes its output; give up when the deadline has passed."""
    while not running.is_closed:
        if running.is_late():
            if running.lost is None:
                result.problem = LATE
            return
        running.flush()
        if not wait_for([running], TICK):
            continue
        for record in running.read():
            if isinstance(record, ProgressRecord):
                on_progress(record)
            elif isinstance(record, EndRecord):
                result.end = record.reason
            else:
                result.records.append(record)


def wait_for(hosts: list[Host], seconds: float) -> list[Host]:
    """Those that have said something; or one takes more of what it is told."""
    writing = {host.writing(): host for host in hosts if host.has_output}
    ready, able, _ = select.select(hosts, list(writing), [], seconds)
    for descriptor in able:
        writing[descriptor].flush()
    return ready


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


def _end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Whatever is left of the host and of its children: it ends them itself, if it can; it has so many seconds to end
    by itself."""
    if not _has_ended(process, seconds):
        process.send_signal(signal.SIGHUP)
        _has_ended(process, _LAST_WORDS)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for its end, and leave its number to it: that of its group, too, is nobody else's then."""
    until, look = time.monotonic() + seconds, _LOOK[0]
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        left = until - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, look))
        look = min(2 * look, _LOOK[1])
    return True


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
        help_ = "give the file that defines it, or the library: --link=-lNAME"
        return f"running without `{missing[1]}`, which is defined nowhere: {help_}"
    return f"loading the program: {stderr}"


def _tail(stderr: IO[bytes]) -> str:
    size = stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, size - _STDERR))
    return stderr.read().decode("utf-8", "replace").strip()
