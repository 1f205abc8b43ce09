"""Links in the documentation lead somewhere: to files of the repository, and to headings in them."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "editors").rglob("*.md")])
PAGES = [page for page in PAGES if "node_modules" not in page.parts]
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`|^    .*$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(?P<text>.*?) *$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Of its headings, as code hosts make them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", m["text"].lower()).replace(" ", "-") for m in HEADING.finditer(text)}


def broken(page: Path) -> list[str]:
    """Links to what is not there."""
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    found = []
    for match in LINK.finditer(text):
        target, _, anchor = match["target"].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = page.parent / target if target else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            found.append(match["target"])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("## Right one\n")
    page = tmp_path / "a.md"
    page.write_text("[x](b.md#nowhere) [y](c.md) [z](b.md#right-one) `[c](d.md)`\n```\n[w](e.md)\n```\n[v](#here)\n")
    assert broken(page) == ["b.md#nowhere", "c.md", "#here"]


def test_every_page_is_in_the_site() -> None:
    listed = set(re.findall(r"^([\w/]+)$", (ROOT / "docs" / "index.md").read_text(), re.MULTILINE))
    pages = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} == listed


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("myst_parser") is None, reason="needs the extra `docs`")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    words = ("-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path / "doctrees"), "docs", str(tmp_path / "site"))
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "site" / "book" / "thread_pool.html").is_file()
