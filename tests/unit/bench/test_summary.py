"""The head of the results is read from the tables below it."""

from __future__ import annotations

from pathlib import Path

from bench.results import markdown_table, read_block, replace_block
from bench.sections import SECTIONS
from bench.summary import corpus, executions, nets, own_programs, rare_race, real_programs, tables

_EXPLORED = (
    markdown_table(
        ("program", "traces", "CPU s", "executions/s", "others /s"),
        [
            ("7x1", "5,040", "0.01", "400,000", "5,000 to 8,000 / 6,000"),
            ("4x3", "369,600", "0.9", "72,000", "none / 7,200"),
            ("lamport", "4", "0.1", "1", "another variant: 4,800 / 20,000"),
            ("4x4", "63,063,000", "181.2", "349,000", "about 3 h / about 2.4 h"),
        ],
    )
    + "\n\nRaces only:\n\n"
    + markdown_table(("program", "verdict", "executions"), [("rare race 6+6", "race", "1")], left=2)
)


def test_tables_are_read_back() -> None:
    text = markdown_table(("a", "s", "s"), [("x|y", "1", "2"), ("z", "3", "4")])
    assert tables(f"before\n\n{text}\n\nafter") == [[{"a": "x|y", "s": "1"}, {"a": "z", "s": "3"}]]


def test_rates_are_compared_with_the_better_of_the_others() -> None:
    rates, longest = executions(_EXPLORED)
    assert rates[0] == "executions a second, 2 programs with known traces"
    assert rates[1].startswith("10 to 50 times as many")
    assert longest == ("all 63,063,000 traces of 4x4", "181 s", "nidhugg / GenMC: about 3 h / about 2.4 h")
    assert rare_race(_EXPLORED)[0][1] == "found in execution 1"


def test_verdicts_are_taken_from_the_tables() -> None:
    head = ("engines", "races executed, of 278", "proved, of 269", "wrong")
    block = markdown_table(head, [("lockset alone", "0", "214", "0"), ("all", "275", "267", "0")])
    assert own_programs(block)[0][1] == "275 of 278 races executed, 267 of 269 others proved, 0 wrong"
    truths = markdown_table(
        ("truth", "race-free", "race", "unknown"), [("race-free", "7", "0", "6"), ("race", "0", "19", "0")]
    )
    assert corpus(f"{truths}\n\n32 programs, 0 wrong, score 33 of 45, median 1 s")[0][1] == (
        "7 of 13 race-free, 19 of 19 race, 0 wrong: 73 % of the points"
    )
    assert nets("- Decided correctly, evidence accepted: 57 of 57, 56 of them within 5 s.")[0][1].startswith("56 of 57")
    head = ("program", "lines", "pairs", "proved", "races executed")
    rows = [("a", "1,000", "50", "20", "2"), ("b", "500", "0", "0", "")]
    ours = "1 of 2 programs, 1,000 lines: 20 of 50 pairs proved, races executed in 1"
    assert real_programs(markdown_table(head, rows))[0][1] == ours


def test_a_missing_table_gives_no_line() -> None:
    for read in (executions, rare_race, own_programs, corpus, nets, real_programs):
        assert read("") == []


def test_a_new_section_goes_to_its_place(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    for name in ("petri", "mutation", "summary", "explore"):
        replace_block(name, f"body of {name}", path)
    text = path.read_text()
    places = [text.index(SECTIONS[name][0]) for name in ("summary", "explore", "petri", "mutation")]
    assert places == sorted(places)
    assert read_block("explore", path) == "body of explore\n"
    assert read_block("octagons", path) == ""
