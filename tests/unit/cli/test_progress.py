from __future__ import annotations

import io
import time

import pytest

from raceproof.cli.output import is_interactive, wants_color
from raceproof.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_written_when_it_is_over_soon() -> None:
    stream = Terminal()
    with Progress(stream, enabled=True) as progress:
        progress.stage("facts")
    assert stream.getvalue() == ""


def test_nothing_is_written_when_not_enabled() -> None:
    stream = Terminal()
    with Progress(stream, enabled=False, patience=0.0):
        time.sleep(0.05)
    assert stream.getvalue() == ""


def test_the_line_is_drawn_and_removed() -> None:
    stream = Terminal()
    with Progress(stream, enabled=True, patience=0.0) as progress:
        progress.stage("facts")
        deadline = time.monotonic() + 5
        while "raceproof: facts, " not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "raceproof: facts, " in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")
    assert "\n" not in stream.getvalue()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
    ],
)
def test_color_on_terminals_that_want_it(environment: dict[str, str], expected: bool) -> None:
    assert wants_color(Terminal(), environment) is expected
    assert not wants_color(io.StringIO(), environment)


def test_no_color_does_not_switch_the_progress_off() -> None:
    assert is_interactive(Terminal(), {"TERM": "xterm", "NO_COLOR": "1"})
