"""raceproof from Python: check a program and look at the result.

    import raceproof

    report = raceproof.check("bank.c")
    report.verdict                     # Verdict.RACE
    for pair in report.races:          # PairResult, the same objects that the reports are made of
        print(pair.target, pair.accesses[0].pos, pair.accesses[1].pos)
    report.save("bank.html")

Errors are exceptions: `raceproof.core.InputError` for a program that does not compile, `ToolMissing` for a broken
installation; see `raceproof.core`. In a notebook a report shows itself as a table.
"""

from __future__ import annotations

import html
import io
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path, PurePath
from typing import Literal

from raceproof import frontend, portfolio
from raceproof import report as reports
from raceproof.core import Budget, InputError, LimitReached, suggestion
from raceproof.model import (
    AccessResult,
    CheckResult,
    DeadlockAnswer,
    DeadlockResult,
    PairResult,
    Property,
    Scope,
    Verdict,
)

Name = str | PathLike[str]

_MAX_ROWS = 50
_MOST_NAMED = 3
_SARIF_LEVELS = 4  # each result a line
_STATUS = {Verdict.RACE_FREE: 0, Verdict.RACE: 1, Verdict.UNKNOWN: 3}
_ORDER = (Verdict.RACE, Verdict.UNKNOWN, Verdict.RACE_FREE)
_FORMATS = (".html", ".json", ".sarif", ".txt")


@dataclass(frozen=True)
class Report:
    """A `CheckResult` with what one wants to do with it.

    A wrapper, so that results stay plain data which knows nothing of formats; `result` is what it wraps.
    """

    result: CheckResult

    @property
    def verdict(self) -> Verdict:
        return self.result.verdict

    @property
    def scope(self) -> Scope | None:
        """How far a proof reaches; None unless the verdict is race-free."""
        return self.result.scope

    @property
    def races(self) -> tuple[PairResult, ...]:
        return self._with(Verdict.RACE)

    @property
    def deadlock(self) -> DeadlockAnswer | None:
        """The answer on deadlocks; None if they were not asked about."""
        return self.result.deadlock

    @property
    def deadlocks(self) -> tuple[DeadlockResult, ...]:
        """Deadlocks that were executed, also where nobody asked."""
        return self.result.deadlocks

    @property
    def proved(self) -> tuple[PairResult, ...]:
        return self._with(Verdict.RACE_FREE)

    @property
    def open(self) -> tuple[PairResult, ...]:
        """Pairs that could neither be proved nor shown to race."""
        return self._with(Verdict.UNKNOWN)

    def _with(self, verdict: Verdict) -> tuple[PairResult, ...]:
        return tuple(pair for pair in self.result.pairs if pair.verdict is verdict)

    def to_json(self) -> dict[str, reports.Json]:
        """What `raceproof check --json` writes."""
        return reports.to_json(self.result)

    def to_html(self) -> str:
        """The report as one page, which opens without a network."""
        return reports.to_html(self.result)

    def to_sarif(self) -> reports.Json:
        """SARIF 2.1.0, with files as seen from the current directory."""
        return reports.to_sarif(self.result, root=Path.cwd(), with_baseline=False, exit_code=_STATUS[self.verdict])

    def save(self, path: Name) -> None:
        """Write the report; the name says how: .html, .json, .sarif or .txt."""
        target = Path(path)
        match target.suffix:
            case ".json":
                text = reports.json_text(self.to_json())
            case ".html":
                text = self.to_html()
            case ".sarif":
                text = reports.json_text(self.to_sarif(), _SARIF_LEVELS)
            case ".txt":
                text = str(self)
            case _:
                raise InputError(f"{target}: the name must end in one of {', '.join(_FORMATS)}")
        target.write_text(text, encoding="utf-8", errors="backslashreplace")

    def __str__(self) -> str:
        """The text that the command prints."""
        stream = io.StringIO()
        reports.write_text(self.result, stream, color=False)
        return stream.getvalue()

    def __repr__(self) -> str:
        """The verdict, and each racy location with the lines of one race."""
        races = "1 race" if len(self.races) == 1 else f"{len(self.races)} races"
        counts = f"{races}, {len(self.proved)} proved, {len(self.open)} open"
        racing = [found for found in reports.locations_of(self.result) if found.verdict is Verdict.RACE]
        where = [
            f"{found.name} ({' and '.join(map(_place, found.undecided[0].accesses))})" for found in racing[:_MOST_NAMED]
        ]
        shown = f"; race on {', '.join(where)}" if where else ""
        return f"<raceproof report: {_verdict(self.result)}; {counts}{shown}>"

    def _repr_html_(self) -> str:
        """For a notebook: the verdict, and a row for each pair, races first."""
        pairs = sorted(self.result.pairs, key=lambda pair: (_ORDER.index(pair.verdict), pair.id))
        rows = "".join(map(_row, pairs[:_MAX_ROWS]))
        more = len(pairs) - _MAX_ROWS
        rest = f"<p>… and {more} more</p>" if more > 0 else ""
        head = "".join(f"<th>{name}</th>" for name in ("pair", "verdict", "location", "accesses", "why"))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if pairs else ""
        reason = f": {html.escape(self.result.reason)}" if self.result.reason else ""
        return f"<p><b>{html.escape(_verdict(self.result))}</b>{reason}</p>{table}{rest}"


def check(
    files: Name | Iterable[Name] = (),
    *,
    source: str | None = None,
    cflags: Sequence[str] = (),
    arguments: Sequence[str] = (),
    engines: Sequence[str] | None = None,
    accept: Literal["this-input"] | None = None,
    properties: Sequence[Literal["data-race", "deadlock"]] = ("data-race",),
    time_limit: float = 60.0,
    jobs: int = 1,
    data_model: frontend.DataModel = "LP64",
    entry: str = "main",
    on_progress: Callable[[str], None] | None = None,
) -> Report:
    """Look for data races in a C program: one or more files, or its text as `source`.

    `arguments` are those of the program where it is run, `engines` the names of those to use (all, if None). With
    `accept="this-input"` a program that has no race with these arguments is race-free, though it may have other inputs.
    `properties`: what to look for; the answer on deadlocks is `report.deadlock`. When `time_limit` seconds are over,
    the report says what is known. `on_progress` is told what goes on.
    """
    names = [files] if isinstance(files, (str, PathLike)) else list(files)
    if bool(names) == (source is not None):
        raise InputError("give either files or source")
    chosen = _engines(engines)
    accepted = Scope(accept) if accept is not None else Scope.ALL_INPUTS
    asked = tuple(each for each in Property if each.value in properties)
    if not asked or len(asked) != len(set(properties)):
        raise InputError(f"properties are: {', '.join(each.value for each in Property)}")
    settings = portfolio.Settings(
        jobs=jobs, arguments=tuple(arguments), accepted=accepted, properties=asked, pairs_detail=True
    )

    def run(paths: Sequence[Path]) -> Report:
        request = frontend.from_files(paths, cflags, data_model=data_model, entry=entry)
        return Report(_run(request, replace(settings, request=request), chosen, time_limit, on_progress))

    if source is None:
        return run([Path(name) for name in names])
    directory = tempfile.mkdtemp(prefix="raceproof-")
    try:
        file = Path(directory, "source.c")
        file.write_text(source, encoding="utf-8")
        report = run([file])
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    weakref.finalize(report, shutil.rmtree, directory, ignore_errors=True)  # until then it shows lines of the file
    return report


def _run(
    request: frontend.CompileRequest,
    settings: portfolio.Settings,
    engines: tuple[str, ...],
    time_limit: float,
    on_progress: Callable[[str], None] | None,
) -> CheckResult:
    start = time.monotonic()
    budget = Budget.seconds(time_limit)
    tell = on_progress or (lambda stage: None)
    tell("compiling")
    try:
        program = frontend.load(request, budget)
        result = portfolio.check(program, engines, budget, settings, tell)
    except LimitReached as stop:  # of the compiler: the portfolio keeps its own
        files = tuple(str(unit.file) for unit in request.units)
        result = portfolio.undecided(files, str(stop), 0.0, asked=settings.properties)
    return replace(result, seconds=time.monotonic() - start)


def _engines(names: Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(portfolio.ENGINES)
    if names is None:
        return known
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        near = suggestion(unknown[0], known) if unknown else ""
        what = f"there is no engine `{unknown[0]}`{near}" if unknown else "engines names none"
        raise InputError(f"{what}; there are: {', '.join(known)}")
    return tuple(dict.fromkeys(names))


def _verdict(result: CheckResult) -> str:
    return result.verdict.value + (f" ({result.scope.value})" if result.scope is not None else "")


def _row(pair: PairResult) -> str:
    cells = (
        str(pair.id),
        pair.verdict.value,
        pair.target,
        " / ".join(map(_place, pair.accesses)),
        "; ".join(pair.evidence),
    )
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def _place(access: AccessResult) -> str:
    where = f"{PurePath(access.pos.file).name}:{access.pos.line}" if access.pos is not None else access.function
    return f"{access.kind.value} {where}"
