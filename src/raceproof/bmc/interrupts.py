"""Ctrl-C while terms are made: noted at once, and told where it can be.

z3's Python interface does not expect an exception between any two of its steps: it would turn a `KeyboardInterrupt`
into an error of its own, or lose it. So it is raised where the time is looked at, and nowhere else.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from raceproof.core import Budget


class Watch:
    """A budget that also ends when the user presses Ctrl-C."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.is_interrupted = False

    def check(self) -> None:
        """Raise `KeyboardInterrupt` once the user has asked for it, `LimitReached` once the time is up."""
        if self.is_interrupted:
            raise KeyboardInterrupt
        self.budget.check()

    def remaining(self) -> float:
        return self.budget.remaining()

    def note(self, number: int, frame: FrameType | None) -> None:
        self.is_interrupted = True


@contextmanager
def watched(budget: Budget) -> Iterator[Watch]:
    """Ctrl-C is noted meanwhile, unless somebody else has taken charge of it, or this is not the main thread."""
    watch = Watch(budget)
    if threading.current_thread() is not threading.main_thread():
        yield watch
        return
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield watch
        return
    signal.signal(signal.SIGINT, watch.note)
    try:
        yield watch
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def as_usual(watch: Watch) -> Iterator[None]:
    """While something else than the solver is at work: Ctrl-C is what it always is."""
    before = signal.getsignal(signal.SIGINT)
    if before != watch.note:
        yield
        return
    watch.check()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
