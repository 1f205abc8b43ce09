"""Run `raceproof check` with the engine `lockset` as a user would, and read what it says."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Run, run_measured

RACEPROOF = Path(sys.executable).with_name("raceproof")
TIME_LIMIT = 600
_GRACE = 120  # seconds after the time limit until a run is killed
_IR_INSTRUCTION = re.compile(r"^  #\d+ ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checked:
    """One program checked twice. `report` is the JSON of the first run, None if it wrote none."""

    cold: Run
    warm: Run
    report: dict[str, Any] | None
    instructions: int

    @property
    def verdict(self) -> str:
        if self.report is not None:
            return str(self.report["verdict"])
        return "killed" if self.cold.status < 0 else f"failed ({self.cold.status})"

    @property
    def pairs(self) -> list[dict[str, Any]]:
        return list(self.report["pairs"]) if self.report is not None else []

    @property
    def proved(self) -> int:
        return sum(pair["verdict"] == "race-free" for pair in self.pairs)

    @property
    def open(self) -> int:
        return sum(pair["verdict"] == "unknown" for pair in self.pairs)

    @property
    def was_cut_short(self) -> bool:
        """Whether the analysis ended before it had looked at every pair."""
        report = self.report
        return report is None or bool(report.get("interrupted")) or any(e.get("stopped") for e in report["engines"])


def check(files: Sequence[str], time_limit: int = TIME_LIMIT) -> Checked:
    """Check a program with an empty cache, and again with the cache of the first run."""
    with tempfile.TemporaryDirectory() as results:
        environment = {"RACEPROOF_CACHE": str(Path(results) / "cache")}
        target = Path(results) / "report.json"
        command = [str(RACEPROOF), "check", "--engines", "lockset", *files]
        command += ["--json", str(target), "--pairs-detail", "--time-limit", str(time_limit)]
        cold = run_measured(command, environment, time_limit + _GRACE)
        report = json.loads(target.read_text(encoding="utf-8")) if target.exists() else None
        warm = run_measured(command, environment, time_limit + _GRACE)
        instructions = _instructions(report)
        if instructions is None:
            dump = [str(RACEPROOF), "dump", "ir", *files]
            instructions = len(_IR_INSTRUCTION.findall(run_measured(dump, environment).output))
        return Checked(cold, warm, report, instructions)


def _instructions(report: dict[str, Any] | None) -> int | None:
    """The size that the report states, if it does."""
    for engine in report["engines"] if report is not None else ():
        if "instructions" in engine["stats"]:
            return int(engine["stats"]["instructions"])
    return None
