"""Engines that prove, on many programs: `python -m exploration.soak_values --seed S --count N --jobs J --out DIR`.

To be started in `tests`. Seeds that `DIR/done.txt` lists as well ended are not run again. A program of which an engine
proves what `dfs` executes is saved in DIR, as generated and made smaller; the status is then 1.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from differential.preamble import as_source

from exploration.compare import Limits, forget_programs
from exploration.proving import LIMITS, PROVERS, Judged, judge_all, judge_one
from exploration.shrinker import shrink
from exploration.soak import seeds_done
from exploration.syntax import Source, render
from exploration.values import generate
from raceproof.core import RaceproofError

CHUNK = 5
"""Programs of one run of the compiler: each of them is built with all the others in its module."""


@dataclass(frozen=True, slots=True)
class Settings:
    out: Path
    engines: tuple[str, ...]
    limits: Limits
    shrink_seconds: float


@dataclass(frozen=True, slots=True)
class Chunk:
    settings: Settings
    seeds: tuple[int, ...]


@dataclass(slots=True)
class Tally:
    """Counts of some programs. `open`: pairs that nobody proved and that do not race."""

    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    failed: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.failed += other.failed
        self.done += other.done

    def note(self, seed: int, found: Judged) -> None:
        self.done.append(seed)
        self.counts["programs"] += 1
        self.counts["racy programs"] += found.racing > 0
        self.counts["not finished by dfs"] += not found.complete
        self.counts["pairs"] += found.pairs
        self.counts["pairs that race"] += found.racing
        self.counts["pairs left open"] += found.pairs - found.racing - sum(found.alone.values())
        self.counts.update({f"pairs by {name}": number for name, number in found.alone.items()})
        if found.problems:
            self.failed.append(seed)
            self.counts.update(f"PROBLEM {kind}" for kind in found.kinds)

    def __str__(self) -> str:
        return ", ".join(f"{name} {number:,}" for name, number in sorted(self.counts.items()))


def run_chunk(chunk: Chunk) -> Tally:
    tally = Tally()
    settings = chunk.settings
    with tempfile.TemporaryDirectory(prefix="values-") as name:
        directory = Path(name)
        sources = [generate(seed) for seed in chunk.seeds]
        judged = judge_all(sources, settings.engines, directory, settings.limits)
        for source, found in zip(sources, judged, strict=True):
            tally.note(source.seed, found)
            if found.problems:
                _save(source, "whole", found, settings)
                small = make_smaller(source, found, settings, directory)
                _save(small, "small", judge_one(small, settings.engines, directory, settings.limits), settings)
    forget_programs(_cache(settings.out))
    return tally


def make_smaller(source: Source, found: Judged, settings: Settings, directory: Path) -> Source:
    """Keep at least one sort of problem that the program had."""
    wanted = min(found.kinds)

    def still_fails(candidate: Source) -> bool:
        try:
            return wanted in judge_one(candidate, settings.engines, directory, settings.limits).kinds
        except RaceproofError:  # a program that is no longer one
            return False

    return shrink(source, still_fails, settings.shrink_seconds)


def _save(source: Source, what: str, found: Judged, settings: Settings) -> None:
    said = "".join(f"// {line}\n" for line in str(found).splitlines())
    text = f"{as_source(render(source))}// seed {source.seed}; lines without the headers:\n{said}"
    (settings.out / f"values-{source.seed}-{what}.c").write_text(text, encoding="utf-8")


def _cache(out: Path) -> Path:
    return out / "cache" / multiprocessing.current_process().name


def _start_worker(out: Path) -> None:
    """Ctrl-C is for the parent; each worker builds in a cache of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["RACEPROOF_CACHE"] = str(_cache(out))


def _chunks(settings: Settings, seeds: list[int]) -> Iterator[Chunk]:
    for at in range(0, len(seeds), CHUNK):
        yield Chunk(settings, tuple(seeds[at : at + CHUNK]))


def soak(settings: Settings, seeds: list[int], jobs: int) -> Tally:
    """Judge all of them, print how it goes, and note in `done.txt` what need not be run again."""
    total = Tally()
    started = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with (
        context.Pool(jobs, _start_worker, (settings.out,)) as pool,
        (settings.out / "done.txt").open("a", encoding="utf-8") as notes,
    ):
        for tally in pool.imap_unordered(run_chunk, _chunks(settings, seeds)):
            total.add(tally)
            notes.writelines(f"{seed} {'FAILED' if seed in tally.failed else 'ok'}\n" for seed in tally.done)
            notes.flush()
            for seed in sorted(tally.failed):
                print(f"  seed {seed}: see {settings.out}/values-{seed}-small.c", flush=True)
            if len(total.done) % 100 < CHUNK:
                seconds = time.monotonic() - started
                rate = len(total.done) / max(seconds, 0.001)
                print(f"{len(total.done):,} of {len(seeds):,}, {seconds:.0f} s, {rate:.1f}/s: {total}", flush=True)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description="hold what engines prove against executions of generated programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("soak-values"))
    parser.add_argument("--engines", default=",".join(PROVERS), help="default: all that only prove")
    parser.add_argument("--executions", type=int, default=LIMITS.executions)
    parser.add_argument("--seconds", type=float, default=LIMITS.seconds)
    parser.add_argument("--shrink-seconds", type=float, default=120.0)
    args = parser.parse_args()
    engines = tuple(args.engines.split(","))
    unknown = [name for name in engines if name not in PROVERS]
    if unknown:
        parser.error(f"no engine {', '.join(unknown)}: there are {', '.join(PROVERS)}")
    settings = Settings(args.out.resolve(), engines, Limits(args.executions, args.seconds), args.shrink_seconds)
    settings.out.mkdir(parents=True, exist_ok=True)
    done = seeds_done(settings.out)
    seeds = [seed for seed in range(args.seed, args.seed + args.count) if seed not in done]
    try:
        total = soak(settings, seeds, args.jobs)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
