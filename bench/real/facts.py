"""How long facts take on real programs: those of the first strength, and the strongest within a limit.

    python bench/real/facts.py                       prints the table, of all programs that have been fetched
    python bench/real/facts.py ag wrk --limit 60     of these; the strongest facts within 60 CPU seconds
    python bench/real/facts.py --limit 0             the first strength only
    python bench/real/facts.py --write               and writes it to docs/results.md

Each program is analysed in a process of its own, compiled beforehand. CPU seconds and peak memory are of everything
from points-to to the facts, without the compiler and the race pairs. Limits are CPU seconds as well, so that other work
on the machine changes no figure.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.cpu_clock import use_cpu_clock
from bench.real.recipes import Provenance, choose, load_recipes
from bench.results import machine, markdown_table, replace_block
from raceproof import facts, frontend
from raceproof.core import Budget, LimitReached, RaceproofError
from raceproof.model import Strength

BEFORE = {
    "fzy": "1.7 s",
    "zstd_pool": "none in 54 s",
    "microsocks": "0.5 s",
    "tinyproxy": "16.6 s",
    "axel": "46.7 s",
    "ag": "none in 60 s",
    "wrk": "none in 22 s",
    "lbzip2": "internal error",
    "pigz": "none in 78 s",
    "memcached": "none in 27 s",
    "xz": "refused",
}
"""CPU seconds to facts at full strength before there were others, within one or two minutes of a busy machine."""
_GRACE = 120  # CPU seconds for loading the program, and for what is over the limit, before it is killed


def analyse(name: str, strongest: Strength, limit: float) -> dict[str, object]:
    """Figures of one analysis, in this process."""
    logging.disable()
    (recipe,) = choose([name])
    os.chdir(recipe.tree)
    try:
        program = frontend.load(frontend.from_files(recipe.sources(), recipe.cflags))
    except RaceproofError as error:
        return {"result": f"refused: {error.message}"}
    instructions = sum(1 for function in program.functions.values() for _ in function.instructions())
    use_cpu_clock()
    started = time.process_time()
    try:
        cp = facts.analyse(program, Budget.seconds(limit), strongest=strongest)
        result, accesses = cp.strength.value, len(cp.accesses)
    except LimitReached:
        result, accesses = "none", 0
    except RaceproofError as error:
        result, accesses = f"refused: {error.message}", 0
    return {
        "instructions": instructions,
        "result": result,
        "accesses": accesses,
        "cpu": time.process_time() - started,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measure(name: str, strongest: Strength, limit: float) -> dict[str, object]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--one", name, strongest.value, "--limit", str(limit)]
    most = round(limit) + _GRACE

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))

    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited)
    if done.returncode < 0:
        return {"result": f"killed by signal {-done.returncode}"}
    if done.returncode > 0:
        return {"result": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}
    found: dict[str, object] = json.loads(done.stdout)
    return found


def row(name: str, limit: float, patience: float) -> tuple[str, ...]:
    first = measure(name, Strength.COARSE, patience)
    shown = [name, _number(first.get("instructions")), BEFORE.get(name, ""), *_figures(first)]
    if limit:
        strongest = measure(name, Strength.FULL, limit)
        shown += [str(strongest["result"]), *_figures(strongest)]
    return tuple(shown)


def _figures(found: dict[str, object]) -> list[str]:
    if "cpu" not in found:
        return [str(found["result"]), ""]
    return [f"{found['cpu']:.1f}", f"{found['mb']:.0f}"]


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def table(rows: Sequence[tuple[str, ...]], limit: float) -> str:
    head = ["program", "instructions", "before", "first strength: CPU s", "MB"]
    head += [f"strongest within {limit:g} CPU s", "CPU s", "MB"] if limit else []
    return markdown_table(tuple(head), rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="measure how long facts take on real programs")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that have been fetched")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="for the strongest; 0: leave it out")
    parser.add_argument("--patience", type=float, default=300, metavar="SECONDS", help="for the first strength")
    parser.add_argument("--write", action="store_true", help="write the table to docs/results.md")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "STRENGTH"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        print(json.dumps(analyse(args.one[0], Strength(args.one[1]), args.limit)))
        return 0
    names = args.names or [r.name for r in load_recipes().values() if Provenance.load(r.tree) is not None]
    rows = []
    for name in names:
        rows.append(row(name, args.limit, args.patience))
        print(table(rows[-1:], args.limit), file=sys.stderr, flush=True)
    found = table(rows, args.limit)
    print(found)
    if args.write:
        options = [*args.names, *([f"--limit {args.limit:g}"] if args.limit != parser.get_default("limit") else [])]
        command = " ".join(["bench/real/facts.py", *options, "--write"])
        replace_block("facts", f"`.venv/bin/python {command}`; {machine()}.\n\n{found}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
