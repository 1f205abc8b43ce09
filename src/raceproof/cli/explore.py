"""`raceproof explore`: run the program under every schedule that matters, and report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raceproof import explore, portfolio
from raceproof.cli.check import CheckOptions, analyse
from raceproof.cli.clusters import add_cluster_argument, cluster_given
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.given import add_given_arguments, add_link_argument
from raceproof.cli.options import (
    Commands,
    add_input_arguments,
    add_property_argument,
    add_result_arguments,
    add_run_arguments,
    add_target_arguments,
    positive,
    properties_of,
)
from raceproof.cli.status import Exit
from raceproof.core import InputError
from raceproof.model import Property, Scope

# Which engines run: what the static engine proves need not be scheduled for.
_ENGINES = {"open": ("lockset", "explore"), "all": ("explore",)}


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "explore",
        help="run the program under every schedule that matters",
        description="Run the program under every schedule that matters for these arguments, until a race (or, with "
        "--property deadlock, a deadlock) is found or none is left. Exit status: 0 there is none, 1 there is one, "
        "2 bad input, 3 unknown, 4 internal error.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json | --task TASK.yml  [-- ARGS of the program]",
    )
    add_input_arguments(parser)
    add_target_arguments(parser)
    add_given_arguments(parser)
    add_link_argument(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--algorithm",
        choices=explore.ALGORITHMS,
        metavar="NAME",
        help=f"one of {', '.join(explore.ALGORITHMS)} (default: {explore.DEFAULT_ALGORITHM}; for deadlocks, which only"
        f" {' and '.join(explore.FINDS_DEADLOCKS)} find: {explore.FINDS_DEADLOCKS[0]})",
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
        "--max-states",
        type=positive(int),
        default=0,
        metavar="N",
        help="states only: remember so many; what is forgotten is explored again (default: 1 GB of them)",
    )
    search.add_argument(
        "--exact-states",
        action="store_true",
        help="states only: keep the states themselves, not only their hashes, and compare them",
    )
    search.add_argument(
        "--symmetry",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="states only: take threads that nobody can tell apart for one another (default: yes)",
    )
    search.add_argument(
        "--monitors",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="states only: no scheduling points at operations under a lock that all users of their object hold"
        " (default: yes)",
    )
    search.add_argument(
        "--persistent-sets",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="states only: try those threads only on which the others do not depend (default: no)",
    )
    search.add_argument(
        "--idle-values",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="states only: tell states apart by values of registers on which nothing depends (default: no)",
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
    pruning = search.add_mutually_exclusive_group()
    pruning.add_argument(
        "--as-printed",
        action="store_true",
        help="pdp only: go back as the figure of the paper says, which misses races; for comparison, proves nothing",
    )
    pruning.add_argument(
        "--no-pruning",
        action="store_true",
        help="pdp, dhtc, race: explore subspaces without races, too; dhtc is then DPOR with sleep sets",
    )
    several = parser.add_argument_group("several workers, several runs")
    add_cluster_argument(several)
    several.add_argument(
        "--checkpoint",
        type=Path,
        metavar="F",
        help="keep in this file what is left to search: the same command then goes on after Ctrl-C or a crash",
    )
    add_property_argument(parser)
    add_run_arguments(parser, time_limit=None)
    add_result_arguments(parser)
    add_config_arguments(parser)
    parser.set_defaults(run=run, engines=None, accept=None)


def run(args: argparse.Namespace) -> Exit:
    if args.as_printed and args.algorithm != "pdp":
        raise InputError("--as-printed is for --algorithm pdp")
    if (args.max_states or args.exact_states) and args.algorithm != "states":
        raise InputError("--max-states and --exact-states are for --algorithm states")
    properties = properties_of(args)
    if Property.DEADLOCK in properties and args.algorithm not in (None, *explore.FINDS_DEADLOCKS):
        found_by = " or ".join(explore.FINDS_DEADLOCKS)
        raise InputError(f"--algorithm {args.algorithm} leaves out deadlocks: use {found_by} with --property deadlock")
    cluster = cluster_given(args)
    if args.checkpoint is not None:
        _check_checkpoint(args, properties)
    search = explore.ExploreOptions(
        algorithm=args.algorithm or explore.DEFAULT_ALGORITHM,
        find_all=args.all,
        max_executions=int(args.max_executions),
        max_steps=int(args.max_steps),
        isolation=args.isolation,
        spurious=args.spurious_wakeups,
        max_states=int(args.max_states),
        exact_states=args.exact_states,
        symmetry=args.symmetry,
        monitors=args.monitors,
        idle_values=args.idle_values,
        cluster=cluster,
        checkpoint=args.checkpoint,
        persistent=explore.DEFAULT_LEARNING if args.persistent_sets else 0,
        pruning="printed" if args.as_printed else "none" if args.no_pruning else "repaired",
    )
    settings = portfolio.Settings(
        search=search,
        always=frozenset({"explore"}),
        unaided=args.pairs == "all",
        looks=False,
        accepted=Scope.THIS_INPUT,  # which is what this command is asked about
        properties=properties,
    )
    status = analyse(CheckOptions.made(args, configured(args), _ENGINES[args.pairs], settings))
    if args.checkpoint is not None and args.checkpoint.exists() and status in (Exit.UNKNOWN, Exit.INTERRUPTED):
        print(f"raceproof: the same command goes on from {args.checkpoint}", file=sys.stderr)
    return status


def _check_checkpoint(args: argparse.Namespace, properties: tuple[Property, ...]) -> None:
    if args.algorithm == explore.STATES:
        raise InputError("--algorithm states has no checkpoints: its table of states is not kept")
    if len(properties) > 1:
        raise InputError("--checkpoint is for one search: give one --property")
    if not args.checkpoint.absolute().parent.is_dir():
        raise InputError(f"--checkpoint {args.checkpoint}: there is no directory {args.checkpoint.absolute().parent}")
