"""The tables in docs/results.md: each stands between two marks and is replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results.md"

_INTRO = """# Results

What raceproof was measured to do. Each table stands below the command that makes it; the command
replaces the table.
"""
_SECTIONS = {
    "static": (
        "## Generated programs: time and memory by size",
        """`bench/generate.py` writes programs with threads of a given size: modules with global and heap state
under locks, atomics, read-only and private state, pure functions, services that call them, 4 to 12
start functions, two phases. A program without planted races has none; three races are planted in the
others. *cold* is a run with an empty cache, *warm* the run after it. Times are wall-clock seconds.""",
    ),
    "portfolio": (
        "## The portfolio: what each engine is worth",
        """All programs of `tests/programs`, whose truth stands on their lines, by engines alone and together.
*pairs by*: race pairs that this engine decided.""",
    ),
    "corpus": (
        "## Programs with known verdicts",
        "The SV-COMP tasks *pthread-race-challenges* at hand, each checked alone, as a user would.",
    ),
    "explore": (
        "## The explorer: executions a second, and how many are needed",
        """Programs with a known number of Mazurkiewicz traces, in `bench/explore/`; named `TxI`: T threads, each
I times lock, increment, unlock. CPU seconds of one core, for the search alone.""",
    ),
    "tables-pdp": (
        "## Property-driven pruning: Table 1 of [PDP]",
        """Programs of our own of the same kind, in `bench/tables/`: `gvar` variables with accesses that may conflict,
`accs` places of such accesses in the source, `race` racing pairs found. The search ends with the first race; a
figure behind `>` is where the time limit ended it. Times are CPU seconds of the search.""",
    ),
    "tables-dhtc": (
        "## Thread states and locksets: Table 3 of [DHTC]",
        """A coding and communication program with 2 to 6 threads, `bench/tables/coding.c`; in `coding-bug` two status
words race. All races are looked for. Columns as above.""",
    ),
    "petri": (
        "## Coverability of Petri nets",
        """Nets on which coverability tools are usually compared, in mist's format, with known verdicts. *solver*: the
native kernel, its evidence checked by `petri/checking.py` (*check*: seconds); *plain*: the backward search of
[PN, Fig. 4] as written, without accelerations. *basis*, *invariants*: the certificate of a safe net; *steps*: the run
of an unsafe one.""",
    ),
    "tables-petri": (
        "## Any number of threads: Table 1 of [PN]",
        """The paper's seven examples, in `examples/sml/`, by its algorithm as written ([PN, Fig. 4]) and, under
*native*, by ours; *paper* is the column before it as the paper has it. All answers are checked by
`petri/checking.py`. *run*: steps of the shortest run to a race. Verdicts are the paper's. The counts differ, as far as
can be said of nets that the paper does not print:

- *kept* is Explored at the end, without the configuration that ends an unsafe search. The second table counts it:
  then Counter has as many as in the paper.
- *subsumed*: Fig. 4 takes predecessors by every transition, also by one that gives no token that is wanted; those are
  discarded at once, but counted, as are those that a smaller one drives out of Explored. The second table counts
  neither: then Counter has as many as in the paper, other programs still more.
- *iterations* are rounds of breadth; an unsafe search has one more than in the paper, in which the run is found: the
  paper's numbers are the lengths of our runs.
- Of the safe programs the paper keeps fewer. It "narrowed down the examples to a characteristic part"; ours are whole,
  with every access and branch as two transitions. CounterWithLock with nothing but the write under the lock, the last
  row of the second table, keeps as many as there.
- In the paper's net a wait ends only by a signal. In its Figure 2 all threads wait before anyone signals, so that
  Prods/Cons never gets to the buffer; the native solver's basis says so. With spurious wakeups, which POSIX allows and
  which are our default, threads get there, and the lock keeps them apart.""",
    ),
    "inputs": (
        "## Races that need an input or a rare schedule",
        """The programs of `tests/programs/inputs`: the explorer alone, with the values that it tries by itself, `bmc`
alone, and both. *not found*: the engines ended without the race. The twins have no race.""",
    ),
    "witnesses": (
        "## Witnesses: Table 2 of [TX]",
        """A row for each race that `bmc` found and the explorer executed, in programs of our own: those of
`bench/witness`, and one race of each program of `tests/programs/inputs`. *depth*: steps of the run that was
executed. *s* and *MB*: seconds and memory, at most, of a process that looks for this one race, with what it takes
to load the program; beside it the same without slices, and without what the static analysis knows.""",
    ),
    "tables-transactions": (
        "## Invariants take warnings away: Table 1 of [TX]",
        """Drivers of our own (`bench/drivers/`, some with real races) and real programs as Debian distributes them
(`bench/real/`). *shared*: variables and fields that two threads touch, one of them writing. *lockset*, *petri*: pairs
of accesses that are open after this engine; *intervals*, *octagons*, *polyhedra*: after the engine `transactions` has
gone so far; *s*: seconds of each. *total s* is the whole check, the front end included, behind `>` if the time limit
ended it. A race that is known to be there must stay open.""",
    ),
    "octagons": (
        "## Octagons: the native kernel against numpy",
        """Matrices of random constraints over so many variables, closed over the integers. Both are called from Python;
their results are equal. Best of five.""",
    ),
    "real": (
        "## Real programs",
        "Sources as Debian distributes them, fetched by `bench/real/fetch.py`, analysed whole.",
    ),
}


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table whose first `left` columns are text and the others numbers."""
    align = ["---" if column < left else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, align, *rows))


def machine() -> str:
    """What a reader needs to judge the times."""
    return f"{os.cpu_count()} cores"


def replace_block(name: str, body: str, path: Path = RESULTS) -> None:
    """Put `body` between the marks of `name`; adds the file or the section if it is not there yet."""
    begin, end = f"<!-- bench:{name} begin -->", f"<!-- bench:{name} end -->"
    text = path.read_text(encoding="utf-8") if path.exists() else _INTRO
    block = f"{begin}\n{body.strip()}\n{end}"
    start, stop = text.find(begin), text.find(end)
    if start >= 0 and stop > start:
        text = text[:start] + block + text[stop + len(end) :]
    else:
        title, intro = _SECTIONS[name]
        text = f"{text.rstrip()}\n\n{title}\n\n{intro}\n\n{block}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
