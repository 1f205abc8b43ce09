"""`raceproof replay`: run a reported race again and show it step by step."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof import explore, facts, frontend, portfolio, report
from raceproof.cli.options import Commands, add_root_argument, add_run_arguments, add_via_arguments, positive
from raceproof.cli.output import is_interactive, wants_color
from raceproof.cli.progress import Progress
from raceproof.cli.report_file import Choice, Reported, facts_again, load_again, read_report
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError
from raceproof.model import ConcurrentProgram, RacePair, Trace


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """`choice` has numbers in the report; without them the first race or deadlock is meant."""

    report: Path
    choice: Choice
    root: Path | None
    time_limit: float
    verbose: bool
    vias: tuple[str, ...] = ()
    secret_file: Path | None = None
    last: int = 0

    @staticmethod
    def of(args: argparse.Namespace) -> ReplayOptions:
        choice = Choice(args.race, args.other, args.deadlock)
        if sum(number is not None for number in (choice.race, choice.other, choice.deadlock)) > 1:
            raise InputError("give only one of: --race, --deadlock, --other")
        if args.arguments:
            raise InputError("the arguments of the program are in the report: leave them out")
        vias = tuple(args.via)
        is_verbose, secret, last = args.verbose > 0, args.secret_file, args.last or 0
        return ReplayOptions(args.report, choice, args.root, args.time_limit, is_verbose, vias, secret, last)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "replay",
        help="run a reported race or deadlock again, step by step",
        description="Run a reported race or deadlock again and show it step by step. Exit status: 1 it happened again, "
        "0 the other incident did, 2 bad input, 3 it did not happen again.",
    )
    parser.add_argument("report", type=Path, metavar="REPORT.json", help="what `explore` or `check` wrote with --json")
    parser.add_argument("--race", type=positive(int), metavar="ID", help="which pair (default: the first race)")
    parser.add_argument("--deadlock", type=positive(int), metavar="ID", help="an entry of `deadlocks`")
    parser.add_argument("--other", type=positive(int), metavar="ID", help="an entry of `other`: a deadlock, a crash, …")
    parser.add_argument("--last", type=positive(int), metavar="N", help="show the last N steps only")
    add_root_argument(parser)
    add_via_arguments(parser, "in place of the way to the target that the report names")
    add_run_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = ReplayOptions.of(args)
    reported = read_report(options.report, options.choice, options.root)
    target = _target(reported, options)
    show = is_interactive(sys.stderr, os.environ) and not options.verbose
    with Progress(sys.stderr, show) as progress:
        trace = _replay(reported, target, options.last, Budget.seconds(options.time_limit), progress)
    trace = replace(trace, steps=trace.steps[-options.last :])
    report.write_trace(trace, sys.stdout, wants_color(sys.stdout, os.environ), str(reported.request.root))
    if not trace.repeated:
        return Exit.UNKNOWN
    return Exit.RACE if reported.is_violation else Exit.RACE_FREE


def _target(reported: Reported, options: ReplayOptions) -> explore.Target | None:
    """Where the run was, and is to be again."""
    if reported.target is None:
        if options.vias or options.secret_file is not None:
            raise InputError("the report is of a run on this machine: leave --via and --secret-file out")
        return None
    return explore.target_of(reported.target.triple, options.vias or reported.target.vias, options.secret_file)


def _replay(reported: Reported, target: explore.Target | None, last: int, budget: Budget, progress: Progress) -> Trace:
    progress.stage("compiling")
    program = load_again(reported.request, budget)
    module = frontend.link_program(reported.request, budget)
    if explore.module_hash(module) != reported.setup.module:
        raise InputError("the program or the compiler has changed since the report was written: explore it again")
    setup = reported.setup
    options = explore.ExploreOptions(
        module=module,
        algorithm=setup.algorithm,
        isolation=setup.isolation,
        arguments=setup.arguments,
        models=reported.models,
        spurious=setup.spurious,
        max_steps=setup.max_steps,
        surroundings=setup.surroundings,
        target=target,
    )
    if setup.algorithm == explore.SAMPLE:
        cp = facts.surface(program)
        pairs = _sampled_pairs(cp, reported)
        progress.stage("building the program")
        prepared = explore.prepare_all(cp, options, budget)
    else:
        progress.stage("facts")
        cp = facts_again(program, budget, reported.models, reported.facts)
        pairs = _pairs(cp, reported)
        progress.stage("building the program")
        prepared = explore.prepare(cp, [pairs[key] for key in setup.pairs], options, budget)
    progress.stage("running it")
    schedule = reported.schedule
    if schedule is None:
        replayed = explore.repeat(prepared, options, reported.run, None, last)
        return portfolio.trace_incident(cp, reported.kind, reported.thread, reported.run, replayed)
    first, second = sorted(schedule.accesses)
    drive = explore.drive_of(schedule)
    for _ in range(explore.attempts_of(options)):
        replayed = explore.repeat(prepared, options, reported.run, drive, last)
        trace = portfolio.trace_race(cp, pairs[first, second], schedule, replayed)
        if trace.repeated:
            break
    return trace


def _sampled_pairs(cp: ConcurrentProgram, reported: Reported) -> dict[tuple[int, int], RacePair]:
    """The pair of the report: runs are not asked about any."""
    if reported.schedule is None:
        return {}
    first, second = sorted(reported.schedule.accesses)
    if second not in cp.accesses:
        raise InputError("the accesses of the report are not those of this version of raceproof: run it again")
    return {(first, second): RacePair(first, second, cp.accesses[first].targets[0])}


def _pairs(cp: ConcurrentProgram, reported: Reported) -> dict[tuple[int, int], RacePair]:
    """The pairs of the program by their accesses; those of the report must be among them."""
    pairs: dict[tuple[int, int], RacePair] = {(pair.first, pair.second): pair for pair in facts.race_pairs(cp)}
    wanted = list(reported.setup.pairs)
    if reported.schedule is not None:
        first, second = sorted(reported.schedule.accesses)
        wanted.append((first, second))
    if not all(key in pairs for key in wanted):
        raise InputError("the pairs of the report are not those of this version of raceproof: explore it again")
    return pairs
