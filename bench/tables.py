"""Rebuild Table 1 of [PDP], and Table 3 and Fig. 12 of [DHTC], on programs of our own of the same kind.

    python bench/tables.py                       all of them; prints them
    python bench/tables.py --write               and puts them into docs/results.md
    python bench/tables.py --max-executions 0    without a limit but for the time, as the papers did

The programs are in bench/tables. The baseline of [PDP] is `dpor`; that of [DHTC], DPOR with sleep sets, is
`dhtc --no-pruning`. A search that a limit ends is shown with what it had done by then. Ends with status 1
if a method disagrees with its baseline about races, or needs more executions.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.exploring import Explored, Job, explore
from bench.results import RESULTS, machine, markdown_table, replace_block

PROGRAMS = Path(__file__).resolve().parent / "tables"
TIME_LIMIT = 60
MAX_EXECUTIONS = 20_000
_TIMES = 2  # of a short search; the quickest counts
_BASE_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Case:
    """A row. `takes_file`: the program reads a local file whose name is its argument."""

    name: str
    file: str
    threads: int
    flags: tuple[str, ...] = ()
    is_racy: bool = False
    takes_file: bool = False
    find_all: bool = False

    @property
    def all_flags(self) -> tuple[str, ...]:
        return (f"-DTHREADS={self.threads}", *self.flags)


PDP_CASES = (
    # Until the first race `dpor` needs 5 and 7 executions, which shows nothing.
    Case("fdrd2", "fdrd.c", 2, ("-DROUNDS=2",), is_racy=True, find_all=True),
    Case("fdrd4", "fdrd.c", 2, ("-DROUNDS=4",), is_racy=True, find_all=True),
    Case("qsort", "qsort.c", 2),
    Case("pfscan-good", "pfscan.c", 2),
    Case("pfscan-bug", "pfscan.c", 2, ("-DBUG",), is_racy=True),
    *(Case("aget", "aget.c", threads, takes_file=True) for threads in (3, 4, 5)),
    *(Case("bzip2smp", "bzip2smp.c", threads) for threads in (4, 5, 6)),
    *(Case("bzip2smp2", "bzip2smp.c", threads, ("-DMANY",)) for threads in (4, 5, 6, 10)),
)
DHTC_CASES = (
    *(Case("coding", "coding.c", threads, find_all=True) for threads in range(2, 7)),
    *(Case("coding-bug", "coding.c", threads, ("-DRACES",), is_racy=True, find_all=True) for threads in range(2, 7)),
)
LAUNCH_CASES = (
    *(Case("launch", "launch.c", threads, find_all=True) for threads in range(2, 11, 2)),
    *(
        Case("launch-bug", "launch.c", threads, ("-DRACES",), is_racy=True, find_all=True)
        for threads in range(2, 11, 2)
    ),
)


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    baseline: Explored
    method: Explored
    printed: Explored | None = None

    @property
    def fault(self) -> str | None:
        """What contradicts the papers; nothing is said about a search that was cut short."""
        for found in (self.baseline, self.method):
            if found.report is None:
                return f"{_name(found)}: {found.verdict}"
        for found in (self.method, self.baseline):
            if found.is_complete and bool(found.races) != self.case.is_racy:
                return f"{_name(found)}: {found.races} races"
        if self.baseline.is_complete and self.method.count("executions") > self.baseline.count("executions"):
            return f"{_name(self.method)} needs more executions than {_name(self.baseline)}"
        return None


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: int
    executions: int


def _name(found: Explored) -> str:
    return "dpor, sleep sets" if "--no-pruning" in found.job.options else found.job.algorithm


def measure(case: Case, limits: Limits, cache: Path, source: Path, searches: Sequence[tuple[str, ...]]) -> Row:
    """Each search is an algorithm and its options: the baseline, the method and, for [PDP], the method as printed."""
    arguments = (str(source),) if case.takes_file else ()
    found = []
    for algorithm, *options in searches:
        # All pairs are watched, as nothing else has proved any.
        job = Job(
            PROGRAMS / case.file,
            algorithm,
            case.all_flags,
            arguments,
            pairs="all",
            find_all=case.find_all,
            max_executions=limits.executions,
            options=tuple(options),
        )
        found.append(explore(job, limits.seconds, cache, _TIMES))
        print(
            f"{case.name} {case.threads}, {' '.join((algorithm, *options))}: {found[-1].count('executions'):,} "
            f"executions, {found[-1].seconds:.3f} s, {found[-1].verdict}",
            file=sys.stderr,
            flush=True,
        )
    return Row(case, *found)


def _variables(found: Explored) -> int:
    """Variables as the programmer declared them: the parts of an array count as one."""
    names = {_BASE_NAME.match(str(pair["target"])) for pair in found.pairs}
    return len({name.group() for name in names if name is not None})


def _sites(found: Explored) -> int:
    accesses = [access for pair in found.pairs for access in pair["accesses"]]
    return len({(access["file"], access["line"], access["column"], access["kind"]) for access in accesses})


def _locks(file: str) -> int:
    """Mutexes that the source declares."""
    text = (PROGRAMS / file).read_text(encoding="utf-8")
    declarations = re.findall(r"^static pthread_mutex_t (.*);$", text, re.MULTILINE)
    return sum(declaration.count("PTHREAD_MUTEX_INITIALIZER") for declaration in declarations)


def _lines(file: str) -> int:
    return len((PROGRAMS / file).read_text(encoding="utf-8").splitlines())


def _limited(found: Explored, text: str) -> str:
    ended = found.is_complete or (found.verdict == "race" and not found.job.find_all)
    return text if ended else f"&gt;{text}"


def _label(row: Row) -> str:
    return row.case.name if row.fault is None else f"**{row.case.name}: {row.fault}**"


def format_pdp(rows: Sequence[Row]) -> str:
    head = (
        "program", "loc", "thrd", "gvar", "accs", "lock", "race", "dpor s", "pdp s", "dpor trans (k)",
        "pdp trans (k)", "dpor traces", "pdp traces", "checks", "yes", "skipped", "as printed: traces", "skipped",
    )  # fmt: skip
    return markdown_table(
        head,
        [
            (
                _label(row),
                str(_lines(row.case.file)),
                str(row.case.threads),
                str(_variables(row.method)),
                str(_sites(row.method)),
                str(_locks(row.case.file)),
                str(row.method.races),
                *(_limited(found, f"{found.seconds:.3f}") for found in (row.baseline, row.method)),
                *(_limited(found, f"{found.count('transitions') / 1000:,.1f}") for found in (row.baseline, row.method)),
                *(_limited(found, f"{found.count('executions'):,}") for found in (row.baseline, row.method)),
                f"{row.method.count('subspace_checks'):,}",
                f"{row.method.count('subspace_race_free'):,}",
                f"{row.method.count('backtracks_skipped'):,}",
                *_printed(row.printed),
            )
            for row in rows
        ],
    )


def _printed(found: Explored | None) -> tuple[str, str]:
    if found is None:
        return "", ""
    return _limited(found, f"{found.count('executions'):,}"), f"{found.count('backtracks_skipped'):,}"


def format_dhtc(rows: Sequence[Row]) -> str:
    """Of each search transitions, time, data conflicts (not confirmed) and races, as in the paper, and the traces."""
    columns = ("traces", "trans (k)", "s", "conflicts", "races")
    head = ("program", "target", "thrd", *(f"sleep: {c}" for c in columns), *(f"dhtc: {c}" for c in columns))
    return markdown_table(
        head,
        [
            (
                _label(row),
                platform.machine(),
                str(row.case.threads),
                *(cell for found in (row.baseline, row.method) for cell in _dhtc_cells(found)),
            )
            for row in rows
        ],
        left=2,
    )


def _dhtc_cells(found: Explored) -> tuple[str, ...]:
    return (
        _limited(found, f"{found.count('executions'):,}"),
        _limited(found, f"{found.count('transitions') / 1000:,.1f}"),
        _limited(found, f"{found.seconds:.3f}"),
        str(found.count("data_conflicts") - found.races),
        str(found.races),
    )


def growth(rows: Sequence[Row]) -> list[str]:
    """How the traces grow from the fewest to the most threads of a program."""
    lines = []
    for name in dict.fromkeys(row.case.name for row in rows):
        group = [row for row in rows if row.case.name == name]
        if len(group) < 2:
            continue
        first, last = group[0], group[-1]
        factors = []
        for a, b in ((first.baseline, last.baseline), (first.method, last.method)):
            if not a.is_complete:
                factors.append(f"{_name(b)} unknown")
                continue
            factor = b.count("executions") / max(1, a.count("executions"))
            more = "" if b.is_complete else "more than "
            factors.append(f"{_name(b)} {more}{factor:,.1f}")
        span = f"{first.case.threads} to {last.case.threads} threads"
        lines.append(f"{name}, {span}: traces grow by the factor {'; '.join(factors)}.")
    return lines


@dataclass(frozen=True, slots=True)
class Table:
    block: str
    cases: tuple[Case, ...]
    searches: tuple[tuple[str, ...], ...]
    format: Callable[[Sequence[Row]], str]


_DHTC_SEARCHES = (("dhtc", "--no-pruning"), ("dhtc",))
TABLES = (
    Table("tables-pdp", PDP_CASES, (("dpor",), ("pdp",), ("pdp", "--as-printed")), format_pdp),
    Table("tables-dhtc", DHTC_CASES, _DHTC_SEARCHES, format_dhtc),
    Table("tables-launch", LAUNCH_CASES, _DHTC_SEARCHES, format_dhtc),
)


def main() -> int:
    parser = argparse.ArgumentParser(description="rebuild the tables of the papers")
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS", help="for each search")
    parser.add_argument(
        "--max-executions", type=int, default=MAX_EXECUTIONS, metavar="N", help="for each search; 0: no limit"
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{RESULTS.name}")
    args = parser.parse_args()
    if os.getloadavg()[0] > 0.5:
        print(f"other work is running here (load {os.getloadavg()[0]:.1f}): times will be too long", file=sys.stderr)
    limits = Limits(args.time_limit, args.max_executions)
    is_fine = True
    with tempfile.TemporaryDirectory(prefix="tables-") as directory:
        source = Path(directory) / "source.txt"
        source.write_text("".join(chr(97 + i % 26) for i in range(4096)), encoding="utf-8")
        for table in TABLES:
            chosen = [case for case in table.cases if not args.only or case.name in args.only]
            rows = [measure(case, limits, Path(directory), source, table.searches) for case in chosen]
            if not rows:
                continue
            text = "\n".join((table.format(rows), "", *(f"- {line}" for line in growth(rows))))
            print(f"\n{text}")
            is_fine &= all(row.fault is None for row in rows)
            if args.write:
                limit = f"at most {limits.executions:,} executions and {limits.seconds} s each"
                command = f"`make tables` (`.venv/bin/python bench/tables.py --write`), {limit}; {machine()}."
                replace_block(table.block, f"{command}\n\n{text}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
