"""A run of `raceproof bench` for docs/results.md: `python bench/corpus.py CORPUS [--time-limit SECONDS] [--write]`.

One program at a time, so that the times are those of a machine with nothing else to do. Exit status as of `raceproof
bench`: 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.check import RACEPROOF
from bench.results import machine, markdown_table, replace_block
from raceproof import corpora


def block(run: corpora.Run) -> str:
    """Truth against verdict, and the score."""
    said = [(r.expected.value, r.verdict.value if r.verdict is not None else "error") for r in run.results]
    counts = Counter(said)
    verdicts = ["race-free", "race", "unknown", *(["error"] if any(verdict == "error" for _, verdict in said) else [])]
    rows = [[truth, *(str(counts[truth, verdict]) for verdict in verdicts)] for truth in ("race-free", "race")]
    total = corpora.tally(run.results)
    median = statistics.median(result.wall for result in run.results)
    summary = (
        f"{total.programs} programs, {total.wrong} wrong, score {total.score} of {total.best}, "
        f"median {median:.2f} s, {machine()}."
    )
    return f"{markdown_table(['truth', *verdicts], rows)}\n\n{summary}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--time-limit", type=int, default=60, metavar="SECONDS")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "run"
        options = ["--jobs", "1", "--time-limit", str(args.time_limit), "--out", str(out)]
        status = subprocess.run([RACEPROOF, "bench", args.corpus, *options], check=False).returncode
        if status not in (0, 1):
            return status
        table = block(corpora.read_run(out))
    print(f"\n{table}")
    if args.write:
        replace_block("corpus", f"`.venv/bin/python bench/corpus.py {args.corpus.name} --write`\n\n{table}")
    return status


if __name__ == "__main__":
    sys.exit(main())
