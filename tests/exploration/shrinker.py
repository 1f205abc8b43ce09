"""Makes a program smaller while the engines still contradict one another.

`python -m exploration.shrinker SEED [FAMILY]` (from `tests`) judges one generated program by everybody, and makes it
smaller if there is a problem.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from differential.preamble import as_source

from exploration.families import Specimen, specimen
from exploration.judging import LIMITS, Judged, Plan, judge
from exploration.plans import everybody
from exploration.searches import Limits
from raceproof.core import RaceproofError

SECONDS = 120.0


def shrink(whole: Specimen, still_fails: Callable[[Specimen], bool], seconds: float = SECONDS) -> Specimen:
    """The smallest program found for which `still_fails` holds, as it must for `whole`; gives up after a while."""
    end = time.monotonic() + seconds
    tried = {whole.text}
    while True:
        for candidate in whole.smaller():
            if time.monotonic() > end:
                return whole
            if candidate.text in tried:
                continue
            tried.add(candidate.text)
            if still_fails(candidate):
                whole = candidate
                break
        else:
            return whole


def shrink_problem(
    whole: Specimen, found: Judged, plan: Plan, directory: Path, limits: Limits = LIMITS, seconds: float = SECONDS
) -> Specimen:
    """Keep at least one sort of problem that the program had."""
    wanted = min(found.kinds)

    def still_fails(candidate: Specimen) -> bool:
        try:
            return wanted in judge(candidate, plan, directory, limits).kinds
        except RaceproofError:  # a program that is no longer one
            return False

    return shrink(whole, still_fails, seconds)


def main() -> None:
    whole = specimen(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
    plan = everybody(whole)
    with tempfile.TemporaryDirectory(prefix="exploration-") as name:
        found = judge(whole, plan, Path(name))
        print(found)
        if not found.problems:
            return
        small = shrink_problem(whole, found, plan, Path(name))
        print(as_source(small.text))
        print(judge(small, plan, Path(name)))


if __name__ == "__main__":
    main()
