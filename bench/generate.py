"""Write a C program with threads of a given size, for measuring how the analysis grows.

    python bench/generate.py --instructions 20000 --seed 1 > program.c
    python bench/generate.py --instructions 5000 --seed 7 --races 3 --output racy.c

The same options give the same text. The size is that of the IR after SROA, met within 15 %. The
header comment states the truth: how many races were planted, what kind, on which location and lines.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.synth import Options, PlantedRace, Program, build

_PLANTED = re.compile(r"// race (\d+)$")
_TOLERANCE = 0.02
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Generated:
    """A program as written to a file, and the truth about it."""

    text: str
    races: tuple[PlantedRace, ...]
    estimate: int


def generate(options: Options) -> Generated:
    """Search the budget for modules that makes the whole program as large as asked.

    A small program consists of few modules, so its size moves in steps: each try also draws anew.
    """
    budget = 0.6 * options.instructions
    best: Program | None = None
    for attempt in range(_TRIES):
        program = build(options, round(budget), attempt)
        if best is None or _miss(program, options) < _miss(best, options):
            best = program
        if _miss(program, options) <= _TOLERANCE * options.instructions:
            break
        step = 0.6 * (options.instructions - program.estimate) / (1 + attempt / 8)
        budget = max(60.0, budget + step)
    assert best is not None  # _TRIES > 0
    return _with_header(options, best)


def _miss(program: Program, options: Options) -> int:
    return abs(program.estimate - options.instructions)


def _with_header(options: Options, program: Program) -> Generated:
    """Put the truth in front; the header has as many lines as it needs, so it is counted first."""
    threads = f" --threads {options.threads}" if options.threads is not None else ""
    head = [
        f"/* bench/generate.py --instructions {options.instructions} --seed {options.seed}"
        f" --races {options.races}{threads}",
        " *",
        f" * {program.modules} modules, {program.starters} start functions, {program.instances} threads.",
        f" * Truth: {len(program.races)} planted races.",
    ]
    height = len(head) + len(program.races) + 1
    lines: dict[int, list[int]] = {}
    for number, line in enumerate(program.text.splitlines(), height + 1):
        found = _PLANTED.search(line)
        if found is not None:
            lines.setdefault(int(found.group(1)), []).append(number)
    races = tuple(replace(race, lines=tuple(lines[index])) for index, race in enumerate(program.races, 1))
    for index, race in enumerate(races, 1):
        where = ", ".join(map(str, race.lines))
        head.append(f" * race {index}: {race.target}, {race.kind}, at line {where}")
    head.append(" */")
    return Generated("\n".join(head) + "\n" + program.text, races, program.estimate)


def main() -> int:
    parser = argparse.ArgumentParser(description="write a C program with threads of a given size")
    parser.add_argument("--instructions", type=int, required=True, metavar="N", help="size of the IR, about")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--races", type=int, default=0, metavar="K", help="how many races to plant")
    parser.add_argument("--threads", type=int, metavar="N", help="start functions (4 to 12 by size)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="instead of the standard output")
    args = parser.parse_args()
    if args.instructions < 1 or args.races < 0 or (args.threads is not None and args.threads < 2):
        parser.error("there must be instructions, no negative number of races, and at least two start functions")
    generated = generate(Options(args.instructions, args.seed, args.races, args.threads))
    if args.output is not None:
        args.output.write_text(generated.text, encoding="utf-8")
    else:
        sys.stdout.write(generated.text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
