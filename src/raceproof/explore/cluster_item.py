"""What a worker of a cluster does: it is greeted with a search, and runs items of it.

All that comes is checked before it is used: version, machine, and content by its hash. What the search is about comes
once, and stays in a directory of the process until that ends.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raceproof.core import RaceproofError
from raceproof.explore.build import build_host, runtime_digest
from raceproof.explore.crew import Order
from raceproof.explore.process import GRACE, LATE, Host, wait_for
from raceproof.explore.protocol import Control, ProgressRecord, Record, UndividedRecord

_AGAIN: Final = 0.2  # seconds between two requests to end
_TICK: Final = 0.05
SCRATCH: Final = "raceproof-cluster-"


@dataclass(frozen=True, slots=True)
class Search:
    """What items are about. `machine`: of the runtime, None for that of this machine."""

    program: bytes
    name: str
    control: Control
    machine: str | None

    def content(self) -> bytes:
        return pickle.dumps(self, protocol=5)


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an item: its records, and how its process ended if it did not say why. None of both: it was not
    begun, for others took all the time."""

    records: tuple[Record, ...]
    death: str


@dataclass(frozen=True, slots=True)
class _Known:
    runtime: Path
    program: Path
    control: Control


_SEARCHES: dict[str, _Known] = {}
_SCRATCH: list[tempfile.TemporaryDirectory[str]] = []


def digest_of_search(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def who_we_are() -> tuple[str, str, str]:
    """What must be the same on a worker: the version, the sources of the runtime, the processor."""
    from raceproof import __version__

    return __version__, runtime_digest(), platform.machine()


def greet(expected: tuple[str, str, str], digest: str, content: bytes) -> str:
    """Get ready for a search; why not, if this worker cannot take part in it."""
    (version, runtime, machine), (our_version, our_runtime, our_machine) = expected, who_we_are()
    if version != our_version:
        return f"it has raceproof {our_version}, not {version}: install the same version there"
    if runtime != our_runtime:
        return f"its raceproof {our_version} has other sources of the runtime: install the same version there"
    if machine != our_machine:
        return f"its processor is {our_machine}, not {machine}: the program is not compiled for it"
    if digest_of_search(content) != digest:
        return "the search was changed on its way to it"
    if digest in _SEARCHES:
        return ""
    search: Search = pickle.loads(content)
    try:
        if not _SCRATCH:
            _SCRATCH.append(tempfile.TemporaryDirectory(prefix=SCRATCH))
        directory = Path(_SCRATCH[0].name, digest)
        directory.mkdir(mode=0o700, exist_ok=True)
        program = directory / search.name
        program.write_bytes(search.program)
        _SEARCHES[digest] = _Known(build_host(machine=search.machine), program, search.control)
    except (OSError, RaceproofError) as error:
        return f"it cannot prepare the search: {error}"
    return ""


def run_items(digest: str, orders: Sequence[Order]) -> list[Done | None] | None:
    """One after the other, as long as there is time for another one. None: this process knows nothing of the search."""
    known = _SEARCHES.get(digest)
    if known is None:
        return None
    from raceproof.cluster import is_wanted

    begin, done = time.monotonic(), list[Done | None]()
    for order in orders:
        late = time.monotonic() - begin
        if done and (late > order.seconds or not is_wanted()):
            done.append(None)
        else:
            done.append(_run(known, order, max(order.seconds - late, _TICK) if order.seconds else 0.0, is_wanted))
    return done


def _run(known: _Known, order: Order, seconds: float, is_wanted: Callable[[], bool]) -> Done | None:
    """One item in a process of its own; None if nobody wants it any more."""
    records: list[Record] = []
    host = Host(known.runtime, known.program, order.control(known.control), GRACE)
    is_late, ask_at = False, time.monotonic() + seconds if seconds else float("inf")
    next_look = 0.0
    try:
        while not host.is_closed:
            now = time.monotonic()
            if host.is_late():
                is_late = True
                break
            if now >= next_look:
                next_look = now + _AGAIN
                if not is_wanted():
                    return None
            if now >= ask_at:
                ask_at = now + _AGAIN
                host.ask()
            host.flush()
            for _ in wait_for([host], _TICK):
                records += [r for r in host.read() if not isinstance(r, ProgressRecord | UndividedRecord)]
    finally:
        try:
            death = host.end()
        except RaceproofError as error:  # its exceptions do not travel
            death = f"on {os.uname().nodename}: {error.message}"
    return Done(tuple(records), LATE if is_late else death)
