"""`raceproof dump`: print a stage of the analysis as text."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from raceproof import facts, frontend, ir
from raceproof.cli.options import Commands, InputOptions, add_input_arguments, add_run_arguments
from raceproof.cli.status import Exit
from raceproof.core import Budget

STAGES = ("ir", "facts")


@dataclass(frozen=True, slots=True)
class DumpOptions:
    stage: str
    inputs: InputOptions
    time_limit: float

    @staticmethod
    def of(args: argparse.Namespace) -> DumpOptions:
        return DumpOptions(args.stage, InputOptions.of(args), args.time_limit)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "dump", help="print a stage of the analysis", description="Print a stage of the analysis as text."
    )
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help=f"one of: {', '.join(STAGES)}")
    add_input_arguments(parser)
    add_run_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = DumpOptions.of(args)
    budget = Budget.seconds(options.time_limit)
    program = frontend.load(options.inputs.request(), budget)
    text = ir.format_program(program) if options.stage == "ir" else facts.format_facts(facts.analyse(program, budget))
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return Exit.RACE_FREE
