"""Our own programs through the portfolio, with and without each engine: what each one is worth.

    python bench/portfolio.py [--time-limit SECONDS] [--write] [PATTERN]

The truth is on the lines of `tests/programs`. Exit status 1 if a verdict is wrong: a race line in a pair that is
proved, or a race that no line announces.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from programs_truth import Truth, all_programs, program_name, read_truth

from bench.results import machine, markdown_table, replace_block
from raceproof import frontend, portfolio
from raceproof.core import Budget, InputError, Unsupported
from raceproof.model import CheckResult, PairResult, Verdict

ALL = tuple(portfolio.ENGINES)
CHOICES = {
    **{f"{name} alone": (name,) for name in ALL},
    **{f"without {name}": tuple(other for other in ALL if other != name) for name in ALL},
    "all": ALL,
}


@dataclass
class Tally:
    """Programs by what was said about them, and pairs by the engine that decided them."""

    found: int = 0
    proved: int = 0
    racy_unknown: int = 0
    free_unknown: int = 0
    wrong: list[str] = field(default_factory=list)
    pairs: dict[str, int] = field(default_factory=dict)
    open_pairs: int = 0
    seconds: float = 0.0


def check(path: Path, engines: tuple[str, ...], limit: float) -> CheckResult:
    request = frontend.from_files([path])
    budget = Budget.seconds(limit)
    settings = portfolio.Settings(request=request, unaided="lockset" not in engines)
    return portfolio.check(frontend.load(request, budget), engines, budget, settings)


def lines_of(pair: PairResult, path: Path) -> set[int]:
    return {a.pos.line for a in pair.accesses if a.pos is not None and Path(a.pos.file).name == path.name}


def is_wrong(result: CheckResult, truth: Truth) -> bool:
    """A race where no line has one, or a line with a race of which all pairs are proved."""
    races = [pair for pair in result.pairs if pair.verdict is Verdict.RACE]
    claims = any(not lines_of(pair, truth.path) <= truth.race_lines for pair in races if lines_of(pair, truth.path))
    unproved = [pair for pair in result.pairs if pair.verdict is not Verdict.RACE_FREE]
    left = {line for pair in unproved for line in lines_of(pair, truth.path)}
    return claims or (bool(result.pairs) and not truth.race_lines <= left)


def count(tally: Tally, result: CheckResult, truth: Truth) -> None:
    if is_wrong(result, truth):
        tally.wrong.append(program_name(truth.path))
    tally.found += result.verdict is Verdict.RACE
    tally.proved += result.verdict is Verdict.RACE_FREE
    tally.racy_unknown += result.verdict is Verdict.UNKNOWN and truth.is_racy
    tally.free_unknown += result.verdict is Verdict.UNKNOWN and not truth.is_racy
    for pair in result.pairs:
        if pair.verdict is Verdict.UNKNOWN:
            tally.open_pairs += 1
        elif pair.engine is not None:
            tally.pairs[pair.engine] = tally.pairs.get(pair.engine, 0) + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--only", choices=CHOICES, action="append", help="which engines (default: each choice)")
    parser.add_argument("--time-limit", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    truths = [read_truth(path) for path in all_programs() if args.pattern in program_name(path)]
    choices = {name: CHOICES[name] for name in args.only or CHOICES}
    tallies = {name: Tally() for name in choices}
    for number, truth in enumerate(truths, start=1):
        for name, engines in choices.items():
            begin = time.monotonic()
            try:
                count(tallies[name], check(truth.path, engines, args.time_limit), truth)
            except (Unsupported, InputError) as error:
                print(f"{program_name(truth.path)}: {error}", file=sys.stderr)
            tallies[name].seconds += time.monotonic() - begin
        if number % 20 == 0:
            print(f"{number} of {len(truths)}", flush=True)
    racy = sum(truth.is_racy for truth in truths)
    head = [
        "engines",
        f"races executed, of {racy}",
        f"proved, of {len(truths) - racy}",
        "unknown, racy",
        "unknown, race-free",
        "wrong",
        *(f"pairs by {name}" for name in ALL),
        "pairs open",
        "seconds a program",
    ]
    rows = [
        [name, str(t.found), str(t.proved), str(t.racy_unknown), str(t.free_unknown), str(len(t.wrong)),
         *(str(t.pairs.get(engine, 0)) for engine in ALL), str(t.open_pairs),
         f"{t.seconds / max(len(truths), 1):.2f}"]
        for name, t in tallies.items()
    ]  # fmt: skip
    table = markdown_table(head, rows)
    print(f"\n{table}")
    wrong = [f"{name}: {program}" for name, tally in tallies.items() for program in tally.wrong]
    print("\n".join(["", *wrong]) if wrong else "\nnothing wrong")
    if args.write:
        command = f"`python bench/portfolio.py --time-limit {args.time_limit:g} --write`, {machine()}."
        replace_block("portfolio", f"{command}\n\n{table}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
