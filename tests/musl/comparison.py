"""The tables of library functions against musl: what does a body do that its row does not say?

    python -m musl.comparison [NAME...]        in `tests`; without names, every function that is in both

A difference is repaired in the table, or stands in `justified.toml` with the reason why it is none: glibc and musl
differ here and there, and points-to is coarse about structures that only the library sees. What the row says and the
body does not do costs precision only; `--precision` lists it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from musl import sources
from musl.bodies import body_of
from musl.effect_set import Did
from musl.rows import Row
from raceproof.core import InputError, Unsupported
from raceproof.facts.library.effects import Effect
from raceproof.facts.library.libc import EFFECTS
from raceproof.facts.library.libc_memory import MEMORY
from raceproof.facts.library.libc_net import NET
from raceproof.facts.library.libc_posix import POSIX
from raceproof.facts.library.libc_stdio import STDIO
from raceproof.facts.library.libc_stdlib import PROGRAM
from raceproof.facts.library.libc_string import STRINGS
from raceproof.facts.library.libc_threads import THREADS
from raceproof.facts.library.libc_time import TIMES
from raceproof.facts.library.sync_api import sync_op

_JUSTIFIED: Final = Path(__file__).with_name("justified.toml")


@dataclass(frozen=True, slots=True)
class Justified:
    """`functions`: per function, differences and why they are none. `statics`: musl's objects -> the tables' names.
    `harmless`: musl's objects that need no row, with the reason. `skipped`: functions that cannot be compared."""

    functions: Mapping[str, Mapping[str, str]]
    statics: Mapping[str, str]
    harmless: Mapping[str, str]
    skipped: Mapping[str, str]


@dataclass(slots=True)
class Outcome:
    """One function. `used`: the lines of `justified.toml` that were needed."""

    name: str
    missing: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    failure: str | None = None
    surplus: tuple[str, ...] = ()


@cache
def justified() -> Justified:
    table = tomllib.loads(_JUSTIFIED.read_text(encoding="utf-8"))
    return Justified(
        _by_function(table["difference"]),
        table["statics"],
        table["harmless"],
        table["skipped"],
    )


def _by_function(entries: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for entry in entries:
        for name in entry["functions"].split():
            found.setdefault(name, {}).update(dict.fromkeys(entry["effects"], entry["reason"]))
    return found


def comparable() -> tuple[str, ...]:
    """Functions of the tables that musl's C defines; the thread API has a specification of its own."""
    where = sources.functions()
    return tuple(sorted(name for name in EFFECTS if name in where and sync_op(name) is None))


def sample(share: int) -> tuple[str, ...]:
    """One of `share` functions, by a hash of the name."""
    return tuple(n for n in comparable() if hashlib.sha256(n.encode()).digest()[0] % share == 0)


def compare(name: str, effect: Effect | None = None, known: Justified | None = None) -> Outcome:
    """The row of `name`, or `effect` in its place, against the body."""
    known = known or justified()
    outcome = Outcome(name)
    if name in known.skipped:
        outcome.used.add(("skipped", name))
        outcome.failure = known.skipped[name]
        return outcome
    try:
        done, fixed = body_of(name)
    except (InputError, Unsupported) as error:
        outcome.failure = f"not compiled: {error}"
        outcome.missing.append(outcome.failure)
        return outcome
    row = Row(name, effect if effect is not None else EFFECTS[name], fixed)
    done = frozenset(_in_our_names(did, known, outcome) for did in done)
    for did in sorted(done, key=str):
        if row.allows(did) or _is_harmless(did, known, outcome):
            continue
        text = str(did)
        if text in known.functions.get(name, {}):
            outcome.used.add((name, text))
        elif text not in outcome.missing:
            outcome.missing.append(text)
    outcome.surplus = row.unused(done)
    return outcome


def _in_our_names(did: Did, known: Justified, outcome: Outcome) -> Did:
    """The object of the tables that one of musl's is."""
    stars, _, name = did.place.partition("static ")
    if not did.place.endswith(f"static {name}") or name not in known.statics:
        return did
    outcome.used.add(("statics", name))
    return Did(did.what, f"{stars}static {known.statics[name]}", None)


def _is_harmless(did: Did, known: Justified, outcome: Outcome) -> bool:
    _, _, name = did.place.partition("static ")
    _, _, stored = did.what.partition("static ")
    for found in (name, stored.removesuffix(" in")):
        if found in known.harmless:
            outcome.used.add(("harmless", found))
            return True
    return False


def unused_lines(outcomes: Iterable[Outcome], known: Justified) -> list[str]:
    """Lines of `justified.toml` that no function needs: each must go."""
    used = {line for outcome in outcomes for line in outcome.used}
    lines = [(name, text) for name, texts in known.functions.items() for text in texts]
    for section, names in (("statics", known.statics), ("harmless", known.harmless), ("skipped", known.skipped)):
        lines += [(section, name) for name in names]
    return [f"{section}: {text}" for section, text in lines if (section, text) not in used]


def summary(outcomes: Iterable[Outcome]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts["compared" if outcome.failure is None else "not compared"] += 1
        counts["rows that differ"] += bool(outcome.missing)
        counts["differences"] += len(outcome.missing)
        own = sum(section == outcome.name for section, _ in outcome.used)
        counts["justified differences"] += own
        counts["rows with justified differences"] += bool(own)
    counts["rows"] = len(EFFECTS)
    counts["not in musl's C"] = len([n for n in EFFECTS if n not in sources.functions()])
    counts["thread API"] = len([n for n in EFFECTS if n in sources.functions() and sync_op(n) is not None])
    return counts


_TABLES: Final[dict[str, Mapping[str, Effect]]] = {
    "memory": MEMORY,
    "strings, characters, text": STRINGS,
    "streams, formats": STDIO,
    "stdlib.h, math.h, setjmp.h": PROGRAM,
    "time, signals, processes": TIMES,
    "files, directories, users": POSIX,
    "network": NET,
    "threads": THREADS,
}


def write(outcomes: Sequence[Outcome]) -> None:
    """The table of docs/results.md."""
    from bench.results import markdown_table, replace_block  # not there unless it is on the path, as in `make soak`

    known = sources.functions()
    rows = []
    for title, table in _TABLES.items():
        found = [outcome for outcome in outcomes if outcome.name in table]
        own = [sum(section == outcome.name for section, _ in outcome.used) for outcome in found]
        counts = [len(table), sum(name not in known for name in table), len(found), sum(map(bool, own))]
        rows.append([title, *map(str, counts), str(sum(bool(outcome.missing) for outcome in found))])
    total = ["all", *(str(sum(int(row[at]) for row in rows)) for at in range(1, len(rows[0])))]
    heads = ["table", "functions", "not in musl's C", "compared", "justified", "differ"]
    body = markdown_table(heads, [*rows, total])
    replace_block("musl", f"`cd tests && PYTHONPATH=.:.. ../.venv/bin/python -m musl.comparison --write`\n\n{body}")


def main() -> int:
    parser = argparse.ArgumentParser(description="library tables against musl")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--precision", action="store_true", help="also what rows say and bodies do not do")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    outcomes = []
    for name in args.names or comparable():
        outcome = compare(name)
        outcomes.append(outcome)
        for text in outcome.missing:
            print(f"{name}: {text}", flush=True)
        if args.precision and outcome.surplus:
            print(f"{name}: only in the row: {'; '.join(outcome.surplus)}")
    stale = [] if args.names else unused_lines(outcomes, justified())
    for line in stale:
        print(f"stale: {line}")
    if args.write and not args.names:
        write(outcomes)
    print(", ".join(f"{count} {what}" for what, count in summary(outcomes).items()))
    return 1 if stale or any(outcome.missing for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
