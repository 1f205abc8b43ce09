"""Measure the explorer: how many executions a second, how many are needed, against known numbers of traces.

    python bench/explore.py                     all programs but the longest; prints the tables
    python bench/explore.py --write             and puts them into docs/results.md
    python bench/explore.py --long              also 4x4 completely: 63,063,000 executions
    python bench/explore.py --only "readers 12" 3x4   some programs only
    python bench/explore.py --against DIR       compare with another checkout: both in turn, `--times` rounds

The programs are in bench/explore. Ends with status 1 if a count or a verdict is not the one that is known; a speed
goal that is missed is shown, and is no failure: the machine may be slow or busy. With `--against`, status 1 says that
this checkout needs more than 5 % more CPU time for an execution: for a program by the quickest of its rounds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.exploring import Explored, Job, explore, explore_alternately, native_seconds
from bench.results import RESULTS, machine, markdown_table, replace_block

PROGRAMS = Path(__file__).resolve().parent / "explore"
TIME_LIMIT = 300
LONG_TIME_LIMIT = 1800
# The program has 6 executions only: with 100,000 operations they are over in a millisecond, too short to be measured.
_LOCAL_OPERATIONS, _NATIVE_ROUNDS = 10_000_000, 6
_TOLERANCE = 0.05  # by which a checkout may be slower than another one


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the number of traces it is known to have, and what others reach (executions a second)."""

    name: str
    file: str
    flags: tuple[str, ...] = ()
    traces: int | None = None
    goal: int = 0  # executions a CPU second
    others: str = ""
    is_long: bool = False


def _sections(threads: int, times: int, goal: int = 0, others: str = "", is_long: bool = False) -> Case:
    traces = factorial(threads * times) // factorial(times) ** threads
    flags = (f"-DT={threads}", f"-DI={times}")
    return Case(f"{threads}x{times}", "sections.c", flags, traces, goal, others, is_long)


CASES = (
    _sections(7, 1, 100_000, "5,300 to 7,700 / 6,100 to 9,300"),
    _sections(2, 8, 100_000, "6,200 to 8,800 / 2,900 to 3,600"),
    _sections(3, 4, 100_000, "7,700 / 8,000"),
    _sections(4, 3, 0, "none / 7,200"),
    _sections(4, 4, 70_070, "about 3 h / about 2.4 h", is_long=True),  # in 15 minutes
    Case("bounded queue 3+3", "queue.c", ("-DN=3",), factorial(6), 0, "900 / 616"),
    Case("stack 7", "stack.c", ("-DSIZE=7",), comb(14, 7), 0, "3,200 to 4,000 / 1,300 to 1,600"),
    Case("circular buffer 7", "circular_buffer.c", ("-DSIZE=7",), comb(14, 7), 0, "3,200 to 4,000 / 1,300 to 1,600"),
    Case("indexer 14", "indexer.c", ("-DN=14",), 8**3, 0, "405 / 267"),
    Case("filesystem 21", "filesystem.c", ("-DN=21",), 2**8, 0, "362 / 363"),
    Case("fib_bench 4", "fib_bench.c", ("-DN=4",), 19_605, 300_000, "12,700 / 39,000"),
    Case("lastzero 10", "lastzero.c", ("-DN=10",), 13 * 2**8, 0, "3,600 / 18,000"),
    Case("readers 12", "readers.c", ("-DN=12",), 2**12, 300_000, "3,000 / 21,000"),
    # Not the same loops as the others had; the counts come from an enumeration that shares no code with the explorer.
    Case("szymanski, 6 tries", "szymanski.c", ("-DTRIES=6",), 24_839, 0, "another variant: 6,900 / 25,000"),
    Case("lamport, 3 tries", "lamport.c", ("-DLOOPS=3",), 46_576, 0, "another variant: 4,800 / 20,000"),
    Case("local operations", "local_operations.c", (), comb(4, 2), 0, "2.2 to 2.5 / 1.3 to 1.5"),
    Case("producer/consumer 2x2x2", "producer_consumer.c", (), None, 0, "another variant: 3,800 / none"),
)
RACE_CASES = (
    _sections(7, 1),
    _sections(2, 8),
    _sections(3, 4),
    _sections(4, 4),
    Case("bounded queue 3+3", "queue.c", ("-DN=3",)),
)
RARE = Case("rare race 6+6", "rare_race.c", ("-DN=6",))
RARE_EXECUTIONS = 10


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    found: Explored
    fault: str | None

    @property
    def goal(self) -> str:
        if not self.case.goal:
            return ""
        return "met" if self.found.rate >= self.case.goal else f"**missed: {self.case.goal:,}/s**"


def measure_optimal(case: Case, cache: Path) -> Row:
    limit = LONG_TIME_LIMIT if case.is_long else TIME_LIMIT
    found = explore(Job(PROGRAMS / case.file, "optimal", case.flags), limit, cache)
    fault = None
    if found.report is None:
        fault = found.verdict
    elif not found.is_complete:
        fault = "not complete"
    elif case.traces is not None and found.count("executions") != case.traces:
        fault = f"{found.count('executions'):,} executions, not {case.traces:,}"
    elif found.count("blocked"):
        fault = f"{found.count('blocked'):,} blocked"
    return Row(case, found, fault)


def measure_race(case: Case, cache: Path, executions: int, verdict: str) -> Row:
    """The default algorithm with nothing proved beforehand."""
    job = Job(PROGRAMS / case.file, "race", case.flags, pairs="all", find_all=verdict != "race")
    found = explore(job, TIME_LIMIT, cache)
    fault = None
    if found.verdict != verdict:
        fault = f"verdict {found.verdict}, not {verdict}"
    elif found.count("executions") > executions:
        fault = f"{found.count('executions'):,} executions, more than {executions:,}"
    return Row(case, found, fault)


def measure_native(cache: Path) -> tuple[str, list[tuple[str, float, float]]]:
    """Time in the program itself: one execution of `dfs` against one native run, by optimisation level."""
    size = f"-DN={_LOCAL_OPERATIONS}"
    found = explore(Job(PROGRAMS / "local_operations.c", "dfs", (size,)), TIME_LIMIT, cache)
    ours = 1.0 / found.rate if found.rate else float("inf")
    rows = []
    for level in ("-O0", "-O2"):
        seconds = native_seconds(PROGRAMS / "local_operations.c", [level, size], [str(_NATIVE_ROUNDS)], _NATIVE_ROUNDS)
        rows.append((level, seconds, ours / seconds))
    return f"{found.count('executions'):,} executions, {1000 * ours:.3f} ms each", rows


def compare(cases: Sequence[Case], other: Path, times: int, directory: Path) -> tuple[str, bool]:
    """Executions a CPU second of this checkout against those of another one: a table, and whether it is slower."""
    jobs = [(case.name, Job(PROGRAMS / case.file, "optimal", case.flags)) for case in cases]
    local = Job(PROGRAMS / "local_operations.c", "dfs", (f"-DN={_LOCAL_OPERATIONS}",))
    jobs += [("local operations", local)] if any(case.file == local.file.name for case in cases) else []
    checkouts = (Path(__file__).resolve().parents[1], other.resolve())
    caches = (directory / "this", directory / "other")
    rows, is_slower = [], False
    for name, job in jobs:
        found = explore_alternately(job, checkouts, caches, times, TIME_LIMIT)
        this, that = (max(explored.rate for explored in rounds) for rounds in found)
        ratio = this / that if that else 0.0
        is_slower |= ratio < 1 - _TOLERANCE
        rows.append((name, job.algorithm, f"{that:,.1f}", f"{this:,.1f}", f"{ratio:.3f}"))
        print(f"{name}, {job.algorithm}: {ratio:.3f} of the other's rate", file=sys.stderr, flush=True)
    return markdown_table(("program", "algorithm", "other /s", "this /s", "ratio"), rows, left=2), is_slower


def format_optimal(rows: Sequence[Row]) -> str:
    head = ("program", "traces", "executions", "blocked", "CPU s", "executions/s", "goal", "peak MB", "others /s")
    return markdown_table(
        head,
        [
            (
                row.case.name if row.fault is None else f"**{row.case.name}: {row.fault}**",
                f"{row.case.traces:,}" if row.case.traces is not None else "",
                f"{row.found.count('executions'):,}",
                f"{row.found.count('blocked'):,}",
                f"{row.found.seconds:.3f}",
                f"{row.found.rate:,.0f}",
                row.goal,
                f"{row.found.run.peak_mb:.0f}",
                row.case.others,
            )
            for row in rows
        ],
    )


def format_race(rows: Sequence[Row]) -> str:
    head = ("program", "verdict", "executions", "transitions")
    return markdown_table(
        head,
        [
            (
                row.case.name if row.fault is None else f"**{row.case.name}: {row.fault}**",
                row.found.verdict,
                f"{row.found.count('executions'):,}",
                f"{row.found.count('transitions'):,}",
            )
            for row in rows
        ],
        left=2,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="measure the explorer on programs with known numbers of traces")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--long", action="store_true", help="also what takes many minutes")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{RESULTS.name}")
    parser.add_argument("--against", type=Path, metavar="DIR", help="compare with the checkout in DIR")
    parser.add_argument("--times", type=int, default=5, metavar="N", help="rounds of a comparison (default: 5)")
    args = parser.parse_args()
    if args.against is not None and not (args.against / "src" / "raceproof").is_dir():
        parser.error(f"there is no checkout of raceproof in {args.against}")
    if os.getloadavg()[0] > 0.5:
        print(f"other work is running here (load {os.getloadavg()[0]:.1f}): rates will be too low", file=sys.stderr)
    cases = [case for case in CASES if (not args.only or case.name in args.only) and (args.long or not case.is_long)]
    parts: list[str] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        cache = Path(directory)
        if args.against is not None:
            table, is_slower = compare(cases, args.against, args.times, cache)
            print(table)
            return 1 if is_slower else 0
        rows = []
        for case in cases:
            rows.append(measure_optimal(case, cache))
            _show(rows[-1])
        if rows:
            parts.append("All traces, `--algorithm optimal` (others: nidhugg / GenMC, as measured elsewhere):")
            parts.append(format_optimal(rows))
        races = []
        if not args.only:
            races = [measure_race(case, cache, 1, "race-free") for case in RACE_CASES[:-1]]
            races.append(measure_race(RACE_CASES[-1], cache, 10, "race-free"))
            races.append(measure_race(RARE, cache, RARE_EXECUTIONS, "race"))
            for row in races:
                _show(row)
            parts += ["Races only, `--algorithm race --pairs all`:", format_race(races)]
            what, native = measure_native(cache)
            shown = "; ".join(f"native {level} {1000 * s:.3f} ms, ratio {ratio:.2f}" for level, s, ratio in native)
            met = "met" if native[-1][2] <= 2 else "**missed**"
            parts.append(
                f"{_LOCAL_OPERATIONS:,} local operations, `dfs`: {what}; {shown}. Goal, twice the time of -O0: {met}."
            )
        faults += [f"{row.case.name}: {row.fault}" for row in (*rows, *races) if row.fault is not None]
    text = "\n\n".join(parts)
    print(f"\n{text}")
    if args.write:
        long = "--long " if args.long else ""
        command = f"`.venv/bin/python bench/explore.py {long}--write`; {machine()}."
        replace_block("explore", f"{command}\n\n{text}")
    for fault in faults:
        print(f"WRONG: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _show(row: Row) -> None:
    found = row.found
    print(
        f"{row.case.name}, {found.job.algorithm}: {found.count('executions'):,} executions, {found.rate:,.0f}/s, "
        f"{row.fault or found.verdict}",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
