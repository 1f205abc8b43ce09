"""One line on the terminal that says what is going on, when it takes long.

Nothing is written when standard error is not a terminal, or when all is over within two seconds.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import TextIO

_PATIENCE = 2.0
_REDRAW = 0.5
_ERASE = "\r\x1b[K"


class Progress:
    """Use as a context manager; `stage` may be called at any time. A daemon thread redraws the line."""

    def __init__(self, stream: TextIO, enabled: bool, patience: float = _PATIENCE) -> None:
        self._stream = stream
        self._patience = patience
        self._stage = "starting"
        self._start = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._redraw, daemon=True) if enabled else None

    def stage(self, name: str) -> None:
        self._stage = name

    @property
    def current(self) -> str:
        return self._stage

    def __enter__(self) -> Progress:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _redraw(self) -> None:
        if self._over.wait(self._patience):
            return
        try:
            while not self._over.is_set():
                elapsed = time.monotonic() - self._start
                self._stream.write(f"{_ERASE}raceproof: {self._stage}, {elapsed:.0f} s")
                self._stream.flush()
                self._over.wait(_REDRAW)
            self._stream.write(_ERASE)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone; the analysis goes on
            return
