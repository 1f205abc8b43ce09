"""Rebuild Table 1 of [TX]: how many warnings of the lockset engine invariants take away, in what time, and what model
checking makes of those that are left.

    python bench/transactions_table.py                    print the table
    python bench/transactions_table.py --write            and put it into docs/results.md
    python bench/transactions_table.py --only uart pigz   some rows
    python bench/transactions_table.py --svcomp DIRECTORY also the drivers of SV-COMP, as tasks in that directory

The programs are the drivers of bench/drivers, which have some real races, of those of bench/real that have been fetched
the ones in `REAL`, and the tasks of SV-COMP's ldv-races, pthread-driver-races and ldv-linux-3.14-races that are in the
directory that `--svcomp` or the environment variable RACEPROOF_SVCOMP names. Each is checked once by lockset,
transactions and bmc, in this order, as in the paper. Seconds and limits are CPU seconds. Ends with status 1 if a check
fails, takes more than its memory, if all pairs of a race that is known to be there are proved, or if a race is found
where a task says that there is none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.drivers.write import DRIVERS
from bench.drivers.write import HERE as DRIVER_FILES
from bench.measure import Run, run_measured
from bench.real.recipes import Provenance, load_recipes
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof import frontend

ENGINES = ("lockset", "transactions", "bmc")
DOMAINS = ("intervals", "octagons", "polyhedra")
TIME_LIMIT = 30
JOBS = min(2, os.cpu_count() or 1)
TASK_LIMIT = 5  # for a task of SV-COMP
KILLED_AFTER = 1800  # seconds on the clock on the wall
CPU_CLOCK = Path(__file__).resolve().parent / "cpu_clock.py"
MEMORY_MB = 2048
REAL = ("cpulimit", "pnscan", "sucrack", "crunch")
"""The real programs with few warnings. What is open in the others is about pointers, not values: see bench/real."""
SVCOMP = ("char_*.yml", "linux-3.14--drivers--*.yml", "race-[0-9]_*.yml")
"""The tasks of pthread-driver-races, ldv-linux-3.14-races and ldv-races, by their names."""
_INDEX = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Case:
    """A program. `racy`: units, that is variables or their prefixes, with a race that is known to be there. `task`: of
    SV-COMP; `is_free`: what it says, if it does."""

    name: str
    files: tuple[str, ...]
    directory: Path
    cflags: tuple[str, ...] = ()
    racy: tuple[str, ...] = ()
    task: Path | None = None
    is_free: bool | None = None

    @property
    def lines(self) -> int:
        paths = [self.directory / file for file in self.files]
        return sum(len(path.read_text(encoding="utf-8", errors="replace").splitlines()) for path in paths)


def tasks(directory: Path) -> list[Case]:
    """The drivers among SV-COMP's tasks, in order of their size."""
    found = []
    for path in sorted(path for pattern in SVCOMP for path in directory.rglob(pattern)):
        request = frontend.from_task(path)
        files = tuple(str(unit.path) for unit in request.units)
        found.append(Case(path.stem, files, path.parent, task=path, is_free=request.expected))
    return sorted(found, key=lambda case: case.lines)


def cases() -> list[Case]:
    """The drivers and the real programs that are here, in order of their size."""
    found = [
        Case(
            driver.name,
            (f"{driver.name}.c",),
            DRIVER_FILES,
            racy=tuple(name for name, part in driver.units if part.racy),
        )
        for driver in DRIVERS
    ]
    recipes = load_recipes()
    for recipe in (recipes[name] for name in REAL):
        provenance = Provenance.load(recipe.tree)
        if provenance is not None:
            name = f"{recipe.name} {provenance.version}"
            found.append(Case(name, tuple(recipe.sources()), recipe.tree, recipe.cflags))
    return sorted(found, key=lambda case: case.lines)


@dataclass(frozen=True, slots=True)
class Row:
    """What the check of a program gave; `report` is its JSON, None if it wrote none."""

    case: Case
    run: Run
    report: Mapping[str, Any] | None

    @property
    def pairs(self) -> Sequence[Mapping[str, Any]]:
        return self.report["pairs"] if self.report is not None else ()

    @property
    def shared(self) -> int:
        """Variables and fields that two threads touch, one of them writing."""
        return len({_INDEX.sub("[]", str(pair["target"])) for pair in self.pairs})

    def engine(self, name: str) -> Mapping[str, Any]:
        engines = self.report["engines"] if self.report is not None else ()
        return next((engine for engine in engines if engine["name"] == name), {})

    def open_after(self, engine: str) -> int | None:
        """None if the engine did not run because nothing was open."""
        found = self.engine(engine).get("open")
        return int(found) if found is not None else None

    def statistic(self, name: str) -> float | None:
        found = self.engine("transactions").get("stats", {}).get(name)
        return float(found) if found is not None else None

    @property
    def before(self) -> int:
        return self.open_after("lockset") or 0

    @property
    def after(self) -> int:
        return sum(pair["verdict"] != "race-free" for pair in self.pairs)

    def verdicts(self, verdict: str) -> int:
        return sum(pair["verdict"] == verdict for pair in self.pairs)

    @property
    def after_invariants(self) -> int:
        """What is open before model checking."""
        known = (self.open_after(engine) for engine in reversed(ENGINES[:-1]))
        return next((number for number in known if number is not None), 0)

    @property
    def was_stopped(self) -> bool:
        return any(self.engine(name).get("stopped") for name in ENGINES)

    @property
    def fault(self) -> str | None:
        if self.report is None:
            return "killed" if self.run.status < 0 else f"status {self.run.status}"
        if not self.engine("lockset"):
            return f"no engine ran: {self.report.get('reason')}"
        if self.run.peak_mb > MEMORY_MB:
            return "too much memory"
        if self.case.is_free and self.verdicts("race"):
            return "WRONG: a race in a task without one"
        if self.case.is_free is False and not self.after:
            return "UNSOUND: all pairs proved in a task with a race"
        still_open = [str(pair["target"]) for pair in self.pairs if pair["verdict"] != "race-free"]
        lost = [unit for unit in self.case.racy if not any(target.startswith(unit) for target in still_open)]
        return f"UNSOUND: {', '.join(lost)} proved" if lost else None


def measure(case: Case, time_limit: int) -> Row:
    with tempfile.TemporaryDirectory() as results:
        target = Path(results) / "report.json"
        files = case.files if case.task is None else ("--task", str(case.task))
        command = [sys.executable, str(CPU_CLOCK), "check", *files, *(f"--cflag={flag}" for flag in case.cflags)]
        command += ["--engines", ",".join(ENGINES), "--time-limit", str(time_limit)]
        command += ["--json", str(target), "--pairs-detail"]
        run = run_measured(command, limit=KILLED_AFTER, directory=case.directory)
        was_killed = run.status < 0  # perhaps while it wrote
        report = json.loads(target.read_text(encoding="utf-8")) if target.exists() and not was_killed else None
    row = Row(case, run, report)
    print(
        f"{case.name}: {row.before} -> {row.after_invariants}, {row.verdicts('race')} witnesses, {run.cpu:.1f} s, "
        f"{run.peak_mb:.0f} MB, {row.fault or 'as it should be'}",
        file=sys.stderr,
        flush=True,
    )
    return row


def format_rows(rows: Sequence[Row]) -> str:
    domains = [title for domain in DOMAINS for title in (domain, "s")]
    head = ("program", "KLOC", "shared", "lockset", "s", *domains)
    head += ("after invariants", "bmc s", "#Wit", "#Unknown", "total s", "peak MB")
    drivers = [row for row in rows if row.case.directory == DRIVER_FILES]
    ldv = [row for row in rows if row.case.task is not None]
    real = [row for row in rows if row not in drivers and row not in ldv]
    parts = (("all drivers", drivers), ("all real programs", real), ("all of SV-COMP", ldv))
    totals = [_total(title, part) for title, part in parts if part]
    return markdown_table(head, [*map(_cells, rows), *totals])


def _cells(row: Row) -> tuple[str, ...]:
    domains = [
        cell
        for domain in DOMAINS
        for cell in (
            _count(row.statistic(f"open_after_{domain}")),
            _decimal(row.statistic(f"seconds_{domain}")),
        )
    ]
    return (
        row.case.name if row.fault is None else f"**{row.case.name}: {row.fault}**",
        f"{row.case.lines / 1000:.1f}",
        str(row.shared),
        _count(row.open_after("lockset")),
        _seconds(row, "lockset"),
        *domains,
        f"{row.after_invariants:,}",
        _seconds(row, "bmc"),
        f"{row.verdicts('race'):,}",
        f"{row.verdicts('unknown'):,}",
        f"{'&gt;' if row.was_stopped else ''}{row.run.cpu:.1f}",
        f"{row.run.peak_mb:.0f}",
    )


def _total(title: str, rows: Sequence[Row]) -> tuple[str, ...]:
    unused = ("",) * (2 * len(DOMAINS) + 1)
    before = sum(row.before for row in rows)
    after = sum(row.after_invariants for row in rows)
    witnessed, unknown = (sum(row.verdicts(verdict) for row in rows) for verdict in ("race", "unknown"))
    last = (f"{after:,}", "", f"{witnessed:,}", f"{unknown:,}", "", "")
    return (title, "", "", f"{before:,}", *unused, *last)


def _count(number: float | None) -> str:
    return f"{int(number):,}" if number is not None else ""


def _decimal(number: float | None) -> str:
    return f"{number:.2f}" if number is not None else ""


def _seconds(row: Row, engine: str) -> str:
    return _decimal(row.engine(engine).get("seconds"))


def main() -> int:
    parser = argparse.ArgumentParser(description="rebuild Table 1 of [TX]")
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS", help="for each program")
    parser.add_argument("--task-limit", type=int, default=TASK_LIMIT, metavar="SECONDS", help="for each task")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help="programs at a time (default: %(default)s)")
    parser.add_argument("--part", choices=("programs", "svcomp"), help="only this part of the table")
    parser.add_argument("--svcomp", type=Path, metavar="DIRECTORY", help="where tasks of SV-COMP are")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{RESULTS.name}")
    args = parser.parse_args()
    directory = args.svcomp or (Path(found) if (found := os.environ.get("RACEPROOF_SVCOMP")) else None)
    parts = {"programs": (cases(), args.time_limit, "tables-transactions")}
    if directory is not None and directory.is_dir():
        parts["svcomp"] = (tasks(directory), args.task_limit, "tables-svcomp")
    else:
        print("the drivers of SV-COMP are left out: name their directory with --svcomp", file=sys.stderr)
    is_fine = True
    for name, (known, limit, block) in parts.items():
        chosen = [case for case in known if not args.only or case.name.split()[0] in args.only]
        if not chosen or args.part not in (None, name):
            continue
        with ThreadPoolExecutor(args.jobs) as pool:  # a check is a process with one busy thread
            rows = list(pool.map(lambda case, limit=limit: measure(case, limit), chosen))
        text = format_rows(rows)
        print(f"\n{text}")
        is_fine &= all(row.fault is None for row in rows)
        if args.write:
            command = "`make tables` (`.venv/bin/python bench/transactions_table.py --write`)"
            replace_block(block, f"{command}, at most {limit} CPU s each; {machine()}.\n\n{text}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
