"""The page of a run over a corpus in a browser, alone and beside another run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from report_page.conftest import Open, Opened
from report_page.results import HOSTILE
from unit.corpora.handmade_runs import SETTINGS, result, run

from raceproof.corpora import Run, compare, comparison_page, run_page
from raceproof.corpora.results import EngineShare
from raceproof.model import Verdict

RACE, FREE, UNKNOWN = Verdict.RACE, Verdict.RACE_FREE, Verdict.UNKNOWN
LOCKSET, EXPLORE = EngineShare("lockset", 5, 0), EngineShare("explore", 0, 2)
GOOD = run(
    result("locks/a.c", cpu=0.5, shares=(LOCKSET,), category="locks"),
    result("locks/b.c", cpu=2.5, shares=(LOCKSET, EngineShare("explore", 1, 0)), category="locks"),
    result("arrays/c.c", RACE, RACE, 1.5, (EXPLORE,), category="arrays"),
    result("arrays/d.c", FREE, UNKNOWN, 60.0, category="arrays", detail="1 of 2 pairs not decided"),
    settings=replace(SETTINGS, programs=4),
)
BAD = run(
    result("locks/a.c", cpu=1.0, shares=(LOCKSET,), category="locks"),
    result("locks/b.c", verdict=None, detail="ended by SIGKILL", category="locks"),
    replace(result("arrays/c.c", RACE, FREE, 1.0, (LOCKSET,), category="arrays"), report="wrong/3-c.c.json"),
    result("arrays/d.c", FREE, FREE, 30.0, (LOCKSET,), category="arrays"),
    settings=replace(SETTINGS, programs=4, time_limit=30.0),
)


def hostile() -> Run:
    entry = result(HOSTILE, RACE, FREE, 1.0, (EngineShare(HOSTILE, 1, 0),), HOSTILE, HOSTILE)
    bytes_of_no_text = result("\udcff.c", verdict=None, detail="\udcfe")
    return run(replace(entry, report=HOSTILE), bytes_of_no_text, settings=replace(SETTINGS, corpus=HOSTILE))


def text(opened: Opened, selector: str) -> str:
    return opened.page.locator(selector).inner_text()


def names(opened: Opened) -> list[str]:
    return opened.page.locator(".programs tbody th").all_inner_texts()


def shows(opened: Opened, words: str) -> None:
    opened.page.get_by_role("status").filter(has_text=words).wait_for()


def data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_score_and_the_tables(open_page: Open) -> None:
    opened = open_page(run_page(GOOD))
    assert text(opened, "h1") == "Score 5 of 7, nothing wrong"
    rows = opened.page.locator("[aria-label=Score] tbody tr").all_inner_texts()
    assert [row.split("\t")[:8] for row in rows] == [
        ["arrays", "2", "0", "1", "1", "0", "0", "1 / 3"],
        ["locks", "2", "2", "0", "0", "0", "0", "4 / 4"],
        ["all", "4", "2", "1", "1", "0", "0", "5 / 7"],
    ]
    assert names(opened) == ["arrays/c.c", "arrays/d.c", "locks/a.c", "locks/b.c"]
    assert "1 of 2 pairs not decided" in text(opened, ".programs")
    assert opened.page.locator(".programs a, main a").count() == 0


def test_a_run_that_is_not_finished_says_so(open_page: Open) -> None:
    opened = open_page(run_page(replace(GOOD, results=GOOD.results[:2])))
    assert "Not finished: 2 of 4 programs are done." in text(opened, ".banner")
    opened = open_page(run_page(replace(GOOD, results=())))
    assert text(opened, "h1") == "Score 0 of 0, nothing wrong"
    assert opened.page.locator("svg.plot").count() == 0


def test_wrong_verdicts_cannot_be_overlooked(open_page: Open) -> None:
    opened = open_page(run_page(BAD))
    assert text(opened, "h1") == "1 wrong verdict; score \u221228 of 7"
    for words in ("arrays/c.c", "WRONG: proved, but racy", "\u221232 points; wrong/3-c.c.json"):
        assert words in text(opened, ".cards")


def test_the_curve_and_the_bars(open_page: Open) -> None:
    opened = open_page(run_page(GOOD))
    plot = opened.page.locator("svg.plot")
    assert plot.locator("circle title").all_text_contents() == [
        "2 points within 0.50 s",
        "3 points within 1.50 s",
        "5 points within 2.50 s",
    ]
    heights = [float(c.get_attribute("cy") or 0) for c in plot.locator("circle").all()]
    assert heights == sorted(heights, reverse=True)  # later points are slower: higher up
    widths = [float(c.get_attribute("cx") or 0) for c in plot.locator("circle").all()]
    assert widths == sorted(widths)
    bars = [bar.get_attribute("aria-label") for bar in opened.page.locator(".bars .bar").all()]
    assert bars == [
        "lockset : 1 alone, 1 with others",
        "explore : 1 alone, 1 with others",
        "lockset : 10 proved, 0 races",
        "explore : 1 proved, 2 races",
    ]


def test_sorting(open_page: Open) -> None:
    opened = open_page(run_page(GOOD))
    head = opened.page.locator(".programs thead")
    head.get_by_role("button", name="CPU s").click()
    assert names(opened) == ["arrays/d.c", "locks/b.c", "arrays/c.c", "locks/a.c"]
    assert head.locator("[aria-sort=descending]").inner_text() == "CPU s ▼"
    head.get_by_role("button", name="CPU s").click()
    assert names(opened) == ["locks/a.c", "arrays/c.c", "locks/b.c", "arrays/d.c"]
    head.get_by_role("button", name="Answer").focus()
    opened.page.keyboard.press("Enter")
    assert names(opened) == ["locks/a.c", "locks/b.c", "arrays/c.c", "arrays/d.c"]


def test_filters_search_and_tiles(open_page: Open) -> None:
    opened = open_page(run_page(GOOD))
    opened.page.get_by_label("Search").fill("arrays explore")
    shows(opened, "1 of 4 programs")
    assert names(opened) == ["arrays/c.c"]
    opened.page.get_by_label("Search").fill("")
    opened.page.locator("select[name=category]").select_option("locks")
    shows(opened, "2 of 4 programs")
    opened.page.locator("select[name=engine]").select_option("explore")
    shows(opened, "1 of 4 programs")
    assert names(opened) == ["locks/b.c"]
    opened.page.get_by_role("button", name="Unknown").click()
    assert names(opened) == ["arrays/d.c"]
    assert opened.page.evaluate("document.activeElement.name") == "outcome"


def test_two_runs(open_page: Open) -> None:
    opened = open_page(comparison_page(compare(GOOD, BAD)))
    assert text(opened, "h1") == "\u221233 points: \u221228 of 7 now"
    assert "--time-limit (60.0, now 30.0)" in text(opened, ".banner")
    assert opened.page.locator("svg.plot .curve").count() == 2
    rows = opened.page.locator(".programs tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == ["arrays/c.c", "locks/b.c", "arrays/d.c", "locks/a.c"]
    assert [row.split("\t")[-1].strip() for row in rows] == ["wrong now", "lost", "gained", ""]
    opened.page.get_by_label("Change").select_option("lost")
    shows(opened, "1 of 4 programs")


@pytest.mark.parametrize("page", [run_page(hostile()), comparison_page(compare(hostile(), hostile()))])
def test_names_are_never_markup(open_page: Open, page: str) -> None:
    assert "<img" not in page
    page.encode()
    assert data(page)["programs"][0]["name"] == HOSTILE
    opened = open_page(page)
    assert opened.page.title() != "owned"
    assert opened.page.locator("img, iframe, main script").count() == 0
    assert HOSTILE.splitlines()[0].strip()[:12] in text(opened, "main")


@pytest.mark.parametrize("page", [run_page(BAD), comparison_page(compare(GOOD, BAD))])
def test_a_phone_needs_no_sideways_scrolling(open_page: Open, page: str) -> None:
    opened = open_page(page, width=360)
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(over) == 0


def test_dark_and_light(open_page: Open) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = open_page(run_page(GOOD)).page.evaluate(background)
    opened = open_page(run_page(GOOD), scheme="dark")
    assert opened.page.evaluate(background) != light
    opened.page.get_by_role("button", name="Colours: auto").click()
    assert opened.page.evaluate(background) == light


def test_everything_to_operate_has_a_name(open_page: Open) -> None:
    for page in (run_page(BAD), comparison_page(compare(GOOD, BAD))):
        nameless = open_page(page).page.evaluate(
            "[...document.querySelectorAll('a, button, select, input, [tabindex=\"0\"], [role=img]')]"
            ".filter(e => !e.textContent.trim() && !e.getAttribute('aria-label') && !e.closest('label'))"
            ".map(e => e.outerHTML)"
        )
        assert nameless == []


def test_a_thousand_programs(open_page: Open) -> None:
    many = run(
        *(result(f"p{i:04}.c", cpu=0.1 + i / 10) for i in range(1000)), settings=replace(SETTINGS, programs=1000)
    )
    opened = open_page(run_page(many))
    assert len(names(opened)) == 200
    opened.page.get_by_role("button", name="Show more").click()
    assert len(names(opened)) == 400
