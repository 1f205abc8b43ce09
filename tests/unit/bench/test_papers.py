"""The scripts behind `make tables`: what they cost is kept from run to run; a search has a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench import papers
from bench.measure import forked
from bench.papers import HERE, SCRIPTS, format_costs, known_costs
from bench.results import replace_block
from bench.sections import SECTIONS


def test_costs_are_read_as_they_were_written() -> None:
    costs = {"[TX] Table 1": 1234, "[PN] Table 1": 7}
    text = format_costs(costs)
    assert known_costs(text) == costs
    assert "| all |  | 1,241 |" in text
    assert "about 21 minutes" in text  # the longest takes as long alone as all on one core


def test_every_script_is_there() -> None:
    assert all((HERE / script.file).exists() for script in SCRIPTS)
    assert len({script.name for script in SCRIPTS}) == len({script.tables for script in SCRIPTS}) == len(SCRIPTS)


def test_a_table_is_written_whole_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ran: list[tuple[str, bool]] = []

    def run(script: papers.Script, write: bool) -> papers.Done:
        ran.append((script.name, write))
        return papers.Done(script, 0, 5.0)

    results = tmp_path / "results.md"
    results.write_text("", encoding="utf-8")
    monkeypatch.delenv("RACEPROOF_SVCOMP", raising=False)
    monkeypatch.setattr(papers, "run", run)
    monkeypatch.setattr(papers, "read_block", lambda name: "")
    monkeypatch.setattr(papers, "replace_block", lambda name, text: replace_block(name, text, results))
    monkeypatch.setattr("sys.argv", ["papers.py", "--write", "--only", "svcomp", "petri"])
    assert papers.main() == 1
    assert sorted(ran) == [("petri", True), ("svcomp", False)]
    assert "RACEPROOF_SVCOMP" in capsys.readouterr().err
    assert "| [PN] Table 1 | 5 |" in results.read_text(encoding="utf-8")
    assert "SV-COMP |" not in results.read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["papers.py", "--write", "--only", "petri"])
    assert papers.main() == 0


def test_what_is_said_before_a_table_is_written_with_it(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    replace_block("petri", "first", path)
    replace_block("octagons", "body of octagons", path)
    path.write_text(path.read_text().replace(SECTIONS["petri"][1], "of yesterday"))
    replace_block("petri", "body of petri", path)
    text = path.read_text()
    assert "of yesterday" not in text
    assert text.count(SECTIONS["petri"][0]) == text.count(SECTIONS["petri"][1]) == 1
    assert text.index("body of petri") < text.index(SECTIONS["octagons"][0]) < text.index("body of octagons")


def test_forked_work_leaves_nothing_behind() -> None:
    kept: list[int] = []

    def work() -> dict[str, object]:
        kept.append(1)
        return {"pid": os.getpid()}

    found, megabytes = forked(work)
    assert found["pid"] != os.getpid()
    assert kept == []
    assert megabytes > 1


def test_forked_work_that_fails_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> dict[str, object]:
        raise ValueError("no figure")

    with pytest.raises(SystemExit, match="ended with 1"):
        forked(work)
    assert "no figure" in capfd.readouterr().err
