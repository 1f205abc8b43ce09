"""The tables of docs/results.md, and the judgement of a run against the truth."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.check import Checked
from bench.generate import Generated
from bench.measure import Run, run_measured
from bench.results import RESULTS, replace_block
from bench.run import Row, choose_programs, growth, judge
from bench.sections import SECTIONS
from bench.synth import Options, PlantedRace

_RACY = Generated("", (PlantedRace("missing-lock", "list1_length", (40,)),), 0)
_CLEAN = Generated("", (), 0)


def _checked(verdict: str, *pairs: tuple[str, int], stopped: str | None = None, status: int = 3) -> Checked:
    run = Run(status, 1.0, 1.0, 50.0, "", "")
    report: dict[str, Any] = {
        "verdict": verdict,
        "pairs": [
            {"verdict": pair, "accesses": [{"line": line}, {"line": 7}], "evidence": ["ordered by join"]}
            for pair, line in pairs
        ],
        "engines": [{"stopped": stopped, "stats": {}}],
    }
    return Checked(run, run, report, 1000)


def test_block_is_added_once_and_then_replaced(tmp_path: Path) -> None:
    path = tmp_path / "docs" / "results.md"
    replace_block("static", "first", path)
    replace_block("real", "other", path)
    replace_block("static", "second", path)
    text = path.read_text()
    assert text.startswith("# Results\n")
    assert text.count("<!-- bench:static begin -->\nsecond\n<!-- bench:static end -->") == 1
    assert "first" not in text
    assert "other" in text


def test_planted_race_left_open_is_no_fault() -> None:
    assert judge(_RACY, _checked("unknown", ("unknown", 40), ("race-free", 50))) == (1, None)


def test_planted_race_proved_away_is_a_fault() -> None:
    kept, fault = judge(_RACY, _checked("unknown", ("race-free", 40), ("unknown", 50)))
    assert kept == 0
    assert fault is not None
    assert "list1_length" in fault


def test_planted_race_not_reached_in_time_is_no_fault() -> None:
    assert judge(_RACY, _checked("unknown", stopped="time limit")) == (0, None)


@pytest.mark.parametrize(
    ("generated", "checked"),
    [
        (_RACY, _checked("race-free", ("race-free", 40), stopped="time limit", status=0)),
        (_CLEAN, _checked("race", ("race", 40), status=1)),
        (_CLEAN, _checked("unknown", status=4)),
    ],
)
def test_wrong_verdict_is_a_fault(generated: Generated, checked: Checked) -> None:
    assert judge(generated, checked)[1] is not None


def test_growth_of_linear_times_is_one() -> None:
    rows = []
    for size in (1000, 5000, 20_000):
        run = Run(3, size / 100, 1.0, 50.0, "", "")
        checked = Checked(run, run, {"verdict": "unknown", "pairs": [], "engines": []}, size)
        rows.append(Row(Options(size), 1.0, checked, 0, None))
    assert growth(rows) == pytest.approx(1.0)


def test_every_size_is_measured_without_races_and_small_ones_with() -> None:
    programs = choose_programs((1000, 100_000))
    assert [(p.instructions, p.seed, p.races) for p in programs] == [
        (1000, 1, 0), (1000, 2, 0), (1000, 1, 3), (1000, 2, 3), (100_000, 1, 0),
    ]  # fmt: skip


def test_run_is_measured_and_killed_after_the_limit() -> None:
    run = run_measured([sys.executable, "-c", "x = bytearray(80_000_000); print(len(x))"])
    assert (run.status, run.output) == (0, "80000000\n")
    assert 80 < run.peak_mb < 200
    assert run_measured([sys.executable, "-c", "import time; time.sleep(60)"], limit=1).status < 0


# Their harness keeps runs of many hours, which nobody repeats for a table.
_KEPT = ("## The six searches against one another", "## Generated programs against brute force")


def test_no_table_is_typed_in_by_hand() -> None:
    """Every table of docs/results.md stands between the marks of a script, and every mark has its section."""
    heading, block = "", ""
    for number, line in enumerate(RESULTS.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#"):
            heading = line
        elif (mark := re.fullmatch(r"<!-- bench:([\w-]+) (begin|end) -->", line)) is not None:
            assert mark[1] in SECTIONS, f"line {number}: no section {mark[1]}"
            assert (block == "") == (mark[2] == "begin"), f"line {number}: marks of {mark[1]} are not in pairs"
            block = mark[1] if mark[2] == "begin" else ""
        elif line.startswith("|"):
            assert block or heading in _KEPT, f"line {number}: a table outside of all marks, under {heading!r}"
    assert block == ""
