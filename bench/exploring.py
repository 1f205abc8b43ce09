"""Run `raceproof explore` as a user would, and read what it counted."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.check import RACEPROOF
from bench.measure import ZIG_CC, Run, run_measured

_GRACE = 60  # seconds after the time limit until a run is killed
_BUILDING = 900  # seconds more for the first run, which may build the C library of a target
# A search that is shorter (in CPU seconds) is run so many times, and the quickest one counts: at some milliseconds what
# else the machine does is seen, and it only ever adds.
_SHORT, _TIMES = 0.5, 5


@dataclass(frozen=True, slots=True)
class Job:
    """One search: what to run, and how. `others`: further files, relative to `directory`, where the command runs."""

    file: Path
    algorithm: str
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    pairs: str = "open"
    find_all: bool = True
    max_executions: int = 0
    options: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    directory: Path | None = None


@dataclass(frozen=True, slots=True)
class Explored:
    """What came out."""

    job: Job
    run: Run
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
        """CPU seconds of the search alone, as the runtime tells them: starting it and building are not in there."""
        return self.count("cpu_microseconds") / 1e6

    @property
    def rate(self) -> float:
        return self.count("executions") / self.seconds if self.seconds else 0.0


def explore(job: Job, time_limit: int, cache: Path, times: int = _TIMES, *, is_built: bool = False) -> Explored:
    """Search as the job says, a short one `times` times, after one execution that fills the cache: building is not on
    the search's time limit. `is_built`: the program is in the cache already."""
    if not is_built:
        _run(job, time_limit + _BUILDING, cache, max_executions=1)
    found = Explored(job, *_run(job, time_limit, cache, job.max_executions))
    for _ in range(1, times if 0 < found.seconds < _SHORT else 1):
        again = Explored(job, *_run(job, time_limit, cache, job.max_executions))
        found = min(found, again, key=lambda explored: explored.seconds)
    return found


def explore_alternately(
    job: Job, checkouts: Sequence[Path], caches: Sequence[Path], times: int, time_limit: int
) -> list[list[Explored]]:
    """Search with the raceproof of each checkout in turn, `times` rounds: what else the machine does slows all alike.

    The checkouts need no installation of their own: their sources run in this interpreter's environment.
    """
    rounds: list[list[Explored]] = [[] for _ in checkouts]
    for checkout, cache in zip(checkouts, caches, strict=True):
        _run(job, time_limit, cache, 1, checkout)
    for _ in range(times):
        for found, checkout, cache in zip(rounds, checkouts, caches, strict=True):
            found.append(Explored(job, *_run(job, time_limit, cache, job.max_executions, checkout)))
    return rounds


def _run(
    job: Job, time_limit: int, cache: Path, max_executions: int, checkout: Path | None = None
) -> tuple[Run, dict[str, Any] | None]:
    with tempfile.TemporaryDirectory() as results:
        target = Path(results) / "report.json"
        program = [str(RACEPROOF)] if checkout is None else [sys.executable, "-m", "raceproof"]
        command = [*program, "explore", str(job.file), *job.others, "--algorithm", job.algorithm, "--pairs", job.pairs]
        command += [f"--cflag={flag}" for flag in job.flags]
        command += ["--json", str(target), "--time-limit", str(time_limit)]
        command += ["--all"] if job.find_all else []
        command += ["--max-executions", str(max_executions)] if max_executions else []
        command += job.options
        command += ["--", *job.arguments] if job.arguments else []
        environment = {"RACEPROOF_CACHE": str(cache)}
        if checkout is not None:
            environment["PYTHONPATH"] = str(checkout / "src")  # before what is installed
        run = run_measured(command, environment, time_limit + _GRACE, job.directory)
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
