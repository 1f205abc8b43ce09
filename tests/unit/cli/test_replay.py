"""`raceproof replay` around a host that is a script: what it rebuilds, what it prints, when it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from unit.explore.fake_host import FakeHost
from unit.handmade import (
    MAIN_READ,
    PAIRS,
    RUN,
    WRITE,
    check_result,
    concurrent_program,
    pair_result,
    program,
    race_result,
)

from raceproof import explore, facts, frontend
from raceproof.cli import Exit, main
from raceproof.core import Budget
from raceproof.ir import Origin
from raceproof.model import (
    ConcurrentProgram,
    IncidentResult,
    RacePair,
    RunSetup,
    Schedule,
    SourceFile,
    Sources,
    Verdict,
)
from raceproof.report import to_json

MODULE = frontend.LinkedModule("the text", Origin(("demo.c",), (), "LP64"))
SOURCE = "int counter;\n" * 9 + "  counter++;\n" + "\n" * 11 + "  return counter;\n"
REPLAY = """
write("step", 0, 1, "pthread_create", 9, "", "", "", "")
write("step", 1, 1, "write", 2, "counter", 5, "mutex m%2B8", "")
write("race", 2, 1, 3, 0, "counter", 1, "0:4 1:2 2:1", "", "0:0:0 1:0:9 2:0:9")
write("other", "deadlock", "all%20wait", 1, 9, "0:4", "", "0:0:0 1:0:9")
write("end", "replayed")
"""


class Bench:
    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._directory = directory
        self.options: explore.ExploreOptions | None = None
        self.pairs: Sequence[RacePair] = ()
        self.host = FakeHost(directory, "pass", REPLAY)
        monkeypatch.chdir(directory)
        monkeypatch.setattr(frontend, "load", lambda request, budget: program())
        monkeypatch.setattr(frontend, "link_program", lambda request, budget: MODULE)
        monkeypatch.setattr(facts, "analyse", lambda *given, **wanted: concurrent_program())
        monkeypatch.setattr(facts, "race_pairs", lambda cp: PAIRS)
        monkeypatch.setattr(facts, "describe_location", lambda cp, location: "counter")
        monkeypatch.setattr(facts, "describe_lock", lambda cp, address: "mutex")
        monkeypatch.setattr(explore, "prepare", self._prepare)
        Path("demo.c").write_text(SOURCE, encoding="utf-8")

    def _prepare(
        self, cp: ConcurrentProgram, pairs: Sequence[RacePair], options: explore.ExploreOptions, budget: Budget
    ) -> explore.Prepared:
        self.options, self.pairs = options, pairs
        return explore.Prepared(self.host.path, Path("program.so"), "demo", (), options.isolation)

    def report(self, **changes: object) -> str:
        setup = RunSetup(explore.module_hash(MODULE), "optimal", ((WRITE, MAIN_READ),), ("-n",), "fork", True, 77)
        sources = Sources((SourceFile("demo.c", (), str(self._directory)),), "LP64", "auto", None, "main")
        schedule = Schedule(RUN, (WRITE, MAIN_READ), (1, 0), True)
        race = replace(race_result(), schedule=schedule)
        other = IncidentResult(1, "deadlock", "all wait", None, "", 1, RUN, race.threads)
        pairs = (pair_result(1), replace(pair_result(5, Verdict.RACE), race=race))
        result = replace(check_result(*pairs), setup=setup, sources=sources, other=(other,))
        data = to_json(result)
        replay = data["replay"]
        assert isinstance(replay, dict)
        replay.update(changes)  # type: ignore[arg-type]
        Path("report.json").write_text(json.dumps(data), encoding="utf-8")
        return "report.json"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def test_the_race_is_shown_step_by_step(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", bench.report()]) == Exit.RACE
    first = capsys.readouterr().out
    lines = first.splitlines()
    assert "main thread" in lines
    assert "    0.2  pthread_create" in lines
    assert "thread 1 `worker`" in lines
    start = lines.index("    1.2  write counter = 5, holding mutex, m+8")
    end = lines.index("data race on counter: both threads stand before their accesses")
    assert start < end
    assert lines[end + 1 : end + 5] == [
        "  write in `worker` by thread 1 `worker`",
        "         demo.c:10  counter++;",
        "  read in `main` by main thread",
        "         demo.c:22  return counter;",
    ]
    assert re.search(r"2 steps, trace [0-9a-f]{16}\n$", first)
    assert main(["replay", "report.json", "--race", "5"]) == Exit.RACE
    assert capsys.readouterr().out == first


def test_it_is_built_and_run_as_it_was(bench: Bench) -> None:
    main(["replay", bench.report()])
    assert bench.options == explore.ExploreOptions(
        module=MODULE, algorithm="optimal", isolation="fork", arguments=("-n",), spurious=True, max_steps=77
    )
    assert list(bench.pairs) == [PAIRS[2]]
    [control] = bench.host.asked()
    assert control[-2:] == ["schedule 0:4 1:2 2:1", "drive 1:2 0:4"]


def test_a_race_that_does_not_come_again(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.host = FakeHost(Path.cwd(), "pass", 'write("end", "replayed")')
    assert main(["replay", bench.report()]) == Exit.UNKNOWN
    assert "did not show again" in capsys.readouterr().out


def test_another_incident(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", bench.report(), "--other", "1"]) == 0
    output = capsys.readouterr().out
    assert "deadlock: all wait" in output
    assert "data race" not in output


@pytest.mark.parametrize(
    ("changes", "arguments", "words"),
    [
        ({}, ["--race", "1"], "there are: 5"),
        ({}, ["--other", "2"], "there are: 1"),
        ({"module": "another"}, [], "has changed"),
        ({"pairs": [[2, 3], [8, 9]]}, [], "this version of raceproof"),
        ({"pairs": [[2]]}, [], "can be replayed"),
        ({"isolation": "somehow"}, [], "isolation"),
        ({"data_model": "ILP128"}, [], "data_model"),
    ],
)
def test_what_cannot_be_replayed(
    bench: Bench, capsys: pytest.CaptureFixture[str], changes: dict[str, object], arguments: list[str], words: str
) -> None:
    assert main(["replay", bench.report(**changes), *arguments]) == Exit.BAD_INPUT
    assert words in capsys.readouterr().err
