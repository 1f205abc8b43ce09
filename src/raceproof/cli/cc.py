"""`raceproof cc`: a compiler for make, cmake and configure. `__main__` calls it before anything else is loaded."""

from __future__ import annotations

import argparse
import sys

from raceproof.builds import run_compiler
from raceproof.cli.options import Commands


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "cc",
        help="compile as cc does, and remember how: then `check ./program` finds its sources",
        description="A compiler for any build system: takes the arguments of gcc or clang, runs the system's compiler "
        "(or the one that RACEPROOF_CC names) and records in each object how it was made. For example: "
        'CC="raceproof cc" ./configure && make, then raceproof check ./program.',
        usage="%(prog)s ARGUMENTS of the compiler",
    )
    parser.set_defaults(run=run, verbose=0)


def run(args: argparse.Namespace) -> int:
    return run_compiler(sys.argv[2:])
