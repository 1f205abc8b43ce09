"""Rebuild Table 1 of [PDP], and Table 3 and Fig. 12 of [DHTC], on programs of our own of the same kind.

    python bench/tables.py                       all of them; prints them
    python bench/tables.py --write               and puts them into docs/results.md
    python bench/tables.py --max-executions 0    without a limit but for the time, as the papers did

The programs are in bench/tables, and one of bench/real, if it has been fetched. The baseline of [PDP] is `dpor`; that
of [DHTC], DPOR with sleep sets, is `dhtc --no-pruning`. A search that a limit ends is shown with what it had done by
then. Ends with status 1 if a method disagrees with its baseline about races, or needs more executions.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.exploring import Explored, Job, explore
from bench.real.recipes import Provenance, Recipe, load_recipes
from bench.results import RESULTS, machine, markdown_table, replace_block

PROGRAMS = Path(__file__).resolve().parent / "tables"
TIME_LIMIT = 600
"""Far more than a search takes: the limit in executions ends it, so that other work on the machine changes nothing."""
MAX_EXECUTIONS = 20_000
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
    def sources(self) -> tuple[Path, ...]:
        return (PROGRAMS / self.file,)

    def job(self, source: Path) -> Job:
        """What is the same for all searches; all pairs are watched, as nothing else has proved any."""
        flags = (f"-DTHREADS={self.threads}", *self.flags)
        arguments = (str(source),) if self.takes_file else ()
        return Job(PROGRAMS / self.file, "", flags, arguments, pairs="all", find_all=self.find_all)


@dataclass(frozen=True, slots=True)
class RealCase:
    """A program of bench/real that has been fetched; `arguments`: those of programs.toml, for so many threads."""

    recipe: Recipe
    threads: int
    arguments: tuple[str, ...]
    is_racy: bool = False
    find_all: bool = True

    @property
    def name(self) -> str:
        provenance = Provenance.load(self.recipe.tree)
        return f"{self.recipe.name} {provenance.version}" if provenance is not None else self.recipe.name

    @property
    def sources(self) -> tuple[Path, ...]:
        return tuple(self.recipe.tree / file for file in self.recipe.sources())

    def job(self, source: Path) -> Job:
        first, *others = self.recipe.sources()
        tree, flags = self.recipe.tree, self.recipe.cflags
        return Job(
            tree / first, "", flags, self.arguments, pairs="all", find_all=True, others=tuple(others), directory=tree
        )


def real_cases() -> tuple[RealCase, ...]:
    """pnscan is what Debian has of the kind of pfscan and aget that can be run: workers, a shared next address."""
    recipe = load_recipes()["pnscan"]
    if Provenance.load(recipe.tree) is None:
        print("pnscan is left out: bench/real/fetch.py pnscan", file=sys.stderr)
        return ()
    return tuple(RealCase(recipe, n, (f"-n{n}", "127.0.0.1:127.0.0.2", "9")) for n in (2, 4))


PDP_CASES = (
    # All races are looked for: until the first one, `dpor` needs 2 to 7 executions, which shows nothing.
    *(Case(f"fdrd{n}", "fdrd.c", 2, (f"-DROUNDS={n}",), is_racy=True, find_all=True) for n in (2, 4, 8)),
    Case("qsort", "qsort.c", 2),
    Case("pfscan-good", "pfscan.c", 2),
    Case("pfscan-bug", "pfscan.c", 2, ("-DBUG",), is_racy=True, find_all=True),
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
    case: Case | RealCase
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


def measure(
    case: Case | RealCase, limits: Limits, cache: Path, source: Path, searches: Sequence[tuple[str, ...]]
) -> Row:
    """Each search is an algorithm and its options: the baseline, the method and, for [PDP], the method as printed."""
    found: list[Explored] = []
    for algorithm, *options in searches:
        job = replace(case.job(source), algorithm=algorithm, max_executions=limits.executions, options=tuple(options))
        found.append(explore(job, limits.seconds, cache, times=1, is_built=True))  # the limit is far away
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


def _locks(sources: Sequence[Path]) -> int:
    """Mutexes that the sources declare."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    declarations = re.findall(r"^(?:static )?pthread_mutex_t (.*);$", text, re.MULTILINE)
    return sum(len(declaration.split(",")) for declaration in declarations)


def _lines(sources: Sequence[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in sources)


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
                f"{_lines(row.case.sources):,}",
                str(row.case.threads),
                str(_variables(row.method)),
                str(_sites(row.method)),
                str(_locks(row.case.sources)),
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
    cases: Callable[[], Sequence[Case | RealCase]]
    searches: tuple[tuple[str, ...], ...]
    format: Callable[[Sequence[Row]], str]


_DHTC_SEARCHES = (("dhtc", "--no-pruning"), ("dhtc",))
TABLES = (
    Table(
        "tables-pdp", lambda: (*PDP_CASES, *real_cases()), (("dpor",), ("pdp",), ("pdp", "--as-printed")), format_pdp
    ),
    Table("tables-dhtc", lambda: DHTC_CASES, _DHTC_SEARCHES, format_dhtc),
    Table("tables-launch", lambda: LAUNCH_CASES, _DHTC_SEARCHES, format_dhtc),
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
    limits = Limits(args.time_limit, args.max_executions)
    is_fine = True
    with tempfile.TemporaryDirectory(prefix="tables-") as directory:
        source = Path(directory) / "source.txt"
        source.write_text("".join(chr(97 + i % 26) for i in range(4096)), encoding="utf-8")
        for table in TABLES:
            chosen = [case for case in table.cases() if not args.only or case.name in args.only]
            rows = [measure(case, limits, Path(directory), source, table.searches) for case in chosen]
            if not rows:
                continue
            text = "\n".join((table.format(rows), "", *(f"- {line}" for line in growth(rows))))
            print(f"\n{text}")
            is_fine &= all(row.fault is None for row in rows)
            if args.write:
                limit = f"at most {limits.executions:,} executions each"
                command = f"`make tables` (`.venv/bin/python bench/tables.py --write`), {limit}; {machine()}."
                replace_block(table.block, f"{command}\n\n{text}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
