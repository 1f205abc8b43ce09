"""Algorithm `states` beside `dfs` on generated programs: the same races, the same deadlocks, or a reason why not.

    cd tests && ../.venv/bin/python -m exploration.states FIRST COUNT [SECONDS]

Where `dfs` comes to its end, `states` finds no other race; where `states` does and finds none, `dfs` has found none up
to where it came. (`states` asks whether two threads stand before their accesses together; of two races, one behind the
other, it may see the first only.) Every second program is searched with the states kept
whole, so that two of them with one hash would show; every third with room for a few states only, so that it forgets.
"""

from __future__ import annotations

import collections
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from exploration.compare import compile_text, places
from exploration.families import CYCLE, Specimen, specimen
from exploration.searches import NOT_ALL_INPUTS, Key
from raceproof import explore
from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.explore.engine import control
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import BoundedRecord, OtherRecord, RaceRecord, of_kind
from raceproof.facts import analyse, race_pairs

FAMILIES: Final = tuple(dict.fromkeys(name for name in CYCLE if name not in ("weak", "library", "inputs", "limits")))
UNDEFINED: Final = frozenset(
    ("unlock", "initialise", "destroy", "wait", "join", "crash", "stack overflow", "double free", "invalid free",
     "use after free", "uninitialised")
)  # fmt: skip
"""Of these, `states` follows less (docs/soundness.md)."""
FEW: Final = 40


@dataclass(frozen=True, slots=True)
class Seen:
    races: frozenset[Key]
    incidents: frozenset[str]
    is_complete: bool
    states: int
    clashes: int
    problem: str | None
    bounds: tuple[str, ...]

    def __str__(self) -> str:
        return f"races {sorted(self.races)}, {sorted(self.incidents)}, complete {self.is_complete}, {self.bounds}"


@dataclass(frozen=True, slots=True)
class Compared:
    """`skipped`: why `states` has not looked at it; `problems`: where the two differ."""

    skipped: str | None = None
    problems: tuple[str, ...] = ()
    dfs: Seen | None = None
    states: Seen | None = None


def compare(
    whole: Specimen, directory: Path, seconds: float = 5.0, *, exact: bool, max_states: int = 0, deadlocks: bool = False
) -> Compared:
    """Run both searches."""
    try:
        compiled = compile_text(whole.text, directory)[0]
        cp = analyse(compiled.program, Budget.seconds(60))
        pairs = race_pairs(cp)
        options = explore.ExploreOptions(
            module=compiled.module,
            algorithm="states",
            find_all=True,
            exact_states=exact,
            max_states=max_states,
            deadlocks=deadlocks,
        )
        prepared = explore.prepare(cp, pairs, options, Budget.seconds(60))
    except (Unsupported, LimitReached, InputError) as error:
        return Compared(skipped=str(error))
    mine = seen(run_host(prepared.host, prepared.program, control(prepared, options, seconds)))
    plain = replace(options, algorithm="dfs", max_states=0, exact_states=False)
    before = explore.prepare(cp, pairs, plain, Budget.seconds(60))
    oracle = seen(run_host(before.host, before.program, control(before, plain, seconds)))
    return Compared(None, tuple(_problems(mine, oracle, lambda key: places(cp, key))), oracle, mine)


def _problems(mine: Seen, oracle: Seen, place: Callable[[Key], str]) -> list[str]:
    found = []
    if mine.problem is not None and oracle.problem is None:
        found.append(f"states fails: {mine.problem}")
    if mine.clashes:
        found.append("two states have the same hash")
    if (mine.incidents | oracle.incidents) & UNDEFINED:
        return found  # what comes behind has no meaning
    if oracle.is_complete:
        found += [f"states alone has {place(key)}" for key in sorted(mine.races - oracle.races)]
        if mine.incidents - oracle.incidents:
            found.append(f"states alone has {sorted(mine.incidents - oracle.incidents)}")
    if mine.is_complete:
        if not mine.races:  # behind a race there may be others that happens-before alone shows
            found += [f"states misses {place(key)}" for key in sorted(oracle.races)]
        if oracle.incidents - mine.incidents:
            found.append(f"states misses {sorted(oracle.incidents - mine.incidents)}")
    return found


def seen(run: HostRun) -> Seen:
    stats = run.stats()
    bounds = tuple(dict.fromkeys(record.reason for record in of_kind(run.records, BoundedRecord)))
    races = [sorted(map(int, record.accesses)) for record in of_kind(run.records, RaceRecord)]
    return Seen(
        races=frozenset((first, second) for first, second in races),
        incidents=frozenset(record.kind for record in of_kind(run.records, OtherRecord)),
        is_complete=run.end == "complete" and set(bounds) <= {NOT_ALL_INPUTS},
        states=int(stats.get("states", 0)),
        clashes=int(stats.get("clashes", 0)),
        problem=run.problem if run.end is None else None,
        bounds=bounds,
    )


def main(first: int, count: int, seconds: float) -> int:
    """Compare so many programs, tell what differs, and sum up."""
    tally: collections.Counter[str] = collections.Counter()
    until = time.monotonic() + seconds
    number = 0
    for seed in range(first, first + count):
        if time.monotonic() > until:
            break
        number += 1
        whole = specimen(seed, FAMILIES[seed % len(FAMILIES)])
        with tempfile.TemporaryDirectory() as place:
            found = compare(
                whole,
                Path(place),
                exact=seed % 2 == 0,
                max_states=FEW if seed % 3 == 0 else 0,
                deadlocks=seed % 4 == 0 and "states" in explore.FINDS_DEADLOCKS,
            )
        if found.skipped is not None:
            tally["skipped: " + found.skipped[:60]] += 1
            continue
        assert found.states is not None
        assert found.dfs is not None
        tally["compared"] += 1
        tally["racy"] += bool(found.dfs.races)
        tally["deadlock"] += "deadlock" in found.dfs.incidents
        tally["dfs complete"] += found.dfs.is_complete
        tally["states complete"] += found.states.is_complete
        tally["both complete"] += found.dfs.is_complete and found.states.is_complete
        for text in found.problems:
            tally["PROBLEMS"] += 1
            print(f"seed {seed}, {whole.family}: {text}\n  dfs: {found.dfs}\n  states: {found.states}", flush=True)
    print(f"{number} programs from seed {first}")
    for name, amount in sorted(tally.items(), key=lambda item: -item[1]):
        print(f"{amount:7} {name}")
    return 1 if tally["PROBLEMS"] else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    raise SystemExit(main(int(arguments[0]), int(arguments[1]), float(arguments[2]) if len(arguments) > 2 else 1e9))
