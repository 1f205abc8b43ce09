"""`raceproof bench`: check many programs whose verdicts are known, score the answers, compare runs."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from raceproof import __version__, corpora, portfolio
from raceproof.cli.check import engine_names
from raceproof.cli.clusters import refuse_cluster_argument
from raceproof.cli.options import Commands, positive
from raceproof.cli.output import ResultFile, discard, is_interactive, wants_color
from raceproof.cli.progress import Progress
from raceproof.cli.status import Exit
from raceproof.core import InputError

_TIME_LIMIT = 60.0
_RUNS = Path("raceproof-bench")


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """`out`: None for a new directory in `raceproof-bench`. `command` is what to type to go on, but for --out."""

    corpus: Path
    out: Path | None
    engines: tuple[str, ...]
    time_limit: float
    jobs: int
    cflags: tuple[str, ...]
    data_model: str | None
    headers: str
    html: str | None
    verbose: bool
    command: tuple[str, ...]

    @staticmethod
    def of(args: argparse.Namespace) -> BenchOptions:
        command = ["raceproof", "bench", str(args.corpus)]
        for name in ("engines", "time_limit", "jobs", "data_model", "headers"):
            if getattr(args, name) is not None:
                command += [f"--{name.replace('_', '-')}", str(getattr(args, name))]
        command += [f"--cflag={flag}" for flag in args.cflag]
        return BenchOptions(
            corpus=args.corpus,
            out=args.out,
            engines=engine_names(args.engines),
            time_limit=args.time_limit or _TIME_LIMIT,
            jobs=int(args.jobs or max(1, (os.cpu_count() or 1) // 2)),
            cflags=tuple(args.cflag),
            data_model=args.data_model,
            headers=args.headers or "auto",
            html=args.html,
            verbose=args.verbose > 0,
            command=tuple(command),
        )

    def settings(self, corpus: corpora.Corpus) -> corpora.Settings:
        return corpora.Settings(
            corpus=corpus.name,
            path=str(corpus.path),
            programs=len(corpus.tasks),
            digest=corpus.digest,
            version=__version__,
            code=corpora.code_digest(),
            engines=self.engines,
            time_limit=self.time_limit,
            cflags=self.cflags,
            data_model=self.data_model,
            headers=self.headers,
            jobs=self.jobs,
        )


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "bench",
        help="check a corpus of programs with known verdicts, and score the answers",
        description="Check every program of a corpus with known verdicts, each by a `raceproof check` of its own, and "
        "score the answers as SV-COMP does: 2 points for a proof, 1 for a race, -16 for a race that is none, -32 for a "
        "proof of a racy program. A corpus is a directory with expected.tsv (file, tab, `race` or `race-free`) or "
        "SV-COMP task definitions (.yml), at any depth; or an SV-COMP .set. "
        "Exit status: 0 nothing is wrong, 1 a verdict is wrong (with --compare: is wrong now), 2 bad input, or no "
        "program could be checked.",
        usage="%(prog)s [options] CORPUS | --compare RUN1 RUN2",
    )
    parser.add_argument(
        "corpus", nargs="?", type=Path, metavar="CORPUS", help="a directory, expected.tsv, .set or .yml"
    )
    parser.add_argument(
        "--engines",
        metavar="NAMES",
        help=f"engines to run, with commas between (there are, and by default all run: {', '.join(portfolio.ENGINES)})",
    )
    parser.add_argument("-v", dest="verbose", action="count", default=0, help="say what is run")
    parser.add_argument(
        "--time-limit",
        type=positive(float),
        metavar="SECONDS",
        help=f"for each program (default: {_TIME_LIMIT:g})",
    )
    parser.add_argument(
        "--jobs", type=positive(int), metavar="N", help="programs to check at a time (default: half of the cores)"
    )
    parser.add_argument(
        "--cflag",
        action="append",
        default=[],
        metavar="FLAG",
        help="flag for the compiler, as --cflag=-DX (repeatable)",
    )
    parser.add_argument(
        "--data-model", choices=["ILP32", "LP64"], help="of the programs in expected.tsv (default: LP64)"
    )
    parser.add_argument("--headers", choices=["auto", "system", "bundled"], help="as for `check` (default: auto)")
    group = parser.add_argument_group("results")
    group.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"where the results go, program by program, and the page index.html; a run that was ended goes on there "
        f"with the same command (default: a new directory {_RUNS}/CORPUS-TIME)",
    )
    group.add_argument("--html", metavar="F", help="also write the page to this file")
    group.add_argument(
        "--compare",
        nargs=2,
        type=Path,
        metavar=("RUN1", "RUN2"),
        help="what has changed between two runs, by their DIR",
    )
    refuse_cluster_argument(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    if args.arguments:
        raise InputError("the programs of a corpus are run without arguments: leave out what stands after --")
    if (args.corpus is None) == (args.compare is None):
        raise InputError("give a corpus, or --compare and two runs\nTry `raceproof bench --help`.")
    if args.compare is not None:
        return _compare(args.compare[0], args.compare[1], args.html)
    return _bench(BenchOptions.of(args))


def _bench(options: BenchOptions) -> Exit:
    corpus = corpora.read_corpus(options.corpus)
    for note in corpus.notes:
        print(f"raceproof: {corpora.printable(note)}", file=sys.stderr)
    out = options.out or _RUNS / f"{corpus.name}-{datetime.now():%Y%m%d-%H%M%S}"
    with _page_file(options.html) as page, corpora.open_store(out, options.settings(corpus)) as store:
        is_interrupted = _run(corpus, options, store)
        text = corpora.run_page(store.run)
        _write(out / "index.html", text)
        if page is not None:
            page.write(text)
    _report(store.run, out)
    if is_interrupted:
        print(
            f"raceproof: interrupted: {len(store.run.results)} of {len(corpus.tasks)} programs are done and kept.\n"
            f"To go on: {shlex.join([*options.command, '--out', str(out)])}",
            file=sys.stderr,
        )
        return Exit.INTERRUPTED
    return _status(store.run)


def _run(corpus: corpora.Corpus, options: BenchOptions, store: corpora.Store) -> bool:
    """Check what is not done yet; whether that was interrupted."""
    done = {result.name for result in store.run.results}
    tasks = [task for task in corpus.tasks if task.name not in done]
    if done:
        print(f"{len(done)} of {len(corpus.tasks)} programs were done before, in {store.directory}")
    show = is_interactive(sys.stderr, os.environ) and not options.verbose
    with corpora.interruptions() as is_stopped, Progress(sys.stderr, show) as progress:
        progress.stage(f"{len(done)} of {len(corpus.tasks)} programs")
        running = corpora.run_tasks(tasks, store.run.settings, store.directory / "wrong", is_stopped)
        with closing(running):
            for number, result in enumerate(running, start=1):
                store.add(result)
                progress.stage(_stage(store.run, number, options.jobs))
                if not show:
                    _say([corpora.result_line(result, len(store.run.results), len(corpus.tasks))])
        return is_stopped()


def _stage(run: corpora.Run, done: int, jobs: int) -> str:
    """Short enough for one line of a terminal. `done` just now; there may be results of an earlier time."""
    total, programs = corpora.tally(run.results), run.settings.programs
    wrong = f", {total.wrong} WRONG" if total.wrong else ""
    spent = sum(result.wall for result in run.results[-done:]) / done
    left = spent * (programs - total.programs) / jobs
    return f"{total.programs} of {programs} programs, score {total.score}{wrong}, about {_duration(left)} left"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _report(run: corpora.Run, out: Path) -> None:
    wrong = corpora.wrong_lines(run)
    if wrong and wants_color(sys.stdout, os.environ):
        wrong[0] = f"\x1b[1;31m{wrong[0]}\x1b[0m"
    parts = [corpora.summary_lines(run), corpora.error_lines(run), [f"The page: {out / 'index.html'}"], wrong]
    _say([line for part in parts if part for line in ["", *part]])


def _status(run: corpora.Run) -> Exit:
    outcomes = [result.outcome for result in run.results]
    if any(outcome.is_wrong for outcome in outcomes):
        return Exit.RACE
    if all(outcome is corpora.Outcome.ERROR for outcome in outcomes):
        raise InputError("none of the programs could be checked: see above, and try `raceproof doctor`")
    return Exit.RACE_FREE


def _compare(first: Path, second: Path, html: str | None) -> Exit:
    with _page_file(html) as page:
        comparison = corpora.compare(corpora.read_run(first), corpora.read_run(second))
        if page is not None:
            page.write(corpora.comparison_page(comparison))
    _say([f"{first} and {second}: ", *corpora.comparison_lines(comparison)])
    return Exit.RACE if comparison.is_worse else Exit.RACE_FREE


def _page_file(target: str | None) -> AbstractContextManager[ResultFile | None]:
    return ResultFile("--html", target, ()) if target is not None else nullcontext()


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def _say(lines: Sequence[str]) -> None:
    """To a reader who may have seen enough, as in `| head`: the run goes on."""
    try:
        print("\n".join(lines), flush=True)
    except BrokenPipeError:
        discard()
