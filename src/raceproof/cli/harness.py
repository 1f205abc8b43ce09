"""`raceproof harness`: show or keep the main that is made for code without one."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.made_harness import HarnessOptions, add_harness_arguments, made_for
from raceproof.cli.options import Commands, InputOptions, add_input_arguments, add_run_arguments, add_target_arguments
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "harness",
        help="a main for a library",
        description="Write a main for code that has none: threads that call its public functions in any order, on "
        "shared objects that its constructors make. `raceproof check` makes the same one when there is no main. Exit "
        "status: 0, or 2 for bad input.",
        usage="%(prog)s [options] FILE... [-o harness.c]",
    )
    add_input_arguments(parser)
    add_target_arguments(parser)
    add_harness_arguments(parser)
    parser.add_argument("-o", dest="output", type=Path, metavar="F", help="write it to this file (default: print it)")
    parser.add_argument("--jobs", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--engines", help=argparse.SUPPRESS)
    add_run_arguments(parser, time_limit=None)
    add_config_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    configured(args)
    made = made_for(InputOptions.of(args).request(), HarnessOptions.of(args), Budget.seconds(args.time_limit))
    if args.output is None:
        sys.stdout.write(made.text)
        return Exit.RACE_FREE
    if args.output.exists():
        raise InputError(f"{args.output} is there already: it may have been edited, so it is not overwritten")
    args.output.write_text(made.text, encoding="utf-8")
    print(f"written: {os.path.relpath(args.output)}; check it by: raceproof check {os.path.relpath(args.output)}")
    return Exit.RACE_FREE
