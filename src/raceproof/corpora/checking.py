"""How is one program checked, and what did its check say?

Each has a process of its own, `raceproof check … --json`, so that a crash or an endless loop ends that one only. Its
verdict counts if the report and the exit status agree; anything else is an error, never a verdict.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raceproof.corpora.results import EngineShare, TaskResult
from raceproof.corpora.settings import Settings
from raceproof.corpora.tasks import Task
from raceproof.model import Verdict

# -P: the current directory is the user's and has no part in what is imported.
CHECK = (sys.executable, "-P", "-m", "raceproof", "check")
_STATUS = {0: Verdict.RACE_FREE, 1: Verdict.RACE, 3: Verdict.UNKNOWN}
_LONG = 400


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has come to its end; `status` as of the shell's `$?`, negative for a signal."""

    status: int
    cpu: float
    wall: float
    is_late: bool


def command_for(task: Task, settings: Settings, report: Path) -> list[str]:
    """The command that checks the program as a user would, but for a configuration that happens to be near."""
    command = [
        *CHECK,
        "--no-config",
        "--json",
        str(report),
        "--pairs-detail",
        "--time-limit",
        f"{settings.time_limit:g}",
    ]
    command += ["--engines", ",".join(settings.engines), "--headers", settings.headers]
    command += [f"--cflag={flag}" for flag in settings.cflags]
    if settings.data_model is not None and not task.is_definition:
        command += ["--data-model", settings.data_model]
    return [*command, "--task", str(task.file)] if task.is_definition else [*command, str(task.file)]


def result_of(task: Task, ended: Ended, report: Path, errors: Path) -> TaskResult:
    """What the process said, or how it failed."""
    fields, problem = _read(report)
    verdict = _STATUS.get(ended.status)
    if ended.is_late:
        verdict, problem = None, f"killed after {ended.wall:.0f} s: it did not keep the time limit"
    elif verdict is None:
        problem = f"{_ending(ended.status)}: {_last_words(errors)}".removesuffix(": ")
    elif problem:
        verdict = None
    elif fields["verdict"] != verdict.value or fields["interrupted"]:
        verdict, problem = None, f"{_ending(ended.status)}, but its report says {fields['verdict']}"
    if verdict is None:
        return TaskResult(
            task.name, task.category, task.expected, None, None, problem, round(ended.cpu, 3), round(ended.wall, 3)
        )
    return TaskResult(
        name=task.name,
        category=task.category,
        expected=task.expected,
        verdict=verdict,
        scope=fields["scope"],
        detail=str(fields["reason"] or "")[:_LONG],
        cpu=round(ended.cpu, 3),
        wall=round(ended.wall, 3),
        pairs=len(fields["pairs"]),
        shares=_shares(fields["engines"], fields["pairs"]),
    )


def _read(report: Path) -> tuple[Mapping[str, Any], str]:
    """The report, or what is wrong with it."""
    try:
        fields = json.loads(report.read_text(encoding="utf-8"))
        missing = {"verdict", "scope", "reason", "pairs", "engines", "interrupted"} - set(fields)
    except (OSError, ValueError, TypeError):
        return {}, "it wrote no report"
    return (fields, "") if not missing else ({}, f"its report has no {', '.join(sorted(missing))}")


def _shares(engines: Sequence[Mapping[str, Any]], pairs: Sequence[Mapping[str, Any]]) -> tuple[EngineShare, ...]:
    counts = Counter((pair["engine"], pair["verdict"]) for pair in pairs)
    names = dict.fromkeys([*(engine["name"] for engine in engines), *(pair["engine"] for pair in pairs)])
    shares = (
        EngineShare(name, counts[name, Verdict.RACE_FREE.value], counts[name, Verdict.RACE.value])
        for name in names
        if name is not None
    )
    return tuple(share for share in shares if share.proved or share.witnessed)


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def _last_words(errors: Path) -> str:
    """What it complained of: raceproof's own message if there is one, else the last line."""
    try:
        lines = errors.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    own = [line for line in lines if line.startswith("raceproof: error: ")]
    said = own[0].removeprefix("raceproof: error: ") if own else (lines[-1] if lines else "")
    return said[:_LONG]
