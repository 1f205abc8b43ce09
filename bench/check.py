"""Run `raceproof check` as a user would, and read what it says."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Run, run_measured

RACEPROOF = Path(sys.executable).with_name("raceproof")
TIME_LIMIT = 600
_GRACE = 120  # seconds after the time limit until a run is killed
_IR_INSTRUCTION = re.compile(r"^  #\d+ ", re.MULTILINE)
_REASON = re.compile(r"\w[\w-]*")


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

    def proved_by_reason(self) -> list[tuple[str, int]]:
        """How many pairs each kind of reason proved, most frequent first."""
        counts: Counter[str] = Counter()
        for pair in self.pairs:
            if pair["verdict"] == "race-free" and pair["evidence"]:
                found = _REASON.match(str(pair["evidence"][0]))
                counts[found.group() if found is not None else "other"] += 1
        return counts.most_common()


def check(
    files: Sequence[str],
    flags: Sequence[str] = (),
    arguments: Sequence[str] = (),
    time_limit: int = TIME_LIMIT,
    directory: Path | None = None,
) -> Checked:
    """Check a program with an empty cache, and again with the cache of the first run."""
    cflags = [f"--cflag={flag}" for flag in flags]
    with tempfile.TemporaryDirectory() as results:
        environment = {"RACEPROOF_CACHE": str(Path(results) / "cache")}
        target = Path(results) / "report.json"
        command = [str(RACEPROOF), "check", *files, *cflags, *arguments]
        command += ["--json", str(target), "--time-limit", str(time_limit)]
        cold = run_measured(command, environment, time_limit + _GRACE, directory)
        report = json.loads(target.read_text(encoding="utf-8")) if target.exists() else None
        warm = run_measured(command, environment, time_limit + _GRACE, directory)
        instructions = _instructions(report)
        if instructions is None:
            dump = [str(RACEPROOF), "dump", "ir", *files, *cflags]
            instructions = len(_IR_INSTRUCTION.findall(run_measured(dump, environment, directory=directory).output))
        return Checked(cold, warm, report, instructions)


def _instructions(report: dict[str, Any] | None) -> int | None:
    """The size that the report states, if it does."""
    for engine in report["engines"] if report is not None else ():
        if "instructions" in engine["stats"]:
            return int(engine["stats"]["instructions"])
    return None
