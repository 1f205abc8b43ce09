"""`raceproof check` with a configuration file, suppressions, a baseline, and the files it can write."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from unit.cli.test_command_line import OPEN, PROVED, RACE, Analysis, analysis  # noqa: F401  a fixture

from raceproof import portfolio
from raceproof.cli import main
from raceproof.core import Contradiction
from raceproof.model import CheckResult, LockAction, LockModel

NAMED = replace(RACE, pairs=tuple(replace(pair, fingerprint="00112233445566aa") for pair in RACE.pairs))


def test_the_file_fills_in_what_the_command_line_leaves_open(analysis: Analysis) -> None:  # noqa: F811
    Path("raceproof.toml").write_text(
        'sources = ["demo.c"]\nengines = ["lockset"]\ntime_limit = 9\njobs = 2\narguments = ["-n"]\nentry = "start"\n'
        '[[lock]]\nacquire = "grab"\nrelease = "drop"\n'
    )
    assert main(["check"]) == 0
    assert (analysis.engines, analysis.budget.total, analysis.settings.jobs) == (("lockset",), 9, 2)
    assert analysis.settings.arguments == ("-n",)
    assert analysis.settings.request is not None
    assert analysis.settings.request.entry == "start"
    assert analysis.settings.models.locks[0] == LockModel("grab", LockAction.ACQUIRE)


def test_the_command_line_wins(analysis: Analysis) -> None:  # noqa: F811
    Path("raceproof.toml").write_text('sources = ["other.c"]\nengines = ["lockset"]\ntime_limit = 9\njobs = 2\n')
    assert main(["check", "demo.c", "--engines=explore", "--time-limit=5", "--jobs=1", "--", "x"]) == 0
    assert (analysis.engines, analysis.budget.total, analysis.settings.jobs) == (("explore",), 5, 1)
    assert main(["check", "--no-config"]) == 2


def test_a_suppressed_race_is_shown_and_does_not_fail(
    analysis: Analysis,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    analysis.result = RACE
    Path("raceproof.toml").write_text(
        '[[suppress]]\ntarget = "counter*"\nreason = "statistics only"\noptional = true\n'
        '[[suppress]]\ntarget = "nothing"\nreason = "long gone"\noptional = true\n'
    )
    assert main(["check", "demo.c", "--json", "out.json"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("verdict: race")
    assert "suppressed: statistics only" in output
    assert "a suppression is not used" in output
    assert json.loads(Path("out.json").read_text())["pairs"][0]["suppressed"] == "statistics only"


def test_a_baseline_lets_only_new_findings_fail(
    analysis: Analysis,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    analysis.result = NAMED
    assert main(["check", "demo.c", "--write-baseline", "known.json"]) == 1
    assert main(["check", "demo.c", "--baseline", "known.json"]) == 0
    assert "it is in the baseline" in capsys.readouterr().out
    analysis.result = replace(OPEN, pairs=tuple(replace(p, fingerprint="ffffffffffffffff") for p in OPEN.pairs))
    assert main(["check", "demo.c", "--baseline", "known.json"]) == 3
    assert "in the baseline, but not found" in capsys.readouterr().out


@pytest.mark.parametrize("result", [RACE, OPEN, PROVED])
def test_all_formats_at_once(
    analysis: Analysis,  # noqa: F811
    result: CheckResult,
    capsys: pytest.CaptureFixture[str],
) -> None:
    analysis.result = result
    files = {name: f"out.{name}" for name in ("json", "html", "sarif", "trace")}
    main(["check", "demo.c", *(f"--{name}={file}" for name, file in files.items()), "--witness=out.yml"])
    for name in ("json", "sarif", "trace"):
        json.loads(Path(files[name]).read_text())
    assert Path("out.html").read_text().startswith("<!DOCTYPE html>")
    assert not Path("out.yml").exists()  # these results do not say what was compiled
    why = "no race was executed" + (" in lines of the files that were given" if result is RACE else "")
    assert capsys.readouterr().err == f"raceproof: no witness is written: {why}\n"


def test_a_contradiction_is_kept_with_all_that_is_needed(
    analysis: Analysis,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    analysis.result = Contradiction("contradiction on a pair", ("a proof", "a witness"))
    assert main(["check", "demo.c"]) == 4
    message = capsys.readouterr().err
    [directory] = tmp_path.glob("raceproof-contradiction-*")
    assert str(directory) in message
    assert (directory / "evidence-1.txt").read_text() == "a proof\n"
    assert (directory / "evidence-2.txt").read_text() == "a witness\n"
    assert (directory / "sources" / "1-demo.c").read_text() == Path("demo.c").read_text()
    assert "raceproof" in (directory / "versions.txt").read_text()


def test_all_engines_by_default(analysis: Analysis) -> None:  # noqa: F811
    assert main(["check", "demo.c", "--all"]) == 0
    assert analysis.engines == tuple(portfolio.ENGINES)
    assert analysis.settings.search.find_all
