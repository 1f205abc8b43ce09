"""`raceproof explore`: run the program under every schedule that matters, and report."""

from __future__ import annotations

import argparse

from raceproof import explore, portfolio
from raceproof.cli.check import CheckOptions, analyse
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.options import Commands, add_input_arguments, add_result_arguments, add_run_arguments, positive
from raceproof.cli.status import Exit
from raceproof.model import Scope

# Which engines run: what the static engine proves need not be scheduled for.
_ENGINES = {"open": ("lockset", "explore"), "all": ("explore",)}


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "explore",
        help="run the program under every schedule that matters",
        description="Run the program under every schedule that matters for these arguments, until a race is found or "
        "none is left. Exit status: 0 race-free, 1 race, 2 bad input, 3 unknown, 4 internal error.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json | --task TASK.yml  [-- ARGS of the program]",
    )
    add_input_arguments(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--algorithm",
        choices=explore.ALGORITHMS,
        default=explore.DEFAULT_ALGORITHM,
        metavar="NAME",
        help=f"one of {', '.join(explore.ALGORITHMS)} (default: {explore.DEFAULT_ALGORITHM})",
    )
    search.add_argument("--all", action="store_true", help="find all racing pairs, not only the first")
    search.add_argument(
        "--pairs",
        choices=sorted(_ENGINES),
        default="open",
        help="search for the pairs that the static analysis leaves open, or for all, unaided (default: open)",
    )
    search.add_argument(
        "--max-executions", type=positive(int), default=0, metavar="N", help="stop after so many (default: no limit)"
    )
    search.add_argument(
        "--max-steps",
        type=positive(int),
        default=explore.DEFAULT_MAX_STEPS,
        metavar="N",
        help="cut an execution there; the result is then bounded (default: %(default)s)",
    )
    search.add_argument(
        "--isolation",
        choices=["auto", *explore.ISOLATIONS],
        default="auto",
        help="put memory back between executions, or fork a process for each (default: auto)",
    )
    search.add_argument(
        "--spurious-wakeups",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a wait at a condition variable may end without a signal, as POSIX allows (default: yes)",
    )
    add_run_arguments(parser, time_limit=None)
    add_result_arguments(parser)
    add_config_arguments(parser)
    parser.set_defaults(run=run, engines=None, accept=None)


def run(args: argparse.Namespace) -> Exit:
    search = explore.ExploreOptions(
        algorithm=args.algorithm,
        find_all=args.all,
        max_executions=int(args.max_executions),
        max_steps=int(args.max_steps),
        isolation=args.isolation,
        spurious=args.spurious_wakeups,
    )
    settings = portfolio.Settings(
        search=search,
        always=frozenset({"explore"}),
        unaided=args.pairs == "all",
        looks=False,
        accepted=Scope.THIS_INPUT,  # which is what this command is asked about
    )
    return analyse(CheckOptions.made(args, configured(args), _ENGINES[args.pairs], settings))
