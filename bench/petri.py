"""Measure the coverability solver on nets with known verdicts, with the plain backward search beside it.

    python bench/petri.py DIRECTORY             .spec files and an expected.tsv (file, safe or unsafe); prints the table
    python bench/petri.py DIRECTORY --write     and puts it into docs/results.md
    python bench/petri.py DIRECTORY --plain 0   without the plain search

Ends with status 1 if a verdict is wrong or missing, evidence is refused, or the plain search disagrees. Without a
directory there is nothing to measure: the nets are not part of raceproof.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof.core import Budget
from raceproof.petri.checking import check_certificate, check_firing
from raceproof.petri.net import Net, Safe, Solution, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.solver import kernel, solve
from raceproof.petri.spec_format import read_spec

TIME_LIMIT = 60.0
FAST = 5.0
HEAD = (
    "net",
    "verdict",
    "places",
    "transitions",
    "solver s",
    "check s",
    "basis",
    "invariants",
    "steps",
    "plain",
    "plain s",
    "plain kept",
    "plain subsumed",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One net: what was expected, what the two searches say, and what the checker has against it."""

    name: str
    expected: str
    net: Net
    solution: Solution
    plain: Solution | None
    check_seconds: float
    refused: str | None

    def problem(self) -> str | None:
        verdict = verdict_of(self.solution)
        if verdict != self.expected:
            return f"{self.name}: {verdict}, expected {self.expected}"
        if self.refused is not None:
            return f"{self.name}: evidence refused: {self.refused}"
        if self.plain is not None and verdict_of(self.plain) not in ("undecided", self.expected):
            return f"{self.name}: the plain search says {verdict_of(self.plain)}"
        return None


def verdict_of(solution: Solution) -> str:
    return type(solution).__name__.lower()


def measure(path: Path, expected: str, plain_limit: float) -> Measured:
    net = read_spec(path.read_text(encoding="utf-8"), path.name)
    solution = solve(net, Budget.seconds(TIME_LIMIT))
    start = time.monotonic()
    refused = refusal(net, solution)
    seconds = time.monotonic() - start
    plain = solve_plainly(net, Budget.seconds(plain_limit)) if plain_limit > 0 else None
    if plain is not None and (plain_refused := refusal(net, plain)):
        refused = refused or f"plain search: {plain_refused}"
    return Measured(path.stem, expected, net, solution, plain, seconds, refused)


def refusal(net: Net, solution: Solution) -> str | None:
    match solution:
        case Safe(certificate=certificate):
            return check_certificate(net, certificate)
        case Unsafe():
            return check_firing(net, solution)
    return None


def row(m: Measured) -> list[str]:
    basis = invariants = steps = ""
    match m.solution:
        case Safe(certificate=certificate):
            basis, invariants = f"{len(certificate.basis):,}", f"{len(certificate.invariants):,}"
        case Unsafe(firing=firing):
            steps = f"{len(firing):,}"
    plain = ["", "", "", ""]
    if m.plain is not None:
        stats = m.plain.stats
        plain = [verdict_of(m.plain), f"{stats['seconds']:.2f}", f"{stats['kept']:,}", f"{stats['subsumed']:,}"]
    size = [f"{len(m.net.places):,}", f"{len(m.net.transitions):,}"]
    times = [f"{m.solution.stats['seconds']:.2f}", f"{m.check_seconds:.2f}"]
    return [m.name, verdict_of(m.solution), *size, *times, basis, invariants, steps, *plain]


def summary(results: Sequence[Measured], plain_limit: float) -> list[str]:
    decided = [m for m in results if m.problem() is None]
    fast = sum(m.solution.stats["seconds"] <= FAST for m in decided)
    slowest = max((m.solution.stats["seconds"] for m in results), default=0)
    lines = [
        f"- Decided correctly, evidence accepted: {len(decided)} of {len(results)}, {fast} of them within {FAST:g} s."
    ]
    lines.append(
        f"- Slowest: {slowest:.2f} s; longest check: {max((m.check_seconds for m in results), default=0):.2f} s."
    )
    plain = [m for m in results if m.plain is not None and verdict_of(m.plain) != "undecided"]
    if plain_limit > 0:
        count = f"{len(plain)} of {len(results)}"
        lines.append(f"- The plain search ends within {plain_limit:g} s on {count}, with the same verdict.")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, nargs="?", help="nets and expected.tsv")
    parser.add_argument("--plain", type=float, default=10.0, metavar="SECONDS", help="limit of the plain search")
    parser.add_argument("--write", action="store_true", help=f"put the table into {RESULTS.name}")
    options = parser.parse_args(arguments)
    if options.directory is None:
        print("petri: no directory of nets given, nothing measured")
        return 0
    table = (options.directory / "expected.tsv").read_text(encoding="utf-8")
    kernel()
    results = []
    for line in sorted(table.splitlines()):
        name, expected = line.split()
        results.append(measure(options.directory / name, expected, options.plain))
        print(" ".join(row(results[-1])[:6]), file=sys.stderr, flush=True)
    body = markdown_table(HEAD, [row(m) for m in results], left=2)
    command = f"`.venv/bin/python bench/petri.py DIRECTORY --write`, {len(results)} nets; {machine()}."
    text = "\n".join([command, "", body, "", *summary(results, options.plain)])
    print(text)
    if options.write:
        replace_block("petri", text)
    problems = [problem for m in results if (problem := m.problem())]
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
