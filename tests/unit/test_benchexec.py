"""The module for BenchExec, with BenchExec's own classes for what it is given."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchexec import result
from benchexec.tools.template import BaseTool2, ToolNotFoundException, UnsupportedFeatureException
from benchexec.util import ProcessExitCode

from contrib.benchexec.raceproof import Tool
from raceproof import __version__

TOOL = Tool()
REPORT = """\
verdict: race at 1 pair of accesses

account.balance: data race (1 pair of accesses)

Proved race-free: 5 pairs of accesses at 2 locations

6 pairs of accesses: 5 proved, 1 race, 0 open; 0.14 s (lockset 0.02 s, explore
  0.04 s)
explore: 1,234 executions by race, up to the first race; 132 a second
"""


def determine(output: str, status: int) -> str:
    lines = BaseTool2.RunOutput([line + "\n" for line in output.split("\n")])
    return TOOL.determine_result(BaseTool2.Run(["raceproof"], ProcessExitCode.create(value=status), lines, None))


@pytest.mark.parametrize(
    ("output", "status", "expected"),
    [
        (REPORT, 1, result.RESULT_FALSE_DATARACE),
        (REPORT + "false(no-data-race)", 1, result.RESULT_FALSE_DATARACE),
        ("verdict: race-free for all inputs\n\ntrue", 0, result.RESULT_TRUE_PROP),
        ("verdict: race-free for all inputs\n", 0, result.RESULT_TRUE_PROP),
        ("verdict: unknown\n  the time is up\n", 3, result.RESULT_UNKNOWN),
        ("true\na line of standard error", 0, result.RESULT_TRUE_PROP),
        ("raceproof: no such file", 2, "ERROR (bad input)"),
        (REPORT, 4, "ERROR (internal)"),
        (REPORT, 0, result.RESULT_ERROR),
        ("Traceback (most recent call last):", 1, result.RESULT_ERROR),
        ("true story", 0, result.RESULT_ERROR),
        ("", 0, result.RESULT_ERROR),
    ],
)
def test_results(output: str, status: int, expected: str) -> None:
    assert determine(output, status) == expected


def test_killed_by_a_signal() -> None:
    run = BaseTool2.Run(["raceproof"], ProcessExitCode.create(signal=9), BaseTool2.RunOutput([REPORT]), "cputime")
    assert TOOL.determine_result(run) == result.RESULT_ERROR


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("pairs", "6"), ("proved", "5"), ("races", "1"), ("open", "0"), ("seconds", "0.14"), ("executions", "1234"),
        ("lockset seconds", "0.02"), ("explore seconds", "0.04"), ("petri seconds", None), ("nothing", None),
    ],
)  # fmt: skip
def test_values(identifier: str, expected: str | None) -> None:
    output = BaseTool2.RunOutput(REPORT.splitlines(keepends=True))
    assert TOOL.get_value_from_output(output, identifier) == expected


def command(*options: str, task: BaseTool2.Task, limits: BaseTool2.ResourceLimits | None = None) -> list[str]:
    return TOOL.cmdline("raceproof", list(options), task, limits or BaseTool2.ResourceLimits())


def a_task(**details: object) -> BaseTool2.Task:
    return BaseTool2.Task.with_files(["a.i", "b.c"], **details)


def test_the_command(tmp_path: Path) -> None:
    wanted = tmp_path / "no-data-race.prp"
    wanted.write_text("CHECK( init(main()), LTL(G ! data-race) )\n", encoding="utf-8")
    task = a_task(property_file=str(wanted), options={"language": "C", "data_model": "ILP32"})
    limits = BaseTool2.ResourceLimits(cputime=900, cputime_hard=1000, walltime=960)
    assert command("--jobs", "2", task=task, limits=limits) == [
        "raceproof", "check", "--jobs", "2", "--data-model", "ILP32", "--time-limit", "890", "a.i", "b.c",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "options", "expected"),
    [
        (BaseTool2.ResourceLimits(), (), []),
        (BaseTool2.ResourceLimits(walltime=10), (), ["--time-limit", "9"]),
        (BaseTool2.ResourceLimits(walltime=1), (), ["--time-limit", "1"]),
        (BaseTool2.ResourceLimits(walltime=10), ("--time-limit=3",), ["--time-limit=3"]),
    ],
)
def test_the_time_limit(limits: BaseTool2.ResourceLimits, options: tuple[str, ...], expected: list[str]) -> None:
    assert command(*options, task=a_task(), limits=limits)[2:-2] == expected


def test_what_it_cannot_do_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "termination.prp"
    other.write_text("CHECK( init(main()), LTL(F end) )\n", encoding="utf-8")
    with pytest.raises(UnsupportedFeatureException):
        command(task=a_task(property_file=str(other)))
    with pytest.raises(UnsupportedFeatureException):
        command(task=a_task(options={"data_model": "LLP64"}))
    with pytest.raises(UnsupportedFeatureException):
        command(task=BaseTool2.Task.without_files("name"))


def test_it_is_found_in_a_virtual_environment(tmp_path: Path) -> None:
    locator = BaseTool2.ToolLocator(tool_directory=str(tmp_path))
    with pytest.raises(ToolNotFoundException):
        TOOL.executable(locator)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "raceproof").write_text("#!/bin/sh\necho raceproof 1.2.3\n")
    (tmp_path / "bin" / "raceproof").chmod(0o755)
    executable = TOOL.executable(locator)
    assert Path(executable) == tmp_path / "bin" / "raceproof"
    assert (TOOL.name(), TOOL.version(executable)) == ("raceproof", "1.2.3")


def test_the_version_of_the_real_command() -> None:
    assert TOOL.version(str(Path(sys.executable).parent / "raceproof")) == __version__
