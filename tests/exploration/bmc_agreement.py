"""The engine `bmc` against `dfs`, program by program: `python -m exploration.bmc_agreement --count N --out DIR`.

To be started in `tests`. `dfs` tries every schedule with every value of the inputs (`exploration.small_loops` sees to
it that there are few), so that it knows all races. What is compared, pair by pair:

- `bmc` proves no pair that `dfs` has executed as a race;
- it executes no race that `dfs` does not know;
- it misses no race, unless its time was up before every loop was unwound, or the race has no run in which both
  threads stand before their accesses: that is behind another race, or behind a weaker atomic (`docs/soundness.md`);
- every model is executed.

Seeds that `DIR/done.txt` lists are not run again, so the same command goes on where it was ended. A program on which
the two disagree is saved in DIR, as generated and made smaller; the status is then 1.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from differential.preamble import as_preprocessed, as_source

from exploration.compare import Key, Problem, forget_programs
from exploration.shrinker import shrink
from exploration.small_loops import MODES, generate, input_ranges, mode_of
from exploration.soak import seeds_done
from exploration.syntax import Source, render
from raceproof import explore, frontend, portfolio
from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.explore.candidates import candidates
from raceproof.facts import analyse, race_pairs
from raceproof.frontend import Cache, CompileRequest
from raceproof.ir import Program
from raceproof.model import CheckResult, PairResult, RacePair, Schedule, Scope, Verdict

ENGINE: Final = "bmc"
ROUNDS: Final = 3
"""As often a loop of a generated program may go round: beyond it there is nothing to be found."""
CHUNK: Final = 10
_TIME_WAS_UP: Final = "the solver has not answered within"
_INPUTS_NOTE: Final = "bounded: not all values of the inputs were tried"


@dataclass(frozen=True, slots=True)
class Limits:
    """Executions and seconds of `dfs`; seconds of `bmc`. What does not end within them is not compared."""

    executions: int = 200_000
    seconds: float = 30.0
    solving: float = 20.0


LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Oracle:
    """What `dfs` knows. `together`: races with a run after which both threads stand before their accesses."""

    pairs: int
    races: frozenset[Key]
    together: frozenset[Key]
    executions: int
    stopped: str | None


@dataclass(slots=True)
class Agreement:
    """What the two said about one program. `skipped` says why nothing was compared; `seconds` are those of `bmc`."""

    skipped: str | None = None
    oracle: Oracle | None = None
    lines: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    seconds: float = 0.0

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(problem.kind for problem in self.problems)

    def __str__(self) -> str:
        lines = [f"skipped: {self.skipped}"] if self.skipped is not None else []
        lines += [str(problem) for problem in self.problems]
        if self.oracle is not None:
            lines.append(f"dfs: {self.oracle.executions} executions, {self.oracle.stopped or 'complete'}")
        return "\n".join([*lines, *self.lines])


def is_available() -> bool:
    return ENGINE in portfolio.ENGINES


# -- one program


def compare_source(source: Source, limits: Limits = LIMITS, directory: Path | None = None) -> Agreement:
    with contextlib.ExitStack() as stack:
        if directory is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agreement-")))
        return compare_text(render(source), limits, directory)


def compare_text(text: str, limits: Limits, directory: Path) -> Agreement:
    """Both on one program, which is C without headers."""
    result = Agreement()
    file = directory / "program.i"
    file.write_text(as_preprocessed(text), encoding="utf-8")
    request = frontend.from_files([file])
    try:
        program = frontend.load(request, cache=Cache(None))
    except (InputError, Unsupported) as error:
        result.problems.append(Problem("front end", str(error)))
        return result
    missing = _values_not_tried(program, text)
    if missing:
        result.problems.append(Problem("inputs", f"dfs does not try {missing}"))
        return result
    try:
        result.oracle = find_all_races(program, request, limits)
    except (Unsupported, LimitReached) as error:
        result.skipped = f"dfs: {error}"
        return result
    if result.oracle.stopped is not None:
        result.skipped = f"dfs: {result.oracle.stopped}"
        return result
    start = time.monotonic()
    try:
        checked = _solved(program, request, limits)
    except Exception:
        result.problems.append(Problem("crash of bmc", traceback.format_exc()))
        return result
    result.seconds = time.monotonic() - start
    result.problems += disagreements(result.oracle, checked, result.counts)
    result.lines += [_described(pair, result.oracle) for pair in checked.pairs]
    return result


def _values_not_tried(program: Program, text: str) -> list[int]:
    tried = {value for _, value in candidates(program)}
    return [value for low, high in input_ranges(text) for value in range(low, high + 1) if value not in tried]


def _key(pair: RacePair) -> Key:
    first, second = sorted((int(pair.first), int(pair.second)))
    return first, second


def find_all_races(program: Program, request: CompileRequest, limits: Limits) -> Oracle:
    """Every schedule with every value of the inputs; `stopped` if it was not that."""
    cp = analyse(program, Budget.seconds(limits.seconds))
    pairs = race_pairs(cp)
    options = explore.ExploreOptions(
        module=frontend.link_program(request, cache=Cache(None)),
        algorithm="dfs",
        find_all=True,
        max_executions=limits.executions,
        confirmations=0,
    )
    found = explore.run(cp, pairs, options, Budget.seconds(limits.seconds))
    races = {_key(f.pair): f.evidence for f in found.findings if f.verdict is Verdict.RACE}
    together = [key for key, evidence in races.items() if isinstance(evidence, Schedule) and evidence.together]
    cut = next((note for note in found.notes if note.startswith("bounded: ") and note != _INPUTS_NOTE), None)
    executions = int(found.stats["executions"])
    return Oracle(len(pairs), frozenset(races), frozenset(together), executions, found.stopped or cut)


def _solved(program: Program, request: CompileRequest, limits: Limits) -> CheckResult:
    """All pairs by `bmc` alone, its models executed."""
    settings = portfolio.Settings(request=request, search=explore.ExploreOptions(find_all=True), looks=False)
    return portfolio.check(program, (ENGINE,), Budget.seconds(limits.solving), settings)


def disagreements(oracle: Oracle, checked: CheckResult, counts: collections.Counter[str]) -> Iterator[Problem]:
    """What `bmc` said wrongly or not at all; `counts` is told how often it said what."""
    counts["pairs"] += len(checked.pairs)
    stopped = next((report.stopped for report in checked.engines if report.name == ENGINE), None)
    counts["programs that bmc did not finish"] += stopped is not None
    rounds = next((int(report.stats.get("unwinding", 0)) for report in checked.engines if report.name == ENGINE), 0)
    if len(checked.pairs) != oracle.pairs:
        yield Problem("pairs", f"{len(checked.pairs)} for bmc, {oracle.pairs} for dfs")
    for pair in checked.pairs:
        key = _key(pair.pair)
        said = _said(pair)
        races = key in oracle.races
        counts[f"{said}, {'race' if races else 'no race'}"] += 1
        if races and said == "proved":
            yield Problem("UNSOUND", _described(pair, oracle))
        elif not races and said == "race":
            yield Problem("race of bmc alone", _described(pair, oracle))
        elif key in oracle.together and said == "open" and any(_TIME_WAS_UP in text for text in pair.evidence):
            counts["open for want of time, race"] += 1
        elif key in oracle.together and said != "race" and (stopped is None or rounds > ROUNDS):
            yield Problem("race missed", _described(pair, oracle))
        if any(text.startswith("possible") for text in pair.evidence):
            yield Problem("model not executed", _described(pair, oracle))
    for report in checked.engines:
        if report.name == ENGINE and report.stats.get("not_executed", 0):
            yield Problem("model not executed", f"not_executed is {report.stats['not_executed']}")


def _said(pair: PairResult) -> str:
    if pair.verdict is Verdict.RACE:
        return "race"
    if pair.verdict is Verdict.RACE_FREE:
        return "proved"
    return "bounded" if pair.scope is Scope.BOUNDED else "open"


def _described(pair: PairResult, oracle: Oracle) -> str:
    ends = " and ".join(f"line {a.pos.line if a.pos else '?'} ({a.kind.value})" for a in pair.accesses)
    key = _key(pair.pair)
    known = "no race"
    if key in oracle.races:
        known = "race, both stand before it" if key in oracle.together else "race"
    return f"{pair.target}, {ends}: dfs: {known}; bmc: {_said(pair)}: {'; '.join(pair.evidence)}"


# -- many programs


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
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    failed: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        self.seconds += other.seconds
        self.counts += other.counts
        self.failed += other.failed
        self.done += other.done

    def note(self, source: Source, found: Agreement) -> None:
        self.done.append(source.seed)
        self.counts[f"programs, {source.mode}"] += 1
        self.counts += found.counts
        self.seconds += found.seconds
        if found.skipped is not None:
            self.counts[f"programs skipped ({found.skipped})"] += 1
        elif found.oracle is not None:
            self.counts["programs racy" if found.oracle.races else "programs race-free"] += 1
        if found.problems:
            self.failed.append(source.seed)
            self.counts.update(f"PROGRAMS with {kind}" for kind in found.kinds)

    def __str__(self) -> str:
        lines = [f"{number:12,}  {name}" for name, number in sorted(self.counts.items())]
        return "\n".join([*lines, f"{self.seconds:12,.1f}  seconds of bmc, with what it executed"])


def shrink_problem(source: Source, found: Agreement, settings: Settings) -> Source:
    wanted = min(found.kinds)
    return shrink(
        source,
        lambda candidate: wanted in compare_source(candidate, settings.limits).kinds,
        settings.shrink_seconds,
    )


def run_chunk(chunk: Chunk) -> Tally:
    tally = Tally()
    settings = chunk.settings
    with tempfile.TemporaryDirectory(prefix="agreement-") as directory:
        for seed in chunk.seeds:
            source = generate(seed, settings.mode or mode_of(seed))
            found = compare_source(source, settings.limits, Path(directory))
            tally.note(source, found)
            if found.problems:
                small = shrink_problem(source, found, settings)
                again = compare_source(small, settings.limits, Path(directory))
                for name, program, said in (("whole", source, found), ("small", small, again)):
                    said_lines = "".join(f"// {line}\n" for line in str(said).splitlines())
                    text = f"{as_source(render(program))}// seed {seed}; lines without the headers:\n{said_lines}"
                    (settings.out / f"{source.mode}-{seed}-{name}.c").write_text(text, encoding="utf-8")
    forget_programs(_cache(settings.out))
    return tally


def _cache(out: Path) -> Path:
    return out / "cache" / multiprocessing.current_process().name


def _start_worker(out: Path) -> None:
    """Ctrl-C is for the parent; each worker builds in a cache of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["RACEPROOF_CACHE"] = str(_cache(out))


def soak(settings: Settings, seeds: list[int], jobs: int) -> Tally:
    """Compare all of them, print how it goes, and note in `done.txt` what need not be run again."""
    total = Tally()
    settings.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    chunks = [Chunk(settings, tuple(seeds[at : at + CHUNK])) for at in range(0, len(seeds), CHUNK)]
    context = multiprocessing.get_context("spawn")
    with (
        context.Pool(jobs, _start_worker, (settings.out,)) as pool,
        (settings.out / "done.txt").open("a", encoding="utf-8") as notes,
    ):
        for tally in pool.imap_unordered(run_chunk, chunks):
            total.add(tally)
            failed = set(tally.failed)
            notes.writelines(f"{seed} {'FAILED' if seed in failed else 'ok'}\n" for seed in tally.done)
            notes.flush()
            rate = len(total.done) / max(time.monotonic() - started, 0.001)
            print(f"{len(total.done):,} of {len(seeds):,}, {rate:.1f}/s, {len(total.failed)} disagree", flush=True)
            for seed in sorted(failed):
                print(f"  seed {seed}: see {settings.out}/*-{seed}-small.c", flush=True)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description="compare bmc with dfs on generated programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("soak-bmc"))
    parser.add_argument("--mode", choices=MODES, help="default: one program of eight is weak, two are rich")
    parser.add_argument("--executions", type=int, default=LIMITS.executions)
    parser.add_argument("--seconds", type=float, default=LIMITS.seconds, help="for dfs on one program")
    parser.add_argument("--solving", type=float, default=LIMITS.solving, help="seconds for bmc on one program")
    parser.add_argument("--shrink-seconds", type=float, default=120.0)
    args = parser.parse_args()
    limits = Limits(args.executions, args.seconds, args.solving)
    settings = Settings(args.out.resolve(), args.mode, limits, args.shrink_seconds)
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
