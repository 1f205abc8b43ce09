"""Rebuild Table 1 of [PDP] and Table 3 of [DHTC] on programs of our own of the same kind.

    python bench/tables.py                    both tables; prints them
    python bench/tables.py --write            and puts them into docs/results.md
    python bench/tables.py --time-limit 3600  as long as the paper waited

The programs are in bench/tables. Of [DHTC, Table 3], data conflicts are not shown; its baseline has sleep sets, `dpor`
has none. A search that the time limit ends is shown with what it had done by then. Ends with status 1
if a method disagrees with `dpor` about races, or needs more executions.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.exploring import Explored, Job, explore
from bench.results import RESULTS, machine, markdown_table, replace_block

PROGRAMS = Path(__file__).resolve().parent / "tables"
TIME_LIMIT = 60
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

    @property
    def all_flags(self) -> tuple[str, ...]:
        return (f"-DTHREADS={self.threads}", *self.flags)


PDP_CASES = (
    Case("fdrd2", "fdrd.c", 2, ("-DROUNDS=1",), is_racy=True),
    Case("fdrd4", "fdrd.c", 2, ("-DROUNDS=2",), is_racy=True),
    Case("qsort", "qsort.c", 2),
    Case("pfscan-good", "pfscan.c", 2),
    Case("pfscan-bug", "pfscan.c", 2, ("-DBUG",), is_racy=True),
    *(Case("aget", "aget.c", threads, takes_file=True) for threads in (3, 4, 5)),
    *(Case("bzip2smp", "bzip2smp.c", threads) for threads in (4, 5, 6)),
    *(Case("bzip2smp2", "bzip2smp.c", threads, ("-DMANY",)) for threads in (4, 5, 6, 10)),
)
DHTC_CASES = (
    *(Case("coding", "coding.c", threads) for threads in (2, 3, 4, 5, 6)),
    *(Case("coding-bug", "coding.c", threads, ("-DRACES",), is_racy=True) for threads in (2, 3)),
)


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    dpor: Explored
    method: Explored

    @property
    def fault(self) -> str | None:
        """What contradicts the papers; nothing is said about a search that was cut short."""
        for found in (self.dpor, self.method):
            if found.report is None:
                return f"{found.job.algorithm}: {found.verdict}"
        if self.method.is_complete and bool(self.method.races) != self.case.is_racy:
            return f"{self.method.job.algorithm}: {self.method.races} races"
        if self.dpor.is_complete and bool(self.dpor.races) != self.case.is_racy:
            return f"dpor: {self.dpor.races} races"
        if self.dpor.is_complete and self.method.count("executions") > self.dpor.count("executions"):
            return f"{self.method.job.algorithm} needs more executions than dpor"
        return None


def measure(case: Case, method: str, time_limit: int, cache: Path, source: Path) -> Row:
    arguments = (str(source),) if case.takes_file else ()
    found = []
    for algorithm in ("dpor", method):
        # The papers stop at the first race; all pairs are watched, as nothing else has proved any.
        job = Job(PROGRAMS / case.file, algorithm, case.all_flags, arguments, pairs="all", find_all=method == "dhtc")
        found.append(explore(job, time_limit, cache))
        print(
            f"{case.name} {case.threads}, {algorithm}: {found[-1].count('executions'):,} executions, "
            f"{found[-1].seconds:.3f} s, {found[-1].verdict}",
            file=sys.stderr,
            flush=True,
        )
    return Row(case, found[0], found[1])


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


def format_rows(rows: Sequence[Row], method: str) -> str:
    head = (
        "program", "loc", "thrd", "gvar", "accs", "lock", "race", "dpor s", f"{method} s", "dpor trans (k)",
        f"{method} trans (k)", "dpor traces", f"{method} traces", "checks", "yes", "skipped",
    )  # fmt: skip
    return markdown_table(
        head,
        [
            (
                row.case.name if row.fault is None else f"**{row.case.name}: {row.fault}**",
                str(_lines(row.case.file)),
                str(row.case.threads),
                str(_variables(row.method)),
                str(_sites(row.method)),
                str(_locks(row.case.file)),
                str(row.method.races),
                *(_limited(found, f"{found.seconds:.3f}") for found in (row.dpor, row.method)),
                *(_limited(found, f"{found.count('transitions') / 1000:,.1f}") for found in (row.dpor, row.method)),
                *(_limited(found, f"{found.count('executions'):,}") for found in (row.dpor, row.method)),
                f"{row.method.count('subspace_checks'):,}",
                f"{row.method.count('subspace_race_free'):,}",
                f"{row.method.count('backtracks_skipped'):,}",
            )
            for row in rows
        ],
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
        for a, b in ((first.dpor, last.dpor), (first.method, last.method)):
            factor = b.count("executions") / max(1, a.count("executions"))
            more = "" if b.is_complete else "more than "
            factors.append(f"{b.job.algorithm} {more}{factor:,.1f}")
        span = f"{first.case.threads} to {last.case.threads} threads"
        lines.append(f"{name}, {span}: traces grow by the factor {', '.join(factors)}.")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description="rebuild the tables of the papers")
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS", help="for each search")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{RESULTS.name}")
    args = parser.parse_args()
    if os.getloadavg()[0] > 0.5:
        print(f"other work is running here (load {os.getloadavg()[0]:.1f}): times will be too long", file=sys.stderr)
    is_fine = True
    with tempfile.TemporaryDirectory(prefix="tables-") as directory:
        source = Path(directory) / "source.txt"
        source.write_text("".join(chr(97 + i % 26) for i in range(4096)), encoding="utf-8")
        for block, method, cases in (("tables-pdp", "pdp", PDP_CASES), ("tables-dhtc", "dhtc", DHTC_CASES)):
            chosen = [case for case in cases if not args.only or case.name in args.only]
            rows = [measure(case, method, args.time_limit, Path(directory), source) for case in chosen]
            if not rows:
                continue
            text = "\n".join((format_rows(rows, method), "", *(f"- {line}" for line in growth(rows))))
            print(f"\n{text}")
            is_fine &= all(row.fault is None for row in rows)
            if args.write:
                limit = f"at most {args.time_limit} s each"
                command = f"`make tables` (`.venv/bin/python bench/tables.py --write`), {limit}; {machine()}."
                replace_block(block, f"{command}\n\n{text}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
