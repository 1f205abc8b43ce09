"""The memory of a search does not grow with the number of executions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from exploring import Subject, load

from raceproof import explore
from raceproof.core import Budget
from raceproof.explore.engine import control

BENCH = Path(__file__).parents[2] / "bench" / "explore"
FEW, MANY = 10_000, 300_000
ALLOWED = 1024  # KB


def peak(subject: Subject, algorithm: str, executions: int, directory: Path) -> int:
    """The most memory that the host held at any time, in KB."""
    options = explore.ExploreOptions(
        module=subject.module, algorithm=algorithm, find_all=True, max_executions=executions, isolation="memory"
    )
    prepared = explore.prepare(subject.cp, subject.pairs, options, Budget.unlimited())
    path = directory / "control"
    path.write_text(control(prepared, options, 120).text(), encoding="utf-8")
    with subprocess.Popen([prepared.host, prepared.program, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert f"stat\texecutions\t{executions}" in lines
    assert lines[-1] == "end\texecutions"
    return usage.ru_maxrss


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "flags", "algorithm"),
    [
        ("sections.c", ("-DT=4", "-DI=4"), "optimal"),
        ("sections.c", ("-DT=4", "-DI=4"), "dpor"),
        ("lamport.c", ("-DLOOPS=6",), "optimal"),
        ("producer_consumer.c", (), "dfs"),
    ],
)
def test_memory_does_not_grow(file: str, flags: tuple[str, ...], algorithm: str, tmp_path: Path) -> None:
    subject = load(BENCH / file, *flags)
    few, many = (peak(subject, algorithm, executions, tmp_path) for executions in (FEW, MANY))
    assert many - few <= ALLOWED, f"{few} KB after {FEW} executions, {many} KB after {MANY}"
