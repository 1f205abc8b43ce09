"""How time and memory grow with code size, threads, locks, pairs, schedule length and jobs, by engine and algorithm.

    python bench/scaling.py              prints the tables
    python bench/scaling.py --write      and puts them into docs/results.md, the plots into docs/plots
    python bench/scaling.py --quick      few points, to see whether it works
    python bench/scaling.py --only threads locks

Each point is a process of its own. A curve goes on until a point takes longer than the limit or is not decided.
Ends with status 1 if a program, none of which has a race, is said to have one, or a run fails.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.check import RACEPROOF
from bench.measure import Run, run_measured
from bench.plots import Curve, Panel, figure
from bench.results import RESULTS, machine, markdown_table, replace_block
from bench.scaling_programs import of_accesses, of_jobs, of_locks, of_rounds, of_size, of_threads

PLOTS = RESULTS.parent / "plots"
LIMIT, QUICK_LIMIT = 6, 3
_GRACE = 20  # seconds after the time limit until a run is killed
_QUICK_POINTS = 3
STATIC: dict[str, tuple[str, ...]] = {
    name: ("check", "--engines", name) for name in ("lockset", "petri", "transactions", "bmc")
}
SEARCHES: dict[str, tuple[str, ...]] = {
    f"explore, {name}": ("explore", "--pairs", "all", "--all", "--algorithm", name)
    for name in ("race", "optimal", "dfs")
}
STATES = {"explore, states": ("explore", "--pairs", "all", "--all", "--algorithm", "states")}
WHOLE: dict[str, tuple[str, ...]] = {"check, all engines": ("check",)}


@dataclass(frozen=True, slots=True)
class Series:
    """One direction of growth. `counts`: what is measured on the x axis, if it is not `sizes` itself.

    `may_be_open`: pairs may stay open; a point then counts if no engine was ended early.
    """

    name: str
    title: str
    x_label: str
    program: Callable[[int], str]
    sizes: tuple[int, ...]
    ways: dict[str, tuple[str, ...]]
    counts: Callable[[dict[str, Any]], int] | None = None
    may_be_open: bool = False


def _pairs(report: dict[str, Any]) -> int:
    return len(report["pairs"])


_BY_OWNERS = {"shapes": ("check", "--engines", "lockset,shapes")}
_ALL_WAYS = {**STATIC, **SEARCHES, **WHOLE}
SERIES = (
    Series(
        "size", "Code size", "instructions", of_size,
        (500, 1000, 2000, 4000, 8000, 16_000, 32_000), STATIC, may_be_open=True,
    ),
    Series("threads", "Threads", "threads", of_threads, (2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128, 256), _ALL_WAYS),
    Series("locks", "Locks", "locks", of_locks, (1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512), _ALL_WAYS),
    Series("pairs", "Pairs of accesses", "pairs", of_accesses, (1, 2, 4, 8, 16, 32, 64, 128), _ALL_WAYS, _pairs),
    Series(
        "schedule", "Length of a schedule", "locked sections of each of two threads", of_rounds,
        (1, 2, 3, 4, 6, 8, 10, 12, 16, 32, 64, 256, 1024, 4096, 16_384, 65_536), _ALL_WAYS,
    ),
    Series(
        "jobs", "Jobs in a list", "jobs that two workers take out", of_jobs,
        (1, 2, 3, 4, 6, 8, 12, 16, 64, 256, 4096, 65_536),
        {**_BY_OWNERS, "bmc": STATIC["bmc"], **SEARCHES, **STATES, **WHOLE},
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """One run. `problem`: why it does not count, None if it does; `is_wrong`: it found a race, or failed."""

    x: int
    seconds: float
    peak_mb: float
    problem: str | None
    is_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """The points of one way through one series; the last one may have a problem."""

    series: Series
    way: str
    points: tuple[Point, ...]

    @property
    def good(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.problem is None)

    @property
    def end(self) -> str:
        return self.points[-1].problem or "" if self.points else ""


def judge(series: Series, size: int, run: Run, report: dict[str, Any] | None, limit: float) -> Point:
    """What a run is worth. Of the time, that of the analysis: starting Python and compiling do not grow with us."""
    if report is None:
        failure = f"over {limit:g} s" if run.status < 0 else f"exit status {run.status}"
        return Point(size, run.wall, run.peak_mb, failure, is_wrong=run.status >= 0)
    x = series.counts(report) if series.counts is not None else size
    stopped = [str(engine["stopped"]) for engine in report["engines"] if engine.get("stopped")]
    problem: str | None = None
    if report["seconds"] > limit or any("time" in reason for reason in stopped):
        problem = f"over {limit:g} s"
    elif not series.may_be_open and report["verdict"] != "race-free":
        problem = stopped[0] if stopped else str(report["reason"] or report["verdict"])
    return Point(x, report["seconds"], run.peak_mb, problem, report["verdict"] == "race")


def measure(series: Series, way: str, sizes: Sequence[int], limit: int, directory: Path) -> Measured:
    """One point after the other, until one takes too long."""
    points: list[Point] = []
    for size in sizes:
        source = _source(series, size, directory)
        target = directory / "report.json"
        target.unlink(missing_ok=True)
        command = [
            str(RACEPROOF),
            *series.ways[way],
            str(source),
            "--json",
            str(target),
            "--pairs-detail",
            "--time-limit",
            str(limit),
        ]
        run = run_measured(command, limit=limit + _GRACE)
        report = json.loads(target.read_text(encoding="utf-8")) if target.exists() else None
        points.append(judge(series, size, run, report, limit))
        if points[-1].problem is not None:
            break
    found = Measured(series, way, tuple(points))
    last = found.good[-1] if found.good else None
    said = f"{last.x:,}: {last.seconds:.2f} s, {last.peak_mb:.0f} MB" if last is not None else "nothing"
    print(f"{series.name}, {way}: up to {said}; {found.end or 'all'}", file=sys.stderr, flush=True)
    return found


def _source(series: Series, size: int, directory: Path) -> Path:
    """The program in a file; compiled and built when it is new, so that this is on nobody's time and memory."""
    source = directory / f"{series.name}_{size}.c"
    if not source.exists():
        source.write_text(series.program(size), encoding="utf-8")
        run_measured([str(RACEPROOF), "dump", "ir", str(source)])
        if any(way in SEARCHES for way in series.ways):
            once = ("explore", "--pairs", "all", "--max-executions", "1")
            run_measured([str(RACEPROOF), *once, str(source)], limit=_GRACE)
    return source


def growth(points: Sequence[Point]) -> float | None:
    """The exponent e of seconds ~ x ** e over the last three points; None where the time does not rise above noise."""
    last = [(math.log(point.x), math.log(max(point.seconds, 1e-3))) for point in points[-3:]]
    if len(last) < 3 or points[-1].seconds < 0.1 or points[-1].seconds < 1.3 * points[-3].seconds:
        return None
    mean_x, mean_y = sum(x for x, _ in last) / len(last), sum(y for _, y in last) / len(last)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in last)
    return rise / sum((x - mean_x) ** 2 for x, _ in last)


def format_series(series: Series, found: Sequence[Measured]) -> str:
    """A row for each way: how far it came, what that took, how steep it is there, and why it ended."""
    rows = []
    for measured in found:
        good = measured.good
        exponent = growth(good)
        last = [f"{good[-1].x:,}", f"{good[-1].seconds:.2f}", f"{good[-1].peak_mb:.0f}"] if good else ["", "", ""]
        rows.append([measured.way, *last, "flat" if exponent is None else f"{exponent:.1f}", measured.end or "no end"])
    return markdown_table(["way", f"most {series.x_label}", "s", "MB", "exponent", "what ended it"], rows)


def draw(series: Series, found: Sequence[Measured]) -> str:
    """Seconds and memory, side by side."""
    times = tuple(
        Curve(m.way, tuple((point.x, max(point.seconds, 1e-3)) for point in m.good), bool(m.end))
        for m in found
        if m.good
    )
    memory = tuple(
        Curve(m.way, tuple((point.x, point.peak_mb) for point in m.good), bool(m.end)) for m in found if m.good
    )
    panels = (
        Panel(f"{series.title}: time", series.x_label, "s", times),
        Panel(f"{series.title}: memory", series.x_label, "MB", memory),
    )
    return figure(panels)


def steepest(found: Sequence[Measured]) -> list[str]:
    """The ways that end by the time limit, steepest first."""
    ranked = [(growth(m.good), m) for m in found if m.end.startswith("over")]
    ranked = [(exponent, m) for exponent, m in ranked if exponent is not None]
    ranked.sort(key=lambda entry: -(entry[0] or 0))
    return [
        f"{m.way}, by {m.series.x_label}: exponent {exponent:.1f} at {m.good[-1].x:,}" for exponent, m in ranked[:5]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[series.name for series in SERIES], default=[])
    parser.add_argument("--time-limit", type=int, metavar="SECONDS", help=f"for each point (default: {LIMIT})")
    parser.add_argument("--quick", action="store_true", help="few points with a short limit")
    parser.add_argument("--write", action="store_true", help="tables into docs/results.md, plots into docs/plots")
    args = parser.parse_args()
    limit = args.time_limit or (QUICK_LIMIT if args.quick else LIMIT)
    chosen = [series for series in SERIES if not args.only or series.name in args.only]
    everything: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="scaling-") as directory:
        for series in chosen:
            sizes = series.sizes[:_QUICK_POINTS] if args.quick else series.sizes
            found = [measure(series, way, sizes, limit, Path(directory)) for way in series.ways]
            everything += found
            table = format_series(series, found)
            print(f"\n{table}\n")
            if args.write:
                PLOTS.mkdir(exist_ok=True)
                (PLOTS / f"{series.name}.svg").write_text(draw(series, found), encoding="utf-8")
                command = f"`.venv/bin/python bench/scaling.py --only {series.name} --write`"
                picture = f"![{series.title}: time and memory](plots/{series.name}.svg)"
                text = f"{command}, at most {limit} s a point; {machine()}.\n\n{picture}\n\n{table}"
                replace_block(f"scaling-{series.name}", text)
    ranking = "\n".join(f"- {line}" for line in steepest(everything))
    print(f"Steepest:\n{ranking}")
    if args.write and len(chosen) == len(SERIES):
        replace_block("scaling", f"`.venv/bin/python bench/scaling.py --write`; {machine()}. Steepest:\n\n{ranking}")
    wrong = [
        f"{m.series.name}, {m.way}, {point.x:,}: {point.problem or 'race'}"
        for m in everything
        for point in m.points
        if point.is_wrong
    ]
    print("\n".join(f"WRONG: {name}" for name in wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
