"""What was proved and why, at a terminal: one line in brief, a table by location with -v."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raceproof.model import ObjectId, PairResult, number_of
from raceproof.report.terminal import Terminal, count

MAX_TABLE_ROWS = 15
MAX_REASONS = 3

_Tables = dict[tuple[str, ObjectId], list[PairResult]]


def write_rules(terminal: Terminal, pairs: Sequence[PairResult]) -> None:
    """How many pairs were proved by which rule."""
    if not pairs:
        return
    rules: Counter[str] = Counter()
    for pair in pairs:
        for rule in dict.fromkeys(_rule(text) for text in pair.evidence):
            rules[rule] += pair.alike
    extent = f"{count(number_of(pairs), 'pair')} of accesses at {count(len(by_location(pairs)), 'location')}"
    by = ", ".join(f"{rule} ({number:,})" for rule, number in rules.most_common())
    terminal.wrapped(f"{extent}, by {by}", "  ", "    ")


def write_table(terminal: Terminal, pairs: Sequence[PairResult]) -> None:
    """By location: how many pairs, and why."""
    if not pairs:
        return
    terminal.line()
    terminal.line(terminal.paint.bold("Proved race-free"))
    rows = sorted(by_location(pairs).items(), key=lambda item: -number_of(item[1]))
    shown = rows[:MAX_TABLE_ROWS]
    width = min(24, max(len("location"), *(len(target) for (target, _), _ in shown)))
    terminal.line(terminal.paint.dim(f"  {'location':<{width}}  pairs  why"))
    for (target, _), proved in shown:
        reasons: Counter[str] = Counter()
        for pair in proved:
            for text in pair.evidence:
                reasons[text] += pair.alike
        if len(target) > width:
            terminal.line(f"  {target}")
            target = ""
        start = f"  {target:<{width}}  {number_of(proved):>5}  "
        why = _first_few([_phrase(text) for text, _ in reasons.most_common()])
        terminal.wrapped(why, start, " " * len(start), break_words=True)
    if len(rows) > len(shown):
        terminal.line(f"  … and {count(len(rows) - len(shown), 'more location')}, see --json")


def by_location(pairs: Sequence[PairResult]) -> _Tables:
    tables: _Tables = {}
    for pair in pairs:
        tables.setdefault((pair.target, pair.pair.target.object), []).append(pair)
    return tables


def _rule(evidence: str) -> str:
    """`common-lock m` is an application of the rule `common-lock`."""
    return evidence.partition(" ")[0]


def _phrase(evidence: str) -> str:
    """`common-lock m`, but `owned: an element of its own`."""
    rule, _, detail = evidence.partition(" ")
    return f"{rule}: {detail}" if " " in detail else evidence


def _first_few(texts: Sequence[str]) -> str:
    more = len(texts) - MAX_REASONS
    return "; ".join([*texts[:MAX_REASONS], f"{more} more"] if more > 0 else texts)
