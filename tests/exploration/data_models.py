"""Programs of tests/programs run as 64-bit and as 32-bit programs: do all searches see the same?

    python -m exploration.data_models [FOLDER or FILE ...]      (with src and tests on PYTHONPATH)

prints each program and search in which something differs: verdict, racing lines, executions, what else was found,
what was cut. A program whose text asks for a width may of course differ; one that is out of time is not compared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from exploring import Searched, Subject, load
from programs_truth import PROGRAMS, all_programs, program_name

from raceproof.core import Budget, RaceproofError
from raceproof.explore import ExploreOptions, run
from raceproof.explore.protocol import BY_SCHEDULES

EXECUTIONS: Final = 500
SECONDS: Final = 2.0
MODELS: Final = {"LP64": "-m64", "ILP32": "-m32"}


def seen(subject: Subject, algorithm: str, executions: int = EXECUTIONS) -> str:
    """All that a search says about a program, without what has to do with time."""
    options = ExploreOptions(
        module=subject.module,
        algorithm=algorithm,
        ordered=subject.ordered,
        find_all=True,
        max_executions=executions,
        seconds=SECONDS,
        trust=False,
    )
    try:
        return _told(Searched(subject, run(subject.cp, subject.pairs, options, Budget.unlimited())))
    except RaceproofError as error:
        return f"{type(error).__name__}: {error}"


def _told(found: Searched) -> str:
    races, others = sorted(map(str, found.races)), sorted(map(str, found.others))
    counts = (found.executions, found.blocked, found.result.stats["transitions"])
    return "; ".join(map(str, (found.verdict, races, *counts, others, found.result.stopped, *found.result.notes)))


def differences(path: Path, algorithms: Sequence[str] = BY_SCHEDULES, executions: int = EXECUTIONS) -> Iterator[str]:
    subjects: dict[str, Subject] = {}
    for model, flag in MODELS.items():
        try:
            subjects[model] = load(path, flag)
        except RaceproofError as error:
            yield f"{model} is not read: {error}"
            return
    for algorithm in algorithms:
        wide, narrow = (seen(subjects[model], algorithm, executions) for model in MODELS)
        if wide != narrow and not any("time limit" in text for text in (wide, narrow)):
            yield f"{algorithm}\n  LP64   {wide}\n  ILP32  {narrow}"


def main(arguments: Sequence[str]) -> int:
    chosen = [Path(argument).resolve() for argument in arguments] or [PROGRAMS]
    paths = [p for p in all_programs() if any(p == c or c in p.parents for c in chosen)]
    count, begin = 0, time.monotonic()
    for done, path in enumerate(paths):
        print(f"{done}/{len(paths)}", end="\r", file=sys.stderr, flush=True)
        found = list(differences(path))
        count += bool(found)
        for text in found:
            print(f"{program_name(path)}: {text}", flush=True)
    print(f"{len(paths)} programs, {count} differ, {time.monotonic() - begin:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
