"""Rebuild Table 1 of [PN] on its seven examples, in examples/sml.

    python bench/petri_table.py            print the tables
    python bench/petri_table.py --write    and put them into docs/results.md

The second table counts in other ways, to see where the paper's counts come from. Ends with status 1 if a verdict is not
the paper's, or an answer is refused by the independent checker. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.cpu_clock import cpu_seconds
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof import petri
from raceproof.core import Budget, LimitReached

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "sml"
TIME_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Case:
    """A row of Table 1: what the paper counted."""

    name: str
    file: str
    kept: int
    subsumed: int
    iterations: int
    safe: bool


CASES = (
    Case("Counter", "counter.sml", 10, 3, 4, False),
    Case("CounterWithLock", "counter_with_lock.sml", 14, 7, 6, True),
    Case("CheckThenAct", "check_then_act.sml", 20, 12, 5, False),
    Case("CheckThenAct-Lock", "check_then_act_lock.sml", 13, 4, 4, True),
    Case("Prods/Cons", "prods_cons.sml", 310, 645, 19, True),
    Case("Prods/Cons 2", "prods_cons_2.sml", 290, 561, 17, True),
    Case("Lock-ReadWriteOnly", "lock_read_write_only.sml", 25, 13, 8, True),
)
ONLY_WRITE = """shared counter; lock L;
job Worker { acquire L; write counter; release L; }
start Worker *;
"""
"""CounterWithLock, "narrowed down to a characteristic part"."""
Solver = Callable[[petri.Net, Budget], petri.Solution]


@dataclass(frozen=True, slots=True)
class Found:
    """`problem`: what the checker says against the answer."""

    solution: petri.Solution
    seconds: float
    problem: str | None

    @property
    def safe(self) -> bool | None:
        return {petri.Safe: True, petri.Unsafe: False}.get(type(self.solution))

    def count(self, name: str) -> str:
        return f"{self.solution.stats.get(name, 0):,}"


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    spurious: bool
    net: petri.Net
    plain: Found
    native: Found

    @property
    def fault(self) -> str | None:
        for found in (self.plain, self.native):
            if found.problem is not None:
                return found.problem
            if found.safe is not self.case.safe:
                return "another verdict than the paper's"
        return None


def solved(net: petri.Net, solver: Solver, time_limit: float) -> Found:
    start = cpu_seconds()
    solution = solver(net, Budget.seconds(time_limit))
    seconds = cpu_seconds() - start
    match solution:
        case petri.Safe(certificate=certificate):
            return Found(solution, seconds, petri.check_certificate(net, certificate))
        case petri.Unsafe():
            return Found(solution, seconds, petri.check_firing(net, solution))
        case petri.Undecided(reason=reason):
            return Found(solution, seconds, reason)


def measure(case: Case, time_limit: float) -> list[Row]:
    """A row for the paper's net; one for ours, if it has other transitions."""
    path = EXAMPLES / case.file
    program = petri.parse_sml(path.read_text(encoding="utf-8"), path.name)
    rows = []
    for spurious in (False, True) if program.conditions else (False,):
        net = petri.net_of_sml(program, spurious, as_printed=not spurious).net
        plain, native = (solved(net, solver, time_limit) for solver in (petri.solve_plainly, petri.solve))
        rows.append(Row(case, spurious, net, plain, native))
        print(f"{case.name}: {plain.seconds:.3f} s, native {native.seconds:.3f} s", file=sys.stderr, flush=True)
    return rows


@dataclass(frozen=True, slots=True)
class Counts:
    """The search of [PN, Fig. 4] with predecessors only by transitions that give a token that is wanted.

    `kept`: with the configuration that ends an unsafe search. `subsumed`: when they came, not later by a smaller one.
    """

    kept: int
    subsumed: int


def count_narrowly(net: petri.Net, time_limit: float) -> Counts | None:
    """None if the time is up."""
    budget = Budget.seconds(time_limit)
    initial = dict(net.initial)
    explored: list[petri.Marking] = []
    work = list(net.targets)
    subsumed = 0
    try:
        for c in work:  # which grows: in the order of breadth
            budget.check()
            if all(p in net.unbounded or initial.get(p, 0) >= n for p, n in c):
                return Counts(len(explored) + 1, subsumed)
            if any(_is_below(smaller, c) for smaller in explored):
                subsumed += 1
                continue
            explored = [c, *(other for other in explored if not _is_below(c, other))]
            work += (_before(t, c) for t in net.transitions if any(p == wanted for p, _ in t.post for wanted, _ in c))
    except LimitReached:
        return None
    return Counts(len(explored), subsumed)


def _is_below(a: petri.Marking, b: petri.Marking) -> bool:
    tokens = dict(b)
    return all(tokens.get(p, 0) >= n for p, n in a)


def _before(transition: petri.Transition, marking: petri.Marking) -> petri.Marking:
    tokens = dict(marking)
    for place, count in transition.post:
        tokens[place] = max(tokens.get(place, 0) - count, 0)
    for place, count in transition.pre:
        tokens[place] = tokens.get(place, 0) + count
    return tuple(sorted((p, n) for p, n in tokens.items() if n))


def format_counts(time_limit: float) -> str:
    """The programs as in the paper: without spurious wakeups."""
    texts = {case.name: ((EXAMPLES / case.file).read_text(encoding="utf-8"), case) for case in CASES}
    texts["CounterWithLock, only the write"] = (ONLY_WRITE, CASES[1])
    rows = []
    for name, (text, case) in texts.items():
        found = count_narrowly(petri.net_of_sml(petri.parse_sml(text, name), False, as_printed=True).net, time_limit)
        counts = ("", "") if found is None else (f"{found.kept:,}", f"{found.subsumed:,}")
        rows.append((name, counts[0], str(case.kept), counts[1], str(case.subsumed)))
    return markdown_table(("program", "kept, with the last", "paper", "subsumed, narrowly", "paper"), rows)


def format_rows(rows: Sequence[Row]) -> str:
    head = (
        "program", "places", "transitions", "kept", "paper", "subsumed", "paper", "iterations", "paper", "run", "s",
        "safe", "paper", "native: basis", "invariants", "s",
    )  # fmt: skip
    return markdown_table(head, [_cells(row) for row in rows])


def _cells(row: Row) -> tuple[str, ...]:
    case, plain = row.case, row.plain
    name = f"{case.name}, spurious wakeups" if row.spurious else case.name
    paper = ["", "", ""] if row.spurious else [str(case.kept), str(case.subsumed), str(case.iterations)]
    run = str(len(plain.solution.firing)) if isinstance(plain.solution, petri.Unsafe) else ""
    native = row.native.solution
    certificate = native.certificate if isinstance(native, petri.Safe) else None
    proof = (str(len(certificate.basis)), str(len(certificate.invariants))) if certificate is not None else ("", "")
    return (
        name if row.fault is None else f"**{name}: {row.fault}**",
        str(len(row.net.places)), str(len(row.net.transitions)),
        plain.count("kept"), paper[0], plain.count("subsumed"), paper[1], plain.count("iterations"), paper[2],
        run, f"{plain.seconds:.3f}", "yes" if plain.safe else "no", "yes" if case.safe else "no",
        *proof, f"{row.native.seconds:.3f}",
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="rebuild Table 1 of [PN]")
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for each search")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{RESULTS.name}")
    args = parser.parse_args()
    petri.solve(petri.Net((), (), (), frozenset(), ()), Budget.unlimited())  # builds the kernel, which is not measured
    rows = [row for case in CASES for row in measure(case, args.time_limit)]
    text = f"{format_rows(rows)}\n\nCounted in other ways:\n\n{format_counts(args.time_limit)}"
    print(f"\n{text}")
    if args.write:
        command = f"`make tables` (`.venv/bin/python bench/petri_table.py --write`); {machine()}."
        replace_block("tables-petri", f"{command}\n\n{text}")
    return 0 if all(row.fault is None for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
