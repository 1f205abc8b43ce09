"""Check a directory of programs with known verdicts: `python bench/corpus.py DIRECTORY [--write]`.

The directory has an `expected.tsv`: file, tab, `race` or `race-free`. Exit status 1 if a verdict is wrong: a racy
program proved race-free, or (with engines that execute) a race in a race-free one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.check import RACEPROOF
from bench.measure import run_measured
from bench.results import machine, markdown_table, replace_block


def check(file: Path, limit: int) -> tuple[str, float]:
    """The verdict for one program and how long it took."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        command = [str(RACEPROOF), "check", str(file), "--json", str(report), "--time-limit", str(limit)]
        run = run_measured(command, limit=limit + 60)
        if not report.exists():
            return f"failed ({run.status})", run.wall
        return str(json.loads(report.read_text(encoding="utf-8"))["verdict"]), run.wall


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--time-limit", type=int, default=60, metavar="SECONDS")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    expected = dict(line.split("\t") for line in (args.directory / "expected.tsv").read_text().splitlines() if line)
    counts: Counter[tuple[str, str]] = Counter()
    times, wrong = [], []
    for name, truth in expected.items():
        verdict, seconds = check(args.directory / name, args.time_limit)
        counts[truth, verdict] += 1
        times.append(seconds)
        is_wrong = verdict in ("race", "race-free") and verdict != truth
        wrong += [name] if is_wrong else []
        print(f"{name:45} {truth:10} {verdict:10} {seconds:6.2f} s{'  WRONG' if is_wrong else ''}", flush=True)
    verdicts = ["race-free", "race", "unknown", *sorted({v for _, v in counts} - {"race-free", "race", "unknown"})]
    rows = [[truth, *(str(counts[truth, v]) for v in verdicts)] for truth in ("race-free", "race")]
    table = markdown_table(["truth", *verdicts], rows)
    summary = f"{len(expected)} programs, {len(wrong)} wrong, median {statistics.median(times):.2f} s, {machine()}."
    print(f"\n{table}\n\n{summary}")
    if args.write:
        command = f"`make corpus CORPUS={args.directory.name}`"
        replace_block("corpus", f"{command}\n\n{table}\n\n{summary}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
