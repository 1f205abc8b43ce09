"""Measure `raceproof run`: how soon it finds rare races, by each way of drawing schedules, and what a run costs.

    python bench/sampling_table.py                 both tables
    python bench/sampling_table.py --write         and puts them into docs/results.md
    python bench/sampling_table.py --only rare|cost one of them
    python bench/sampling_table.py --samplings mixed   not all ways of drawing schedules

The programs are in bench/sampling. ThreadSanitizer is that of gcc, which must be there; without it its columns are
empty. Ends with status 1 if `mixed` does not find the races of 28 programs within 100 runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.results import machine, markdown_table, replace_block
from raceproof import explore, facts, frontend
from raceproof.core import Budget

PROGRAMS = Path(__file__).resolve().parent / "sampling"
SAMPLINGS = ("mixed", "walk", "stay", "pct", "pos")
RUNS = 100
GOAL = 28
COST = (("matrix", "200"), ("hash", "200000"))
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """`first`: the run in which a race showed, None if in none; `by_order`: races that another order showed."""

    first: int | None
    by_order: int


def _environment() -> dict[str, str]:
    source = Path(__file__).resolve().parents[1] / "src"
    return {**os.environ, "PYTHONPATH": str(source)}


def _run(file: Path, options: list[str], arguments: tuple[str, ...] = ()) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [
            sys.executable,
            "-m",
            "raceproof",
            "run",
            str(file),
            *options,
            "--json",
            str(report),
            "--no-config",
            "-q",
        ]
        subprocess.run(
            [*command, "-q", "--", *arguments], env=_environment(), capture_output=True, check=False, timeout=600
        )
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found


def sampled(file: Path, samplings: tuple[str, ...]) -> dict[str, Outcome]:
    """By each way of drawing schedules; the program is built once."""
    request = frontend.from_files([file])
    cp = facts.surface(frontend.load(request))
    options = explore.ExploreOptions(module=frontend.link_program(request))
    prepared = explore.prepare_all(cp, options, Budget.unlimited())
    found = {}
    for name in samplings:
        drawn = explore.SamplingOptions(runs=RUNS, seed=1, sampling=name)
        run = explore.run_samples(prepared, options, drawn, Budget.seconds(300))
        stats = run.stats()
        found[name] = Outcome(int(stats["first_race"]) or None, int(stats["predicted"]))
    return found


def _compiled(file: Path, scratch: Path, *flags: str) -> Path | None:
    if shutil.which("gcc") is None:
        return None
    program = scratch / f"{file.stem}{len(flags)}"
    done = subprocess.run(
        ["gcc", "-O1", "-g", "-pthread", *flags, "-o", program, file], capture_output=True, check=False, timeout=60
    )
    return program if done.returncode == 0 else None


def _fixed_layout() -> list[str]:
    """ThreadSanitizer of older compilers does not bear all that the kernel does with addresses."""
    return ["setarch", "-R"] if shutil.which("setarch") else []


def thread_sanitizer(file: Path, scratch: Path) -> int | None:
    """In how many of the runs it reports a race."""
    program = _compiled(file, scratch, "-fsanitize=thread")
    if program is None:
        return None
    found = 0
    for _ in range(RUNS):
        done = subprocess.run([*_fixed_layout(), program], capture_output=True, check=False, timeout=60)
        found += b"data race" in done.stderr
    return found


def rare_table(samplings: tuple[str, ...]) -> tuple[str, int]:
    rows, good = [], 0
    hits = dict.fromkeys(samplings, 0)
    sums = dict.fromkeys(samplings, 0)
    seen = 0
    with tempfile.TemporaryDirectory() as scratch:
        for file in sorted((PROGRAMS / "rare").glob("*.c")):
            outcomes = sampled(file, samplings)
            for name, outcome in outcomes.items():
                hits[name] += outcome.first is not None
                sums[name] += outcome.first or 2 * RUNS
            good += outcomes[samplings[0]].first is not None
            other = thread_sanitizer(file, Path(scratch))
            seen += bool(other)
            shown = [str(outcome.first or "-") for outcome in outcomes.values()]
            rows.append([file.stem, *shown, "" if other is None else str(other)])
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    rows.append(["programs with the race found", *(str(hits[name]) for name in samplings), str(seen)])
    rows.append(["runs until then, mean (200 if never)", *(f"{sums[n] / (len(rows) - 1):.1f}" for n in samplings), ""])
    head = ["program", *samplings, f"ThreadSanitizer: of {RUNS} runs"]
    return markdown_table(head, rows), good


def _cpu(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=False, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost_table() -> str:
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, argument in COST:
            file = PROGRAMS / f"{name}.c"
            native, checked = _compiled(file, Path(scratch)), _compiled(file, Path(scratch), "-fsanitize=thread")
            alone, other, ours = [], [], []
            for _ in range(ROUNDS):  # in turn, so that all three see the same machine
                report = _run(file, ["--runs", "1", "--seed", "1"], (argument,))
                ours.append(report["engines"][0]["stats"]["cpu_microseconds"] / 1e6)
                if native is not None and checked is not None:
                    alone.append(_cpu([str(native), argument]))
                    other.append(_cpu([*_fixed_layout(), str(checked), argument]))
            best, plain, sanitized = min(ours), min(alone, default=0.0), min(other, default=0.0)
            ratios = [f"{best / plain:.0f}", f"{sanitized / plain:.0f}"] if plain else ["", ""]
            relation = f"{best / sanitized:.2f}" if sanitized else ""
            rows.append([f"{name} {argument}", f"{plain:.3f}", f"{sanitized:.3f}", f"{best:.3f}", *ratios, relation])
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    head = ["program", "native", "ThreadSanitizer", "run", "run / native", "TSan / native", "run / TSan"]
    return markdown_table(head, rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/results.md")
    parser.add_argument("--only", choices=["rare", "cost"])
    parser.add_argument("--samplings", nargs="+", choices=SAMPLINGS, default=list(SAMPLINGS))
    args = parser.parse_args()
    command = "`.venv/bin/python bench/sampling_table.py --write`"
    status = 0
    if args.only != "cost":
        table, good = rare_table(tuple(args.samplings))
        print(table)
        status = int(good < GOAL)
        if args.write:
            replace_block("run-rare", f"{command}\n\n{machine()}\n\n{table}")
    if args.only != "rare":
        table = cost_table()
        print(table)
        if args.write:
            replace_block("run-cost", f"{command}\n\n{machine()}, CPU seconds, the least of {ROUNDS} rounds\n\n{table}")
    return status


if __name__ == "__main__":
    sys.exit(main())
