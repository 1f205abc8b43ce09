"""Options and settings of the whole test suite."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings

# The first call of a test may compile or import; a deadline per example would only make the suite flaky.
settings.register_profile("raceproof", deadline=None)
settings.load_profile("raceproof")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the expected files of the golden tests")


def pytest_configure(config: pytest.Config) -> None:
    """A shell lets what it runs in the background ignore Ctrl-C, and so would the commands that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Build raceproof's own programs before several processes begin: each of them would build them all.

    That is on nobody's time limit then. What does not compile, the tests that need it will tell.
    """
    if not session.config.getoption("numprocesses", None) or hasattr(session.config, "workerinput"):
        return
    from raceproof.core import RaceproofError
    from raceproof.explore.build import build_host, why_not_32_bits
    from raceproof.native.library import build_library
    from raceproof.petri.solver import kernel

    builds: list[Callable[[], object]] = [
        lambda: build_host(machine="aarch64") if shutil.which("qemu-aarch64") is not None else None,
        lambda: build_host(machine="x86") if why_not_32_bits() is None else None,
        build_host,
        kernel,
        lambda: build_library("octagon"),
    ]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:  # each mostly waits for a compiler, on one processor
        for done in [pool.submit(build) for build in builds]:
            try:
                done.result()
            except RaceproofError as error:
                print(f"not built before the tests: {error}", file=sys.stderr)


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))
