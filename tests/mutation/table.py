"""The table of a run: how many mutants of each module the tests notice, and why the others do no harm."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutation.sandbox import ROOT
from mutation.trial import Result

sys.path.insert(0, str(ROOT))

from bench.results import markdown_table, replace_block

HARMLESS = Path(__file__).with_name("harmless.toml")
_WIDEST = 110


@dataclass(frozen=True, slots=True)
class Row:
    """One module. `mutants`: how many it has in all, of which those of `results` were tried."""

    module: str
    mutants: int
    results: tuple[Result, ...]

    @property
    def survivors(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.how is None)


def read_harmless(path: Path = HARMLESS) -> dict[tuple[str, str], str]:
    """(module, change) -> why it may survive."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return {(module, change): why for module, changes in data.items() for change, why in changes.items()}


def unexplained(rows: Sequence[Row], harmless: dict[tuple[str, str], str]) -> list[Result]:
    return [r for row in rows for r in row.survivors if (r.module, r.name) not in harmless]


def as_text(rows: Sequence[Row], harmless: dict[tuple[str, str], str]) -> str:
    lines = [f"{'module':34} {'mutants':>8} {'tried':>6} {'noticed':>8} {'harmless':>9} {'open':>5}"]
    for row, counts in _counted(rows, harmless):
        lines.append(f"{row.module:34} {row.mutants:8} {counts[0]:6} {counts[1]:8} {counts[2]:9} {counts[3]:5}")
    for result in unexplained(rows, harmless):
        lines.append(f"SURVIVES src/raceproof/{result.module}:{result.line}: {result.name}")
    return "\n".join(lines)


def as_markdown(rows: Sequence[Row], harmless: dict[tuple[str, str], str], command: str) -> str:
    head = ("module", "mutants", "tried", "noticed", "harmless", "open")
    counted = _counted([row for row in rows if row.results], harmless)
    body = [(f"`{row.module}`", str(row.mutants), *map(str, counts)) for row, counts in counted]
    total = [sum(row.mutants for row, _ in counted), *(sum(c[i] for _, c in counted) for i in range(4))]
    parts = [command, "", markdown_table(head, [*body, ("all", *map(str, total))])]
    survivors = [r for row in rows for r in row.survivors]
    if survivors:
        parts += ["", "Those that no test notices:", ""]
        for result in survivors:
            why = harmless.get((result.module, result.name), "**not looked at yet**")
            parts.append(f"- `{result.module}`, `{_short(result.name)}`: {why}")
    return "\n".join(parts)


def write(rows: Sequence[Row], harmless: dict[tuple[str, str], str], command: str) -> None:
    replace_block("mutation", as_markdown(rows, harmless, command))


def _counted(rows: Sequence[Row], harmless: dict[tuple[str, str], str]) -> list[tuple[Row, tuple[int, ...]]]:
    counted: list[tuple[Row, tuple[int, ...]]] = []
    for row in rows:
        survivors = row.survivors
        known = sum((r.module, r.name) in harmless for r in survivors)
        tried = len(row.results)
        counted.append((row, (tried, tried - len(survivors), known, len(survivors) - known)))
    return counted


def _short(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}..."
