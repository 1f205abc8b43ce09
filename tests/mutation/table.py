"""The table of a run: how many mutants of each module the tests notice, and why the others do no harm."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutation.sandbox import ROOT
from mutation.subjects import SUBJECTS
from mutation.trial import Result

sys.path.insert(0, str(ROOT))

from bench.results import markdown_table, read_block, replace_block

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


def as_markdown(rows: Sequence[Row], harmless: dict[tuple[str, str], str], command: str, before: str = "") -> str:
    """The table and its survivors. `before`: of the same command, whose other modules keep their lines."""
    lines, survivors = _lines_of(before)
    for row, counts in _counted([row for row in rows if row.results], harmless):
        lines[row.module] = (str(row.mutants), *map(str, counts))
        survivors[row.module] = [
            f"- `{row.module}`, `{_short(r.name)}`: {harmless.get((r.module, r.name), '**not looked at yet**')}"
            for r in row.survivors
        ]
    modules = [m for subject in SUBJECTS for m in subject.modules if m in lines]
    head = ("module", "mutants", "tried", "noticed", "harmless", "open")
    total = ("all", *(str(sum(int(lines[m][column]) for m in modules)) for column in range(len(head) - 1)))
    parts = [command, "", markdown_table(head, [*((f"`{m}`", *lines[m]) for m in modules), total])]
    found = [line for m in modules for line in survivors[m]]
    return "\n".join(parts + (["", "Those that no test notices:", "", *found] if found else []))


def _lines_of(block: str) -> tuple[dict[str, tuple[str, ...]], dict[str, list[str]]]:
    """What a table that was written before has of each module: its numbers, and the lines of its survivors."""
    numbers: dict[str, tuple[str, ...]] = {}
    survivors: dict[str, list[str]] = {}
    for line in block.splitlines():
        if line.startswith("| `"):
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            numbers[name.strip("`")] = tuple(cells)
            survivors[name.strip("`")] = []
        elif line.startswith("- `"):
            survivors[line.split("`")[1]].append(line)
    return numbers, survivors


def write(rows: Sequence[Row], harmless: dict[tuple[str, str], str], command: str) -> None:
    """Into docs/results.md. Modules that were not tried keep what is there, if that is of the same sample."""
    before = read_block("mutation")
    replace_block("mutation", as_markdown(rows, harmless, command, before if command in before else ""))


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
