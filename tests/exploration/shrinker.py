"""Makes a program smaller while the algorithms still disagree.

`python -m exploration.shrinker SEED [MODE]` (from `tests`) does it for one generated program.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from differential.preamble import as_source

from exploration.compare import LIMITS, Comparison, Limits, compare_source
from exploration.generator import generate
from exploration.syntax import Source, render, smaller

SECONDS = 120.0


def shrink(source: Source, still_fails: Callable[[Source], bool], seconds: float = SECONDS) -> Source:
    """The smallest program found for which `still_fails` holds, as it must for `source`; gives up after a while."""
    end = time.monotonic() + seconds
    tried = {render(source)}
    while True:
        for candidate in smaller(source):
            if time.monotonic() > end:
                return source
            text = render(candidate)
            if text in tried:
                continue
            tried.add(text)
            if still_fails(candidate):
                source = candidate
                break
        else:
            return source


def shrink_problem(source: Source, found: Comparison, limits: Limits = LIMITS, seconds: float = SECONDS) -> Source:
    """Keep at least one sort of problem that the program had."""
    interpreted = any(kind.startswith("interpreter") for kind in found.kinds)
    wanted = min(found.kinds)

    def still_fails(candidate: Source) -> bool:
        return wanted in compare_source(candidate, limits, interpreted).kinds

    return shrink(source, still_fails, seconds)


def main() -> None:
    source = generate(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "sc")
    found = compare_source(source, interpreted=True)
    print(found)
    if not found.problems:
        return
    small = shrink_problem(source, found)
    print(as_source(render(small)))
    print(compare_source(small, interpreted=True))


if __name__ == "__main__":
    main()
