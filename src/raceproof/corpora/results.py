"""What came of each program of a run, and how that is kept: one line of JSON per program, written when it is done.

A directory of a run has `run.json` (the settings), `results.jsonl` (the lines) and the page `index.html`. A run that
was ended goes on there with what is missing; a last line that was not written to its end does not count.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from raceproof.core import InputError
from raceproof.corpora.scoring import POINTS, Outcome, outcome_of
from raceproof.corpora.settings import Settings
from raceproof.model import Verdict

_SETTINGS, _RESULTS = "run.json", "results.jsonl"


@dataclass(frozen=True, slots=True)
class EngineShare:
    """Pairs of accesses of one program that this engine decided."""

    engine: str
    proved: int
    witnessed: int


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One program. `verdict` is None if its check failed; `detail` then says how, else why nothing was decided.

    `cpu` and `wall` are seconds of the whole check, with all processes that it waited for. `shares` are in the order
    in which the engines ran. `report`: the file in the run's directory in which the report was kept, if it was.
    """

    name: str
    category: str
    expected: Verdict
    verdict: Verdict | None
    scope: str | None
    detail: str
    cpu: float
    wall: float
    pairs: int = 0
    shares: tuple[EngineShare, ...] = ()
    report: str | None = None

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.expected, self.verdict)

    @property
    def points(self) -> int:
        return POINTS[self.outcome]

    @property
    def decided_by(self) -> tuple[str, ...]:
        """The engines that the verdict rests on: those that found a race, or all that proved something."""
        match self.verdict:
            case Verdict.RACE:
                return tuple(share.engine for share in self.shares if share.witnessed)
            case Verdict.RACE_FREE:
                return tuple(share.engine for share in self.shares if share.proved)
            case _:
                return ()


@dataclass(frozen=True, slots=True)
class Run:
    """The results so far, in the order in which they came; all if there are as many as the settings say."""

    settings: Settings
    results: tuple[TaskResult, ...]

    @property
    def is_complete(self) -> bool:
        return len(self.results) == self.settings.programs


class Store:
    """Where a run is kept while it goes on; made by `open_store`, and a context manager that closes it."""

    def __init__(self, directory: Path, file: TextIO, run: Run) -> None:
        self.directory = directory
        self.run = run
        self._file = file

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def add(self, result: TaskResult) -> None:
        """Keep it, whatever happens afterwards."""
        try:
            self._file.write(json.dumps(_to_json(result)) + "\n")
            self._file.flush()
        except OSError as error:
            raise _failure(self.directory, error) from None
        self.run = replace(self.run, results=(*self.run.results, result))


def open_store(directory: Path, settings: Settings) -> Store:
    """Begin a run in the directory, or go on with the one that is there if its settings are the same."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        before = _read_settings(directory) if (directory / _SETTINGS).exists() else None
        if before is None and any(directory.iterdir()):
            raise InputError(f"{directory}: has files that are not a run of raceproof: give --out another directory")
        different = before.differences(settings) if before is not None else ()
        if different:
            raise InputError(
                f"{directory}: has a run with other settings; different: {', '.join(different)}\n"
                "Give --out another directory, or the settings of that run to go on with it."
            )
        if before is None:
            text = json.dumps(asdict(settings), indent=2)
            (directory / _SETTINGS).write_text(text + "\n", encoding="utf-8")
        file = (directory / _RESULTS).open("a", encoding="utf-8")
    except OSError as error:
        raise _failure(directory, error) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        whole, results = _read_results(directory / _RESULTS)
        file.truncate(whole)
        return Store(directory, file, Run(settings, results))
    except BlockingIOError:
        file.close()
        raise InputError(f"{directory}: another run is going on there") from None
    except BaseException:
        file.close()
        raise


def _failure(directory: Path, error: OSError) -> InputError:
    return InputError(f"cannot write {error.filename or directory}: {error.strerror}; give --out another directory")


def read_run(directory: Path) -> Run:
    """A run of an earlier time, finished or not."""
    if not (directory / _SETTINGS).is_file():
        raise InputError(f"{directory}: not the directory of a run: it has no {_SETTINGS}")
    settings = _read_settings(directory)
    path = directory / _RESULTS
    return Run(settings, _read_results(path)[1] if path.exists() else ())


def _read_settings(directory: Path) -> Settings:
    path = directory / _SETTINGS
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        fields["engines"], fields["cflags"] = tuple(fields["engines"]), tuple(fields["cflags"])
        return Settings(**fields)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(f"{path}: not the settings of a run of this version of raceproof") from None


def _read_results(path: Path) -> tuple[int, tuple[TaskResult, ...]]:
    """How many bytes are whole lines, and the results in them."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    whole = content.rfind(b"\n") + 1
    results: dict[str, TaskResult] = {}
    for number, line in enumerate(content[:whole].splitlines(), start=1):
        try:
            result = _of_json(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise InputError(f"{path}:{number}: not a result of this version of raceproof") from None
        if result.name in results:
            raise InputError(f"{path}:{number}: {result.name} is there twice")
        results[result.name] = result
    return whole, tuple(results.values())


def _to_json(result: TaskResult) -> dict[str, Any]:
    """`outcome` is for readers of the file; it follows from the rest."""
    return {
        **asdict(result),
        "expected": result.expected.value,
        "verdict": result.verdict.value if result.verdict is not None else None,
        "outcome": result.outcome.value,
    }


def _of_json(fields: Mapping[str, Any]) -> TaskResult:
    verdict, shares = fields["verdict"], fields["shares"]
    return TaskResult(
        name=str(fields["name"]),
        category=str(fields["category"]),
        expected=_truth(fields["expected"]),
        verdict=Verdict(verdict) if verdict is not None else None,
        scope=str(fields["scope"]) if fields["scope"] is not None else None,
        detail=str(fields["detail"]),
        cpu=float(fields["cpu"]),
        wall=float(fields["wall"]),
        pairs=int(fields["pairs"]),
        shares=_shares(shares),
        report=str(fields["report"]) if fields["report"] is not None else None,
    )


def _shares(entries: Sequence[Mapping[str, Any]]) -> tuple[EngineShare, ...]:
    return tuple(EngineShare(str(e["engine"]), int(e["proved"]), int(e["witnessed"])) for e in entries)


def _truth(word: str) -> Verdict:
    verdict = Verdict(word)
    if verdict is Verdict.UNKNOWN:
        raise ValueError("the truth is never unknown")
    return verdict
