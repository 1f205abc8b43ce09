"""Measure what a search gains by several workers: processes (`--jobs`), and workers of a cluster (`--cluster local:N`).

    python bench/cluster.py                 3x5, in rounds; prints the table
    python bench/cluster.py --write         and puts it into docs/results.md
    python bench/cluster.py --long          4x4: 63,063,000 executions
    python bench/cluster.py --workers 2 4   how many (default: 2, and as many as there are cores)

Every way searches the same program completely, one way after the other in each round, so that what else the machine
does slows all alike; of the rounds the quickest counts. The speed-up is that of the search alone: what it takes to
start workers is in a column of its own. Ends with status 1 if a way does not make exactly the known number of
executions; an efficiency that is missed is shown, and is no failure: the machine may be busy.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.exploring import Explored, Job, explore_alternately
from bench.results import RESULTS, machine, markdown_table, replace_block

PROGRAM = Path(__file__).resolve().parent / "explore" / "sections.c"
CHECKOUT = Path(__file__).resolve().parents[1]
TIME_LIMIT = 1800
GOAL = 0.85  # of the speed of --jobs with as many processes


@dataclass(frozen=True, slots=True)
class Way:
    """`workers` 1: the search by one process, which all others are compared with."""

    name: str
    workers: int
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The rounds of one way."""

    way: Way
    rounds: tuple[Explored, ...]

    @property
    def seconds(self) -> float:
        """Of the search; a search of one process tells none, and is all that its command does for long."""
        return min(float(one.stats.get("seconds") or one.run.wall) for one in self.rounds)

    @property
    def start(self) -> float:
        """The rest of the command: compiling, facts, starting workers."""
        return min(one.run.wall - float(one.stats.get("seconds") or one.run.wall) for one in self.rounds)

    def problem(self, traces: int) -> str | None:
        for one in self.rounds:
            made = one.count("executions") - one.count("blocked")
            if not one.is_complete or made != traces:
                return f"{self.way.name}: {made:,} executions of {traces:,}, {one.verdict}"
        return None


def ways(counts: Sequence[int]) -> list[Way]:
    found = [Way("one process", 1, ())]
    for count in counts:
        found.append(Way(f"--jobs {count}", count, ("--jobs", str(count))))
    for count in counts:
        found.append(Way(f"--cluster local:{count}", count, ("--cluster", f"local:{count}")))
    return found


def measure(way: Way, flags: tuple[str, ...], cache: Path, times: int) -> tuple[Explored, ...]:
    job = Job(PROGRAM, "optimal", flags=flags, pairs="all", options=way.options)
    return tuple(explore_alternately(job, [CHECKOUT], [cache], times, TIME_LIMIT)[0])


def table(found: Sequence[Found]) -> str:
    alone = found[0].seconds
    processes = {one.way.workers: one.seconds for one in found if one.way.name.startswith("--jobs")}
    rows = []
    for one in found:
        beside = processes.get(one.way.workers)
        best = min(one.rounds, key=lambda explored: float(explored.stats.get("seconds") or explored.run.wall))
        rows.append(
            [
                one.way.name,
                f"{one.seconds:.2f}",
                f"{alone / one.seconds:.2f}",
                f"{100 * alone / one.seconds / one.way.workers:.0f} %",
                f"{100 * beside / one.seconds:.0f} %" if beside is not None else "",
                f"{best.count('items') or 1:,}",
                f"{best.count('blocked'):,}",
                f"{best.seconds:.2f}",
                f"{one.start:.2f}",
            ]
        )
    head = ["way", "search s", "speed-up", "efficiency", "of --jobs", "items", "blocked", "CPU s", "start s"]
    return markdown_table(head, rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the table into {RESULTS}")
    parser.add_argument("--long", action="store_true", help="4x4 instead of 3x5")
    parser.add_argument("--workers", type=int, nargs="+", default=sorted({2, os.cpu_count() or 2}), metavar="N")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="rounds (default: 3)")
    args = parser.parse_args()
    threads, sections = (4, 4) if args.long else (3, 5)
    traces = factorial(threads * sections) // factorial(sections) ** threads
    flags = (f"-DT={threads}", f"-DI={sections}")
    rounds: dict[Way, list[Explored]] = {way: [] for way in ways(args.workers)}
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(args.times):
            for way, found in rounds.items():
                found += measure(way, flags, Path(directory), 1)
    results = [Found(way, tuple(found)) for way, found in rounds.items()]
    body = (
        f"`.venv/bin/python bench/cluster.py{' --long' if args.long else ''} --write`: {threads}x{sections},"
        f" {traces:,} executions, `optimal`; the quickest of {args.times} rounds; {machine()}.\n\n{table(results)}"
    )
    print(body)
    problems = [problem for one in results if (problem := one.problem(traces)) is not None]
    print(*problems, sep="\n", file=sys.stderr)
    if args.write and not problems:
        replace_block("cluster", body)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
