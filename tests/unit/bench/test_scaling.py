"""How things grow: what a run is worth, how steep a curve is, and what is drawn."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.measure import ZIG_CC, Run
from bench.plots import Curve, Panel, axis_ends, figure, ticks
from bench.scaling import SERIES, Measured, Point, draw, format_series, growth, judge, steepest
from bench.scaling_programs import of_accesses, of_locks, of_rounds, of_threads

_SIZE, _THREADS = SERIES[0], SERIES[1]
_PAIRS = next(series for series in SERIES if series.name == "pairs")
_RUN = Run(0, 2.0, 1.5, 80.0, "", "")


def _report(verdict: str = "race-free", seconds: float = 1.0, stopped: str | None = None) -> dict[str, Any]:
    pairs = [{}, {}, {}]
    return {"verdict": verdict, "seconds": seconds, "reason": "", "pairs": pairs, "engines": [{"stopped": stopped}]}


def _points(*points: tuple[int, float]) -> tuple[Point, ...]:
    return tuple(Point(x, seconds, 80.0, None) for x, seconds in points)


def test_a_proof_in_time_counts() -> None:
    assert judge(_THREADS, 4, _RUN, _report(), 6) == Point(4, 1.0, 80.0, None)
    assert judge(_PAIRS, 4, _RUN, _report(), 6).x == 3


@pytest.mark.parametrize(
    ("report", "problem"),
    [
        (None, "over 6 s"),
        (_report(seconds=7), "over 6 s"),
        (_report("unknown", stopped="time limit of 6 s reached"), "over 6 s"),
        (_report("unknown", stopped="not supported: this"), "not supported: this"),
        (_report("unknown"), "unknown"),
    ],
)
def test_what_does_not_count(report: dict[str, Any] | None, problem: str) -> None:
    run = Run(-9 if report is None else 3, 7.0, 7.0, 80.0, "", "")
    assert judge(_THREADS, 4, run, report, 6).problem == problem


def test_open_pairs_count_where_there_may_be_some_and_a_race_is_always_wrong() -> None:
    assert judge(_SIZE, 500, _RUN, _report("unknown"), 6).problem is None
    assert judge(_THREADS, 4, _RUN, _report("race"), 6).is_wrong
    assert judge(_THREADS, 4, Run(4, 1.0, 1.0, 80.0, "", ""), None, 6).is_wrong
    assert not judge(_THREADS, 4, Run(-9, 26.0, 26.0, 80.0, "", ""), None, 6).is_wrong


def test_growth_is_that_of_the_last_points() -> None:
    assert growth(_points((1, 0.5), (10, 1), (20, 4), (40, 16))) == pytest.approx(2)
    assert growth(_points((1, 0.5), (2, 0.5), (4, 0.5))) is None
    assert growth(_points((1, 0.01), (2, 0.02), (4, 0.04))) is None
    assert growth(_points((1, 1), (2, 2))) is None


def test_table_and_ranking_say_what_ended_a_curve() -> None:
    cut = Measured(_THREADS, "bmc", (*_points((2, 0.5), (4, 1), (8, 2)), Point(16, 7, 90, "over 6 s")))
    whole = Measured(_THREADS, "lockset", _points((2, 0.1), (4, 0.1), (8, 0.1)))
    table = format_series(_THREADS, [cut, whole])
    assert "| bmc | 8 | 2.00 | 80 | 1.0 | over 6 s |" in table
    assert "| lockset | 8 | 0.10 | 80 | flat | no end |" in table
    assert steepest([whole, cut]) == ["bmc, by threads: exponent 1.0 at 8"]


def test_a_figure_is_xml_with_every_curve_and_the_same_each_time() -> None:
    found = [
        Measured(_THREADS, "bmc", (*_points((2, 0.5), (4, 1)), Point(8, 7, 90, "over 6 s"))),
        Measured(_THREADS, "a < b", _points((2, 0.1))),
    ]
    text = draw(_THREADS, found)
    assert draw(_THREADS, found) == text
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    labels = [element.text for element in root.iter(f"{space}text")]
    assert {"bmc", "a < b", "Threads: time", "Threads: memory"} <= set(labels)
    circles = list(root.iter(f"{space}circle"))
    assert len(circles) == 2 * 3
    assert sum(circle.get("fill") == "white" for circle in circles) == 2  # the end of the curve that was cut


def test_points_are_inside_the_panel() -> None:
    curve = Curve("one", ((1, 0.003), (700, 0.1), (65_536, 42)))
    root = ElementTree.fromstring(figure([Panel("title", "x", "s", (curve,))]))
    for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 58 <= float(circle.get("cx", "0")) <= 416
        assert 30 <= float(circle.get("cy", "0")) <= 256


def test_axes_have_round_ends_and_few_marks() -> None:
    assert axis_ends([3, 70]) == (2, 100)
    assert axis_ends([5]) == (5, 10)
    assert ticks(2, 100) == [2, 5, 10, 20, 50, 100]
    assert ticks(1, 100_000) == [1, 10, 100, 1000, 10_000, 100_000]


@pytest.mark.parametrize("write", [of_threads, of_locks, of_accesses, of_rounds])
def test_programs_compile_and_grow(write: Callable[[int], str], tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(write(3), encoding="utf-8")
    command = [*ZIG_CC, "-Wall", "-Werror", "-c", str(source), "-o", str(tmp_path / "program.o")]
    subprocess.run(command, check=True, capture_output=True)
    assert write(3) != write(4)
    assert of_threads(3).count("pthread_create") == 3
    assert of_locks(5).count("pthread_mutex_lock") == 2 * 5
    assert of_accesses(4).count("counter += 1") == 2 * 4
