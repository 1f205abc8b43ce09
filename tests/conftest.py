"""Options and settings of the whole test suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The first call of a test may compile or import; a deadline per example would only make the suite flaky.
settings.register_profile("raceproof", deadline=None)
settings.load_profile("raceproof")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite the expected files of the golden tests")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))
