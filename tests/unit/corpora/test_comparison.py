from __future__ import annotations

from dataclasses import replace

import pytest
from unit.corpora.handmade_runs import SETTINGS, result, run

from raceproof.core import InputError
from raceproof.corpora.comparison import Kind, compare
from raceproof.corpora.tables import comparison_lines, error_lines, printable, result_line, summary_lines, wrong_lines
from raceproof.model import Verdict

RACE, FREE, UNKNOWN = Verdict.RACE, Verdict.RACE_FREE, Verdict.UNKNOWN
BEFORE = run(
    result("same", cpu=1.0),
    result("gained", verdict=UNKNOWN),
    result("lost", RACE, RACE),
    result("broken", RACE, UNKNOWN),
    result("repaired", FREE, RACE),
    result("failed", verdict=UNKNOWN),
    result("faster", cpu=4.0),
    result("gone"),
)
AFTER = run(
    result("faster", cpu=1.0),
    result("failed", verdict=None, detail="bad\x1b[31m"),
    result("repaired", FREE, UNKNOWN),
    result("broken", RACE, FREE),
    result("lost", RACE, UNKNOWN),
    result("gained"),
    result("same", cpu=1.0),
    result("new"),
    settings=replace(SETTINGS, time_limit=10.0, jobs=2),
)


def test_changes_the_worst_first() -> None:
    comparison = compare(BEFORE, AFTER)
    assert [(change.kind, change.name) for change in comparison.changes] == [
        (Kind.WRONG, "broken"),
        (Kind.LOST, "lost"),
        (Kind.REPAIRED, "repaired"),
        (Kind.GAINED, "gained"),
        (Kind.OTHER, "failed"),
    ]
    assert comparison.score == 2 - 1 - 32 + 16
    assert comparison.is_worse
    assert not compare(AFTER, AFTER).is_worse
    assert (comparison.only_first, comparison.only_second) == (("gone",), ("new",))


def test_times_on_what_both_answered_rightly() -> None:
    comparison = compare(BEFORE, AFTER)
    assert [after.name for _, after in comparison.solved] == ["same", "faster"]
    assert comparison.ratio == pytest.approx(0.5)  # of 1 and 1/4
    assert compare(run(result("a", verdict=UNKNOWN)), run(result("a"))).ratio is None
    assert compare(run(result("a", cpu=0.0)), run(result("a", cpu=0.0))).ratio == 1.0


def test_runs_that_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="no program in common"):
        compare(run(result("a")), run(result("b")))
    with pytest.raises(InputError, match="a: expected to be race-free in one run and race in the other"):
        compare(run(result("a")), run(result("a", RACE)))


def test_the_text_of_a_comparison() -> None:
    text = "\n".join(comparison_lines(compare(BEFORE, AFTER)))
    for words in (
        "7 programs in both runs",
        "1 program only in the first run, not compared",
        "different settings: --time-limit (60.0, now 10.0)",
        "different settings: --jobs (1, now 2)",
        "score: -15",
        "CPU time of the 2 programs that both answered rightly: 5.0 s, now 2.0 s; 0.50 times",
        "WRONG NOW: 1 program\n  broken: unknown -> wrong true",
        "lost: 1 program\n  lost: correct false -> unknown",
    ):
        assert words in text


def test_the_text_of_a_run() -> None:
    lines = summary_lines(AFTER)
    assert lines[0].split()[:8] == ["category", "programs", "proved", "races", "unknown", "wrong", "error", "score"]
    assert lines[1].split() == ["demo", "8", "4", "0", "2", "1", "1", "-24/14", "8.0", "16.0"]
    assert len(lines) == 2
    assert wrong_lines(AFTER) == [
        "WRONG: 1 of 8 verdicts",
        "  broken: PROVED RACE-FREE, BUT IT HAS A RACE (-32 points)",
    ]
    assert error_lines(AFTER)[1] == r"  failed: bad\x1b[31m"
    assert wrong_lines(run()) == error_lines(run()) == []
    several = summary_lines(run(result("a", category="x"), result("b", category="y\n")))
    assert [line.split()[0] for line in several] == ["category", "x", r"y\n", "all"]


def test_nothing_is_left_out_of_what_is_wrong() -> None:
    many = run(*(result(f"p{i}", RACE, FREE) for i in range(100)))
    assert len(wrong_lines(many)) == 101


def test_the_line_of_a_program() -> None:
    assert (
        result_line(result("a\n\udcff.c", cpu=1.5), 7, 10)
        == " 7/10  race-free  correct true      1.50 s  a\\n\\udcff.c"
    )
    failed = result("b.c", verdict=None, detail="ended by SIGKILL")
    assert result_line(failed, 10, 10).endswith("error             1.00 s  b.c: ended by SIGKILL")


def test_what_could_steer_a_terminal_is_spelled_out() -> None:
    assert printable("a\x1b[2J\r\u202eb ä") == r"a\x1b[2J\r\u202eb ä"
