"""A real browser for the tests of the HTML report.

It is the one that RACEPROOF_CHROMIUM names, else Chromium or Chrome as installed, else what Playwright downloads.
Without any the tests are skipped, or fail if RACEPROOF_REQUIRE_BROWSER is 1.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from raceproof.model import CheckResult
from raceproof.report.html import to_html

try:
    from playwright.sync_api import Browser, BrowserType, Error, Page, sync_playwright
except ImportError:  # `make test` in an environment without it
    sync_playwright = None

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def unavailable(reason: str) -> None:
    if os.environ.get("RACEPROOF_REQUIRE_BROWSER") == "1":
        pytest.fail(f"RACEPROOF_REQUIRE_BROWSER is set, but {reason}")
    pytest.skip(f"{reason}; install Chromium or name it in RACEPROOF_CHROMIUM")


def launch(chromium: BrowserType) -> Browser:
    found = os.environ.get("RACEPROOF_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    return chromium.launch(executable_path=found, args=ARGUMENTS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if sync_playwright is None:
        unavailable("Playwright is not installed")
    with sync_playwright() as playwright:
        try:
            opened = launch(playwright.chromium)
        except Error as error:
            unavailable(f"no browser starts ({str(error).splitlines()[0]})")
        yield opened
        opened.close()


@dataclass
class Opened:
    """A page, with what it complained of and asked for: both must stay empty but for the page itself."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Write a page and open it; the test ends with the check that it made no request and wrote no error."""
    all_opened: list[Opened] = []

    def open_it(text: str, address: str = "", width: int = 1200, scheme: str = "light") -> Opened:
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
        page.set_default_timeout(30_000)
        opened = Opened(page)
        page.on("console", lambda message: opened.complaints.append(message.text))
        page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        page.on("request", lambda request: opened.requests.append(request.url))
        page.goto(file.as_uri() + address)
        all_opened.append(opened)
        return opened

    yield open_it
    for opened in all_opened:
        opened.page.close()
        assert opened.complaints == []
        assert [
            url for url in opened.requests if not url.startswith(("data:", (tmp_path / "report.html").as_uri()))
        ] == []


@pytest.fixture
def open_report(open_page: Open) -> Open:
    """As `open_page`, for the report of a result."""

    def open_it(result: CheckResult, address: str = "", width: int = 1200, scheme: str = "light") -> Opened:
        return open_page(to_html(result), address, width, scheme)

    return open_it
