"""Many generated programs before all engines: `python -m exploration.soak --seed S --minutes M --jobs J --out DIR`.

To be started in `tests`. What a seed showed is a line of `DIR/programs.jsonl`; seeds that are there without a problem
are not run again, so the same command goes on where it was ended. A program with a problem (see `exploration.judging`)
is saved in DIR, as generated and made smaller, with what everybody said; the status is then 1. `--write` puts the
table of all that DIR holds into docs/results.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import queue
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from differential.preamble import as_source

from exploration.compare import forget_programs
from exploration.families import FAMILIES, Specimen, specimen
from exploration.judging import LIMITS, Judged, Plan, judge
from exploration.plans import everybody, is_light, light_plan_of, plan_of
from exploration.searches import Limits
from exploration.shrinker import shrink_problem
from exploration.tally import Entry, Tally, read_entries
from raceproof.explore.build import build_host
from raceproof.native.library import build_library
from raceproof.petri.solver import kernel

CHUNK: Final = 20
CHUNKS_OF_A_WORKER: Final = 10
"""What raceproof remembers of programs that it has seen grows: each worker sees some, and is followed by a new one."""
PROGRAMS: Final = "programs.jsonl"


@dataclass(frozen=True, slots=True)
class Settings:
    out: Path
    family: str | None
    limits: Limits
    shrink_seconds: float
    plan: Callable[[Specimen], Plan]


@dataclass(frozen=True, slots=True)
class Chunk:
    settings: Settings
    seeds: tuple[int, ...]


def run_chunk(chunk: Chunk) -> list[Entry]:
    """Some seeds, in a process of their own or not."""
    settings = chunk.settings
    entries = []
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        for seed in chunk.seeds:
            whole = specimen(seed, settings.family)
            plan = settings.plan(whole)
            found = judge(whole, plan, Path(name), settings.limits)
            entries.append(Entry.of(whole, found))
            if found.problems:
                _save(whole, "whole", found, settings.out)
                small = shrink_problem(whole, found, plan, Path(name), settings.limits, settings.shrink_seconds)
                _save(small, "small", judge(small, plan, Path(name), settings.limits), settings.out)
    forget_programs(_cache(settings.out))
    return entries


def _save(program: Specimen, what: str, found: Judged, out: Path) -> None:
    said = "".join(f"// {line}\n" for line in str(found).splitlines())
    text = f"{as_source(program.text)}// seed {program.seed}, {program.family}; lines without the headers:\n{said}"
    (out / f"{program.family}-{program.seed}-{what}.c").write_text(text, encoding="utf-8")


def _cache(out: Path) -> Path:
    return out / "cache" / multiprocessing.current_process().name


def _start_worker(out: Path) -> None:
    """Ctrl-C is for the parent; each worker has a cache of its own, with raceproof's own programs in it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = _cache(out)
    shutil.copytree(out / "cache" / "common", own, dirs_exist_ok=True)
    os.environ["RACEPROOF_CACHE"] = str(own)


def _build(out: Path) -> None:
    """What raceproof builds once for all programs: not on anybody's time."""
    os.environ["RACEPROOF_CACHE"] = str(out / "cache" / "common")
    build_host()
    kernel()
    build_library("octagon")


def _chunks(settings: Settings, seeds: Iterator[int], end: float) -> Iterator[Chunk]:
    """As long as there is time."""
    while time.monotonic() < end and (part := tuple(itertools.islice(seeds, CHUNK))):
        yield Chunk(settings, part)


def soak(settings: Settings, seeds: Iterator[int], jobs: int, seconds: float) -> Tally:
    """Judge programs until there are no more seeds, or no more time; print how it goes."""
    total = Tally()
    settings.out.mkdir(parents=True, exist_ok=True)
    _build(settings.out)
    started = time.monotonic()
    chunks = _chunks(settings, seeds, started + seconds)
    done: queue.SimpleQueue[list[Entry] | BaseException] = queue.SimpleQueue()
    context = multiprocessing.get_context("spawn")
    with (
        context.Pool(jobs, _start_worker, (settings.out,), maxtasksperchild=CHUNKS_OF_A_WORKER) as pool,
        (settings.out / PROGRAMS).open("a", encoding="utf-8") as notes,
    ):
        running = 0
        while True:
            for chunk in itertools.islice(chunks, 2 * jobs - running):
                pool.apply_async(run_chunk, (chunk,), callback=done.put, error_callback=done.put)
                running += 1
            if not running:
                break
            entries = done.get()  # whichever is through: a program that takes long does not keep the others from work
            running -= 1
            if isinstance(entries, BaseException):
                raise entries
            for entry in entries:
                total.add(entry)
                notes.write(json.dumps(entry.to_json()) + "\n")
                if entry.problems:
                    print(f"  seed {entry.seed}: {', '.join(entry.problems)}: see {settings.out}", flush=True)
            notes.flush()
            passed = time.monotonic() - started
            rate = total.programs / max(passed, 0.001)
            print(f"{passed:.0f} s, {rate:.1f}/s: {total.summary()}", flush=True)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description="all engines on generated programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=1_000_000_000, help="how many seeds, at most")
    parser.add_argument("--minutes", type=float, default=60.0, help="no new programs after this time")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("soak"))
    parser.add_argument("--family", choices=FAMILIES, help="default: all of them, by turns")
    depth = parser.add_mutually_exclusive_group()
    depth.add_argument("--thorough", action="store_true", help="every engine on every program")
    depth.add_argument(
        "--light", action="store_true", help="what costs most in every twelfth round only: for many programs"
    )
    parser.add_argument("--executions", type=int, default=LIMITS.executions, help="of one search on one program")
    parser.add_argument("--seconds", type=float, default=LIMITS.seconds, help="for one engine on one program")
    parser.add_argument("--shrink-seconds", type=float, default=120.0)
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    limits = Limits(args.executions, args.seconds)
    plan = everybody if args.thorough else light_plan_of if args.light else plan_of
    settings = Settings(args.out.resolve(), args.family, limits, args.shrink_seconds, plan)
    before = Tally.of(read_entries(settings.out / PROGRAMS))
    if before.programs:
        print(f"before: {before.summary()}", flush=True)
    seeds = (seed for seed in range(args.seed, args.seed + args.count) if seed not in before.done)
    if args.light:
        seeds = (seed for seed in seeds if is_light(seed))
    try:
        soak(settings, seeds, args.jobs, 60.0 * args.minutes)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    total = Tally.of(read_entries(settings.out / PROGRAMS))
    print(total)
    if args.write:
        total.write()
    return 1 if total.failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
