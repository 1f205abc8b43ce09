"""Compare the algorithms on many programs: `python -m exploration.soak --seed S --count N --jobs J --out DIR`.

To be started in `tests`. Seeds that `DIR/done.txt` lists are not run again, so the same command goes on where it was
ended. A program on which the algorithms disagree is saved in DIR, as generated and made smaller, with what each
algorithm said; the status is then 1.
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
from dataclasses import dataclass
from pathlib import Path

from differential.preamble import as_source

from exploration.compare import LIMITS, Comparison, Limits, compare_source, forget_programs
from exploration.generator import MODES, generate
from exploration.shrinker import shrink_problem
from exploration.syntax import render

CHUNK = 20
WEAK_SHARE = 5  # every so many programs one has weaker atomics
INTERPRETED_SHARE = 10  # and so many go to the interpreter, too


@dataclass(frozen=True, slots=True)
class Settings:
    out: Path
    mode: str | None
    limits: Limits
    shrink_seconds: float


@dataclass(frozen=True, slots=True)
class Chunk:
    settings: Settings
    seeds: tuple[int, ...]


@dataclass(slots=True)
class Tally:
    """Counts of some programs; executions by algorithm over programs that were compared, race-free ones only."""

    counts: collections.Counter[str]
    executions: collections.Counter[str]
    failed: list[int]
    done: list[int]

    @staticmethod
    def empty() -> Tally:
        return Tally(collections.Counter(), collections.Counter(), [], [])

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.executions += other.executions
        self.failed += other.failed
        self.done += other.done

    def note(self, seed: int, mode: str, found: Comparison) -> None:
        self.done.append(seed)
        self.counts["programs"] += 1
        self.counts[mode] += 1
        if found.skipped is not None:
            self.counts[f"skipped ({found.skipped.split(':')[0]})"] += 1
        elif found.outcomes:
            self.counts["racy" if found.is_racy else "race-free"] += 1
            if mode == "sc" and not found.is_racy:
                self.executions.update({name: outcome.executions for name, outcome in found.outcomes.items()})
            self.counts["deadlocks"] += any(outcome.incidents for outcome in found.outcomes.values())
        if found.problems:
            self.failed.append(seed)
            self.counts["DISAGREE"] += 1
            self.counts.update(f"  {kind}" for kind in found.kinds)

    def __str__(self) -> str:
        shown = ", ".join(f"{name} {number}" for name, number in sorted(self.counts.items()))
        executions = ", ".join(f"{name} {number:,}" for name, number in self.executions.items())
        return f"{shown}\nexecutions, race-free programs without weak atomics: {executions or 'none'}"


def mode_of(seed: int) -> str:
    return "weak" if seed % WEAK_SHARE == WEAK_SHARE - 1 else "sc"


def run_chunk(chunk: Chunk) -> Tally:
    """Some seeds, in a process of their own or not."""
    tally = Tally.empty()
    settings = chunk.settings
    with tempfile.TemporaryDirectory(prefix="exploration-") as directory:
        for seed in chunk.seeds:
            mode = settings.mode or mode_of(seed)
            source = generate(seed, mode)
            interpreted = seed % INTERPRETED_SHARE == 0
            found = compare_source(source, settings.limits, interpreted, Path(directory))
            tally.note(seed, mode, found)
            if found.problems:
                small = shrink_problem(source, found, settings.limits, settings.shrink_seconds)
                again = compare_source(small, settings.limits, interpreted, Path(directory))
                for name, program, said in (("whole", source, found), ("small", small, again)):
                    said_lines = "".join(f"// {line}\n" for line in str(said).splitlines())
                    text = f"{as_source(render(program))}// seed {seed}, mode {mode}; lines without the headers:\n"
                    (settings.out / f"{mode}-{seed}-{name}.c").write_text(text + said_lines, encoding="utf-8")
    forget_programs(_cache(settings.out, multiprocessing.current_process().name))
    return tally


def _cache(out: Path, worker: str) -> Path:
    return out / "cache" / worker


def _start_worker(out: Path) -> None:
    """Ctrl-C is for the parent; each worker builds in a cache of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["RACEPROOF_CACHE"] = str(_cache(out, multiprocessing.current_process().name))


def _chunks(settings: Settings, seeds: list[int]) -> Iterator[Chunk]:
    for at in range(0, len(seeds), CHUNK):
        yield Chunk(settings, tuple(seeds[at : at + CHUNK]))


def soak(settings: Settings, seeds: list[int], jobs: int) -> Tally:
    """Compare all of them, print how it goes, and note in `done.txt` what need not be run again."""
    total = Tally.empty()
    settings.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with (
        context.Pool(jobs, _start_worker, (settings.out,)) as pool,
        (settings.out / "done.txt").open("a", encoding="utf-8") as notes,
    ):
        for tally in pool.imap_unordered(run_chunk, _chunks(settings, seeds)):
            total.add(tally)
            failed = set(tally.failed)
            notes.writelines(f"{seed} {'FAILED' if seed in failed else 'ok'}\n" for seed in tally.done)
            notes.flush()
            seconds = time.monotonic() - started
            rate = len(total.done) / max(seconds, 0.001)
            left = (len(seeds) - len(total.done)) / max(rate, 0.001)
            print(
                f"{len(total.done):,} of {len(seeds):,}, {seconds:.0f} s, {rate:.1f}/s, {left:.0f} s left, "
                f"{total.counts['racy']} racy, {len(total.failed)} disagree",
                flush=True,
            )
            for seed in sorted(failed):
                print(f"  seed {seed}: see {settings.out}/*-{seed}-small.c", flush=True)
    return total


def seeds_done(out: Path) -> set[int]:
    """Seeds that ended well; those that failed are run again."""
    notes = out / "done.txt"
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    return {int(line.split()[0]) for line in lines if line.endswith(" ok")}


def main() -> int:
    parser = argparse.ArgumentParser(description="compare the algorithms of the explorer on generated programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("soak"))
    parser.add_argument("--mode", choices=MODES, help="default: one program of five is weak")
    parser.add_argument("--executions", type=int, default=LIMITS.executions)
    parser.add_argument("--seconds", type=float, default=LIMITS.seconds)
    parser.add_argument("--shrink-seconds", type=float, default=120.0)
    args = parser.parse_args()
    settings = Settings(args.out.resolve(), args.mode, Limits(args.executions, args.seconds), args.shrink_seconds)
    done = seeds_done(settings.out)
    seeds = [seed for seed in range(args.seed, args.seed + args.count) if seed not in done]
    if len(seeds) < args.count:
        print(f"{args.count - len(seeds):,} programs were compared before, and agreed")
    try:
        total = soak(settings, seeds, args.jobs)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
