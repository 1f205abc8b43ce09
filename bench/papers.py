"""All tables of the papers: the scripts that rebuild them, two at a time, and what each costs.

    python bench/papers.py                          print them
    python bench/papers.py --write                  and put them into docs/results.md, as `make tables` does
    python bench/papers.py --only petri --write     some scripts: `petri` is bench/petri_table.py

What a script costs are CPU seconds with all processes that it started. A table is written whole or not at all: where
something is missing that it needs, its script only prints, and what is missing is told before the first one starts and
at the end. Ends with status 1 if a script does, or if a table was not written that should have been.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import target_table, transactions_table
from bench.real.recipes import Provenance, load_recipes
from bench.results import RESULTS, machine, markdown_table, read_block, replace_block
from raceproof.core import ToolMissing
from raceproof.domains.parma import ppl
from raceproof.explore.build import why_not_32_bits

HERE = Path(__file__).resolve().parent
BLOCK = "tables-cost"
JOBS = min(2, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Script:
    """`lacks` tells what is missing for whole tables, and how to get it."""

    name: str
    file: str
    tables: str
    options: tuple[str, ...] = ()
    lacks: Callable[[], tuple[str, ...]] = lambda: ()


def _not_fetched(*names: str) -> tuple[str, ...]:
    recipes = load_recipes()
    gone = [name for name in names if Provenance.load(recipes[name].tree) is None]
    return (f"the real programs: python bench/real/fetch.py {' '.join(gone)}",) if gone else ()


def _no_polyhedra() -> tuple[str, ...]:
    try:
        ppl()
    except ToolMissing as missing:
        return (str(missing),)
    return ()


def _no_drivers() -> tuple[str, ...]:
    directory = os.environ.get("RACEPROOF_SVCOMP", "")
    is_there = directory and any(next(Path(directory).rglob(pattern), None) for pattern in transactions_table.SVCOMP)
    return () if is_there else ("the drivers of SV-COMP: name the directory of its tasks in RACEPROOF_SVCOMP",)


def _no_targets() -> tuple[str, ...]:
    commands = [target.via.split()[0] for target in target_table.TARGETS if target.via not in (None, "{}")]
    gone = [f"{command}: install qemu-user" for command in commands if shutil.which(command) is None]
    return (*gone, *((f"32-bit x86: {why}",) if (why := why_not_32_bits()) is not None else ()))


SCRIPTS = (  # the longest first, so that none is left to run alone
    Script(
        "transactions",
        "transactions_table.py",
        "[TX] Table 1",
        ("--jobs", "1", "--part", "programs"),
        lambda: (*_not_fetched(*transactions_table.REAL), *_no_polyhedra()),
    ),
    Script("witness", "witness_table.py", "[TX] Table 2"),
    Script("tables", "tables.py", "[PDP] Table 1, [DHTC] Table 3 and Fig. 12", (), lambda: _not_fetched("pnscan")),
    Script("target", "target_table.py", "[DHTC] Table 2 and Fig. 10", (), _no_targets),
    Script("reduction", "reduction_table.py", "[TX] Algorithm 1", ("--jobs", "1"), _no_polyhedra),
    Script(
        "svcomp",
        "transactions_table.py",
        "[TX] Table 1, SV-COMP",
        ("--jobs", "1", "--part", "svcomp"),
        lambda: (*_no_drivers(), *_no_polyhedra()),
    ),
    Script("inputs", "inputs_table.py", "inputs and rare schedules"),
    Script("petri", "petri_table.py", "[PN] Table 1"),
)


@dataclass(frozen=True, slots=True)
class Done:
    script: Script
    status: int
    cpu: float


def run(script: Script, write: bool) -> Done:
    command = [sys.executable, str(HERE / script.file), *script.options, *(["--write"] if write else [])]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # or it would wait for it again
    done = Done(script, process.returncode, usage.ru_utime + usage.ru_stime)
    print(f"{script.file}: status {done.status}, {done.cpu:.0f} CPU s", file=sys.stderr, flush=True)
    return done


def known_costs(block: str) -> dict[str, int]:
    """What earlier runs cost, by the tables that they made, as it was written."""
    rows = re.findall(r"^\| bench/\w+\.py \| ([^|]*) \| ([\d,]+) \|$", block, re.MULTILINE)
    return {tables: int(seconds.replace(",", "")) for tables, seconds in rows}


def format_costs(costs: Mapping[str, int]) -> str:
    rows = [(f"bench/{s.file}", s.tables, f"{costs[s.tables]:,}") for s in SCRIPTS if s.tables in costs]
    total, longest = sum(costs.values()), max(costs.values())
    text = markdown_table(("script", "tables", "CPU s"), [*rows, ("all", "", f"{total:,}")], left=2)
    minutes = max(total / JOBS, longest) / 60
    return f"{text}\n\nOn {JOBS} cores with nothing else to do that is about {minutes:.0f} minutes."


def format_lacking(lacking: Mapping[str, Sequence[str]], write: bool) -> str:
    """Which tables are not whole, and why; nothing if all are."""
    result = "are left as they are in docs/results.md" if write else "have rows missing"
    return "".join(
        f"the tables of {script.file} ({script.tables}) {result}, for want of {'; '.join(lacking[script.name])}\n"
        for script in SCRIPTS
        if script.name in lacking
    )


def main() -> int:
    names = [script.name for script in SCRIPTS]
    parser = argparse.ArgumentParser(description="rebuild the tables of the papers")
    parser.add_argument("--only", nargs="+", default=names, choices=names, metavar="NAME")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{RESULTS.name}")
    args = parser.parse_args()
    chosen: Sequence[Script] = [script for script in SCRIPTS if script.name in args.only]
    lacking = {script.name: lacks for script in chosen if (lacks := script.lacks())}
    told = format_lacking(lacking, args.write)
    print(told, end="", file=sys.stderr, flush=True)
    with ThreadPoolExecutor(JOBS) as pool:
        done = list(pool.map(lambda script: run(script, args.write and script.name not in lacking), chosen))
    costs = {each.script.tables: round(each.cpu) for each in done}
    print(f"\n{format_costs(costs)}")
    print(told, end="", file=sys.stderr)
    whole = {each.script.tables: round(each.cpu) for each in done if each.script.name not in lacking}
    if args.write and whole:
        costs = known_costs(read_block(BLOCK)) | whole
        replace_block(
            BLOCK, f"`make tables` (`.venv/bin/python bench/papers.py --write`); {machine()}.\n\n{format_costs(costs)}"
        )
    return 1 if any(each.status != 0 for each in done) or (args.write and lacking) else 0


if __name__ == "__main__":
    raise SystemExit(main())
