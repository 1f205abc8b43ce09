"""Is what deserves a look among the first findings? Correct programs from which one lock was removed, not executed.

    python bench/ranking.py [--count 20] [--instructions 600] [--write]

Each program is one of `bench/generate.py` without races. One pair of calls that take and give back a lock is taken
out, so that pairs of accesses are open that were proved before: their locations are planted. The engine `lockset` alone
looks at it; *rank* is the place of the first planted location among all that are not proved, *beside* how many others
are open.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.generate import generate
from bench.results import markdown_table, replace_block
from bench.synth import Options
from raceproof import frontend, portfolio, report
from raceproof.core import Budget
from raceproof.model import CheckResult, Verdict

FIRST = 5
_TAKE = re.compile(r"^\s*pthread_mutex_lock\((?P<lock>.*)\);\s*$")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--instructions", type=int, default=600)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows: list[list[str]] = []
    seed = 0
    while len(rows) < args.count:
        seed += 1
        row = _row(seed, args.instructions)
        if row is not None:
            rows.append(row)
            print(*row, sep=" | ", flush=True)
    first = sum(int(row[3]) <= FIRST for row in rows)
    text = f"{first} of {len(rows)} among the first {FIRST}."
    print(text)
    if args.write:
        head = ["program", "lock removed at line", "planted locations", "rank", "open beside them"]
        replace_block("ranking", f"{text}\n\n{markdown_table(head, rows)}")


def _row(seed: int, instructions: int) -> list[str] | None:
    """None if the program has no lock whose absence opens anything."""
    text = generate(Options(instructions=instructions, seed=seed)).text
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "program.c")
        file.write_text(text, encoding="utf-8")
        before = {found.name: len(found.undecided) for found in _open(_checked(file))}
        lines = text.splitlines()
        takes = [n for n, line in enumerate(lines) if _TAKE.match(line)]
        random.Random(seed).shuffle(takes)
        for number in takes[:5]:
            changed = _without(lines, number)
            if changed is None:
                continue
            file.write_text("\n".join(changed) + "\n", encoding="utf-8")
            found = _open(_checked(file))
            planted = [
                place for place, each in enumerate(found, start=1) if len(each.undecided) > before.get(each.name, 0)
            ]
            if planted:
                beside = len(found) - len(planted)
                return [f"seed {seed}", str(number + 1), str(len(planted)), str(planted[0]), str(beside)]
    return None


def _without(lines: list[str], number: int) -> list[str] | None:
    """The program without the lock of that line, and without the next release of it."""
    take = _TAKE.match(lines[number])
    assert take is not None
    release = f"pthread_mutex_unlock({take['lock']});"
    for end in range(number + 1, len(lines)):
        if lines[end].startswith("}"):
            return None
        if lines[end].strip() == release:
            return [("" if n in (number, end) else line) for n, line in enumerate(lines)]
    return None


def _checked(file: Path) -> CheckResult:
    request = frontend.from_files([file])
    program = frontend.load(request)
    return portfolio.check(program, ("lockset",), Budget.seconds(120), portfolio.Settings(request=request))


def _open(result: CheckResult) -> list[report.Location]:
    return [found for found in report.locations_of(result) if found.verdict is not Verdict.RACE_FREE]


if __name__ == "__main__":
    main()
