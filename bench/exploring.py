"""Run `raceproof explore` as a user would, and read what it counted."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.check import RACEPROOF
from bench.measure import ZIG_CC, Run, run_measured

_GRACE = 60  # seconds after the time limit until a run is killed


@dataclass(frozen=True, slots=True)
class Job:
    """One search: what to run, and how."""

    file: Path
    algorithm: str
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    pairs: str = "open"
    find_all: bool = True
    max_executions: int = 0


@dataclass(frozen=True, slots=True)
class Explored:
    """What came out. `cpu` is that of the search alone: what building the program takes is measured and left out."""

    job: Job
    run: Run
    cpu: float
    report: dict[str, Any] | None

    @property
    def stats(self) -> dict[str, Any]:
        return dict(self.report["stats"]) if self.report is not None else {}

    def count(self, name: str) -> int:
        return int(self.stats.get(name, 0))

    @property
    def is_complete(self) -> bool:
        return bool(self.stats.get("complete"))

    @property
    def verdict(self) -> str:
        if self.report is not None:
            return str(self.report["verdict"])
        return "killed" if self.run.status < 0 else f"failed ({self.run.status})"

    @property
    def pairs(self) -> list[dict[str, Any]]:
        return list(self.report["pairs"]) if self.report is not None else []

    @property
    def races(self) -> int:
        return sum(pair["verdict"] == "race" for pair in self.pairs)

    @property
    def seconds(self) -> float:
        """CPU seconds; by the runtime's own clock where the search is too short to be told apart from the rest."""
        return self.cpu if self.cpu >= 0.5 else float(self.stats.get("seconds", self.cpu))

    @property
    def rate(self) -> float:
        return self.count("executions") / self.seconds if self.seconds else 0.0


def explore(job: Job, time_limit: int, cache: Path) -> Explored:
    """Search twice: one execution only, which also fills the cache, and then as the job says."""
    _run(job, time_limit, cache, max_executions=1)
    base, _ = _run(job, time_limit, cache, max_executions=1)
    run, report = _run(job, time_limit, cache, job.max_executions)
    return Explored(job, run, max(run.cpu - base.cpu, 0.0), report)


def _run(job: Job, time_limit: int, cache: Path, max_executions: int) -> tuple[Run, dict[str, Any] | None]:
    with tempfile.TemporaryDirectory() as results:
        target = Path(results) / "report.json"
        command = [str(RACEPROOF), "explore", str(job.file), "--algorithm", job.algorithm, "--pairs", job.pairs]
        command += [f"--cflag={flag}" for flag in job.flags]
        command += ["--json", str(target), "--time-limit", str(time_limit)]
        command += ["--all"] if job.find_all else []
        command += ["--max-executions", str(max_executions)] if max_executions else []
        command += ["--", *job.arguments] if job.arguments else []
        run = run_measured(command, {"RACEPROOF_CACHE": str(cache)}, time_limit + _GRACE)
        report = json.loads(target.read_text(encoding="utf-8")) if target.exists() else None
        return run, report


def native_seconds(file: Path, flags: Sequence[str], arguments: Sequence[str], rounds: int) -> float:
    """CPU seconds of one round of the program, compiled as is and run `rounds` times by itself."""
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "program"
        environment = {"ZIG_LOCAL_CACHE_DIR": directory, "ZIG_GLOBAL_CACHE_DIR": directory}
        build = [*ZIG_CC, "-fno-sanitize=undefined", "-pthread", *flags, str(file), "-o", str(program)]
        built = run_measured(build, environment)
        if built.status != 0:
            raise SystemExit(f"{file.name} does not compile:\n{built.errors}")
        return run_measured([str(program), *arguments]).cpu / rounds
