"""`raceproof run`: run the program under schedules that are drawn, and report the races that they show."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial

from raceproof import explore, frontend, ir, portfolio
from raceproof.cli.check import CheckOptions, analyse
from raceproof.cli.clusters import refuse_cluster_argument
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.given import add_given_arguments, add_link_argument
from raceproof.cli.options import (
    Commands,
    add_input_arguments,
    add_result_arguments,
    add_run_arguments,
    positive,
)
from raceproof.cli.progress import Progress
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError
from raceproof.model import CheckResult

DEFAULT_TIME_LIMIT = 60.0
_SEEDS = 1 << 32


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "run",
        help="run the program under schedules that are drawn at random",
        description="Run the program again and again, each time by another schedule, and report the races that show, "
        "and those that another order of the same events shows. Nothing is analysed, nothing is proved. Exit "
        "status: 1 there is a race, 2 bad input, 3 none was seen, 4 internal error.",
        usage="%(prog)s [options] ./PROGRAM [ARGS]  |  [options] FILE... [-- ARGS of the program]",
    )
    add_input_arguments(parser)
    add_given_arguments(parser)
    add_link_argument(parser)
    group = parser.add_argument_group("the runs")
    group.add_argument(
        "--runs",
        type=positive(int),
        metavar="N",
        help=f"so many at most (default: {explore.DEFAULT_RUNS}, and as many as there is time for with --time-limit)",
    )
    group.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="of the first run, the next one has the next number; the same seed is the same run (default: 1)",
    )
    group.add_argument(
        "--sampling",
        choices=explore.SAMPLINGS,
        default=explore.DEFAULT_SAMPLING,
        help="how schedules are drawn (default: %(default)s; see docs/run.md)",
    )
    group.add_argument(
        "--max-steps", type=positive(int), default=explore.MAX_STEPS, metavar="N", help="cut a run there"
    )
    group.add_argument(
        "--isolation",
        choices=["auto", *explore.ISOLATIONS],
        default="auto",
        help="put memory back between runs, or fork a process for each (default: auto)",
    )
    group.add_argument(
        "--spurious-wakeups",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a wait at a condition variable may end without a signal, as POSIX allows (default: yes)",
    )
    add_run_arguments(parser, time_limit=None)
    refuse_cluster_argument(parser)
    add_result_arguments(parser)
    add_config_arguments(parser)
    parser.set_defaults(run=run, engines=None, accept=None)


def run(args: argparse.Namespace) -> Exit:
    has_limit = args.time_limit is not None
    sampling = explore.SamplingOptions(
        runs=args.runs or (0 if has_limit else explore.DEFAULT_RUNS),
        seed=args.seed if args.seed is not None else 1,
        sampling=args.sampling,
        max_steps=args.max_steps,
    )
    if not 0 <= sampling.seed < _SEEDS:
        raise InputError(f"--seed is a number from 0 to {_SEEDS - 1}")
    args.time_limit = args.time_limit or DEFAULT_TIME_LIMIT
    search = explore.ExploreOptions(isolation=args.isolation, spurious=args.spurious_wakeups, max_steps=args.max_steps)
    settings = portfolio.Settings(search=search)
    return analyse(CheckOptions.made(args, configured(args), (), settings), partial(_examine, sampling))


def _examine(
    sampling: explore.SamplingOptions,
    program: ir.Program,
    options: CheckOptions,
    settings: portfolio.Settings,
    budget: Budget,
    progress: Progress,
) -> CheckResult:
    if settings.request is None:
        raise InputError("nothing to run")
    module = frontend.link_program(settings.request, budget)
    settings = replace(settings, search=replace(settings.search, module=module))
    return portfolio.sample(program, budget, settings, sampling, progress.stage)
