"""The HTML report in a browser: what a reader sees and does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from report_page.conftest import Open, Opened
from report_page.results import HOSTILE, hostile, long_run, many, race, rich, trace
from unit.handmade import check_result, pair_result

from raceproof.model import GivenInput, InputKind, ProgramInput, RepairResult, RunSetup, Scope, Verdict


def text(opened: Opened, selector: str) -> str:
    return opened.page.locator(selector).inner_text()


def live(opened: Opened) -> str:
    return text(opened, ".live")


def shows(opened: Opened, words: str) -> None:
    """The filter takes effect a moment after the input."""
    opened.page.get_by_role("status").filter(has_text=words).wait_for()


def marked_lines(opened: Opened) -> list[str]:
    """For each pane the number of the line that is marked, and how."""
    return opened.page.evaluate(
        "[...document.querySelectorAll('.pane')].map(pane => { const line = pane.querySelector('.now, .last, .race');"
        " return line ? `${line.querySelector('.no').textContent} ${line.className}` : ''; })"
    )


def overflow(opened: Opened) -> int:
    return opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def test_the_overview_says_what_was_found(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path))
    assert text(opened, "h1") == "Data race at 1 location"
    shown = text(opened, "main")
    for words in (
        "lockset",
        "1 proved",
        "2 witnessed",
        "empty standard input",
        "log_it",
        "deadlock",
        "fits nothing",
        "1 pair suppressed",
    ):
        assert words in shown
    row = opened.page.locator("tr", has=opened.page.get_by_text("statistics", exact=True))
    assert row.locator("td").all_inner_texts() == ["2", "0", "2", "0", "0"]


def test_a_race_starts_where_both_threads_stand(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1")
    assert "Both threads stand before their accesses" in live(opened)
    assert marked_lines(opened) == ["11 line race", "21 line race", "12 line last"]
    assert "raceproof replay REPORT.json --race 1" in opened.page.locator(".command").all_inner_texts()


def test_keys_move_the_marks_the_locks_and_the_values(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1")
    keys = opened.page.keyboard
    keys.press("Home")
    assert live(opened).startswith("Step 1 of 8 main thread pthread_create")
    assert marked_lines(opened) == ["", "20 line now", ""]
    assert text(opened, ".state >> nth=0").split()[-2:] == ["mutex", "free"]
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    assert text(opened, ".state >> nth=0").split()[-3:] == ["mutex", "thread", "1"]
    assert marked_lines(opened)[2] == "10 line now"
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    assert text(opened, ".state >> nth=1").split()[-4:] == ["counter", "1", "thread", "1"]
    keys.press("ArrowRight")
    assert text(opened, ".state >> nth=0").split()[-2:] == ["mutex", "free"]
    keys.press("ArrowLeft")
    assert text(opened, ".state >> nth=0").split()[-3:] == ["mutex", "thread", "1"]
    keys.press("End")
    assert live(opened).startswith("Race")
    assert text(opened, ".state >> nth=0").split()[-3:] == ["mutex", "thread", "2"]


def test_each_step_has_an_address(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1/step-5")
    assert live(opened).startswith("Step 5")
    opened.page.keyboard.press("ArrowRight")
    assert opened.page.url.endswith("#race-1/step-6")
    opened.page.get_by_title("Link to this step").first.click()
    assert live(opened).startswith("Step 1")
    opened.page.keyboard.press("End")
    assert opened.page.url.endswith("#race-1")


def test_what_both_threads_are_about_to_access_is_underlined(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1")
    assert opened.page.locator(".pane .race mark").all_inner_texts() == ["=", "counter"]
    opened.page.keyboard.press("Home")
    assert opened.page.locator(".pane .race mark").count() == 0


def test_a_race_comes_with_its_repair(open_report: Open) -> None:
    made = RepairResult("hold m at demo.c:1", frozenset({1}), True, (), "--- a/demo.c\n+++ b/demo.c\n+lock();\n")
    opened = open_report(check_result(race(1, trace()), race(2, trace())), "#race-2")
    assert "raceproof fix REPORT.json --race 2" in text(opened, "main")
    opened = open_report(replace(check_result(race(1, trace())), repairs=(made,)), "#race-1")
    assert "hold m at demo.c:1: checked, proved race-free then." in text(opened, "main")
    assert text(opened, ".patch .added").strip() == "+lock();"


def test_one_input_is_no_reason_to_feel_safe(open_report: Open) -> None:
    given = GivenInput(("7",), "", (), (ProgramInput(InputKind.STREAM, "fgets", None),), is_accepted=True)
    proved = replace(pair_result(1, Verdict.RACE_FREE), scope=Scope.THIS_INPUT)
    result = replace(
        check_result(proved), verdict=Verdict.RACE_FREE, scope=Scope.THIS_INPUT, reason=None, input=given,
        setup=RunSetup("", "race", (), ("7",), "memory", True, 1000),
    )  # fmt: skip
    opened = open_report(result)
    assert text(opened, "h1") == "Race-free for the given input only"
    assert "arguments: 7" in text(opened, ".banner .input")
    assert opened.page.locator(".banner.race-free").count() == 0


def test_terms_are_explained(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1")
    assert "Undefined behaviour" in (opened.page.get_by_text("data race", exact=True).get_attribute("title") or "")
    assert opened.page.locator("h2 abbr[title]").count() >= 2


def test_buttons_and_the_list_move_it_too(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1")
    for name, words in (("First", "Step 1"), ("Next →", "Step 2"), ("← Back", "Step 1"), ("Race", "Race")):
        opened.page.get_by_role("button", name=name, exact=True).click()
        assert live(opened).startswith(words)
    opened.page.get_by_role("option", name="write counter = 1").click()
    assert live(opened).startswith("Step 5")
    assert opened.page.locator('[role="option"][aria-selected="true"]').count() == 1
    opened.page.get_by_role("slider").focus()
    opened.page.keyboard.press("ArrowRight")
    assert live(opened).startswith("Step 6")


def test_the_drawing_has_the_threads_the_edges_and_the_race(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1")
    drawing = opened.page.locator("svg.order")
    assert drawing.locator(".lane-name title").all_text_contents() == [
        "main thread",
        "thread 1 worker",
        "thread 2 worker",
    ]
    assert drawing.locator(".edge.create").count() == 2
    assert drawing.locator(".edge.lock").count() == 1
    assert drawing.locator(".dot.racing").count() == 2
    assert drawing.locator(".unordered text").text_content() == "not ordered"
    drawing.locator('.dot[data-node="4"]').click()
    assert live(opened).startswith("Step 5")
    assert drawing.locator(".dot.current").get_attribute("data-node") == "4"


def test_a_race_without_steps_shows_its_schedule(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-2")
    assert opened.page.locator(".turns li").all_inner_texts() == [
        "main to step 4",
        "thread 1 to step 2",
        "thread 2 to step 1",
    ]
    assert marked_lines(opened) == ["11 line now", "21 line now"]
    assert opened.page.locator(".line mark").all_inner_texts() == ["=", "counter"]


def test_a_race_before_the_first_step(open_report: Open) -> None:
    opened = open_report(check_result(race(1, replace(trace(), steps=()))), "#race-1")
    opened.page.keyboard.press("ArrowRight")
    assert live(opened).startswith("Race")
    assert "demo.c is not available" in text(opened, ".pane >> nth=0")


def test_one_access_after_the_other(open_report: Open) -> None:
    """Then both are steps of the run, and marked there."""
    run = trace()
    written = replace(run.steps[4], thread=2, pos=run.racing[0][1].pos)
    read = replace(written, thread=0, operation="read", pos=run.racing[1][1].pos)
    opened = open_report(check_result(race(1, replace(run, steps=(written, read), together=False))), "#race-1")
    assert "nothing orders them" in live(opened)
    assert opened.page.locator(".step.racing").count() == 2
    assert opened.page.locator(".dot.racing").count() == 2
    opened.page.keyboard.press("Home")
    assert "write counter" in text(opened, ".pane >> nth=0")


def test_pairs_that_are_not_races(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#pair-5")
    assert "common-lock mutex" in text(opened, "main")
    opened = open_report(rich(tmp_path), "#pair-3")
    assert "Suppressed: may be off by a few" in text(opened, "main")
    assert "What would help" in text(opened, "main")
    opened = open_report(rich(tmp_path), "#incident-1")
    assert "thread 1 waits for a lock" in text(opened, "main")
    assert "raceproof replay REPORT.json --other 1" in text(opened, "main")
    opened = open_report(rich(tmp_path), "#race-77")
    assert text(opened, "h1") == "Not in this report"


def test_filters_and_search(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#pairs")
    page = opened.page
    status = page.get_by_role("status")
    assert status.inner_text() == "All 5 pairs at 3 locations"
    assert page.get_by_text("suppressed", exact=True).count() == 1
    assert page.get_by_text("in the baseline", exact=True).count() == 1
    page.get_by_label("Verdict").select_option("unknown")
    shows(opened, "2 of 5 pairs")
    page.get_by_label("Engine").select_option("explore")
    shows(opened, "0 of 5 pairs")
    page.get_by_label("Verdict").select_option("")
    page.get_by_label("Engine").select_option("")
    page.get_by_label("Search").fill("COMMON-lock")
    shows(opened, "1 of 5 pairs")
    assert page.url.endswith("#pairs?q=COMMON-lock")
    page.get_by_label("Search").fill("")
    page.get_by_label("Location").select_option(label="statistics")
    shows(opened, "2 of 5 pairs")
    page.reload()
    assert status.inner_text() == "2 of 5 pairs, at 1 location"


@pytest.mark.parametrize("address", ["", "#pairs", "#race-1", "#pair-2", "#pair-3", "#incident-1"])
def test_names_are_never_markup(open_report: Open, address: str) -> None:
    opened = open_report(hostile(), address)
    assert opened.page.locator("img").count() == 0
    assert opened.page.title().startswith("raceproof: race")
    assert HOSTILE.replace("\u2028", "") in text(opened, "body").replace("\u2028", "")


def test_ten_thousand_pairs(open_report: Open) -> None:
    opened = open_report(many(10_000), "#pairs")
    assert "10,000 pairs" in opened.page.get_by_role("status").inner_text()
    assert opened.page.evaluate("document.querySelectorAll('*').length") < 5_000
    opened.page.get_by_label("Search").fill("cell_777")
    shows(opened, "10 of 10,000")
    opened.page.goto(opened.page.url.split("#")[0] + "#overview")
    opened.page.get_by_role("button", name="Show more").click()


def test_five_thousand_steps(open_report: Open) -> None:
    opened = open_report(long_run(100, 50), "#race-1")
    assert opened.page.evaluate("document.querySelectorAll('*').length") < 10_000
    for key, words in (
        ("Home", "Step 1 of 5002"),
        ("ArrowRight", "Step 2 of"),
        ("End", "Race"),
        ("ArrowLeft", "Step 5002"),
    ):
        opened.page.keyboard.press(key)
        assert live(opened).startswith(words)
        assert opened.page.locator('[role="option"][aria-selected="true"]').count() == 1


@pytest.mark.parametrize("address", ["", "#pairs", "#race-1", "#race-2", "#pair-3", "#incident-1"])
@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_phone_needs_no_sideways_scrolling(open_report: Open, tmp_path: Path, address: str, width: int) -> None:
    opened = open_report(rich(tmp_path), address, width=width)
    assert overflow(opened) == 0


def test_long_names_do_not_widen_a_phone(open_report: Open) -> None:
    for address in ("", "#pairs", "#race-1", "#pair-2", "#incident-1"):
        assert overflow(open_report(hostile(), address, width=390)) == 0


def test_dark_and_light(open_report: Open, tmp_path: Path) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = open_report(rich(tmp_path)).page.evaluate(background)
    opened = open_report(rich(tmp_path), scheme="dark")
    dark = opened.page.evaluate(background)
    assert light != dark
    opened.page.get_by_role("button", name="Colours: auto").click()
    assert opened.page.evaluate(background) == light
    opened.page.reload()
    assert opened.page.evaluate(background) == light
    opened.page.get_by_role("button", name="Colours: light").click()
    assert opened.page.evaluate(background) == dark


def test_without_a_mouse(open_report: Open, tmp_path: Path) -> None:
    """From the top of the page to a race and through its steps, with visible focus all the way."""
    opened = open_report(rich(tmp_path))
    page = opened.page
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == "#race-1":
            break
    outline = "getComputedStyle(document.activeElement.closest('.card')).outlineStyle"
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector(".stepper")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.keyboard.press("Home")
    assert live(opened).startswith("Step 1")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Next →":
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert live(opened).startswith("Step 2")
    assert page.locator(".live").get_attribute("aria-live") == "polite"


def test_everything_to_operate_has_a_name(open_report: Open, tmp_path: Path) -> None:
    for address in ("", "#pairs", "#race-1"):
        page = open_report(rich(tmp_path), address).page
        nameless = page.evaluate(
            "[...document.querySelectorAll('a, button, select, input, [tabindex=\"0\"], [role=img]')]"
            ".filter(e => !e.textContent.trim() && !e.getAttribute('aria-label') && !e.closest('label'))"
            ".map(e => e.outerHTML)"
        )
        assert nameless == []


def test_it_prints(open_report: Open, tmp_path: Path) -> None:
    opened = open_report(rich(tmp_path), "#race-1", scheme="dark")
    opened.page.emulate_media(media="print")
    assert not opened.page.locator(".controls").is_visible()
    assert opened.page.locator(".steps").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    assert opened.page.pdf().startswith(b"%PDF")
