"""What a soak has shown so far: a line for each program, and the sums of them as a table.

*racy*: some search executed a race. *race-free, shared*: `dfs` tried all schedules, of which there are several, and
none had a race, though two threads access the same bytes, one of them writing and not both atomically (there is a
race pair). All others: `dfs` did not come to its end, or no two threads touch the same.
"""

from __future__ import annotations

import collections
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from metamorphic.changes import CHANGES

from bench.results import machine, markdown_table, replace_block
from exploration.families import FAMILIES, Specimen
from exploration.judging import Judged
from exploration.library_pairs import Truth
from exploration.searches import ALL, OPEN, ORACLE, SWEEP

LONG: Final = 50_000
"""Programs of a soak that says something about rare problems."""
ENGINES: Final = ("lockset", "shapes", "petri", "transactions", "bmc", "check", *ALL, SWEEP, OPEN)


@dataclass(frozen=True, slots=True)
class Entry:
    """One program. `verdict` is one of racy, shared, unshared, unfinished, skipped."""

    seed: int
    family: str
    verdict: str
    counts: dict[str, int]
    seconds: dict[str, float]
    problems: tuple[str, ...] = ()

    @staticmethod
    def of(whole: Specimen, found: Judged) -> Entry:
        return Entry(
            seed=whole.seed,
            family=whole.family,
            verdict=_verdict(found),
            counts={name: number for name, number in sorted(found.counts.items()) if number},
            seconds={name: round(number, 3) for name, number in found.seconds.items()},
            problems=tuple(sorted(found.kinds)),
        )

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def _verdict(found: Judged) -> str:
    if found.truth is not None:
        return {Truth.RACE: "racy", Truth.SAFE: "shared", Truth.OPEN: "unfinished"}[found.truth]
    if found.skipped is not None or ORACLE not in found.outcomes:
        return "skipped"
    if found.races:
        return "racy"
    if not found.is_complete:
        return "unfinished"
    return "shared" if found.counts["pairs"] and found.outcomes[ORACLE].executions > 1 else "unshared"


def read_entries(path: Path) -> Iterator[Entry]:
    """Of a seed that was run again, the last line."""
    if not path.exists():
        return
    last: dict[tuple[str, int], Entry] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        last[fields["family"], fields["seed"]] = Entry(**{**fields, "problems": tuple(fields["problems"])})
    yield from last.values()


@dataclass(slots=True)
class Tally:
    """Sums over programs."""

    verdicts: collections.Counter[str] = field(default_factory=collections.Counter)
    families: dict[str, collections.Counter[str]] = field(default_factory=dict)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    seconds: collections.Counter[str] = field(default_factory=collections.Counter)
    problems: collections.Counter[str] = field(default_factory=collections.Counter)
    done: set[int] = field(default_factory=set)
    failed: list[int] = field(default_factory=list)

    @staticmethod
    def of(entries: Iterable[Entry]) -> Tally:
        tally = Tally()
        for entry in entries:
            tally.add(entry)
        return tally

    def add(self, entry: Entry) -> None:
        self.verdicts[entry.verdict] += 1
        self.families.setdefault(entry.family, collections.Counter())[entry.verdict] += 1
        self.counts.update(entry.counts)
        self.seconds.update(entry.seconds)
        self.problems.update(entry.problems)
        if entry.problems:
            self.failed.append(entry.seed)
        else:
            self.done.add(entry.seed)

    @property
    def programs(self) -> int:
        return self.verdicts.total()

    def summary(self) -> str:
        shown = ", ".join(f"{name} {number:,}" for name, number in sorted(self.verdicts.items()))
        return f"{self.programs:,} programs: {shown}; {len(self.failed)} with a problem"

    def __str__(self) -> str:
        lines = [self.summary()]
        lines += [f"{number:12,}  {name}" for name, number in sorted(self.counts.items())]
        lines += [f"{number:12,.1f}  seconds of {name}" for name, number in self.seconds.most_common()]
        lines += [f"{number:12,}  PROGRAMS with {name}" for name, number in sorted(self.problems.items())]
        return "\n".join(lines)

    # -- the table

    def table(self) -> str:
        """For docs/results.md."""
        return "\n\n".join((self._families(), self._engines(), self._rest()))

    def _families(self) -> str:
        head = ("programs", "all", "racy", "race-free, shared", "race-free, other", "not finished", "skipped")
        names = ("racy", "shared", "unshared", "unfinished", "skipped")
        rows = [
            (f"`{family}`", *(f"{number:,}" for number in (counts.total(), *(counts[name] for name in names))))
            for family in FAMILIES
            if (counts := self.families.get(family))
        ]
        shares = [self.verdicts[name] / max(self.programs, 1) for name in names]
        rows.append(("all", f"{self.programs:,}", *(f"{self.verdicts[name]:,}" for name in names)))
        rows.append(("share", "", *(f"{share:.0%}" for share in shares)))
        return markdown_table(head, rows)

    def _engines(self) -> str:
        head = ("engine or search", "programs", "pairs", "proved", "races", "decided")
        rows = []
        for engine in ENGINES:
            programs, pairs, proved, races = (
                self.counts[f"{engine}: {what}"] for what in ("programs", "pairs", "proved", "races")
            )
            if programs:
                share = f"{(proved + races) / max(pairs, 1):.0%}"
                rows.append((f"`{engine}`", *(f"{number:,}" for number in (programs, pairs, proved, races)), share))
        return markdown_table(head, rows)

    def _rest(self) -> str:
        counts = self.counts
        answers = ", ".join(f"{counts[f'evidence: {a}']:,} {a}" for a in ("accepted", "not checked", "rejected"))
        changes = ", ".join(f"{name} {counts[f'changed, {name}']:,}" for name in CHANGES)
        became = sum(counts[f"changed, {name}: from race-free to racy"] for name in CHANGES)
        problems = "; ".join(f"{name}: {number}" for name, number in sorted(self.problems.items()))
        return (
            f"{counts['pairs']:,} pairs; seeds {_ranges(self.done | set(self.failed))}. Contradictions:"
            f" {len(self.failed)}{f' ({problems})' if problems else ''}. Evidence: {answers}. The interpreter of the IR"
            f" looked at {counts['interpreter: programs']:,} programs, ThreadSanitizer at"
            f" {counts['sanitizer: programs']:,}: it reported {counts['sanitizer: races']:,} races in"
            f" {counts['sanitizer: racy programs']:,} of them. Changed programs ({changes}): {became:,} became racy."
            f" {self.seconds.total() / 3600:.1f} hours on {machine()}."
        )

    def write(self) -> None:
        """A shorter run stands beside the last long one, which it does not replace."""
        section = "soak" if self.programs >= LONG else "soak-latest"
        replace_block(section, f"`make soak`\n\n{self.table()}")


_RANGES: Final = 5
"""A light soak leaves seeds out everywhere: so many ranges that nobody would read them."""


def _ranges(seeds: set[int]) -> str:
    """Consecutive seeds as first to last; of many ranges, how many seeds between which two."""
    parts: list[list[int]] = []
    for seed in sorted(seeds):
        if parts and seed == parts[-1][1] + 1:
            parts[-1][1] = seed
        else:
            parts.append([seed, seed])
    if len(parts) > _RANGES:
        return f"{len(seeds):,} of {parts[0][0]:,} to {parts[-1][1]:,}"
    return ", ".join(f"{first:,} to {last:,}" if first != last else f"{first:,}" for first, last in parts)
