"""The search over states beside those over schedules: how both grow with the size of a program.

    .venv/bin/python bench/states.py [--only NAME] [--seconds S] [--write]

Programs of `bench/states`, each in sizes N: jobs, items, rounds. All searches run on the pairs that the static engine
leaves open. Times are CPU seconds of the search. With --write, the plots of docs/plots/states.svg are drawn anew.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.plots import Curve, Panel, figure
from bench.results import RESULTS, machine, markdown_table, replace_block

PROGRAMS = Path(__file__).with_name("states")
SIZES = (2, 4, 8, 16, 32)
RACEPROOF = Path(sys.executable).with_name("raceproof")
PLOTTED = {
    "pool_signal": "jobs for two workers",
    "buffer": "items through a bounded buffer",
    "rounds": "rounds of a barrier",
    "philosophers": "philosophers",
    "readers": "rounds of readers and a writer",
}
LARGE = (("pool_signal", 64, 2), ("pool_signal", 16, 3), ("pool_signal", 16, 4))


@dataclass(frozen=True, slots=True)
class Run:
    """One search: `count` of states or executions; None if it was not through."""

    verdict: str
    count: int | None
    seconds: float
    bytes: int


def explore(name: str, size: int, algorithm: str, seconds: float, *flags: str) -> Run:
    """Run one search in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        command = [str(RACEPROOF), "explore", str(PROGRAMS / f"{name}.c"), f"--cflag=-DN={size}", *flags]
        command += ["--algorithm", algorithm, "--time-limit", str(seconds), "--json", str(report)]
        subprocess.run(command, check=False, capture_output=True)
        written = json.loads(report.read_text(encoding="utf-8"))
    engine = next((e for e in written["engines"] if e["name"] == "explore"), None)
    if engine is None:  # the static engine has decided it
        return Run(written["verdict"], 0, 0.0, 0)
    stats = engine["stats"]
    count = stats.get("states" if algorithm == "states" else "executions")
    return Run(
        written["verdict"],
        int(count) if stats.get("complete") and count else None,
        float(stats.get("cpu_microseconds", 0)) / 1e6,
        int(stats.get("state_bytes", 0)),
    )


def exponent(counts: list[int | None]) -> str:
    """Of the growth from the second-largest size to the largest that was through."""
    known = [(size, count) for size, count in zip(SIZES, counts, strict=True) if count]
    if len(known) < 2:
        return ""
    (small, few), (large, many) = known[-2:]
    return f"{math.log(many / few) / math.log(large / small):.1f}"


Counts = dict[tuple[str, str], list[int | None]]


def growth(names: list[str], seconds: float, measured: Counts) -> str:
    """The table; `measured` takes the counts of each program and search."""
    rows = []
    for name in names:
        for algorithm in ("states", "race", "optimal"):
            counts: list[int | None] = []
            for size in SIZES:
                done = counts and counts[-1] is None
                counts.append(None if done else explore(name, size, algorithm, seconds).count)
            measured[name, algorithm] = counts
            cells = [f"{count:,}" if count else "" for count in counts]
            rows.append([name, algorithm, *cells, exponent(counts)])
            print(rows[-1], flush=True)
        racy = explore(name, 4, "states", seconds, "--cflag=-DRACY")
        if racy.verdict != "race":
            raise SystemExit(f"{name}: the race of its racy twin was not executed")
    return markdown_table(["program", "search", *(f"N = {n}" for n in SIZES), "exponent"], rows)


def draw(measured: Counts) -> str:
    """States, and executions of the other searches, by the size of the program. None that took no search at all."""
    panels = []
    for name, label in PLOTTED.items():
        curves = []
        for algorithm in ("states", "race", "optimal"):
            counts = measured.get((name, algorithm), [])
            points = tuple((size, count) for size, count in zip(SIZES, counts, strict=False) if count)
            if points:
                curves.append(Curve(algorithm, points, is_cut=counts[-1] is None))
        if curves:
            panels.append(Panel(name, label, "states, executions", tuple(curves)))
    return figure(panels)


def large(seconds: float) -> str:
    rows = []
    for name, size, workers in LARGE:
        run = explore(name, size, "states", seconds, f"--cflag=-DWORKERS={workers}")
        rate = f"{run.count / run.seconds:,.0f}" if run.count and run.seconds else ""
        rows.append([name, str(size), str(workers), run.verdict, f"{run.count or 0:,}", f"{run.seconds:.1f}", rate,
                     str(run.bytes)])  # fmt: skip
        print(rows[-1], flush=True)
    head = ["program", "jobs", "workers", "verdict", "states", "CPU s", "states/s", "bytes told of each"]
    return markdown_table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME", help="this program only")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each search (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="replace the table of docs/results.md")
    args = parser.parse_args()
    names = args.only or sorted(path.stem for path in PROGRAMS.glob("*.c"))
    measured: Counts = {}
    tables = [growth(names, args.seconds, measured), large(10 * args.seconds)]
    text = "\n\n".join(tables)
    print(text)
    if args.write:
        (RESULTS.parent / "plots" / "states.svg").write_text(draw(measured), encoding="utf-8")
        picture = "![States and executions by size](plots/states.svg)"
        replace_block("states", f"`.venv/bin/python bench/states.py --write`; {machine()}.\n\n{picture}\n\n{text}")


if __name__ == "__main__":
    main()
