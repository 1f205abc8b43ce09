"""Table 1 of [PN], rebuilt: rows are measured, and what contradicts the paper or the checker shows."""

from __future__ import annotations

from dataclasses import replace

from bench.petri_table import CASES, EXAMPLES, format_rows, measure

QUICK = ("Counter", "CounterWithLock", "CheckThenAct")


def test_every_example_is_in_the_table() -> None:
    assert {case.file for case in CASES} == {path.name for path in EXAMPLES.glob("*.sml")}


def test_verdicts_are_the_paper_s() -> None:
    rows = [row for case in CASES if case.name in QUICK for row in measure(case, 60)]
    assert [row.fault for row in rows] == [None, None, None]
    table = format_rows(rows)
    assert table.count("\n") == len(rows) + 1
    assert "| Counter | 5 | 4 | 10 | 10 |" in table


def test_faults_are_shown() -> None:
    row = measure(CASES[0], 60)[0]
    other = replace(row, case=replace(row.case, safe=True))
    assert other.fault == "another verdict than the paper's"
    refused = replace(row, native=replace(row.native, problem="no such run"))
    assert "**Counter: no such run**" in format_rows([refused])
