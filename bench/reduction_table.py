"""What each part of the reduction of [TX, Algorithm 1] saves in the graphs of the engine `transactions`.

    python bench/reduction_table.py            print the table
    python bench/reduction_table.py --write    and put it into docs/results.md

Each program is searched once with the whole reduction, once without each of its parts, and once without any; every time
in a process of its own, with intervals and octagons. What lockset proves is given. Ends with status 1 if a way proves
what another one shows to be a race, that is, if a pair on lines that are marked as racy is proved.
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

from bench.drivers.write import DRIVERS
from bench.drivers.write import HERE as DRIVER_FILES
from bench.measure import run_measured
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof import facts, frontend, lockset
from raceproof.core import Budget
from raceproof.model import Verdict
from raceproof.transactions import Reduction, TransactionsOptions, run

JOBS = min(2, os.cpu_count() or 1)
TIME_LIMIT = 15
DOMAINS = ("intervals", "octagons")
EVERY = 8
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


def look(path: Path, way: str, limit: float) -> Found:
    """One search, in this process."""
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    pairs = facts.race_pairs(cp)
    first = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    asked = [finding.pair for finding in first if finding.verdict is Verdict.UNKNOWN]
    harmless = frozenset(pairs) - frozenset(asked)
    start = time.process_time()
    result = run(cp, asked, TransactionsOptions(harmless, DOMAINS, reduction=WAYS[way]), Budget.seconds(limit))
    cpu = time.process_time() - start
    proved = [finding.pair for finding in result.findings if finding.verdict is Verdict.RACE_FREE]

    def total(what: str) -> int:
        return sum(int(n) for d in DOMAINS for n in str(result.stats.get(f"{what}_{d}", "0")).split())

    racy = read_truth(path).race_lines if path.parent != DRIVER_FILES else frozenset()
    wrong = False
    for pair in proved:
        places = (cp.accesses[pair.first].pos, cp.accesses[pair.second].pos)
        wrong |= _is_known_race(path, racy, [place.line for place in places if place is not None])
    return Found(
        len(asked), len(proved), total("nodes"), total("edges"), total("steps"), cpu, result.stopped is not None, wrong
    )


def _is_known_race(path: Path, racy: frozenset[int], lines: Sequence[int]) -> bool:
    """A program with two racy lines has this one race; of others it is not written which lines race with which."""
    return len(racy) <= 2 and len(lines) == 2 and racy == set(lines) and path.stem.endswith("_race")


def measured(path: Path, way: str, limit: int) -> Found | None:
    command = [sys.executable, str(Path(__file__).resolve()), "--look", str(path), way, "--time-limit", str(limit)]
    done = run_measured(command, limit=2 * limit + 60)
    if done.status != 0:
        print(done.errors, file=sys.stderr)
        return None
    found = Found(**json.loads(done.output))
    print(f"{path.stem}, {way}: {found}", file=sys.stderr, flush=True)
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """What one program, or several together, came to in each way; None where a search failed."""

    name: str
    found: dict[str, Found | None]

    @property
    def has_fault(self) -> bool:
        return any(found is None or found.wrong for found in self.found.values())

    def cells(self) -> list[str]:
        cells = [f"**{self.name}**" if self.has_fault else self.name]
        full = self.found["all"]
        cells.append(f"{full.asked:,}" if full is not None else "")
        for found in self.found.values():
            if found is None:
                cells += ["", "", "", ""]
                continue
            limit = "&gt;" if found.stopped else ""
            cells += [f"{found.proved:,}", f"{found.nodes:,}", f"{found.steps:,}", f"{limit}{found.cpu:.1f}"]
        return cells


def together(name: str, rows: Sequence[Row]) -> Row:
    found: dict[str, Found | None] = {}
    for way in WAYS:
        parts = [part for row in rows if (part := row.found[way]) is not None]
        found[way] = Found(
            sum(p.asked for p in parts),
            sum(p.proved for p in parts),
            sum(p.nodes for p in parts),
            sum(p.edges for p in parts),
            sum(p.steps for p in parts),
            sum(p.cpu for p in parts),
            any(p.stopped for p in parts),
            any(p.wrong for p in parts) or len(parts) < len(rows),
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
    parser.add_argument("--look", nargs=2, metavar=("FILE", "WAY"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.look:
        found = look(Path(args.look[0]), args.look[1], args.time_limit)
        print(json.dumps({name: getattr(found, name) for name in Found.__slots__}))
        return 0
    large = [DRIVER_FILES / f"{driver.name}.c" for driver in DRIVERS]
    small = sorted((PROGRAMS / "values").glob("*.c"))[:: 1 if args.only else args.every]
    paths = [path for path in (*large, *small) if not args.only or path.stem in args.only]
    asked = [(path, way) for path in paths for way in WAYS]
    with ThreadPoolExecutor(args.jobs) as pool:
        found = dict(zip(asked, pool.map(lambda each: measured(*each, args.time_limit), asked), strict=True))
    rows = [Row(path.stem, {way: found[path, way] for way in WAYS}) for path in paths]
    drivers = [row for row, path in zip(rows, paths, strict=True) if path.parent == DRIVER_FILES]
    values = [row for row, path in zip(rows, paths, strict=True) if path.parent != DRIVER_FILES]
    shown = [*drivers, *([together(f"{len(values)} of tests/programs/values", values)] if values else [])]
    text = format_rows(shown)
    print(f"\n{text}")
    if args.write:
        command = "`make tables` (`.venv/bin/python bench/reduction_table.py --write`)"
        limits = f"at most {args.time_limit} s each, {args.jobs} at a time"
        replace_block("tables-reduction", f"{command}, {limits}; {machine()}.\n\n{text}")
    return 1 if any(row.has_fault for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
