"""`raceproof tsan-ignorelist`: functions that ThreadSanitizer need not watch, as all their accesses are proved."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace

from raceproof import facts, frontend, portfolio
from raceproof.cli.check import CheckOptions, engine_names
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.options import (
    Commands,
    add_input_arguments,
    add_result_arguments,
    add_run_arguments,
    add_target_arguments,
)
from raceproof.cli.output import is_interactive
from raceproof.cli.progress import Progress
from raceproof.cli.status import Exit
from raceproof.core import Budget
from raceproof.model import CheckResult, ConcurrentProgram, PairResult, Scope, Verdict
from raceproof.portfolio import Settings

_FOR_ALL = (Scope.ALL_INPUTS, Scope.ANY_THREADS)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "tsan-ignorelist",
        help="what ThreadSanitizer need not watch",
        description="Print the functions whose accesses are all proved race-free for all inputs, for clang's "
        "-fsanitize-ignorelist=. Races between other functions are found as before. Exit status: 0 there is one, 2 bad "
        "input, 3 nothing could be proved.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json > tsan.txt",
    )
    add_input_arguments(parser)
    add_target_arguments(parser)
    parser.add_argument("--engines", metavar="NAMES", help="engines to prove with (default: all but explore)")
    add_run_arguments(parser, time_limit=None)
    add_result_arguments(parser)
    add_config_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    found = configured(args)
    engines = engine_names(args.engines or ",".join(name for name in portfolio.ENGINES if name != "explore"))
    options = CheckOptions.made(args, found, engines, Settings())
    budget = Budget.seconds(options.time_limit)
    show = is_interactive(sys.stderr, os.environ) and not args.verbose
    with Progress(sys.stderr, show) as progress:
        progress.stage("checking")
        request = replace(options.inputs.request(), prototypes=options.settings.models.numbered())
        program = frontend.load(request, budget)
        settings = replace(options.settings, request=request)
        result = portfolio.check(program, options.engines, budget, settings, progress.stage)
        why_not = _why_not(result)
        ignored = () if why_not else _ignored(facts.analyse(program, budget, settings.models), result)
    if why_not:
        print(f"# nothing is listed: {why_not}")
        return Exit.UNKNOWN
    print("# Functions of this program whose accesses are all proved race-free for all inputs: see docs/findings.md.")
    print(f"# For {', '.join(result.files)}; compile with -fsanitize=thread -fsanitize-ignorelist=THIS_FILE.")
    for assumption in result.assumptions:
        print(f"# assumed: {assumption.text}")
    print("[thread]")
    for name in ignored:
        print(f"fun:{name}")
    return Exit.RACE_FREE if ignored else Exit.UNKNOWN


def _why_not(result: CheckResult) -> str | None:
    """Why no proof of this run may be relied on; None if they may."""
    if result.sources is None:
        return result.reason
    if result.interrupted:
        return "interrupted"
    return "; ".join(result.obstacles) or None


def _ignored(cp: ConcurrentProgram, result: CheckResult) -> tuple[str, ...]:
    """By name, as clang reads them: a name of which any function has an access that is not proved is left out."""
    program = cp.program
    reached = _reached(cp)
    left = {access.function for pair in result.pairs if not _is_proved(pair) for access in pair.accesses}
    names = {f.source_name for symbol, f in program.functions.items() if symbol in reached}
    others = {f.source_name for symbol, f in program.functions.items() if symbol not in reached}
    return tuple(sorted(names - left - others))


def _is_proved(pair: PairResult) -> bool:
    return pair.verdict is Verdict.RACE_FREE and pair.scope in _FOR_ALL


def _reached(cp: ConcurrentProgram) -> set[str]:
    """The functions that the facts are about: of others nothing is known."""
    found = {cp.program.entry, *(thread.start for thread in cp.threads.values())}
    if cp.calls is not None:
        for targets in cp.calls.targets.values():
            groups: Iterable[Iterable[str]] = (
                targets.functions, targets.callbacks, targets.starts or (), targets.at_end, targets.any_time,
            )  # fmt: skip
            found.update(name for group in groups for name in group)
        found |= cp.calls.from_outside
    return found
