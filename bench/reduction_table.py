"""What each part of the reduction of [TX, Algorithm 1] saves in the graphs of the engine `transactions`.

    python bench/reduction_table.py            print the table
    python bench/reduction_table.py --write    and put it into docs/results.md

Each program is searched once with the whole reduction, once without each of its parts, and once without any; every time
in a process that is forked once the program is loaded, with intervals and octagons. What lockset proves is given. Ends
with status 1 if a way proves what another one shows to be a race, that is, if a pair on lines that are marked as racy
is proved.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from programs_truth import PROGRAMS, read_truth

from bench.cpu_clock import use_cpu_clock
from bench.drivers.write import DRIVERS
from bench.drivers.write import HERE as DRIVER_FILES
from bench.measure import forked, run_measured
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof import facts, frontend, lockset
from raceproof.core import Budget
from raceproof.model import Verdict
from raceproof.transactions import Reduction, TransactionsOptions, run

JOBS = min(2, os.cpu_count() or 1)
TIME_LIMIT = 5
KILLED_AFTER = 1800  # seconds on the clock on the wall, for all searches in a program
DOMAINS = ("intervals", "octagons")
LARGE = ("uart",)
"""The drivers that are searched: each takes the time that it gets, in every way."""
EVERY = 20
"""Of the programs of tests/programs/values, every so many."""

WAYS = {
    "all": Reduction(),
    "not compacted": Reduction(compacts=False),
    "no l.8 (b)": Reduction(locks=False),
    "no semantics": Reduction(semantics=False),
    "none": Reduction(lonely=False, locks=False, semantics=False, compacts=False),
}
"""Names of the ways to search, and what they switch off."""


@dataclass(frozen=True, slots=True)
class Found:
    """`proved`: of `asked` pairs; `steps`: moves of single threads that were followed; `cpu`: seconds of the engine."""

    asked: int
    proved: int
    nodes: int
    edges: int
    steps: int
    cpu: float
    stopped: bool
    wrong: bool = False


def look(path: Path, limit: float) -> dict[str, object]:
    """A program searched in all ways, each in a process that is forked once the facts are known."""
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    pairs = facts.race_pairs(cp)
    first = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    asked = [finding.pair for finding in first if finding.verdict is Verdict.UNKNOWN]
    harmless = frozenset(pairs) - frozenset(asked)
    racy = read_truth(path).race_lines if path.parent != DRIVER_FILES else frozenset()

    def search(way: str) -> dict[str, object]:
        start = time.monotonic()
        result = run(cp, asked, TransactionsOptions(harmless, DOMAINS, reduction=WAYS[way]), Budget.seconds(limit))
        cpu = time.monotonic() - start
        proved = [finding.pair for finding in result.findings if finding.verdict is Verdict.RACE_FREE]

        def total(what: str) -> int:
            return sum(int(n) for d in DOMAINS for n in str(result.stats.get(f"{what}_{d}", "0")).split())

        wrong = False
        for pair in proved:
            places = (cp.accesses[pair.first].pos, cp.accesses[pair.second].pos)
            wrong |= _is_known_race(path, racy, [place.line for place in places if place is not None])
        return {
            "asked": len(asked),
            "proved": len(proved),
            "nodes": total("nodes"),
            "edges": total("edges"),
            "steps": total("steps"),
            "cpu": cpu,
            "stopped": result.stopped is not None,
            "wrong": wrong,
        }

    return {way: forked(lambda: search(way))[0] for way in WAYS}  # noqa: B023, it is called at once


def _is_known_race(path: Path, racy: frozenset[int], lines: Sequence[int]) -> bool:
    """A program with two racy lines has this one race; of others it is not written which lines race with which."""
    return len(racy) <= 2 and len(lines) == 2 and racy == set(lines) and path.stem.endswith("_race")


def measured(path: Path, limit: int) -> Row:
    command = [sys.executable, str(Path(__file__).resolve()), "--look", str(path), "--time-limit", str(limit)]
    done = run_measured(command, limit=KILLED_AFTER)
    if done.status != 0:
        raise SystemExit(f"{path.stem}: status {done.status}\n{done.errors}")
    found = {way: Found(**fields) for way, fields in json.loads(done.output).items()}
    for way, each in found.items():
        print(f"{path.stem}, {way}: {each}", file=sys.stderr, flush=True)
    return Row(path.stem, found)


@dataclass(frozen=True, slots=True)
class Row:
    """What one program, or several together, came to in each way."""

    name: str
    found: dict[str, Found]

    @property
    def has_fault(self) -> bool:
        return any(found.wrong for found in self.found.values())

    def cells(self) -> list[str]:
        cells = [f"**{self.name}**" if self.has_fault else self.name, f"{self.found['all'].asked:,}"]
        for found in self.found.values():
            limit = "&gt;" if found.stopped else ""
            cells += [f"{found.proved:,}", f"{found.nodes:,}", f"{found.steps:,}", f"{limit}{found.cpu:.1f}"]
        return cells


def together(name: str, rows: Sequence[Row]) -> Row:
    found: dict[str, Found] = {}
    for way in WAYS:
        parts = [row.found[way] for row in rows]
        found[way] = Found(
            sum(p.asked for p in parts),
            sum(p.proved for p in parts),
            sum(p.nodes for p in parts),
            sum(p.edges for p in parts),
            sum(p.steps for p in parts),
            sum(p.cpu for p in parts),
            any(p.stopped for p in parts),
            any(p.wrong for p in parts),
        )
    return Row(name, found)


def format_rows(rows: Sequence[Row]) -> str:
    head = ["program", "asked"]
    for way in WAYS:
        head += [f"{way}: proved", "nodes", "steps", "CPU s"]
    return markdown_table(head, [row.cells() for row in rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS", help="for each search")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--every", type=int, default=EVERY, metavar="N", help="small programs (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help="searches at a time (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{RESULTS.name}")
    parser.add_argument("--look", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.look:
        use_cpu_clock()
        print(json.dumps(look(Path(args.look), args.time_limit)))
        return 0
    large = [DRIVER_FILES / f"{driver.name}.c" for driver in DRIVERS if driver.name in LARGE]
    small = sorted((PROGRAMS / "values").glob("*.c"))[:: 1 if args.only else args.every]
    paths = [path for path in (*large, *small) if not args.only or path.stem in args.only]
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = list(pool.map(lambda path: measured(path, args.time_limit), paths))
    drivers = [row for row, path in zip(rows, paths, strict=True) if path.parent == DRIVER_FILES]
    values = [row for row, path in zip(rows, paths, strict=True) if path.parent != DRIVER_FILES]
    shown = [*drivers, *([together(f"{len(values)} of tests/programs/values", values)] if values else [])]
    text = format_rows(shown)
    print(f"\n{text}")
    if args.write:
        command = "`make tables` (`.venv/bin/python bench/reduction_table.py --write`)"
        limits = f"at most {args.time_limit} CPU s each"
        replace_block("tables-reduction", f"{command}, {limits}; {machine()}.\n\n{text}")
    return 1 if any(row.has_fault for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
