"""C programs with marks, and their futures by name.

lock(&m);  /*l*/     `program.at("l")` is the point before the first visible site of that line
x++;       /*x*/     `program.entries(point)` names accesses by the mark of their line: ("x", {"m"}, {})
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from raceproof.core import Budget
from raceproof.explore.future_races import Held, StandingThread, may_race
from raceproof.explore.futures import Futures, LockChange, compute_futures
from raceproof.facts import analyse, race_pairs
from raceproof.frontend import from_files, load
from raceproof.ir import SiteId
from raceproof.model import ConcurrentProgram, RacePair

HEADER = """
#include <pthread.h>
#include <stdlib.h>
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
"""
MAIN = """
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, %s, 0);
  pthread_create(&t, 0, %s, 0);
  return 0;
}
"""
Entry = tuple[str, frozenset[str], frozenset[str]]


@dataclass(frozen=True)
class Marked:
    cp: ConcurrentProgram
    pairs: tuple[RacePair, ...]
    futures: Futures
    lines: dict[str, int]

    def _mark(self, line: int) -> str:
        return next((mark for mark, known in self.lines.items() if known == line), f"line {line}")

    def _sites(self, mark: str) -> list[SiteId]:
        instructions = self.cp.program.instructions_by_site()
        return [s for s, (_, i) in instructions.items() if i.pos is not None and i.pos.line == self.lines[mark]]

    def at(self, mark: str) -> int:
        return min((s, p) for s, p in self.futures.before.items() if s in self._sites(mark))[1]

    def after(self, mark: str) -> int:
        return min((s, p) for s, p in self.futures.after.items() if s in self._sites(mark))[1]

    def entry(self, function: str) -> int:
        return self.futures.entries[self.futures.functions.index(function)]

    def token(self, number: int) -> str:
        where = self.futures.tokens[number]
        return "atomic" if where is None else where[0] + (f"+{where[1]}" if where[1] else "")

    def change(self, change: LockChange) -> tuple[frozenset[str], frozenset[str]]:
        released = ["*"] if change.released is None else map(self.token, change.released)
        return frozenset(self.token(t) + ("/shared" if s else "") for t, s in change.acquired), frozenset(released)

    def entries(self, point: int) -> set[Entry]:
        result = set()
        for future in self.futures.points[point].accesses:
            pos = self.cp.accesses[future.access].pos
            assert pos is not None
            result.add((self._mark(pos.line), *self.change(future.change)))
        return result

    def leave(self, point: int) -> tuple[frozenset[str], frozenset[str]] | None:
        change = self.futures.points[point].leave
        return None if change is None else self.change(change)

    def operations(self, point: int) -> set[str]:
        instructions = self.cp.program.instructions_by_site()
        found = (instructions[s][1].pos for s in self.futures.points[point].operations)
        return {self._mark(pos.line) for pos in found if pos is not None}

    def creates(self, point: int) -> set[str]:
        return {self.futures.functions[f] for f in self.futures.points[point].creates}

    def held(self, *names: str) -> Held:
        numbers = {self.token(i): i for i in range(len(self.futures.tokens))}
        return frozenset((numbers[n.removesuffix("/shared")], n.endswith("/shared")) for n in names)

    def may_race(self, *threads: StandingThread | int) -> bool:
        standing = [t if isinstance(t, StandingThread) else StandingThread((t,)) for t in threads]
        return may_race(self.futures, standing, self.pairs)


def marked(text: str, directory: Path, start: str | tuple[str, str] | None = "f") -> Marked:
    """Compile and analyse; with `start`, put headers in front and a main behind that runs it twice."""
    if start is not None:
        both = (start, start) if isinstance(start, str) else start
        text = HEADER + text + MAIN % both
    path = directory / "program.c"
    path.write_text(text, encoding="utf-8")
    cp = analyse(load(from_files([path])), Budget.unlimited())
    pairs = race_pairs(cp)
    lines = {m[1]: n for n, line in enumerate(text.splitlines(), 1) for m in re.finditer(r"/\*(\w+)\*/", line)}
    futures = compute_futures(cp, pairs, Budget.unlimited(), has_frames_of_callbacks=True)
    return Marked(cp, pairs, futures, lines)


def entry(mark: str, acquired: str = "", released: str = "") -> Entry:
    return mark, frozenset(acquired.split()), frozenset(released.split())
