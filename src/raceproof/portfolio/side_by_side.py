"""Run several computations at the same time, each in a process of its own that begins as a copy of this one.

What a computation returns comes back whole; if its process is ended instead, that is a result too. Ctrl-C is passed on
once, so that each can end with what it has. No process outlives this one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from raceproof.core import InternalError

GRACE = 10.0
"""Seconds that a computation may take to end after Ctrl-C."""

T = TypeVar("T")
Say = Callable[[str], None]
Task = Callable[[Say], T]


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """`value` of the task, or None if its process ended without one, and then `problem` says how."""

    name: str
    value: T | None
    problem: str | None
    seconds: float


def run_side_by_side(tasks: Mapping[str, Task[T]], on_progress: Say) -> Iterator[Done[T]]:
    """Yield each result when it is there. An `InternalError` of a task is raised here."""
    begin = time.monotonic()
    context = multiprocessing.get_context("fork")
    alive, kept_open = os.pipe()  # whoever waits at `alive` sees the end of this process
    running: dict[Connection, tuple[str, BaseProcess]] = {}
    deadline: float | None = None
    try:
        for name, task in tasks.items():
            ours, theirs = context.Pipe(duplex=False)
            child = context.Process(target=_work, args=(task, theirs, alive, kept_open), daemon=False)
            child.start()
            theirs.close()
            running[ours] = (name, child)
        while running:
            try:
                ready = wait(list(running), timeout=0.5)
            except KeyboardInterrupt:
                if deadline is not None:
                    raise
                deadline = time.monotonic() + GRACE
                _interrupt([process for _, process in running.values()])
                continue
            if deadline is not None and time.monotonic() > deadline:
                raise KeyboardInterrupt
            for connection in [c for c in running if c in ready]:
                name, process = running[connection]
                done: Done[T] | None = _receive(connection, name, process, on_progress, begin)
                if done is not None:
                    del running[connection]
                    yield done
    finally:
        for _, process in running.values():
            process.kill()
            process.join()
        os.close(alive)
        os.close(kept_open)


def _receive(connection: Connection, name: str, process: BaseProcess, on_progress: Say, begin: float) -> Done[T] | None:
    try:
        kind, content = connection.recv()
    except EOFError:
        process.join()
        status = process.exitcode or 0
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return Done(name, None, f"its process ended with {how}", time.monotonic() - begin)
    if kind == "progress":
        on_progress(content)
        return None
    process.join()
    if kind == "bug":
        raise InternalError(f"in {name}: {content}")
    return Done(name, content, None, time.monotonic() - begin)


def _interrupt(processes: list[BaseProcess]) -> None:
    for process in processes:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGINT)


def _work(task: Task[T], out: Connection, alive: int, kept_open: int) -> None:
    os.close(kept_open)
    os.setpgid(0, 0)  # Ctrl-C reaches us only through our parent
    threading.Thread(target=_end_with_parent, args=(alive,), daemon=True).start()
    try:
        out.send(("value", task(lambda text: out.send(("progress", text)))))
    except KeyboardInterrupt:
        os._exit(130)
    except BaseException as error:
        out.send(("bug", f"{type(error).__name__}: {error}\n{traceback.format_exc()}"))
    finally:
        out.close()


def _end_with_parent(alive: int) -> None:
    os.read(alive, 1)
    os._exit(1)
