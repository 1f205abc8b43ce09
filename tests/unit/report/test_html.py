from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_page.results import HOSTILE, at, hostile, long_run, race, racing, rich, step, trace
from unit.handmade import access_result, check_result, pair_result

from raceproof.core import SourcePos
from raceproof.model import CheckResult, EngineReport, Trace, TraceStep, Verdict
from raceproof.report.html import to_html
from raceproof.report.html.drawing import MAX_ROWS, draw, switches
from raceproof.report.html.ordering import EdgeKind, edges_of, racing_nodes


def data(result: CheckResult) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', to_html(result), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def run(*steps: TraceStep, together: bool = True) -> Trace:
    return replace(trace(), steps=steps, together=together)


def edges(run: Trace) -> list[tuple[int, int, str]]:
    return [(edge.source, edge.target, edge.kind.value) for edge in edges_of(run)]


class Elements(HTMLParser):
    """The elements and attributes that a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_one_file_that_asks_for_nothing(tmp_path: Path) -> None:
    page = to_html(rich(tmp_path))
    elements = Elements(page).found
    assert [tag for tag, _ in elements if tag in ("img", "iframe", "object", "base", "form")] == []
    addresses = [value for _, attributes in elements for name, value in attributes.items() if name in ("src", "href")]
    assert addresses == ["data:,"]
    assert "@import" not in page
    assert "url(http" not in page


def test_the_policy_admits_this_script_and_this_style_only(tmp_path: Path) -> None:
    page = to_html(rich(tmp_path))
    [policy] = [a["content"] for _, a in Elements(page).found if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy


def test_names_cannot_end_the_data() -> None:
    page = to_html(hostile())
    assert [tag for tag, _ in Elements(page).found].count("script") == 2
    assert "<img" not in page
    assert "\u2028" not in page.split('id="data">')[1].split("</script>")[0]
    assert data(hostile())["reason"] == HOSTILE


def test_bytes_that_are_no_text_are_written_all_the_same() -> None:
    result = replace(check_result(pair_result(1)), files=("\udcff.c",))
    to_html(result).encode()


def test_statistics_without_a_number() -> None:
    engine = EngineReport("explore", 0.1, 0, 0, 1, {"rate": float("inf")})
    assert data(replace(check_result(pair_result(1)), engines=(engine,)))["engines"][0]["stats"] == {"rate": "inf"}


def test_a_small_file_is_shown_whole_and_columns_count_letters(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_bytes("/* \u00e4\U0001f600 */ x = 1;\n\u202ey\n".encode())
    where = SourcePos(str(file), 1, 14)  # 3 bytes, 2 and 4 for two letters, 4: the x
    page = data(check_result(pair_result(1, first=replace(access_result(), pos=where))))
    [block] = page["sources"][0]["blocks"]
    assert block == [1, ["/* \u00e4\U0001f600 */ x = 1;", "\ufffdy"]]
    _, line, column = page["places"][0]
    assert (line, block[1][0].encode("utf-16-le")[2 * column :].decode("utf-16-le")) == (1, "x = 1;")


def test_of_a_large_file_the_lines_around_accesses(tmp_path: Path) -> None:
    file = tmp_path / "large.c"
    file.write_text("".join(f"line {i}\n" for i in range(1, 1001)))
    proof = pair_result(
        1,
        Verdict.RACE_FREE,
        access_result(500, file=str(file)),
        access_result(502, file=str(file)),
        evidence=("owned",),
    )
    unknown = pair_result(2, first=access_result(1000, file=str(file)))
    blocks = data(check_result(proof, unknown))["sources"][0]["blocks"]
    assert [(first, len(lines)) for first, lines in blocks] == [(497, 9), (988, 13)]
    assert blocks[0][1][3] == "line 500"


def test_a_file_that_is_gone_has_no_lines() -> None:
    page = data(check_result(pair_result(1)))
    assert page["sources"] == [{"name": "demo.c", "lines": 0, "blocks": []}]
    assert page["places"][0][2] == -1


def test_locations_of_one_name_stay_apart() -> None:
    page = data(check_result(pair_result(1), at(pair_result(2), 9)))
    assert page["locations"] == ["counter", "counter"]
    assert [pair["location"] for pair in page["pairs"]] == [0, 1]
    assert len(page["accesses"]) == 2


def test_a_run_with_steps_and_one_without() -> None:
    page = data(check_result(race(1, trace()), race(2, None)))
    with_steps, without = (pair["race"] for pair in page["pairs"])
    assert (with_steps["racers"], without["racers"]) == ([2, 0], [2, 0])
    assert len(with_steps["trace"]["steps"]) == 8
    assert without["trace"] is None
    assert without["turns"] == [[0, 4], [1, 2], [2, 1]]


def test_racers_follow_the_accesses_of_the_pair() -> None:
    found = race(1, None)
    assert found.race is not None
    schedule = replace(found.race.schedule, accesses=found.race.schedule.accesses[::-1])
    turned = replace(found, race=replace(found.race, schedule=schedule))
    assert data(check_result(turned))["pairs"][0]["race"]["racers"] == [0, 2]


def test_marks_are_kept() -> None:
    pair = replace(pair_result(1), suppressed="we know", is_known=True, fingerprint="ab12")
    [shown] = data(check_result(pair))["pairs"]
    assert (shown["suppressed"], shown["known"], shown["fingerprint"]) == ("we know", True, "ab12")


# ---- what orders the steps


def test_creation_and_the_hand_over_of_a_lock() -> None:
    # The accesses that the run ends before are the nodes 8 and 9.
    assert edges(trace()) == [(0, 2, "create"), (1, 6, "create"), (5, 6, "lock")]
    assert racing_nodes(trace()) == (8, 9)


def test_the_creation_of_a_thread_that_stands_before_its_first_step() -> None:
    created = run(step("demo.c", 0, 1, "pthread_create", 20), step("demo.c", 0, 2, "pthread_create", 20))
    assert edges(created) == [(1, 2, "create")]


def test_a_run_without_its_beginning_matches_the_last_creations() -> None:
    cut = run(step("demo.c", 0, 2, "pthread_create", 20), step("demo.c", 2, 1, "read", 11, "counter", "0"))
    assert edges(cut) == [(0, 1, "create")]


def test_an_unlock_that_is_no_step() -> None:
    taken = [step("demo.c", thread, 1, "mtx_lock", 10, "mutex", held="mutex") for thread in (1, 2)]
    assert edges(run(*taken)) == [(0, 1, "lock")]


def test_readers_of_a_lock_do_not_order_one_another() -> None:
    def lock(thread: int, operation: str) -> tuple[TraceStep, TraceStep]:
        return (
            step("demo.c", thread, 1, f"pthread_rwlock_{operation}", 10, "l", held="l"),
            step("demo.c", thread, 2, "pthread_rwlock_unlock", 12, "l"),
        )

    def of(*steps: TraceStep) -> list[tuple[int, int]]:
        return [(a, b) for a, b, kind in edges(run(*steps)) if kind == "lock"]

    assert of(*lock(1, "rdlock"), *lock(2, "rdlock")) == []
    assert of(*lock(1, "wrlock"), *lock(2, "rdlock")) == [(1, 2)]
    assert of(*lock(1, "rdlock"), *lock(0, "rdlock"), *lock(2, "wrlock")) == [(1, 4), (3, 4)]
    # A writer that comes back as a reader: the other reader waited for the writing only.
    assert of(*lock(1, "wrlock"), *lock(1, "rdlock"), *lock(2, "rdlock")) == [(1, 4)]


def test_semaphores_barriers_and_signals() -> None:
    posted = run(step("demo.c", 1, 1, "sem_post", 10, "s"), step("demo.c", 2, 1, "sem_wait", 11, "s"))
    assert edges(posted) == [(0, 1, "semaphore")]
    met = run(
        step("demo.c", 1, 1, "pthread_barrier_wait", 10, "b"),
        step("demo.c", 2, 1, "pthread_barrier_wait", 10, "b"),
        step("demo.c", 1, 2, "read", 11, "counter", "0"),
    )
    assert edges(met) == [(1, 2, "barrier"), (0, 3, "barrier")]  # 3: the access that thread 2 stands before
    woken = run(
        step("demo.c", 1, 1, "unlock to wait", 10, "mutex"),
        step("demo.c", 2, 1, "pthread_cond_signal", 11, "c"),
        step("demo.c", 1, 2, "pthread_cond_wait", 10, "c"),
    )
    assert edges(woken) == [(1, 2, "signal")]
    assert not EdgeKind.SIGNAL.orders


def test_a_wait_that_may_have_failed_orders_nothing() -> None:
    tried = run(step("demo.c", 1, 1, "sem_post", 10, "s"), step("demo.c", 2, 1, "sem_trywait", 11, "s"))
    assert edges(tried) == []


def test_no_edge_contradicts_the_race() -> None:
    """A step that was misread must not make the drawing say that the accesses are ordered."""
    wrong = run(
        step("demo.c", 2, 1, "write", 11, "counter", "1"),
        step("demo.c", 2, 2, "sem_post", 12, "s"),
        step("demo.c", 0, 1, "sem_wait", 19, "s"),
        step("demo.c", 0, 2, "read", 21, "counter", "1"),
        together=False,
    )
    ends = tuple((thread, replace(access, pos=SourcePos("demo.c", line, 5))) for (thread, access), line in zip(
        racing("demo.c"), (11, 21), strict=True))  # fmt: skip
    wrong = replace(wrong, racing=ends)
    assert racing_nodes(wrong) == (0, 3)
    assert edges(wrong) == []


def test_switches_are_where_a_thread_could_go_on() -> None:
    found = [(s.at, s.stopped, s.goes_on, s.before) for s in switches(trace())]
    # Main is stopped before its read, node 9; thread 1 has nothing left to do when thread 2 goes on.
    assert found == [(2, 0, 1, 9)]


@pytest.mark.parametrize("turns", [4, 100])
def test_a_long_run_is_drawn_in_few_rows(turns: int) -> None:
    [pair] = long_run(turns, 50).pairs
    assert pair.race is not None
    assert pair.race.trace is not None
    drawing = draw(pair.race.trace)
    assert len(drawing.rows) <= MAX_ROWS + 2 * len(drawing.lanes)
    assert sum(edge.kind is EdgeKind.CREATE for edge in drawing.edges) == 2
    assert set(drawing.racing) <= set(drawing.rows)
    assert all(edge.source in drawing.rows and edge.target in drawing.rows for edge in drawing.edges)
    assert any(edge.kind is EdgeKind.LOCK for edge in drawing.edges)
