"""raceproof from Python, around a portfolio that is a stand-in."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from unit.handmade import check_result, pair_result, program

import raceproof
from raceproof import frontend, portfolio
from raceproof.core import Budget, InputError, LimitReached
from raceproof.ir import Program
from raceproof.model import CheckResult, Verdict

RESULT = check_result(
    pair_result(1, Verdict.RACE_FREE, evidence=("common-lock m",)),
    pair_result(2, evidence=("<script>", "a & b")),
    pair_result(3, Verdict.RACE, target="x<y>"),
)


class Bench:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.request: frontend.CompileRequest | None = None
        self.settings = portfolio.Settings()
        self.engines: tuple[str, ...] = ()
        self.text = ""
        monkeypatch.setattr(frontend, "load", self._load)
        monkeypatch.setattr(portfolio, "check", self._check)

    def _load(self, request: frontend.CompileRequest, budget: Budget) -> Program:
        self.request = request
        self.text = request.units[0].path.read_text(encoding="utf-8")
        return program()

    def _check(
        self,
        program: Program,
        engines: Sequence[str],
        budget: Budget,
        settings: portfolio.Settings,
        on_stage: Callable[[str], None],
    ) -> CheckResult:
        self.engines, self.settings = tuple(engines), settings
        on_stage("facts")
        return RESULT


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    for name in ("demo.c", "more.c"):
        Path(name).write_text("int main(void) { return 0; }\n", encoding="utf-8")
    return Bench(monkeypatch)


@pytest.mark.parametrize("files", ["demo.c", Path("demo.c"), ["demo.c"], (Path("demo.c"),)])
def test_one_file_in_every_form(bench: Bench, files: str | Path | list[str]) -> None:
    assert raceproof.check(files).verdict is Verdict.RACE
    assert bench.request is not None
    assert [unit.file for unit in bench.request.units] == [Path("demo.c")]
    assert bench.engines == tuple(portfolio.ENGINES)


def test_everything_is_passed_on(bench: Bench) -> None:
    stages: list[str] = []
    raceproof.check(
        ["demo.c", "more.c"],
        cflags=["-DX"],
        arguments=["-n", "3"],
        engines=["lockset"],
        jobs=2,
        data_model="ILP32",
        entry="start",
        on_progress=stages.append,
    )
    request = bench.request
    assert request is not None
    assert [(unit.file.name, unit.flags) for unit in request.units] == [("demo.c", ("-DX",)), ("more.c", ("-DX",))]
    assert (request.data_model, request.entry) == ("ILP32", "start")
    assert bench.engines == ("lockset",)
    assert (bench.settings.jobs, bench.settings.arguments, bench.settings.request) == (2, ("-n", "3"), request)
    assert stages == ["compiling", "facts"]


def test_source_text_lives_as_long_as_its_report(bench: Bench) -> None:
    report = raceproof.check(source="int x;\n")
    assert bench.text == "int x;\n"
    assert bench.request is not None
    file = bench.request.units[0].path
    assert file.exists()
    del report
    assert not file.parent.exists()


def test_source_text_that_fails_leaves_nothing(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def load(request: frontend.CompileRequest, budget: Budget) -> Program:
        raise InputError("no")

    monkeypatch.setattr(frontend, "load", load)
    with pytest.raises(InputError):
        raceproof.check(source="int x;\n")
    assert not list(tmp_path.glob("raceproof-*"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "either"),
        ({"files": "demo.c", "source": "int x;"}, "either"),
        ({"files": "gone.c"}, "no such file"),
        ({"files": "demo.c", "engines": ["magic"]}, "magic"),
        ({"files": "demo.c", "engines": []}, "none"),
    ],
)
def test_wrong_arguments(bench: Bench, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        raceproof.check(**arguments)  # type: ignore[arg-type]


def test_a_compiler_that_takes_too_long(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(request: frontend.CompileRequest, budget: Budget) -> Program:
        raise LimitReached(f"time limit of {budget.total:g} s reached")

    monkeypatch.setattr(frontend, "load", load)
    report = raceproof.check("demo.c", time_limit=2)
    assert report.verdict is Verdict.UNKNOWN
    assert report.result.reason == "time limit of 2 s reached"
    assert report.result.files == ("demo.c",)


def test_what_a_report_has() -> None:
    report = raceproof.Report(RESULT)
    assert [p.id for p in report.races] == [3]
    assert [p.id for p in report.proved] == [1]
    assert [p.id for p in report.open] == [2]
    assert str(report).startswith("verdict: race")
    shown = "race; 1 race, 1 proved, 1 open; race on x<y> (write demo.c:10 and read demo.c:22)"
    assert repr(report) == f"<raceproof report: {shown}>"
    assert dir(raceproof) == ["Report", "__version__", "check"]
    assert report.to_json()["verdict"] == "race"
    assert report.to_html().startswith("<!")


def test_a_table_for_notebooks() -> None:
    table = raceproof.Report(RESULT)._repr_html_()
    assert "<td>x&lt;y&gt;</td>" in table
    assert "&lt;script&gt;; a &amp; b" in table
    assert "<script" not in table
    assert table.index("x&lt;y&gt;") < table.index("a &amp; b") < table.index("common-lock m")  # races first
    many = check_result(*(pair_result(number) for number in range(1, 61)))
    assert raceproof.Report(many)._repr_html_().count("<tr>") == 51
    assert "and 10 more" in raceproof.Report(many)._repr_html_()
    nothing = replace(check_result(), verdict=Verdict.UNKNOWN, scope=None, reason="time <1>")
    assert raceproof.Report(nothing)._repr_html_() == "<p><b>unknown</b>: time &lt;1&gt;</p>"


def test_reports_are_saved_by_name(tmp_path: Path) -> None:
    report = raceproof.Report(RESULT)
    for name in ("r.json", "r.html", "r.txt", "r.sarif"):
        report.save(tmp_path / name)
    assert json.loads((tmp_path / "r.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["verdict"] == "race"
    assert (tmp_path / "r.txt").read_text(encoding="utf-8") == str(report)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.to_html()
    with pytest.raises(InputError, match="must end"):
        report.save(tmp_path / "r.pdf")


def test_importing_raceproof_imports_nothing_else() -> None:
    code = "import sys, raceproof; print([m for m in sys.modules if m.startswith('raceproof.')], raceproof.__version__)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("[] ")
    with pytest.raises(AttributeError, match="nothing"):
        raceproof.nothing  # noqa: B018
