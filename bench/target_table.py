"""Rebuild Table 2 of [DHTC]: the platforms, and what the same search costs on each.

    python bench/target_table.py             prints the tables
    python bench/target_table.py --write     and puts them into docs/results.md

The host is this machine. Targets: aarch64, arm and riscv64 under qemu-user (Debian's package `qemu-user`; left out
where it is not installed), x86 as this machine runs it. The coding and communication program goes to all of them with
the method of the paper, the launch control program (Fig. 12) to x86 with 2 to 10 task threads. What a target counts
must be what the host counts: else the status is 1. Under qemu a second is not one of a board: the columns compare host
and target on one machine, as the paper's Fig. 10 divides them, not the processors of its Table 2.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.exploring import Explored, Job, explore
from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof.frontend import Cache

PROGRAMS = Path(__file__).resolve().parent / "tables"
TIME_LIMIT = 600
"""Far more than a search takes: the limit in executions ends it."""
MAX_EXECUTIONS = 2_000
_METHOD = "dhtc"
_COUNTS = ("executions", "transitions", "blocked", "data_conflicts")


@dataclass(frozen=True, slots=True)
class Platform:
    """`triple` and `via` as for `raceproof explore`; None for the host. `model` is the data model."""

    name: str
    model: str
    triple: str | None = None
    via: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        if self.triple is None or self.via is None:
            return ("--data-model", self.model)
        return ("--target", self.triple, "--via", self.via)

    @property
    def is_here(self) -> bool:
        return self.via is None or self.via == "{}" or shutil.which(self.via.split()[0]) is not None

    @property
    def runs_on(self) -> str:
        """What executes it, with its version."""
        if self.via is None:
            return "this machine"
        if self.via == "{}":
            return "this machine, static, musl"
        done = subprocess.run([self.via.split()[0], "--version"], capture_output=True, text=True, check=True)
        return done.stdout.split("\n")[0].split(" (")[0]


HOST = Platform("host (x86-64)", "LP64")
HOST_32 = Platform("host (32-bit)", "ILP32")
TARGETS = (
    Platform("aarch64", "LP64", "aarch64-linux-musl", "qemu-aarch64 {}"),
    Platform("arm", "ILP32", "arm-linux-musleabihf", "qemu-arm {}"),
    Platform("riscv64", "LP64", "riscv64-linux-musl", "qemu-riscv64 {}"),
    Platform("x86", "ILP32", "x86-linux-musl", "{}"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A program with so many threads, and the platforms that it goes to besides the host."""

    name: str
    file: str
    threads: int
    targets: tuple[str, ...]
    flags: tuple[str, ...] = ()


CASES = (
    *(Case("coding", "coding.c", n, ("aarch64", "arm", "riscv64", "x86")) for n in (2, 4)),
    *(Case("coding-bug", "coding.c", n, ("aarch64", "arm", "riscv64", "x86"), ("-DRACES",)) for n in (2, 4)),
    *(Case("launch", "launch.c", n, ("x86",)) for n in range(2, 11, 2)),
    *(Case("launch-bug", "launch.c", n, ("x86",), ("-DRACES",)) for n in range(2, 11, 2)),
)


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    platform: Platform
    host: Explored
    there: Explored

    @property
    def fault(self) -> str | None:
        for found in (self.host, self.there):
            if found.report is None:
                return found.verdict
        for name in _COUNTS:
            here, there = self.host.count(name), self.there.count(name)
            if here != there:
                return f"{name}: {there:,}, on the host {here:,}"
        return (
            f"{self.there.races} races, on the host {self.host.races}" if self.host.races != self.there.races else None
        )


def measured(case: Case, platform: Platform, cache: Path, is_built: bool) -> Explored:
    job = Job(
        PROGRAMS / case.file,
        _METHOD,
        (f"-DTHREADS={case.threads}", *case.flags),
        pairs="all",
        max_executions=MAX_EXECUTIONS,
        options=platform.options,
    )
    found = explore(job, TIME_LIMIT, cache, times=1, is_built=is_built)
    print(f"{case.name} {case.threads}, {platform.name}: {found.seconds:.3f} s, {found.verdict}", file=sys.stderr)
    return found


def measure(case: Case, cache: Path, known: set[Platform]) -> list[Row]:
    """On the host once for each data model that the targets have. `known`: platforms whose runtime is built."""
    rows, hosts = [], {}

    def on(platform: Platform) -> Explored:
        found = measured(case, platform, cache, platform in known)
        known.add(platform)
        return found

    for platform in TARGETS:
        if platform.name not in case.targets or not platform.is_here:
            continue
        if platform.model not in hosts:
            hosts[platform.model] = on(HOST if platform.model == "LP64" else HOST_32)
        rows.append(Row(case, platform, hosts[platform.model], on(platform)))
    return rows


def format_platforms() -> str:
    rows = [(HOST.name, "x86_64-linux-gnu", "64", HOST.runs_on)]
    rows += [
        (p.name, str(p.triple), "64" if p.model == "LP64" else "32", p.runs_on if p.is_here else "not installed")
        for p in TARGETS
    ]
    return markdown_table(("platform", "compiled for", "bits", "executed by"), rows, left=4)


def format_rows(rows: Sequence[Row]) -> str:
    head = ("program", "target", "thrd", "traces", "trans", "races", "host s", "target s", "factor")
    return markdown_table(
        head,
        [
            (
                row.case.name if row.fault is None else f"**{row.case.name}: {row.fault}**",
                row.platform.name,
                str(row.case.threads),
                f"{row.there.count('executions'):,}",
                f"{row.there.count('transitions'):,}",
                str(row.there.races),
                f"{row.host.seconds:.3f}",
                f"{row.there.seconds:.3f}",
                f"{row.there.seconds / row.host.seconds:,.1f}" if row.host.seconds else "",
            )
            for row in rows
        ],
        left=2,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="rebuild Table 2 of [DHTC]: host and target")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{RESULTS.name}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="targets-") as directory:
        cache = Cache.default().root or Path(directory)  # where the C library of each target may be already
        known: set[Platform] = set()
        chosen = [case for case in CASES if not args.only or case.name in args.only]
        rows = [row for case in chosen for row in measure(case, cache, known)]
    text = f"{format_platforms()}\n\n{format_rows(rows)}"
    print(text)
    if args.write:
        command = f"`.venv/bin/python bench/target_table.py --write`, algorithm `{_METHOD}`, all pairs, at most"
        command += f" {MAX_EXECUTIONS:,} executions; CPU seconds of the search; {machine()}."
        replace_block("tables-targets", f"{command}\n\n{text}")
    return 0 if all(row.fault is None for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
