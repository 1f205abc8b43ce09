"""Rebuild Table 2 of [TX], witnesses by bounded model checking, on programs of our own.

    python bench/witness_table.py            print the table
    python bench/witness_table.py --write    and put it into docs/results.md

For each race that `bmc` finds and the explorer executes: depth, seconds and memory, and beside it the same without
slices and without static facts. Below it the sums, also without critical sections as transactions, and with what the
invariants of `transactions` say of the values that reads find. Each figure is that of a process that is forked once the
program is loaded, and looks for this one race; seconds and limits are CPU seconds. Ends with status 1 if a race that is
found is not there, or one of `bench/witness` is not found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from programs_truth import PROGRAMS, read_truth

from bench.cpu_clock import use_cpu_clock
from bench.measure import forked, run_measured
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof import bmc, facts, frontend, lockset, portfolio, transactions
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, RacePair, ReadRange, Verdict

LARGE = Path(__file__).resolve().parent / "witness"
TIME_LIMIT = 300
KILLED_AFTER = 3600  # seconds on the clock on the wall, for all searches in a program
ROWS = 2
EVERY = 8
"""Of the small programs, every so many."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program; of a large one the first `ROWS` races are shown, of a small one the first that is found."""

    path: Path
    size: int = 0

    @property
    def name(self) -> str:
        return f"{self.path.stem} {self.size}" if self.size else self.path.stem

    @property
    def flags(self) -> tuple[str, ...]:
        return (f"-DSIZE={self.size}",) if self.size else ()


SIZES = {"driver": (1, 4, 8), "cache": (1, 8), "session": (1,), "pool": (1,), "filter": (1,)}
WAYS = {
    "all": bmc.BmcOptions(),
    "no slices": bmc.BmcOptions(slices=False),
    "no facts": bmc.BmcOptions(uses_facts=False),
    "no sections": bmc.BmcOptions(sections=False),
    "no slices, no sections": bmc.BmcOptions(slices=False, sections=False),
    "with ranges": bmc.BmcOptions(),
}
"""Names of the ways to search, and what they switch off, or on."""

SHOWN = ("all", "no slices", "no facts")
"""Those with columns of their own; of the others, only the sums over the first race of each large program are told."""
RANGES = "with ranges"
RANGES_LIMIT = 1
"""Seconds for the invariants that ranges come from."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a process came to that looked for one race. `events`, `orders` and `assertions` of the largest formula,
    `solver`: seconds in it. `ranges`: accesses of which invariants say what they may find."""

    race: bool
    depth: int
    events: int
    orders: int
    assertions: int
    ranges: int
    solver: float
    seconds: float
    megabytes: float

    def cells(self) -> tuple[str, ...]:
        limit = "" if self.race else "&gt;"
        return (str(self.depth or ""), str(self.events), f"{limit}{self.seconds:.2f}", f"{self.megabytes:.0f}")


@dataclass(frozen=True, slots=True)
class Row:
    """`lines` of the race; `found` by the way to search."""

    program: str
    lines: tuple[int, int]
    found: dict[str, Found]
    fault: str | None

    def __str__(self) -> str:
        said = ", ".join(
            f"{way}: {f.seconds:.2f} s ({f.solver:.2f} s in the solver), {f.events} events, {f.megabytes:.0f} MB"
            for way, f in self.found.items()
        )
        return f"{self.program}, lines {self.lines[0]} and {self.lines[1]}: {said}"


# -- in a process for each program


def open_pairs(case: Case, budget: Budget) -> tuple[ConcurrentProgram, list[RacePair], frontend.CompileRequest]:
    """What the lockset engine leaves open."""
    request = frontend.from_files([case.path], case.flags)
    cp = facts.analyse(frontend.load(request, budget), budget)
    found = lockset.run(cp, facts.race_pairs(cp), lockset.LocksetOptions(), budget).findings
    return cp, [f.pair for f in found if f.verdict is not Verdict.RACE_FREE], request


def read_ranges(cp: ConcurrentProgram, pairs: Sequence[RacePair]) -> tuple[ReadRange, ...]:
    """What the invariants of `transactions` say of the values that reads find; making them is not measured."""
    harmless = frozenset(facts.race_pairs(cp)).difference(pairs)
    options = transactions.TransactionsOptions(harmless, ranges=True)
    return transactions.run(cp, pairs, options, Budget.seconds(RANGES_LIMIT)).ranges


def look(case: Case, limit: float) -> list[dict[str, object]]:
    """The races of a program: their lines, and what each way to search came to."""
    cp, pairs, request = open_pairs(case, Budget.unlimited())
    settings = portfolio.Settings(request=request)
    portfolio.model_executor(cp, pairs, settings, Budget.unlimited())  # the program is built now: it is not measured

    def search(number: int, way: str) -> dict[str, object]:
        executor = portfolio.model_executor(cp, pairs, settings, Budget.unlimited())
        ranges = read_ranges(cp, pairs) if way == RANGES else ()
        options = replace(WAYS[way], proves=False, executor=lambda budget: executor, ranges=ranges)
        start = time.monotonic()
        result = bmc.run(cp, [pairs[number]], options, Budget.seconds(limit))
        return {
            "race": any(finding.verdict is Verdict.RACE for finding in result.findings),
            "depth": result.stats.get("depth", 0),
            "events": result.stats.get("events", 0),
            "orders": result.stats.get("orders", 0),
            "assertions": result.stats.get("assertions", 0),
            "ranges": len(ranges),
            "solver": result.stats.get("solver_seconds", 0.0),
            "seconds": time.monotonic() - start,
        }

    def measured(number: int, way: str) -> dict[str, object]:
        found, megabytes = forked(lambda: search(number, way))
        return {**found, "megabytes": megabytes}

    rows: list[dict[str, object]] = []
    for number, pair in enumerate(pairs):
        found = {"all": measured(number, "all")}
        if not found["all"]["race"]:
            continue
        ways = WAYS if case.size and not rows else SHOWN
        for way in ways:
            if way != "all":
                found[way] = measured(number, way)
        positions = (cp.accesses[pair.first].pos, cp.accesses[pair.second].pos)
        rows.append({"lines": [pos.line if pos is not None else 0 for pos in positions], "found": found})
        if len(rows) == (ROWS if case.size else 1):
            break
    return rows


# -- the table


def measure(case: Case, limit: int) -> list[Row]:
    command = [sys.executable, str(Path(__file__).resolve()), "--look", str(case.path), str(case.size)]
    run = run_measured([*command, "--time-limit", str(limit)], limit=KILLED_AFTER)
    if run.status != 0:
        raise SystemExit(f"{case.name}: status {run.status}\n{run.errors}")
    rows: list[Row] = []
    for number, row in enumerate(json.loads(run.output), start=1):
        found = {way: Found(**fields) for way, fields in row["found"].items()}
        lines = (row["lines"][0], row["lines"][1])
        rows.append(Row(f"{case.name}: {number}", lines, found, _fault(case, lines)))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def _fault(case: Case, lines: tuple[int, ...]) -> str | None:
    """The truth about the small programs stands on their lines."""
    return None if case.size or set(lines) <= read_truth(case.path).race_lines else "no race"


def format_rows(rows: Sequence[Row]) -> str:
    head = ["witness", "lines"]
    for way in SHOWN:
        head += ["depth" if way == "all" else f"{way}: depth", "events", "s", "MB"]
    table = []
    for row in rows:
        name = row.program if row.fault is None else f"**{row.program}: {row.fault}**"
        cells = [cell for way in SHOWN for cell in row.found[way].cells()]
        table.append([name, f"{row.lines[0]}, {row.lines[1]}", *cells])
    return markdown_table(head, table, left=2)


def totals(rows: Sequence[Row]) -> list[str]:
    first = [row for row in rows if len(row.found) == len(WAYS)]
    lines = [_total(way, [row.found[way] for row in rows]) for way in SHOWN]
    if first:
        lines.append(f"Of these, the first race of each of {len(first)} large programs:")
        lines += [f"  {_total(way, [row.found[way] for row in first])}" for way in WAYS]
    return lines


def _total(way: str, found: Sequence[Found]) -> str:
    ranges = f"{sum(f.ranges for f in found):,} ranges, " if way == RANGES else ""
    return (
        f"{way}: {sum(f.race for f in found)} of {len(found)} races, {sum(f.seconds for f in found):.1f} s, "
        f"of which {sum(f.solver for f in found):.1f} s in the solver, {sum(f.events for f in found):,} events, "
        f"{sum(f.orders for f in found):,} orders of two events, {ranges}"
        f"{max((f.megabytes for f in found), default=0):.0f} MB at most."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS", help="for each race")
    parser.add_argument("--only", default="", metavar="PATTERN", help="programs whose names have this in them")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{RESULTS.name}")
    parser.add_argument("--look", nargs=2, metavar=("FILE", "SIZE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.look:
        use_cpu_clock()
        path, size = args.look
        print(json.dumps(look(Case(Path(path), int(size)), args.time_limit)))
        return 0
    large = [Case(LARGE / f"{name}.c", size) for name, sizes in SIZES.items() for size in sizes]
    small = [Case(path) for path in sorted((PROGRAMS / "inputs").glob("*_race.c"))[:: 1 if args.only else EVERY]]
    rows, missed = [], []
    for case in (case for case in (*large, *small) if args.only in case.name):
        found = measure(case, args.time_limit)
        rows += found
        if not found:
            missed.append(case)
    told = (f"  - {line.strip()}" if line.startswith(" ") else f"- {line}" for line in totals(rows))
    text = "\n".join((format_rows(rows), "", *told))
    if missed:
        text += f"\n- Without a witness: {', '.join(case.name for case in missed)}."
    print(f"\n{text}")
    if args.write:
        limit = f"at most {args.time_limit} CPU s each"
        command = f"`make tables` (`.venv/bin/python bench/witness_table.py --write`), {limit}; {machine()}."
        replace_block("witnesses", f"{command}\n\n{text}")
    return 1 if any(row.fault for row in rows) or any(case.size for case in missed) else 0


if __name__ == "__main__":
    raise SystemExit(main())
