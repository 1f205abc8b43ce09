"""Races that need an input or a rare schedule: which engine finds what, and after how long.

    python bench/inputs_table.py [--time-limit SECONDS] [--write] [PATTERN]

The programs are those of `tests/programs/inputs`, each with a twin that has no race. Seconds are CPU seconds of the
whole check but for compiling, and so is the limit. Ends with status 1 if a verdict is wrong: a race where no line has
one, or a proof of one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from programs_truth import PROGRAMS, Truth, read_truth

from bench.cpu_clock import use_cpu_clock
from bench.portfolio import is_wrong
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof import explore, frontend, portfolio
from raceproof.core import Budget
from raceproof.model import CheckResult, Scope, Verdict

TIME_LIMIT = 60.0
CHOICES = (("explore",), ("bmc",), ("bmc", "explore"))


@dataclass(frozen=True, slots=True)
class Answer:
    """What some engines said about a program, and after how many seconds."""

    truth: Truth
    result: CheckResult
    seconds: float

    @property
    def is_wrong(self) -> bool:
        return is_wrong(self.result, self.truth)

    @property
    def is_right(self) -> bool:
        """Not merely unknown."""
        return self.result.verdict is (Verdict.RACE if self.truth.is_racy else Verdict.RACE_FREE)

    @property
    def finder(self) -> str:
        names = [pair.engine for pair in self.result.pairs if pair.verdict is Verdict.RACE and pair.engine is not None]
        return ", ".join(dict.fromkeys(names))

    def __str__(self) -> str:
        if self.is_wrong:
            return "**wrong**"
        match self.result.verdict:
            case Verdict.RACE:
                return "race"
            case Verdict.RACE_FREE:
                return f"proved, {self.result.scope.value}" if self.result.scope is not None else "proved"
            case Verdict.UNKNOWN if self.truth.is_racy:
                return "not found"
            case Verdict.UNKNOWN:
                bounded = all(p.verdict is Verdict.RACE_FREE or p.scope is Scope.BOUNDED for p in self.result.pairs)
                return "bounded" if bounded and self.result.pairs else "unknown"


def ask(truth: Truth, engines: tuple[str, ...], limit: float) -> Answer:
    request = frontend.from_files([truth.path])
    program = frontend.load(request)
    frontend.link_program(request)  # kept in the cache: compiling is not measured
    search = explore.ExploreOptions(find_all=not truth.is_racy)
    settings = portfolio.Settings(request=request, search=search, unaided=True)
    start = time.monotonic()
    result = portfolio.check(program, engines, Budget.seconds(limit), settings)
    return Answer(truth, result, time.monotonic() - start)


def format_rows(rows: Sequence[Sequence[Answer]], choices: Sequence[tuple[str, ...]]) -> str:
    head = ["program"]
    for engines in choices:
        head += [_name(engines), "s"]
    combined = any(len(engines) > 1 for engines in choices)
    table = []
    for answers in rows:
        cells = [answers[0].truth.path.stem]
        for answer in answers:
            cells += [str(answer), f"{answer.seconds:.2f}"]
        table.append([*cells, answers[-1].finder] if combined else cells)
    return markdown_table([*head, "found by"] if combined else head, table)


def _name(engines: tuple[str, ...]) -> str:
    return " and ".join(engines) if len(engines) > 1 else f"{engines[0]} alone"


def summary(rows: Sequence[Sequence[Answer]], choices: Sequence[tuple[str, ...]]) -> list[str]:
    lines = []
    for number, engines in enumerate(choices):
        answers = [row[number] for row in rows]
        racy = [answer for answer in answers if answer.truth.is_racy]
        free = [answer for answer in answers if not answer.truth.is_racy]
        seconds = sum(answer.seconds for answer in answers) / max(len(answers), 1)
        lines.append(
            f"{_name(engines)}: {sum(a.is_right for a in racy)} of {len(racy)} races executed, "
            f"{sum(a.is_right for a in free)} of {len(free)} twins proved, {seconds:.2f} s a program."
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for each check")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{RESULTS.name}")
    args = parser.parse_args()
    use_cpu_clock()
    choices = [engines for engines in CHOICES if all(name in portfolio.ENGINES for name in engines)]
    paths = [path for path in sorted((PROGRAMS / "inputs").glob("*.c")) if args.pattern in path.stem]
    rows = []
    for path in paths:
        truth = read_truth(path)
        rows.append([ask(truth, engines, args.time_limit) for engines in choices])
        said = ", ".join(f"{_name(e)}: {a} {a.seconds:.2f} s" for e, a in zip(choices, rows[-1], strict=True))
        print(f"{path.stem}: {said}", file=sys.stderr, flush=True)
    racy = [row for row in rows if row[0].truth.is_racy]
    free = [row for row in rows if not row[0].truth.is_racy]
    points = "\n".join(f"- {line}" for line in summary(rows, choices))
    text = f"{points}\n\n{format_rows(racy, choices)}\n\nThe twins:\n\n{format_rows(free, choices)}"
    print(f"\n{text}")
    if args.write:
        limit = f"at most {args.time_limit:g} CPU s each"
        command = f"`make tables` (`.venv/bin/python bench/inputs_table.py --write`), {limit}; {machine()}."
        replace_block("inputs", f"{command}\n\n{text}")
    return 1 if any(answer.is_wrong for row in rows for answer in row) else 0


if __name__ == "__main__":
    raise SystemExit(main())
