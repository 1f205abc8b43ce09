"""Locations against engines, in one table: who decided how much, and what is open.

location  pairs  race  lockset  explore  open
balance       6     2        4        0     0
"""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.model import CheckResult, ObjectId, PairResult, Verdict, number_of

MAX_ROWS = 15
MAX_NAME = 32


def summary_table(result: CheckResult) -> list[str]:
    """The lines of the table; none if there is nothing to compare."""
    rows: dict[tuple[str, ObjectId], list[PairResult]] = {}
    for pair in result.pairs:
        rows.setdefault((pair.target, pair.pair.target.object), []).append(pair)
    if len(rows) < 2:
        return []
    engines = [engine.name for engine in result.engines]
    order = sorted(rows.items(), key=lambda row: _weight(row[1]))
    table = [["location", "pairs", "race", *engines, "open"]]
    table += [[_short(name), *map(str, _counts(pairs, engines))] for (name, _), pairs in order[:MAX_ROWS]]
    if len(order) > MAX_ROWS:
        rest = [pair for _, pairs in order[MAX_ROWS:] for pair in pairs]
        table.append([f"{len(order) - MAX_ROWS} more", *map(str, _counts(rest, engines))])
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in table
    ]


def _counts(pairs: Sequence[PairResult], engines: Sequence[str]) -> list[int]:
    proved = [p for p in pairs if p.verdict is Verdict.RACE_FREE]
    return [
        number_of(pairs),
        _ended(pairs, Verdict.RACE),
        *(number_of(p for p in proved if p.engine == name) for name in engines),
        _ended(pairs, Verdict.UNKNOWN),
    ]


def _ended(pairs: Sequence[PairResult], verdict: Verdict) -> int:
    return number_of(p for p in pairs if p.verdict is verdict)


def _weight(pairs: Sequence[PairResult]) -> tuple[int, int, int]:
    """Races first, then what is open, then the rest."""
    return -_ended(pairs, Verdict.RACE), -_ended(pairs, Verdict.UNKNOWN), -number_of(pairs)


def _short(name: str) -> str:
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
