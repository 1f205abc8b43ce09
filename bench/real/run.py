"""Check real programs whole, and say how large they are, what was proved and why, what is left, and what it took.

    python bench/real/fetch.py pigz
    python bench/real/run.py pigz             prints the table
    python bench/real/run.py pigz --write     and puts it into docs/results.md

Without names: every program that has been fetched.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.check import TIME_LIMIT, Checked, check
from bench.measure import ZIG_CC, run_measured
from bench.real.recipes import Provenance, Recipe, choose, load_recipes
from bench.results import RESULTS, machine, markdown_table, replace_block


@dataclass(frozen=True, slots=True)
class Row:
    """One program and what its check gave."""

    recipe: Recipe
    provenance: Provenance
    files: int
    compile_seconds: float
    checked: Checked


def measure(recipe: Recipe, time_limit: int) -> Row:
    """Compile every file plainly for comparison, then check the program."""
    provenance = Provenance.load(recipe.tree)
    if provenance is None:
        raise SystemExit(f"{recipe.name} has not been fetched: run bench/real/fetch.py {recipe.name}")
    files = recipe.sources()
    seconds = 0.0
    with tempfile.TemporaryDirectory() as directory:
        environment = {"ZIG_LOCAL_CACHE_DIR": directory, "ZIG_GLOBAL_CACHE_DIR": directory}
        for file in files:
            command = [*ZIG_CC, "-w", "-c", "-O0", *recipe.cflags, file, "-o", f"{directory}/object.o"]
            seconds += run_measured(command, environment, directory=recipe.tree).wall
    checked = check(files, recipe.cflags, recipe.arguments, time_limit, recipe.tree)
    return Row(recipe, provenance, len(files), seconds, checked)


def format_rows(rows: Sequence[Row]) -> str:
    head = (
        "program", "files", "instructions", "compile", "cold", "CPU", "warm", "peak MB", "pairs", "proved", "open",
        "verdict",
    )  # fmt: skip
    return markdown_table(
        head,
        [
            (
                f"{row.recipe.name} {row.provenance.version}",
                str(row.files),
                f"{row.checked.instructions:,}",
                f"{row.compile_seconds:.2f}",
                f"{row.checked.cold.wall:.2f}",
                f"{row.checked.cold.cpu:.2f}",
                f"{row.checked.warm.wall:.2f}",
                f"{row.checked.cold.peak_mb:.0f}",
                f"{len(row.checked.pairs):,}",
                f"{row.checked.proved:,}",
                f"{row.checked.open:,}",
                row.checked.verdict,
            )
            for row in rows
        ],
    )


def describe(row: Row) -> list[str]:
    """Why pairs were proved, and why the verdict is not a better one, a line each."""
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in row.checked.proved_by_reason()) or "nothing"
    lines = [f"{row.recipe.name}: {row.recipe.notes}. Proved by {reasons}."]
    report = row.checked.report
    if report is None:
        lines.append(f"{row.recipe.name}: exit status {row.checked.cold.status}: {_last_line(row.checked.cold.errors)}")
    elif report.get("reason"):
        lines.append(f"{row.recipe.name}: {row.checked.verdict}, {report['reason']}.")
    return lines


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


def main() -> int:
    parser = argparse.ArgumentParser(description="check real programs whole")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that have been fetched")
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{RESULTS.name}")
    args = parser.parse_args()
    fetched = [recipe.name for recipe in load_recipes().values() if Provenance.load(recipe.tree) is not None]
    names = args.names or fetched
    if not names:
        print("nothing has been fetched yet: run bench/real/fetch.py pigz", file=sys.stderr)
        return 2
    rows = [measure(recipe, args.time_limit) for recipe in choose(names)]
    table = format_rows(rows)
    lines = [f"- {line}" for row in rows for line in describe(row)]
    print("\n".join((table, "", *lines)))
    if args.write:
        command = f"`.venv/bin/python bench/real/run.py {' '.join(names)} --write`; {machine()}."
        replace_block("real", "\n".join((command, "", table, "", *lines)))
    return 0 if all(row.checked.report is not None for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
