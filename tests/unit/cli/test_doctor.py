"""`raceproof doctor`: every line says what is wrong and what to do; one problem is enough for its exit status."""

from __future__ import annotations

import ctypes
import json
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from unit.cli.commands import run_command
from unit.handmade import PAIRS, concurrent_program, program, unknown, witness

from raceproof import explore, facts, frontend
from raceproof.cli import Exit, doctor
from raceproof.cli.doctor import Line, Status
from raceproof.core import Budget, ToolMissing
from raceproof.ir import Origin
from raceproof.model import ConcurrentProgram, EngineResult, RacePair

MODULE = frontend.LinkedModule("the text", Origin(("trial.c",), (), "LP64"))


class Machine:
    """A machine on which all is well, until a test breaks something."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.finds_race = {"memory": True, "fork": True}
        self.can_compile = True
        monkeypatch.setenv("RACEPROOF_CACHE", str(directory / "cache"))
        monkeypatch.setattr(subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 0, "9.9.9\n", ""))
        monkeypatch.setattr(frontend, "zig_program", self._zig)
        monkeypatch.setattr(frontend, "load", lambda request, budget: program())
        monkeypatch.setattr(frontend, "link_program", lambda request, budget: MODULE)
        monkeypatch.setattr(facts, "analyse", lambda *given: concurrent_program())
        monkeypatch.setattr(facts, "race_pairs", lambda cp: PAIRS)
        monkeypatch.setattr(explore, "run", self._explore)
        monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def _zig(self) -> str:
        if not self.can_compile:
            raise ToolMissing("the package is missing")
        return "zig"

    def _explore(
        self, cp: ConcurrentProgram, pairs: Sequence[RacePair], options: explore.ExploreOptions, budget: Budget
    ) -> EngineResult:
        find = witness if self.finds_race[options.isolation] else unknown
        return EngineResult("explore", (find(pairs[0]),), 0.1)

    def lines(self) -> tuple[Exit, dict[str, Line]]:
        target = Path("doctor.json").absolute()
        status = run_command(doctor.add_parser, "doctor", "--json", str(target))
        found = [Line(x["name"], Status(x["status"]), x["text"], x["advice"]) for x in json.loads(target.read_text())]
        return status, {line.name: line for line in found}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.chdir(tmp_path)
    return Machine(tmp_path, monkeypatch)


def test_all_is_well(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = machine.lines()
    layout = lines.pop("layout")  # that of the machine which runs the tests
    assert {line.status for line in lines.values()} <= {Status.OK, Status.NOTE}
    assert "9.9.9" in lines["compiler"].text
    out = capsys.readouterr().out
    if layout.status is not Status.PROBLEM:
        assert status is Exit.RACE_FREE
        assert out.endswith("all is well\n")
    assert "explorer" in out


def test_a_compiler_that_is_missing(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.can_compile = False
    status, lines = machine.lines()
    assert status is Exit.INTERNAL
    assert lines["compiler"].status is Status.PROBLEM
    assert "the package is missing" in lines["compiler"].text
    assert "pip install" in lines["compiler"].advice
    assert lines["explorer"].status is Status.OK  # the rest is looked at all the same
    assert "-> install it again" in capsys.readouterr().out


@pytest.mark.parametrize(("isolation", "name"), [("memory", "explorer"), ("fork", "fork mode")])
def test_an_explorer_that_finds_nothing(machine: Machine, isolation: str, name: str) -> None:
    machine.finds_race[isolation] = False
    status, lines = machine.lines()
    assert status is Exit.INTERNAL
    assert [n for n in ("explorer", "fork mode") if lines[n].status is Status.PROBLEM] == [name]


def test_no_cache(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEPROOF_CACHE", "")
    assert machine.lines()[1]["cache"].status is Status.NOTE


def test_a_cache_that_cannot_be_written(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RACEPROOF_CACHE", str(tmp_path / "file" / "cache"))
    status, lines = machine.lines()
    assert (status, lines["cache"].status) == (Exit.INTERNAL, Status.PROBLEM)
    assert "RACEPROOF_CACHE" in lines["cache"].advice


def test_little_memory(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1_000_000_000, 1_000_000_000))
    status, lines = machine.lines()
    assert (status, lines["memory"].status) == (Exit.INTERNAL, Status.PROBLEM)
    assert "1.0 GB" in lines["memory"].text
    assert "ulimit" in lines["memory"].advice


def test_a_system_that_does_not_fix_addresses(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def personality(self, asked: ctypes.c_ulong) -> int:
            return 0 if asked.value == 0xFFFFFFFF else -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *a, **k: Library())
    status, lines = machine.lines()
    assert (status, lines["layout"].status) == (Exit.INTERNAL, Status.PROBLEM)
