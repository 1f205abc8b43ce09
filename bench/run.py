"""Measure `lockset` on generated programs of growing size: time, memory, pairs, and verdicts against the truth.

    python bench/run.py                       all sizes; prints the table
    python bench/run.py --write               and puts it into docs/results.md
    python bench/run.py --sizes 1000 5000     some sizes only

Ends with status 1 if a planted race was proved to be none, or a verdict contradicts the truth.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.check import TIME_LIMIT, Checked, check
from bench.generate import Generated, generate
from bench.measure import ZIG_CC, run_measured
from bench.results import RESULTS, machine, markdown_table, replace_block
from bench.synth import Options

SIZES = (1000, 5000, 20_000, 100_000)
_TWO_SEEDS_UP_TO = 5000
_RACY_UP_TO = 20_000
_PLANTED = 3
_VERDICT_STATUS = (0, 1, 3)  # race-free, race, unknown
_GOAL_SIZE, _GOAL_SECONDS, _GOAL_MB = 20_000, 20.0, 1024.0


@dataclass(frozen=True, slots=True)
class Row:
    """One program: what was asked, what it took, and what is wrong with the verdict, if anything."""

    options: Options
    compile_seconds: float
    checked: Checked
    planted_kept: int
    fault: str | None

    @property
    def milliseconds_per_1000(self) -> float:
        return 1e6 * self.checked.cold.wall / max(1, self.checked.instructions)


def choose_programs(sizes: Sequence[int]) -> list[Options]:
    """Without races: two seeds for the small sizes; with planted races: up to 20,000 instructions."""
    programs = []
    for size in sizes:
        seeds = (1, 2) if size <= _TWO_SEEDS_UP_TO else (1,)
        programs += [Options(size, seed) for seed in seeds]
        if size <= _RACY_UP_TO:
            programs += [Options(size, seed, _PLANTED) for seed in seeds]
    return programs


def measure(options: Options, time_limit: int) -> Row:
    """Generate, compile plainly for comparison, and check one program."""
    generated = generate(options)
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "program.c"
        source.write_text(generated.text, encoding="utf-8")
        environment = {"ZIG_LOCAL_CACHE_DIR": directory, "ZIG_GLOBAL_CACHE_DIR": directory}
        compiled = run_measured([*ZIG_CC, "-c", "-O0", str(source), "-o", f"{directory}/program.o"], environment)
        if compiled.status != 0:
            raise SystemExit(f"the generated program does not compile: {options}\n{compiled.errors}")
        checked = check([str(source)], time_limit=time_limit)
    kept, fault = judge(generated, checked)
    return Row(options, compiled.wall, checked, kept, fault)


def judge(generated: Generated, checked: Checked) -> tuple[int, str | None]:
    """How many planted races were not proved away, and what contradicts the truth."""
    suspects = {
        access["line"] for pair in checked.pairs if pair["verdict"] != "race-free" for access in pair["accesses"]
    }
    lost = [race.target for race in generated.races if not suspects.intersection(race.lines)]
    kept = len(generated.races) - len(lost)
    if checked.report is None or checked.cold.status not in _VERDICT_STATUS:
        return kept, f"exit status {checked.cold.status}"
    if generated.races and checked.verdict == "race-free":
        return kept, "planted races, verdict race-free"
    if lost and not checked.was_cut_short:
        return kept, f"planted race proved away: {', '.join(lost)}"
    if not generated.races and checked.verdict == "race":
        return kept, "no races, verdict race"
    return kept, None


def growth(rows: Sequence[Row]) -> float | None:
    """The exponent e of seconds ~ instructions ** e, by least squares over the programs without races.

    The smallest size is left out where there are others: its time is that of starting up.
    """
    plain = [row for row in rows if row.options.races == 0 and row.checked.report is not None]
    smallest = min((row.options.instructions for row in plain), default=0)
    if len({row.options.instructions for row in plain}) > 2:
        plain = [row for row in plain if row.options.instructions > smallest]
    if len({row.options.instructions for row in plain}) < 2:
        return None
    points = [(math.log(row.checked.instructions), math.log(row.checked.cold.wall)) for row in plain]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def format_rows(rows: Sequence[Row]) -> str:
    head = (
        "instructions", "seed", "planted", "compile", "cold", "CPU", "warm", "cold / compile", "peak MB",
        "ms per 1,000", "relative", "pairs", "proved", "open", "planted kept", "verdict",
    )  # fmt: skip
    base = rows[0].milliseconds_per_1000
    return markdown_table(
        head,
        [
            (
                f"{row.checked.instructions:,}",
                str(row.options.seed),
                str(row.options.races),
                f"{row.compile_seconds:.2f}",
                f"{row.checked.cold.wall:.2f}",
                f"{row.checked.cold.cpu:.2f}",
                f"{row.checked.warm.wall:.2f}",
                f"{row.checked.cold.wall / row.compile_seconds:.1f}",
                f"{row.checked.cold.peak_mb:.0f}",
                f"{row.milliseconds_per_1000:.0f}",
                f"{row.milliseconds_per_1000 / base:.2f}",
                f"{len(row.checked.pairs):,}",
                f"{row.checked.proved:,}",
                f"{row.checked.open:,}",
                f"{row.planted_kept} of {row.options.races}" if row.options.races else "",
                row.checked.verdict if row.fault is None else f"**{row.checked.verdict}: {row.fault}**",
            )
            for row in rows
        ],
        left=0,
    )


def summarise(rows: Sequence[Row]) -> list[str]:
    lines = []
    exponent = growth(rows)
    if exponent is not None:
        lines.append(f"Growth: seconds ~ instructions^{exponent:.2f} (programs without races; 1 is linear).")
    for row in rows:
        if row.options.instructions == _GOAL_SIZE and row.options.races == 0:
            cold = row.checked.cold
            met = "met" if cold.wall <= _GOAL_SECONDS and cold.peak_mb <= _GOAL_MB else "**not met**"
            lines.append(
                f"Goal for {_GOAL_SIZE:,} instructions, {_GOAL_SECONDS:.0f} s and 1 GB on two cores: {met}"
                f" ({cold.wall:.1f} s, {cold.peak_mb:.0f} MB)."
            )
    planted = sum(row.options.races for row in rows)
    if planted:
        kept = sum(row.planted_kept for row in rows)
        lines.append(f"Planted races not proved away: {kept} of {planted} (fewer would be unsound).")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description="measure raceproof on generated programs of growing size")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="N")
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{RESULTS.name}")
    args = parser.parse_args()
    if os.getloadavg()[0] > 0.5:
        print(f"other work is running here (load {os.getloadavg()[0]:.1f}): times will be too long", file=sys.stderr)
    rows = []
    for options in choose_programs(args.sizes):
        row = measure(options, args.time_limit)
        rows.append(row)
        print(
            f"{options.instructions:,} instructions, seed {options.seed}, {options.races} races: "
            f"{row.checked.cold.wall:.1f} s, {row.checked.cold.peak_mb:.0f} MB, {row.fault or row.checked.verdict}",
            file=sys.stderr,
            flush=True,
        )
    table, lines = format_rows(rows), summarise(rows)
    print("\n" + table + "\n\n" + "\n".join(f"- {line}" for line in lines))
    if args.write:
        command = f"`.venv/bin/python bench/run.py --write`; {machine()}."
        replace_block("static", "\n".join((command, "", table, "", *(f"- {line}" for line in lines))))
    return 1 if any(row.fault is not None for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
