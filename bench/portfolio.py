"""Our own programs through the portfolio, by engines alone, together, and without each: what each one is worth.

    python bench/portfolio.py [--time-limit SECONDS] [--jobs N] [--every N] [--write] [PATTERN]

The truth is on the lines of `tests/programs`. Programs that have no race and are not proved by all engines together are
listed with the reason that the report gives; `--only all --write` writes this list alone, `--every N` the table alone,
of each Nth program. Exit status 1 if a verdict is wrong: a race line in a pair that is proved, or a race that no line
announces.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from programs_truth import Truth, all_programs, program_name, read_truth

from bench.results import machine, markdown_table, replace_block
from raceproof import frontend, portfolio
from raceproof.core import Budget, InputError, Unsupported
from raceproof.model import CheckResult, PairResult, Verdict

ALL = tuple(portfolio.ENGINES)
TOGETHER = "all"
CHOICES: Mapping[str, tuple[str, ...]] = {
    **{f"{name} alone": (name,) for name in ALL},
    TOGETHER: ALL,
    **{f"without {name}": tuple(other for other in ALL if other != name) for name in ALL},
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one choice of engines said about one program. `verdict` is None if it could not be loaded."""

    program: str
    is_racy: bool
    choice: str
    verdict: Verdict | None
    scope: str
    reason: str
    is_wrong: bool
    pairs: Mapping[str, int]
    open_pairs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Task:
    """One program with one choice of engines."""

    path: Path
    choice: str
    limit: float


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


def why(result: CheckResult) -> str:
    """Why the verdict is not a better one, as the report says: of the program, and of the first pair that is open."""
    parts = [result.reason] if result.reason else []
    for pair in result.pairs:
        if pair.verdict is Verdict.UNKNOWN:
            lines = sorted(lines_of(pair, Path(result.files[0]))) if result.files else []
            where = f" (lines {', '.join(map(str, lines))})" if lines else ""
            parts.append(f"{pair.target}{where}: {'; '.join(pair.evidence)}")
            break
    return ". ".join(parts)


def answer(task: Task) -> Answer:
    """Ask the engines; the work of one process."""
    truth = read_truth(task.path)
    name = program_name(task.path)
    begin = time.monotonic()
    try:
        result = check(task.path, CHOICES[task.choice], task.limit)
    except (Unsupported, InputError) as error:
        seconds = time.monotonic() - begin
        return Answer(name, truth.is_racy, task.choice, None, "", str(error), False, {}, 0, seconds)
    decided = Counter(p.engine for p in result.pairs if p.verdict is not Verdict.UNKNOWN and p.engine is not None)
    return Answer(
        program=name,
        is_racy=truth.is_racy,
        choice=task.choice,
        verdict=result.verdict,
        scope=result.scope.value if result.scope is not None else "",
        reason=why(result),
        is_wrong=is_wrong(result, truth),
        pairs=dict(decided),
        open_pairs=sum(pair.verdict is Verdict.UNKNOWN for pair in result.pairs),
        seconds=time.monotonic() - begin,
    )


def ask_all(tasks: Sequence[Task], jobs: int) -> list[Answer]:
    """In order of the tasks. Each gets a new process, so that none has the memory or the solver of another."""
    answers = []
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
        for number, found in enumerate(pool.imap(answer, tasks, chunksize=1), start=1):
            answers.append(found)
            if number % 200 == 0:
                print(f"{number} of {len(tasks)}", file=sys.stderr, flush=True)
    return answers


def format_choices(answers: Sequence[Answer]) -> str:
    """A row for each choice of engines."""
    chosen = list(dict.fromkeys(found.choice for found in answers))
    programs = {found.program: found.is_racy for found in answers}
    racy = sum(programs.values())
    head = [
        "engines",
        f"races executed, of {racy}",
        f"proved, of {len(programs) - racy}",
        "for all inputs",
        "unknown, racy",
        "unknown, race-free",
        "wrong",
        *(f"pairs by {name}" for name in ALL),
        "pairs open",
        "seconds a program",
    ]
    rows = []
    for choice in chosen:
        found = [one for one in answers if one.choice == choice]
        proved = [one for one in found if one.verdict is Verdict.RACE_FREE]
        unknown = [one for one in found if one.verdict in (None, Verdict.UNKNOWN)]
        counts = [
            sum(one.verdict is Verdict.RACE for one in found),
            len(proved),
            sum(one.scope in ("all-inputs", "any-threads") for one in proved),
            sum(one.is_racy for one in unknown),
            sum(not one.is_racy for one in unknown),
            sum(one.is_wrong for one in found),
            *(sum(one.pairs.get(engine, 0) for one in found) for engine in ALL),
            sum(one.open_pairs for one in found),
        ]
        rows.append([choice, *map(str, counts), f"{sum(one.seconds for one in found) / len(found):.2f}"])
    return markdown_table(head, rows)


def format_unproved(answers: Sequence[Answer]) -> str:
    """What all engines together do not prove though there is no race, and do not find though there is one, and why."""
    together = [one for one in answers if one.choice == TOGETHER and one.verdict in (None, Verdict.UNKNOWN)]
    parts = []
    for title, is_racy in (("Race-free, not proved", False), ("Racy, no race executed", True)):
        lines = [f"- `{one.program}`: {one.reason}" for one in together if one.is_racy is is_racy]
        parts.append("\n".join([f"{title} by all engines together:", "", *(lines or ["- none"])]))
    return "\n\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--only", choices=CHOICES, action="append", help="which engines (default: each choice)")
    parser.add_argument("--time-limit", type=float, default=10.0, metavar="SECONDS", help="for each program")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs at a time")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth program, for the table alone")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/results.md")
    args = parser.parse_args()
    paths = [path for path in all_programs() if args.pattern in program_name(path)][:: args.every]
    choices = args.only or list(CHOICES)
    begin = time.monotonic()
    answers = ask_all([Task(path, choice, args.time_limit) for path in paths for choice in choices], args.jobs)
    in_order = sorted(answers, key=lambda one: choices.index(one.choice))
    text, unproved = format_choices(in_order), format_unproved(in_order)
    print(f"\n{text}\n\n{unproved}")
    wrong = [f"{one.choice}: {one.program}" for one in in_order if one.is_wrong]
    print("\n".join(["", *wrong]) if wrong else "\nnothing wrong")
    print(f"{time.monotonic() - begin:.0f} s in all", file=sys.stderr)
    if args.write:
        limits = f"at most {args.time_limit:g} s a program, {args.jobs} at a time"
        only = "".join(f'--only "{choice}" ' for choice in args.only or ())
        only += f"--every {args.every} " if args.every > 1 else ""
        command = f".venv/bin/python bench/portfolio.py --time-limit {args.time_limit:g} {only}--write"
        head = f"`{command}`, {limits}; {machine()}.\n\n"
        if len(choices) > 1:
            replace_block("portfolio", head + text)
        if TOGETHER in choices and args.every == 1:
            together = format_choices([one for one in in_order if one.choice == TOGETHER])
            replace_block("unproved", f"{head}{together}\n\n{unproved}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
